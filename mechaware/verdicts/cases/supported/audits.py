"""Downgrades proposed to an audit, for each criterion and kind of claim, and which it makes."""

from collections.abc import Sequence
from itertools import product
from typing import Any, Literal

from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.rubric.criteria import CRITERIA, Status
from mechaware.instruments.claims.rubric.records import Claim, Downgrade, PaperText, Run, Usage
from mechaware.instruments.claims.votes.audit import DevilsAdvocate, audit
from mechaware.instruments.claims.votes.voting import vote
from mechaware.verdicts.cases.supported.records import (
    LEAST_SIMILARITY,
    described,
    make_claim,
    make_run,
)

_CHALLENGES: tuple[DevilsAdvocate, ...] = ("none", "aggressive")


class ProposingJudge:
    """A judge that proposes fixed downgrades, whatever the claims are."""

    def __init__(self, proposals: Sequence[Downgrade] = (), *, fails: bool = False) -> None:
        self._proposals = proposals
        self._fails = fails

    def extract(self, text: str, about: PaperText, run: int) -> Run:
        """No claims."""
        del text, about
        return make_run(run)

    def judge_claims(self, text: str, about: PaperText, claims: Sequence[Claim], run: int) -> Run:
        """The claims as they are."""
        del text, about
        return make_run(run, *claims)

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


def audit_outcomes() -> list[Any]:
    """Which proposals lower a status, for a claim about a whole circuit and one about a part.

    Each criterion is proposed at NO and at PARTIAL, for both claims and for one that does not
    exist. So some proposals lower a status, I2 twice, and others would raise or keep it.
    """
    statuses: dict[str, Status | None] = {
        "I2": "YES",
        "I3": "PARTIAL",
        "I5": "NO",
        "E2": None,
        "C1": "YES",
    }
    claims = [
        make_claim("The circuit moves names", "PARTIAL", changed=statuses),
        make_claim("Head 9.9 copies names", "PARTIAL", ["9.9"], changed=statuses, system=False),
    ]
    run = make_run(0, *claims)
    voted = vote([run, run], least_similarity=LEAST_SIMILARITY)
    proposals = _proposals()

    outcomes: list[Any] = []
    for leak_audit, challenge in product((True, False), _CHALLENGES):
        judge = ProposingJudge(proposals)
        audited = audit(voted, judge, leak_audit=leak_audit, devils_advocate=challenge)
        lowered = []
        for downgrade in audited.downgrades:
            lowered.append(
                (downgrade.claim, downgrade.criterion, downgrade.before, downgrade.after)
            )
        outcomes.append([described(audited.claims), lowered])

    failed = audit(voted, ProposingJudge(fails=True), leak_audit=True, devils_advocate="none")
    return [*outcomes, described(failed.claims), failed.audit_fault is None]


def _proposals() -> list[Downgrade]:
    """Each criterion to NO, then to PARTIAL, of both claims and of a third one that does not exist.

    For I2 it is PARTIAL first, then NO, so that one status is lowered twice.
    """
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
    return proposals
