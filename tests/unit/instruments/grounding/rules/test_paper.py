"""The rules R1 to R3 on ten pairs judged by hand, at ties, and with the embedding as a layer."""

from typing import NamedTuple

import pandas as pd
import pytest

from mechaware.instruments.grounding.rules.paper import (
    apply_readings,
    apply_rules,
    recovery_by_layer,
)
from mechaware.instruments.grounding.rules.registry import VARIANTS
from tests.unit.instruments.grounding.rules.patching_by_hand import Differences, patching_table


class Case(NamedTuple):
    """A pair's logit differences, and its row of `apply_rules` by hand at tau 0.4 and alpha 0.9.

    - `top_layer`: L*_i; None if no layer recovers anything.
    - `verdicts`: those of VERDICTS that hold, between spaces.
    """

    pair: Differences
    delta: float
    best_recovery: float
    top_layer: int | None
    recovered: float
    top_layers: str
    verdicts: str


VERDICTS = ("r1", "r2", "r3", "r1_signed", "r3_top")
# A shift is patched - corrupted, a share is shift / delta.
#
# L*_i is 2 in four pairs, 3 in two, 4 in one and missing in three: L* is 2.
# Layer 1 is in five TopLayers_i, 2 in four, 3 in three and 4 in two: the L* of r3_top is 1.
CASES = {
    # Shifts 1.8, 1.9, 1.0, 0.0 of 2.0: shares 0.9, which meets alpha, 0.95, 0.5, 0.
    "recovers at two layers": Case(
        Differences(clean=2.0, corrupted=0.0, patched=(1.8, 1.9, 1.0, 0.0)),
        delta=2.0,
        best_recovery=1.9,
        top_layer=2,
        recovered=0.95,
        top_layers="1 2",
        verdicts="r1 r2 r3 r1_signed r3_top",
    ),
    # Shifts 0.5, 0.95, 0.95, 0 of 1.0: layer 2 is the earlier of two best.
    "tie": Case(
        Differences(clean=1.5, corrupted=0.5, patched=(1.0, 1.45, 1.45, 0.5)),
        delta=1.0,
        best_recovery=0.95,
        top_layer=2,
        recovered=0.95,
        top_layers="2 3",
        verdicts="r1 r2 r3 r1_signed",
    ),
    # The sign of 0 is 0, so nothing is recovered.
    "no gap": Case(
        Differences(clean=1.0, corrupted=1.0, patched=(1.5, 0.5, 1.0, 2.0)),
        delta=0.0,
        best_recovery=0.0,
        top_layer=None,
        recovered=0.0,
        top_layers="",
        verdicts="",
    ),
    # Shifts -1.9, -2.0, -0.5, 0 of -2.0.
    "negative gap": Case(
        Differences(clean=-1.0, corrupted=1.0, patched=(-0.9, -1.0, 0.5, 1.0)),
        delta=-2.0,
        best_recovery=2.0,
        top_layer=2,
        recovered=1.0,
        top_layers="1 2",
        verdicts="r1 r2 r3 r3_top",
    ),
    # Shifts 0.5, 0.2, 1.0, 0.1 of -1.0: all away from the clean run.
    "negative gap, unrecovered": Case(
        Differences(clean=0.0, corrupted=1.0, patched=(1.5, 1.2, 2.0, 1.1)),
        delta=-1.0,
        best_recovery=0.0,
        top_layer=None,
        recovered=0.0,
        top_layers="",
        verdicts="r1",
    ),
    # Shifts 0.37, 0.399, 0.2, 0 of 0.399: shares 0.927, 1, 0.501, 0. Without R1 there is no R2.
    "just below tau": Case(
        Differences(clean=0.399, corrupted=0.0, patched=(0.37, 0.399, 0.2, 0.0)),
        delta=0.399,
        best_recovery=0.399,
        top_layer=2,
        recovered=1.0,
        top_layers="1 2",
        verdicts="",
    ),
    # Shifts 0.1, 0.2, 0.36, 0 of 0.4: the share 0.36 / 0.4 is 0.9. In floating point 1.1 - 0.7 is
    # more than 0.4.
    "at tau and alpha": Case(
        Differences(clean=1.1, corrupted=0.7, patched=(0.8, 0.9, 1.06, 0.7)),
        delta=0.4,
        best_recovery=0.36,
        top_layer=3,
        recovered=0.9,
        top_layers="3",
        verdicts="r1 r2",
    ),
    # Shifts 1.0, 0.5, 1.3, 0.95 of 1.0: were they capped at the gap, layers 1 and 3 would tie.
    "above the gap": Case(
        Differences(clean=1.0, corrupted=0.0, patched=(1.0, 0.5, 1.3, 0.95)),
        delta=1.0,
        best_recovery=1.3,
        top_layer=3,
        recovered=1.0,
        top_layers="1 3 4",
        verdicts="r1 r2 r1_signed r3_top",
    ),
    # Shifts -0.1, -0.5, -1.0, -0.2 of 1.0.
    "wrong sign": Case(
        Differences(clean=1.0, corrupted=0.0, patched=(-0.1, -0.5, -1.0, -0.2)),
        delta=1.0,
        best_recovery=0.0,
        top_layer=None,
        recovered=0.0,
        top_layers="",
        verdicts="r1 r1_signed",
    ),
    # Shifts -0.36, -0.2, 0, -0.4 of -0.4: shares 0.9, 0.5, 0, 1. In floating point the size of
    # 0.3 - 0.7 is less than 0.4.
    "at minus tau": Case(
        Differences(clean=0.3, corrupted=0.7, patched=(0.34, 0.5, 0.7, 0.3)),
        delta=-0.4,
        best_recovery=0.4,
        top_layer=4,
        recovered=1.0,
        top_layers="1 4",
        verdicts="r1 r2 r3_top",
    ),
}
TEN = patching_table({name: case.pair for name, case in CASES.items()})


