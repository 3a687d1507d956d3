"""The replies that a language model is asked for, as pydantic models.

A *form* is a class whose JSON schema is sent with a request. Claims and criteria in a reply are
read by a class `Raw...`, one by one, so that a fault of one does not spoil the others.

Names and docstrings of forms, and of classes inside them, are part of the schema, and so of the key
of every stored reply: an edit to one asks the model anew.
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
# Signs around a status that are ignored; any other sign may change its meaning.
MARKERS = " \t\n*_`\"'“”\u2018\u2019.:()[]{}"


def _status(value: object) -> object:
    """A status in capitals without `MARKERS` around it: "**Yes**." is YES; "~YES" is no status."""
    return value.strip(MARKERS).upper() if isinstance(value, str) else value


def _code(value: object) -> object:
    """The code of a criterion without marks: "C-1:" is C1."""
    return field_name(value) if isinstance(value, str) else value


def _hyphenated(value: object) -> object:
    """A text in lower case with hyphens: "Information theoretic" is information-theoretic."""
    return re.sub(r"[\s_]+", "-", value.strip().lower()) if isinstance(value, str) else value


def _text_or_nothing(value: object) -> object:
    return "" if value is None else value


def _names(value: object) -> object:
    """The names of a list, or the one name without a list.

    Values that are no text are left out: components affect no score.
    """
    names = value if isinstance(value, list) else [value]
    return [name for name in names if isinstance(name, str)]


def _known_families(value: object) -> object:
    """The known families of a list. Unknown ones are left out: families affect no score."""
    if not isinstance(value, list):
        return []
    names = [_hyphenated(name) for name in value]
    return [name for name in names if name in EVIDENCE_FAMILIES]


def _known_mode(value: object) -> object:
    """A known mode of description, else `UNKNOWN_MODE`: modes affect no score."""
    mode = _hyphenated(value)
    return mode if mode in DESCRIPTION_MODES else UNKNOWN_MODE


def _known_level(value: object) -> object:
    """A known level, else None: the level is then found by the paper's heuristics."""
    level = _hyphenated(value)
    return level if level in LEVELS else None


DescriptionMode = Annotated[
    str,
    BeforeValidator(_known_mode),
    WithJsonSchema({"enum": list(DESCRIPTION_MODES), "type": "string"}),
]
ClaimLevel = Annotated[
    Literal[LEVELS] | None,  # type: ignore[valid-type]
    BeforeValidator(_known_level),
    WithJsonSchema({"type": "string", "enum": list(LEVELS)}),
]


class Judged(StructuredReply):
    """A criterion judged from the paper; the evidence first, so that it is found before the status is decided."""  # noqa: W505

    evidence: Annotated[str, BeforeValidator(_text_or_nothing)]
    status: Annotated[Status, BeforeValidator(_status)]


class FoundClaim(StructuredReply):
    """A mechanism claim, not yet judged (section 3.1)."""

    # At least three words, so that "..." is no statement.
    statement: Annotated[str, Field(pattern=r"\w+\W+\w+\W+\w+")]
    level: ClaimLevel = None
    description_mode: DescriptionMode = UNKNOWN_MODE
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
    """A reply with claims, each read by `read_claim`. Without claims the paper makes none."""

    claims: list[dict[str, Any]]

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, value: object) -> object:
        """The reply with a list of claims in the field `claims`. These are also accepted:

        {"statement": ...}               one claim alone
        {"claims": {"statement": ...}}   one claim without a list
        [{...}, {...}]                   claims without the field `claims`
        [{"claim": {...}}]               claims that are wrapped one by one (`unwrapped`)
        """
        value = unwrapped(value, cls.model_fields)
        if isinstance(value, dict) and "statement" in value:
            return {"claims": [value]}
        if isinstance(value, dict) and isinstance(value.get("claims"), dict):
            return value | {"claims": [value["claims"]]}
        # An empty list without the field `claims` does not state that the paper makes no claims.
        if isinstance(value, list) and value:
            value = {"claims": value}
        if isinstance(value, dict) and isinstance(value.get("claims"), list):
            fields = {*FoundClaim.model_fields, "criteria"}
            return value | {"claims": [unwrapped(claim, fields) for claim in value["claims"]]}
        return value

    @model_validator(mode="after")
    def _check_claims(self) -> "RawClaims":
        """Refuse a reply all of whose claims are faulty."""
        faults = [claim for claim in map(read_claim, self.claims) if isinstance(claim, str)]
        if faults and len(faults) == len(self.claims):
            raise ValueError(f"no claim can be used; claim 1: {faults[0]}")
        return self


