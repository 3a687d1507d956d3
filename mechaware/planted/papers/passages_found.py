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
WAYS = (
    "recall",
    "words",
)  # of choosing passages whose shares are estimated; that of random passages is known


class _Found(NamedTuple):
    """A sentence on a criterion of a paper.

    - `passages`: the number of passages of the paper.
    - `recall`, `words`: whether the passages chosen in each of `WAYS` show it.
    - `random`: the probability that random passages do.
    """

    paper: str
    criterion: str
    passages: int
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
    """The shares of sentences found: a row for all criteria together, whose `criterion` is empty, and one for each.

    Args:
        papers: Planted papers.
        guides: By criterion, its guide, in which the question and the search words are.
        shown: The number of passages that are shown for a criterion.
        confidence_level: Of the intervals, such as 0.95.

    Returns:
        Columns: criterion; papers and sentences, their numbers; passages, of the median paper; shown; for each of
        `WAYS` the share of sentences found, 0 to 1, with its interval over papers (`_low`, `_high`; missing for too few
        papers); random, the expected share for random passages.
    """
    sentences: list[_Found] = []
    for paper in papers:
        sentences += _of_paper(paper, guides, shown)
    found = pd.DataFrame(sentences, columns=list(_Found._fields))

    rows = [_row("", found, shown, confidence_level)]
    for code in CRITERIA:
        of_criterion = found[found["criterion"] == code]
        if len(of_criterion):
            rows.append(_row(code, of_criterion, shown, confidence_level))
    return pd.DataFrame(rows)


def _of_paper(paper: PlantedPaper, guides: Mapping[str, Guide], shown: int) -> list[_Found]:
    manuscript = compose(paper)
    text = manuscript.text()
    passages = split_passages(text)
    ranking = PassageRanking(passages)
    places = _places(manuscript, text)
    found = []
    for code, of_criterion in places.items():
        by_question = ranking.best(search_query(code, guides[code]), shown)
        by_words = best_by_words(passages, guides[code].terms, shown)
        for place in of_criterion:
            holding = _number_holding(passages, place)
            found.append(
                _Found(
                    paper=paper.paper,
                    criterion=code,
                    passages=len(passages),
                    recall=_number_holding(by_question, place) > 0,
                    words=_number_holding(by_words, place) > 0,
                    random=chance_at_random(len(passages), holding, shown),
                )
            )
    return found


def _places(manuscript: Manuscript, text: str) -> dict[str, list[Span]]:
    """By criterion, the places of the sentences that report evidence on it for any claim of the paper."""
    places: dict[str, list[Span]] = {}
    for sentence in manuscript.sentences():
        if sentence.code in (None, OF_THE_CLAIM) or sentence.status == "NO":
            continue
        start = text.index(sentence.text)
        end = start + len(sentence.text)
        places.setdefault(str(sentence.code), []).append((start, end))
    return places


def _number_holding(passages: Sequence[Passage], place: Span) -> int:
    """How many of the passages overlap with a place of the text."""
    start, end = place
    return sum(passage.start < end and start < passage.end for passage in passages)


def best_by_words(
    passages: Sequence[Passage], terms: Sequence[str], number: int
) -> Sequence[Passage]:
    """The passages with the most of the search words, as the lexical judge counts them; the earlier one in a tie."""
    stems = search_pattern(terms)
    hits = [len(set(stems.findall(passage.text.lower()))) for passage in passages]
    ranked = sorted(range(len(passages)), key=lambda index: (-hits[index], index))
    return [passages[index] for index in ranked[:number]]


def chance_at_random(passages: int, holding: int, shown: int) -> float:
    """The probability that `shown` random passages include one of the `holding` ones that contain the sentence."""
    if passages <= shown:
        return float(holding > 0)
    return 1 - comb(passages - holding, shown) / comb(passages, shown)


def _row(
    criterion: str, found: pd.DataFrame, shown: int, confidence_level: float
) -> dict[str, Any]:
    row: dict[str, Any] = {
        "criterion": criterion,
        "papers": found["paper"].nunique(),
        "sentences": len(found),
        "passages": found.drop_duplicates("paper")["passages"].median(),
        "shown": shown,
    }
    for way in WAYS:
        shown_at_all = found[way].to_numpy(dtype=bool)
        interval = proportion_over_groups(shown_at_all, found["paper"], confidence_level)
        row[way] = float(shown_at_all.mean())
        row[f"{way}_low"] = None if interval is None else interval.low
        row[f"{way}_high"] = None if interval is None else interval.high
    row["random"] = float(found["random"].mean())
    return row
