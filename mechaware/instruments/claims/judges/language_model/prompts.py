"""The judge prompts of one version: read from files, checked, and rendered as chat messages."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from mechaware.core.errors import UserError
from mechaware.core.yaml_files import parse_yaml
from mechaware.instruments.claims.judges.language_model.structured import complaint
from mechaware.instruments.claims.rubric.criteria import CRITERIA, DIMENSIONS, LEAK_PRONE, Dimension
from mechaware.instruments.claims.rubric.records import Claim
from mechaware.instruments.claims.rubric.text_flags import FLAGS

Messages = list[dict[str, str]]
Text = Annotated[str, Field(min_length=1)]

# The files of the system message of every request with a whole paper, in this order. The criteria
# stand between the first and the second (`Prompts.guidance`).
GUIDANCE = ("system.md", "pitfalls.md", "scope.md", "reply_format.md", "example.md")
# The templates with their placeholders.
TEMPLATES: Mapping[str, frozenset[str]] = {
    "paper.md": frozenset({"flags", "fence", "text"}),
    "extract_all.md": frozenset({"max_claims"}),
    "find_claims.md": frozenset({"max_claims"}),
    "judge_claim.md": frozenset({"fence", "claim"}),
    "judge_claim_again.md": frozenset({"fence", "claim", "faults", "codes"}),
    "claims_small.md": frozenset({"fence", "sentences", "max_claims"}),
    "criteria_small.md": frozenset({"criteria"}),
    "passages_small.md": frozenset({"flags", "fence", "passages", "statement"}),
    "leak_audit.md": frozenset({"fence", "claims"}),
    "devils_advocate_aggressive.md": frozenset({"fence", "claims"}),
    "devils_advocate_conservative.md": frozenset({"fence", "claims"}),
}

# Not a file of a version: it is the same in every version, like the texts with which a reply is
# asked for again.
JUDGE_CLAIMS = Template(
    "Score all 27 criteria for each of these $number claims, taken from the paper and given as "
    "data, with their numbers:\n"
    "$fence\n$claims\n$fence\n"
    "Apply the evidence scope to the components that each claim names. Reply with the number and "
    "the criteria of every claim, in this form: "
    '{"claims": [{"claim": 1, "criteria": {"C1": {"evidence": "...", "status": "YES"}, ...}}, ...]}'
)


class Guide(NamedTuple):
    """What the prompts state about a criterion: an entry of criteria.yaml.

    - `asks`: the criterion's question.
    - `yes`, `partial`, `no`: what counts for each status.
    - `brief`: the criterion in one line, for a small model.
    - `terms`: words by which passages about the criterion are searched.
    """

    asks: Text
    yes: Text
    partial: Text
    no: Text
    brief: Text
    terms: Annotated[list[Text], Field(min_length=1)]


# The forms of criteria.yaml and flags.yaml: a required field for each criterion and each flag, and
# no other field.
_FORBID = ConfigDict(extra="forbid")
_GUIDE_FIELDS: dict[str, Any] = dict.fromkeys(CRITERIA, (Guide, ...))
_FLAG_FIELDS: dict[str, Any] = dict.fromkeys(FLAGS, (Text, ...))
_Guides = create_model("_Guides", __config__=_FORBID, **_GUIDE_FIELDS)
_Flags = create_model("_Flags", __config__=_FORBID, **_FLAG_FIELDS)


@dataclass(frozen=True)
class Prompts:
    """One version of the prompts (section 3.2 and appendix A).

    - `texts`: the files by name.
    - `criteria`: the guides by criterion.
    - `flags`: what each flag means, by flag.

    Methods that return `Messages` render one question as a chat. All questions with a whole paper
    begin with the same guidance and the same paper, so that a provider that caches prefixes
    processes a paper once for all its claims.
    """

    texts: Mapping[str, str]
    criteria: Mapping[str, Guide]
    flags: Mapping[str, str]

    @classmethod
    def load(cls, files: Iterable[Path]) -> "Prompts":
        """Read the files of a version.

        Raises `UserError` for a missing file, and for a criterion, field, flag or placeholder that
        is missing or unknown.
        """
        paths = {path.name: path for path in files}
        texts = {}
        for name in (*GUIDANCE, *TEMPLATES, "criteria.yaml", "flags.yaml"):
            if name not in paths:
                raise UserError(
                    f"judge prompts, {name}: missing; "
                    "a version has all files of config/judge_prompts/v1"
                )
            texts[name] = paths[name].read_text(encoding="utf-8")

        for name, placeholders in TEMPLATES.items():
            check_placeholders(paths[name], texts[name], placeholders)

        guides = dict(_checked(_Guides, paths["criteria.yaml"], texts["criteria.yaml"]))
        flags = dict(_checked(_Flags, paths["flags.yaml"], texts["flags.yaml"]))
        return cls(texts, guides, {flag: note.strip() for flag, note in flags.items()})

    def claims(self, text: str, flags: Sequence[str], max_claims: int, *, judged: bool) -> Messages:
        """Asks for the paper's claims, and for their criteria if they are to be `judged`."""
        name = "extract_all.md" if judged else "find_claims.md"
        return self._with_paper(text, flags, self._fill(name, max_claims=max_claims))

    def judge_claim(self, claim: Claim, text: str, flags: Sequence[str]) -> Messages:
        """Asks for the criteria of one claim."""
        data = _json(_described(claim))
        task = self._fill("judge_claim.md", fence=fence_around(data), claim=data)
        return self._with_paper(text, flags, task)

    def judge_claims(self, claims: Sequence[Claim], text: str, flags: Sequence[str]) -> Messages:
        """Asks for the criteria of several claims, which are numbered from 1."""
        numbered = []
        for number, claim in enumerate(claims, 1):
            numbered.append({"claim": number, **_described(claim)})
        data = _json(numbered)
        task = JUDGE_CLAIMS.substitute(number=len(claims), fence=fence_around(data), claims=data)
        return self._with_paper(text, flags, task)

    def judge_claim_again(
        self, claim: Claim, faults: Mapping[str, str], text: str, flags: Sequence[str]
    ) -> Messages:
        """Asks again for some criteria of one claim.

        `faults` has their codes, and for each what was wrong with the last reply.
        """
        data = _json(_described(claim))
        listed = "\n".join(f"{code}: {fault}" for code, fault in faults.items())
        task = self._fill(
            "judge_claim_again.md",
            fence=fence_around(data + listed),
            claim=data,
            faults=listed,
            codes=", ".join(faults),
        )
        return self._with_paper(text, flags, task)

    def find_claims_small(self, sentences: Sequence[str], max_claims: int) -> Messages:
        """Asks a small model which of the sentences, numbered from 1, are claims."""
        numbered = _numbered(sentences)
        question = self._fill(
            "claims_small.md",
            fence=fence_around(numbered),
            sentences=numbered,
            max_claims=max_claims,
        )
        return [_user(question)]

    def judge_dimension_small(
        self,
        dimension_code: str,
        claim_statement: str,
        passages: Sequence[str],
        flags: Sequence[str],
    ) -> Messages:
        """Asks a small model for one dimension's criteria of a claim, from numbered passages."""
        dimension = _dimension(dimension_code)
        briefs = "\n".join(f"{code} {self.criteria[code].brief}" for code in dimension.criteria)
        numbered = _numbered(passages)
        question = self._fill(
            "passages_small.md",
            flags="\n".join(self.flags[flag] for flag in flags),
            fence=fence_around(numbered + claim_statement),
            passages=numbered,
            statement=claim_statement,
        )
        return [_system(self._fill("criteria_small.md", criteria=briefs)), _user(question)]

    def leak_audit(self, claims: Sequence[Claim]) -> Messages:
        """The leak audit, which sees the scored claims and never the paper (section 3.5)."""
        return self._with_claims("leak_audit.md", claims)

    def devils_advocate(
        self, claims: Sequence[Claim], mode: Literal["aggressive", "conservative"]
    ) -> Messages:
        """The devil's advocate, which sees what the leak audit sees (section 3.8)."""
        return self._with_claims(f"devils_advocate_{mode}.md", claims)

    @property
    def claim_query(self) -> str:
        """The search words for sentences that may be claims.

        They are the words of C1, which asks what a claim must name.
        """
        return " ".join(self.criteria["C1"].terms)

    def query(self, dimension_code: str) -> str:
        """The search words for passages on a dimension's criteria."""
        terms: list[str] = []
        for code in _dimension(dimension_code).criteria:
            terms += self.criteria[code].terms
        return " ".join(terms)

    @property
    def guidance(self) -> str:
        """The system message of every request with a whole paper."""
        system, *others = (self.texts[name].strip() for name in GUIDANCE)
        return "\n\n".join((system, self._criteria_text(), *others))

    def _criteria_text(self) -> str:
        """All 27 criteria with their guides, by dimension."""
        parts = ["Criteria."]
        for dimension in DIMENSIONS:
            parts.append(f"{dimension.name} validity: {dimension.focus}")
            for code, name in dimension.criteria.items():
                guide = self.criteria[code]
                parts.append(f"{code} {name}: {guide.asks}")
                parts.append(f"YES: {guide.yes}")
                parts.append(f"PARTIAL: {guide.partial}")
                parts.append(f"NO: {guide.no}")
        return "\n".join(parts)

    def paper(self, text: str, flags: Sequence[str]) -> str:
        """The paper as data: the beginning of every user message about a whole paper."""
        meanings = "\n".join(self.flags[flag] for flag in flags)
        return self._fill("paper.md", flags=meanings, fence=fence_around(text), text=text)

    def _with_paper(self, text: str, flags: Sequence[str], task: str) -> Messages:
        """A question about the whole paper: the guidance, then the paper and the task."""
        return [_system(self.guidance), _user(f"{self.paper(text, flags)}\n{task}")]

    def _with_claims(self, name: str, claims: Sequence[Claim]) -> Messages:
        """The question of the template `name` about scored claims, without the paper."""
        data = _json([_for_audit(index, claim) for index, claim in enumerate(claims)])
        return [_user(self._fill(name, fence=fence_around(data), claims=data))]

    def _fill(self, name: str, **values: object) -> str:
        """The text of the template `name` with its placeholders replaced."""
        # Values are not expanded again: a $ or a brace in a paper is only text.
        return Template(self.texts[name]).substitute(values).strip()


