"""The rules R1 to R3 against the paper's formulas in plain loops, on random patching tables.

The loops count in whole tenths of a logit and compare fractions, so that a threshold that is met
exactly in the paper's numbers is met exactly here.
"""

from fractions import Fraction
from typing import NamedTuple

import pandas as pd
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mechaware.instruments.grounding.rules.paper import apply_rules
from tests.unit.instruments.grounding.rules.patching_by_hand import Differences, patching_table


class Tenths(NamedTuple):
    """The logit differences of a pair in tenths of a logit; `patched` of the layers 1, 2, ..."""

    clean: int
    corrupted: int
    patched: tuple[int, ...]


class Recovery(NamedTuple):
    """What patching recovers in one pair, in exact fractions.

    - `delta`: the gap, in logits.
    - `best`, `best_layer`: the largest recovery (logits), and the first layer that has it (L*_i).
    - `recovered`: RecFrac, 0 to 1.
    - `top_layers`: TopLayers_i.
    """

    delta: Fraction
    best: Fraction
    best_layer: int | None
    recovered: Fraction
    top_layers: list[int]


def recovery_of(pair: Tenths, alpha: Fraction) -> Recovery:
    """One pair, by the paper's text."""
    delta = Fraction(pair.clean - pair.corrupted, 10)
    sign = (delta > 0) - (delta < 0)
    best = Fraction(0)
    best_layer = None
    top_layers = []
    for layer, value in enumerate(pair.patched, start=1):
        recovery = max(Fraction(0), sign * Fraction(value - pair.corrupted, 10))
        if recovery > best:
            best = recovery
            best_layer = layer
        if delta != 0 and recovery / abs(delta) >= alpha:
            top_layers.append(layer)

    recovered = Fraction(0)
    if delta != 0:
        recovered = min(best, abs(delta)) / abs(delta)
    return Recovery(delta, best, best_layer, recovered, top_layers)


def most_frequent(counts: dict[int, int]) -> int | None:
    """The layer with the largest count, the earliest on a tie; None if all counts are 0."""
    found = None
    for layer in sorted(counts):
        if counts[layer] > 0 and (found is None or counts[layer] > counts[found]):
            found = layer
    return found


def rules_by_the_paper(pairs: dict[str, Tenths], tau: Fraction, alpha: Fraction) -> pd.DataFrame:
    """The table of `apply_rules` without its copied columns, by the paper's text."""
    recoveries = [recovery_of(pair, alpha) for pair in pairs.values()]
    n_layers = max(len(pair.patched) for pair in pairs.values())
    best_counts = dict.fromkeys(range(1, 1 + n_layers), 0)
    top_counts = dict.fromkeys(range(1, 1 + n_layers), 0)
    for recovery in recoveries:
        if recovery.best_layer is not None:
            best_counts[recovery.best_layer] += 1
        for layer in recovery.top_layers:
            top_counts[layer] += 1
    modal_best = most_frequent(best_counts)
    modal_top = most_frequent(top_counts)

    rows = []
    for recovery in recoveries:
        r1 = abs(recovery.delta) >= tau
        r2 = r1 and recovery.recovered >= alpha
        row = {
            "delta": float(recovery.delta),
            "best_recovery": float(recovery.best),
            "top_layer": recovery.best_layer,
            "recovered": float(recovery.recovered),
            "top_layers": " ".join(map(str, recovery.top_layers)),
            "r1": r1,
            "r1_signed": recovery.delta > tau,
            "r2": r2,
            "r3": r2 and modal_best in recovery.top_layers,
            "r3_top": r2 and modal_top in recovery.top_layers,
        }
        rows.append(row)
    return pd.DataFrame(rows, pd.Index(pairs, name="pair")).astype({"top_layer": "Int64"})


def in_logits(pairs: dict[str, Tenths]) -> dict[str, Differences]:
    """The floating-point numbers that a patching table has in place of tenths."""
    differences = {}
    for name, pair in pairs.items():
        patched = tuple(value / 10 for value in pair.patched)
        differences[name] = Differences(pair.clean / 10, pair.corrupted / 10, patched)
    return differences


@st.composite
def pairs_in_tenths(draw: st.DrawFn) -> dict[str, Tenths]:
    """One to eight pairs with one to five layers, all differences between -1 and 1 logit.

    So ties, and values exactly at a threshold, are frequent.
    """
    tenth = st.integers(-10, 10)
    n_layers = draw(st.integers(1, 5))
    pair = st.builds(Tenths, tenth, tenth, st.tuples(*[tenth] * n_layers))
    pairs = draw(st.lists(pair, min_size=1, max_size=8))
    return {f"pair {i}": pair_of_list for i, pair_of_list in enumerate(pairs)}


def fractions_to_one(denominator: int) -> list[Fraction]:
    """1 / denominator, 2 / denominator, ..., 1."""
    return [Fraction(numerator, denominator) for numerator in range(1, denominator + 1)]


TAUS = st.sampled_from([Fraction(0), *fractions_to_one(10)])
ALPHAS = st.sampled_from([*fractions_to_one(10), *fractions_to_one(6), *fractions_to_one(3)])


@settings(max_examples=100, deadline=None)
@given(pairs=pairs_in_tenths(), tau=TAUS, alpha=ALPHAS, seed=st.integers(0, 1000))
@example(
    pairs={"no gap": Tenths(clean=3, corrupted=3, patched=(3, 9))},
    tau=Fraction(0),
    alpha=Fraction(1, 10),
    seed=0,
)
def test_rules_are_the_papers_whatever_the_order_of_rows(
    pairs: dict[str, Tenths], tau: Fraction, alpha: Fraction, seed: int
) -> None:
    shuffled = patching_table(in_logits(pairs)).sample(frac=1, random_state=seed)

    rules = apply_rules(shuffled, tau=float(tau), alpha=float(alpha)).set_index("pair")

    expected = rules_by_the_paper(pairs, tau, alpha)
    pd.testing.assert_frame_equal(
        rules.loc[list(pairs), list(expected)], expected, rtol=0, atol=1e-9
    )
