"""The answer of a verb, read from the files next to its page."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.verdicts.__main__ import EXITS


class VerbAnswer(NamedTuple):
    """The answer of a verb.

    - `record`: first the key `answer`, whose value is the answer in one line; then the keys of the
      JSON next to the page (for `demo`, by name, each answer of the demo).
    - `exit_status`: the exit status of the outcome (`EXITS`); 0 for `demo` and `card`, which have
      no outcome. A paper without a judge counts as "cannot tell".
    """

    record: dict[str, Any]
    exit_status: int


def read_answer(verb: str, page: Path) -> VerbAnswer:
    """The answer of `verb`, whose page the workflow has made."""
    if verb == "demo":
        return VerbAnswer(_read_demo(page.parents[1]), exit_status=0)

    if verb == "card":
        card = _read_json(page.with_suffix(".json"))
        parts = [f"{part['name'] or 'all'}: {part['summary']}" for part in card["parts"]]
        answer = f"{card['label']}: {', '.join(parts)}"
        return VerbAnswer({"answer": answer, **card}, exit_status=0)

    folder = page.parent
    if verb == "paper" and not (folder / "verdict.json").exists():
        # No judge was named: the answer is passages to read.
        summary = (folder / "summary.txt").read_text(encoding="utf-8").strip()
        reading = _read_json(folder / "reading.json")
        return VerbAnswer({"answer": summary, **reading}, EXITS["cannot tell"])

    verdict = _read_json(folder / "verdict.json")
    answer = f"{folder.name}: {verdict['status']}: {verdict['reason']}"
    return VerbAnswer({"answer": answer, **verdict}, EXITS[verdict["outcome"]])


def _read_demo(results: Path) -> dict[str, Any]:
    """The record of the demo: `answer`, one line with the status of each answer; then the answers
    by name.
    """
    files = (
        "radar/suspected/demo-seen/verdict.json",
        "radar/suspected/demo-unseen/verdict.json",
        "grounding/pairs/json-values/verdict.json",
        "claims/reading/planted-01/reading.json",
    )
    answers = {}
    statuses = []
    for file in files:
        path = results / file
        name = path.parent.name
        answers[name] = _read_json(path)
        # A reading aid has no verdict, and so no status.
        statuses.append(f"{name}: {answers[name].get('status', 'not judged')}")
    return {"answer": ", ".join(statuses), **answers}


def _read_json(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record
