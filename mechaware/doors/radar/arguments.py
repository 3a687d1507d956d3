"""Turns the arguments of RADAR's public functions into what the instruments read.

Prompts become token ids, tables or pairs become items of a benchmark, and texts become prefixes.

Rows and positions in messages count from 0, as in pandas.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.frames import refuse_missing
from mechaware.instruments.radar.benchmark import (
    COLUMNS,
    CORRECT,
    SEEN,
    Benchmark,
    checked_benchmark,
)
from mechaware.instruments.radar.multiple_choice import CHOICES
from mechaware.instruments.radar.prefix import TextPrefix, check_prefix
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.context import context_length
from mechaware.models.opening import LoadedModel
from mechaware.models.tokenisation.token_ids import encode_prompts
from mechaware.models.tokenisation.vocabulary import embedding_rows


def token_ids_of(model: LoadedModel, prompts: Sequence[str] | pd.DataFrame) -> list[list[int]]:
    """The token ids of each prompt; the prompts of a table are its column `prompt`.

    Raises `UserError` for no prompt, for an empty or missing one, for one that the model cannot
    read, and for a table without that column.
    """
    if isinstance(prompts, pd.DataFrame):
        if "prompt" not in prompts:
            raise UserError("prompts: no column 'prompt'; name the column of the texts so")
        refuse_missing(prompts, ["prompt"], "prompts", first_row=0)
        prompts = list(prompts["prompt"])
    texts = checked_texts(prompts, "prompts")
    names = [f"prompts, text {position}" for position in range(len(texts))]
    return encode_prompts(
        texts,
        names,
        model.tokenizer,
        model="the model",
        context_length=context_length(model.network.config),
        n_embeddings=embedding_rows(model.network),
        template=model.template,
    )


def checked_texts(texts: Sequence[str], name: str) -> list[str]:
    """The texts of the argument `name`, as a list.

    Raises `UserError` for a single text that is not in a list, for an empty list, and for an
    element that is blank or not text.
    """
    if isinstance(texts, str):
        raise UserError(f"{name}: one text; put it in a list")
    listed = list(texts)
    if not listed:
        raise UserError(f"{name}: no text; give one or more")
    for position, text in enumerate(listed):
        if not isinstance(text, str) or not text.strip():
            raise UserError(f"{name}, text {position}: empty or no text; fill it in or remove it")
    return listed


def item_table(items: Sequence[Any] | pd.DataFrame, name: str) -> pd.DataFrame:
    """The items as a table; a table is returned as it is.

    Other items are pairs (question, answer). Raises `UserError` for an item that is no such pair.
    """
    if isinstance(items, pd.DataFrame):
        return items
    if isinstance(items, str):
        raise UserError(f"{name}: one text; give a list of pairs (question, answer)")

    pairs = list(items)
    for row, pair in enumerate(pairs):
        if isinstance(pair, str):
            raise UserError(
                f"{name}, row {row}: a text; "
                "give a pair (question, answer), ('', text) without a question"
            )
        if not hasattr(pair, "__len__") or len(pair) != 2:
            raise UserError(
                f"{name}, row {row}: no pair (question, answer); give further columns in a table"
            )
    return pd.DataFrame(pairs, columns=["question", "answer"])


def benchmark_of(table: pd.DataFrame, name: str) -> Benchmark:
    """The items of a table, as the workflow reads them from a CSV.

    Without a column `id` the table's index has the ids. A missing truth (`seen`), mark (`correct`)
    or list of choices (NaN, None or NA) is read as an empty cell.

    Raises:
        UserError: A column is missing, or two have one name. An id, question or answer is missing:
            the table may have lost the text NA or None there. `checked_benchmark` refuses a row.
    """
    with_ids = table if "id" in table else table.assign(id=table.index)
    missing = [column for column in COLUMNS if column not in with_ids]
    if missing:
        raise UserError(
            f"{name}: no column '{missing[0]}'; "
            f"the columns are {', '.join(COLUMNS)} and perhaps {SEEN}"
        )

    columns = [column for column in (*COLUMNS, SEEN, CHOICES, CORRECT) if column in with_ids]
    for column in columns:
        if list(with_ids.columns).count(column) > 1:
            raise UserError(f"{name}: two columns '{column}'; rename or drop one of them")

    refuse_missing(with_ids, COLUMNS, name, first_row=0)
    rows = []
    for values in with_ids[columns].itertuples(index=False):
        cells = [None if _is_missing(value) else value for value in values]
        rows.append(dict(zip(columns, cells, strict=True)))
    return checked_benchmark(enumerate(rows), Path(name))


def _is_missing(value: Any) -> bool:
    """Whether a cell is NaN, None or NA. A list, as of choices, is never missing."""
    return bool(pd.api.types.is_scalar(value) and pd.isna(value))


def prefix_of(texts: Sequence[str], key: str, benchmark: Benchmark) -> TextPrefix | None:
    """The texts of the argument `key` as a prefix of the benchmark's items; None without a text.

    Raises `UserError` for a text that is an item (`check_prefix`), and as `checked_texts` does.
    """
    if not len(texts):
        return None
    lines = tuple(QuestionAnswer("", text.strip()) for text in checked_texts(texts, key))
    prefix = TextPrefix(Path(key), lines)
    check_prefix(benchmark, prefix)
    return prefix
