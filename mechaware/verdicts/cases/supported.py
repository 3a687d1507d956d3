"""Committed cases of the verdict on a paper: a PDF, statuses, votes, audits, texts and replies around its decisions.

The cases have settings of their own, whatever the verdict's are: those are settings of the procedure. No model is
asked: a language model's replies are written here, and what is decided is how they are asked for and read.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any, Literal, NamedTuple

from mechaware.instruments.claims.judges.judge import Judge, Unscored, independent_runs
from mechaware.instruments.claims.judges.kinds import KINDS, open_judge
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    DIMENSIONS,
    STATUSES,
    Status,
    encode_statuses,
)
from mechaware.instruments.claims.rubric.records import (
    Claim,
    Downgrade,
    Fault,
    Judgement,
    PaperText,
    Run,
    Usage,
)
from mechaware.instruments.claims.rubric.scoring import (
    cvs,
    dimension_score,
    score_paper,
    tier,
)
from mechaware.instruments.claims.rubric.support import find_support, why_no_better
from mechaware.instruments.claims.votes.audit import DevilsAdvocate, audit
from mechaware.instruments.claims.votes.voting import vote
from mechaware.verdicts.cases import paper_texts
from mechaware.verdicts.procedure import digest

_PDF = Path(__file__).with_name("paper.pdf")
_CONFIDENCE_LEVEL = 0.95
_LEAST_SIMILARITY = 0.5
_SCORES = (0.0, 1.999, 2.0, 3.999, 4.0, 5.999, 6.0, 7.999, 8.0, 10.0)
_CHALLENGES: tuple[DevilsAdvocate, ...] = ("none", "aggressive")
_MIXED = 120  # mixed statuses, besides those that differ from uniform ones in one or two criteria


def supported_decisions(judge: JudgeSettings, prompts: Sequence[Path]) -> str:
    """The digest of what is decided on the committed cases.

    The cases are decided by the reader of PDFs, the rubric, the vote, the audit, and this kind of judge. A judge of the
    user's own kind is not asked: it may ask a provider.

    Args:
        judge: The settings of the judge.
        prompts: The files of one version of the judges' prompts.
    """
    judged: list[Any] = []
    if judge.kind in KINDS:
        judged_by = _by_rules if KINDS[judge.kind].by_rules else _replies
        judged = judged_by(judge, prompts)
    return digest([_pages(), _rubric(), _votes(), _audits(), _findings(), _worth(), judged])


# The reader of PDFs


@cache  # the same for every judge
def _pages() -> list[Any]:
    """What is read of a PDF of three pages where two may be read: text, hidden prose, and the number of pages.

    Its pages have a running head and a page number, a word that a line end cuts, ligatures and an accent by their codes
    in TeX's fonts. Prose is hidden in white, in letters of 2.2 points and of size 0, and outside the page.
    """
    # The libraries that read a PDF are imported where one is read.
    from mechaware.instruments.claims.reading.pdf import read_pdf

    reading = read_pdf(_PDF, max_pages=2)
    return [reading.texts, [list(piece) for piece in reading.hidden], reading.pages]


# The rubric


def _rubric() -> list[Any]:
    """The scores of each dimension, the CVS and the tier of many statuses, and the tiers of scores at boundaries."""
    outcomes: list[Any] = [tier(score).name for score in _SCORES]
    for statuses in _statuses():
        score = cvs(statuses)
        scores = [dimension_score(dimension, statuses) for dimension in DIMENSIONS]
        outcomes.append([scores, score, tier(score).name])
    return outcomes


def _statuses() -> Iterator[dict[str, Status]]:
    """Uniform statuses, those with one or two other criteria in a dimension, and mixed ones."""
    for rest in STATUSES:
        uniform = dict.fromkeys(CRITERIA, rest)
        yield uniform
        for code in CRITERIA:
            for other in STATUSES:
                if other != rest:
                    yield uniform | {code: other}

    for dimension in DIMENSIONS:
        for first, second in permutations(dimension.criteria, 2):
            yield dict.fromkeys(CRITERIA, STATUSES[0]) | {first: "YES", second: "PARTIAL"}
            yield dict.fromkeys(CRITERIA, STATUSES[2]) | {first: "NO", second: "PARTIAL"}
        for first, second in combinations(dimension.criteria, 2):
            yield dict.fromkeys(CRITERIA, STATUSES[0]) | {first: "YES", second: "YES"}
            yield dict.fromkeys(CRITERIA, STATUSES[2]) | {first: "NO", second: "NO"}

    for number in range(_MIXED):
        yield {code: _mixed_status(number, index) for index, code in enumerate(CRITERIA)}


def _mixed_status(number: int, index: int) -> Status:
    """The status of the criterion of this index by a formula; half are YES, so that high levels are met."""
    statuses: Sequence[Status] = ("YES", "NO", "YES", "PARTIAL")
    return statuses[(number * (index + 3) + index**2 + number**2 // 7) % len(statuses)]


# Votes


def _votes() -> list[Any]:
    """Which claims of the runs are kept, each of which level and at which statuses, and which are dropped."""
    outcomes = []
    for runs in _runs():
        by_minimum = vote(runs, least_similarity=_LEAST_SIMILARITY, rule="minimum")
        by_median = vote(runs, least_similarity=_LEAST_SIMILARITY, rule="median")
        outcomes.append(
            [
                _described(by_minimum.claims),
                _described(by_median.claims),
                [claim.runs for claim in by_minimum.claims],
                [claim.statement for claim in by_minimum.dropped],
                by_minimum.fault is None,
            ]
        )
    return outcomes


def _runs() -> Iterator[list[Run]]:
    """The runs of each vote."""
    whole = "The circuit of heads 9.9 and 9.6 copies the indirect object to the end"
    in_other_words = "Heads 9.9 and 9.6 form a circuit that copies the name of the indirect object"
    unlike = "A sparse algorithm solves pronoun agreement"
    part = "Head 9.9 copies the indirect object"

    # Three votes on one claim: each order of the statuses, and missing ones up to two of three.
    all_votes: Sequence[Sequence[Status | None]] = (
        ("YES", "PARTIAL", "NO"),
        ("YES", "YES", "PARTIAL"),
        ("NO", "YES", "YES"),
        ("YES", None, "PARTIAL"),
        ("YES", None, None),
        ("YES", None),
    )
    for votes in all_votes:
        yield [_run(number, _claim(whole, status)) for number, status in enumerate(votes)]

    # A claim of one, of two and of all of three runs; of one of two; of the only run without a fault.
    yield [
        _run(0, _claim(whole), _claim(part, system=False)),
        _run(1, _claim(whole)),
        _run(2, _claim(whole)),
    ]
    yield [
        _run(0, _claim(whole), _claim(part, system=False)),
        _run(1, _claim(whole), _claim(part, system=False)),
        _run(2, _claim(whole)),
    ]
    yield [_run(0, _claim(whole), _claim(part, system=False)), _run(1, _claim(whole))]
    fault = Fault(kind="cut", message="the reply was cut")
    yield [_run(0, _claim(whole, "PARTIAL")), _run(1, fault=fault), _run(2, fault=fault)]
    yield [_run(0, fault=fault), _run(1, fault=fault)]

    # The same claim in other words; one that shares little; one that denies it; one whose effect is the opposite.
    for other in (
        in_other_words,
        unlike,
        "The circuit of heads 9.9 and 9.6 does not copy the indirect object to the end",
        "The circuit of heads 9.9 and 9.6 suppresses the indirect object at the end",
    ):
        yield [_run(0, _claim(whole)), _run(1, _claim(other, "PARTIAL")), _run(2, _claim(whole))]
        yield [_run(0, _claim(whole)), _run(1, _claim(other, "PARTIAL"))]
    # Parts: the same component in other words, other components in the same words, named by role and by layer.
    for other, components in (
        ("Head 9.9 moves the name to the last position", ["9.9"]),
        ("Head 9.9 detects duplicate tokens", ["9.9"]),
        (part, ["8.1"]),
        ("The name mover copies the indirect object", ["name mover"]),
        ("Heads 9.9 and 9.6 copy the indirect object", ["9.9", "9.6"]),
        (
            "Heads 9.9, 9.6, 10.0 and 10.7 copy the subject and the object",
            ["9.9", "9.6", "10.0", "10.7"],
        ),
        ("MLP 8 maps the object to the answer", ["MLP 8"]),
        # Each has a word of its own besides the common one; this one has two of them.
        ("Head 9.9 copies the object of a verb", ["9.9"]),
        ("Head 9.9 copies the object of an active verb", ["9.9"]),
    ):
        named = _claim(part, components=["9.9 (Name Mover)"], system=False)
        yield [
            _run(0, named),
            _run(1, _claim(other, "PARTIAL", components, system=False)),
            _run(2, named),
        ]

    # Claims without a level from the judge: it follows from the words, from the number of components, or from being the
    # claim with the most components.
    for statement, components in (
        ("The mechanism adds ages", []),
        ("Heads add ages", ["1.1", "1.2", "1.3", "1.4", "1.5"]),
        ("Heads add ages", ["1.1", "1.2", "1.3", "1.4"]),
        ("Neurons add ages", ["1.1"]),
    ):
        largest = _claim(
            "Heads read six digits",
            "PARTIAL",
            ["2.1", "2.2", "2.3", "2.4", "2.5", "2.6"],
            system=None,
        )
        unsaid = _claim(statement, components=components, system=None)
        yield [_run(0, unsaid, largest), _run(1, unsaid, largest)]
    # Only parts: the one with the most components counts for the paper, unless a claim was left out.
    parts = [
        _claim(part, components=["9.9"], system=False),
        _claim("Heads 2.1 and 2.2 read ages", "PARTIAL", ["2.1", "2.2"], system=False),
    ]
    yield [_run(0, *parts), _run(1, *parts)]
    yield [_run(0, *parts, left_out=1), _run(1, *parts)]
    # Of several claims about the whole the one with the highest score, the first in a tie.
    yield [_run(0, _claim(whole, "PARTIAL"), _claim(unlike), _claim(part))] * 2
    # Without a status on one criterion a score is open.
    yield [_run(0, _claim(whole, "PARTIAL", changed={"C1": None, "I1": "YES"}))] * 2


# The audit


class _Proposing:
    """A judge that proposes fixed downgrades, whatever the claims are."""

    def __init__(self, proposals: Sequence[Downgrade] = (), *, fails: bool = False) -> None:
        self._proposals = proposals
        self._fails = fails

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """No claims."""
        del text, about
        return _run(run)

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        """The claims as they are."""
        del text, about
        return _run(run, *claims)

    def propose_leaks(self, claims: Sequence[Claim]) -> list[Downgrade]:
        """The fixed downgrades. Raises `Unscored` if the judge is to fail."""
        del claims
        if self._fails:
            raise Unscored("invalid", "no JSON")
        return list(self._proposals)

    def challenge(
        self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]
    ) -> list[Downgrade]:
        """The fixed downgrades."""
        del mode
        return self.propose_leaks(claims)

    def take_usage(self) -> Usage:
        """No calls."""
        return Usage()


def _audits() -> list[Any]:
    """Which proposals lower a status: of parts and wholes, each criterion, downwards, upwards, twice, out of range."""
    statuses: dict[str, Status | None] = {
        "I2": "YES",
        "I3": "PARTIAL",
        "I5": "NO",
        "E2": None,
        "C1": "YES",
    }
    claims = [
        _claim("The circuit moves names", "PARTIAL", changed=statuses),
        _claim("Head 9.9 copies names", "PARTIAL", ["9.9"], changed=statuses, system=False),
    ]
    voted = vote([_run(0, *claims)] * 2, least_similarity=_LEAST_SIMILARITY)
    proposals = []
    for claim, code in product((0, 1, 2), CRITERIA):
        lower_statuses: tuple[Status, Status] = ("NO", "PARTIAL")
        if code == "I2":
            lower_statuses = ("PARTIAL", "NO")
        for after in lower_statuses:
            proposals.append(
                Downgrade(
                    claim=claim,
                    criterion=code,
                    before="YES",
                    after=after,
                    reason=f"{code} {after}",
                )
            )

    outcomes = []
    for leak_audit, challenge in product((True, False), _CHALLENGES):
        judge = _Proposing(proposals)
        audited = audit(voted, judge, leak_audit=leak_audit, devils_advocate=challenge)
        lowered = []
        for downgrade in audited.downgrades:
            lowered.append(
                (downgrade.claim, downgrade.criterion, downgrade.before, downgrade.after)
            )
        outcomes.append([_described(audited.claims), lowered])
    failed = audit(voted, _Proposing(fails=True), leak_audit=True, devils_advocate="none")
    return [*outcomes, _described(failed.claims), failed.audit_fault is None]


# What a judge finds, and whether it beats a constant answer


def _findings() -> list[Any]:
    """The status of papers by their claims' scores. The attainable scores around 4 are 3.89 and 4.17."""
    by_score = {
        "3.89": _with_dimensions("C3 I1 V1"),
        "4.17": _with_dimensions("C3 I2"),
        "6.11": _with_dimensions("C3 I3 M2"),
        "1.67": _with_dimensions("C2"),
    }
    papers: dict[str, list[Claim]] = {}
    for name, statuses in by_score.items():
        papers[name] = [_claim("The circuit adds", None, changed=statuses)]
    # Missing statuses: open across the boundary, above it, below it.
    for name, missing in (("3.89", "I2"), ("6.11", "M1"), ("1.67", "C5")):
        changed = by_score[name] | {missing: None}
        papers[f"{name} without {missing}"] = [_claim("The circuit adds", None, changed=changed)]
    part = _claim("Head 1.1 adds", "YES", ["1.1"], system=False)
    low = papers["1.67"][0]
    papers["a strong part"] = [low, part]
    papers["only a part"] = [part]
    papers["a stronger second"] = [
        low,
        _claim("The algorithm adds", None, changed=by_score["4.17"]),
    ]
    # The main claim falls short for certain; another, with a smaller lower bound, may still reach 4.
    open_statuses = by_score["1.67"] | dict.fromkeys(("I1", "I2", "I3", "I5", "C5"))
    papers["an open other"] = [
        papers["3.89"][0],
        _claim("The algorithm adds", None, changed=open_statuses),
    ]

    outcomes: list[Any] = []
    for claims in papers.values():
        outcomes.append(_finding([_run(0, *claims)] * 2))
    # A paper whose run left out a claim has no component.
    outcomes.append(_finding([_run(0, part, left_out=1)] * 2))
    outcomes.append(_finding([_run(0, fault=Fault(kind="cut", message="cut"))] * 2))
    outcomes.append(_finding([_run(0), _run(1)]))
    return outcomes


