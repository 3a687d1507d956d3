"""The rules R1 to R3 against a table judged by hand and against the paper's formulas in plain loops.

The loops count in whole tenths of a logit and compare fractions, so that what is met exactly is met exactly.
"""

from fractions import Fraction
from typing import NamedTuple

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mechaware.instruments.grounding.rules.paper import (
    apply_readings,
    apply_rules,
    recovery_by_layer,
)
from mechaware.instruments.grounding.rules.registry import VARIANTS

LAYERS = (1, 2, 3, 4)
VERDICTS = ["r1", "r2", "r3", "r1_signed", "r3_top"]


class Pair(NamedTuple):
    """The logit differences of one pair: clean, corrupted, and with each of the layers 1, 2, ... patched."""

    clean: float
    corrupted: float
    patched: tuple[float, ...]


def table(pairs: dict[str, Pair]) -> pd.DataFrame:
    """A patching table; its layer 0 recovers everything, as patching the only embedding that differs does."""
    rows = []
    for name, pair in pairs.items():
        for layer, value in enumerate((pair.clean, *pair.patched)):
            row = {
                "pair": name,
                "category": f"category of {name}",
                "layer": layer,
                "clean_diff": pair.clean,
                "corrupted_diff": pair.corrupted,
                "patched_diff": value,
            }
            rows.append(row)
    return pd.DataFrame(rows)


def judge(pairs: dict[str, Pair]) -> pd.DataFrame:
    """One row per pair, indexed by it."""
    return apply_rules(table(pairs), tau=0.4, alpha=0.9).set_index("pair")


def with_shifts(delta: float, *shifts: float) -> Pair:
    """A pair with corrupted difference 0."""
    return Pair(delta, 0.0, shifts)


# --- ten pairs, worked out by hand for tau = 0.4 and alpha = 0.9 ------------------------------------------------------

TEN = {
    "recovers at two layers": Pair(2.0, 0.0, (1.8, 1.9, 1.0, 0.0)),
    "tie": Pair(1.5, 0.5, (1.0, 1.45, 1.45, 0.5)),
    "no gap": Pair(1.0, 1.0, (1.5, 0.5, 1.0, 2.0)),
    "negative gap": Pair(-1.0, 1.0, (-0.9, -1.0, 0.5, 1.0)),
    "negative gap, unrecovered": Pair(0.0, 1.0, (1.5, 1.2, 2.0, 1.1)),
    "just below tau": Pair(0.399, 0.0, (0.37, 0.399, 0.2, 0.0)),
    "at tau and alpha": Pair(1.1, 0.7, (0.8, 0.9, 1.06, 0.7)),
    "above the gap": Pair(1.0, 0.0, (1.0, 0.5, 1.3, 0.95)),
    "wrong sign": Pair(1.0, 0.0, (-0.1, -0.5, -1.0, -0.2)),
    "at minus tau": Pair(0.3, 0.7, (0.34, 0.5, 0.7, 0.3)),
}

# L*_i is 2 four times, 3 twice, 4 once, missing three times: L* = 2.
# Layer 1 is in five TopLayers, 2 in four, 3 in three, 4 in two: the other reading's L* is 1.
# fmt: off
BY_HAND = {
    # 1.8, 1.9, 1.0, 0.0 of 2.0: shares 0.9 (alpha, met), 0.95, 0.5, 0
    "recovers at two layers": (2.0, 1.9, 2, 0.95, "1 2", "r1 r2 r3 r1_signed r3_top"),
    # shifts 0.5, 0.95, 0.95, 0 of 1.0: layer 2 is the earlier of two best
    "tie": (1.0, 0.95, 2, 0.95, "2 3", "r1 r2 r3 r1_signed"),
    # the sign of 0 is 0, so nothing is recovered
    "no gap": (0.0, 0.0, None, 0.0, "", ""),
    # shifts -1.9, -2.0, -0.5, 0 of -2.0
    "negative gap": (-2.0, 2.0, 2, 1.0, "1 2", "r1 r2 r3 r3_top"),
    # shifts 0.5, 0.2, 1.0, 0.1 of -1.0: away from the clean run
    "negative gap, unrecovered": (-1.0, 0.0, None, 0.0, "", "r1"),
    # shifts 0.37, 0.399, 0.2, 0 of 0.399: shares 0.927, 1, 0.501, 0; recovery without R1 is no R2
    "just below tau": (0.399, 0.399, 2, 1.0, "1 2", ""),
    # shifts 0.1, 0.2, 0.36, 0 of 0.4: share 0.36 / 0.4 = 0.9; 1.1 - 0.7 is more than 0.4 in floating point
    "at tau and alpha": (0.4, 0.36, 3, 0.9, "3", "r1 r2"),
    # shifts 1.0, 0.5, 1.3, 0.95 of 1.0: capped, layers 1 and 3 would tie
    "above the gap": (1.0, 1.3, 3, 1.0, "1 3 4", "r1 r2 r1_signed r3_top"),
    "wrong sign": (1.0, 0.0, None, 0.0, "", "r1 r1_signed"),
    # shifts -0.36, -0.2, 0, -0.4 of -0.4: shares 0.9, 0.5, 0, 1; 0.3 - 0.7 is less than 0.4 in floating point
    "at minus tau": (-0.4, 0.4, 4, 1.0, "1 4", "r1 r2 r3_top"),
}
# fmt: on


