"""The words and numbers on the cards of instruments whose faults are known."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import betainc
from scipy.stats import t

from mechaware.core.provenance import sidecar
from mechaware.verdicts.cards.card import Instrument, make_card
from mechaware.verdicts.cards.page import write_cards

UNITS = 40  # true items in each condition, and as many false ones
SOURCE = {"results/table.parquet": "scripts/make_table.py"}
NO_SIGNAL = "no signal, and 0.7 would have been seen"


def instrument(name: str, *, cut: float | None = None) -> Instrument:
    """An instrument with the scores of this name, on `UNITS` true and false items a condition.

    In `even`, true and false items have the same lengths. In `uneven`, true ones are 5 tokens
    longer. With a `cut` the instrument gives verdicts, and each item is a group of its own.
    """
    generator = np.random.default_rng(0)
    n_units = 2 * UNITS
    rows = pd.DataFrame(
        {
            "condition": ["even"] * n_units + ["uneven"] * n_units,
            "truth": [True, False] * n_units,
        }
    )
    longer = (rows["condition"] == "uneven") & rows["truth"]
    # One true and one false item of each length: 10, 10, 11, 11, ..., 29, 29, and so on again.
    rows["length"] = np.tile(np.arange(2 * UNITS) // 2 % 20, 2) + 10.0 + 5 * longer
    scores = {
        "right": rows["truth"].astype(float),
        "chance": pd.Series(generator.random(len(rows))),
        "length": rows["length"],
        "constant": pd.Series(np.zeros(len(rows))),
        "reversed": 1.0 - rows["truth"],
    }
    rows = rows.assign(
        unit=rows.index, group=0 if cut is None else rows.index, part="", score=scores[name]
    )
    return Instrument(
        kind="detector",
        name=name,
        label=name,
        claims="The truth?",
        units="items",
        rows=rows,
        cut=cut,
        sources=SOURCE,
    )


@cache
def card(name: str) -> dict[str, Any]:
    return make_card(instrument(name), confidence_level=0.95, seed=3)


def only_part(made: Instrument) -> dict[str, Any]:
    (part,) = make_card(made, confidence_level=0.95, seed=3)["parts"]
    return part


def enter_results(folder: Path, monkeypatch: pytest.MonkeyPatch, record: dict[str, Any]) -> None:
    """Make `folder` the working folder, with `record` as the provenance of a table of results."""
    monkeypatch.chdir(folder)
    (folder / "results").mkdir()
    sidecar(Path("results/table.parquet")).write_text(json.dumps(record))


@pytest.mark.parametrize(
    ("name", "use", "avoid", "summary"),
    [
        ("right", ["even", "uneven"], {}, "works in 2 of 2 conditions"),
        ("chance", [], {NO_SIGNAL: ["even", "uneven"]}, "works in 0 of 2 conditions"),
        (
            "length",
            [],
            {"not told from length": ["uneven"], NO_SIGNAL: ["even"]},
            "works in 0 of 2 conditions",
        ),
        ("constant", [], {"one score for all": ["even", "uneven"]}, "works in 0 of 2 conditions"),
        ("reversed", [], {"below chance": ["even", "uneven"]}, "works in 0 of 2 conditions"),
    ],
)
def test_a_card_says_what_the_instrument_may_be_used_for(
    name: str, use: list[str], avoid: dict[str, Any], summary: str
) -> None:
    (part,) = card(name)["parts"]

    assert (part["use"], part["summary"]) == (use, summary)
    avoided = {finding: names for finding, names in part["avoid"].items() if names}
    assert avoided == avoid


def test_too_few_units_are_not_summed_up_as_an_instrument_that_fails() -> None:
    """Two true units above two false ones: one of six orders, so guessing gives it once in six."""
    right = instrument("right")
    few = right.rows.groupby(["condition", "truth"]).head(2)
    part = only_part(right._replace(rows=few))
    assert part["summary"] == "we could not tell in any of 2 conditions"


def test_the_worst_condition_is_the_one_with_the_least_separation() -> None:
    """In `uneven` the length tells true texts from false ones, in `even` it does not."""
    assert card("length")["parts"][0]["worst"] == "even"


@pytest.mark.parametrize(
    ("right", "area", "finding"),
    [
        (34, 0.85, "it works"),
        (30, 0.75, "above chance, not shown to reach 0.7"),  # the interval begins at 0.63
        (24, 0.6, "we could not tell"),  # interval 0.47 to 0.72
        (20, 0.5, NO_SIGNAL),
        (18, 0.45, NO_SIGNAL),  # interval 0.33 to 0.58
        (8, 0.2, "below chance"),
    ],
)
def test_a_finding_follows_from_both_ends_of_the_interval(
    right: int, area: float, finding: str
) -> None:
    """Of 40 true units `right` score above the 40 false ones, and the others below."""
    made = instrument("right")
    rows = made.rows[:80].assign(length=np.nan)
    rows["score"] = np.where(rows["truth"], np.where(np.arange(80) // 2 < right, 2.0, 0.0), 1.0)
    cell = only_part(made._replace(rows=rows))["cells"][0]

    assert (cell["separation"].value, cell["finding"]) == (pytest.approx(area), finding)


def test_units_of_equal_length_count_by_the_pairs_that_they_make() -> None:
    """20 true and 20 false units of 20 tokens make 400 pairs, all ordered rightly.

    A true and a false unit of 10 tokens make one pair, ordered wrongly: 400 of 401 pairs are right.
    The unit of 30 tokens has none to be compared with.
    """
    lengths = [20] * 40 + [10, 10, 30]
    truths = [True, False] * 20 + [True, False, True]
    rows = pd.DataFrame(
        {"truth": truths, "length": np.array(lengths, float), "score": np.array(truths, float)}
    )
    rows.loc[40:41, "score"] = [0.0, 1.0]
    rows = rows.assign(unit=rows.index, part="", condition="", group=0)
    (cell,) = only_part(instrument("right")._replace(rows=rows))["cells"]

    assert cell["finding"] == "it works"


def test_units_some_of_which_have_no_length_are_not_compared_by_length() -> None:
    made = instrument("right")
    lengths = np.arange(len(made.rows)) + 1000.0 * made.rows["truth"]
    # The first unit, which is of the condition `even`, has no length.
    rows = made.rows.assign(length=lengths.where(made.rows.index > 0))

    assert only_part(made._replace(rows=rows))["use"] == ["even"]


def test_units_without_a_score_are_counted_and_left_out() -> None:
    made = instrument("right")
    rows = made.rows.assign(score=made.rows["score"].where(made.rows.index >= 3))
    made_card = make_card(made._replace(rows=rows), confidence_level=0.95, seed=3)

    assert made_card["without_score"] == 3

    # The first three units are true, false and true.
    together = made_card["parts"][0]["cells"][0]
    assert (together["n_true"], together["n_false"]) == (2 * UNITS - 2, 2 * UNITS - 1)


def test_a_unit_of_two_conditions_is_one_unit_of_all() -> None:
    made = instrument("right")
    twice = pd.concat([made.rows[:80], made.rows[:60].assign(condition="also")])
    together, even, also = only_part(made._replace(rows=twice))["cells"]

    assert [cell["n_true"] for cell in (together, even, also)] == [40, 40, 30]


def test_a_right_score_of_units_whose_lengths_never_agree_is_not_told_from_length() -> None:
    made = instrument("right")
    rows = made.rows.assign(length=np.arange(len(made.rows)) + 1000.0 * made.rows["truth"])

    assert only_part(made._replace(rows=rows))["avoid"]["not told from length"] == [
        "even",
        "uneven",
    ]


def test_the_smallest_separation_is_that_of_hanley_and_mcneil() -> None:
    """For 80 true and 80 false units, chance has the variance (80 + 80 + 1) / (12 * 80^2).

    An area shows from 0.5 + 1.960 sqrt(161 / (12 * 80^2)) = 0.590 on. If the true area is 0.627,
    its deviation by Hanley and McNeil is 0.0440, and four in five draws are above
    0.627 - 0.842 * 0.0440 = 0.590.
    """
    assert card("right")["parts"][0]["cells"][0]["smallest"] == pytest.approx(0.627, abs=5e-4)


def test_few_units_could_not_tell_even_where_the_interval_ends_below_the_floor() -> None:
    """With 4 true and 4 false units, a signal shows from 0.5 + 1.960 sqrt(9 / (12 * 16)) = 0.924.

    So the floor of 0.7 would not have been seen.
    """
    made = instrument("chance")
    # True and false units take turns: the true ones score 0, 0, 3 and 0, the false ones 1, 1, 1 and
    # 2.
    rows = made.rows[:8].assign(score=[0, 1, 0, 1, 3, 1, 0, 2])
    cell = only_part(made._replace(rows=rows))["cells"][0]

    assert cell["separation"].high < 0.7
    assert cell["finding"] == "we could not tell"


@pytest.mark.parametrize("cut", [0.5, 1.0])
def test_verdicts_have_exact_rates_and_the_area_of_their_score(cut: float) -> None:
    """40 of 40: Clopper-Pearson's lower end is 0.025^(1/40). A score at the cut is a yes."""
    made = instrument("right", cut=cut)
    even = only_part(made._replace(rows=made.rows[:80].assign(length=np.nan)))
    end = 0.025 ** (1 / UNITS)

    assert [tuple(rate) for rate in even["rates"]] == [(1.0, pytest.approx(end), 1.0)] * 2
    assert even["cells"][1]["separation"].value == 1.0


