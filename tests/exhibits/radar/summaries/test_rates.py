"""The rates of the verdict "seen" on small models and on a pretrained one, with differences and
intervals worked out by hand.

The first tests are of `rate_differences`, which compares the rates cell by cell. The last ones are
of `rate_values`, which gives the largest difference, and of the committed calibrations.
"""

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
from mechaware.core.stats.intervals import Interval

REPOSITORY = Path(__file__).resolve().parents[4]
SMALL = REPOSITORY / "config/calibration/detectors.csv"
PRETRAINED = REPOSITORY / "config/calibration/pretrained.csv"


# What each kind of text is called in the two calibrations (`small` and `pretrained`).
NAMES = TEXTS["names"]
DOCSTRINGS = TEXTS["docstrings"]


def all_read(
    text: str, *, dose: int, n_items: int, seen: float, independent: int
) -> dict[str, object]:
    """A row of a calibration with benchmarks of `n_items` items, which were all read `dose` times.

    `seen` is the rate of verdicts "seen" among `independent` draws without a common item.
    """
    return {
        "detectors": DETECTORS,
        "text": text,
        "dose": dose,
        "n_items": n_items,
        "n_seen": n_items,
        "seen": seen,
        "independent": independent,
        "model": MODEL,
        "procedure": "radar",
    }


def test_the_benchmarks_of_the_fewest_items_that_both_have_are_compared() -> None:
    small = pd.DataFrame(
        [
            # Only 4 of the 8 items were read.
            all_read(NAMES.small, dose=4, n_items=8, seen=0.1, independent=20) | {"n_seen": 4},
            all_read(NAMES.small, dose=4, n_items=11, seen=0.75, independent=20),
            all_read(NAMES.small, dose=4, n_items=44, seen=0.6, independent=20),
            all_read(NAMES.small, dose=4, n_items=22, seen=0.9, independent=20),
        ]
    )
    eleven_items = all_read(NAMES.pretrained, dose=4, n_items=11, seen=0.3, independent=10)
    pretrained = pd.DataFrame(
        [
            all_read(NAMES.pretrained, dose=4, n_items=8, seen=0.2, independent=10),
            all_read(NAMES.pretrained, dose=4, n_items=44, seen=0.2, independent=10),
            all_read(NAMES.pretrained, dose=4, n_items=22, seen=0.4, independent=10),
            # Not comparable: other detectors, another model, another dose.
            eleven_items | {"detectors": "loss reference"},
            eleven_items | {"model": "another"},
            all_read(NAMES.pretrained, dose=1, n_items=22, seen=0.3, independent=10),
        ]
    )
    (cell,) = rate_differences(small, pretrained, confidence_level=0.95)

    assert (cell.kind, cell.dose, cell.n_items, cell.n) == ("names", 4, 22, 10)
    assert (cell.small, cell.pretrained) == (0.9, 0.4)
    assert cell.difference == pytest.approx(0.5)


def test_rates_of_different_procedures_are_not_compared() -> None:
    small = pd.DataFrame(
        [
            all_read(NAMES.small, dose=4, n_items=11, seen=0.8, independent=20),
            all_read(NAMES.small, dose=4, n_items=22, seen=0.8, independent=20),
        ]
    )
    eleven_items = all_read(NAMES.pretrained, dose=4, n_items=11, seen=0.3, independent=10)
    by_ranks = eleven_items | {"procedure": "radar, by ranks"}

    assert rate_differences(small, pd.DataFrame([by_ranks]), confidence_level=0.95) == []

    same_procedure = all_read(NAMES.pretrained, dose=4, n_items=22, seen=0.6, independent=10)
    both = pd.DataFrame([by_ranks, same_procedure])
    (cell,) = rate_differences(small, both, confidence_level=0.95)
    assert (cell.n_items, cell.pretrained) == (22, 0.6)


def test_the_interval_of_a_difference_follows_from_the_intervals_of_both_rates() -> None:
    """All of 10 draws are "seen" on the small models, and none of 8 on the pretrained one.

    Two rates share the error of 5%, so that the interval of each is of 97.5%, with 1.25% at each
    end. All of n draws give [0.0125^(1/n), 1], and none of n gives [0, 1 - 0.0125^(1/n)]: here
    [0.645, 1] and [0, 0.422].
    """
    all_of_ten = all_read(NAMES.small, dose=16, n_items=11, seen=1.0, independent=10)
    none_of_eight = all_read(NAMES.pretrained, dose=16, n_items=11, seen=0.0, independent=8)

    (cell,) = rate_differences(
        pd.DataFrame([all_of_ten]), pd.DataFrame([none_of_eight]), confidence_level=0.95
    )

    assert cell.low == pytest.approx(0.0125 ** (1 / 10) - (1 - 0.0125 ** (1 / 8)))
    assert cell.high == pytest.approx(1.0)
    # The smaller number of draws.
    assert cell.n == 8


