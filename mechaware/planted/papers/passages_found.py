"""How many of the sentences on a criterion the reading aid's passages contain, on papers where all are known.

A planted paper has, for each claim and criterion, the sentences that give the criterion its status. A sentence counts
as found if it overlaps with one of the n passages that are shown for the criterion. The reading aid is compared with n
passages chosen by the lexical judge's counts of search words, and with n passages at random. A sentence that is in k of
N passages is found at random with the probability

    1 - C(N - k, n) / C(N, n).

C1 is left out: it is judged by the claim's own words.
"""

from collections.abc import Mapping, Sequence
from math import comb
from typing import Any, NamedTuple

import pandas as pd

from mechaware.core.stats import proportion_over_groups
from mechaware.instruments.claims.aid.candidates import search_query
from mechaware.instruments.claims.judges.language_model.prompts import Guide
from mechaware.instruments.claims.judges.lexical import search_pattern
from mechaware.instruments.claims.reading.passages import Passage, PassageRanking, split_passages
from mechaware.instruments.claims.reading.sentences import Span
from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.planted.papers.manuscript import Manuscript, compose
from mechaware.planted.papers.plan import PlantedPaper

OF_THE_CLAIM = "C1"
# Ways of choosing passages whose shares are estimated; the share of random passages is known.
WAYS = ("recall", "words")


class _PlantedSentence(NamedTuple):
    """A sentence on a criterion of a paper, and which passages show it.

    - `n_passages`: the number of passages of the paper.
    - `recall`, `words`: whether the passages chosen in each of `WAYS` show it.
    - `random`: the probability that random passages do.
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
        guides: By criterion, its guide, in which the question and the search words are.
        shown: The number of passages that are shown for a criterion.
        confidence_level: The level of the intervals, such as 0.95.

    Returns:
        Columns: criterion, empty for all; papers and sentences, their numbers; passages, of the median paper; shown;
        for each of `WAYS` the share of sentences found, 0 to 1, with its interval over papers (`_low`, `_high`; missing
        for too few papers); random, the expected share for random passages.
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
    """The sentences of a paper that report evidence, criterion by criterion."""
    manuscript = compose(paper)
    text = manuscript.text()
    passages = split_passages(text)
    ranking = PassageRanking(passages)

    sentences = []
    for code, spans in _evidence_spans(manuscript, text).items():
        by_question = ranking.best(search_query(code, guides[code]), shown)
        by_words = best_by_words(passages, guides[code].terms, shown)
        for span in spans:
            n_holding = _number_overlapping(passages, span)
            sentence = _PlantedSentence(
                paper=paper.paper,
                criterion=code,
                n_passages=len(passages),
                recall=_number_overlapping(by_question, span) > 0,
                words=_number_overlapping(by_words, span) > 0,
                random=chance_at_random(len(passages), n_holding, shown),
            )
            sentences.append(sentence)
    return sentences


def _evidence_spans(manuscript: Manuscript, text: str) -> dict[str, list[Span]]:
    """By criterion, where the text has the sentences that report evidence on it, for any claim of the paper.

    A span is [start, end) in characters. Sentences with the status NO report no evidence.
    """
    spans: dict[str, list[Span]] = {}
    for sentence in manuscript.sentences():
        if sentence.code in (None, OF_THE_CLAIM) or sentence.status == "NO":
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
    """The passages with the most different search words, as the lexical judge counts them; the earlier one on a tie."""
    stems = search_pattern(terms)

    def number_of_words(passage: Passage) -> int:
        return len(set(stems.findall(passage.text.lower())))

    # Sorting keeps the order of passages with equally many words.
    return sorted(passages, key=number_of_words, reverse=True)[:number]


def chance_at_random(passages: int, holding: int, shown: int) -> float:
    """The probability that `shown` random passages include at least one of the `holding` passages with a sentence.

    `passages` is the number of all passages of the paper. If all are shown, it is 1, or 0 for `holding` = 0.
    """
    if passages <= shown:
        return float(holding > 0)
    return 1 - comb(passages - holding, shown) / comb(passages, shown)


def _row(
    criterion: str, sentences: pd.DataFrame, shown: int, confidence_level: float
) -> dict[str, Any]:
    """A row of `passages_found`, from the rows of `_PlantedSentence` on one criterion or on all."""
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
