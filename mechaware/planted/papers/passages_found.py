"""The share of the evidence in planted papers that the reading aid finds.

The reading aid shows n passages of a paper for each criterion. In a planted paper, the sentences
that report evidence on a criterion are known. Such a sentence counts as found if it overlaps with
one of the n passages.

Two other ways of choosing n passages are compared: by the lexical judge's counts of search words,
and at random. A sentence that overlaps with k of the N passages of a paper is found at random with
the probability

    1 - C(N - k, n) / C(N, n).

The criterion C1 is left out: it is judged by the words of the claim, not by evidence.
"""

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any, NamedTuple

import pandas as pd

from mechaware.core.stats.intervals import proportion_over_groups
from mechaware.instruments.claims.aid.candidates import search_query
from mechaware.instruments.claims.judges.language_model.prompts import Guide
from mechaware.instruments.claims.judges.lexical import search_pattern
from mechaware.instruments.claims.reading.passages import Passage, PassageRanking, split_passages
from mechaware.instruments.claims.reading.sentences import Span
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.planted.papers.manuscript import Manuscript, compose
from mechaware.planted.papers.plan import PlantedPaper

JUDGED_BY_THE_CLAIM = "C1"
# Columns with the shares of sentences found by the reading aid and by counts of search words. They
# have intervals; for random passages the probability is known.
WAYS = ("recall", "words")


class _PlantedSentence(NamedTuple):
    """A sentence of a paper that reports evidence on a criterion, and whether it is found.

    - `n_passages`: the number of passages of the paper.
    - `recall`: whether the passages of the reading aid show the sentence.
    - `words`: whether the passages chosen by counts of search words show it.
    - `random`: the probability that random passages show it.
    """

    paper: str
    criterion: str
    n_passages: int
    recall: bool
    words: bool
    random: float


def passages_found(
    papers: Sequence[PlantedPaper],
    guides: Mapping[str, Guide],
    *,
    shown: int,
    confidence_level: float,
) -> pd.DataFrame:
    """The shares of sentences found: a row for all criteria together, then one for each criterion.

    Args:
        papers: Planted papers.
        guides: By criterion, its guide, which has its question and its search words.
        shown: The number of passages that are shown for a criterion.
        confidence_level: The level of the intervals, such as 0.95.

    Returns:
        Columns:

        - criterion: "" for all criteria together
        - papers, sentences: the numbers of papers and of sentences with evidence
        - passages: the number of passages, median over papers
        - shown: as given
        - recall, words: the share of sentences found, 0 to 1, by the reading aid and by counts of
          search words, each with an interval over papers (`_low`, `_high`; missing for too few
          papers)
        - random: the expected share of sentences found by random passages
    """
    planted: list[_PlantedSentence] = []
    for paper in papers:
        planted += _sentences_of(paper, guides, shown)
    sentences = pd.DataFrame(planted, columns=list(_PlantedSentence._fields))

    rows = [_row("", sentences, shown, confidence_level)]
    for code in CRITERIA:
        criterion_sentences = sentences[sentences["criterion"] == code]
        if len(criterion_sentences):
            rows.append(_row(code, criterion_sentences, shown, confidence_level))
    return pd.DataFrame(rows)


def _sentences_of(
    paper: PlantedPaper, guides: Mapping[str, Guide], shown: int
) -> list[_PlantedSentence]:
    """The sentences of a paper that report evidence, in the order of their criteria."""
    manuscript = compose(paper)
    text = manuscript.text()
    passages = split_passages(text)
    ranking = PassageRanking(passages)

    sentences = []
    for code, spans in _evidence_spans(manuscript, text).items():
        by_reading_aid = ranking.best(search_query(code, guides[code]), shown)
        by_words = best_by_words(passages, guides[code].terms, shown)
        for span in spans:
            n_holding = _number_overlapping(passages, span)
            sentence = _PlantedSentence(
                paper=paper.paper,
                criterion=code,
                n_passages=len(passages),
                recall=_number_overlapping(by_reading_aid, span) > 0,
                words=_number_overlapping(by_words, span) > 0,
                random=chance_at_random(len(passages), n_holding, shown),
            )
            sentences.append(sentence)
    return sentences


def _evidence_spans(manuscript: Manuscript, text: str) -> dict[str, list[Span]]:
    """By criterion, the spans of the sentences that report evidence on it for any claim.

    A span is [start, end) in characters. Sentences with the status NO report no evidence.
    """
    spans: dict[str, list[Span]] = {}
    for sentence in manuscript.sentences():
        if sentence.code in (None, JUDGED_BY_THE_CLAIM) or sentence.status == "NO":
            continue
        start = text.index(sentence.text)
        end = start + len(sentence.text)
        spans.setdefault(str(sentence.code), []).append((start, end))
    return spans


def _number_overlapping(passages: Sequence[Passage], span: Span) -> int:
    """How many of the passages overlap with a span of the text."""
    start, end = span
    return sum(passage.start < end and start < passage.end for passage in passages)


def best_by_words(
    passages: Sequence[Passage], terms: Sequence[str], number: int
) -> Sequence[Passage]:
    """The `number` passages with the most distinct search words; on a tie, the earlier passage.

    Search words are matched as the lexical judge matches them, by their first letters.
    """
    stems = search_pattern(terms)

    def number_of_words(passage: Passage) -> int:
        return len(set(stems.findall(passage.text.lower())))

    # Sorting keeps the order of passages with equally many words.
    return sorted(passages, key=number_of_words, reverse=True)[:number]


def chance_at_random(n_passages: int, n_holding: int, shown: int) -> float:
    """The probability that `shown` random passages of a paper include one that holds a sentence.

    A passage holds a sentence if the two overlap. The paper has `n_passages` passages,
    `n_holding` of which hold the sentence. If all are shown, the probability is 1, or 0 if none
    holds it.
    """
    if n_passages <= shown:
        return float(n_holding > 0)
    return 1 - comb(n_passages - n_holding, shown) / comb(n_passages, shown)


def _row(
    criterion: str, sentences: pd.DataFrame, shown: int, confidence_level: float
) -> dict[str, Any]:
    """A row of `passages_found` from the sentences on one criterion, or on all.

    `sentences` has the fields of `_PlantedSentence` as columns.
    """
    row: dict[str, Any] = {
        "criterion": criterion,
        "papers": sentences["paper"].nunique(),
        "sentences": len(sentences),
        "passages": sentences.drop_duplicates("paper")["n_passages"].median(),
        "shown": shown,
    }
    for way in WAYS:
        is_found = sentences[way].to_numpy(dtype=bool)
        interval = proportion_over_groups(is_found, sentences["paper"], confidence_level)
        row[way] = float(is_found.mean())
        row[f"{way}_low"] = None if interval is None else interval.low
        row[f"{way}_high"] = None if interval is None else interval.high
    row["random"] = float(sentences["random"].mean())
    return row
