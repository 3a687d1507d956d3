"""The results of a finished run that the repository shows to readers who have installed nothing.

The gallery is a folder with the paper and the figures. The findings of the README and of
docs/findings.md are templates: their statements come from the ledger, their numbers from a run.
"""

import json
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from exhibits.report.ledger import headline_of, read_entries, values_named_by
from exhibits.report.reported import Reported, commit_of
from exhibits.report.values import Value
from exhibits.report.wording import wording
from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write, sha256

# The two marks of the README between which its findings are.
BEGIN = (
    "<!-- findings: made by `make docs` from docs/readme_findings.md.j2 and paper/claims.yaml -->\n"
)
END = "<!-- end of findings -->\n"
DAGGER = "†"  # after a statement that does not survive the correction for the number of statements
SIGNIFICANCE = 0.05  # of corrected p-values, at the confidence level of the reported run, 95%
# What follows the question of a statement that the gallery's run cannot decide.
OPEN = "Open: the numbers that were kept of the run shown here do not decide it."
BETWEEN_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z])")


def write_gallery(results: Path, config: Path, captions: Path, gallery: Path) -> None:
    """Copy the paper and the figures of `results` to `gallery`, with a README that says what made
    them.

    The commit is that of the paper's record. Raises `UserError` if the results are not there, if
    the record names no commit, or if the code or the config had changes that no commit holds.
    """
    paper = results / "paper/paper.pdf"
    record = paper.with_suffix(".provenance.json")
    for file in (paper, record):
        if not file.exists():
            raise UserError(f"{file}: not there; run `make results` first")
    git = json.loads(record.read_text(encoding="utf-8"))["git"]
    commit = commit_of(git, str(paper), "make results")

    texts = {}
    for path in (captions / "figures").glob("*.rst"):
        markdown = path.read_text(encoding="utf-8").replace("``", "`")
        texts[path.stem] = " ".join(markdown.split())
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
    """Whether an outcome holds after the correction for all headlines, or needs none,
    as undecided ones do.
    """
    if headline.outcome == "undecided" or headline.p_holm is None:
        return True
    return headline.p_holm < SIGNIFICANCE


def _dagger(headline: Reported) -> str:
    """What follows a headline: a dagger if its outcome does not survive the
    correction, else nothing.
    """
    return "" if survives_correction(headline) else DAGGER


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

    The template has these names, and the filters of `wording`:

    - `value(key)`: an entry of `values`.
    - `stated(name)`: a statement's sentence in the reported run, or else in the run of `values`. As
      in the paper, it is in bold if its tests decide it and the correction for all statements keeps
      it, and has a dagger if the correction does not. If neither run has all tests of the
      statement, it is the statement's question and `OPEN`.
    - `briefly(name)`: only the first sentence of `stated(name)`.
    - `advised(name)`: what to do after that outcome, or while the question is open.
    - `questions`: the question of each statement.
    - `reported`: the headlines of the reported run; `dagger`: what follows each, a dagger or
      nothing.
    - `earlier`: the outcomes of an earlier reported run, each with its dagger; empty for a
      statement that it lacks.
    - `earlier_run`: the commit and the machines of that run; None without such a run.

    Args:
        template: docs/findings.md.j2 or docs/readme_findings.md.j2.
        values: Values of the run that the gallery shows; not all of them.
        ledger: paper/claims.yaml.
        reported: The headlines of the committed reported run, by name; empty without one.
        earlier: The headlines of an earlier reported run, by name; empty without one.

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
            return text + DAGGER
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
    environment.globals["questions"] = {name: entry["question"] for name, entry in entries.items()}
    environment.globals["reported"] = reported
    environment.globals["dagger"] = {name: _dagger(reported[name]) for name in reported}
    environment.globals["earlier"] = _earlier_outcomes(entries, earlier)
    environment.globals["earlier_run"] = _run_of(earlier)
    try:
        text = environment.from_string(template.read_text(encoding="utf-8")).render()
    except LookupError as error:
        raise UserError(f"{template.name}: {error.args[0]}") from None
    return Findings(text.strip() + "\n", used)


def _earlier_outcomes(names: Iterable[str], headlines: Mapping[str, Reported]) -> dict[str, str]:
    """The outcome of each of the named headlines, with its dagger;
    empty if the run has no headline of the name.
    """
    outcomes = {}
    for name in names:
        headline = headlines.get(name)
        outcomes[name] = "" if headline is None else headline.outcome + _dagger(headline)
    return outcomes


def _run_of(headlines: Mapping[str, Reported]) -> str | None:
    """The commit and the machines of a reported run; None without headlines."""
    for headline in headlines.values():  # all are of one run
        return f"commit {headline.commit[:8]}, on {headline.machine}"
    return None


def replace_findings(readme: str, findings: str) -> str:
    """The README with the findings between its two marks."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + findings + END + after
