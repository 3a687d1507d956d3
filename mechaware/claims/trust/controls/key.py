"""The key of planted papers: which sentences a text has on a criterion, and the status that they give."""

from collections.abc import Iterable
from functools import cache

from mechaware.claims.planting.manuscript import Sentence
from mechaware.claims.planting.plan import PlantedPaper
from mechaware.claims.rubric.criteria import CRITERIA, Status
from mechaware.claims.rubric.records import Claim
from mechaware.claims.trust.planted.edits import planted_edits
from mechaware.claims.trust.planted.papers import write_trial_paper


class Key:
    """Knows the sentences of papers and of all their edits; a claim is told by its components.

    Of papers that have claims on the same components it is the one with most of its sentences in the text.
    """

    def __init__(self, papers: Iterable[PlantedPaper]) -> None:
        self._claims: dict[tuple[str, ...], list[tuple[str, int]]] = {}
        self._known: dict[tuple[str, str], set[Sentence]] = {}
        self._find, self._in_text = cache(self._found), cache(self._counted)
        for paper in papers:
            for number, claim in enumerate(paper.claims):
                self._claims.setdefault(tuple(claim.components), []).append((paper.paper, number))
            base = write_trial_paper(paper)
            for manuscript in [base, *(edit.manuscript for edit in planted_edits(paper, base))]:
                for sentence in manuscript.sentences():
                    if sentence.code is not None:
                        self._known.setdefault((paper.paper, sentence.code), set()).add(sentence)

    def sentences(self, text: str, claim: Claim, code: str, *, own: bool = True) -> list[Sentence]:
        """The sentences of a text on a criterion, in its order: of the claim, or of all claims of its paper."""
        claims = self._claims[tuple(claim.components)]
        paper, number = claims[0] if len(claims) == 1 else max(claims, key=lambda one: self._in_text(text, one[0]))
        return [found for found in self._find(text, paper, code) if not own or found.claim == number]

    def status(self, text: str, claim: Claim, code: str) -> Status:
        """The status that the last sentence gives; NO without one."""
        found = self.sentences(text, claim, code)
        return (found[-1].status if found else None) or "NO"

    def texts(self) -> list[str]:
        """All sentences that are known, each once."""
        return sorted({sentence.text for known in self._known.values() for sentence in known})

    def _counted(self, text: str, paper: str) -> int:
        return sum(len(self._find(text, paper, code)) for code in CRITERIA)

    def _found(self, text: str, paper: str, code: str) -> tuple[Sentence, ...]:
        placed = [(text.rfind(sentence.text), sentence) for sentence in self._known.get((paper, code), ())]
        return tuple(sentence for place, sentence in sorted(placed, key=_order) if place >= 0)


def _order(placed: tuple[int, Sentence]) -> tuple[int, str, int]:
    place, sentence = placed
    return place, sentence.text, sentence.claim or 0
