"""The features beside the output, on scores written for it:
each seed is scored by classifiers of the others.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from exhibits.radar.summaries.inside import (
    ANSWER,
    LIKELIHOODS,
    PRIMARY,
    READERS,
)
from exhibits.radar.tables.memorisation_inside import fill
from tests.exhibits.radar.summaries.inside_by_hand import compared, items


def area_by_hand(
    table: pd.DataFrame, columns: Sequence[str], kind: str, seed: int, dose: int = 16
) -> float:
    """The AUROC on paraphrases of one seed, by a loop over twins in place of the
    summary's table of groups.
    """
    of_kind = table[table["kind"] == kind]
    read = np.zeros((len(of_kind), len(columns)))
    for number in of_kind["seed"].unique():
        for twin in "AB":
            rows = ((of_kind["seed"] == number) & (of_kind["twin"] == twin)).to_numpy()
            values = of_kind.loc[rows, list(columns)].to_numpy(float)
            read[rows] = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    is_tested = (of_kind["seed"] == seed).to_numpy()
    seen = of_kind["seen"].to_numpy(bool)
    classifier = LogisticRegression(C=0.1, max_iter=5000).fit(read[~is_tested], seen[~is_tested])
    is_paraphrase = (of_kind["form"] == "paraphrase") & (of_kind["dose"] == dose)
    is_cell = is_tested & is_paraphrase.to_numpy()
    return float(roc_auc_score(seen[is_cell], classifier.predict_proba(read[is_cell])[:, 1]))


@pytest.mark.parametrize("reader", ["answer", "output", "output_with_surface"])
def test_a_seed_is_scored_by_a_classifier_of_all_other_seeds(reader: str) -> None:
    seeds = (22, 30, 31)

    def areas_by_hand(name: str) -> np.ndarray:
        columns = READERS[name].columns
        areas = [area_by_hand(items(*seeds), columns, "reasoning", seed) for seed in seeds]
        return np.array(areas)

    own = areas_by_hand(reader)
    rival = areas_by_hand(READERS[reader].rival)
    row = compared(*seeds).loc[(reader, "reasoning", "paraphrase", 16, "all")]

    assert row["auroc"] == pytest.approx(own.mean())
    assert row["lead"] == pytest.approx((own - rival).mean())

    half = t.ppf(0.975, 2) * (own - rival).std(ddof=1) / 3**0.5
    assert row["lead_low"] == pytest.approx(row["lead"] - half)


def test_a_feature_that_cleans_the_answer_of_noise_leads_in_every_seed() -> None:
    row = compared(22, 30, 31).loc[("answer_with_surface", "recall", "verbatim", 16, "all")]
    assert row["lead"] > 0.05
    # Of the 8 flips of three seeds the observed signs and their opposite reach the mean.
    assert row["lead_p"] == 2 / 8


def test_seeds_that_were_looked_at_confirm_nothing_where_there_are_others() -> None:
    """The first seed had been looked at."""
    every = compared(22, 30, 31).xs("all", level="seeds")
    others = compared(22, 30, 31).xs("confirming", level="seeds")

    assert (every["n"] == 3).all()
    assert (every["looked_at"] == 1).all()
    assert (others["n"] == 2).all()
    assert (others["looked_at"] == 0).all()

    columns = READERS["output"].columns
    expected = [area_by_hand(items(22, 30, 31), columns, "recall", seed) for seed in (30, 31)]
    auroc = others.loc[("output", "recall", "paraphrase", 16), "auroc"]
    assert auroc == pytest.approx(np.mean(expected))


def test_without_other_seeds_the_number_is_of_those_that_were_looked_at() -> None:
    every = compared(2, 3).xs("all", level="seeds")
    others = compared(2, 3).xs("confirming", level="seeds")

    pd.testing.assert_frame_equal(every, others)
    assert (others["looked_at"] == others["n"]).all()


def test_all_leads_but_the_one_that_was_fixed_are_corrected_together() -> None:
    table = compared(22, 30, 31).xs("all", level="seeds")
    assert pd.isna(table.loc[PRIMARY, "lead_holm"])

    leads = table.drop(index=PRIMARY).dropna(subset="lead_p")
    # Ten readers have a rival, in two kinds and six cells.
    assert len(leads) == 10 * 2 * 6 - 1
    # The smallest p-value is multiplied by their number, and is 1 at most.
    assert leads["lead_p"].min() == 0.25
    assert (leads["lead_holm"] == 1).all()


def test_a_run_of_one_seed_has_no_numbers() -> None:
    table = compared(4)
    assert (table["n"] == 0).all()
    assert table[["auroc", "low", "lead", "lead_p", "lead_holm", "shuffled"]].isna().all(axis=None)

    shown = fill(inside=table.reset_index()).shown
    assert (shown.drop(columns=["Reads", "Times", "Lead over"]) == "").all(axis=None)


def test_the_output_holds_what_a_black_box_sees_behind_the_question() -> None:
    assert set(ANSWER) == {"confidence", "entropy", "log_prob", "log_rank"}
    assert len(LIKELIHOODS) == 12
    assert set(READERS["output"].columns) == {*LIKELIHOODS, *ANSWER}


def test_the_table_shows_the_seeds_that_had_not_been_looked_at() -> None:
    table = compared(22, 30, 31)
    row = table.loc[("answer", "recall", "verbatim", 64, "confirming")]
    other = table.loc[("answer", "reasoning", "verbatim", 64, "confirming")]
    shown = fill(inside=table.reset_index()).shown.set_index(["Reads", "Times"])
    areas = f"{row['auroc']:.2f} / {other['auroc']:.2f}"

    assert shown.loc[("answer", "64"), "Verbatim"] == areas
    assert (shown.loc["output, surface", "Lead over"] == "output").all()


def test_each_dose_of_paraphrases_is_a_cell_of_its_own_and_has_a_row_of_the_table() -> None:
    seeds = (22, 30, 31)
    table = compared(*seeds)
    shown = fill(inside=table.reset_index()).shown.set_index(["Reads", "Times"])
    leads = shown["Lead, reasoning"].str.split(" ").str[0]

    assert shown.loc["output"].index.tolist() == ["4", "16", "64"]

    for dose in (4, 16, 64):
        by_reader = {}
        for reader in ("likelihoods", "output"):
            columns = READERS[reader].columns
            # Seed 22 had been looked at, and is not shown.
            areas = [area_by_hand(items(*seeds), columns, "reasoning", n, dose) for n in (30, 31)]
            by_reader[reader] = float(np.mean(areas))
        row = table.loc[("output", "reasoning", "paraphrase", dose, "confirming")]
        lead = by_reader["output"] - by_reader["likelihoods"]
        assert row["auroc"] == pytest.approx(by_reader["output"])
        assert row["lead"] == pytest.approx(lead)
        assert float(leads["output", str(dose)]) == pytest.approx(lead, abs=0.0005)
