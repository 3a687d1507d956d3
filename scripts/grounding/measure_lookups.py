"""Ask the controls that read the schema for some request words and look the others up."""

import sys
from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_parquet
from mechaware.instruments.grounding.data.pairs import read_pairs
from mechaware.instruments.grounding.data.rows import read_rows
from mechaware.planted.controls.asked import prompts_of_pair, prompts_of_rows, request_words
from mechaware.planted.controls.lookups import SHARES_READ, are_readable, ask_lookup
from scripts.command import Output
from scripts.grounding.measure_controls import CONTEXT_LENGTH

N_PROMPTS = 1000  # how many prompts of the data are asked


def main(*, training: Path, pairs: Path, tokens_per_batch: int, answers: Output) -> None:
    """Write the `answers` of every control of `SHARES_READ`, a row per control and prompt.

    The prompts of the data are the first `N_PROMPTS` rows of `training` that select one column; all
    such rows, and the pairs, define what the request words mean. Prompts that the controls cannot
    read are left out, and so are pairs with such a prompt.
    """
    of_data = prompts_of_rows(read_rows(training))
    of_pairs = []
    for pair in read_pairs(pairs):
        of_pairs += prompts_of_pair(pair)
    words = request_words(of_data, of_pairs)

    candidates = [*of_data[:N_PROMPTS], *of_pairs]
    readable = are_readable(candidates, words, context_length=CONTEXT_LENGTH)
    # Both prompts of a pair have its id as `prompt`, so that one unreadable prompt removes both.
    unreadable = set()
    for prompt, is_readable in zip(candidates, readable, strict=True):
        if not is_readable:
            unreadable.add((prompt.source, prompt.prompt))
    asked = [prompt for prompt in candidates if (prompt.source, prompt.prompt) not in unreadable]

    tables = []
    for control, share in SHARES_READ.items():
        print(f"{control}: {len(asked)} prompts", file=sys.stderr)
        answered = ask_lookup(
            asked, words, share, context_length=CONTEXT_LENGTH, tokens_per_batch=tokens_per_batch
        )
        tables.append(answered.assign(control=control, read=share))
    write_parquet(pd.concat(tables, ignore_index=True), answers)
