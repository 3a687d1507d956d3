"""The measure of the reading aid: its chance by hand, and its sentences counted apart."""

from pathlib import Path

import pandas as pd
import pytest

from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.reading.passages import Passage, split_passages
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.planted.papers.manuscript import compose
from mechaware.planted.papers.passages_found import (
    best_by_words,
    chance_at_random,
    passages_found,
)
from mechaware.planted.papers.plan import plan_papers

REPOSITORY = Path(__file__).resolve().parents[4]
GUIDES = Prompts.load(sorted((REPOSITORY / "config/judge_prompts/v1").glob("*.*"))).criteria


def test_the_chance_of_passages_at_random_is_that_of_drawing_without_return() -> None:
    """Of five passages two hold a sentence; two are drawn: 1 - (3 / 5) (2 / 4) = 0.7."""
    assert chance_at_random(5, 2, 2) == pytest.approx(0.7)
    assert chance_at_random(5, 0, 2) == 0
    assert chance_at_random(2, 1, 3) == 1


def test_by_counts_the_passage_with_most_different_search_words_comes_first() -> None:
    passages = [Passage(0, 1, words) for words in ("Seeds, seeds and seeds", "none", "Seeded bars")]
    ranked = best_by_words(passages, ["seed", "bar"], 2)
    assert [passage.text for passage in ranked] == ["Seeded bars", "Seeds, seeds and seeds"]


def test_every_sentence_with_evidence_on_a_criterion_counts_once() -> None:
    papers = plan_papers(2, 31)
    table = passages_found(papers, GUIDES, shown=10, confidence_level=0.95).set_index("criterion")
    reported = []
    lengths = []
    for paper in papers:
        manuscript = compose(paper)
        lengths.append(len(split_passages(manuscript.text())))
        for sentence in manuscript.sentences():
            if sentence.status in ("PARTIAL", "YES"):
                reported.append(sentence.code)
    assert table.loc["", "sentences"] == sum(code != "C1" for code in reported)
    assert table.loc["", "passages"] == sum(lengths) / 2
    assert "C1" not in table.index
    assert table.loc["I1", "sentences"] == reported.count("I1")
    assert pd.isna(table.loc["", "recall_low"])  # two papers are too few for an interval
    # All passages are shown: every sentence is among them, whatever the search words are.
    everything = passages_found(papers, GUIDES, shown=10_000, confidence_level=0.95)
    assert (everything["random"] == 1).all()
    assert (everything["words"] == 1).all()


def test_the_committed_measure_has_every_criterion_but_c1_and_its_lead_over_chance() -> None:
    table = pd.read_csv(REPOSITORY / "docs/measured/claims_reading_aid.csv").fillna(
        {"criterion": ""}
    )
    assert table["criterion"].tolist() == ["", *(code for code in CRITERIA if code != "C1")]
    overall = table.iloc[0]
    assert overall["sentences"] == table["sentences"][1:].sum()
    assert overall["recall_low"] > overall["words_high"] > overall["random"]
