"""The findings of the README and of docs/findings.md, rendered from templates.

Their statements come from the ledger (paper/claims.yaml), their numbers from the reported run or
else from the gallery's run. A headline is a statement's outcome in a run, with the sentence for
this outcome.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from exhibits.report.ledger import headline_of, read_entries, values_named_by
from exhibits.report.reported import Reported
from exhibits.report.values import Value
from exhibits.report.wording import wording
from mechaware.core.errors import UserError

# The findings of the README are between these two marks.
BEGIN = (
    "<!-- findings: made by `make docs` from docs/readme_findings.md.j2 and paper/claims.yaml -->\n"
)
END = "<!-- end of findings -->\n"
# Marks an outcome that does not survive the correction for the number of statements.
DAGGER = "†"
# An outcome survives with a corrected p-value below this; the reported run's intervals are at 95%.
SIGNIFICANCE = 0.05
# Follows the question of a statement that the gallery's kept values do not decide.
OPEN = "Open: the numbers that were kept of the run shown here do not decide it."
BETWEEN_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z])")


def survives_correction(headline: Reported) -> bool:
    """Whether an outcome holds after the correction for all headlines.

    True where there is nothing to correct: for an undecided headline, and for a headline without a
    p-value.
    """
    if headline.outcome == "undecided" or headline.p_holm is None:
        return True
    return headline.p_holm < SIGNIFICANCE


def _dagger(headline: Reported) -> str:
    """A dagger if the headline's outcome does not survive the correction, else nothing."""
    return "" if survives_correction(headline) else DAGGER


class Findings(NamedTuple):
    """The findings of a document.

    Attributes:
        text: The findings as Markdown.
        used: The values of the gallery's run that the findings rest on, by key.
    """

    text: str
    used: dict[str, Value]


def render_findings(
    template: Path,
    values: Mapping[str, Value],
    ledger: Path,
    reported: Mapping[str, Reported],
    earlier: Mapping[str, Reported],
) -> Findings:
    """The findings of a document, from its template and the ledger.

    A template can use the functions and filters of `wording`, and these names:

    - `stated(name)`: the sentence of a statement's headline in the reported run, or else in the
      gallery's run. As in the paper, a decided outcome is in bold, or has a dagger if it does not
      survive the correction for all statements; only the reported run has corrected p-values. If
      the reported run lacks the statement, and `values` a value that its tests or controls name,
      the text is the statement's question and `OPEN`.
    - `briefly(name)`: only the first sentence of `stated(name)`.
    - `advised(name)`: what to do after the outcome that `stated(name)` states, or while the
      question is open.
    - `questions`: by name, the question of each statement.
    - `reported`: by name, the headlines of the reported run.
    - `dagger`: by name, a dagger or nothing for each headline of the reported run.
    - `earlier`: by name, the outcome of each statement in the earlier reported run, with its
      dagger; empty if that run lacks the statement.
    - `earlier_run`: the commit and the machines of the earlier run; None without such a run.

    Args:
        template: docs/findings.md.j2 or docs/readme_findings.md.j2.
        values: Values of the gallery's run by key: all, or those that docs/gallery/values.json has.
        ledger: paper/claims.yaml.
        reported: The headlines of the committed reported run, by name; empty without such a run.
        earlier: The headlines of an earlier reported run, by name; empty without such a run.

    Raises:
        UserError: The template names a value, a statement or an advice that is not there.
    """
    used: dict[str, Value] = {}
    entries = read_entries(ledger)

    def outcome_and_sentence(name: str) -> tuple[str, str]:
        """A statement's outcome and its sentence, in the reported run or else by `values`.

        "undecided" and the question where `values` lacks a value that its tests or controls name.
        """
        if name not in entries:
            raise LookupError(f"no statement '{name}' in {ledger.name}; correct the name")
        if name in reported:
            return reported[name].outcome, reported[name].sentence
        needed = values_named_by(entries[name])
        if not needed <= values.keys():
            return "undecided", f"{entries[name]['question']} {OPEN}"
        used.update({key: values[key] for key in needed})
        where = f"{ledger.name}, {name}"
        headline = headline_of(name, entries[name], values, where, used)
        return headline.outcome, headline.sentence

    def marked(name: str, text: str, outcome: str) -> str:
        """The text of a statement: as it is if undecided, else in bold or with a dagger."""
        if outcome == "undecided":
            return text
        if name in reported and not survives_correction(reported[name]):
            return text + DAGGER
        return f"**{text}**"

    def stated(name: str) -> str:
        outcome, sentence = outcome_and_sentence(name)
        return marked(name, sentence, outcome)

    def briefly(name: str) -> str:
        outcome, sentence = outcome_and_sentence(name)
        first_sentence = BETWEEN_SENTENCES.split(sentence)[0]
        return marked(name, first_sentence, outcome)

    def advised(name: str) -> str:
        outcome, _ = outcome_and_sentence(name)
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
    """By name, the outcome of a headline with its dagger; empty for a name without a headline."""
    outcomes = {}
    for name in names:
        headline = headlines.get(name)
        outcomes[name] = "" if headline is None else headline.outcome + _dagger(headline)
    return outcomes


def _run_of(headlines: Mapping[str, Reported]) -> str | None:
    """The commit and the machines of a reported run; None without headlines."""
    if not headlines:
        return None
    # All headlines are of one run.
    headline = next(iter(headlines.values()))
    return f"commit {headline.commit[:8]}, on {headline.machine}"


def replace_findings(readme: str, findings: str) -> str:
    """The text of the README, with `findings` in place of what is between its two marks."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + findings + END + after