def test_verdicts_on_dependent_units_have_the_mean_of_two_rates() -> None:
    """30 of 40 true and 40 of 40 false units are judged rightly: (0.75 + 1) / 2.

    Each truth has four groups, too few for an interval: the interval of either rate is 0 to 1. By
    square-and-add the interval of the mean, 0.875, reaches hypot(0.75 - 0, 1 - 0) / 2 = 0.625 below
    it, and hypot(1 - 0.75, 1 - 1) / 2 = 0.125 above.
    """
    made = instrument("right", cut=0.5)
    # The even rows are true units, of the groups 0, 2, 4 and 6; the first ten of them score 0.
    rows = made.rows[:80].assign(length=np.nan, group=np.arange(80) % 8)
    rows.loc[rows.index[:20:2], "score"] = 0.0
    cell = only_part(made._replace(rows=rows))["cells"][1]

    assert tuple(cell["separation"]) == pytest.approx((0.875, 0.25, 1.0))


def test_rates_of_dependent_units_are_as_wide_as_their_groups_differ() -> None:
    """Eight groups of five true and five false units.

    In three groups all true units are judged rightly, in the other five none. With p the rate and V
    its variance, estimated from the groups, p (1 - p) / V is then 7, the number of groups less 1.
    By Korn and Graubard, 7 (t(39) / t(7))^2 of the 40 units count. In each group four of the five
    false units are judged rightly: the groups do not differ, and all 40 count.
    """
    made = instrument("right", cut=0.5)
    # Rows 2 k and 2 k + 1 are a true and a false unit of group k mod 8.
    rows = made.rows[:80].assign(length=np.nan, group=np.arange(80) // 2 % 8)
    wrong = np.where(rows["truth"], rows["group"] >= 3, np.arange(80) // 16 == 0)
    rows["score"] = np.where(wrong, ~rows["truth"], rows["truth"]).astype(float)
    part = only_part(made._replace(rows=rows))
    true, false = part["rates"]
    n_counted = 7 * (t.ppf(0.975, 39) / t.ppf(0.975, 7)) ** 2
    n_right = 3 / 8 * n_counted
    n_wrong = 5 / 8 * n_counted

    assert true.value == 3 / 8
    # Clopper-Pearson's ends: each leaves 2.5% of a beta distribution outside.
    assert betainc(n_right, n_wrong + 1, true.low) == pytest.approx(0.025)
    assert betainc(n_right + 1, n_wrong, true.high) == pytest.approx(0.975)
    assert false.value == 4 / 5
    # 32 of 40 are right.
    assert betainc(32, 9, false.low) == pytest.approx(0.025)
    assert betainc(33, 8, false.high) == pytest.approx(0.975)

    below = np.hypot(true.value - true.low, false.value - false.low) / 2
    above = np.hypot(true.high - true.value, false.high - false.value) / 2
    separation = (3 / 8 + 4 / 5) / 2
    cell = part["cells"][1]
    assert tuple(cell["separation"]) == pytest.approx(
        (separation, separation - below, separation + above)
    )

    # A separation shows from half of its interval's width above chance on. At the smallest
    # separation four in five draws reach that: it lies 0.841621 standard deviations above (Hanley
    # and McNeil).
    shown = 0.5 + (above + below) / 2
    smallest = cell["smallest"]
    spread = 1 + 39 * ((1 - smallest) / (2 - smallest) + smallest / (1 + smallest))
    assert smallest - shown == pytest.approx(
        0.841621 * (smallest * (1 - smallest) * spread / 1600) ** 0.5, rel=1e-4
    )


def test_a_condition_of_one_truth_has_the_share_that_is_right_and_no_finding() -> None:
    made = instrument("right", cut=0.5)
    rows = made.rows[(made.rows["condition"] == "even") | ~made.rows["truth"]].assign(length=np.nan)
    even, uneven = only_part(made._replace(rows=rows))["cells"][1:]

    assert even["finding"] == "it works"
    assert "finding" not in uneven
    assert tuple(uneven["right"]) == (1.0, pytest.approx(0.025 ** (1 / UNITS)), 1.0)


def test_shuffled_truth_separates_at_chance_and_intervals_of_planted_scores_cover() -> None:
    made = instrument("chance")
    # Ten groups of 16 units.
    part = only_part(made._replace(rows=made.rows.assign(group=made.rows.index // 2 % 10)))

    assert part["shuffled"].value == pytest.approx(0.5, abs=0.01)
    assert part["shuffled"].low < 0.45 < 0.55 < part["shuffled"].high
    # Of 200 intervals at 95%, fewer than 92% cover in about one of forty runs.
    assert part["coverage"] >= 0.92


def test_two_groups_that_agree_by_chance_have_the_width_of_their_units() -> None:
    """Each group orders its one pair rightly: no more than two independent pairs show."""
    rows = pd.DataFrame(
        {
            "truth": [True, False] * 2,
            "score": [1.0, 0, 1, 0],
            "group": [0, 0, 1, 1],
            "unit": range(4),
        }
    )
    rows = rows.assign(part="", condition="", length=np.nan)
    (cell,) = only_part(instrument("right")._replace(rows=rows))["cells"]

    assert (cell["separation"].value, cell["finding"]) == (1.0, "we could not tell")


def test_scores_within_groups_are_averaged_over_groups() -> None:
    """Group 0 orders all of its pairs rightly, and group 1 half of them: the mean is 0.75.

    Its t interval of 1 degree of freedom is cut to 0 and 1.
    """
    rows = pd.DataFrame(
        {
            "truth": [True, False] * 4,
            "score": [1.0, 0, 1, 0, 9, 8, 8, 9],
            "group": [0] * 4 + [1] * 4,
        }
    )
    rows = rows.assign(unit=rows.index, part="", condition="", length=np.nan)
    (everything,) = only_part(instrument("right")._replace(rows=rows))["cells"]

    assert tuple(everything["separation"]) == (0.75, 0.0, 1.0)


def test_a_page_has_its_numbers_and_links_and_the_index_no_rank(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = {
        "git": {"commit": "abc"},
        "steps": [{"step": "make_table", "parameters": {"seed": 5}}],
    }
    enter_results(tmp_path, monkeypatch, record)
    folder = Path("results/cards")
    write_cards(
        map(instrument, ("right", "chance", "length")), folder, confidence_level=0.95, seed=3
    )
    page = (folder / "detector/length.html").read_text()

    assert "not told from length" in page
    assert "; seed 5)" in page
    for link in ("../../table.parquet", "../../table.provenance.json", "scripts/make_table.py"):
        assert f'{link}"' in page
    assert json.loads((folder / "detector/right.json").read_text())["commits"] == ["abc"]

    # In the order of their names.
    index = (folder / "index.html").read_text()
    assert re.findall(r'"detector/(\w+).html', index) == ["chance", "length", "right"]


def test_cards_of_names_that_differ_behind_a_dot_are_files_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = {"git": {"commit": "abc"}, "steps": []}
    enter_results(tmp_path, monkeypatch, record)
    made = instrument("right")
    names = ("gpt-5.4", "gpt-5.5")
    write_cards(
        [made._replace(name=name, label=name) for name in names],
        Path("results/cards"),
        confidence_level=0.95,
        seed=3,
    )
    folder = Path("results/cards/detector")

    assert sorted(path.name for path in folder.iterdir()) == [
        "gpt-5.4.html",
        "gpt-5.4.json",
        "gpt-5.5.html",
        "gpt-5.5.json",
    ]


def test_a_page_of_results_without_a_commit_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = {
        "git": {"commit": None, "modified": None, "reason": "git is not installed"},
        "steps": [],
    }
    enter_results(tmp_path, monkeypatch, record)
    write_cards([instrument("right")], Path("results/cards"), confidence_level=0.95, seed=3)

    assert (
        "Commit unknown (git is not installed);"
        in Path("results/cards/detector/right.html").read_text()
    )
