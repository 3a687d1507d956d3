"""Finds the last checkpoint that is whole, by the SHA-256 of each of its files.

A killed run leaves an incomplete checkpoint, and a full disk damaged files: training continues from
neither.
"""

import json
from pathlib import Path
from typing import Any, cast

from transformers import TrainerCallback, TrainerState, TrainingArguments

from mechaware.core.files import atomic_write, sha256

FINGERPRINTS = "fingerprints.json"  # in each checkpoint: by file, its SHA-256


class FingerprintCheckpoints(TrainerCallback):
    """Writes the SHA-256 of a checkpoint's files, after these files.

    A checkpoint without these hashes is incomplete.
    """

    def on_save(self, args: TrainingArguments, state: TrainerState, *_: Any, **__: Any) -> None:
        """Write `FINGERPRINTS` into the folder of the checkpoint at this step."""
        checkpoint = Path(cast(str, args.output_dir)) / f"checkpoint-{state.global_step}"
        # A damaged checkpoint was ignored and is now written again, into a folder that has
        # fingerprints already.
        written = [path for path in checkpoint.iterdir() if not path.name.endswith(FINGERPRINTS)]
        fingerprints = {path.name: sha256(path) for path in sorted(written)}
        with atomic_write(checkpoint / FINGERPRINTS) as partial:
            partial.write_text(json.dumps(fingerprints, indent=1) + "\n", encoding="utf-8")


def last_whole_checkpoint(folder: Path, last_step: int) -> str | None:
    """The newest whole checkpoint in `folder` from before `last_step`; None if there is none.

    From a checkpoint of the last step the Trainer would train one step more.
    """
    possible = []
    for record in folder.glob(f"checkpoint-*/{FINGERPRINTS}"):
        checkpoint = record.parent
        if _step(checkpoint) < last_step and _is_whole(record):
            possible.append(checkpoint)
    if not possible:
        return None
    return str(max(possible, key=_step))


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.removeprefix("checkpoint-"))


def _is_whole(record: Path) -> bool:
    """Whether a checkpoint's files have the fingerprints in its record, `FINGERPRINTS`.

    False also for a damaged record, and for one without the Trainer's state.
    """
    try:
        fingerprints = json.loads(record.read_text(encoding="utf-8"))
        if "trainer_state.json" not in fingerprints:
            return False
        for name, fingerprint in fingerprints.items():
            if sha256(record.with_name(name)) != fingerprint:
                return False
    except (OSError, ValueError, TypeError, AttributeError):
        return False
    return True