@pytest.mark.parametrize("name", TEN)
def test_a_pair_is_judged_as_by_hand(name: str) -> None:
    delta, best, top_layer, recovered, top_layers, passes = BY_HAND[name]

    row = judge(TEN).loc[name]

    assert row["delta"] == pytest.approx(delta)
    assert row["best_recovery"] == pytest.approx(best)
    assert (None if pd.isna(row["top_layer"]) else row["top_layer"]) == top_layer
    assert row["recovered"] == pytest.approx(recovered)
    assert row["top_layers"] == top_layers
    assert {verdict for verdict in VERDICTS if row[verdict]} == set(passes.split())


def test_each_reading_of_the_three_rules_passes_the_pairs_that_pass_it_by_hand() -> None:
    """The embedding recovers the gap of every pair, so L* is 0, and of the rules R1 is left."""
    rules = apply_readings(table(TEN), tau=0.4, alpha=0.9)
    passed = {}
    for name in ("r3_signed", "r3_embedding", "r3_both"):
        passed[name] = set(rules.loc[rules[name], "pair"])
    positive = {"recovers at two layers", "tie", "above the gap", "wrong sign"}
    negative = {"negative gap", "negative gap, unrecovered", "at minus tau"}

    assert passed["r3_signed"] == {"recovers at two layers", "tie"}
    # A gap of exactly tau passes R1 by its size, and not with its sign, which must be above tau.
    assert passed["r3_embedding"] == positive | negative | {"at tau and alpha"}
    assert passed["r3_both"] == positive

    for variant in ("signed", "embedding", "both"):
        assert VARIANTS[f"paper_{variant}"].passes(rules).equals(rules[f"r3_{variant}"])


def test_the_embedding_is_a_layer_like_the_others() -> None:
    """The rules themselves, on layers that begin one later."""
    shifted = table(TEN).assign(layer=lambda rows: rows["layer"] + 1)
    every_layer = apply_rules(shifted, tau=0.4, alpha=0.9)
    rules = apply_readings(table(TEN), tau=0.4, alpha=0.9)

    assert 0 < every_layer["r3"].sum() < len(TEN)
    assert rules["r3_embedding"].tolist() == every_layer["r3"].tolist()


def test_r3_asks_for_more_than_r1_with_the_embedding_where_most_pairs_recover_more_than_the_gap() -> (
    None
):
    """L* is layer 2, which recovers half again of two gaps; only the embedding recovers the third."""
    pairs = {name: Pair(1.0, 0.0, (1.0, 1.5)) for name in "ab"} | {"c": Pair(1.0, 0.0, (0.2, 0.1))}
    rules = apply_readings(table(pairs), tau=0.4, alpha=0.9)

    assert rules["r1"].tolist() == [True] * 3
    assert apply_rules(table(pairs), tau=0.4, alpha=0.9, first_layer=0)["r2"].tolist() == [True] * 3
    assert VARIANTS["paper_embedding"].passes(rules).tolist() == [True, True, False]


def test_recovery_is_given_per_pair_and_scored_layer_and_none_the_wrong_way() -> None:
    shifts = recovery_by_layer(table(TEN))

    assert list(shifts.index) == list(TEN)
    assert list(shifts.columns) == list(LAYERS)
    assert list(shifts.loc["above the gap"]) == pytest.approx([1.0, 0.5, 1.3, 0.95])
    assert list(shifts.loc["wrong sign"]) == [0, 0, 0, 0]


# --- the paper's formulas in plain loops ------------------------------------------------------------------------------

Tenths = tuple[int, int, tuple[int, ...]]
"""Clean, corrupted and patched differences in tenths of a logit."""


def first_of_the_most(counts: dict[int, int]) -> int | None:
    """The key with the largest count above 0, the lowest of several."""
    found = None
    for layer in sorted(counts):
        if counts[layer] > 0 and (found is None or counts[layer] > counts[found]):
            found = layer
    return found


class Recovery(NamedTuple):
    """What patching recovers in one pair, in exact fractions."""

    delta: Fraction
    best: Fraction
    best_layer: int | None
    recovered: Fraction
    top_layers: list[int]


def recovery_of(pair: Tenths, alpha: Fraction) -> Recovery:
    """One pair, by the paper's text."""
    clean, corrupted, patched = pair
    delta = Fraction(clean - corrupted, 10)
    sign = (delta > 0) - (delta < 0)
    best = Fraction(0)
    best_layer = None
    top_layers = []
    for layer, value in enumerate(patched, start=1):
        recovery = max(Fraction(0), sign * Fraction(value - corrupted, 10))
        if recovery > best:
            best = recovery
            best_layer = layer
        if delta != 0 and recovery / abs(delta) >= alpha:
            top_layers.append(layer)

    recovered = Fraction(0)
    if delta != 0:
        recovered = min(best, abs(delta)) / abs(delta)
    return Recovery(delta, best, best_layer, recovered, top_layers)


