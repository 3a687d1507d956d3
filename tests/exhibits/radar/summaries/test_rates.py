"""Rates of small models beside those of a pretrained one, by hand."""

from pathlib import Path

import pandas as pd
import pytest

from exhibits.radar.summaries.rates import (
    DETECTORS,
    DOSES,
    MODEL,
    TEXTS,
    _absolute,
    rate_differences,
    rate_values,
)
from mechaware.core.frames import write_csv
from mechaware.core.stats import Interval

REPOSITORY = Path(__file__).resolve().parents[4]
SMALL = REPOSITORY / "config/calibration/detectors.csv"
PRETRAINED = REPOSITORY / "config/calibration/pretrained.csv"


def row(
    text: str, dose: int, n_items: int, n_seen: int, seen: float, independent: int
) -> dict[str, object]:
    """A row of a calibration: the rate `seen` of verdicts "seen",
    of so many draws without a common item.
    """
    return {
        "detectors": DETECTORS,
        "text": text,
        "dose": dose,
        "n_items": n_items,
        "n_seen": n_seen,
        "seen": seen,
        "independent": independent,
        "model": MODEL,
        "procedure": "radar",
    }


# The name of this text in the calibration of small models, and in that of the pretrained one.
NAMES = TEXTS["names"]


def test_the_benchmarks_of_the_fewest_items_that_both_have_are_compared() -> None:
    small = pd.DataFrame(
        [
            row(NAMES[0], 4, 11, 11, 0.75, 20),
            row(NAMES[0], 4, 22, 22, 0.9, 20),
            row(NAMES[0], 4, 44, 4, 0.1, 20),
        ]
    )
    pretrained = pd.DataFrame(
        [
            row(NAMES[1], 4, 22, 22, 0.4, 10),
            row(NAMES[1], 4, 44, 44, 0.2, 10),
            # Of the other family of detectors, of another model, and of another dose.
            row(NAMES[1], 4, 11, 11, 0.3, 10) | {"detectors": "loss reference"},
            row(NAMES[1], 4, 11, 11, 0.3, 10) | {"model": "another"},
            row(NAMES[1], 1, 22, 22, 0.3, 10),
        ]
    )
    (cell,) = rate_differences(small, pretrained, confidence_level=0.95)

    assert (cell.kind, cell.dose, cell.n_items, cell.n) == ("names", 4, 22, 10)
    assert (cell.small, cell.pretrained) == (0.9, 0.4)
    assert cell.difference == pytest.approx(0.5)


def test_rates_of_different_procedures_are_not_compared() -> None:
    small = pd.DataFrame([row(NAMES[0], 4, n_items, n_items, 0.8, 20) for n_items in (11, 22)])
    former = row(NAMES[1], 4, 11, 11, 0.3, 10) | {"procedure": "radar, by ranks"}

    assert rate_differences(small, pd.DataFrame([former]), confidence_level=0.95) == []

    both = pd.DataFrame([former, row(NAMES[1], 4, 22, 22, 0.6, 10)])
    (cell,) = rate_differences(small, both, confidence_level=0.95)
    assert (cell.n_items, cell.pretrained) == (22, 0.6)


def test_an_interval_of_a_difference_by_hand() -> None:
    """All of 10 draws against none of 8: the rates of one cell have an interval each, of 97.5%.

    All of n draws lie above 0.0125^(1/n), and none of n below 1 - 0.0125^(1/n): [0.645, 1] and [0,
    0.422].
    """
    small = pd.DataFrame([row(NAMES[0], 16, 11, 11, 1.0, 10)])
    pretrained = pd.DataFrame([row(NAMES[1], 16, 11, 11, 0.0, 8)])

    (cell,) = rate_differences(small, pretrained, confidence_level=0.95)

    assert cell.low == pytest.approx(0.0125 ** (1 / 10) - (1 - 0.0125 ** (1 / 8)))
    assert cell.high == pytest.approx(1.0)
    assert cell.n == 8


