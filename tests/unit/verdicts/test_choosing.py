"""The choice of a verdict's detector: by hand from a table, and on made-up twins of two kinds of text."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.planted.twins.items import CONTRADICTED, VERBATIM
from mechaware.verdicts.choosing import CANDIDATES, DOSE, choose, power_and_false_alarms
from mechaware.verdicts.seen_calibration import PlantedModel


def table(**of_detectors: list[tuple[float, float]]) -> pd.DataFrame:
    """Power and the least false alarms of each detector on names, then on docstrings."""
    rows = []
    for detector, kinds in of_detectors.items():
        for text, (power, alarms) in zip(("names", "docstrings"), kinds, strict=True):
            rows.append((detector, text, power, alarms))
    return pd.DataFrame(rows, columns=["detector", "text", "power", "false_alarms_low"])


def test_both_kinds_count_and_not_the_best_one_alone() -> None:
    # Means of 0.5, 0.55 and 0.525.
    found = table(loss=[(0.6, 0), (0.4, 0)], min_k=[(0.3, 0), (0.8, 0)], zlib=[(0.9, 0), (0.15, 0)])
    assert choose(found, 0.05) == "min_k"


def test_a_detector_with_false_alarms_on_one_kind_is_not_chosen() -> None:
    found = table(loss=[(0.6, 0.05), (0.4, 0)], min_k=[(0.9, 0), (0.9, 0.051)])
    assert choose(found, 0.05) == "loss"


def test_of_equal_ones_the_first_is_chosen() -> None:
    assert choose(table(zlib=[(0.5, 0), (0.5, 0)], loss=[(0.5, 0), (0.5, 0)]), 0.05) == "zlib"


def model(name: str, seed: int, gains: dict[str, float]) -> PlantedModel:
    """8 items seen at the dose and 40 unseen ones; a detector scores seen ones higher by its gain."""
    generator = np.random.default_rng(seed)
    forms = [VERBATIM] * 48 + [CONTRADICTED] * 20
    rows = pd.DataFrame({"form": forms, "dose": DOSE, "seen": [row < 8 for row in range(68)]})
    for detector in CANDIDATES:
        noise = generator.normal(size=len(rows))
        # What contradicts a rule is unlikely, and no item of a benchmark.
        noise -= 100.0 * (rows["form"] == CONTRADICTED)
        rows[detector] = noise + gains.get(detector, 0.0) * rows["seen"]
    texts = [f"item {row}" for row in range(len(rows))]
    return PlantedModel(name, rows, Evidence(texts, texts, []))


def test_the_detector_that_finds_both_kinds_is_chosen() -> None:
    """`loss` finds names alone, `min_k` finds both nearly always, and the others nothing."""
    planted = {
        "names": [model("s0/A", 0, {"loss": 9.0, "min_k": 9.0})],
        "docstrings": [model("s0/B", 1, {"min_k": 9.0})],
    }
    found = power_and_false_alarms(planted, draws=4, significance=0.05, seed=3)
    by_cell = found.set_index(["detector", "text"])
    assert by_cell.loc[("min_k", "names"), "power"] == 1
    assert by_cell.loc[("min_k", "docstrings"), "power"] == 1
    assert by_cell.loc[("loss", "docstrings"), "power"] < 0.5
    assert set(found["n_items"]) == {8}
    assert found["false_alarms"].mean() < 0.1
    assert choose(found, 0.05) == "min_k"


def test_candidates_need_no_reference_and_no_known_truth() -> None:
    assert {"loss", "min_k_plus_plus", "gradient_norm"} <= set(CANDIDATES)
    for name in ("reference", "error_zone", "relative_likelihood", "divergence", "radar_refitted"):
        assert name not in CANDIDATES


def test_the_interval_of_false_alarms_is_that_of_draws_without_a_common_item() -> None:
    """40 unseen items give 40 // 16 = 2 benchmarks of 8 with a control: the interval of k of 2, from Clopper-Pearson.

    Its lower end is 0 for none and 1 - sqrt(0.975) = 0.0126 for one.
    """
    found = power_and_false_alarms(
        {"names": [model("s0/A", 0, {})]}, draws=4, significance=0.05, seed=3
    )
    for row in found.itertuples():
        alarms = round(2 * row.false_alarms)
        assert alarms in (0, 1)
        assert row.false_alarms_low == pytest.approx([0, 1 - 0.975**0.5][alarms])


def by_hand() -> pd.DataFrame:
    """`min_k` finds each contaminated benchmark of two seeds; the loss finds names of the first seed alone."""
    always, never = 9.0, -9.0
    planted = {}
    for text in ("names", "docstrings"):
        models = []
        for number in (0, 1):
            loss = always if (text, number) == ("names", 0) else never
            for twin in ("A", "B"):
                gains = {"loss": loss, "min_k": always}
                models.append(model(f"s{number}/{twin}", len(models), gains))
        planted[text] = models
    return power_and_false_alarms(planted, draws=8, significance=0.05, seed=3)


def test_a_lead_over_the_loss_is_paired_by_seed() -> None:
    table = by_hand().set_index(["detector", "text"])
    assert table.loc[("loss", "names"), "power"] == 0.5
    # Means over the kinds: the loss has 1/2 and 0 in the two seeds, min_k 1 and 1.
    row = table.loc[("min_k", "docstrings")]
    assert row["mean_power"] == 1
    assert row["lead"] == pytest.approx(0.75)
    # Of two values d apart the t interval has the half width t(1) d / 2.
    half = stats.t.ppf(0.975, 1) * 0.5 / 2
    assert row["lead_low"] == pytest.approx(0.75 - half)
    assert row["lead_high"] == pytest.approx(0.75 + half)
    assert (table.loc["loss", ["lead", "lead_low", "lead_high"]] == 0).all(axis=None)


def test_one_seed_has_no_interval_of_its_lead() -> None:
    planted = {"names": [model("s0/A", 0, {"min_k": 9.0}), model("s0/B", 1, {"min_k": 9.0})]}
    table = power_and_false_alarms(planted, draws=4, significance=0.05, seed=3)
    assert table[["lead_low", "lead_high"]].isna().all(axis=None)


def test_the_interval_of_power_is_that_of_benchmarks_without_a_common_item() -> None:
    """A model has 8 items that it read, one benchmark: four models found of four, 0.025^(1/4) to 1."""
    row = by_hand().set_index(["detector", "text"]).loc[("min_k", "names")]
    assert row["draws"] == 8
    assert row["power_independent"] == row["models"] == 4
    assert row["power"] == row["power_high"] == 1
    assert row["power_low"] == pytest.approx(0.025**0.25)


def test_ranks_are_summed_among_a_draws_own_rows() -> None:
    """In the table of all rows the sum of ranks is useless; among the rows of a draw it follows from what it sums."""
    seen = model("s0/A", 0, {"loss": 9.0, "zlib": 9.0, "min_k_plus_plus": 9.0})
    assert seen.rows["likelihood_ranks"].corr(seen.rows["seen"]) < 0.5
    table = power_and_false_alarms({"names": [seen]}, draws=4, significance=0.05, seed=3)
    assert table.set_index("detector").loc["likelihood_ranks", "power"] == 1
