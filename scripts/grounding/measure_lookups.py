"""Record the answers of the look-up controls to prompts of the data and of the pairs.

A look-up control reads the schema for a share of the request words, and looks up the others: it
answers the column that such a word names most often in the data.
"""

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

N_PROMPTS = 1000  # prompts of the data that the controls answer


def main(*, training: Path, pairs: Path, tokens_per_batch: int, answers: Output) -> None:
    """Write the `answers` of every control of `SHARES_READ`, a row per control and prompt.

    The prompts of the data come from the first `N_PROMPTS` rows of `training` that select one
    column. All such rows, and the pairs, define what the request words mean. Prompts that the
    controls cannot read are left out; of a pair with such a prompt, both prompts are.
    """
    data_prompts = prompts_of_rows(read_rows(training))
    pair_prompts = []
    for pair in read_pairs(pairs):
        pair_prompts += prompts_of_pair(pair)
    words = request_words(data_prompts, pair_prompts)

    candidates = [*data_prompts[:N_PROMPTS], *pair_prompts]
    readable = are_readable(candidates, words, context_length=CONTEXT_LENGTH)
    # The field `prompt` of both prompts of a pair is the id of the pair, so that one unreadable
    # prompt removes both.
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