def _with_dimensions(levels: str) -> dict[str, Status | None]:
    """Statuses at the demands of levels such as "C3 I1", and NO elsewhere."""
    statuses: dict[str, Status | None] = dict.fromkeys(CRITERIA, "NO")
    demands: dict[str, dict[str, Status | None]] = {
        "C2": {"C1": "YES", "C5": "PARTIAL"},
        "C3": {"C1": "YES", "C2": "YES", "C5": "YES"},
        "I1": {"I1": "YES"},
        "I2": {"I1": "YES", "I2": "YES"},
        "I3": {"I1": "YES", "I2": "YES", "I3": "YES", "I5": "YES"},
        "M2": {"M1": "YES", "M3": "YES"},
        "V1": {"V3": "YES"},
    }
    for level in levels.split():
        statuses |= demands[level]
    return statuses


def _finding(runs: Sequence[Run]) -> list[Any]:
    voted = vote(runs, least_similarity=_LEAST_SIMILARITY)
    audited = audit(voted, _Proposing(), leak_audit=True, devils_advocate="none")
    scores = score_paper(runs, voted, audited)
    return [find_support(scores).status, scores.main, scores.cvs]


def _worth() -> list[bool]:
    """Whether a judge is shown to be better than one answer to all, around each bound."""
    good: dict[str, float] = {
        "exact": 0.8,
        "exact_low": 0.6,
        "exact_high": 0.9,
        "always_yes": 0.44,
        "always_no": 0.32,
        "p": 0.01,
        "found": 7,
        "supported": 7,
        "false": 1,
        "others": 5,
    }
    changes: list[dict[str, float]] = [
        {},
        {"exact_low": 0.44},
        {"exact_low": 0.4401},
        {"always_no": 0.6},
        {"always_no": 0.5999},
        {"exact_low": math.nan, "exact_high": math.nan},
        {"p": 0.05},
        {"p": 0.0501},
        {"exact_low": 0.3, "p": 0.9},
    ]
    return [why_no_better(good | change, _CONFIDENCE_LEVEL) == "" for change in changes]


