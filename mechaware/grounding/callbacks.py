"""What a training does beside its steps: show how far it is, end if the loss diverges, mark whole checkpoints."""

import json
import math
from pathlib import Path
from typing import Any, cast

from tqdm import tqdm
from transformers import TrainerCallback, TrainerState, TrainingArguments

from mechaware.errors import UserError
from mechaware.files import replacing, sha256

FINGERPRINTS = "fingerprints.json"  # in each checkpoint
SHOWN = {"loss": "loss", "eval_loss": "held-out loss", "eval_exact_match": "exact match"}  # by the trainer's name


class StopAtNonFiniteLoss(TrainerCallback):
    """Ends a run whose loss is infinite or undefined: its weights cannot recover."""

    def on_log(self, args: TrainingArguments, state: TrainerState, *_: Any, **kwargs: Any) -> None:
        """Raise `UserError` if a logged loss is infinite or undefined."""
        logs = kwargs["logs"]
        for name in ("loss", "eval_loss"):
            if not math.isfinite(logs.get(name, 0)):
                raise UserError(
                    f"training diverged: {name} is {logs[name]} at step {state.global_step}; "
                    "lower grounding/training/learning_rate or raise warmup_steps"
                )


class FingerprintCheckpoints(TrainerCallback):
    """Writes the fingerprints of each checkpoint's files, last of all: one without them was not written to its end."""

    def on_save(self, args: TrainingArguments, state: TrainerState, *_: Any, **__: Any) -> None:
        """Write `FINGERPRINTS` into the folder of the checkpoint at this step."""
        checkpoint = Path(cast(str, args.output_dir)) / f"checkpoint-{state.global_step}"
        # A checkpoint that was damaged and passed over is written again into the same folder.
        written = sorted(path for path in checkpoint.iterdir() if not path.name.endswith(FINGERPRINTS))
        fingerprints = {path.name: sha256(path) for path in written}
        with replacing(checkpoint / FINGERPRINTS) as partial:
            partial.write_text(json.dumps(fingerprints, indent=1) + "\n")


class ShowProgress(TrainerCallback):
    """Shows steps, time left and the last losses on standard error.

    The trainer's own bar and its `PrinterCallback` print losses to standard output, among the messages of a run.
    """

    def on_train_begin(self, args: TrainingArguments, state: TrainerState, *_: Any, **__: Any) -> None:
        """Begin at the step of the checkpoint that the run goes on from."""
        self._bar = tqdm(total=state.max_steps, initial=state.global_step, unit="step", mininterval=5)
        self._last: dict[str, float] = {}

    def on_step_end(self, *_: Any, **__: Any) -> None:
        """Count a step."""
        self._bar.update()

    def on_log(self, *_: Any, **kwargs: Any) -> None:
        """Take over the training loss, and of an evaluation the held-out loss and exact match."""
        self._last |= {shown: kwargs["logs"][name] for name, shown in SHOWN.items() if name in kwargs["logs"]}
        self._bar.set_postfix(self._last)

    def on_train_end(self, *_: Any, **__: Any) -> None:
        """Leave the last state of the line."""
        self._bar.close()
