"""Scores of two or three requests in four trained runs, written by hand, and their accuracy."""

from typing import NamedTuple

import pandas as pd

from mechaware.instruments.grounding.training_conditions import score_by_condition


class Score(NamedTuple):
    """Whether a run answers a request exactly, and how many names of the gold SQL it has right."""

    exact_match: bool
    names_right: int


# How many names the gold SQL of each request has, by the request's row in the data.
N_NAMES = {"10": 2, "9": 3, "11": 4}
# Evaluated with the schema, by run and request.
WITH_SCHEMA = {
    "schema-s0": {"10": Score(True, 2), "9": Score(False, 1)},
    "schema-s1": {"10": Score(True, 2), "9": Score(True, 3)},
    "no_schema-s0": {"10": Score(False, 0), "9": Score(False, 2)},
    "no_schema-s1": {"10": Score(False, 1), "9": Score(False, 0)},
}
# The requests of an evaluation without the schema, one more than with it; no run has a name right.
WITHOUT_SCHEMA = ("9", "11", "10")
_COLUMNS = ["run", "row", "evaluated_with", "exact_match", "names_right", "names"]


def scores() -> pd.DataFrame:
    """A row per run, request and condition of evaluation.

    The first and the third run have the requests with the schema in reverse order.
    """
    rows = []
    for index, (run, score_by_request) in enumerate(WITH_SCHEMA.items()):
        with_schema = []
        for request, score in score_by_request.items():
            with_schema.append((run, request, "schema", *score, N_NAMES[request]))
        if index % 2 == 0:
            with_schema.reverse()
        rows += with_schema
        for request in WITHOUT_SCHEMA:
            rows.append((run, request, "no_schema", False, 0, N_NAMES[request]))
    return pd.DataFrame(rows, columns=_COLUMNS)


def scored(confidence_level: float = 0.95) -> pd.DataFrame:
    """The accuracy of the scores, by condition of training, condition of evaluation and metric."""
    table = score_by_condition(scores(), confidence_level=confidence_level)
    return table.set_index(["trained_with", "evaluated_with", "metric"])
