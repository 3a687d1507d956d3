"""The results of a finished run that the repository shows to readers who have installed nothing.

The gallery is a folder with the paper and the figures. The findings of the README and of docs/findings.md are
templates: their statements come from the ledger, their numbers from a run.
"""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from exhibits.report.ledger import headline_of, read_entries, values_named_by
from exhibits.report.reported import Reported, commit_of
from exhibits.report.values import Value
from exhibits.report.wording import wording
from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write, sha256

BEGIN = (
    "<!-- findings: made by `make docs` from docs/readme_findings.md.j2 and paper/claims.yaml -->\n"
)
END = "<!-- end of findings -->\n"
DAGGER = "†"  # after a statement that does not survive the correction for all of them
SIGNIFICANCE = 0.05  # of corrected p-values, at the confidence level of the reported run, 95%
# What follows the question of a statement that the gallery's run cannot decide.
OPEN = "Open: the numbers that were kept of the run shown here do not decide it."
BETWEEN_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z])")


def write_gallery(results: Path, config: Path, captions: Path, gallery: Path) -> None:
    """Copy the paper and the figures of `results` to `gallery`, with a README that says what made them.

    The commit is that of the paper's record. Raises `UserError` if the results are not there, if the record names no
    commit, or if the code or the config had changes that no commit holds.
    """
    paper = results / "paper/paper.pdf"
    record = paper.with_suffix(".provenance.json")
    for file in (paper, record):
        if not file.exists():
            raise UserError(f"{file}: not there; run `make results` first")
    git = json.loads(record.read_text(encoding="utf-8"))["git"]
    commit = commit_of(git, str(paper), "make results")
    written = (captions / "figures").glob("*.rst")
    texts = {
        path.stem: " ".join(path.read_text(encoding="utf-8").replace("``", "`").split())
        for path in written
    }
    # A figure without a caption is left from an older version of the workflow.
    figures = sorted(path for path in (results / "figures").glob("*.png") if path.stem in texts)
    lines = [
        "# Gallery",
        "",
        f"The [paper](paper.pdf) and the figures of a run with `config/{config.name}`",
        f"(SHA-256 `{sha256(config)}`) at commit `{commit}`.",
        f"`make gallery CONFIG=config/{config.name}` writes this folder.",
    ]
    for figure in figures:
        lines += [
            "",
            f"## {figure.stem}",
            "",
            f"![{figure.stem}]({figure.name})",
            "",
            texts[figure.stem],
        ]
    with atomic_write(gallery) as partial:
        partial.mkdir()
        for file in (paper, *figures):
            shutil.copyfile(file, partial / file.name)
        (partial / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def survives_correction(headline: Reported) -> bool:
    """Whether an outcome holds after the correction for all headlines, or needs none, as undecided ones do."""
    if headline.outcome == "undecided" or headline.p_holm is None:
        return True
    return headline.p_holm < SIGNIFICANCE


def _outcome_with_dagger(headlines: Mapping[str, Reported], name: str) -> str:
    """The outcome of a headline, with a dagger if the correction loses it; empty if there is none of this name."""
    if name not in headlines:
        return ""
    headline = headlines[name]
    return headline.outcome if survives_correction(headline) else headline.outcome + DAGGER


class Findings(NamedTuple):
    """The findings of a document.

    Attributes:
        text: The findings as Markdown.
        used: The values of the gallery's run that they rest on, by key.
    """

    text: str
    used: dict[str, Value]


def write_findings(
    template: Path,
    values: Mapping[str, Value],
    ledger: Path,
    reported: Mapping[str, Reported],
    earlier: Mapping[str, Reported],
) -> Findings:
    """The findings of a document. Its statements are the ledger's.

    In the template `value(key)` is an entry of `values`, and the filters of `wording` print it. `stated(name)` is the
    sentence of a statement in the reported run, or else in the run that `values` are of; `briefly(name)` is the first
    sentence of a longer one, and `advised(name)` what to do after that outcome. As in the paper, a
    sentence is in bold if its tests decide it and the correction for all statements keeps it, and has a dagger if the
    correction does not. Where neither run has all tests of the statement, it is the statement's question, with a remark
    that it is open, and the advice is that of an open question.
    `reported` are the headlines of the committed reported run by name, `dagger` their daggers, and `questions` those of
    the ledger. `earlier` has the outcomes of the reported run before, by name, empty for a statement that it had not;
    `earlier_run`: its commit and machines.

    Args:
        template: docs/findings.md.j2 or docs/readme_findings.md.j2.
        values: Values of the run that the gallery shows; not all of them.
        ledger: paper/claims.yaml.
        reported: The headlines of the committed reported run, by name; empty without one.
        earlier: The headlines of the reported run before that, by name; empty without one.

    Raises:
        UserError: The template names a value, a statement or an advice that is not there.
    """
    used: dict[str, Value] = {}
    entries = read_entries(ledger)

    def decided(name: str) -> tuple[str, str]:
        """The outcome of a statement and its sentence."""
        if name not in entries:
            raise LookupError(f"no statement '{name}' in {ledger.name}; correct the name")
        if name in reported:
            return reported[name].outcome, reported[name].sentence
        needed = values_named_by(entries[name])
        if not needed <= values.keys():
            return "undecided", f"{entries[name]['question']} {OPEN}"
        used.update({key: values[key] for key in needed})
        headline = headline_of(name, entries[name], values, f"{ledger.name}, {name}", used)
        return headline.outcome, headline.sentence

    def marked(name: str, text: str, outcome: str) -> str:
        """The text of a statement, in bold or with a dagger."""
        if outcome == "undecided":
            return text
        if name in reported and not survives_correction(reported[name]):
            return f"{text}{DAGGER}"
        return f"**{text}**"

    def stated(name: str) -> str:
        outcome, sentence = decided(name)
        return marked(name, sentence, outcome)

    def briefly(name: str) -> str:
        outcome, sentence = decided(name)
        first_sentence = BETWEEN_SENTENCES.split(sentence)[0]
        return marked(name, first_sentence, outcome)

    def advised(name: str) -> str:
        outcome, _ = decided(name)
        if "advice" not in entries[name]:
            raise LookupError(f"statement '{name}' in {ledger.name} has no advice; write some")
        return " ".join(entries[name]["advice"][outcome].split())

    environment = wording(values, used)
    environment.globals["stated"] = stated
    environment.globals["briefly"] = briefly
    environment.globals["advised"] = advised
    environment.globals["reported"] = reported
    environment.globals["dagger"] = {
        name: "" if survives_correction(headline) else DAGGER for name, headline in reported.items()
    }
    environment.globals["earlier"] = {name: _outcome_with_dagger(earlier, name) for name in entries}
    first = next(iter(earlier.values()), None)
    environment.globals["earlier_run"] = first and f"commit {first.commit[:8]}, on {first.machine}"
    environment.globals["questions"] = {name: entry["question"] for name, entry in entries.items()}
    try:
        text = environment.from_string(template.read_text(encoding="utf-8")).render()
    except LookupError as error:
        raise UserError(f"{template.name}: {error.args[0]}") from None
    return Findings(text.strip() + "\n", used)


def replace_findings(readme: str, findings: str) -> str:
    """The README with the findings between its two marks."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + findings + END + after
