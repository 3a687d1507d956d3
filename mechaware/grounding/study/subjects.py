"""A trained model as one row: its size, its behaviour, where it reads the schema word, and what the rules say."""

from typing import NamedTuple

import pandas as pd

from mechaware.grounding.study.reading import single_block_shares
from mechaware.grounding.study.verdict import verdict_table


class Training(NamedTuple):
    """What is known of a model before it is measured.

    `tables`, `fields` and `max_columns` are those of its data, `seconds` the time that its training took, and
    `exact_match` that on held-out rows after the last step.
    """

    d_model: int
    n_layers: int
    parameters: int
    tables: int
    fields: int
    max_columns: int
    steps: int
    exact_match: float
    seconds: float


def subject_row(
    training: Training,
    rules: pd.DataFrame,
    answers: pd.DataFrame,
    cuts: pd.DataFrame,
    *,
    tau: float,
    alpha: float,
    verdict_share: float,
    level: float,
) -> pd.DataFrame:
    """One row: the columns of `Training`, those of `verdict_table` but for the group, and the shares of the blocks.

    `rules`, `answers` and `cuts` are those of one run, with a column `run`. c_b is the mean share of the gap that block
    b recovers alone, over the pairs that pass R1. top_block has the largest (the earliest of equal ones), top_share is
    that share, and shares has all in the order of the blocks, with three decimals; without such a pair the first two
    are missing and shares is "".
    """
    verdict = verdict_table(rules, answers, cuts, alpha=alpha, verdict_share=verdict_share, level=level)
    denoised = single_block_shares(cuts[cuts["mode"] == "denoise"], tau)
    shares = denoised.groupby(denoised["blocks"].astype(int))["share"].mean()
    row = verdict.drop(columns="group").assign(
        **training._asdict(),
        top_block=int(str(shares.idxmax())) if len(shares) else None,
        top_share=shares.max(),
        shares=" ".join(f"{share:.3f}" for share in shares),
    )
    row = row.astype({"top_block": "Int64"})
    first = ["run", *Training._fields]
    return row[[*first, *row.columns.difference(first, sort=False)]]
