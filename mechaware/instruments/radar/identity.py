"""The prompt, matched pair, prompt set and model of each row of the study's tables."""

from collections.abc import Iterable, Sequence

import pandas as pd

from mechaware.instruments.radar.prompts import Prompt, pair_id

IDENTITY = ["id", "label", "category", "n_tokens"]
ORIGIN = ["model", "prompt_set"]


def pairs(table: pd.DataFrame) -> pd.Series:
    """The id of each row's matched pair, from the columns `id` and `label` of `table` (`pair_id`).

    An unmatched prompt is a pair of its own. The result has the index of `table`.
    """
    ids_and_labels = zip(table["id"], table["label"], strict=True)
    pair_ids = [pair_id(prompt_id, label) for prompt_id, label in ids_and_labels]
    return pd.Series(pair_ids, table.index)


def is_paired(table: pd.DataFrame) -> bool:
    """Whether every pair of `table` is two prompts, one of each label."""
    by_pair = table["label"].groupby(pairs(table))
    has_two_prompts = by_pair.size() == 2
    has_both_labels = by_pair.nunique() == 2
    return bool((has_two_prompts & has_both_labels).all())


def with_identity(table: pd.DataFrame, values: pd.DataFrame) -> pd.DataFrame:
    """The columns `IDENTITY` of `table`, then the columns of `values`, which has the same index."""
    return pd.concat([table[IDENTITY], values], axis=1)


def with_text(table: pd.DataFrame, prompts: Sequence[Prompt]) -> pd.DataFrame:
    """`table` with the column `prompt`, the text of each row's prompt.

    Raises `KeyError` for an id that is not in `prompts`.
    """
    text = {prompt.id: prompt.prompt for prompt in prompts}
    return table.assign(prompt=[text[prompt_id] for prompt_id in table["id"]])


def with_origin(rows: pd.DataFrame, model: str, prompt_set: str) -> pd.DataFrame:
    """`rows` after two columns that name their model and prompt set."""
    origin = pd.DataFrame({"model": model, "prompt_set": prompt_set}, index=rows.index)
    return pd.concat([origin, rows], axis=1)


def concat_sets(
    tables: Iterable[pd.DataFrame], model: str, prompt_sets: Sequence[str]
) -> pd.DataFrame:
    """One table of the rows of all prompt sets of a model, each set's rows `with_origin`.

    `tables` has a table for each of `prompt_sets`, in the same order. A table may be empty, such as
    the table of feature effects of a prompt set with only one label.
    """
    named = []
    for rows, prompt_set in zip(tables, prompt_sets, strict=True):
        named.append(with_origin(rows, model, prompt_set))
    # Drop empty tables, or concat turns numbers into objects. If all are empty, keep them for their
    # columns.
    with_rows = [table for table in named if len(table)]
    return pd.concat(with_rows or named, ignore_index=True)