# Judges


def _by_rules(judge: JudgeSettings, prompts: Sequence[Path]) -> list[Any]:
    """The claims and statuses of committed texts by the rules, after the vote and after the audit."""
    outcomes = []
    with open_judge(judge, prompts=prompts, responses=Path("none"), weights=()) as rules:
        for text in paper_texts.for_rules():
            outcomes.append(_whole_way(rules, text))
    return outcomes


def _whole_way(judge: Judge, text: str) -> list[Any]:
    """The runs over a text, the voted and the audited claims, and the paper's score."""
    runs = list(independent_runs(judge, text, _about(text), 2, claims_found="once"))
    voted = vote(runs, least_similarity=_LEAST_SIMILARITY)
    audited = audit(voted, judge, leak_audit=True, devils_advocate="conservative")
    scores = score_paper(runs, voted, audited)
    quotes = []
    for claim in audited.claims:
        quotes.append([claim.criteria[code].quotes for code in CRITERIA])
    return [
        [[_described(run.claims), run.fault is None, run.left_out] for run in runs],
        _described(voted.claims),
        _described(audited.claims),
        quotes,
        [scores.main, scores.cvs, find_support(scores).status],
    ]


class _Asked(NamedTuple):
    """A request to a language model: the form of the reply that it asks for, the chat, and the whole schema."""

    form: str
    messages: Any
    schema: Any


