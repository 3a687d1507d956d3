"""RADAR's score, and the isolation forest on its features."""

import numpy as np

from mechaware.radar.detectors.radar import score_isolation, score_radar
from tests.unit.radar.detectors.made_evidence import items_under_two_models, scored, tokens


def test_the_score_is_the_probability_of_recall() -> None:
    evidence = scored(tokens([-1]), tokens([-2]), p_recall=np.array([0.75, 0.125]))
    assert score_radar(evidence, 0).tolist() == [0.75, 0.125]


def test_the_row_at_the_ends_of_all_ranges_scores_highest() -> None:
    evidence = items_under_two_models(30, seed=1)
    evidence.features.iloc[17] = 9.0  # the others are standard normal
    scores = score_isolation(evidence, 0)
    assert scores.argmax() == 17
    assert ((scores > 0) & (scores < 1)).all()


def test_columns_are_found_by_name() -> None:
    evidence = items_under_two_models(10, seed=2)
    reversed_columns = evidence._replace(features=evidence.features[evidence.features.columns[::-1]])
    assert score_isolation(evidence, 5).tolist() == score_isolation(reversed_columns, 5).tolist()
