"""The replies that are asked of a language model, as pydantic models: the JSON schema that it gets, and the check.

Names and docstrings of these classes are part of the schema, and so of the key of every stored reply: an edit to one
asks the model anew.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    ValidationError,
    WithJsonSchema,
    create_model,
    model_validator,
)

from mechaware.instruments.claims.judges.language_model.structured import (
    StructuredReply,
    complaint,
    field_name,
    unwrapped,
)
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    DESCRIPTION_MODES,
    EVIDENCE_FAMILIES,
    LEAK_PRONE,
    Status,
)
from mechaware.instruments.claims.rubric.records import Judgement

Text = Annotated[str, Field(min_length=1)]
LEVELS = ("system", "component")
UNKNOWN_MODE = "unknown"
# Signs around a status; any other sign may change what it says.
MARKERS = " \t\n*_`\"'“”\u2018\u2019.:()[]{}"


def _status(value: object) -> object:
    """A status without markers around it, in capitals: "**Yes**." is YES, but "~YES" is no status."""
    return value.strip(MARKERS).upper() if isinstance(value, str) else value


def _code(value: object) -> object:
    return field_name(value) if isinstance(value, str) else value


def _hyphenated(value: object) -> object:
    return re.sub(r"[\s_]+", "-", value.strip().lower()) if isinstance(value, str) else value


def _text_or_nothing(value: object) -> object:
    return "" if value is None else value


def _names(value: object) -> object:
    """A list of names, or one without a list. Components affect no score: what is no text is left out."""
    names = value if isinstance(value, list) else [value]
    return [name for name in names if isinstance(name, str)]


def _known_families(value: object) -> object:
    """Families affect no score: unknown ones are left out."""
    if not isinstance(value, list):
        return []
    names = [_hyphenated(name) for name in value]
    return [name for name in names if name in EVIDENCE_FAMILIES]


def _known_mode(value: object) -> object:
    """How a claim is described affects no score either."""
    mode = _hyphenated(value)
    return mode if mode in DESCRIPTION_MODES else UNKNOWN_MODE


def _known_level(value: object) -> object:
    """The paper's heuristics decide where the judge does not say."""
    level = _hyphenated(value)
    return level if level in LEVELS else None


Mode = Annotated[
    str,
    BeforeValidator(_known_mode),
    WithJsonSchema({"enum": list(DESCRIPTION_MODES), "type": "string"}),
]
Level = Annotated[
    Literal[LEVELS] | None,  # type: ignore[valid-type]
    BeforeValidator(_known_level),
    WithJsonSchema({"type": "string", "enum": list(LEVELS)}),
]


class Judged(StructuredReply):
    """A criterion judged from the paper; the evidence first, so that it is found before the status is decided."""

    evidence: Annotated[str, BeforeValidator(_text_or_nothing)]
    status: Annotated[Status, BeforeValidator(_status)]


class FoundClaim(StructuredReply):
    """A mechanism claim, not yet judged (section 3.1)."""

    # Three words at least, which "..." has not.
    statement: Annotated[str, Field(pattern=r"\w+\W+\w+\W+\w+")]
    level: Level = None
    description_mode: Mode = UNKNOWN_MODE
    evidence_families: Annotated[
        list[Literal[EVIDENCE_FAMILIES]],  # type: ignore[valid-type]
        BeforeValidator(_known_families),
    ] = Field(default_factory=list)
    components: Annotated[list[str], BeforeValidator(_names)] = Field(default_factory=list)


AllCriteria = create_model(
    "AllCriteria", __base__=StructuredReply, **dict.fromkeys(CRITERIA, (Judged, ...))
)  # type: ignore[call-overload]


class JudgedClaim(FoundClaim):
    """A mechanism claim with all 27 criteria."""

    criteria: AllCriteria  # type: ignore[valid-type]


class JudgedClaims(StructuredReply):
    """The claims with their criteria, in one reply."""

    claims: list[JudgedClaim]


class RawClaims(StructuredReply):
    """Any reply with claims, to be read claim by claim. Without any, the paper makes none."""

    claims: list[dict[str, Any]]

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, value: object) -> object:
        """Claims without the field `claims`, and one claim without a list, are a reply, too."""
        value = unwrapped(value, cls.model_fields)
        if isinstance(value, dict) and "statement" in value:
            return {"claims": [value]}
        if isinstance(value, dict) and isinstance(value.get("claims"), dict):
            return value | {"claims": [value["claims"]]}
        # An empty list in another field is no statement that there are none.
        if isinstance(value, list) and value:
            value = {"claims": value}
        if isinstance(value, dict) and isinstance(value.get("claims"), list):
            fields = {*FoundClaim.model_fields, "criteria"}
            return value | {"claims": [unwrapped(claim, fields) for claim in value["claims"]]}
        return value

    @model_validator(mode="after")
    def _check_claims(self) -> "RawClaims":
        faults = [claim for claim in map(read_claim, self.claims) if isinstance(claim, str)]
        if faults and len(faults) == len(self.claims):
            raise ValueError(f"no claim can be used; claim 1: {faults[0]}")
        return self


