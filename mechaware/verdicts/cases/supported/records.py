"""Makes the claims and runs of the cases, and lists the fields of claims that are compared."""

from collections.abc import Mapping, Sequence
from typing import Any

from mechaware.instruments.claims.rubric.criteria import CRITERIA, Status, encode_statuses
from mechaware.instruments.claims.rubric.records import Claim, Fault, Judgement, Run, Usage

# The least similarity of two runs' claims that a vote takes for one claim.
LEAST_SIMILARITY = 0.5


def make_claim(
    statement: str,
    rest: Status | None = "YES",
    components: Sequence[str] = (),
    *,
    changed: Mapping[str, Status | None] | None = None,
    system: bool | None = True,
) -> Claim:
    """A claim with the status `rest` on all criteria, except where `changed` gives another.

    `system`: whether the claim is about the whole mechanism; None if the judge does not say.
    The evidence for each criterion is its code.
    """
    statuses = dict.fromkeys(CRITERIA, rest) | dict(changed or {})
    criteria = {code: Judgement(status=status, evidence=code) for code, status in statuses.items()}
    return Claim(
        statement=statement,
        description_mode="algorithmic",
        evidence_families=[],
        components=list(components),
        criteria=criteria,
        system=system,
    )


def make_run(number: int, *claims: Claim, fault: Fault | None = None, left_out: int = 0) -> Run:
    """A run with these claims.

    `fault`: why the run failed, if it did. `left_out`: how many claims were left out as unusable.
    """
    return Run(
        judge="judge",
        paper="paper",
        run=number,
        claims=list(claims),
        usage=Usage(),
        fault=fault,
        left_out=left_out,
    )


def described(claims: Sequence[Claim]) -> list[Any]:
    """Each claim's statement, level, components and statuses."""
    rows = []
    for claim in claims:
        statuses = {code: claim.criteria[code].status for code in CRITERIA}
        rows.append([claim.statement, claim.system, claim.components, encode_statuses(statuses)])
    return rows
