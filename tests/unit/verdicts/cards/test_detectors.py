"""The tables of detectors, written by hand, become the units of their cards."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.verdicts.cards.detectors import detectors
from tests.unit.verdicts.cards.saved_tables import saved, units


def test_in_the_card_of_a_detector_verbatim_items_come_first_by_falling_dose(
    tmp_path: Path,
) -> None:
    """Further columns of the file, such as the length, are no detectors."""
    rows = pd.DataFrame(
        [
            ("A", "i1", "recall", "contradicted", 64, True, 0.5),
            ("A", "i2", "reasoning", "verbatim", 4, True, 2.0),
            ("B", "i2", "reasoning", "verbatim", 4, False, 1.0),
            ("A", "i3", "recall", "verbatim", 16, False, 3.0),
            ("A", "i4", "recall", "answer_only", 16, False, 4.0),
        ],
        columns=["twin", "id", "kind", "form", "dose", "seen", "loss"],
    )
    rows = rows.assign(shuffled_loss=np.arange(5.0), length=7, unshuffled=0.0)
    (loss,) = detectors([saved(rows, tmp_path / "s3/scores.parquet")])

    assert (loss.name, loss.cut) == ("loss", None)
    assert units(loss, "unit", "group", "part", "condition", "truth", "score") == [
        ("s3/A/i3", "s3", "recall", "verbatim, read 16x", False, 3.0),
        ("s3/A/i2", "s3", "reasoning", "verbatim, read 4x", True, 2.0),
        ("s3/B/i2", "s3", "reasoning", "verbatim, read 4x", False, 1.0),
        ("s3/A/i1", "s3", "recall", "contradicted, read 64x", True, 0.5),
        ("s3/A/i4", "s3", "recall", "answer only, read 16x", False, 4.0),
    ]


def must_not_score(evidence: Any, seed: int) -> Any:
    """Cards read scores from files."""
    raise AssertionError(f"a card asked for scores of {evidence} with seed {seed}")


MINE = Detector("mine", "my certainty", "Me 2026", (), must_not_score)


def test_cards_have_the_labels_and_sources_of_their_detectors_the_users_own_included(
    tmp_path: Path,
) -> None:
    items = pd.DataFrame(
        {"twin": ["A", "B"], "id": "x", "kind": "recall", "form": "verbatim", "dose": 1}
    )
    items = items.assign(seen=[True, False], shuffled_seen=[True, False])
    ours = items.assign(min_k=[1.0, 2.0], shuffled_min_k=[1.0, 2.0])
    own = items.assign(mine=[3.0, 5.0], shuffled_mine=[3.0, 5.0])
    scores = saved(ours, tmp_path / "s0/scores.parquet")
    own_scores = saved(own, tmp_path / "s0/own_scores.parquet")
    cards = {card.name: card for card in detectors([scores], [own_scores], [MINE])}

    assert {name: card.label for name, card in cards.items()} == {
        "min_k": "Min-K%",
        "mine": "my certainty",
    }
    assert "Source: Me 2026 (your own)." in cards["mine"].claims
    assert {name: [*card.sources.values()] for name, card in cards.items()} == {
        "min_k": ["scripts/radar/score_twins.py"],
        "mine": ["scripts/radar/score_twins_by_own.py"],
    }
    assert cards["mine"].rows["score"].tolist() == [3.0, 5.0]


def test_docstrings_are_a_part_of_a_card_with_seeds_of_their_own(tmp_path: Path) -> None:
    """Twins that read docstrings are others than twins of the same seed that read names.

    The question's loss was measured on names alone: its card has no rows of docstrings.
    """
    items = pd.DataFrame(
        {"twin": ["A", "B"], "id": "x", "kind": "recall", "form": "verbatim", "dose": 4}
    )
    items = items.assign(seen=[True, False], shuffled_seen=[True, False])
    names = items.assign(loss=[1.0, 2.0], shuffled_loss=0.0, question_loss=3.0)
    names = names.assign(shuffled_question_loss=0.0, length=30.0)
    docstrings = items.assign(kind="docstring", loss=[5.0, 4.0], shuffled_loss=0.0, length=250.0)

    scores = saved(names, tmp_path / "s0/scores.parquet")
    text_scores = saved(docstrings, tmp_path / "natural/s0/scores.parquet")
    cards = {card.name: card for card in detectors([scores], text_scores=[text_scores])}

    assert units(cards["loss"], "unit", "part", "score") == [
        ("s0/A/x", "recall", 1.0),
        ("s0/B/x", "recall", 2.0),
        ("docstrings s0/A/x", "docstring", 5.0),
        ("docstrings s0/B/x", "docstring", 4.0),
    ]
    assert set(cards["question_loss"].rows["part"]) == {"recall"}
    assert cards["loss"].sources == {
        str(scores): "scripts/radar/score_twins.py",
        str(text_scores): "scripts/radar/measure_text_twins.py",
    }


def test_a_fitted_detector_scores_names_by_other_seeds_and_docstrings_by_names(
    tmp_path: Path,
) -> None:
    items = pd.DataFrame(
        {"twin": ["A", "B"], "id": "x", "kind": "recall", "form": "verbatim", "dose": 4}
    )
    items = items.assign(seen=[True, False], loss=0.0, shuffled_loss=0.0, length=30.0)
    scores = saved(items, tmp_path / "s3/scores.parquet")
    text_scores = saved(items.assign(kind="docstring"), tmp_path / "natural/s3/scores.parquet")

    def fitted(fit: str, lens: list[float]) -> pd.DataFrame:
        """The scores of both items by a fit; `lens` are those of the logit lens."""
        return items[["twin", "id"]].assign(
            seed=3,
            fit=fit,
            logit_lens=lens,
            fitted_likelihoods=[0.5, 0.25],
            shuffled_logit_lens=0.0,
            shuffled_fitted_likelihoods=0.0,
        )

    # The scores that no card should show are 9.
    on_names = pd.concat([fitted("within", [9.0, 9.0]), fitted("other_seeds", [1.0, 2.0])])
    on_docstrings = pd.concat(
        [
            fitted("within", [9.0, 9.0]),
            fitted("other_seeds", [9.0, 9.0]),
            fitted("names", [3.0, 4.0]),
        ]
    )
    lens_scores = [
        saved(on_names, tmp_path / "lens_scores.parquet"),
        saved(on_docstrings, tmp_path / "natural/lens_scores.parquet"),
    ]
    instruments = detectors([scores], text_scores=[text_scores], lens_scores=lens_scores)
    cards = {card.name: card for card in instruments}

    assert sorted(cards) == ["fitted_likelihoods", "logit_lens", "loss"]
    lens = cards["logit_lens"]
    assert units(lens, "unit", "part", "score") == [
        ("s3/A/x", "recall", 1.0),
        ("s3/B/x", "recall", 2.0),
        ("docstrings s3/A/x", "docstring", 3.0),
        ("docstrings s3/B/x", "docstring", 4.0),
    ]
    # The card names the detector to compare it with, and the scripts of its files.
    assert "the difference between its card and that of the likelihoods" in lens.claims
    assert "fitted" not in cards["loss"].claims
    assert lens.sources[str(lens_scores[1])] == "scripts/radar/score_text_logit_lens.py"
    assert str(lens_scores[1]) not in cards["loss"].sources
