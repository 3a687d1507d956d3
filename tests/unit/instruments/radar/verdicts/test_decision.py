"""The verdict: its p-values by enumeration and by hand, what confounds it,
and its reason in words.
"""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from mechaware.core.stats.roc import area_under_roc
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.verdicts import decision
from mechaware.instruments.radar.verdicts.blind_rows import BLIND_ROWS, BlindTest, blind_tests
from mechaware.instruments.radar.verdicts.conformal import item_tests
from mechaware.instruments.radar.verdicts.decision import DetectorTest, conclude
from mechaware.models.summaries import TokenScores

WORDS = ["river", "stone", "cloud", "lamp", "grass", "wheel", "sugar", "paper", "clock"]


def texts_of(n: int, generator: np.random.Generator, words: list[str] = WORDS) -> list[str]:
    """Questions and answers that name two random words each."""
    texts = []
    for _ in range(n):
        texts.append(f"Where is the {generator.choice(words)}? In the {generator.choice(words)}.")
    return texts


def evidence_of(texts: list[str], n_layers: int = 2) -> Evidence:
    """Evidence with a token for each word, and zeros for all scores and states:
    blind tests only count the tokens.
    """
    scores = []
    for text in texts:
        n_tokens = len(text.split())
        zeros = np.zeros(n_tokens)
        scores.append(TokenScores(np.arange(n_tokens), zeros, zeros, zeros, zeros))
    return Evidence(texts, texts, scores, states=np.zeros((len(texts), n_layers, 8)))


def table(items: list[float], control: list[float], **more: list[float]) -> pd.DataFrame:
    """The scores of the items and of the control by the loss, and by the detectors in `more`."""
    is_control = [False] * len(items) + [True] * len(control)
    ids = [f"i{number}" for number in range(len(is_control))]
    return pd.DataFrame({"id": ids, "loss": [*items, *control], **more, "control": is_control})


def enumerated_p(items: list[float], control: list[float]) -> float:
    """The share of all ways to choose the items whose AUROC is at least the observed one."""
    values = np.array([*items, *control], dtype=float)
    areas = []
    for chosen in combinations(range(len(values)), len(items)):
        areas.append(area_under_roc(values[list(chosen)], np.delete(values, chosen)))
    # The first choice is the observed items.
    return float(np.mean(np.array(areas) >= areas[0] - 1e-12))


@pytest.mark.parametrize(
    ("items", "control", "p"),
    [
        ([3, 4], [1, 2], 1 / 6),  # one of the six splits
        ([1, 2], [3, 4], 1.0),
        ([5, 5, 5], [5, 5, 5], 1.0),
        ([1, 5, 7, 9], [2, 3, 4, 6], enumerated_p([1, 5, 7, 9], [2, 3, 4, 6])),
        ([2, 2, 3, 5], [1, 2, 2, 3, 3], enumerated_p([2, 2, 3, 5], [1, 2, 2, 3, 3])),  # ties
    ],
)
def test_the_p_of_a_detector_is_the_share_of_splits_with_as_large_an_area(
    items: list[float], control: list[float], p: float
) -> None:
    is_item = np.arange(len(items + control)) < len(items)
    (test,) = decision.detector_tests(table(items, control)[["loss"]], is_item, 0)
    assert test.p == pytest.approx(p)
    wins = [(item > other) + (item == other) / 2 for item in items for other in control]
    assert test.auroc == pytest.approx(np.mean(wins))


def test_large_sets_have_a_finite_p() -> None:
    """scipy's exact distribution overflows there."""
    is_item = np.arange(2000) < 1000
    scores = np.random.default_rng(0).normal(size=2000) + 0.2 * is_item
    (test,) = decision.detector_tests(pd.DataFrame({"loss": scores}), is_item, 0)
    assert 0 < test.p < 1e-3


def test_holms_correction_multiplies_the_smallest_p_most() -> None:
    """p is 1/6, 1/6 and, for zlib, where two splits of six are as large, 2/6.

    Adjusted: 3 x 1/6 for the first, and then no less: 2 x 1/6 and 1 x 2/6 are raised to it.
    """
    scores = table([3, 4], [1, 2], reference=[3, 4, 1, 2], zlib=[2, 4, 1, 3])
    scores = scores[["loss", "reference", "zlib"]]
    tests = decision.detector_tests(scores, np.array([True, True, False, False]), 0)
    assert [test.p for test in tests] == pytest.approx([1 / 6, 1 / 6, 2 / 6])
    assert [test.p_adjusted for test in tests] == pytest.approx([3 / 6] * 3)
    assert tests[0].method == "Holm"


