"""Shares of the gap by block, and the map of the residual stream, on tables small enough to be worked by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pytest

from mechaware.grounding.study.reading import INTERACTION, cut_profile, map_profile

DRAWS: dict[str, Any] = {"resamples": 2000, "seed": 7}
MODES = ("denoise", "noise")


def single_cuts(
    run: str, pair: str, clean: float, corrupted: float, modes: Mapping[str, Sequence[float]]
) -> pd.DataFrame:
    """Each of the blocks alone, with the difference that it gives, and all of them together."""
    rows = [
        (run, pair, mode, kind, blocks, clean, corrupted, diff)
        for mode, diffs in modes.items()
        for kind, blocks, diff in (
            *(("single", str(block), diff) for block, diff in enumerate(diffs, start=1)),
            ("all", " ".join(map(str, range(1, len(diffs) + 1))), 77.0),
            ("top", "1", 77.0),
        )
    ]
    columns = ["run", "pair", "mode", "kind", "blocks", "clean_diff", "corrupted_diff", "cut_diff"]
    return pd.DataFrame(rows, columns=columns)


CUTS = pd.concat(
    [
        # Gap 4 from -2. Denoised: 1 and 3 of 4, together all. Noised from 2: 3 of 4, and -1 of 4: half is left.
        single_cuts("a", "up", 2.0, -2.0, {"denoise": (-1.0, 1.0), "noise": (-1.0, 3.0)}),
        # Gap -2 from 1. Denoised: 1.5 of 2, and 2.5 of 2: together 2 gaps. Noised from -1: nothing, and all.
        single_cuts("a", "down", -1.0, 1.0, {"denoise": (-0.5, -1.5), "noise": (-1.0, 1.0)}),
        single_cuts("a", "small", 0.3, 0.0, {"denoise": (9.0, 9.0), "noise": (9.0, 9.0)}),
        single_cuts("b", "small", 0.3, 0.0, {"denoise": (9.0, 9.0), "noise": (9.0, 9.0)}),
    ],
    ignore_index=True,
)
# The shares of `up` and of `down`.
SHARES = {
    ("denoise", "1"): (0.25, 0.75),
    ("denoise", "2"): (0.75, 1.25),
    ("denoise", INTERACTION): (0.0, -1.0),
    ("noise", "1"): (0.75, 0.0),
    ("noise", "2"): (-0.25, 1.0),
    ("noise", INTERACTION): (0.5, 0.0),
}


def profile(cuts: pd.DataFrame, tau: float = 0.4, level: float = 0.95) -> pd.DataFrame:
    return cut_profile(cuts, tau=tau, level=level, **DRAWS).set_index(["run", "mode", "block"])


@pytest.mark.parametrize("key", SHARES, ids=" ".join)
def test_a_block_has_the_mean_share_of_the_pairs_that_pass_r1(key: tuple[str, str]) -> None:
    up, down = SHARES[key]
    wide, narrow = (profile(CUTS, level=level).loc[("a", *key)] for level in (0.95, 0.4))
    assert wide["share"] == pytest.approx((up + down) / 2)
    # Of the draws of two pairs a quarter is the lower one twice: 95% span both, 40% only the mean.
    assert (wide["low"], wide["high"]) == pytest.approx((min(up, down), max(up, down)))
    assert (narrow["low"], narrow["high"]) == pytest.approx(((up + down) / 2,) * 2)
    assert wide["n"] == 2


def test_the_profile_has_every_block_by_number_and_then_what_they_leave() -> None:
    ten = single_cuts("c", "p", 1.0, 0.0, {mode: [0.05] * 10 for mode in MODES}).iloc[::-1]
    table = profile(pd.concat([CUTS, ten], ignore_index=True))
    assert set(table.index.get_level_values("run")) == {"a", "c"}  # in run b no pair passes R1
    assert list(table.loc["c"].loc["denoise"].index) == [*map(str, range(1, 11)), INTERACTION]
    assert table.loc[("c", "denoise", INTERACTION), "share"] == pytest.approx(0.5)  # 1 - 10 * 0.05
    assert table.loc[("c", "noise", INTERACTION), "share"] == pytest.approx(1 - 10 * 0.95)


@pytest.mark.parametrize(("clean", "corrupted"), [(0.5, 0.1), (0.7, 0.3), (0.3, 0.7)])
def test_a_gap_of_exactly_tau_is_in_the_profile(clean: float, corrupted: float) -> None:
    # In floating point 0.7 - 0.3 is less than 0.4.
    table = profile(single_cuts("a", "p", clean, corrupted, dict.fromkeys(MODES, (clean, corrupted))))
    assert table.loc["a", "n"].unique().tolist() == [1]
    assert table.loc[("a", "denoise"), "share"].tolist() == pytest.approx([1, 0, 0])


def test_a_pair_without_a_gap_has_no_share_of_it_at_tau_0() -> None:
    flat = single_cuts("a", "flat", 1.0, 1.0, dict.fromkeys(MODES, (2.0, 0.0)))
    table = profile(pd.concat([CUTS[CUTS["pair"] == "up"], flat], ignore_index=True), tau=0.0)
    for key, (up, _) in SHARES.items():
        row = table.loc[("a", *key)]
        assert (row["share"], row["low"], row["high"], row["n"]) == pytest.approx((up, up, up, 1)), key
    assert profile(flat, tau=0.0).empty


def test_without_a_pair_that_passes_r1_the_profile_is_empty() -> None:
    table = cut_profile(CUTS, tau=5.0, level=0.95, **DRAWS)
    assert table.empty
    assert list(table.columns) == ["run", "mode", "block", "share", "low", "high", "n"]


def test_the_map_has_the_median_over_pairs() -> None:
    residual_map = pd.DataFrame(
        [
            (run, pair, position, layer, value)
            for run, position, layer, values in (
                ("b", "schema word", 0, (0.0, 1.0, 0.4)),
                ("b", "schema word", 1, (0.5, None, 0.7)),  # without a gap a pair has no value
                ("b", "final", 0, (None, None, None)),
                ("a", "schema word", 0, (-2.0, 1.0, 9.0)),
            )
            for pair, value in zip("pqr", values, strict=True)
        ],
        columns=["run", "pair", "position", "layer", "recovered"],
    ).astype({"recovered": float})
    table = map_profile(residual_map)
    assert list(table[["run", "position", "layer"]].itertuples(index=False, name=None)) == [
        ("b", "schema word", 0),
        ("b", "schema word", 1),
        ("b", "final", 0),
        ("a", "schema word", 0),
    ]
    assert table["recovered"].tolist() == pytest.approx([0.4, 0.6, float("nan"), 1.0], nan_ok=True)
