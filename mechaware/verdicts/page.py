"""Writes a verdict as JSON, as a page, and as the two lines that a command prints last.

A question, such as `seen`, has one *door*: the functions and commands by which a user asks it. The
pages of all doors share one template; `Door` has what differs between them.
"""

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write
from mechaware.core.pages import page_template
from mechaware.verdicts.error_rates import Rate
from mechaware.verdicts.verdict import Verdict

TEMPLATES = Path(__file__).parent / "templates"
# By question, the module whose `DOOR` is the question's door. The modules are loaded by name,
# because they import this one.
_DOORS = {
    "seen": "mechaware.verdicts.seen",
    "reads": "mechaware.verdicts.reads",
    "follows": "mechaware.verdicts.passages",
    "meets": "mechaware.verdicts.by_rubric.verdict",
    "agrees": "mechaware.verdicts.judge_cards.card",
}


class Door(NamedTuple):
    """What differs between the pages of different questions.

    - `question`: its text, with {name} and {model}.
    - `template`: the template of the instrument's tables.
    - `values`: from the verdict, the values that the template uses, by name.
    - `planted`: the cases behind the error rates, in sentences.
    - `nearby_files`: the files that the workflow writes next to the page, in a sentence.
    """

    question: str
    template: Path
    values: Callable[[Verdict[Any]], dict[str, Any]]
    planted: str
    nearby_files: str


def render_page(
    name: str, model: str, verdict: Verdict[Any], door: Door, *, has_files: bool = True
) -> str:
    """The verdict's page as HTML; the user's texts are escaped.

    Args:
        name: What the verdict is about, such as the name of a benchmark or a task.
        model: The model's name, or the judge's.
        verdict: The verdict.
        door: The texts and the template of its question.
        has_files: Whether the files that `door.nearby_files` names lie next to the page, as the
            workflow writes them.
    """
    template = page_template(TEMPLATES / "verdict.html.j2", door.template.parent)
    template.environment.filters |= {
        "rate": rate_text,
        "case": case_text,
        "share": share_text,
    }
    return template.render(
        name=name,
        verdict=verdict,
        evidence=verdict.evidence,
        error_rates=verdict.error_rates,
        question=door.question.format(name=name, model=model),
        evidence_template=door.template.name,
        planted=door.planted,
        nearby_files=door.nearby_files if has_files else "",
        **door.values(verdict),
    )


def write_verdict(
    verdict: Verdict[Any],
    door: Door,
    *,
    name: str,
    model: str,
    verdict_path: Path,
    page: Path,
    lines: Path,
) -> None:
    """Write the verdict to three files.

    Args:
        verdict: The verdict.
        door: The texts and the template of its question.
        name: What the verdict is about, as in `render_page`.
        model: The name of the model or the judge, as in `render_page`.
        verdict_path: The file of the verdict as JSON.
        page: The file of its page.
        lines: The file of the two lines of `summary`.
    """
    texts = {
        verdict_path: json.dumps(verdict.record(), indent=1) + "\n",
        page: render_page(name, model, verdict, door),
        lines: summary(name, verdict, page),
    }
    for path, text in texts.items():
        with atomic_write(path) as partial:
            partial.write_text(text, encoding="utf-8")


def write_page(verdict: Verdict[Any], path: Path, name: str, model: str) -> Path:
    """Write only the page of a verdict, and return its path.

    The arguments and the errors are those of `Verdict.page`.
    """
    if verdict.question == "supported":
        raise UserError(
            "a verdict on a paper has no page of its own; snakemake claim draws the paper's page"
        )
    if path.is_dir():
        raise UserError(f"{path}: a folder; name an HTML file in it")
    door: Door = import_module(_DOORS[verdict.question]).DOOR
    with atomic_write(path) as partial:
        partial.write_text(
            render_page(name, model, verdict, door, has_files=False), encoding="utf-8"
        )
    return path


def summary(name: str, verdict: Verdict[Any], page: Path) -> str:
    """Two lines: the verdict with its reason, and the file to open."""
    return f"{name}: {verdict.status}: {verdict.reason}\nopen {page}\n"


def rate_text(rate: Rate) -> str:
    """A rate with its interval: an AUROC as a number from 0 to 1, a share as a percentage."""
    if rate.measure == "AUROC":
        return f"{rate.value:.2f} ({rate.low:.2f} to {rate.high:.2f})"
    return share_text(rate.value, rate.low, rate.high)


def share_text(value: float, low: float, high: float) -> str:
    """A share and its interval as percentages."""
    return f"{round(100 * value)}% ({round(100 * low)} to {round(100 * high)}%)"


def case_text(value: str | int | float) -> str:
    """A value of `Rate.case`: a word or a count as it is, a share as a percentage."""
    return f"{round(100 * value)}%" if isinstance(value, float) else str(value)
