"""The study's controls: models with a known mechanism, written by hand for the words of the matched pairs."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from mechaware.controls.schema_readers import build_control
from mechaware.grounding.data.pairs import Pair, prompts_of
from mechaware.grounding.names import SYNONYMS

CONTEXT_LENGTH = 256  # tokens; the longest prompts, with twelve columns, have about a hundred


def build_controls(folders: Mapping[str, Path], pairs: Sequence[Pair]) -> None:
    """Write each control (a key of `CONTROLS`) to its folder; its vocabulary is the words of the pairs' prompts."""
    prompts = [prompt for pair in pairs for prompt in prompts_of(pair).values()]
    for name, folder in folders.items():
        build_control(folder, prompts, wanted_columns(pairs), name=name, context_length=CONTEXT_LENGTH)


def wanted_columns(pairs: Sequence[Pair]) -> dict[str, set[str]]:
    """The columns that each request word may mean: clean words, third words, and corrupted ones that are synonyms."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for pair in pairs:
        wanted[pair.request_word].add(pair.clean)
        if pair.third:
            wanted[pair.request_word].add(pair.third)
        if pair.category in SYNONYMS:
            wanted[pair.request_word].add(pair.corrupted)
    return dict(wanted)