def check_placeholders(path: Path, text: str, wanted: frozenset[str]) -> None:
    """Raise `UserError` unless a template has exactly these placeholders."""
    template = Template(text)
    if not template.is_valid():
        raise UserError(f"{path}: has a $ that opens no placeholder; write $$ for a dollar sign")
    placeholders = set(template.get_identifiers())
    if placeholders != wanted:
        names = ", ".join(f"${name}" for name in sorted(placeholders ^ wanted))
        raise UserError(
            f"{path}: missing or unknown placeholder {names}; it takes {', '.join(sorted(wanted))}"
        )


def _checked(kind: type[BaseModel], path: Path, text: str) -> BaseModel:
    """The content of a YAML file as an instance of `kind`.

    Raises `UserError`, in one line, for a mistake in the file.
    """
    try:
        return kind.model_validate(parse_yaml(text, str(path)))
    except ValidationError as error:
        raise UserError(
            f"{path}: {complaint(error)}; write it as in config/judge_prompts/v1"
        ) from None


def fence_around(text: str) -> str:
    """A line that does not occur in `text`, to put before and after it.

    Equal texts have equal fences: requests for them are equal, and stored replies are found.
    """
    number = 0
    while True:
        attempt = f"{number}\n{text}".encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(attempt).hexdigest()
        fence = f"=====DATA-{digest[:8]}====="
        if fence.lower() not in text.lower():
            return fence
        number += 1