class RawCriteria(StructuredReply):
    """A reply with the criteria of one claim, each of which `read_criterion` reads."""

    criteria: dict[str, Any]

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, value: object) -> object:
        """The reply with its criteria in the field `criteria`.

        Criteria without this field are also accepted, and a whole claim with its criteria.
        """
        # Twice: around a whole claim there may be both a list and a field, {"claims": [{...}]}.
        for _ in range(2):
            value = unwrapped(value, {*cls.model_fields, *CRITERIA})
        if isinstance(value, dict) and not value.keys().isdisjoint(CRITERIA):
            return {"criteria": value}
        return value


class RawCriteriaOfClaims(StructuredReply):
    """A reply with the criteria of several claims, each with the claim's number."""

    claims: list[dict[str, Any]]

    @model_validator(mode="before")
    @classmethod
    def _unwrap(cls, value: object) -> object:
        """The reply with its list in the field `claims`; a bare list is also accepted."""
        value = unwrapped(value, cls.model_fields)
        return {"claims": value} if isinstance(value, list) else value

    @model_validator(mode="after")
    def _check_numbers(self) -> "RawCriteriaOfClaims":
        """Refuse a reply none of whose entries has a claim's number of its own."""
        if not self.by_number():
            raise ValueError('no "claim" of the reply is the number of a claim')
        return self

    def by_number(self) -> dict[int, object]:
        """The criteria of each claim, unread, by the claim's number.

        Entries without a number are left out, and all entries that share a number.
        """
        numbers = [_number_of(entry.get("claim")) for entry in self.claims]
        criteria: dict[int, object] = {}
        for number, entry in zip(numbers, self.claims, strict=True):
            if number is not None and numbers.count(number) == 1:
                criteria[number] = entry.get("criteria")
        return criteria


def _number_of(value: object) -> int | None:
    """A claim's number: 2 for 2, "2", "#2" or "claim 2"; None for anything else."""
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

    # From text: pydantic reads `true` as 1, but the text "True" is no number.
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
    """The form of a reply with these criteria of one claim."""
    criteria = create_model(
        "Criteria", __base__=StructuredReply, **dict.fromkeys(codes, (Judged, ...))
    )  # type: ignore[call-overload]
    return create_model("ClaimCriteria", __base__=StructuredReply, criteria=(criteria, ...))


@cache
def criteria_of_claims(n_claims: int) -> type[StructuredReply]:
    """The form of a reply with all criteria of given claims, each with the claim's number."""
    of_one_claim = create_model(
        "NumberedCriteria", __base__=StructuredReply, claim=(int, ...), criteria=(AllCriteria, ...)
    )
    claims = Annotated[
        list[of_one_claim],  # type: ignore[valid-type]
        Field(min_length=n_claims, max_length=n_claims),
    ]
    return create_model("CriteriaOfClaims", __base__=StructuredReply, claims=(claims, ...))


@cache
def found_claims(max_claims: int) -> type[StructuredReply]:
    """The form of a reply with the paper's claims, without their criteria."""
    claims = Annotated[list[FoundClaim], Field(max_length=max_claims)]
    return create_model("FoundClaims", __base__=StructuredReply, claims=(claims, ...))


@cache
def chosen_sentences(n_sentences: int, max_claims: int) -> type[StructuredReply]:
    """The form of a small model's reply with the paper's claims: "2 algorithmic, 5 computational".

    A claim is the number of one of `n_sentences` sentences and a mode of description. The claims
    are a string, not a list of objects: a small model writes slowly, and much white space.
    """
    claim = f"({_any_of(range(1, n_sentences + 1))}) ({_any_of(DESCRIPTION_MODES)})"
    claims = Annotated[str, Field(pattern=f"^{claim}(, {claim}){{0,{max_claims - 1}}}$")]
    return create_model("ChosenSentences", __base__=StructuredReply, claims=(claims, ...))


@cache
def statuses_by_passages(n_criteria: int, n_passages: int) -> type[StructuredReply]:
    """The form of a small model's reply with statuses judged from numbered passages: "NO YES2 NO".

    Like `chosen_sentences`, it is a string. It has a status for each criterion, in the order of the
    rubric: NO, or PARTIAL or YES with the number of the passage that shows it. Without passages
    every status is NO.
    """
    status = "NO"
    if n_passages:
        status = f"(NO|(PARTIAL|YES)({_any_of(range(1, n_passages + 1))}))"
    statuses = Annotated[str, Field(pattern=f"^{status}( {status}){{{n_criteria - 1}}}$")]
    return create_model("StatusesByPassages", __base__=StructuredReply, statuses=(statuses, ...))


def _any_of(words: Iterable[object]) -> str:
    """A pattern for any of the words."""
    return "|".join(map(str, words))
