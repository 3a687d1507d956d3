"""The ledger of headlines: the statements of the paper, and the tests that choose their wording.

`paper/claims.yaml` has an entry for each statement, with a sentence for each outcome. All tests of
the entry together give the outcome, and so the sentence that is printed. If `reversed` and `no`
both apply, the outcome is `reversed`.

| outcome | when |
|---|---|
| `yes` | every test's interval lies above its bound |
| `reversed` | every test's interval lies below its bound |
| `no` | no interval is above its bound, and each ends below bound plus `smallest_effect` |
| `undecided` | anything else, and whenever an artefact control is not at chance |

A test that is added to an entry can therefore only make the statement weaker.

`read_ledger` makes a `Headline` of each entry, and `write_ledger` writes the headlines.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, NamedTuple

from exhibits.report.correction import corrected, p_of_statement, seeds_of
from exhibits.report.reported import Reported
from exhibits.report.values import Value
from exhibits.report.wording import wording
from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write
from mechaware.core.yaml_files import read_yaml

Outcome = Literal["yes", "reversed", "no", "undecided"]
OUTCOMES: tuple[Outcome, ...] = ("yes", "reversed", "no", "undecided")

# The keys that describe an entry's question; the ledger repeats them.
_DESCRIBED = ("study", "question", "statistic", "unit", "smallest_effect", "fixed")
_REQUIRED = {*_DESCRIBED, "tests", "sentences"}
_OPTIONAL = {"advice", "controls", "needs", "seeds"}
# Before the name of a bound that counts in either direction.
_MIRRORED = "mirrored "


class Test(NamedTuple):
    """A computed number that bears on a question, and the bound that it is compared with.

    Attributes:
        cell: The name of the value in results/values.
        value, low, high: The number and its interval; None where the run has too few units for it.
            Where the number counts papers, its interval and its bound are of the share value / n.
        bound_low, bound_high: What the number is compared with: a number, which is both ends, or
            the interval of another value, so that two numbers differ only where their intervals do
            not overlap. None where that value has no interval.
        bound: The bound as the entry writes it: a number, or the name of another value.
        n: The number of units; None if the table has none.
    """

    cell: str
    value: float | None
    low: float | None
    high: float | None
    bound_low: float | None
    bound_high: float | None
    bound: str
    n: int | None

    @property
    def is_at_bound(self) -> bool:
        """Whether the interval contains the bound, or overlaps with the interval of the bound.

        False where either interval is missing.
        """
        ends = (self.low, self.high, self.bound_low, self.bound_high)
        return None not in ends and self.shows(0.0) == "open"

    def shows(self, smallest_effect: float) -> str:
        """What the interval shows: `above`, `below`, `no effect` or `open`.

        `no effect`: the interval ends below the bound plus the smallest effect that matters, and
        is not wholly below the bound. `open`: none of the others, or an interval is missing.
        """
        if (
            self.low is None
            or self.high is None
            or self.bound_low is None
            or self.bound_high is None
        ):
            return "open"
        if self.low > self.bound_high:
            return "above"
        if self.high < self.bound_low:
            return "below"
        if self.high < self.bound_low + smallest_effect:
            return "no effect"
        return "open"


class Headline(NamedTuple):
    """A statement of the paper with what it rests on.

    Attributes:
        id: The entry's name in paper/claims.yaml.
        entry: The entry as it is written there.
        tests: Every computed test that bears on the question.
        controls: Values that an artefact of our own data would lift above chance; each is compared
            with its bound.
        outcome: What the tests show together (see the module).
        sentence: The entry's sentence for the outcome, with its numbers.
    """

    id: str
    entry: Mapping[str, Any]
    tests: Sequence[Test]
    controls: Sequence[Test]
    outcome: Outcome
    sentence: str

    def p(self, values: Mapping[str, Value]) -> float | None:
        """One minus the highest confidence level at which the outcome holds.

        None for what follows from printed numbers without error (`exhibits.report.correction`).
        """
        seeds = seeds_of(self.entry, values)
        confidence_level = values["confidence_level"]["value"]
        smallest_effect = self.entry["smallest_effect"]
        return p_of_statement(self.outcome, self.tests, smallest_effect, seeds, confidence_level)


def read_ledger(path: Path, values: Mapping[str, Value], studies: Sequence[str]) -> list[Headline]:
    """The headlines of the studies of a run, in the order of the file.

    Args:
        path: paper/claims.yaml.
        values: The values of all studies, by name (`results/values/*.json`).
        studies: The studies of the run. Entries of other studies are left out. So are entries whose
            `needs` names a value that the run lacks, because only a larger run has it.

    Returns:
        A headline for each entry.

    Raises:
        UserError: An entry lacks a key or has an unknown key, or a test or a sentence names a value
            that the run lacks.
    """
    headlines = []
    for name, entry in read_entries(path).items():
        has_needed_value = "needs" not in entry or entry["needs"] in values
        if entry["study"] in studies and has_needed_value:
            headlines.append(headline_of(name, entry, values, f"{path.name}, {name}"))
    return headlines


def read_entries(path: Path) -> dict[str, Mapping[str, Any]]:
    """The entries of paper/claims.yaml by name.

    Raises `UserError` for an entry that lacks a key or has an unknown key.
    """
    entries = read_yaml(path, path.name)
    return {name: _checked(entry, f"{path.name}, {name}") for name, entry in entries.items()}


def _checked(entry: Any, where: str) -> Mapping[str, Any]:
    """The entry itself, once it is known to have all required keys and no unknown ones.

    It also has at least one test and, for every outcome, a sentence, and advice if it gives any.
    Raises `UserError` otherwise; `where` names the entry in the message.
    """
    if not isinstance(entry, Mapping):
        raise UserError(f"{where}: no entry; write {', '.join(sorted(_REQUIRED))}")
    for key in sorted(_REQUIRED - entry.keys()):
        raise UserError(f"{where}: no '{key}'; add it")
    if not entry["tests"]:
        raise UserError(f"{where}: no test; write one or more")
    for key in sorted(entry.keys() - _REQUIRED - _OPTIONAL):
        raise UserError(f"{where}: '{key}' is not a key of an entry; remove it")
    for outcome in OUTCOMES:
        if outcome not in entry["sentences"]:
            raise UserError(f"{where}: no sentence for the outcome '{outcome}'; write one")
        if "advice" in entry and outcome not in entry["advice"]:
            raise UserError(f"{where}: no advice for the outcome '{outcome}'; write it")
    return entry


def headline_of(
    name: str,
    entry: Mapping[str, Any],
    values: Mapping[str, Value],
    where: str,
    used: dict[str, Value] | None = None,
) -> Headline:
    """The headline of one entry; `where` names the entry in messages.

    The values that its sentence prints are added to `used`. Raises `UserError` as `read_ledger`
    does.
    """
    tests = list(_tests(entry["tests"], values, where))
    controls = list(_tests(entry.get("controls", ()), values, where))
    outcome = decide(tests, controls, smallest_effect=entry["smallest_effect"])

    try:
        sentence = wording(values, used).from_string(entry["sentences"][outcome]).render()
    except LookupError as error:
        raise UserError(f"{where}, sentence for '{outcome}': {error.args[0]}") from None

    return Headline(
        id=name,
        entry=entry,
        tests=tests,
        controls=controls,
        outcome=outcome,
        sentence=_one_line(sentence),
    )


def _tests(
    declared: Sequence[Mapping[str, Any]], values: Mapping[str, Value], where: str
) -> Iterator[Test]:
    """The tests of a list of `{cell: ..., bound: ...}`; `*` in a cell matches any characters."""
    for test in declared:
        pattern = test["cell"]
        cells = [cell for cell in values if fnmatchcase(cell, pattern)]
        if not cells:
            raise UserError(
                f"{where}: the run has no value '{pattern}'; "
                "correct the name, or restore the table that makes it"
            )
        for cell in cells:
            yield _test(cell, test["bound"], values, where)


def _test(cell: str, bound: float | str, values: Mapping[str, Value], where: str) -> Test:
    """The comparison of a value with its bound: a number, or the name of another value.

    The name of another value stands for the interval of that value.
    """
    if isinstance(bound, str):
        bound_low, bound_high = _interval_of(bound, values, where)
    else:
        bound_low = bound_high = float(bound)
    compared = values[cell]
    return Test(
        cell=cell,
        value=compared["value"],
        low=compared["low"],
        high=compared["high"],
        bound_low=bound_low,
        bound_high=bound_high,
        bound=str(bound),
        n=compared["n"],
    )


def _interval_of(
    bound: str, values: Mapping[str, Value], where: str
) -> tuple[float | None, float | None]:
    """The ends of the interval of the value that a bound names; both are None if it has none.

    `mirrored NAME` names an AUROC that may separate two sides in either direction:
    0.1 (0.0 to 0.3) counts as 0.9 (0.7 to 1.0).
    """
    name = bound.removeprefix(_MIRRORED)
    if name not in values:
        raise UserError(
            f"{where}: the run has no value '{name}'; "
            "correct the name, or restore the table that makes it"
        )

    low = values[name]["low"]
    high = values[name]["high"]
    if low is None or high is None:
        return None, None
    is_below_chance = values[name]["value"] < 0.5
    if bound.startswith(_MIRRORED) and is_below_chance:
        return 1 - high, 1 - low
    return low, high


def values_named_by(entry: Mapping[str, Any]) -> set[str]:
    """The names of values as an entry's tests, controls and bounds write them.

    A cell with `*` is among them as it is written, so that no selection of values has all names: a
    selection does not show whether it has all values that the cell matches.
    """
    names = set()
    for test in (*entry["tests"], *entry.get("controls", ())):
        names.add(test["cell"])
        if isinstance(test["bound"], str):
            names.add(test["bound"].removeprefix(_MIRRORED))
    return names


def decide(tests: Sequence[Test], controls: Sequence[Test], *, smallest_effect: float) -> Outcome:
    """The outcome of an entry (see the module's table).

    A control is at chance if its interval contains its bound (`Test.is_at_bound`).
    """
    if not all(control.is_at_bound for control in controls):
        return "undecided"

    shown = {test.shows(smallest_effect) for test in tests}
    if shown == {"above"}:
        return "yes"
    if shown == {"below"}:
        return "reversed"
    if shown <= {"below", "no effect"}:
        return "no"
    return "undecided"


def write_ledger(
    headlines: Sequence[Headline],
    values: Mapping[str, Value],
    reported: Mapping[str, Reported],
    out: Path,
) -> None:
    """Write the headlines as JSON, by name.

    Each has the keys of `_DESCRIBED`, its outcome, sentence, advice, tests and controls, and
    further:

    - `p`: one minus the highest confidence level at which the statement keeps its outcome.
    - `p_holm`: `p` after Holm's correction for all statements. Both are null for a statement that
      follows from printed numbers without error.
    - `reported`: what the committed reported run has for this headline; null if it lacks it.

    Args:
        headlines: The statements of the run.
        values: The values of the run.
        reported: By name, the headlines of the committed reported run.
        out: The file.
    """
    p = {headline.id: headline.p(values) for headline in headlines}
    p_holm = corrected(p)
    record = {}
    for headline in headlines:
        advice = headline.entry.get("advice", {}).get(headline.outcome)
        in_reported_run = reported.get(headline.id)
        described = {key: headline.entry[key] for key in _DESCRIBED}
        record[headline.id] = described | {
            "outcome": headline.outcome,
            "sentence": headline.sentence,
            "advice": None if advice is None else _one_line(advice),
            "p": p[headline.id],
            "p_holm": p_holm[headline.id],
            "tests": [test._asdict() for test in headline.tests],
            "controls": [test._asdict() for test in headline.controls],
            "reported": None if in_reported_run is None else in_reported_run._asdict(),
        }
    with atomic_write(out) as partial:
        partial.write_text(json.dumps(record, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _one_line(text: str) -> str:
    """The text with single spaces in place of line breaks and runs of spaces."""
    return " ".join(text.split())
