"""The replies that are asked of a language model, as pydantic models: the JSON schema that it gets, and the check.

Names and docstrings of these classes are part of the schema, and so of the key of every stored reply: an edit to one
asks the model anew.
"""

from collections.abc import Iterable
from functools import cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from mechaware.claims.rubric.criteria import CRITERIA, DESCRIPTION_MODES, EVIDENCE_FAMILIES, LEAK_PRONE, Status

Text = Annotated[str, Field(min_length=1)]


class StructuredReply(BaseModel):
    """A reply that refuses fields nobody asked for."""

    model_config = ConfigDict(extra="forbid")


class Judged(StructuredReply):
    """A criterion judged from the paper."""

    status: Status
    evidence: str


class FoundClaim(StructuredReply):
    """A mechanism claim, not yet judged (section 3.1)."""

    statement: Annotated[str, Field(pattern=r"\w+\W+\w+\W+\w+")]  # three words at least, which "..." has not
    description_mode: Literal[DESCRIPTION_MODES]  # type: ignore[valid-type]
    evidence_families: list[Literal[EVIDENCE_FAMILIES]]  # type: ignore[valid-type]
    components: list[str]


AllCriteria = create_model("AllCriteria", __base__=StructuredReply, **dict.fromkeys(CRITERIA, (Judged, ...)))  # type: ignore[call-overload]


class JudgedClaim(FoundClaim):
    """A mechanism claim with all 27 criteria."""

    criteria: AllCriteria  # type: ignore[valid-type]


class JudgedClaims(StructuredReply):
    """The reply of one-step extraction."""

    claims: Annotated[list[JudgedClaim], Field(min_length=1)]


class ClaimCriteria(StructuredReply):
    """The reply of the second of two steps: the criteria of one claim."""

    criteria: AllCriteria  # type: ignore[valid-type]


class Leak(StructuredReply):
    """A status that the leak audit finds to be borrowed."""

    claim: int
    criterion: Literal[LEAK_PRONE]  # type: ignore[valid-type]
    reason: Text


class Leaks(StructuredReply):
    """The reply of the leak audit."""

    downgrades: list[Leak]


class Challenge(Leak):
    """A status that the devil's advocate lowers."""

    after: Literal["NO", "PARTIAL"]


class Challenges(StructuredReply):
    """The reply of the devil's advocate."""

    downgrades: list[Challenge]


@cache
def found_claims(most: int) -> type[StructuredReply]:
    """The reply with the paper's claims alone: at least one, at most `most`."""
    claims = Annotated[list[FoundClaim], Field(min_length=1, max_length=most)]
    return create_model("FoundClaims", __base__=StructuredReply, claims=(claims, ...))


@cache
def chosen_sentences(sentences: int, most: int) -> type[StructuredReply]:
    """The reply of a small model with the paper's claims: "2 algorithmic", of `most` at most, with commas between.

    This one and the next are strings, not lists of objects: a small model writes slowly, and much white space.
    """
    claim = f"({_any_of(range(1, sentences + 1))}) ({_any_of(DESCRIPTION_MODES)})"
    claims = Annotated[str, Field(pattern=f"^{claim}(, {claim}){{0,{most - 1}}}$")]
    return create_model("ChosenSentences", __base__=StructuredReply, claims=(claims, ...))


@cache
def statuses_by_passages(criteria: int, passages: int) -> type[StructuredReply]:
    """The reply of a small model with so many criteria judged from numbered passages, in the order of the rubric.

    Each is NO, or PARTIAL or YES with the number of its passage: "NO YES2 NO".
    """
    status = f"(NO|(PARTIAL|YES)({_any_of(range(1, passages + 1))}))" if passages else "NO"
    statuses = Annotated[str, Field(pattern=f"^{status}( {status}){{{criteria - 1}}}$")]
    return create_model("StatusesByPassages", __base__=StructuredReply, statuses=(statuses, ...))


def _any_of(words: Iterable[object]) -> str:
    return "|".join(map(str, words))
