"""The shares of sentences that the reading aid finds, against counts of the planted sentences."""

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


def test_random_passages_are_drawn_without_replacement() -> None:
    # Neither the first of five passages nor the second holds the sentence: (3 / 5) (2 / 4) = 0.3.
    assert chance_at_random(n_passages=5, n_holding=2, shown=2) == pytest.approx(1 - 0.3)
    assert chance_at_random(n_passages=5, n_holding=0, shown=2) == 0
    assert chance_at_random(n_passages=2, n_holding=1, shown=3) == 1


def test_the_passage_with_the_most_different_search_words_comes_first() -> None:
    passages = [Passage(0, 1, words) for words in ("Seeds, seeds and seeds", "none", "Seeded bars")]
    ranked = best_by_words(passages, ["seed", "bar"], 2)
    assert [passage.text for passage in ranked] == ["Seeded bars", "Seeds, seeds and seeds"]


def test_every_sentence_with_evidence_on_a_criterion_but_c1_counts_once() -> None:
    papers = plan_papers(2, 31)
    criteria_of_evidence = []
    n_passages = []
    for paper in papers:
        manuscript = compose(paper)
        n_passages.append(len(split_passages(manuscript.text())))
        for sentence in manuscript.sentences():
            if sentence.status in ("PARTIAL", "YES"):
                criteria_of_evidence.append(sentence.code)
    n_on_c1 = criteria_of_evidence.count("C1")

    table = passages_found(papers, GUIDES, shown=10, confidence_level=0.95).set_index("criterion")
    all_criteria = table.loc[""]
    assert all_criteria["sentences"] == len(criteria_of_evidence) - n_on_c1
    assert all_criteria["passages"] == sum(n_passages) / 2  # the median of two papers
    assert pd.isna(all_criteria["recall_low"])  # two papers are too few for an interval
    assert table.loc["I1", "sentences"] == criteria_of_evidence.count("I1")
    assert "C1" not in table.index


def test_every_sentence_is_found_if_all_passages_are_shown() -> None:
    table = passages_found(plan_papers(2, 31), GUIDES, shown=10_000, confidence_level=0.95)
    assert (table["random"] == 1).all()
    assert (table["words"] == 1).all()


def test_the_committed_table_has_every_criterion_but_c1_and_the_reading_aid_leads() -> None:
    """It finds more than counts of search words, and these find more than random passages."""
    table = pd.read_csv(REPOSITORY / "docs/measured/claims_reading_aid.csv")
    table["criterion"] = table["criterion"].fillna("")
    criteria = [code for code in CRITERIA if code != "C1"]
    assert table["criterion"].tolist() == ["", *criteria]
    overall = table.iloc[0]
    assert overall["sentences"] == table["sentences"][1:].sum()
    assert overall["recall_low"] > overall["words_high"] > overall["random"]
