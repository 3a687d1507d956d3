"""The records of a paper, from its text to its scores: one JSON file for each stage."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, model_serializer

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write
from mechaware.instruments.claims.rubric.criteria import Status
from mechaware.instruments.claims.rubric.text_flags import Flag, HiddenReason

# How the votes of the runs on a criterion give one status: by their minimum (section 3.7) or their
# median.
VoteRule = Literal["minimum", "median"]

# A prompt counts as cut if its provider reports less than this share of the tokens that we count.
# We count four characters a token. By the tokenizers in use English prose has four to five
# characters a token, so that at least 0.8 of our count is reported for a whole prompt; other
# scripts have fewer characters a token.
MIN_READ_SHARE = 0.75


class Record(BaseModel):
    """A record that refuses fields it does not know and cannot be changed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


R = TypeVar("R", bound=Record)


class HiddenText(Record):
    """Text of the file that judges do not get, and why. Pages count from 1; a web page has one."""

    page: int
    reason: HiddenReason
    text: str


class LeftOutText(Record):
    """A passage that a web page shows and judges do not get,
    because text extraction did not take it as part of the article.
    """

    element: str  # the name of the element that held the passage, such as aside or footer
    text: str


class Fault(Record):
    """Why a paper or a run could not be used: a kind for tables, a message for people."""

    kind: str
    message: str


class PaperText(Record):
    """`flags.json`: the record of a paper's text.

    The text itself is in text.txt, next to this file; text.txt is empty if there is a fault.
    """

    paper: str
    pages: int | None  # of the document; None if its format has no pages, as HTML
    pages_read: int | None
    # Where each page that was read begins in text.txt, in characters; empty if the document has no
    # pages.
    page_starts: list[int] = []
    truncated: bool  # fewer pages or characters were read than the document has
    characters: int
    flags: list[Flag]
    hidden: list[HiddenText]
    left_out: list[LeftOutText] = []  # only of a web page; sets no flag
    addresses_judge: list[str] = []  # sentences that address a judge, visible or hidden
    fault: Fault | None = None

    def require_readable(self, title: str) -> None:
        """Raise `UserError` for a paper that could not be read; the message calls it by its title.

        The fault's own message begins with the name of the stored file, such as document.pdf, which
        no user knows.
        """
        if self.fault is not None:
            reason = self.fault.message.partition(": ")[2]
            raise UserError(f"{title}: {reason}")


class Judgement(Record):
    """The status of one criterion of a claim, with its evidence.

    A criterion with the status None is unscored: the reply was missing or unusable. None never
    means NO.
    """

    status: Status | None
    evidence: str = ""
    # Where text.txt has each quote of the evidence: [start, end) in characters, or None if the text
    # does not have the quote.
    quotes: list[tuple[int, int] | None] = []
    # After the vote: the status by each run that has the claim, in order of the runs.
    votes: list[Status | None] = []


class Claim(Record):
    """A mechanism claim with all 27 criteria."""

    statement: str
    description_mode: str
    evidence_families: list[str]
    components: list[str]
    criteria: dict[str, Judgement]
    # Whether the claim is about the whole circuit, not about a component of it (section 3.5); None
    # if the judge does not say.
    system: bool | None = None
    # After the vote: the claim's index in each scored run, None for a run that lacks the claim.
    runs: list[int | None] = []