class RawCriteria(StructuredReply):
    """Any reply with criteria, to be read one by one."""

    criteria: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, value: object) -> object:
        """Criteria without the field `criteria`, and a whole claim, perhaps in a list of claims, are a reply, too."""
        for _ in range(2):
            value = unwrapped(value, {*cls.model_fields, *CRITERIA})
        if isinstance(value, dict) and not value.keys().isdisjoint(CRITERIA):
            return {"criteria": value}
        return value


class RawCriteriaOfClaims(StructuredReply):
    """Any reply with the criteria of several claims, each with the claim's number."""

    claims: list[dict[str, Any]]

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, value: object) -> object:
        """A list without the field `claims` is a reply, too."""
        value = unwrapped(value, cls.model_fields)
        return {"claims": value} if isinstance(value, list) else value

    @model_validator(mode="after")
    def _check_numbers(self) -> "RawCriteriaOfClaims":
        if not self.by_number():
            raise ValueError('no "claim" of the reply is the number of a claim')
        return self

    def by_number(self) -> dict[int, object]:
        """By the number of a claim its raw criteria; of two entries with one number neither counts."""
        numbers = [_number_of(entry.get("claim")) for entry in self.claims]
        criteria: dict[int, object] = {}
        for number, entry in zip(numbers, self.claims, strict=True):
            if number is not None and numbers.count(number) == 1:
                criteria[number] = entry.get("criteria")
        return criteria


def _number_of(value: object) -> int | None:
    """A claim's number, as 2, "2" or "claim 2"; None for anything else."""
    match = re.fullmatch(r"(?:claim\s*)?#?(\d{1,3})", str(value).strip().lower())
    return int(match[1]) if match else None


def read_claim(raw: object) -> FoundClaim | str:
    """A claim of a reply, or what is wrong with it."""
    try:
        return FoundClaim.model_validate(raw)
    except ValidationError as error:
        return complaint(error)


def read_criterion(raw: object, code: str) -> Judged | str:
    """A criterion of a reply's `criteria`, or what is wrong with it."""
    if not isinstance(raw, dict) or code not in raw:
        return "missing"
    try:
        return Judged.model_validate(raw[code])
    except ValidationError as error:
        return complaint(error)


def unscored_criteria(reason: str, codes: Iterable[str] = CRITERIA) -> dict[str, Judgement]:
    """Criteria without a status, with the reason as evidence."""
    return {code: Judgement(status=None, evidence=f"[UNSCORED: {reason}]") for code in codes}


class Leak(StructuredReply):
    """A status that the leak audit finds to be borrowed."""

    # `true`, which pydantic takes for 1, is no number as text.
    claim: Annotated[int, BeforeValidator(str)]
    criterion: Annotated[Literal[LEAK_PRONE], BeforeValidator(_code)]  # type: ignore[valid-type]
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
def criteria_form(codes: tuple[str, ...] = tuple(CRITERIA)) -> type[StructuredReply]:
    """The reply with these criteria of one claim."""
    criteria = create_model(
        "Criteria", __base__=StructuredReply, **dict.fromkeys(codes, (Judged, ...))
    )  # type: ignore[call-overload]
    return create_model("ClaimCriteria", __base__=StructuredReply, criteria=(criteria, ...))


@cache
def criteria_of_claims(number: int) -> type[StructuredReply]:
    """The reply with all criteria of so many given claims, each with the claim's number."""
    of_one = create_model(
        "NumberedCriteria", __base__=StructuredReply, claim=(int, ...), criteria=(AllCriteria, ...)
    )
    claims = Annotated[list[of_one], Field(min_length=number, max_length=number)]  # type: ignore[valid-type]
    return create_model("CriteriaOfClaims", __base__=StructuredReply, claims=(claims, ...))


@cache
def found_claims(most: int) -> type[StructuredReply]:
    """The reply with the paper's claims alone, at most `most`."""
    claims = Annotated[list[FoundClaim], Field(max_length=most)]
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
    status = "NO"
    if passages:
        status = f"(NO|(PARTIAL|YES)({_any_of(range(1, passages + 1))}))"
    statuses = Annotated[str, Field(pattern=f"^{status}( {status}){{{criteria - 1}}}$")]
    return create_model("StatusesByPassages", __base__=StructuredReply, statuses=(statuses, ...))


def _any_of(words: Iterable[object]) -> str:
    return "|".join(map(str, words))