def _replies(judge: JudgeSettings, prompts: Sequence[Path]) -> list[Any]:
    """What a language model in the judge's mode is asked about a committed text, and what is made of its replies."""
    from mechaware.instruments.claims.judges.language_model.calls.store import (
        Completion,
        ResponseStore,
    )
    from mechaware.instruments.claims.judges.language_model.judge import LanguageModelJudge
    from mechaware.instruments.claims.judges.language_model.model import LanguageModel
    from mechaware.instruments.claims.judges.language_model.prompts import Prompts

    class CommittedReplies(ResponseStore):
        """A store that has a reply to every request, by the form that it asks for, one after the other."""

        def __init__(self) -> None:
            super().__init__(Path("none"))
            self.asked: list[_Asked] = []

        def get(self, request: Mapping[str, Any], run: int) -> Completion:
            """The next reply in the request's form."""
            del run
            schema = request["response_format"]["json_schema"]
            form = schema["name"]
            replies = paper_texts.REPLIES[form]
            n_before = sum(earlier.form == form for earlier in self.asked)
            self.asked.append(_Asked(form, request["messages"], schema["schema"]))
            reply = replies[n_before % len(replies)]
            text = reply if isinstance(reply, str) else json.dumps(reply)
            is_cut = text == paper_texts.CUT
            return Completion(
                text=text,
                finish_reason="length" if is_cut else "stop",
                prompt_tokens=1,
                completion_tokens=1,
                cost=0.0,
                latency_s=0.0,
                model="committed",
            )

    settings = replace(
        judge,
        name="committed",
        model="committed",
        api_base=None,
        api_key_env=None,
        temperature=None,
        reasoning_effort=None,
        structured_output="json_schema",
        max_claims=2,
        max_tokens=1000,
        context_tokens=100_000,
        max_cost_usd=None,
    )
    store = CommittedReplies()
    reading = LanguageModelJudge(LanguageModel(settings, store), Prompts.load(prompts))
    decided = _whole_way(reading, paper_texts.FOR_MODELS)
    return [decided, [list(request) for request in store.asked]]


