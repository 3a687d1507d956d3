"""What is written about a paper between its text and its scores: one JSON file for each stage."""

from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from mechaware.claims.rubric.criteria import Status
from mechaware.files import replacing


class Record(BaseModel):
    """A record refuses fields that it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


R = TypeVar("R", bound=Record)


class HiddenText(Record):
    """Text that a reader of the page does not see and a reader of the file does; it was taken out."""

    page: int
    reason: Literal["white", "tiny", "invisible", "off page"]
    text: str


class Fault(Record):
    """Why a paper or a run could not be used: a kind for tables, a message for people."""

    kind: str
    message: str


class PaperText(Record):
    """`flags.json`: what stands beside a paper's text.txt, which is empty if there is a fault."""

    paper: str
    pages: int | None  # of the document; None where it has none, as HTML
    pages_read: int | None
    truncated: bool
    characters: int
    flags: list[str]  # NO_VARIANCE_REPORTED, HIDDEN_TEXT
    hidden: list[HiddenText]
    fault: Fault | None = None


class Judgement(Record):
    """A criterion of a claim. Status None is unscored: the reply was missing or unusable. It never means NO."""

    status: Status | None
    evidence: str = ""
    # Where the quotes in the evidence stand in text.txt, one entry a quote: [start, end), or None if it is not found.
    quotes: list[tuple[int, int] | None] = []
    votes: list[Status | None] = []  # once voted: of the runs that found the claim, in their order


class Claim(Record):
    """A mechanism claim with all 27 criteria."""

    statement: str
    description_mode: str
    evidence_families: list[str]
    components: list[str]
    criteria: dict[str, Judgement]
    system: bool | None = None  # the whole circuit's claim, once decided (section 3.5)
    runs: list[int | None] = []  # its index in each run, once voted


class Usage(Record):
    """What the calls of a record asked of the judge. Cost in US dollars; None where no price is known."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0


class Run(Record):
    """`run-{run}.json`: one independent extraction. With a fault the run is unscored and has no claims."""

    judge: str
    paper: str
    run: int
    claims: list[Claim]
    usage: Usage
    fault: Fault | None = None


class Dropped(Record):
    """A claim that a majority of the scored runs lacks."""

    run: int
    statement: str


class Downgrade(Record):
    """A status that the audit or the devil's advocate lowered."""

    claim: int
    criterion: str
    before: Status
    after: Status
    reason: str


class Voted(Record):
    """`voted.json`: the claims that most runs found, each criterion at the least of its votes (section 3.7)."""

    judge: str
    paper: str
    runs: int
    scored_runs: list[int]
    claims: list[Claim]
    dropped: list[Dropped]
    fault: Fault | None = None


class Audited(Record):
    """`audited.json`: the voted claims after the leak audit and, if asked for, the devil's advocate."""

    judge: str
    paper: str
    claims: list[Claim]
    downgrades: list[Downgrade]
    usage: Usage
    fault: Fault | None = None  # of the vote: nothing to audit
    audit_fault: Fault | None = None  # the audit itself gave no usable reply; the claims stand as voted


class Scored(Record):
    """The scores of one claim. `cvs` is None if criteria without a status leave it open; low and high bound it."""

    dimensions: dict[str, int | None]
    cvs: float | None
    low: float
    high: float
    tier: str | None
    next_tier: list[str]  # what is missing for the next tier: the fewest criteria to raise, as "I2: NO -> YES"


class Scores(Record):
    """`scores.json`: every claim's scores, and those of the paper's system-level claim at each stage."""

    judge: str
    paper: str
    claims: list[Claim]
    scored: list[Scored]  # of each claim
    main: int | None  # the system-level claim with the highest score
    cvs: float | None
    tier: str | None
    single_runs: list[float | None]  # the paper's CVS by each run alone
    voted: float | None  # after the vote, before the audit
    usage: Usage
    fault: Fault | None = None


def write_record(record: Record, path: Path) -> None:
    """Write a record whole or not at all."""
    with replacing(path) as partial:
        partial.write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_record(kind: type[R], path: Path) -> R:
    """Read a record of a known kind."""
    return kind.model_validate_json(path.read_text(encoding="utf-8"))
