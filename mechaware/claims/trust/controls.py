"""Judges whose trust is known beforehand: one that reads the plan by its key, and floors that do not read."""

from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Literal

from mechaware.claims.planting.manuscript import Manuscript, Sentence
from mechaware.claims.planting.records import PlantedPaper
from mechaware.claims.rubric.criteria import CRITERIA, STATUSES, Status
from mechaware.claims.rubric.records import Claim, Downgrade, Judgement, PaperText, Run, Usage
from mechaware.claims.trust.edits import planted_edits
from mechaware.claims.trust.papers import write_trial_paper
from mechaware.seeds import derive_seed

CEILING = "key of the plan"  # the name of the judge that knows the truth
Decide = Callable[[str, Claim, str, int], Status]  # text, claim, criterion, run


class Control:
    """A judge whose statuses are a function of the text, the claim, the criterion and the run."""

    def __init__(self, name: str, decide: Decide) -> None:
        self.name, self._decide = name, decide

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """No claims: a control judges given ones."""
        del text
        return Run(judge=self.name, paper=about.paper, run=run, claims=[], usage=Usage())

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        """The given claims with the control's statuses."""
        judged = [
            claim.model_copy(
                update={"criteria": {code: Judgement(status=self._decide(text, claim, code, run)) for code in CRITERIA}}
            )
            for claim in claims
        ]
        return Run(judge=self.name, paper=about.paper, run=run, claims=judged, usage=Usage())

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """Nothing."""
        del claims
        return []

    def challenge(self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]) -> list[Downgrade]:
        """Nothing."""
        del claims, mode
        return []

    def take_usage(self) -> Usage:
        """No calls."""
        return Usage()


def key_of(papers: Iterable[PlantedPaper]) -> Control:
    """The ceiling: looks the sentences of these papers and of all their edits up by their status.

    The last sentence on a criterion of a claim decides; a claim is told by its components.
    """
    known: dict[tuple[tuple[str, ...], str], set[Sentence]] = {}
    for paper in papers:
        base = write_trial_paper(paper)
        for manuscript in [base, *(edit.manuscript for edit in planted_edits(paper, base))]:
            _add(known, paper, manuscript)

    def decide(text: str, claim: Claim, code: str, run: int) -> Status:
        del run
        sentences = known.get((tuple(claim.components), code), set())
        places = [(text.rfind(sentence.text), sentence.status) for sentence in sentences]
        place, status = max(places, key=lambda placed: placed[0], default=(-1, None))
        return status if status is not None and place >= 0 else "NO"

    return Control(CEILING, decide)


def _add(known: dict[tuple[tuple[str, ...], str], set[Sentence]], paper: PlantedPaper, manuscript: Manuscript) -> None:
    for sentence in manuscript.sentences():
        if sentence.claim is not None and sentence.code is not None:
            components = tuple(paper.claims[sentence.claim].components)
            known.setdefault((components, sentence.code), set()).add(sentence)


def floors(seed: int) -> list[Control]:
    """Judges that do not read: the same status throughout, one at random for each text, one by the text's length."""

    def at_random(text: str, claim: Claim, code: str, run: int) -> Status:
        return Random(derive_seed(seed, text, claim.statement, code, run)).choice(STATUSES)  # noqa: S311

    def by_length(text: str, claim: Claim, code: str, run: int) -> Status:
        del claim, run
        return STATUSES[(len(text) + list(CRITERIA).index(code)) % len(STATUSES)]

    return [
        Control("always NO", lambda *_: "NO"),
        Control("always YES", lambda *_: "YES"),
        Control("at random", at_random),
        Control("by length of text", by_length),
    ]
