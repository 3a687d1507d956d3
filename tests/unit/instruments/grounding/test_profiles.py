"""Shares of the gap by layer, block and position, on tables small enough to be counted by hand.

The tables have two pairs that count, `up` and `down`. A bootstrap draws two pairs with replacement:
the lower one twice in 1/4 of the draws, each once in 1/2, the higher one twice in 1/4. So an
interval of 95% ends at the shares of the two pairs, and the middle 40% of the draws all have the
mean.
"""

from collections.abc import Sequence

import pandas as pd
import pytest

from mechaware.instruments.grounding.profiles import (
    INTERACTION,
    cut_profile,
    map_profile,
    recovery_profile,
)
from tests.unit.instruments.grounding.cuts_by_hand import CUTS, DRAWS, single_cuts


def patched(
    run: str, pair: str, clean: float, corrupted: float, values: Sequence[float]
) -> pd.DataFrame:
    """Rows of a patching table; `values` are the patched differences of the layers 1, 2, ...

    Patching layer 0, the embedding, gives the clean difference.
    """
    rows = []
    for layer, value in enumerate((clean, *values)):
        rows.append((run, pair, "db_synonyms", layer, clean, corrupted, value))
    columns = ["run", "pair", "category", "layer", "clean_diff", "corrupted_diff", "patched_diff"]
    return pd.DataFrame(rows, columns=columns)


PROFILED = pd.concat(
    [
        # Gap 2, shifts 1 and 3: shares 0.5 and 1.5, which is capped at 1.
        patched("a", "up", clean=2.0, corrupted=0.0, values=(1.0, 3.0)),
        # Gap -1, shifts -0.25 and 0.5: shares 0.25 and -0.5, which counts as 0.
        patched("a", "down", clean=-1.0, corrupted=0.0, values=(-0.25, 0.5)),
        # A gap of 0.3 fails R1 at tau 0.4.
        patched("a", "small", clean=0.3, corrupted=0.0, values=(0.3, 0.3)),
    ],
    ignore_index=True,
)


@pytest.mark.parametrize(("layer", "up", "down"), [(1, 0.5, 0.25), (2, 1.0, 0.0)])
def test_a_layer_has_the_mean_share_of_the_pairs_that_pass_r1(
    layer: int, up: float, down: float
) -> None:
    def profiled(confidence_level: float) -> pd.Series:
        profile = recovery_profile(PROFILED, tau=0.4, confidence_level=confidence_level, **DRAWS)
        return profile.set_index(["run", "layer"]).loc[("a", layer)]

    wide = profiled(0.95)
    narrow = profiled(0.4)

    mean = (up + down) / 2
    assert wide["recovered"] == pytest.approx(mean)
    assert wide["low"] == pytest.approx(min(up, down))
    assert wide["high"] == pytest.approx(max(up, down))
    assert narrow["low"] == pytest.approx(mean)
    assert narrow["high"] == pytest.approx(mean)
    assert wide["n"] == 2


# The shares of `up` and of `down` in CUTS. Denoised, a cut recovers (cut - corrupted) / gap;
# noised, it removes (clean - cut) / gap. The interaction is 1 minus the sum over the blocks.
SHARES = {
    # up: (-1 - -2) / 4; down: (-0.5 - 1) / -2
    ("denoise", "1"): (0.25, 0.75),
    # up: (1 - -2) / 4; down: (-1.5 - 1) / -2
    ("denoise", "2"): (0.75, 1.25),
    ("denoise", INTERACTION): (0.0, -1.0),
    # up: (2 - -1) / 4; down: (-1 - -1) / -2
    ("noise", "1"): (0.75, 0.0),
    # up: (2 - 3) / 4; down: (-1 - 1) / -2
    ("noise", "2"): (-0.25, 1.0),
    ("noise", INTERACTION): (0.5, 0.0),
}


def cut_shares_of(
    cuts: pd.DataFrame, tau: float = 0.4, confidence_level: float = 0.95
) -> pd.DataFrame:
    profile = cut_profile(cuts, tau=tau, confidence_level=confidence_level, **DRAWS)
    return profile.set_index(["run", "mode", "block"])


