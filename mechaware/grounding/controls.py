"""The study's controls: models with a known mechanism, written by hand for the words of the matched pairs."""

from collections.abc import Sequence
from pathlib import Path

from mechaware.controls.copy_head import build_copy_head, build_schema_blind
from mechaware.grounding.data.pairs import Pair
from mechaware.grounding.names import READING_BLOCK
from mechaware.models.registry import Manifest

CONTEXT_LENGTH = 256  # tokens; the longest prompts, with twelve columns, have about a hundred


def build_control(control: str, pairs: Sequence[Pair], out: Path, *, seed: int) -> Manifest:
    """Write a control (a key of `names.CONTROLS`) to the folder `out`; its vocabulary is the words of `pairs`.

    A copy head answers with the schema's first column, the schema-blind twin with the clean word that belongs to the
    request's word.
    """
    prompts = [prompt for pair in pairs for prompt in (pair.clean_prompt, pair.corrupted_prompt)]
    if control in READING_BLOCK:
        block = READING_BLOCK[control]
        return build_copy_head(
            out, prompts, name=control, reading_block=block, context_length=CONTEXT_LENGTH, seed=seed
        )
    answers = {pair.request_word: pair.clean for pair in pairs}
    return build_schema_blind(out, prompts, answers, name=control, context_length=CONTEXT_LENGTH, seed=seed)