def test_the_interval_of_a_difference_of_single_draws_is_from_0_to_1() -> None:
    """One draw gives [0.0125, 1] for the small models and [0, 0.9875] for the pretrained one.

    The intervals overlap, so that the rates may be equal; the largest difference is 1 - 0.
    """
    one_of_one = all_read(NAMES.small, dose=16, n_items=11, seen=1.0, independent=1)
    none_of_one = all_read(NAMES.pretrained, dose=16, n_items=11, seen=0.0, independent=1)

    (cell,) = rate_differences(
        pd.DataFrame([one_of_one]), pd.DataFrame([none_of_one]), confidence_level=0.95
    )

    assert cell.low == 0
    assert cell.high == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("small", "pretrained", "expected"),
    [
        # Apart: from 0.5 - 0.3 to 0.9 - 0.1, whichever is the higher.
        ((0.1, 0.3), (0.5, 0.9), (0.2, 0.8)),
        ((0.5, 0.9), (0.1, 0.3), (0.2, 0.8)),
        # Overlapping: from 0 to 0.9 - 0.1, and from 0 to 0.6 - 0.1.
        ((0.1, 0.6), (0.5, 0.9), (0.0, 0.8)),
        ((0.4, 0.6), (0.1, 0.5), (0.0, 0.5)),
    ],
)
def test_an_absolute_difference_is_at_least_the_gap_of_the_intervals_and_at_most_their_span(
    small: tuple[float, float], pretrained: tuple[float, float], expected: tuple[float, float]
) -> None:
    assert _absolute(Interval(*small), Interval(*pretrained)) == pytest.approx(expected)


def test_the_largest_difference_has_the_largest_ends(tmp_path: Path) -> None:
    """Names: 0 of 1 against 1 of 1 has the largest difference, 1, but the interval [0, 1].

    Docstrings: 0 of 30 against 29 of 30 has a smaller difference, a higher lower end and an upper
    end below 1.
    """
    small_names = all_read(NAMES.small, dose=4, n_items=11, seen=0.0, independent=1)
    small_docstrings = all_read(DOCSTRINGS.small, dose=4, n_items=12, seen=0.0, independent=30)
    pretrained_rows = [
        all_read(NAMES.pretrained, dose=4, n_items=11, seen=1.0, independent=1),
        all_read(DOCSTRINGS.pretrained, dose=4, n_items=12, seen=29 / 30, independent=30),
    ]
    small = {"names": tmp_path / "names.csv", "docstrings": tmp_path / "docstrings.csv"}
    pretrained = tmp_path / "pretrained.csv"
    write_csv(pd.DataFrame([small_names]), small["names"])
    write_csv(pd.DataFrame([small_docstrings]), small["docstrings"])
    write_csv(pd.DataFrame(pretrained_rows), pretrained)

    values = rate_values(small, pretrained, confidence_level=0.95)
    largest = values["rates_by_size/largest/difference"]

    # The four rates of two cells share the error of 5%, so that the interval of each has 0.625% at
    # each end. 0 of 30 gives [0, 1 - 0.00625^(1/30)] = [0, 0.1556]. The lower end x of 29 of 30
    # solves 30 x^29 (1 - x) + x^30 = 0.00625. The upper end is that of the names.
    assert largest["value"] == 1
    x = largest["low"] + 1 - 0.00625 ** (1 / 30)
    assert 30 * x**29 * (1 - x) + x**30 == pytest.approx(0.00625)
    assert largest["high"] == 1
    # The smallest number of draws of any rate.
    assert largest["n"] == 1
    assert values["rates_by_size/largest/kind"]["value"] == "docstrings"
    assert values["rates_by_size/docstrings/4/pretrained"]["value"] == pytest.approx(29 / 30)
    assert values["rates_by_size/names/4/small"]["file"] == "names.csv"
    assert values["rates_by_size/docstrings/4/small"]["file"] == "docstrings.csv"


def write_calibration_without_rows(file: Path) -> Path:
    """A calibration that has its columns only."""
    columns = PRETRAINED.read_text().partition("\n")[0]
    file.write_text(f"{columns}\n")
    return file


def test_without_a_committed_row_there_is_a_difference_without_a_number(tmp_path: Path) -> None:
    empty = write_calibration_without_rows(tmp_path / "pretrained.csv")

    values = rate_values({"names": SMALL}, empty, confidence_level=0.95)

    (difference,) = values.values()
    assert (difference["value"], difference["low"], difference["high"]) == (None, None, None)


def test_a_run_with_too_few_items_for_a_benchmark_has_a_difference_without_a_number(
    tmp_path: Path,
) -> None:
    """A calibration leaves out the sizes for which a run has too few items: here it has no row."""
    small = {kind: write_calibration_without_rows(tmp_path / f"{kind}.csv") for kind in TEXTS}

    values = rate_values(small, PRETRAINED, confidence_level=0.95)

    (difference,) = values.values()
    assert (difference["value"], difference["low"], difference["high"]) == (None, None, None)


@pytest.mark.parametrize("text", [kind.small for kind in TEXTS.values()], ids=list(TEXTS))
def test_the_committed_calibration_of_small_models_has_every_compared_dose(text: str) -> None:
    table = pd.read_csv(SMALL)
    rows = table[(table["text"] == text) & (table["detectors"] == DETECTORS)]

    assert set(DOSES) <= set(rows["dose"])