def test_an_items_p_counts_the_controls_that_score_at_least_as_high() -> None:
    """Of three controls one reaches 3, and two reach 1: (1 + 1) / (1 + 3) and (1 + 2) / (1 + 3).

    By Benjamini and Hochberg the smaller p becomes 2 x 0.5, but at most the adjusted larger p,
    0.75.
    """
    items = item_tests([("i0", "a"), ("i1", "b")], np.array([1.0, 3.0]), np.array([0.0, 2, 3]))
    assert [(item.id, item.p, item.p_adjusted) for item in items] == [
        ("i1", 0.5, 0.75),
        ("i0", 0.75, 0.75),
    ]
    assert items[0].method == "Benjamini and Hochberg"


def test_the_bag_of_words_compares_each_text_with_all_others() -> None:
    texts = ["a red car", "the red bus", "a blue sea!", "blue sky", "a blue ocean", "blue"]
    vectorizer = TfidfVectorizer(lowercase=False, token_pattern=r"\w+|[^\w\s]")
    vectors = vectorizer.fit_transform(texts).toarray()
    cosines = vectors @ vectors.T  # of vectors of length 1
    scores = []
    for row in range(6):
        other_items = [other for other in (0, 1, 2) if other != row]
        other_controls = [other for other in (3, 4, 5) if other != row]
        scores.append(cosines[row, other_items].mean() - cosines[row, other_controls].mean())

    tokens = evidence_of(["a a a", "a a", "a", "a a", "a", "a"]).scores
    tests = blind_tests(texts, tokens, np.arange(6) < 3, 0)
    assert [test.row for test in tests] == list(BLIND_ROWS)
    expected = area_under_roc(np.array(scores[:3]), np.array(scores[3:]))
    assert tests[3].auroc == pytest.approx(expected)
    # Characters: 9, 11, 11 against 8, 12, 4, six of nine comparisons won. Words: 3, 3, 3 against 2,
    # 3, 1, six won and three tied. Tokens: 3, 2, 1 against 2, 1, 1, five won and three tied.
    assert [test.auroc for test in tests[:3]] == pytest.approx([6 / 9, 7.5 / 9, 6.5 / 9])


def test_texts_that_are_nearer_to_the_other_side_tell_nothing_by_their_words() -> None:
    """Each of the nine words is the text of an item and of a control.

    An item's mean cosine with the other items is 0, and with the controls 1/9; for a control it is
    the reverse. So all items score below all controls: an AUROC of 0, which shows that nothing was
    learnt. Lengths are alike, with an AUROC of 1/2.
    """
    texts = WORDS * 2
    tests = blind_tests(texts, evidence_of(texts).scores, np.arange(18) < 9, 0)
    assert [test.auroc for test in tests] == pytest.approx([0.5, 0.5, 0.5, 0])
    assert tests[3].p == 1


@pytest.mark.parametrize("pair", ["same", "longer", "other words"])
def test_texts_of_two_kinds_have_a_small_p_and_texts_of_one_kind_rarely(pair: str) -> None:
    small = 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        items = texts_of(20, generator)
        control = texts_of(20, generator)
        if pair == "longer":
            items = [f"{text} Really." if number % 4 else text for number, text in enumerate(items)]
        if pair == "other words":
            items = texts_of(20, generator, ["moon", "sun"])
        texts = items + control
        tests = blind_tests(texts, evidence_of(texts).scores, np.arange(40) < 20, seed)
        # p is corrected for the four rows, so that their minimum is at most 0.05 by chance in one
        # of twenty.
        small += min(test.p for test in tests) <= 0.05
    if pair == "same":
        assert small <= 5  # by chance, more than 5 of 40 have a small p in 1.4% of such tests
    else:
        assert small >= 38