class Usage(Record):
    """The calls of a language model that a record took.

    - `unusable`: the number of questions without a usable reply. If the command is run again, a
      provider is asked these questions again.
    - `cost`: in US dollars; None if the price of a call is not known.
    - `sent_tokens`: our own count of the tokens in a provider's prompts, four characters a token;
      for other judges 0, which is not written to the file.
    """

    calls: int = 0
    unusable: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    sent_tokens: int = 0

    @model_serializer(mode="wrap")
    def _omit_zero_sent_tokens(self, serialise: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        written = serialise(self)
        if not self.sent_tokens:
            del written["sent_tokens"]
        return written

    @property
    def was_cut(self) -> bool:
        """Whether the provider cut the prompts: it reports less than `MIN_READ_SHARE` of the
        tokens that we count.
        """
        return self.prompt_tokens < MIN_READ_SHARE * self.sent_tokens

    def __add__(self, other: "Usage") -> "Usage":
        """The sum of two usages; without a cost if one of them has none."""
        return Usage(
            calls=self.calls + other.calls,
            unusable=self.unusable + other.unusable,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=None if self.cost is None or other.cost is None else self.cost + other.cost,
            sent_tokens=self.sent_tokens + other.sent_tokens,
        )


class Run(Record):
    """`run-{run}.json`: one independent extraction.

    With a fault the run is unscored and has no claims.
    """

    judge: str
    paper: str
    run: int
    claims: list[Claim]
    usage: Usage
    fault: Fault | None = None
    # How many claims of the judge's replies cannot be used. One of them may be the claim about the
    # paper's whole circuit.
    left_out: int = 0
    # Which parts of the judge's replies were left out, repaired or asked for again.
    notes: list[str] = []


class Dropped(Record):
    """A claim of a run that is not in a majority of the scored runs."""

    run: int
    statement: str


class Downgrade(Record):
    """A status that the audit or the devil's advocate lowered."""

    claim: int  # its index among the voted claims
    criterion: str
    before: Status
    after: Status
    reason: str


class Voted(Record):
    """`voted.json`: the claims that most scored runs have,
    each criterion with the status that `rule` gives for its votes.
    """

    judge: str
    paper: str
    runs: int  # how many runs there are, scored or not
    rule: VoteRule = "minimum"
    scored_runs: list[int]  # which runs have no fault
    claims: list[Claim]
    dropped: list[Dropped]
    # System claims that were matched although they are not alike, and the notes of the runs.
    notes: list[str] = []
    fault: Fault | None = None


class Audited(Record):
    """`audited.json`: the voted claims after the leak audit and, if the config asks for it,
    the devil's advocate.
    """

    judge: str
    paper: str
    claims: list[Claim]
    downgrades: list[Downgrade]
    usage: Usage
    # The fault of the vote, which then has no claims to audit.
    fault: Fault | None = None
    # The fault of the leak audit or the devil's advocate, whichever first had no usable reply. This
    # pass lowers nothing; what the leak audit lowered before the devil's advocate stays.
    audit_fault: Fault | None = None


class Scored(Record):
    """The scores of one claim.

    `low` and `high` bound the CVS: criteria without a status count as NO in `low` and as YES in
    `high`. Scores that depend on these criteria (a dimension's, `cvs`, `tier`) are None.
    """

    dimensions: dict[str, int | None]  # 0 to 3 by the dimension's code
    cvs: float | None
    low: float
    high: float
    tier: str | None
    # The fewest criteria to raise for the next tier, as "I2: NO -> YES"; empty at the highest tier.
    next_tier: list[str]


class Scores(Record):
    """`scores.json`: every claim's scores, and the paper's CVS at each stage."""

    judge: str
    paper: str
    claims: list[Claim]
    scored: list[Scored]  # the scores of each claim, in the order of `claims`
    main: int | None  # the index of the system-level claim with the highest score
    cvs: float | None
    tier: str | None
    single_runs: list[float | None]  # the paper's CVS by each run
    voted: float | None  # after the vote, before the audit
    usage: Usage
    fault: Fault | None = None


def write_record(record: Record, path: Path) -> None:
    """Write a record whole or not at all."""
    with atomic_write(path) as partial:
        partial.write_text(record.model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_record(kind: type[R], path: Path) -> R:
    """Read a record of the class `kind`. Raises pydantic's `ValidationError` if the
    file does not hold such a record.
    """
    return kind.model_validate_json(path.read_text(encoding="utf-8"))
