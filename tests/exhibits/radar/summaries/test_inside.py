"""Whether RADAR's features add to a model's output, on the scores that `items` draws.

Each seed is scored by classifiers that were fitted on all other seeds. The seeds 0 to 22 had been
looked at before (`LOOKED_AT`); in these tests, 30 and 31 had not.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from exhibits.radar.summaries.inside import ANSWER, LIKELIHOODS, PRIMARY, READERS
from exhibits.radar.tables import memorisation_inside
from tests.exhibits.radar.summaries.inside_by_hand import compared, items


def area_by_hand(
    table: pd.DataFrame, columns: Sequence[str], kind: str, seed: int, dose: int = 16
) -> float:
    """The AUROC of a reader of `columns` on the paraphrases of a kind and dose in the seed `seed`.

    Its classifier is fitted on the items of this kind in all other seeds. Scores are standardised
    by a loop over seeds and twins, independently of `inside_table`, which groups a table.
    """
    of_kind = table[table["kind"] == kind]
    standardised = np.zeros((len(of_kind), len(columns)))
    for number in of_kind["seed"].unique():
        for twin in "AB":
            rows = ((of_kind["seed"] == number) & (of_kind["twin"] == twin)).to_numpy()
            values = of_kind.loc[rows, list(columns)].to_numpy(float)
            standardised[rows] = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    seen = of_kind["seen"].to_numpy(bool)

    is_left_out = (of_kind["seed"] == seed).to_numpy()
    classifier = LogisticRegression(C=0.1, max_iter=5000)
    classifier.fit(standardised[~is_left_out], seen[~is_left_out])

    is_paraphrase = (of_kind["form"] == "paraphrase") & (of_kind["dose"] == dose)
    is_tested = is_left_out & is_paraphrase.to_numpy()
    p_seen = classifier.predict_proba(standardised[is_tested])[:, 1]
    return float(roc_auc_score(seen[is_tested], p_seen))


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

    # The t interval of three seeds has two degrees of freedom.
    half_width = t.ppf(0.975, 2) * (own - rival).std(ddof=1) / 3**0.5
    assert row["lead_low"] == pytest.approx(row["lead"] - half_width)


def test_a_feature_that_cleans_the_answer_of_noise_leads_in_every_seed() -> None:
    """In `items` a surface feature is x, and `log_prob` of the answer has the noise 2 x + e / 2."""
    row = compared(22, 30, 31).loc[("answer_with_surface", "recall", "verbatim", 16, "all")]
    assert row["lead"] > 0.05
    # All three seeds lead. Of the 2^3 choices of signs only the observed one and its opposite give
    # a mean that is as far from 0.
    assert row["lead_p"] == 2 / 8


def test_only_seeds_that_had_not_been_looked_at_are_confirming_if_there_are_any() -> None:
    all_seeds = compared(22, 30, 31).xs("all", level="seeds")
    confirming = compared(22, 30, 31).xs("confirming", level="seeds")

    assert (all_seeds["n"] == 3).all()
    assert (all_seeds["looked_at"] == 1).all()
    assert (confirming["n"] == 2).all()
    assert (confirming["looked_at"] == 0).all()

    columns = READERS["output"].columns
    expected = [area_by_hand(items(22, 30, 31), columns, "recall", seed) for seed in (30, 31)]
    auroc = confirming.loc[("output", "recall", "paraphrase", 16), "auroc"]
    assert auroc == pytest.approx(np.mean(expected))


def test_all_seeds_are_confirming_if_all_had_been_looked_at() -> None:
    all_seeds = compared(2, 3).xs("all", level="seeds")
    confirming = compared(2, 3).xs("confirming", level="seeds")

    pd.testing.assert_frame_equal(all_seeds, confirming)
    assert (confirming["looked_at"] == confirming["n"]).all()


def test_all_leads_but_the_primary_one_are_corrected_together() -> None:
    table = compared(22, 30, 31).xs("all", level="seeds")
    assert pd.isna(table.loc[PRIMARY, "lead_holm"])

    leads = table.drop(index=PRIMARY).dropna(subset="lead_p")
    # Ten readers have a rival, in two kinds and in six cells, each a form in a dose.
    assert len(leads) == 10 * 2 * 6 - 1
    # Three seeds give p >= 2 / 2^3. The smallest p-value times 119 leads is above 1, the maximum.
    assert leads["lead_p"].min() == 0.25
    assert (leads["lead_holm"] == 1).all()


def test_a_run_of_one_seed_has_no_numbers() -> None:
    table = compared(4)
    assert (table["n"] == 0).all()
    assert table[["auroc", "low", "lead", "lead_p", "lead_holm", "shuffled"]].isna().all(axis=None)

    shown = memorisation_inside.fill(inside=table.reset_index()).shown
    assert (shown.drop(columns=["Reads", "Times", "Lead over"]) == "").all(axis=None)


def test_the_output_is_all_likelihoods_and_what_a_black_box_shows_after_the_question() -> None:
    assert set(ANSWER) == {"confidence", "entropy", "log_prob", "log_rank"}
    # The loss of the question, and the 11 likelihoods of `logit_lens`.
    assert len(LIKELIHOODS) == 12
    assert set(READERS["output"].columns) == {*LIKELIHOODS, *ANSWER}


def test_the_table_shows_the_confirming_seeds() -> None:
    table = compared(22, 30, 31)
    recall = table.loc[("answer", "recall", "verbatim", 64, "confirming"), "auroc"]
    reasoning = table.loc[("answer", "reasoning", "verbatim", 64, "confirming"), "auroc"]

    filled = memorisation_inside.fill(inside=table.reset_index())

    shown = filled.shown.set_index(["Reads", "Times"])
    assert shown.loc[("answer", "64"), "Verbatim"] == f"{recall:.2f} / {reasoning:.2f}"
    assert (shown.loc["output, surface", "Lead over"] == "output").all()


def test_each_dose_of_paraphrases_has_numbers_and_a_row_of_its_own() -> None:
    seeds = (22, 30, 31)
    table = compared(*seeds)

    filled = memorisation_inside.fill(inside=table.reset_index())

    shown = filled.shown.set_index(["Reads", "Times"])
    # "0.141 (-0.554 to 0.835)" -> "0.141"
    shown_leads = shown["Lead, reasoning"].str.split(" ").str[0]
    assert shown.loc["output"].index.tolist() == ["4", "16", "64"]

    for dose in (4, 16, 64):
        by_reader = {}
        for reader in ("likelihoods", "output"):
            columns = READERS[reader].columns
            # Seed 22 had been looked at: the classifiers are fitted on it, but it is not shown.
            areas = [area_by_hand(items(*seeds), columns, "reasoning", n, dose) for n in (30, 31)]
            by_reader[reader] = float(np.mean(areas))
        lead = by_reader["output"] - by_reader["likelihoods"]

        row = table.loc[("output", "reasoning", "paraphrase", dose, "confirming")]
        assert row["auroc"] == pytest.approx(by_reader["output"])
        assert row["lead"] == pytest.approx(lead)
        # Three decimals are shown.
        assert float(shown_leads["output", str(dose)]) == pytest.approx(lead, abs=0.0005)
