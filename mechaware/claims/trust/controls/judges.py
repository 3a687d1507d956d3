"""Judges whose trust is known beforehand: one that reads the plan by its key, floors that do not read, and cheats."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from statistics import median
from typing import Literal

from mechaware.claims.planting.manuscript import Sentence
from mechaware.claims.planting.plan import PlantedPaper
from mechaware.claims.rubric.criteria import CRITERIA, RANK, STATUSES, Status
from mechaware.claims.rubric.records import Claim, Downgrade, Judgement, PaperText, Run, Usage
from mechaware.claims.trust.controls.key import Key
from mechaware.claims.trust.planted.edits import planted_edits
from mechaware.claims.trust.planted.papers import write_trial_paper
from mechaware.seeds import derive_seed

CEILING = "key of the plan"  # the name of the judge that knows the truth
WORDINGS = "fingerprint of the wordings"  # the name of the judge that tells the wordings apart by surface counts
CREDITED = {"others": "other authors", "component": "another component"}  # families of edits, as names of controls
SEED_OF = ", seed "  # parts the name of a control from the seed, where several seeds stand for one control
RANDOM_SEEDS = 5
NEGATION = frozenset(["not", "no", "none", "nor", "never", "without", "neither", "nothing", "only", "cannot"])
JUDGEMENT = {status: Judgement(status=status) for status in STATUSES}
Decide = Callable[[str, Claim, str, int], Status]  # text, claim, criterion, run


class Control:
    """A judge whose statuses are a function of the text, the claim, the criterion and the run."""

    def __init__(self, name: str, decide: Decide) -> None:
        self.name, self.decide = name, decide

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """No claims: a control judges given ones."""
        del text
        return Run(judge=self.name, paper=about.paper, run=run, claims=[], usage=Usage())

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        """The given claims with the control's statuses."""
        judged = [
            claim.model_copy(
                update={"criteria": {code: JUDGEMENT[self.decide(text, claim, code, run)] for code in CRITERIA}}
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
    """The ceiling: looks the sentences of these papers and of all their edits up by their status."""
    key = Key(papers)
    return Control(CEILING, lambda text, claim, code, _: key.status(text, claim, code))


def floors(seed: int) -> list[Control]:
    """Judges that do not read: the same status throughout, and one at random for each text, by several seeds."""

    def at_random(number: int) -> Decide:
        own = derive_seed(seed, "at random", number)

        @lru_cache(1)  # texts are long, and asked about criterion by criterion
        def judging(text: str, statement: str, run: int) -> int:
            return derive_seed(own, text, statement, run)

        def decide(text: str, claim: Claim, code: str, run: int) -> Status:
            return STATUSES[derive_seed(judging(text, claim.statement, run), code) % len(STATUSES)]

        return decide

    constant = [Control(f"always {status}", _always(status)) for status in STATUSES]
    return [*constant, *(Control(f"at random{SEED_OF}{number}", at_random(number)) for number in range(RANDOM_SEEDS))]


def cheats(papers: Sequence[PlantedPaper]) -> list[Control]:
    """Judges that respond to edits for a wrong reason.

    Some read by the key, but one status too low or too high, or PARTIAL as another level. One counts evidence of any
    claim for every claim, leaks included; one overlooks withdrawals and leaks; two credit what other authors found, or
    what was found of another component. The others find the criterion's sentence by the key, and look at its length
    (above the median of all), for a digit, for no word of negation, or for nothing: that it is there is enough.
    """
    key = Key(papers)
    credited = {family: _sentences(papers, family) for family in CREDITED}
    long = median(map(len, key.texts()))

    def shifted(by: int) -> Decide:
        def decide(text: str, claim: Claim, code: str, run: int) -> Status:
            del run
            return STATUSES[min(max(RANK[key.status(text, claim, code)] + by, 0), len(STATUSES) - 1)]

        return decide

    def by_style(met: Callable[[str], bool]) -> Decide:
        def decide(text: str, claim: Claim, code: str, run: int) -> Status:
            del run
            found = key.sentences(text, claim, code)
            return "YES" if found and met(found[-1].text) else "NO"

        return decide

    def of_any_claim(text: str, claim: Claim, code: str, run: int) -> Status:
        del run
        met = sum(sentence.leak or sentence.status == "YES" for sentence in key.sentences(text, claim, code, own=False))
        return STATUSES[min(met, len(STATUSES) - 1)]

    def without_last_word(text: str, claim: Claim, code: str, run: int) -> Status:
        del run
        first = next(iter(key.sentences(text, claim, code)), None)
        return "NO" if first is None or first.status is None else "YES" if first.leak else first.status

    def partial_as(level: Status) -> Decide:
        def decide(text: str, claim: Claim, code: str, run: int) -> Status:
            del run
            status = key.status(text, claim, code)
            return level if status == "PARTIAL" else status

        return decide

    def crediting(family: str) -> Decide:
        def decide(text: str, claim: Claim, code: str, run: int) -> Status:
            del run
            found = key.sentences(text, claim, code)
            return "YES" if found and found[-1] in credited[family] else key.status(text, claim, code)

        return decide

    return [
        Control("one status too low", shifted(-1)),
        Control("one status too high", shifted(1)),
        *(Control(f"PARTIAL as {level}", partial_as(level)) for level in ("YES", "NO")),
        *(Control(f"credits {name}", crediting(family)) for family, name in CREDITED.items()),
        Control("blind to whose evidence", of_any_claim),
        Control("blind to withdrawals and leaks", without_last_word),
        Control("length of the sentence", by_style(lambda sentence: len(sentence) > long)),
        Control("a digit in the sentence", by_style(lambda sentence: any(map(str.isdigit, sentence)))),
        Control(
            "no negation in the sentence", by_style(lambda sentence: NEGATION.isdisjoint(sentence.lower().split()))
        ),
        Control("presence of the sentence", by_style(lambda _: True)),
    ]


def _sentences(papers: Iterable[PlantedPaper], family: str) -> frozenset[Sentence]:
    """The sentences that a family of edits puts in."""
    bases = [(paper, write_trial_paper(paper)) for paper in papers]
    edits = [(base, edit) for paper, base in bases for edit in planted_edits(paper, base) if edit.family == family]
    return frozenset(
        sentence
        for base, edit in edits
        for sentence in set(edit.manuscript.sentences()) - set(base.sentences())
        if sentence.code == edit.code
    )


def _always(status: Status) -> Decide:
    return lambda *_: status
