"""The table of scores: its columns, the truth, blind scores, and scores by a user's own detectors.

Blind scores read texts and never a model, so they cannot tell seen from unseen items.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mechaware.instruments.radar.detectors.columns import (
    BLIND,
    IDENTITY,
    KIND_READERS,
    QUESTION_LOSS,
    SHUFFLED,
)
from mechaware.instruments.radar.detectors.detector import Detector, required
from mechaware.instruments.radar.detectors.registry import DETECTORS
from mechaware.instruments.radar.detectors.sequences import OVERLAP
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.planted.twins.items import TWINS, Item
from mechaware.planted.twins.planting import Planted
from mechaware.planted.twins.scoring import read_scores, score_twins, score_twins_by_own
from tests.unit.instruments.radar.detectors.made_evidence import items_under_two_models
from tests.unit.models.tiny_llama import with_start

SEED = 3
QUESTION_READERS = (
    "question_characters",
    "question_frequency",
    "question_frequency_fitted",
    "question_words",
    "question_letters",
)


@pytest.fixture(scope="module")
def items(planted: Planted) -> list[Item]:
    return list(planted.plan.items)


@pytest.fixture(scope="module")
def evidence(items: list[Item]) -> dict[str, Evidence]:
    """Random measurements of the items, drawn anew for each twin."""
    made = {}
    for seed, twin in enumerate(TWINS):
        # Two rows for each of n / 2 items: as many rows as there are items here.
        drawn = items_under_two_models(len(items) // 2, seed)
        texts = [item.line.text for item in items]
        groups = [item.id for item in items]
        made[twin] = drawn._replace(
            texts=texts,
            groups=groups,
            features=None,
            p_recall=None,
            corpus=None,
            token_counts=None,
            seen=None,
        )
    return made


@pytest.fixture(scope="module")
def corpora(planted: Planted) -> dict[str, list[str]]:
    """By twin, the texts that it has read: first those of the clean base C, then its own."""
    texts = {}
    for twin in TWINS:
        lines = planted.corpora["C"] + planted.corpora[twin]
        texts[twin] = [line.text for line in lines]
    return texts


@pytest.fixture(scope="module")
def score(
    evidence: dict[str, Evidence],
    items: list[Item],
    corpora: dict[str, list[str]],
    planted: Planted,
) -> Callable[[], pd.DataFrame]:
    """A function that scores the items, anew at each call.

    The evidence has no features, because fitting RADAR's ensembles on them takes a second a fold.
    """
    item_numbers = np.arange(len(items), dtype=float)
    answers = {
        "A": pd.DataFrame({"question_log_likelihood": item_numbers}),
        "B": pd.DataFrame({"question_log_likelihood": 100.0 + item_numbers}),
    }
    tokenizer = with_start(item.line.text for item in items)

    def score_again() -> pd.DataFrame:
        return score_twins(
            evidence,
            answers,
            items,
            corpora=corpora,
            fitting=planted.held_out.fitting,
            tokenizer=tokenizer,
            token_counts=np.ones(len(tokenizer), dtype=int),
            seed=SEED,
        )

    return score_again


@pytest.fixture(scope="module")
def table(score: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    return score()


def auroc(seen: pd.Series, values: pd.Series) -> float:
    """The share of pairs of a seen and an unseen row in which the seen row has the higher value.

    A tie counts one half.
    """
    difference = values[seen].to_numpy()[:, None] - values[~seen].to_numpy()[None, :]
    return float(((difference > 0) + 0.5 * (difference == 0)).mean())


def test_a_row_is_an_item_under_a_twin_and_seen_if_the_item_was_planted_in_this_twin(
    table: pd.DataFrame, items: list[Item]
) -> None:
    rows = []
    for twin in TWINS:
        for item in items:
            rows.append((twin, item.id, item.kind, item.form, item.dose, item.half == twin))
    assert list(table[list(IDENTITY)].itertuples(index=False, name=None)) == rows


def test_the_columns_are_identity_shuffled_truth_scores_shuffled_scores_and_question_readers(
    table: pd.DataFrame,
) -> None:
    not_measured = {"features", "p_recall"}
    detectors = [detector.name for detector in DETECTORS if not_measured.isdisjoint(detector.needs)]
    scores = [*detectors, QUESTION_LOSS, *BLIND]
    shuffled = [f"{SHUFFLED}_{name}" for name in scores]
    assert table.columns.tolist() == [
        *IDENTITY,
        f"{SHUFFLED}_seen",
        *scores,
        *shuffled,
        *QUESTION_READERS,
    ]
    # All readers of the kind have a column except RADAR, whose `p_recall` is not measured here.
    assert set(KIND_READERS) - {"radar"} <= set(table.columns)
    assert not table.isna().any().any()


def test_the_score_by_the_loss_of_the_question_is_its_log_likelihood_under_the_twin(
    table: pd.DataFrame, items: list[Item]
) -> None:
    under_a = table.loc[table["twin"] == "A", QUESTION_LOSS]
    under_b = table.loc[table["twin"] == "B", QUESTION_LOSS]
    assert under_a.tolist() == list(range(len(items)))
    assert under_b.tolist() == [100 + number for number in range(len(items))]


def test_a_score_of_the_text_has_an_auroc_of_exactly_one_half_in_every_cell(
    table: pd.DataFrame,
) -> None:
    """A text has the same score under both twins, once seen and once unseen.

    The bag of words also reads texts, but it is fitted within each twin, so its two scores of a
    text differ.
    """
    scores_of_text = {*BLIND, *QUESTION_READERS} - {"bag_of_words"}
    cells = table.groupby(["kind", "form", "dose"])
    # Two kinds, each in nine conditions of form and dose.
    assert len(cells) == 2 * 9
    for _, rows in cells:
        for name in scores_of_text:
            assert auroc(rows["seen"], rows[name]) == 0.5
            assert auroc(rows[f"{SHUFFLED}_seen"], rows[name]) == 0.5
    for name in scores_of_text:
        assert auroc(table["seen"], table[name]) == 0.5


def test_shuffling_swaps_the_truths_of_both_rows_of_an_item_or_of_neither(
    table: pd.DataFrame,
) -> None:
    is_swapped = table["seen"] != table[f"{SHUFFLED}_seen"]
    by_item = is_swapped.groupby(table["id"])
    assert (by_item.nunique() == 1).all()
    # Of 36 tosses of a fair coin, fewer than 7 or more than 29 are heads with a chance of 7e-5.
    assert len(by_item) == 36
    assert 7 <= by_item.first().sum() <= 29
    assert (table.groupby("id")[f"{SHUFFLED}_seen"].sum() == 1).all()


def test_a_shuffled_truth_changes_only_scores_that_learn_from_it(table: pd.DataFrame) -> None:
    """The only detector that learns from the truth needs features, so it has no column here."""
    for detector in DETECTORS:
        name = detector.name
        if name in table:
            assert np.array_equal(table[name], table[f"{SHUFFLED}_{name}"]), name
    assert not np.array_equal(table["bag_of_words"], table[f"{SHUFFLED}_bag_of_words"])


def test_the_overlap_of_an_item_is_with_the_corpus_of_its_own_twin(
    table: pd.DataFrame, evidence: dict[str, Evidence], corpora: dict[str, list[str]]
) -> None:
    for twin in TWINS:
        rows = table[table["twin"] == twin]
        own = evidence[twin]._replace(corpus=[corpora[twin]] * len(rows))
        np.testing.assert_array_equal(rows["overlap"], OVERLAP.score(own, SEED))
        assert (rows["overlap"][rows["seen"] & (rows["form"] == "verbatim")] == 1).all()
        assert (rows["overlap"][~rows["seen"]] == 0).all()


def test_a_users_detector_gets_the_rows_the_corpora_and_the_truths_that_our_detectors_get(
    table: pd.DataFrame,
    evidence: dict[str, Evidence],
    items: list[Item],
    corpora: dict[str, list[str]],
) -> None:
    def score_truth(given: Evidence, seed: int) -> np.ndarray:
        return seed + required(given.seen).astype(float)

    truth = Detector(
        name="my_truth", label="truth", source="ours", needs=("seen",), score=score_truth
    )
    overlap = OVERLAP._replace(name="my_overlap")
    own = score_twins_by_own(
        evidence,
        items,
        corpora,
        token_counts=np.ones(1, dtype=int),  # neither detector reads them
        detectors=(overlap, truth),
        seed=SEED,
    )
    scored = ["my_overlap", "my_truth"]
    assert own.columns.tolist() == [
        *IDENTITY,
        f"{SHUFFLED}_seen",
        *scored,
        *(f"{SHUFFLED}_{name}" for name in scored),
    ]
    pd.testing.assert_frame_equal(own[[*IDENTITY]], table[[*IDENTITY]])
    assert own["my_overlap"].tolist() == table["overlap"].tolist()
    # The score is the seed, 3, plus 1 for a seen row.
    assert own["my_truth"].tolist() == [3.0 + seen for seen in table["seen"]]
    assert own["shuffled_my_truth"].tolist() == [3.0 + seen for seen in table["shuffled_seen"]]


def test_a_users_scores_are_joined_by_twin_and_item_after_our_scores(tmp_path: Path) -> None:
    rows = pd.DataFrame(
        {
            "twin": ["A", "A", "B"],
            "id": ["i1", "i2", "i1"],
            "kind": "recall",
            "form": "verbatim",
            "dose": 4,
            "seen": [True, False, False],
            "shuffled_seen": [False, False, True],
        }
    )
    ours = tmp_path / "scores.parquet"
    own = tmp_path / "own_scores.parquet"
    rows.assign(loss=[1.0, 2.0, 3.0]).to_parquet(ours)
    in_another_order = rows.assign(mine=[10.0, 20.0, 30.0]).iloc[[2, 0, 1]]
    in_another_order.to_parquet(own)

    (joined,) = read_scores([ours], [own])
    assert joined.columns.tolist() == [*rows.columns, "loss", "mine"]
    assert joined[["id", "loss", "mine"]].to_numpy().tolist() == [
        ["i1", 1.0, 10.0],
        ["i2", 2.0, 20.0],
        ["i1", 3.0, 30.0],
    ]

    (without_own,) = read_scores([ours], [])
    pd.testing.assert_frame_equal(without_own, rows.assign(loss=[1.0, 2.0, 3.0]))


def test_the_same_seed_gives_the_same_table(
    table: pd.DataFrame, score: Callable[[], pd.DataFrame]
) -> None:
    pd.testing.assert_frame_equal(score(), table)
