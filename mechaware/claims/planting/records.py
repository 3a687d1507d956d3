"""The known truth about a planted paper, which judges are measured against."""

from mechaware.claims.rubric.criteria import Status
from mechaware.claims.rubric.records import Record


class PlantedClaim(Record):
    """A claim as it was planted: `levels` by criterion. `leaks` are criteria at NO beside the circuit's evidence."""

    statement: str
    system: bool
    name: str  # "agreement circuit", "number movers"
    components: list[str]
    description_mode: str
    evidence_families: list[str]
    levels: dict[str, Status]
    leaks: list[str]


class PlantedPaper(Record):
    """`{paper}.truth.json`: what the paper was written from. Its first claim is the system-level one."""

    paper: str
    title: str
    task: str
    model: str
    seed: int
    tier: str  # of the system-level claim
    claims: list[PlantedClaim]
