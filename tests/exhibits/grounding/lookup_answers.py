"""Answers of two controls, written by hand: a reader of the schema, and a look-up."""

import pandas as pd

SETTINGS = {"confidence_level": 0.95, "resamples": 200, "seed": 3}


# By control, the share of request words for which it reads the schema.
SHARE_READ = {"reads_all": 1.0, "look_up": 0.0}


def data_row(control: str, number: int, request: str, answer: str) -> dict[str, object]:
    """The answer to a prompt of the data, whose right answer is the column `cost`.

    The request word `town` names a single column in the data, the other words several.
    """
    return {
        "control": control,
        "read": SHARE_READ[control],
        "source": "data",
        "prompt": str(number),
        "part": "",
        "request": request,
        "wanted": "cost",
        "fixed": request == "town",
        "answer": answer,
    }


def pair_rows(
    control: str, pair: str, request: str, *, clean: str, corrupted: str
) -> list[dict[str, object]]:
    """The answers to the clean and to the corrupted prompt of a pair."""
    common = data_row(control, 0, request, "") | {"source": "pairs", "prompt": pair}
    return [
        common | {"part": "clean", "answer": clean},
        common | {"part": "corrupted", "answer": corrupted},
    ]


def answers() -> pd.DataFrame:
    """The answers of both controls to five prompts of the data, and to three pairs.

    prompt   request  reader  look-up
    0        fee      cost    price
    1        fee      cost    price
    2        sum      cost    cost
    3        sum      cost    cost
    4        town     cost    cost

    The reader is right in all five, and the look-up in three: they differ in 0 and 1. The three
    pairs have two request words. In every pair the reader's answer changes with the schema, and
    the look-up's does not.
    """
    rows = []
    requests = ["fee", "fee", "sum", "sum", "town"]
    for number, request in enumerate(requests):
        looked_up = "price" if request == "fee" else "cost"
        rows.append(data_row("reads_all", number, request, "cost"))
        rows.append(data_row("look_up", number, request, looked_up))
    for pair, request in (("a", "fee"), ("b", "town"), ("c", "town")):
        rows += pair_rows("reads_all", pair, request, clean="cost", corrupted="")
        rows += pair_rows("look_up", pair, request, clean="cost", corrupted="cost")
    return pd.DataFrame(rows)
