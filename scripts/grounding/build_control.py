"""Build a model whose mechanism is known, because its weights are written by hand."""

from dataclasses import asdict
from pathlib import Path
from typing import Literal

from mechaware.controls.copy_head import build_copy_head, build_schema_blind
from mechaware.grounding.data.pairs import read_pairs
from mechaware.grounding.names import READING_BLOCK
from scripts.command import run

CONTEXT_LENGTH = 256  # tokens; the longest prompts, with twelve columns, have about a hundred


def main(
    *,
    pairs: Path,
    control: Literal["copy_head", "late_copy_head", "schema_blind"],
    seed: int,
    out: Path,
) -> dict[str, object]:
    """Write the control to the folder `out`; its words are those of the pairs."""
    matched = read_pairs(pairs)
    prompts = [prompt for pair in matched for prompt in (pair.clean_prompt, pair.corrupted_prompt)]
    if control == "schema_blind":
        answers = {pair.request_word: pair.clean for pair in matched}
        manifest = build_schema_blind(out, prompts, answers, name=control, context_length=CONTEXT_LENGTH, seed=seed)
    else:
        manifest = build_copy_head(
            out, prompts, name=control, reading_block=READING_BLOCK[control], context_length=CONTEXT_LENGTH, seed=seed
        )
    return asdict(manifest)


if __name__ == "__main__":
    run(main)