def _dimension(code: str) -> Dimension:
    """The dimension with this code."""
    (dimension,) = (dimension for dimension in DIMENSIONS if dimension.code == code)
    return dimension


def _numbered(texts: Sequence[str]) -> str:
    """The texts on a line each, numbered from 1 on: "[1] The first text"."""
    return "\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))


def _described(claim: Claim) -> dict[str, Any]:
    """A claim without its criteria, in the form of a reply.

    Without a level if the judge did not say whether the claim is about the whole mechanism.
    """
    level = {}
    if claim.system is not None:
        level["level"] = "system" if claim.system else "component"
    return {
        "statement": claim.statement,
        **level,
        "description_mode": claim.description_mode,
        "evidence_families": list(claim.evidence_families),
        "components": list(claim.components),
    }


def _for_audit(index: int, claim: Claim) -> dict[str, Any]:
    """A claim, with those of the five leak-prone criteria whose status can be lowered.

    These have the status PARTIAL or YES. `index` counts from 0, as the index of a `Downgrade` does.
    """
    criteria = {}
    for code in LEAK_PRONE:
        judgement = claim.criteria[code]
        if judgement.status in ("PARTIAL", "YES"):
            criteria[code] = {"status": judgement.status, "evidence": judgement.evidence}
    return {
        "index": index,
        "system": bool(claim.system),
        "statement": claim.statement,
        "components": claim.components,
        "criteria": criteria,
    }


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=1)


def _system(content: str) -> dict[str, str]:
    return {"role": "system", "content": content}


def _user(content: str) -> dict[str, str]:
    return {"role": "user", "content": content}
