"""Build the models whose mechanism is known, because their weights are written by hand for the words of the pairs."""

from pathlib import Path

from mechaware.controls.schema_readers import build_control
from mechaware.grounding.data.pairs import prompts_of, read_pairs, wanted_columns
from scripts.command import Output, run

CONTEXT_LENGTH = 256  # tokens; the longest prompts, with twelve columns, have about a hundred


def main(*, pairs: Path, controls: list[str], models: list[Output]) -> None:
    """Write each of `controls` to its folder in `models`; the vocabulary is all words of the prompts."""
    made = read_pairs(pairs)
    prompts = [prompt for pair in made for prompt in prompts_of(pair).values()]
    for name, folder in zip(controls, models, strict=True):
        build_control(folder, prompts, wanted_columns(made), name=name, context_length=CONTEXT_LENGTH)


if __name__ == "__main__":
    run(main)
