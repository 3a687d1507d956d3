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
    """A claim with some statuses; all other criteria have `rest`, but YES on those that `evidence` has a text for."""
    texts = {code: f"evidence for {code}" for code in CRITERIA} if evidence is None else evidence
    given = (
        dict.fromkeys(CRITERIA, rest) | dict.fromkeys(evidence or {}, "YES") | dict(statuses or {})
    )
    return Claim(
        statement=statement,
        description_mode="algorithmic",
        evidence_families=["causal"],
        components=list(components),
        criteria={
            code: Judgement(status=status, evidence=texts.get(code, ""))
            for code, status in given.items()
        },
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
