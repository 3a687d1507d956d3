"""What a card says in words: sentences that follow from its numbers by rule, the same for every instrument."""

from collections.abc import Sequence

import numpy as np

from mechaware.cards import card
from mechaware.cards.card import Cell, Instrument, Part, conditions
from mechaware.stats import Estimate

_MOST_NAMED = 5
# Where no condition alone has enough units.
_ON_A_MIXTURE = {
    card.WORKS: "Use it on a mixture like the planted one, where it works ({}), not on one condition.",
    card.UNSURE: "Take its answer as a hint: on all units together it is above chance ({}), but too few were planted "
    f"to tell whether it reaches {card.FLOOR}.",
}
_FAILURES = (card.MISLEADS, card.LENGTH, card.NONE, card.WEAK)


def describe(instrument: Instrument, parts: Sequence[Part]) -> dict[str, str]:
    """The sentences of a card: use, avoid, worst (condition), length, and for each part what could have been found."""
    effects = {f"effect {part.name}": _effect(part, instrument) for part in parts}
    return effects | {"use": _use(parts), "avoid": _avoid(parts), "worst": _worst(parts), "length": _length(parts)}


def _use(parts: Sequence[Part]) -> str:
    """What it may be used for: where its interval lies above the floor."""
    works = [cell for _, cell in conditions(parts) if cell.finding == card.WORKS]
    if works:
        every = len(works) == len(list(conditions(parts)))
        values = [f"{end([cell.separation.value for cell in works]):.2f}" for end in (min, max)]
        where = "all that was planted" if every else _named(parts, card.WORKS)
        return f"Use it for {where}: there it separates at {' to '.join(dict.fromkeys(values))}."
    for finding, advice in _ON_A_MIXTURE.items():
        mixed = [part for part in parts if part.cells[0].finding == finding]
        if numbers := "; ".join(_of_part(_number(part.cells[0].separation), part, parts) for part in mixed):
            return advice.format(numbers)
    return f"Use it for nothing that was planted here: in no condition does its interval lie above {card.FLOOR}."


def _avoid(parts: Sequence[Part]) -> str:
    """What it must not be used for: all other conditions, by what was found there, the worst first."""
    findings = (*_FAILURES, card.UNSURE, card.UNKNOWN)
    listed = "; ".join(f"{names} ({finding})" for finding in findings if (names := _named(parts, finding)))
    if not listed:
        return "No planted condition made it fail; harder ones were not planted, so do not rely on it beyond these."
    return f"Do not rely on it for {listed}."


def _effect(part: Part, instrument: Instrument) -> str:
    """The smallest effect that the test could have found, in the planted unit, and where the ladder reaches failure."""
    rungs = [cell for cell in part.cells if cell.facet == instrument.ladder]
    drawn = [cell for cell in rungs if cell.found is not None]
    shares = ", ".join(f"{_title(cell)} {_often(cell.found)}" for cell in drawn or part.cells[:1])
    said = f"In draws of {card.SAMPLE} {instrument.units} of either truth: {shares}."
    if drawn:
        smallest = [cell.condition for cell in drawn if (cell.found or 0) >= card.POWER]
        said += f" The smallest effect found in {card.POWER:.0%} of draws: {smallest[-1] if smallest else 'none'}."
    elif rungs:
        said += f" On each step of the ladder too few {instrument.units} were planted to draw from."
    failing = [f" It fails at “{cell.condition}”: {cell.finding}." for cell in rungs if cell.finding in _FAILURES]
    return said + (failing[0] if failing else " The ladder did not reach a failure." if rungs else "")


def _worst(parts: Sequence[Part]) -> str:
    """The condition with the lowest separation, of those with an interval."""
    known = [(part, cell) for part, cell in conditions(parts) if not np.isnan(cell.separation.low)]
    values = [cell.separation.value for _, cell in known]
    if len(set(values)) < 2:
        return "no condition is known to be worse than another"
    part, cell = known[int(np.argmin(values))]
    return f"{_of_part(_title(cell), part, parts)}: {_number(cell.separation)}"


def _length(parts: Sequence[Part]) -> str:
    """Whether the length of a text could stand in for the instrument, and what is left at equal length."""
    differs = [
        f"{_of_part(_title(cell), part, parts)}: length alone separates at {_number(cell.by_length)}, this score among "
        f"equal lengths at {_number(cell.at_equal_length) if cell.at_equal_length else 'no number: none are equal'}"
        for part, cell in conditions(parts)
        if cell.by_length and not cell.by_length.low <= card.CHANCE <= cell.by_length.high
    ]
    if not any(cell.by_length for _, cell in conditions(parts)):
        return "not measured: these units have no length"
    return "; ".join(differs) or "it does not differ by truth in any condition, so a reader of lengths scores 0.5"


def _number(estimate: Estimate) -> str:
    ends = "" if np.isnan(estimate.low) else f", {estimate.low:.2f} to {estimate.high:.2f}"
    return f"{estimate.value:.2f}{ends}"


def _often(share: float | None) -> str:
    if share is None:
        return "not measured, too few"
    return "found always" if share == 1 else "never" if share == 0 else f"in {share:.0%}"


def _title(cell: Cell) -> str:
    return cell.condition or "all units together"


def _of_part(text: str, part: Part, parts: Sequence[Part]) -> str:
    return f"{text} [{part.name}]" if len(parts) > 1 else text


def _named(parts: Sequence[Part], finding: str) -> str:
    """The conditions with this finding, and all units together if they do not work.

    A condition that has the finding in every part that has the condition is named once.
    """
    names: dict[str, None] = {}
    cells = [(part, cell) for part in parts for cell in part.cells if cell.condition or finding != card.WORKS]
    for part, cell in cells:
        if cell.finding == finding:
            alike = [other.finding for _, other in cells if other.condition == cell.condition]
            names[_title(cell) if set(alike) == {finding} else _of_part(_title(cell), part, parts)] = None
    listed = list(names)
    if len(listed) > _MOST_NAMED:
        listed = [*listed[: _MOST_NAMED - 1], f"{len(listed) - _MOST_NAMED + 1} more"]
    return " and ".join([*filter(None, [", ".join(listed[:-1])]), *listed[-1:]])
