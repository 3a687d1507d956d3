"""A procedure: all that decides a verdict.

Error rates hold for the procedure with which they were measured.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mechaware.core.files import atomic_write

_SEPARATOR = "; "
_ASKED = "asked"
_DECISIONS = "decisions"
_DIGITS = 6  # decimals of the numbers behind decisions: machines differ in later ones


class Procedure(NamedTuple):
    """The procedure that reaches a verdict.

    - `instrument`: `radar`, `grounding` or `claims`.
    - `settings`: by name, the settings that decide, as text.
    - `asked`: the names of the rules, detectors or criteria that were asked, sorted.
    - `decisions`: a digest of the decisions on the committed cases (`digest`). It changes if the
      code decides any case otherwise, and not if the code is only written otherwise.
    """

    instrument: str
    settings: Mapping[str, str]
    asked: tuple[str, ...]
    decisions: str

    @property
    def text(self) -> str:
        """The procedure on one line, as the column `procedure` of a calibration holds it.

        For instance "radar; level=0.05; correction=Holm; asked=loss reference; decisions=3f0a...",
        where `loss` and `reference` were asked: a space separates names. Two procedures are the
        same if their texts are.
        """
        settings = [f"{name}={value}" for name, value in self.settings.items()]
        asked = f"{_ASKED}={' '.join(self.asked)}"
        return _SEPARATOR.join(
            [self.instrument, *settings, asked, f"{_DECISIONS}={self.decisions}"]
        )

    def record(self) -> dict[str, object]:
        """The procedure as JSON holds it."""
        return {
            "instrument": self.instrument,
            "settings": dict(self.settings),
            "asked": list(self.asked),
            "decisions": self.decisions,
        }


def make_procedure(
    instrument: str, settings: Mapping[str, object], asked: Sequence[str], decisions: str
) -> Procedure:
    """A procedure from settings of any type; floats are written with ten significant digits."""
    texts = {name: _setting_text(value) for name, value in settings.items()}
    return Procedure(instrument, texts, tuple(sorted(asked)), decisions)


def parse_procedure(text: str) -> Procedure:
    """The procedure that `Procedure.text` wrote."""
    instrument, *parts = text.split(_SEPARATOR)
    values = {}
    for part in parts:
        name, _, value = part.partition("=")
        values[name] = value

    asked = tuple(values.pop(_ASKED).split())
    decisions = values.pop(_DECISIONS)
    return Procedure(instrument, values, asked, decisions)


def write_procedures(procedures: Mapping[str, Procedure], path: Path) -> None:
    """Write procedures as JSON, by name, such as the judge's name."""
    records = {name: procedure.record() for name, procedure in procedures.items()}
    with atomic_write(path) as partial:
        partial.write_text(json.dumps(records, indent=2) + "\n", encoding="utf-8")


def read_procedures(path: Path) -> dict[str, Procedure]:
    """The procedures that `write_procedures` wrote, in order."""
    records = json.loads(path.read_text(encoding="utf-8"))
    return {name: procedure_of_record(record) for name, record in records.items()}


def procedure_of_record(record: Mapping[str, Any]) -> Procedure:
    """The procedure from what `Procedure.record` gave, read back from JSON."""
    return Procedure(**{**record, "asked": tuple(record["asked"])})


def digest(outcomes: object) -> str:
    """A digest of decisions, which are nested lists and dictionaries.

    The values are texts, truth values and numbers; numbers are rounded to 6 decimals.
    """
    canonical = json.dumps(_rounded(outcomes), sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def differences(procedure: Procedure, calibrated: Procedure) -> list[str]:
    """How a procedure differs from one with measured error rates: a phrase for each difference.

    What was asked comes first, then settings, then decisions. The list is empty if the procedures
    are the same, or differ in their instrument alone.
    """
    phrases = []
    for name in calibrated.asked:
        if name not in procedure.asked:
            phrases.append(f"{name}, part of the measured one, was not asked")
    for name in procedure.asked:
        if name not in calibrated.asked:
            phrases.append(f"{name}, no part of the measured one, was asked")

    # Each name once, in order.
    for name in dict.fromkeys([*procedure.settings, *calibrated.settings]):
        value = procedure.settings.get(name, "not set")
        calibrated_value = calibrated.settings.get(name, "not set")
        if value != calibrated_value:
            phrases.append(f"{name} is {value}, measured at {calibrated_value}")

    if procedure.decisions != calibrated.decisions:
        phrases.append("it decides some of the committed cases otherwise than the measured one did")
    return phrases


def _setting_text(value: object) -> str:
    """A setting as text: 0.05, 199, True, Holm."""
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(value)


def _rounded(outcomes: Any) -> Any:
    """The same outcomes with rounded numbers; -0.0 is 0.0."""
    if isinstance(outcomes, Mapping):
        return {str(name): _rounded(value) for name, value in outcomes.items()}
    if isinstance(outcomes, list | tuple):
        return [_rounded(value) for value in outcomes]
    if isinstance(outcomes, float):
        return round(outcomes, _DIGITS) + 0.0
    return outcomes