def paper(pairs: dict[str, Tenths], tau: Fraction, alpha: Fraction) -> pd.DataFrame:
    """The rules' table, by the paper's text."""
    measured = [recovery_of(pair, alpha) for pair in pairs.values()]
    n_layers = max(len(patched) for _, _, patched in pairs.values())
    best_counts = dict.fromkeys(range(1, 1 + n_layers), 0)
    top_counts = dict.fromkeys(range(1, 1 + n_layers), 0)
    for pair in measured:
        if pair.best_layer is not None:
            best_counts[pair.best_layer] += 1
        for layer in pair.top_layers:
            top_counts[layer] += 1
    modal = first_of_the_most(best_counts)
    modal_top = first_of_the_most(top_counts)

    rows = []
    for pair in measured:
        r1 = abs(pair.delta) >= tau
        r2 = r1 and pair.recovered >= alpha
        row = {
            "delta": float(pair.delta),
            "best_recovery": float(pair.best),
            "top_layer": pair.best_layer,
            "recovered": float(pair.recovered),
            "top_layers": " ".join(map(str, pair.top_layers)),
            "r1": r1,
            "r1_signed": pair.delta > tau,
            "r2": r2,
            "r3": r2 and modal in pair.top_layers,
            "r3_top": r2 and modal_top in pair.top_layers,
        }
        rows.append(row)
    return pd.DataFrame(rows, pd.Index(pairs, name="pair")).astype({"top_layer": "Int64"})


def in_logits(pairs: dict[str, Tenths]) -> dict[str, Pair]:
    """Tenths as the floating-point numbers that a patching table holds."""
    found = {}
    for name, (clean, corrupted, patched) in pairs.items():
        found[name] = Pair(clean / 10, corrupted / 10, tuple(value / 10 for value in patched))
    return found


@st.composite
def runs_in_tenths(draw: st.DrawFn) -> dict[str, Tenths]:
    """One to eight pairs of one to five layers, between -1 and 1 logit, so that ties and exact thresholds abound."""
    tenth = st.integers(-10, 10)
    n_layers = draw(st.integers(1, 5))
    pair = st.tuples(tenth, tenth, st.tuples(*[tenth] * n_layers))
    pairs = draw(st.lists(pair, min_size=1, max_size=8))
    return {f"pair {i}": value for i, value in enumerate(pairs)}


taus = st.sampled_from([Fraction(n, 10) for n in range(11)])
tenths = [Fraction(n, 10) for n in range(1, 11)]
sixths = [Fraction(n, 6) for n in range(1, 7)]
thirds = [Fraction(n, 3) for n in range(1, 4)]
alphas = st.sampled_from([*tenths, *sixths, *thirds])


@settings(max_examples=100, deadline=None)
@given(pairs=runs_in_tenths(), tau=taus, alpha=alphas, seed=st.integers(0, 1000))
@example(pairs={"no gap": (3, 3, (3, 9))}, tau=Fraction(0), alpha=Fraction(1, 10), seed=0)
def test_rules_are_the_papers_whatever_the_order_of_rows(
    pairs: dict[str, Tenths], tau: Fraction, alpha: Fraction, seed: int
) -> None:
    shuffled = table(in_logits(pairs)).sample(frac=1, random_state=seed)
    rules = apply_rules(shuffled, tau=float(tau), alpha=float(alpha)).set_index("pair")
    expected = paper(pairs, tau, alpha)
    pd.testing.assert_frame_equal(
        rules.loc[list(pairs), list(expected)], expected, rtol=0, atol=1e-9
    )


# --- single readings --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gap", "shifts", "top_layer"),
    [
        # Recoveries that differ by less than 0.0001 of the gap are equal: here by 0.0009 of 10, and then by 0.002.
        (10.0, (9.0, 9.5, 9.5009, 9.0), 2),
        (10.0, (9.0, 9.5, 9.502, 9.0), 3),
        # Recoveries above the gap are compared uncapped: they differ by 0.00005 of the gap, and by 0.1.
        (-1.0, (-1.0, -1.2, -1.20005), 2),
        (-1.0, (-1.0, -1.2, -1.3), 3),
    ],
)
def test_near_ties_go_to_the_earlier_layer(
    gap: float, shifts: tuple[float, ...], top_layer: int
) -> None:
    assert judge({"pair": with_shifts(gap, *shifts)}).loc["pair", "top_layer"] == top_layer


def test_layers_are_numbers_not_places() -> None:
    # A sweep over the blocks 2, 10 and 12 only, and its TopLayers in numerical order.
    rows = table({"pair": with_shifts(1.0, 0.95, 0.99, 0.95)})
    rows["layer"] = rows["layer"].map({0: 0, 1: 2, 2: 10, 3: 12})
    rules = apply_rules(rows.iloc[::-1], tau=0.4, alpha=0.9)

    assert rules.loc[0, "top_layers"] == "2 10 12"
    assert rules.loc[0, "top_layer"] == 10
    assert bool(rules.loc[0, "r3"])
