"""Answers of two controls to prompts of the data and of pairs: a reader of the schema, and a look-up."""

import pandas as pd

SETTINGS = {"confidence_level": 0.95, "resamples": 200, "seed": 3}


def data_row(control: str, number: int, request: str, answer: str) -> dict[str, object]:
    """A prompt of the data that wants `cost`; `town` is the request word that fixes the column."""
    return {
        "control": control,
        "read": {"reads_all": 1.0, "look_up": 0.0}[control],
        "source": "data",
        "prompt": str(number),
        "part": "",
        "request": request,
        "wanted": "cost",
        "fixed": request == "town",
        "answer": answer,
    }


def pair_rows(control: str, pair: str, request: str, *answers: str) -> list[dict[str, object]]:
    """The clean and the corrupted prompt of a pair."""
    common = data_row(control, 0, request, "") | {"source": "pairs", "prompt": pair}
    clean, corrupted = answers
    return [
        common | {"part": "clean", "answer": clean},
        common | {"part": "corrupted", "answer": corrupted},
    ]


def answers() -> pd.DataFrame:
    """Five prompts of the data, of which the look-up answers three rightly, and three pairs of two request words.

    The reader is right in all five, so it answers two otherwise, none of `town`; its answer changes in every pair.
    """
    rows = []
    requests = ["fee", "fee", "town", "sum", "town"]
    for number, request in enumerate(requests):
        rows.append(data_row("reads_all", number, request, "cost"))
        looked_up = "price" if request == "fee" else "cost"
        rows.append(data_row("look_up", number, request, looked_up))
    for pair, request in (("a", "fee"), ("b", "town"), ("c", "town")):
        rows += pair_rows("reads_all", pair, request, "cost", "")
        rows += pair_rows("look_up", pair, request, "cost", "cost")
    return pd.DataFrame(rows)
