"""Write the handwritten transformers whose mechanism is known, and the truth about the drawn ones."""

from pathlib import Path

import pandas as pd

from mechaware.controls.generator import drawn_control
from mechaware.controls.schema_readers import build_control, reads_requested
from mechaware.frames import write_parquet
from mechaware.grounding.data.pairs import prompts_of, read_pairs, wanted_columns
from mechaware.grounding.names import is_drawn
from scripts.command import Output, run

CONTEXT_LENGTH = 256  # tokens; the longest prompts, with twelve columns, have about a hundred


def main(*, pairs: Path, controls: list[str], models: list[Output], truth: Output) -> None:
    """Write each of `controls` to its folder in `models`; the vocabulary is all words of the prompts.

    `truth` has a row per drawn control and pair: whether the requested column is read, and the control is held out.
    """
    made = read_pairs(pairs)
    entries = [(pair.id, prompt) for pair in made for prompt in prompts_of(pair).values()]
    prompts, wanted = [prompt for _, prompt in entries], wanted_columns(made)
    for name, folder in zip(controls, models, strict=True):
        build_control(folder, prompts, wanted, name=name, context_length=CONTEXT_LENGTH)
    reads = {name: reads_requested(prompts, wanted, name=name) for name in controls if is_drawn(name)}
    rows = [
        (name, pair, drawn_control(name).held_out, read)
        for name, of_prompts in reads.items()
        for (pair, _), read in zip(entries, of_prompts, strict=True)
    ]
    # A pair's prompts have the same request and table, hence the same truth.
    write_parquet(pd.DataFrame(rows, columns=["run", "pair", "held_out", "reads"]).drop_duplicates(), truth)


if __name__ == "__main__":
    run(main)
