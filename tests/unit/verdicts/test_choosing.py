"""The choice of a verdict's detector: by tables, and on made-up twins of two kinds of text."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats

from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.planted.twins.items import CONTRADICTED, VERBATIM
from mechaware.verdicts.choosing import CANDIDATES, DOSE, choose, power_and_false_alarms
from mechaware.verdicts.seen_calibration import PlantedModel

REPOSITORY = Path(__file__).resolve().parents[3]
COMMITTED = REPOSITORY / "docs/measured/verdict_detectors.csv"


def power_table(**detectors: list[tuple[float, float]]) -> pd.DataFrame:
    """Each detector's power and lower end of false alarms, on names, then on docstrings."""
    rows = []
    for detector, powers_and_alarms in detectors.items():
        for text, row in zip(("names", "docstrings"), powers_and_alarms, strict=True):
            rows.append((detector, text, *row))
    return pd.DataFrame(rows, columns=["detector", "text", "power", "false_alarms_low"])


def test_the_detector_with_the_highest_mean_power_is_chosen_not_the_best_on_one_kind() -> None:
    # Mean powers: loss 0.5, min_k 0.55, zlib 0.525.
    found = power_table(
        loss=[(0.6, 0), (0.4, 0)], min_k=[(0.3, 0), (0.8, 0)], zlib=[(0.9, 0), (0.15, 0)]
    )
    assert choose(found, 0.05) == "min_k"


def test_a_detector_with_false_alarms_on_one_kind_is_not_chosen() -> None:
    found = power_table(loss=[(0.6, 0.05), (0.4, 0)], min_k=[(0.9, 0), (0.9, 0.051)])
    assert choose(found, 0.05) == "loss"


def test_of_detectors_with_equal_power_the_first_in_the_table_is_chosen() -> None:
    assert choose(power_table(zlib=[(0.5, 0), (0.5, 0)], loss=[(0.5, 0), (0.5, 0)]), 0.05) == "zlib"


def model(name: str, seed: int, gains: dict[str, float]) -> PlantedModel:
    """Noise as scores, to which a detector's gain is added for seen items.

    The model saw 8 items at the dose. 40 items are unseen, and 20 contradicted items are in no
    benchmark.
    """
    generator = np.random.default_rng(seed)
    forms = [VERBATIM] * 48 + [CONTRADICTED] * 20
    is_seen = [True] * 8 + [False] * 60
    rows = pd.DataFrame({"form": forms, "dose": DOSE, "seen": is_seen})
    for detector in CANDIDATES:
        noise = generator.normal(size=len(rows))
        # Contradicted items have wrong answers, which the model finds unlikely.
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


def test_the_interval_of_false_alarms_counts_only_draws_without_a_common_item() -> None:
    """40 unseen items give 40 // (8 + 8) = 2 benchmarks of 8 items with a control of 8.

    The interval is Clopper-Pearson's for k of 2.

    Its lower end is 0 for none and 1 - sqrt(0.975) = 0.0126 for one.
    """
    found = power_and_false_alarms(
        {"names": [model("s0/A", 0, {})]}, draws=4, significance=0.05, seed=3
    )
    for row in found.itertuples():
        alarms = round(2 * row.false_alarms)
        assert alarms in (0, 1)
        assert row.false_alarms_low == pytest.approx([0, 1 - 0.975**0.5][alarms])


@pytest.fixture(scope="module")
def by_hand() -> pd.DataFrame:
    """By hand, all or nothing in each of three seeds.

    `min_k` finds each contaminated benchmark, the loss all but the last docstrings, `zlib` none.
    """
    always = 9.0
    never = -9.0
    planted = {}
    for text in ("names", "docstrings"):
        models = []
        for number in range(3):
            loss = never if (text, number) == ("docstrings", 2) else always
            for twin in ("A", "B"):
                gains = {"loss": loss, "min_k": always, "zlib": never}
                models.append(model(f"s{number}/{twin}", len(models), gains))
        planted[text] = models
    table = power_and_false_alarms(planted, draws=12, significance=0.05, seed=3)
    return table.set_index(["detector", "text"])


def test_a_lead_over_the_loss_is_paired_by_seed(by_hand: pd.DataFrame) -> None:
    assert by_hand.loc[("loss", "docstrings"), "power"] == pytest.approx(2 / 3)
    row = by_hand.loc[("min_k", "docstrings")]
    assert row["mean_power"] == 1
    # Mean powers over both kinds in the three seeds: the loss 1, 1 and 1/2, min_k 1, 1 and 1.
    leads = np.array([0.0, 0.0, 0.5])
    assert row["lead"] == pytest.approx(leads.mean())
    half = stats.t.ppf(0.975, 2) * leads.std(ddof=1) / 3**0.5
    assert row["lead_low"] == pytest.approx(leads.mean() - half)
    assert row["lead_high"] == pytest.approx(leads.mean() + half)
    assert (by_hand.loc["loss", ["lead", "lead_low", "lead_high"]] == 0).all(axis=None)