@pytest.mark.parametrize("key", SHARES, ids=" ".join)
def test_a_block_has_the_mean_share_of_the_pairs_that_pass_r1(key: tuple[str, str]) -> None:
    up, down = SHARES[key]

    wide = cut_shares_of(CUTS, confidence_level=0.95).loc[("a", *key)]
    narrow = cut_shares_of(CUTS, confidence_level=0.4).loc[("a", *key)]

    mean = (up + down) / 2
    assert wide["share"] == pytest.approx(mean)
    assert wide["low"] == pytest.approx(min(up, down))
    assert wide["high"] == pytest.approx(max(up, down))
    assert narrow["low"] == pytest.approx(mean)
    assert narrow["high"] == pytest.approx(mean)
    assert wide["n"] == 2


def test_a_run_without_passing_pairs_has_no_rows() -> None:
    # The only pair of run b fails R1.
    assert set(CUTS["run"]) == {"a", "b"}

    table = cut_shares_of(CUTS, tau=0.4)

    assert set(table.index.get_level_values("run")) == {"a"}


def test_the_profile_has_the_blocks_in_ascending_order_and_the_interaction_last() -> None:
    # Each of ten blocks recovers 0.05 of a gap of 1 when denoised, and removes 0.95 when noised.
    ten_blocks = [0.05] * 10
    cuts = single_cuts(
        "c",
        "p",
        clean=1.0,
        corrupted=0.0,
        cut_diffs={"denoise": ten_blocks, "noise": ten_blocks},
    )
    in_descending_order = cuts.iloc[::-1]

    table = cut_shares_of(pd.concat([CUTS, in_descending_order], ignore_index=True))

    blocks = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", INTERACTION]
    denoised = table.loc["c"].loc["denoise", "share"]
    noised = table.loc["c"].loc["noise", "share"]
    assert list(denoised.index) == blocks
    assert denoised[INTERACTION] == pytest.approx(1 - 10 * 0.05)
    assert noised[INTERACTION] == pytest.approx(1 - 10 * 0.95)


@pytest.mark.parametrize(("clean", "corrupted"), [(0.7, 0.3), (0.3, 0.7)])
def test_a_gap_of_exactly_tau_has_shares_of_blocks(clean: float, corrupted: float) -> None:
    # In floating point 0.7 - 0.3 is less than 0.4. Denoised, block 1 recovers all and block 2
    # nothing.
    diffs = (clean, corrupted)
    cuts = single_cuts(
        "a",
        "p",
        clean=clean,
        corrupted=corrupted,
        cut_diffs={"denoise": diffs, "noise": diffs},
    )

    table = cut_shares_of(cuts, tau=0.4)

    assert table.loc["a", "n"].unique().tolist() == [1]
    assert table.loc[("a", "denoise"), "share"].tolist() == pytest.approx([1, 0, 0])


WITHOUT_GAP = single_cuts(
    "a", "flat", clean=1.0, corrupted=1.0, cut_diffs={"denoise": (2.0, 0.0), "noise": (2.0, 0.0)}
)


def test_a_pair_without_a_gap_does_not_count_at_tau_0() -> None:
    cuts_of_up = CUTS[CUTS["pair"] == "up"]

    table = cut_shares_of(pd.concat([cuts_of_up, WITHOUT_GAP], ignore_index=True), tau=0.0)

    for key, (up, _) in SHARES.items():
        row = table.loc[("a", *key)]
        assert row["share"] == pytest.approx(up), key
        assert row["low"] == pytest.approx(up), key
        assert row["high"] == pytest.approx(up), key
        assert row["n"] == 1, key


def test_a_run_without_a_gap_has_no_shares_at_tau_0() -> None:
    assert cut_shares_of(WITHOUT_GAP, tau=0.0).empty


def test_the_map_has_the_median_over_pairs() -> None:
    # None: the pair has no gap, so no share of it.
    recovered_by_pair = (
        ("b", "schema word", 0, (0.0, 1.0, 0.4)),
        ("b", "schema word", 1, (0.5, None, 0.7)),
        ("b", "final", 0, (None, None, None)),
        ("a", "schema word", 0, (-2.0, 1.0, 9.0)),
    )
    rows = []
    for run, position, layer, values in recovered_by_pair:
        for pair, value in zip("pqr", values, strict=True):
            rows.append((run, pair, position, layer, value))
    columns = ["run", "pair", "position", "layer", "recovered"]
    residual_map = pd.DataFrame(rows, columns=columns).astype({"recovered": float})

    table = map_profile(residual_map)

    assert list(table[["run", "position", "layer"]].itertuples(index=False, name=None)) == [
        ("b", "schema word", 0),
        ("b", "schema word", 1),
        ("b", "final", 0),
        ("a", "schema word", 0),
    ]
    assert table["recovered"].tolist() == pytest.approx([0.4, 0.6, float("nan"), 1.0], nan_ok=True)
