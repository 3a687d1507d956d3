"""Passages of real papers with edits by hand: the user's own, one YAML file each."""

from collections import Counter
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mechaware.claims.rubric.criteria import CRITERIA
from mechaware.claims.rubric.records import Claim
from mechaware.claims.trust.planted.edits import FAMILIES, PLACEBOS
from mechaware.claims.trust.trials import BASE, Trial, Variant, about_text
from mechaware.configuration import read_yaml
from mechaware.errors import UserError

MOVES = {"falls": "f", "rises": "r"}
REST = {"stays": ".", "open": "?"}


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Replacement(_Entry):
    """A stretch of the passage, which it has exactly once, and what takes its place."""

    old: str = Field(min_length=1)
    new: str = ""


class PassageEdit(_Entry):
    """An edit: its family, and the criterion that it should move; placebos name neither criterion nor move.

    The other criteria should stay, or with `rest: open` may move as well and are not counted: evidence of a real paper
    often serves several.
    """

    family: str
    criterion: str = ""
    expected: Literal["falls", "rises", "nothing"] = "nothing"
    rest: Literal["stays", "open"] = "stays"
    replace: list[Replacement] = Field(min_length=1)


class GivenClaim(_Entry):
    """The claim that is judged on the passage."""

    statement: str
    components: list[str]
    system: bool
    description_mode: str = "algorithmic"
    evidence_families: list[str] = ["causal"]


class Passage(_Entry):
    """A passage, where it comes from and under which licence, its claim, and one edit of a family and criterion."""

    source: str
    licence: str
    url: str
    text: str
    claim: GivenClaim
    edits: list[PassageEdit] = Field(min_length=1)


def read_passages(paths: list[Path]) -> list[Trial]:
    """A trial for each file. Raises `UserError` for a file that is not as `Passage` says."""
    return [_trial(path) for path in paths]


def _trial(path: Path) -> Trial:
    try:
        passage = Passage.model_validate(read_yaml(path, str(path)))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise UserError(f"{path}, {place}: {first['msg']}; docs/bring-your-own.md shows a passage") from None
    kinds = Counter((edit.family, edit.criterion) for edit in passage.edits)
    twice = [" ".join(kind).strip() for kind, times in kinds.items() if times > 1]
    if twice:
        raise UserError(f"{path}: more than one edit '{twice[0]}'; keep one, or name another family")
    claim = Claim(**passage.claim.model_dump(), criteria={})
    base = Variant(
        BASE, "", passage.text, about_text(path.stem, passage.text), {0: claim}, {0: "." * len(CRITERIA)}, {}
    )
    edits = [_variant(path, passage, edit, claim) for edit in passage.edits]
    return Trial(f"passage-{path.stem}", "passage", base, edits)


def _variant(path: Path, passage: Passage, edit: PassageEdit, claim: Claim) -> Variant:
    if edit.family not in FAMILIES:
        raise UserError(f"{path}: no family '{edit.family}' of edits; write one of {', '.join(FAMILIES)}")
    placebo = edit.family in PLACEBOS
    if (
        placebo == (edit.criterion in CRITERIA)
        or placebo == (edit.expected in MOVES)
        or (placebo and edit.rest == "open")
    ):
        wanted = (
            "no criterion, expected: nothing and no rest" if placebo else "a criterion and expected: falls or rises"
        )
        raise UserError(f"{path}, edit '{edit.family}': give it {wanted}")
    text = passage.text
    for stretch in edit.replace:
        if text.count(stretch.old) != 1:
            raise UserError(
                f"{path}, edit '{edit.family}': the text has '{stretch.old[:60]}' {text.count(stretch.old)} times; "
                "`old` must occur once"
            )
        text = text.replace(stretch.old, stretch.new)
    others = REST[edit.rest]
    expected = "".join(MOVES.get(edit.expected, ".") if code == edit.criterion else others for code in CRITERIA)
    return Variant(edit.family, edit.criterion, text, about_text(path.stem, text), {0: claim}, {0: expected}, {})