@pytest.mark.parametrize(
    ("detector", "blind", "status"),
    [
        # AUROC and adjusted p of the detector, and of the blind row. A significant row confounds if
        # it is 0.1 or more from 0.5 or, beside a significant detector, at least half as far from
        # 0.5 as that detector.
        ((0.8, 0.01), (0.55, 0.4), "seen"),
        ((0.8, 0.05), (0.55, 0.4), "seen"),  # a p of exactly the level
        ((0.8, 0.06), (0.55, 0.4), "not shown"),
        ((0.8, 0.01), (0.6, 0.05), "confounded"),
        ((0.8, 0.01), (0.4, 0.05), "confounded"),  # the control's texts are the longer ones
        ((0.8, 0.06), (0.6, 0.05), "confounded"),
        ((0.8, 0.01), (0.7, 0.06), "seen"),  # a chance difference
        ((0.8, 0.01), (0.58, 0.01), "seen"),  # 0.08 from 0.5, less than 0.1 and than half of 0.3
        ((0.6, 0.01), (0.58, 0.01), "confounded"),  # 0.08 from 0.5, more than half of 0.1
        ((0.6, 0.06), (0.58, 0.01), "not shown"),  # 0.08 from 0.5, and no significant detector
    ],
)
def test_a_blind_row_that_is_significant_and_large_confounds(
    detector: tuple[float, float], blind: tuple[float, float], status: str
) -> None:
    tests = [
        DetectorTest("loss", detector[0], detector[1] / 2, detector[1]),
        DetectorTest("zlib", 0.5, 0.5, 0.5),
    ]
    blind_rows = [BlindTest("words", *blind), BlindTest("tokens", 0.5, 1.0)]
    concluded, reason = conclude(tests, blind_rows, 0.05)
    assert concluded == status
    auroc = blind[0] if status == "confounded" else detector[0]
    assert f"AUROC {auroc:.2f}" in reason


def test_of_detectors_with_one_p_the_reason_names_the_one_that_separates_most() -> None:
    tests = [DetectorTest("loss", 0.7, 0.01, 0.02), DetectorTest("zlib", 0.9, 0.01, 0.02)]
    status, reason = conclude(tests, [BlindTest("words", 0.5, 1.0)], 0.05)
    assert status == "seen"
    assert "(zlib, AUROC 0.90, p = 0.02 after Holm's correction for 2)" in reason


def test_in_the_reason_the_score_by_the_loss_is_minus_the_loss() -> None:
    """The items have a lower loss than the control, and hence a higher score."""
    status, reason = conclude([DetectorTest("loss", 0.9, 0.01, 0.01)], [], 0.05)
    assert status == "seen"
    assert reason == "the items score above the control (minus the loss, AUROC 0.90, p = 0.01)"


def scores_of_few(n_far: int) -> np.ndarray:
    """The scores of 48 items and 48 controls, equal except that `n_far` of the
    items score 8 higher.
    """
    spread = np.linspace(-1, 1, 48)
    items = spread.copy()
    # Items all over the spread, and not the highest ones.
    items[: 9 * n_far : 9] += 8
    return np.concatenate([items, spread])


def test_a_few_high_items_move_a_mean_and_hardly_a_rank() -> None:
    scores = pd.DataFrame({"loss": scores_of_few(5)})

    is_item = np.arange(96) < 48
    (test,) = decision.with_p_of_means(decision.detector_tests(scores, is_item, 0), scores, is_item)

    assert test.p > 0.05
    # By hand: a lead of 5 x 8 / 48 = 0.833, over the square root of (the variances of both
    # sides) / 48.
    items = scores["loss"][:48]
    control = scores["loss"][48:]
    t = (5 * 8 / 48) / np.sqrt((items.var() + control.var()) / 48)
    assert t == pytest.approx(2.28, abs=0.005)
    # With 52 degrees of freedom a t of 2.28 has a one-sided p of 0.0134.
    assert test.p_of_means == pytest.approx(0.0134, abs=0.0003)

    status, _ = conclude([test], [], 0.05)
    assert status == "not shown"


@pytest.mark.parametrize(
    ("items", "control"),
    [
        pytest.param([5.0], [1.0, 2.0], id="one item"),
        pytest.param([2.0, 2.0], [2.0, 2.0], id="no spread"),
    ],
)
def test_means_without_a_variance_have_no_p(items: list[float], control: list[float]) -> None:
    scores = table(items, control)[["loss"]]
    is_item = np.arange(len(scores)) < len(items)
    (test,) = decision.with_p_of_means(decision.detector_tests(scores, is_item, 0), scores, is_item)
    assert test.p_of_means is None
