"""Splits, controls and summaries on data whose right answer is known by construction."""

import numpy as np
import pandas as pd
import pytest

from mechaware.radar.ensemble.controls import accuracy_by_seed, evaluate
from mechaware.radar.ensemble.splits import cross_predict, fold_of_each
from mechaware.radar.features.features import FEATURES
from mechaware.radar.frames import pairs
from mechaware.radar.study.summaries import compare_controls, discriminate, performance

FOLDS = 4
INTERVALS = {"resamples": 200, "seed": 3, "level": 0.95}


def noise(n: int, seed: int, paired: bool = False) -> pd.DataFrame:
    """2n prompts with random features, equal length and no telling words."""
    generator = np.random.default_rng(seed)
    table = pd.DataFrame(generator.normal(size=(2 * n, len(FEATURES))), columns=list(FEATURES))
    label = ["recall", "reasoning"] * n
    ids = [f"p{i // 2}-{label[i]}" if paired else f"x{i}" for i in range(2 * n)]
    return table.assign(id=ids, label=label, category="c", n_tokens=10, prompt="same words")


def test_pairs_are_never_split_and_every_prompt_is_held_out_once() -> None:
    table = noise(20, 1, paired=True)
    fold = fold_of_each(table, pairs(table), folds=FOLDS, seed=5)
    assert (pd.Series(fold).groupby(pairs(table)).nunique() == 1).all()
    assert np.bincount(fold).tolist() == [10] * FOLDS
    assert (table.groupby(fold)["label"].value_counts() == 5).all()


def test_folds_are_stratified_without_pairs() -> None:
    table = noise(20, 1)
    fold = fold_of_each(table, pairs(table), folds=FOLDS, seed=5)
    assert (table.groupby(fold)["label"].value_counts() == 5).all()


def test_cross_prediction_never_shows_a_system_what_it_predicts() -> None:
    table = noise(8, 1)
    fold = fold_of_each(table, pairs(table), folds=FOLDS, seed=5)

    def fit_predict(training: pd.DataFrame, held: pd.DataFrame) -> pd.DataFrame:
        assert len(training) + len(held) == len(table)
        assert set(training["id"]).isdisjoint(held["id"])
        return held[["id"]].assign(predicted="recall")

    assert cross_predict(table, fold, fit_predict)["id"].tolist() == table["id"].tolist()


def accuracies(training: pd.DataFrame, table: pd.DataFrame) -> pd.Series:
    """Accuracy by protocol, system and reduction when both reductions give the same features."""
    both = {"sum": (training, table), "mean": (training, table)}
    predictions = evaluate(both, folds=FOLDS, seed=1, fold_seed=2)
    right = predictions["predicted"] == predictions["label"]
    return right.groupby([predictions[name] for name in ("protocol", "system", "reduction")]).mean()


def test_where_only_length_tells_only_length_is_right() -> None:
    longer = {"n_tokens": [5, 25] * 20}
    accuracy = accuracies(noise(20, 1).assign(**longer), noise(20, 2).assign(**longer))
    assert (accuracy.xs("prompt_length", level="system") == 1).all()
    assert (accuracy.drop("prompt_length", level="system") < 0.75).all()


def test_where_only_words_tell_only_words_are_right() -> None:
    telling = {"prompt": ["the capital of Peru", "if x then y"] * 20}
    accuracy = accuracies(noise(20, 1).assign(**telling), noise(20, 2).assign(**telling))
    assert (accuracy.xs("bag_of_words", level="system") == 1).all()
    assert (accuracy.drop("bag_of_words", level="system") < 0.75).all()


def test_where_only_a_surface_feature_tells_the_mechanistic_half_is_blind() -> None:
    training, table = noise(20, 1), noise(20, 2)
    for one in (training, table):
        one["mean_entropy"] = np.where(one["label"] == "recall", 4.0, -4.0)
    accuracy = accuracies(training, table)
    assert (accuracy.xs("surface_only", level="system") == 1).all()
    assert (accuracy.xs("radar", level="system") > 0.85).all()  # not 1: 36 features of noise vote too
    assert (accuracy.xs("mechanistic_only", level="system") < 0.75).all()


def test_the_majority_of_a_balanced_set_is_reasoning_as_in_the_vote() -> None:
    predictions = evaluate({"sum": (noise(20, 1), noise(20, 2))}, folds=FOLDS, seed=1, fold_seed=2)
    assert set(predictions.query("system == 'majority_class'")["predicted"]) == {"reasoning"}