def test_the_interval_of_a_lead_ends_at_minus_one(
    by_hand: pd.DataFrame,
) -> None:
    # Mean powers over both kinds in the three seeds: zlib 0, 0 and 0, the loss 1, 1 and 1/2.
    leads = np.array([-1.0, -1.0, -0.5])
    half = stats.t.ppf(0.975, 2) * leads.std(ddof=1) / 3**0.5
    row = by_hand.loc[("zlib", "names")]
    assert leads.mean() - half < -1
    assert row["lead_low"] == -1
    assert row["lead_high"] == pytest.approx(leads.mean() + half)


def test_one_seed_has_no_interval_of_its_lead() -> None:
    planted = {"names": [model("s0/A", 0, {"min_k": 9.0}), model("s0/B", 1, {"min_k": 9.0})]}
    table = power_and_false_alarms(planted, draws=4, significance=0.05, seed=3)
    assert table[["lead_low", "lead_high"]].isna().all(axis=None)


def test_the_interval_of_power_counts_only_benchmarks_without_a_common_item(
    by_hand: pd.DataFrame,
) -> None:
    """8 items that a model read are one benchmark. Found in six models of six: 0.025^(1/6) to 1."""
    row = by_hand.loc[("min_k", "names")]
    assert row["draws"] == 12
    assert row["power_independent"] == row["models"] == 6
    assert row["power"] == row["power_high"] == 1
    assert row["power_low"] == pytest.approx(0.025 ** (1 / 6))


def test_draws_that_do_not_divide_among_the_models_are_rounded_up() -> None:
    """Three draws from two models become two from each. The loss finds both of s0/A and none of
    s0/B.
    """
    planted = {
        "names": [model("s0/A", 0, {"loss": 9.0}), model("s0/B", 1, {"loss": -9.0})],
    }
    table = power_and_false_alarms(planted, draws=3, significance=0.05, seed=3)
    assert set(table["draws"]) == {4}
    assert table.set_index("detector").loc["loss", "power"] == 0.5


def test_likelihood_ranks_are_taken_among_the_rows_of_a_draw() -> None:
    """Over all rows the sum of ranks does not tell seen items; over a draw's rows it does."""
    seen = model("s0/A", 0, {"loss": 9.0, "zlib": 9.0, "min_k_plus_plus": 9.0})
    assert seen.rows["likelihood_ranks"].corr(seen.rows["seen"]) < 0.5
    table = power_and_false_alarms({"names": [seen]}, draws=4, significance=0.05, seed=3)
    assert table.set_index("detector").loc["likelihood_ranks", "power"] == 1


def test_the_committed_choice_follows_from_the_rule() -> None:
    """The rule, applied to the file line by line.

    The highest mean of both powers wins, without false alarms that are shown to exceed 5%.
    """
    lines: dict[str, list[dict[str, str]]] = {}
    with COMMITTED.open(newline="") as file:
        for line in csv.DictReader(file):
            lines.setdefault(line["detector"], []).append(line)

    best = ""
    most = -1.0
    for detector, (names, docstrings) in lines.items():
        assert names["text"] == "questions about invented names"
        assert docstrings["text"] == "docstrings of installed packages"
        power = (float(names["power"]) + float(docstrings["power"])) / 2
        assert float(names["mean_power"]) == pytest.approx(power)
        alarms = max(float(names["false_alarms_low"]), float(docstrings["false_alarms_low"]))
        if alarms <= 0.05 and power > most:
            best = detector
            most = power

    chosen = set()
    for detector, detector_lines in lines.items():
        if any(line["chosen"] == "True" for line in detector_lines):
            chosen.add(detector)
    assert chosen == {best}


def test_the_default_verdict_rests_on_the_chosen_detector() -> None:
    table = pd.read_csv(COMMITTED)
    (chosen,) = set(table.loc[table["chosen"], "detector"])
    config = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text())
    assert config["radar"]["verdict_detectors"] == [chosen, "reference"]


def test_the_committed_choice_is_of_seeds_that_no_reported_number_uses() -> None:
    (seeds,) = set(pd.read_csv(COMMITTED)["seeds"])
    development = {int(seed) for seed in seeds.split()}
    config = yaml.safe_load((REPOSITORY / "config/config.yaml").read_text())
    assert development == set(config["radar"]["memorisation"]["development_seeds"])
    for name in ("config.yaml", "reported.yaml"):
        reported = yaml.safe_load((REPOSITORY / "config" / name).read_text())
        memorisation = reported["radar"]["memorisation"]
        assert not development & {*memorisation["seeds"], *memorisation["natural"]["seeds"]}
