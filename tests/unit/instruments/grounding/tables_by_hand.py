"""Rules, cuts and scores of a few pairs, written by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mechaware.instruments.grounding.training_conditions import (
    compare_conditions,
    score_by_condition,
)

VERDICTS = (
    "r1",
    "r1_signed",
    "r2",
    "r3",
    "r3_top",
    "r3_signed",
    "r3_embedding",
    "r3_both",
    "grounded",
)
CONTRASTED = (*VERDICTS, "g4", "g5")
DRAWS: dict[str, Any] = {"resamples": 2000, "seed": 7}


def judged(
    run: str, pair: str, category: str, delta: float = 1.0, passes: str = ""
) -> dict[str, object]:
    """A row of the table of verdicts: `passes` names the verdicts that hold."""
    verdicts = {verdict: verdict in passes.split() for verdict in CONTRASTED}
    return {"run": run, "pair": pair, "category": category, "delta": delta, **verdicts}


# Gaps of two pairs per category in the runs schema-s0, schema-s1, no_schema-s0, no_schema-s1. By hand: of each pair the
# mean of the first two, minus the mean of the last two.
GAPS = {
    # 1.5 - 0.5 = 1.0;  1.0 - 0.5 = 0.5
    "db_synonyms": ((2.0, 1.0, 0.5, 0.5), (1.0, 1.0, 0.0, 1.0)),
    # 0 - 2 = -2;  0 - 0.5 = -0.5
    "db_scramble": ((0.0, 0.0, 1.0, 3.0), (1.0, -1.0, 0.5, 0.5)),
    # 0;  0
    "non_db_synonyms": ((1.0, 3.0, 2.0, 2.0), (0.5, 0.5, 0.0, 1.0)),
    # 3 - 1 = 2;  0.5 - 1.5 = -1
    "non_db_scramble": ((4.0, 2.0, 1.0, 1.0), (0.0, 1.0, 1.0, 2.0)),
    # 5 - 1 = 4;  3 - 2 = 1
    "super_scramble": ((5.0, 5.0, 1.0, 1.0), (2.0, 4.0, 1.0, 3.0)),
}
RUNS = ["schema-s0", "schema-s1", "no_schema-s0", "no_schema-s1"]


def compared(confidence_level: float = 0.95, gaps: dict[str, Any] = GAPS) -> pd.DataFrame:
    """The comparison of GAPS; every second run has the categories in reverse order, and a control has no condition."""
    rows = []
    for category in gaps:
        for number in range(2):
            rows.append(judged("grounded_2", f"{category} {number}", category, 100.0))
    for place, run in enumerate(RUNS):
        categories = list(gaps)
        if place % 2 == 1:
            categories.reverse()
        for category in categories:
            for number, by_run in enumerate(gaps[category]):
                rows.append(judged(run, f"{category} {number}", category, by_run[place]))
    rules = pd.DataFrame(rows)
    return compare_conditions(rules, confidence_level=confidence_level, **DRAWS).set_index(
        ["category", "quantity"]
    )


def single_cuts(
    run: str, pair: str, clean: float, corrupted: float, modes: Mapping[str, Sequence[float]]
) -> pd.DataFrame:
    """Rows of a table of cuts: each block alone, with the difference that its cut gives, by mode.

    All blocks together, and a top set, have the difference 77, which no profile may count.
    """
    rows = []
    for mode, diffs in modes.items():
        cuts = [("single", str(block), diff) for block, diff in enumerate(diffs, start=1)]
        every_block = " ".join(str(block) for block in range(1, len(diffs) + 1))
        cuts.append(("all", every_block, 77.0))
        cuts.append(("top", "1", 77.0))
        for kind, blocks, diff in cuts:
            rows.append((run, pair, mode, kind, blocks, clean, corrupted, diff))
    columns = ["run", "pair", "mode", "kind", "blocks", "clean_diff", "corrupted_diff", "cut_diff"]
    return pd.DataFrame(rows, columns=columns)


CUTS = pd.concat(
    [
        # Gap 4 from -2. Denoised: 1 and 3 of 4, together all. Noised from 2: 3 of 4, and -1 of 4: half is left.
        single_cuts("a", "up", 2.0, -2.0, {"denoise": (-1.0, 1.0), "noise": (-1.0, 3.0)}),
        # Gap -2 from 1. Denoised: 1.5 of 2, and 2.5 of 2: together 2 gaps. Noised from -1: nothing, and all.
        single_cuts("a", "down", -1.0, 1.0, {"denoise": (-0.5, -1.5), "noise": (-1.0, 1.0)}),
        # A gap of 0.3 fails R1 at 0.4.
        single_cuts("a", "small", 0.3, 0.0, {"denoise": (9.0, 9.0), "noise": (9.0, 9.0)}),
        single_cuts("b", "small", 0.3, 0.0, {"denoise": (9.0, 9.0), "noise": (9.0, 9.0)}),
    ],
    ignore_index=True,
)


ASKED = {"10": 2, "9": 3, "11": 4}  # names in the gold SQL of each request
# Of the requests 10 and 9: exact match and names right, by run, all evaluated with the schema.
WITH_SCHEMA = {
    "schema-s0": ((True, 2), (False, 1)),
    "schema-s1": ((True, 2), (True, 3)),
    "no_schema-s0": ((False, 0), (False, 2)),
    "no_schema-s1": ((False, 1), (False, 0)),
}
# Evaluated without the schema, all runs have one more request, and no name is right.
WITHOUT = ("9", "11", "10")


def scores() -> pd.DataFrame:
    """A row per run, request and condition of evaluation; every second run has its first requests in reverse order."""
    rows = []
    for number, (run, of_requests) in enumerate(WITH_SCHEMA.items()):
        with_schema = []
        for row, (exact, right) in zip(("10", "9"), of_requests, strict=True):
            with_schema.append((run, row, "schema", exact, right, ASKED[row]))
        if number % 2 == 0:
            with_schema.reverse()
        rows += with_schema
        rows += [(run, row, "no_schema", False, 0, ASKED[row]) for row in WITHOUT]
    return pd.DataFrame(
        rows, columns=["run", "row", "evaluated_with", "exact_match", "names_right", "names"]
    )


def scored(confidence_level: float = 0.95) -> pd.DataFrame:
    return score_by_condition(scores(), confidence_level=confidence_level).set_index(
        ["trained_with", "evaluated_with", "metric"]
    )
