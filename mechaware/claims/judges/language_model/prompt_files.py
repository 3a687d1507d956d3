"""Reads the judge prompts of one version from their files, and refuses what is missing or malformed."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Template
from typing import Any, NamedTuple

from mechaware.claims.rubric.criteria import CRITERIA, FLAGS
from mechaware.configuration import parse_yaml
from mechaware.errors import UserError

# The files behind the system message of every request with a whole paper, in this order.
GUIDANCE = ("system.md", "pitfalls.md", "scope.md", "reply_format.md", "example.md")
# The templates with their placeholders.
TEMPLATES: Mapping[str, frozenset[str]] = {
    "paper.md": frozenset({"flags", "fence", "text"}),
    "extract_all.md": frozenset({"max_claims"}),
    "find_claims.md": frozenset({"max_claims"}),
    "find_claims_again.md": frozenset({"fence", "claims", "faults", "number"}),
    "judge_claim.md": frozenset({"fence", "claim"}),
    "judge_claims_again.md": frozenset({"fence", "claims", "number"}),
    "judge_claim_again.md": frozenset({"fence", "claim", "faults", "codes"}),
    "claims_small.md": frozenset({"fence", "sentences", "max_claims"}),
    "criteria_small.md": frozenset({"criteria"}),
    "passages_small.md": frozenset({"flags", "fence", "passages", "statement"}),
    "leak_audit.md": frozenset({"fence", "claims"}),
    "devils_advocate_aggressive.md": frozenset({"fence", "claims"}),
    "devils_advocate_conservative.md": frozenset({"fence", "claims"}),
}


class Guide(NamedTuple):
    """A criterion's question, what counts for each status, its line for a small model, and search words for BM25."""

    asks: str
    yes: str
    partial: str
    no: str
    brief: str
    terms: list[str]


class PromptFiles(NamedTuple):
    """One version of the prompts: texts by file name, guides by criterion, sentences by flag.

    `sha256` is that of the files' names and bytes, in the order of their names.
    """

    texts: Mapping[str, str]
    criteria: Mapping[str, Guide]
    flags: Mapping[str, str]
    sha256: str


def read_prompt_files(files: Iterable[Path]) -> PromptFiles:
    """Read the files of a version. Raises `UserError` for a missing file, criterion, field, flag or placeholder."""
    paths = {path.name: path for path in files}
    names = sorted((*GUIDANCE, *TEMPLATES, "criteria.yaml", "flags.yaml"))
    for name in names:
        if name not in paths:
            raise UserError(f"judge prompts, {name}: missing; a version has all files of config/judge_prompts/v1")
    contents = {name: _read(paths[name]) for name in names}
    texts = {name: content.decode("utf-8") for name, content in contents.items()}
    for name, placeholders in TEMPLATES.items():
        _check_placeholders(paths[name], texts[name], placeholders)
    digest = hashlib.sha256()
    for name, content in contents.items():
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    criteria, flags = paths["criteria.yaml"], paths["flags.yaml"]
    return PromptFiles(
        texts,
        _guides(_mapping(criteria, texts["criteria.yaml"]), criteria),
        _flags(_mapping(flags, texts["flags.yaml"]), flags),
        digest.hexdigest(),
    )


def _read(path: Path) -> bytes:
    try:
        content = path.read_bytes()
        content.decode("utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{path}: not UTF-8; save it as UTF-8") from None
    return content


def _check_placeholders(path: Path, text: str, wanted: frozenset[str]) -> None:
    template = Template(text)
    if not template.is_valid():
        raise UserError(f"{path}: has a $ that opens no placeholder; write $$ for a dollar sign")
    placeholders = set(template.get_identifiers())
    if placeholders != wanted:
        names = ", ".join(f"${name}" for name in sorted(placeholders ^ wanted))
        raise UserError(f"{path}: missing or unknown placeholder {names}; it takes {', '.join(sorted(wanted))}")


def _mapping(path: Path, text: str) -> Mapping[str, Any]:
    content = parse_yaml(text, str(path))
    if not isinstance(content, dict):
        raise UserError(f"{path}: no mapping of names to texts; write it as in config/judge_prompts/v1")
    return content


def _guides(content: Mapping[str, Any], path: Path) -> dict[str, Guide]:
    unknown = sorted(map(str, set(content) - set(CRITERIA)))
    if unknown:
        raise UserError(f"{path}: unknown criterion {', '.join(unknown)}; remove it")
    guides = {}
    for code in CRITERIA:
        if code not in content:
            raise UserError(f"{path}: criterion {code} is missing; add it with {', '.join(Guide._fields)}")
        entry = content[code]
        if not isinstance(entry, dict) or set(entry) != set(Guide._fields):
            raise UserError(
                f'{path}: criterion {code} needs {", ".join(Guide._fields)} and no more ("yes", "no" quoted)'
            )
        terms = entry["terms"]
        lines = [entry[field] for field in Guide._fields[:-1]]
        if (
            not isinstance(terms, list)
            or not terms
            or not all(isinstance(field, str) and field for field in (*lines, *terms))
        ):
            raise UserError(f"{path}: criterion {code} has a field that is empty or no text; quote it")
        guides[code] = Guide(**entry)
    return guides


def _flags(content: Mapping[str, Any], path: Path) -> dict[str, str]:
    for flag in FLAGS:
        if not isinstance(content.get(flag), str):
            raise UserError(f"{path}: flag {flag} has no sentence; say what it means for the judge")
    return {flag: content[flag].strip() for flag in FLAGS}
