"""What a judge may reply, as pydantic models: the JSON schema that it is given and the check of what comes back."""

from collections.abc import Iterable
from functools import cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from mechaware.claims.rubric.criteria import CRITERIA, DESCRIPTION_MODES, EVIDENCE_FAMILIES, LEAK_PRONE, Status

Text = Annotated[str, Field(min_length=1)]


class Reply(BaseModel):
    """A reply with a field that nobody asked for is refused."""

    model_config = ConfigDict(extra="forbid")


class Judged(Reply):
    """A criterion judged from the paper."""

    status: Status
    evidence: str


class FoundClaim(Reply):
    """A mechanism claim, not yet judged (section 3.1)."""

    statement: Annotated[str, Field(pattern=r"\w+\W+\w+\W+\w+")]  # three words at least, which "..." has not
    description_mode: Literal[DESCRIPTION_MODES]  # type: ignore[valid-type]
    evidence_families: list[Literal[EVIDENCE_FAMILIES]]  # type: ignore[valid-type]
    components: list[str]


AllCriteria = create_model("AllCriteria", __base__=Reply, **dict.fromkeys(CRITERIA, (Judged, ...)))  # type: ignore[call-overload]


class JudgedClaim(FoundClaim):
    """A mechanism claim with all 27 criteria."""

    criteria: AllCriteria  # type: ignore[valid-type]


class JudgedClaims(Reply):
    """The reply of one-step extraction."""

    claims: Annotated[list[JudgedClaim], Field(min_length=1)]


class ClaimCriteria(Reply):
    """The reply of the second of two steps: the criteria of one claim."""

    criteria: AllCriteria  # type: ignore[valid-type]


class Leak(Reply):
    """A status that the leak audit finds to be borrowed."""

    claim: int
    criterion: Literal[LEAK_PRONE]  # type: ignore[valid-type]
    reason: Text


class Leaks(Reply):
    """The reply of the leak audit."""

    downgrades: list[Leak]


class Challenge(Leak):
    """A status that the devil's advocate lowers."""

    after: Literal["NO", "PARTIAL"]


class Challenges(Reply):
    """The reply of the devil's advocate."""

    downgrades: list[Challenge]


@cache
def found_claims(most: int) -> type[Reply]:
    """The reply with the paper's claims alone: at least one, at most `most`."""
    claims = Annotated[list[FoundClaim], Field(min_length=1, max_length=most)]
    return create_model("FoundClaims", __base__=Reply, claims=(claims, ...))


@cache
def chosen_sentences(sentences: int, most: int) -> type[Reply]:
    """The reply of a small model with the paper's claims: "2 algorithmic", of `most` at most, with commas between.

    This and the next are strings and no lists of objects, because a small model writes slowly, and much white space.
    """
    one = f"({_one_of(range(1, sentences + 1))}) ({_one_of(DESCRIPTION_MODES)})"
    claims = Annotated[str, Field(pattern=f"^{one}(, {one}){{0,{most - 1}}}$")]
    return create_model("ChosenSentences", __base__=Reply, claims=(claims, ...))


@cache
def statuses_by_passages(criteria: int, passages: int) -> type[Reply]:
    """The reply of a small model with so many criteria judged from numbered passages, in the order of the rubric.

    Each is NO, or PARTIAL or YES with the number of the passage that shows it: "NO YES2 NO".
    """
    one = f"(NO|(PARTIAL|YES)({_one_of(range(1, passages + 1))}))" if passages else "NO"
    statuses = Annotated[str, Field(pattern=f"^{one}( {one}){{{criteria - 1}}}$")]
    return create_model("StatusesByPassages", __base__=Reply, statuses=(statuses, ...))


def _one_of(words: Iterable[object]) -> str:
    return "|".join(map(str, words))