def test_an_interval_of_a_difference_of_single_draws_says_nothing() -> None:
    """Of one draw each: [0.0125, 1] and [0, 0.9875], whose difference lies between -0.975 and 1."""
    small = pd.DataFrame([row(NAMES[0], 16, 11, 11, 1.0, 1)])
    pretrained = pd.DataFrame([row(NAMES[1], 16, 11, 11, 0.0, 1)])

    (cell,) = rate_differences(small, pretrained, confidence_level=0.95)

    assert cell.low == 0
    assert cell.high == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("small", "pretrained", "expected"),
    [
        ((0.1, 0.3), (0.5, 0.9), (0.2, 0.8)),
        ((0.5, 0.9), (0.1, 0.3), (0.2, 0.8)),
        ((0.1, 0.6), (0.5, 0.9), (0.0, 0.8)),
        ((0.4, 0.6), (0.1, 0.5), (0.0, 0.5)),
    ],
)
def test_the_interval_of_an_absolute_difference(
    small: tuple[float, float], pretrained: tuple[float, float], expected: tuple[float, float]
) -> None:
    assert _absolute(Interval(*small), Interval(*pretrained)) == pytest.approx(expected)


def test_the_largest_difference_has_the_largest_ends(tmp_path: Path) -> None:
    """Names agree, and docstrings differ: 0 of 30 against 30 of 30, whose intervals cannot meet."""
    docstrings = TEXTS["docstrings"]
    small = {"names": tmp_path / "names.csv", "docstrings": tmp_path / "docstrings.csv"}
    pretrained = tmp_path / "pretrained.csv"
    write_csv(pd.DataFrame([row(NAMES[0], 4, 11, 11, 0.5, 4)]), small["names"])
    write_csv(pd.DataFrame([row(docstrings[0], 4, 12, 12, 0.0, 30)]), small["docstrings"])
    write_csv(
        pd.DataFrame([row(NAMES[1], 4, 11, 11, 0.5, 4), row(docstrings[1], 4, 12, 12, 1.0, 30)]),
        pretrained,
    )
    values = rate_values(small, pretrained, confidence_level=0.95)
    largest = values["rates_by_size/largest/difference"]
    # Two cells have four rates, each at 98.75%: 0 of 30 ends at 1 - 0.00625^(1/30) = 0.1556.
    end = 1 - 0.00625 ** (1 / 30)

    assert largest["value"] == 1
    assert largest["low"] == pytest.approx(1 - 2 * end)
    assert largest["high"] == 1
    assert largest["n"] == 4
    assert values["rates_by_size/largest/kind"]["value"] == "docstrings"
    assert values["rates_by_size/docstrings/4/pretrained"]["value"] == 1
    assert values["rates_by_size/names/4/small"]["file"] == "names.csv"
    assert values["rates_by_size/docstrings/4/small"]["file"] == "docstrings.csv"


def write_calibration_without_rows(file: Path) -> Path:
    """A calibration that has its columns only."""
    columns = PRETRAINED.read_text().partition("\n")[0]
    file.write_text(f"{columns}\n")
    return file


def test_without_a_committed_row_there_is_a_difference_without_a_number(tmp_path: Path) -> None:
    empty = write_calibration_without_rows(tmp_path / "pretrained.csv")

    (value,) = rate_values({"names": SMALL}, empty, confidence_level=0.95).values()

    assert (value["value"], value["low"], value["high"]) == (None, None, None)


def test_a_run_with_too_few_items_for_a_benchmark_has_a_difference_without_a_number(
    tmp_path: Path,
) -> None:
    small = {kind: write_calibration_without_rows(tmp_path / f"{kind}.csv") for kind in TEXTS}

    (value,) = rate_values(small, PRETRAINED, confidence_level=0.95).values()

    assert (value["value"], value["low"], value["high"]) == (None, None, None)


def test_the_small_models_have_every_compared_cell() -> None:
    table = pd.read_csv(SMALL)
    for text, _ in TEXTS.values():
        doses = table[(table["text"] == text) & (table["detectors"] == DETECTORS)]["dose"]
        assert set(DOSES) <= set(doses)