def test_a_set_of_one_class_is_predicted_but_not_cross_validated() -> None:
    one_class = noise(20, 2).query("label == 'recall'").reset_index(drop=True)
    predictions = evaluate({"sum": (noise(20, 1), one_class)}, folds=FOLDS, seed=1, fold_seed=2)
    assert set(predictions["protocol"]) == {"trained"}
    spread = accuracy_by_seed(noise(20, 1), one_class, folds=FOLDS, seeds=2, seed=1)
    assert set(spread["protocol"]) == {"trained"}
    assert discriminate(one_class).empty


def test_performance_counts_overall_by_label_and_by_category() -> None:
    # Worked out by hand: 3 of 5 right, 2 of 3 recall, 1 of 2 reasoning; category a 2 of 2, b 1 of 3; one tie.
    table = pd.DataFrame(
        {
            "id": list("vwxyz"),
            "label": ["recall", "recall", "recall", "reasoning", "reasoning"],
            "predicted": ["recall", "recall", "reasoning", "reasoning", "recall"],
            "category": list("aabbb"),
            "tie": [False, False, True, False, False],
        }
    )
    rows = performance(table, table["id"], **INTERVALS).set_index("slice")
    assert rows["correct"].to_dict() == {
        "overall": 3,
        "recall_tasks": 2,
        "reasoning_tasks": 1,
        "category:a": 2,
        "category:b": 1,
    }
    assert rows["n"].tolist() == [5, 3, 2, 2, 3]
    assert rows["ties"].tolist() == [1, 1, 0, 0, 1]
    # Clopper-Pearson where all of two are right: the lower end is (0.025)^(1/2).
    assert rows.loc["category:a", "exact_low"] == pytest.approx(0.025**0.5)


def _predictions(system: str, right: str, order: str, pairs: dict[str, str] | None = None) -> pd.DataFrame:
    """Recall prompts named by single letters, of which a system has some right; each alone or in `pairs`."""
    return pd.DataFrame(
        {
            "id": list(order),
            "group": [pairs[one] if pairs else one for one in order],
            "label": "recall",
            "predicted": ["recall" if one in right else "reasoning" for one in order],
            "protocol": "trained",
            "system": system,
            "reduction": "sum" if system == "radar" else "",
            "tie": False,
        }
    )


SPREAD = pd.DataFrame({"protocol": "trained", "reduction": "sum", "accuracy": [0.5, 0.75], "draw": [0, 1]})


def test_a_comparison_pairs_prompts_by_id() -> None:
    # RADAR is right on a, b, c, d; length on c, d, e, f, whatever the order of the rows: discordant 2 and 2, p = 1.
    predictions = pd.concat([_predictions("radar", "abcd", "abcdef"), _predictions("prompt_length", "cdef", "fedcba")])
    table = compare_controls(predictions, SPREAD, reduction="sum", **INTERVALS).set_index("system")
    assert table.loc["prompt_length", "p_against_radar"] == 1.0
    assert np.isnan(table.loc["radar", "p_against_radar"])
    assert table.loc["prompt_length", "radar_lead"] == 0
    assert np.isnan(table.loc["radar", "radar_lead"])
    assert table.loc["radar", ["seeds", "seed_mean", "seed_min", "seed_max"]].tolist() == [2, 0.625, 0.5, 0.75]
    assert table["accuracy"].tolist() == [pytest.approx(4 / 6)] * 2


def test_radars_lead_draws_pairs_whole() -> None:
    # RADAR is right everywhere, length in pairs 2 and 3 alone: ahead by 4 of 8. Four drawn pairs are all of 2 and 3 in
    # 1 of 16 draws, and all of 0 and 1 in as many: more than 2.5% at either end, so the interval is 0 to 1. Eight drawn
    # prompts would all be of one half in 1 of 256.
    pairs = dict(zip("abcdefgh", "00112233", strict=True))
    predictions = pd.concat(
        [_predictions("radar", "abcdefgh", "abcdefgh", pairs), _predictions("prompt_length", "efgh", "hagbfced", pairs)]
    )
    table = compare_controls(predictions, SPREAD, reduction="sum", **INTERVALS).set_index("system")
    lead = table.loc["prompt_length", ["radar_lead", "radar_lead_low", "radar_lead_high"]]
    assert lead.tolist() == [0.5, 0.0, 1.0]
    # Two pairs differ, both in RADAR's favour: 2 of the 4 signs are as far out.
    assert table.loc["prompt_length", "p_against_radar"] == 0.5