# Claims and runs


def _about(text: str) -> PaperText:
    return PaperText(
        paper="paper",
        pages=None,
        pages_read=None,
        truncated=False,
        characters=len(text),
        flags=["NO_VARIANCE_REPORTED"],
        hidden=[],
    )


def _claim(
    statement: str,
    rest: Status | None = "YES",
    components: Sequence[str] = (),
    *,
    changed: Mapping[str, Status | None] | None = None,
    system: bool | None = True,
) -> Claim:
    """A claim with the status `rest` on all criteria but the changed ones."""
    statuses = dict.fromkeys(CRITERIA, rest) | dict(changed or {})
    return Claim(
        statement=statement,
        description_mode="algorithmic",
        evidence_families=[],
        components=list(components),
        criteria={
            code: Judgement(status=status, evidence=code) for code, status in statuses.items()
        },
        system=system,
    )


def _run(number: int, *claims: Claim, fault: Fault | None = None, left_out: int = 0) -> Run:
    return Run(
        judge="judge",
        paper="paper",
        run=number,
        claims=list(claims),
        usage=Usage(),
        fault=fault,
        left_out=left_out,
    )


def _described(claims: Sequence[Claim]) -> list[Any]:
    """Each claim's statement, level, components and statuses."""
    described = []
    for claim in claims:
        statuses = {code: claim.criteria[code].status for code in CRITERIA}
        described.append(
            [claim.statement, claim.system, claim.components, encode_statuses(statuses)]
        )
    return described
