"""The outcome of a ledger's entry follows from all its tests, and its sentence from the outcome.

A "test" of an entry compares a value of the run, its cell, with a bound. The entries here are
written by hand; `test_statements.py` has the entries of the paper.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from exhibits.report.ledger import OUTCOMES, read_ledger, write_ledger
from exhibits.report.reported import Reported
from exhibits.report.values import Value
from mechaware.core.errors import UserError
from tests.exhibits.report.headlines_by_hand import (
    CHANCE,
    headline_of,
    run_value,
    write_claims,
)

# The value of a run from which p-values are computed.
CONFIDENCE_LEVEL = {"confidence_level": {"value": 0.95}}
# The test of the value t/a against chance.
A_ABOVE_CHANCE = {"cell": "t/a", "bound": CHANCE}


def entry_with(
    *tests: dict[str, Any], controls: tuple[dict[str, Any], ...] = (), smallest_effect: float = 0.1
) -> dict[str, Any]:
    """An entry with these tests and controls.

    Its sentences are "It is yes: 0.63." and so on, with the value t/a in two decimals.
    """
    return {
        "study": "radar",
        "question": "Does it separate them?",
        "statistic": "AUROC",
        "unit": "a seed",
        "smallest_effect": smallest_effect,
        "fixed": "the bound",
        "tests": list(tests),
        "controls": list(controls),
        "sentences": {
            outcome: f"It is {outcome}: " + "{{ value('t/a') | decimals(2) }}."
            for outcome in OUTCOMES
        },
    }


@pytest.mark.parametrize(
    ("low", "value", "high", "outcome"),
    [
        (0.52, 0.63, 0.74, "yes"),
        # An interval that touches the bound, 0.5, does not exclude it.
        (0.50, 0.63, 0.74, "undecided"),
        (0.28, 0.37, 0.48, "reversed"),
        # The interval excludes 0.6, the bound plus the smallest effect.
        (0.47, 0.53, 0.59, "no"),
        # It does not exclude 0.6.
        (0.47, 0.53, 0.60, "undecided"),
    ],
)
def test_one_interval_decides(
    tmp_path: Path, low: float, value: float, high: float, outcome: str
) -> None:
    values = {"t/a": run_value(value, low, high)}
    headline = headline_of(tmp_path, entry_with(A_ABOVE_CHANCE, smallest_effect=0.1), values)

    assert headline.outcome == outcome
    assert headline.sentence == f"It is {outcome}: {value:.2f}."


def test_the_smallest_effect_that_matters_decides_between_no_and_undecided(tmp_path: Path) -> None:
    # The interval excludes 0.5 + 0.1, but not 0.5 + 0.05.
    values = {"t/a": run_value(0.53, 0.47, 0.59)}
    larger = entry_with(A_ABOVE_CHANCE, smallest_effect=0.1)
    smaller = entry_with(A_ABOVE_CHANCE, smallest_effect=0.05)

    assert headline_of(tmp_path, larger, values).outcome == "no"
    assert headline_of(tmp_path, smaller, values).outcome == "undecided"


def test_a_second_test_that_is_open_turns_yes_into_undecided(tmp_path: Path) -> None:
    values = {
        "t/a": run_value(0.63, 0.52, 0.74),
        "t/open": run_value(0.55, 0.41, 0.69),
        "t/above": run_value(0.66, 0.54, 0.78),
    }
    with_open = entry_with(A_ABOVE_CHANCE, {"cell": "t/open", "bound": CHANCE})
    with_above = entry_with(A_ABOVE_CHANCE, {"cell": "t/above", "bound": CHANCE})

    assert headline_of(tmp_path, with_open, values).outcome == "undecided"
    assert headline_of(tmp_path, with_above, values).outcome == "yes"


def test_where_some_tests_are_below_and_the_others_show_no_effect_the_outcome_is_no(
    tmp_path: Path,
) -> None:
    values = {"t/a": run_value(0.37, 0.28, 0.48), "t/no-effect": run_value(0.53, 0.47, 0.59)}
    entry = entry_with(A_ABOVE_CHANCE, {"cell": "t/no-effect", "bound": CHANCE})

    assert headline_of(tmp_path, entry, values).outcome == "no"


def test_a_control_that_is_not_at_chance_leaves_the_statement_undecided(tmp_path: Path) -> None:
    """The reader of the words alone separates both sides (in reverse), so that the effect may come
    from our own data.
    """
    entry = entry_with(A_ABOVE_CHANCE, controls=({"cell": "t/words", "bound": CHANCE},))
    at_chance = {"t/a": run_value(0.63, 0.52, 0.74), "t/words": run_value(0.51, 0.44, 0.58)}
    off_chance = at_chance | {"t/words": run_value(0.02, 0.0, 0.05)}

    assert headline_of(tmp_path, entry, at_chance).outcome == "yes"
    assert headline_of(tmp_path, entry, off_chance).outcome == "undecided"


def test_a_control_without_an_interval_is_not_shown_to_be_at_chance(tmp_path: Path) -> None:
    entry = entry_with(A_ABOVE_CHANCE, controls=({"cell": "t/words", "bound": CHANCE},))
    values = {"t/a": run_value(0.63, 0.52, 0.74), "t/words": run_value(0.51)}

    assert headline_of(tmp_path, entry, values).outcome == "undecided"


@pytest.mark.parametrize(
    ("other", "outcome"),
    [
        # The interval of t/a is 0.52 to 0.74, and the smallest effect is 0.1.
        # Above: 0.52 > 0.51.
        (run_value(0.45, 0.40, 0.51), "yes"),
        # The intervals overlap, and 0.74 > 0.40 + 0.1.
        (run_value(0.45, 0.40, 0.53), "undecided"),
        # Below: 0.74 < 0.78.
        (run_value(0.85, 0.78, 0.92), "reversed"),
        # The intervals overlap, and 0.74 < 0.70 + 0.1.
        (run_value(0.75, 0.70, 0.80), "no"),
    ],
)
def test_a_bound_may_be_the_interval_of_another_value(
    tmp_path: Path, other: Value, outcome: str
) -> None:
    entry = entry_with({"cell": "t/a", "bound": "t/other"}, smallest_effect=0.1)
    values = {"t/a": run_value(0.63, 0.52, 0.74), "t/other": other}

    assert headline_of(tmp_path, entry, values).outcome == outcome


def test_a_mirrored_auroc_below_chance_is_a_bound_above_chance(tmp_path: Path) -> None:
    """A reader that separates both sides in reverse, 0.10 (0.02 to 0.19), counts as 0.90 (0.81 to
    0.98).
    """
    entry = entry_with({"cell": "t/a", "bound": "mirrored t/words"})
    values = {"t/a": run_value(0.63, 0.52, 0.74), "t/words": run_value(0.10, 0.02, 0.19)}

    headline = headline_of(tmp_path, entry, values)

    (test,) = headline.tests
    assert (test.bound_low, test.bound_high) == pytest.approx((0.81, 0.98))
    assert headline.outcome == "reversed"


def test_a_value_or_a_bound_without_an_interval_shows_nothing(tmp_path: Path) -> None:
    """A run of one seed has no intervals."""
    of_one_seed = {"t/a": run_value(0.93)}
    assert headline_of(tmp_path, entry_with(A_ABOVE_CHANCE), of_one_seed).outcome == "undecided"

    compared = entry_with({"cell": "t/a", "bound": "t/b"})
    bound_of_one_seed = {"t/a": run_value(0.93, 0.9, 0.96), "t/b": run_value(0.4)}
    assert headline_of(tmp_path, compared, bound_of_one_seed).outcome == "undecided"


def test_a_cell_with_a_star_tests_every_value_of_that_form(tmp_path: Path) -> None:
    values = {
        "t/a": run_value(0.63, 0.52, 0.74),
        "t/s0/x": run_value(0.7, 0.6, 0.8),
        "t/s1/x": run_value(0.4, 0.3, 0.6),
    }
    headline = headline_of(tmp_path, entry_with({"cell": "t/*/x", "bound": CHANCE}), values)

    assert [test.cell for test in headline.tests] == ["t/s0/x", "t/s1/x"]
    assert headline.outcome == "undecided"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tests": [{"cell": "t/gone", "bound": 0.5}]}, "the run has no value 't/gone'"),
        ({"tests": [{"cell": "t/a", "bound": "t/gone"}]}, "the run has no value 't/gone'"),
        ({"tests": []}, "no test; write one or more"),
        # A change to None removes the key.
        ({"unit": None}, "no 'unit'"),
        ({"remark": "?"}, "'remark' is not a key of an entry"),
        ({"sentences": {"yes": "Yes."}}, "no sentence for the outcome 'reversed'"),
        ({"sentences": dict.fromkeys(OUTCOMES, "{{ value('t/gone') }}")}, "no value 't/gone'"),
    ],
)
def test_a_build_stops_at_an_entry_that_does_not_fit_the_run(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    changed = entry_with(A_ABOVE_CHANCE) | change
    entry = {key: value for key, value in changed.items() if value is not None}
    values = {"t/a": run_value(0.63, 0.52, 0.74)}

    with pytest.raises(UserError, match=rf"^claims.yaml, a-statement.*{message}"):
        headline_of(tmp_path, entry, values)


def test_entries_of_a_study_that_the_run_leaves_out_are_left_out(tmp_path: Path) -> None:
    path = write_claims(tmp_path, entry_with(A_ABOVE_CHANCE))
    assert read_ledger(path, {}, ["grounding"]) == []


@pytest.mark.parametrize(("needed", "n_headlines"), [("t/b", 0), ("t/a", 1)])
def test_an_entry_that_needs_a_value_of_a_larger_run_is_left_out_of_a_smaller_one(
    tmp_path: Path, needed: str, n_headlines: int
) -> None:
    entry = entry_with({"cell": needed, "bound": CHANCE}) | {"needs": needed}
    path = write_claims(tmp_path, entry)
    values = {"t/a": run_value(0.63, 0.52, 0.74)}

    assert len(read_ledger(path, values, ["radar"])) == n_headlines


def written_record(
    folder: Path, values: dict[str, Value], reported: dict[str, Reported]
) -> dict[str, Any]:
    """What `write_ledger` writes for the headline of an entry with the test `A_ABOVE_CHANCE`."""
    headline = headline_of(folder, entry_with(A_ABOVE_CHANCE), values)
    path = folder / "headlines.json"
    write_ledger([headline], CONFIDENCE_LEVEL, reported, path)
    return json.loads(path.read_text(encoding="utf-8"))["a-statement"]


def test_the_written_ledger_has_each_test_with_its_numbers(tmp_path: Path) -> None:
    record = written_record(tmp_path, {"t/a": run_value(0.63, 0.52, 0.74, n=11)}, reported={})

    assert (record["outcome"], record["sentence"]) == ("yes", "It is yes: 0.63.")
    # The lower half of the interval, 0.63 - 0.52 = 0.11, touches chance, 0.13 away, if it is
    # 0.13 / 0.11 = 1.18 times as long: p = 2 * (1 - Phi(1.96 * 1.18)). One statement alone needs no
    # correction.
    assert record["p"] == record["p_holm"] == pytest.approx(0.0205, abs=1e-4)
    assert record["tests"] == [
        {
            "cell": "t/a",
            "value": 0.63,
            "low": 0.52,
            "high": 0.74,
            "bound_low": 0.5,
            "bound_high": 0.5,
            "bound": "0.5",
            "n": 11,
        }
    ]


REPORTED = Reported(
    outcome="undecided",
    sentence="It is open.",
    p_holm=1.0,
    commit="0123abc",
    machine="2 CPU cores",
)


def test_a_written_headline_has_its_outcome_in_the_reported_run_beside_its_own(
    tmp_path: Path,
) -> None:
    values = {"t/a": run_value(0.63, 0.52, 0.74)}
    record = written_record(tmp_path, values, reported={"a-statement": REPORTED})

    assert record["outcome"] == "yes"
    assert record["reported"]["outcome"] == "undecided"
    assert record["reported"]["sentence"] == "It is open."


@pytest.mark.parametrize(
    "reported",
    [
        pytest.param({}, id="no reported run"),
        pytest.param({"another": REPORTED}, id="a reported run without this statement"),
    ],
)
def test_a_written_headline_that_the_reported_run_lacks_has_none_beside_it(
    tmp_path: Path, reported: dict[str, Reported]
) -> None:
    record = written_record(tmp_path, {"t/a": run_value(0.63, 0.52, 0.74)}, reported)

    assert record["outcome"] == "yes"
    assert record["reported"] is None
