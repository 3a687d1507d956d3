"""Short forms of claims and runs for tests, which write out only what they test."""

from collections.abc import Mapping, Sequence

from mechaware.instruments.claims.rubric.criteria import CRITERIA, Status
from mechaware.instruments.claims.rubric.records import Claim, Fault, Judgement, Run, Usage


def claim(
    statement: str = "Head 9.9 copies names",
    components: Sequence[str] = (),
    statuses: Mapping[str, Status | None] | None = None,
    *,
    rest: Status | None = "NO",
    evidence: Mapping[str, str] | None = None,
    system: bool | None = None,
) -> Claim:
    """A claim with a status and a text of evidence for each of the 27 criteria.

    - The status of a criterion is the one in `statuses`, else YES if `evidence` has the criterion,
      else `rest`.
    - Its text is the one in `evidence`, else empty. Without `evidence` the text of C1 is "evidence
      for C1", and so on.
    """
    status_of = dict.fromkeys(CRITERIA, rest)
    status_of |= dict.fromkeys(evidence or {}, "YES")
    status_of |= statuses or {}

    evidence_of = evidence
    if evidence_of is None:
        evidence_of = {code: f"evidence for {code}" for code in CRITERIA}

    criteria = {}
    for code, status in status_of.items():
        criteria[code] = Judgement(status=status, evidence=evidence_of.get(code, ""))
    return Claim(
        statement=statement,
        description_mode="algorithmic",
        evidence_families=["causal"],
        components=list(components),
        criteria=criteria,
        system=system,
    )


def run(number: int, *claims: Claim, fault: Fault | None = None) -> Run:
    """A run of the judge `tester` over the paper `paper`."""
    return Run(
        judge="tester",
        paper="paper",
        run=number,
        claims=list(claims),
        usage=Usage(calls=1),
        fault=fault,
    )