@pytest.mark.parametrize("name", CASES)
def test_a_pair_is_judged_as_by_hand(name: str) -> None:
    case = CASES[name]

    row = apply_rules(TEN, tau=0.4, alpha=0.9).set_index("pair").loc[name]

    assert row["delta"] == pytest.approx(case.delta)
    assert row["best_recovery"] == pytest.approx(case.best_recovery)
    assert (None if pd.isna(row["top_layer"]) else row["top_layer"]) == case.top_layer
    assert row["recovered"] == pytest.approx(case.recovered)
    assert row["top_layers"] == case.top_layers
    assert {verdict for verdict in VERDICTS if row[verdict]} == set(case.verdicts.split())


def test_recovery_is_given_per_pair_and_scored_layer_and_none_the_wrong_way() -> None:
    recovery = recovery_by_layer(TEN)

    assert list(recovery.index) == list(CASES)
    assert list(recovery.columns) == [1, 2, 3, 4]
    assert list(recovery.loc["above the gap"]) == pytest.approx([1.0, 0.5, 1.3, 0.95])
    assert list(recovery.loc["wrong sign"]) == [0, 0, 0, 0]


# Other readings: the gap with its sign, and the embedding as a layer


def test_r3_with_the_sign_of_the_gap_needs_a_positive_gap() -> None:
    rules = apply_readings(TEN, tau=0.4, alpha=0.9)

    assert set(rules.loc[rules["r3_signed"], "pair"]) == {"recovers at two layers", "tie"}


def test_with_the_embedding_as_a_layer_r3_is_r1() -> None:
    """The embedding recovers the gap of every pair. So L* is 0, and only R1 can fail a pair.

    A gap of exactly tau passes R1 by its size, but not with its sign, which must be above tau.
    """
    rules = apply_readings(TEN, tau=0.4, alpha=0.9)

    positive = {"recovers at two layers", "tie", "above the gap", "wrong sign"}
    negative = {"negative gap", "negative gap, unrecovered", "at minus tau"}
    by_size = set(rules.loc[rules["r3_embedding"], "pair"])
    with_sign = set(rules.loc[rules["r3_both"], "pair"])
    assert by_size == positive | negative | {"at tau and alpha"}
    assert with_sign == positive


