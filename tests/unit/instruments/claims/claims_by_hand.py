"""Claims and runs written by hand, for the tests of what happens to them."""

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
    """A claim with these statuses.

    Criteria without a given status are YES if `evidence` has a text for them, else `rest`. Without `evidence` each
    criterion has a text that names it.
    """
    texts = evidence
    if texts is None:
        texts = {code: f"evidence for {code}" for code in CRITERIA}
    given = dict.fromkeys(CRITERIA, rest)
    given |= dict.fromkeys(evidence or {}, "YES")
    given |= statuses or {}

    criteria = {}
    for code, status in given.items():
        criteria[code] = Judgement(status=status, evidence=texts.get(code, ""))
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
