"""The known truth about a planted paper, which judges are measured against."""

from mechaware.claims.rubric.criteria import Status
from mechaware.claims.rubric.records import Record


class PlantedClaim(Record):
    """A claim as it was planted: `levels` by criterion, with each of its sentences in place.

    `leaks` are criteria at NO beside the circuit's evidence, `withdrawn` criteria at NO whose evidence the text reports
    and later withdraws: the paper's last word counts (our definition).
    """

    statement: str
    restated: list[str]  # the same claim in other words, for later sections
    system: bool
    name: str  # "agreement circuit", "number movers"
    components: list[str]
    description_mode: str
    evidence_families: list[str]
    levels: dict[str, Status]
    leaks: list[str]
    withdrawn: list[str]


class PlantedPaper(Record):
    """`{paper}.truth.json`: what the paper was written from. Its first claim is the system-level one.

    Neither the table nor the instruction to judges changes a level.
    """

    paper: str
    title: str
    task: str
    model: str
    seed: int
    tier: str  # of the system-level claim
    claims: list[PlantedClaim]
    tabled: bool = False  # the sizes of effects are in a table
    instructs: bool = False  # a sentence tells its judges what to answer