@pytest.mark.parametrize("reading", ["signed", "embedding", "both"])
def test_a_variant_of_the_rules_passes_the_pairs_that_pass_r3_in_its_reading(reading: str) -> None:
    rules = apply_readings(TEN, tau=0.4, alpha=0.9)

    assert VARIANTS[f"paper_{reading}"].passes(rules).equals(rules[f"r3_{reading}"])


def test_the_embedding_is_a_layer_like_the_others() -> None:
    """With every layer's number raised by 1, the rules score the embedding as layer 1."""
    renumbered = TEN.assign(layer=TEN["layer"] + 1)
    every_layer = apply_rules(renumbered, tau=0.4, alpha=0.9)
    rules = apply_readings(TEN, tau=0.4, alpha=0.9)

    assert 0 < every_layer["r3"].sum() < len(CASES)
    assert rules["r3_embedding"].tolist() == every_layer["r3"].tolist()


def test_with_the_embedding_r3_is_more_than_r1_where_most_pairs_recover_more_than_the_gap() -> None:
    """L* is layer 2, which recovers 1.5 of a gap of 1 in two pairs.

    In the third pair it recovers 0.1; only the embedding recovers the gap.
    """
    table = patching_table(
        {
            "recovered 1": Differences(clean=1.0, corrupted=0.0, patched=(1.0, 1.5)),
            "recovered 2": Differences(clean=1.0, corrupted=0.0, patched=(1.0, 1.5)),
            "by the embedding only": Differences(clean=1.0, corrupted=0.0, patched=(0.2, 0.1)),
        }
    )
    rules = apply_readings(table, tau=0.4, alpha=0.9)
    with_embedding = apply_rules(table, tau=0.4, alpha=0.9, first_layer=0)

    assert rules["r1"].tolist() == [True, True, True]
    assert with_embedding["r2"].tolist() == [True, True, True]
    assert VARIANTS["paper_embedding"].passes(rules).tolist() == [True, True, False]


# Ties and numbers of layers


@pytest.mark.parametrize(
    ("gap", "shifts", "top_layer"),
    [
        # Recoveries that differ by less than 0.0001 of the gap are equal: by 0.0009 of 10.
        (10.0, (9.0, 9.5, 9.5009, 9.0), 2),
        # By 0.002 of 10.
        (10.0, (9.0, 9.5, 9.502, 9.0), 3),
        # Recoveries above the gap are compared uncapped: they differ by 0.00005 of the gap.
        (-1.0, (-1.0, -1.2, -1.20005), 2),
        # By 0.1 of the gap.
        (-1.0, (-1.0, -1.2, -1.3), 3),
    ],
)
def test_near_ties_go_to_the_earlier_layer(
    gap: float, shifts: tuple[float, ...], top_layer: int
) -> None:
    table = patching_table({"pair": Differences(clean=gap, corrupted=0.0, patched=shifts)})

    rules = apply_rules(table, tau=0.4, alpha=0.9)

    assert rules["top_layer"].tolist() == [top_layer]


def test_layers_are_numbers_not_places() -> None:
    """Only the layers 2, 10 and 12 were patched; TopLayers are in numerical order."""
    pair = Differences(clean=1.0, corrupted=0.0, patched=(0.95, 0.99, 0.95))
    table = patching_table({"pair": pair})
    table["layer"] = table["layer"].map({0: 0, 1: 2, 2: 10, 3: 12})
    in_descending_order = table.iloc[::-1]

    rules = apply_rules(in_descending_order, tau=0.4, alpha=0.9)

    assert rules["top_layers"].tolist() == ["2 10 12"]
    assert rules["top_layer"].tolist() == [10]
    assert rules["r3"].tolist() == [True]
