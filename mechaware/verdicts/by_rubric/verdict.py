"""The verdict on a paper by any rubric: is it at the highest status of every criterion?

A judge's findings count only if a card on labelled items shows that it agrees with people by this
rubric (`mechaware.verdicts.judge_cards`). Without a card, or with a card of another procedure, the
verdict is *cannot tell*, whatever the statuses. The error rates of the verdict are those on the
card. Tiers and the Claim Validity Score belong to the 27 criteria: another rubric has none.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from mechaware.core.errors import UserError
from mechaware.instruments.claims.by_rubric.judging import PaperByRubric
from mechaware.instruments.claims.by_rubric.standing import Standing, find_standing
from mechaware.instruments.claims.reading.places import place_of
from mechaware.instruments.claims.rubric.records import PaperText, VoteRule
from mechaware.instruments.claims.rubric.rubric import Rubric
from mechaware.instruments.claims.rubric.text_flags import FLAG_MEANINGS
from mechaware.verdicts.cases.by_rubric import paper_decisions
from mechaware.verdicts.error_rates import ErrorRates, Rate
from mechaware.verdicts.page import Door
from mechaware.verdicts.paper.evidence import MAX_HEADING, shortened
from mechaware.verdicts.paper.reading_aid import MAX_PASSAGE
from mechaware.verdicts.paper.rendering import mark_controls
from mechaware.verdicts.paper.votes import advise_by_rates
from mechaware.verdicts.procedure import (
    Procedure,
    differences,
    make_procedure,
    procedure_of_record,
)
from mechaware.verdicts.supported import missing_parts
from mechaware.verdicts.verdict import Outcome, Verdict

TEMPLATES = Path(__file__).parent / "templates"
NO_CARD = (
    "how often this judge is right by this rubric is not known: label items by it, "
    "give them to the judge (mechaware judge), "
    "and name the verdict.json of its card (--card, or claims/measured)"
)
CUT = "the judge's server says that it read much less than was sent: its context cut the passages"
_DISTANCE = (
    "measured on passages that people chose; the passages of this paper were chosen by a search"
)
_Record = dict[str, Any]
# What follows from the statuses of a paper (`find_status`); also the status of the verdict.
Finding = Literal["meets", "falls short", "cannot tell"]
_OUTCOMES: Mapping[Finding, Outcome] = {
    "meets": "shown",
    "falls short": "not shown",
    "cannot tell": "cannot tell",
}


class ReadingSettings(NamedTuple):
    """The settings that decide a judge's statuses of a paper, apart from the judge and the rubric.

    - `passages`: the number of passages that the judge is shown for a criterion.
    - `runs`: the number of independent runs.
    - `vote`: how the statuses of the runs become one.
    - `max_pages`: the number of pages of a PDF that are read.
    """

    passages: int
    runs: int
    vote: VoteRule
    max_pages: int


class Card(NamedTuple):
    """A judge's card: its status and reason, the procedure that was measured, and error rates."""

    status: str
    reason: str
    procedure: Procedure
    rates: Sequence[Rate]


class RubricEvidence(NamedTuple):
    """What a verdict on a paper by a rubric rests on.

    - `judge`, `rubric`: the names of the judge and of the rubric.
    - `claim`: the claim that was judged; empty for the paper as a whole.
    - `text_length`: the length of the paper's text, in characters.
    - `statuses`: the statuses of the rubric, in rising order.
    - `finding`: what follows from the statuses alone, whether or not the judge has a card.
    - `vote`: the vote that counts.
    - `standings`: by vote, the number of criteria at each status, the highest first (`counts`), the
      share of all criteria at the highest, 0 to 1 (`best`), and the criteria without a status
      (`unscored`).
    - `vote_advice`: which vote suits the judge, by its card; empty without a card.
    - `criteria`: in the rubric's order: code, name, definition, status, what counts for this
      status, the status and the evidence of each run, and the passages that the judge was shown,
      with page and heading.
    - `passages_searched`: the number of the paper's passages.
    """

    judge: str
    rubric: str
    claim: str
    text_length: int
    statuses: Sequence[str]
    finding: Finding
    vote: VoteRule
    standings: Mapping[str, _Record]
    vote_advice: str
    criteria: Sequence[_Record]
    passages_searched: int

    def record(self) -> _Record:
        """The tables as JSON holds them."""
        return self._asdict() | {"statuses": list(self.statuses)}


def read_card(path: Path) -> Card:
    """The card in a verdict.json of `mechaware judge` or `snakemake judge_card`.

    Raises `UserError` if the file cannot be read or is not a judge's card.
    """
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["question"] != "agrees":
            raise ValueError(f"its question is '{record['question']}'")
        procedure = procedure_of_record(record["procedure"])
        rates = [Rate(**rate) for rate in record["error_rates"]["rates"]]
        return Card(record["status"], record["reason"], procedure, rates)
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise UserError(
            f"{path}: no card of a judge ({error}); name the verdict.json of mechaware judge"
        ) from None


def judge_paper_by_rubric(
    judged: PaperByRubric,
    text: str,
    about: PaperText,
    rubric: Rubric,
    cards: Sequence[Card],
    *,
    label: str,
    reading: ReadingSettings,
    required_procedure: Procedure,
    confidence_level: float,
) -> Verdict[RubricEvidence]:
    """The verdict on a paper by one judge.

    Args:
        judged: The statuses and the evidence of each of the judge's runs.
        text: The paper's text.
        about: The record of how the text was read.
        rubric: The rubric by which the paper was judged.
        cards: The cards that the user has, of any judges; of several that fit, the last counts.
        label: What the page calls the judge.
        reading: What was read and shown, and the vote that counts.
        required_procedure: The procedure that a card must have measured (`card_procedure` of the
            judge and the rubric).
        confidence_level: The level of the card's confidence intervals, such as 0.95.

    Returns:
        The verdict. It is *cannot tell*, whatever the statuses, if no card with the required
        procedure shows that the judge agrees with people, or if the judge's server cut the
        passages.
    """
    standings = {rule: find_standing(judged, rubric, rule) for rule in get_args(VoteRule)}
    vote = reading.vote
    finding, reason = find_status(standings[vote], rubric)
    card, card_doubt = _card_and_doubt(cards, required_procedure)
    doubt = CUT if judged.usage.was_cut else card_doubt

    status = finding
    if finding != "cannot tell" and doubt:
        status = "cannot tell"
        reason = f"{_standing_text(standings[vote], rubric)}, but {doubt}"

    # The procedure that the card measured, on a paper that was read and voted on in this way.
    settings = {**required_procedure.settings, **reading._asdict()}
    procedure = make_procedure("claims", settings, required_procedure.asked, paper_decisions())

    return Verdict(
        question="meets",
        status=status,
        outcome=_OUTCOMES[status],
        reason=reason,
        level=confidence_level,
        n=len(judged.criteria),
        evidence=RubricEvidence(
            judge=label,
            rubric=rubric.name,
            claim=judged.claim,
            text_length=about.characters,
            statuses=rubric.statuses,
            finding=finding,
            vote=vote,
            standings={rule: _standing_record(standing) for rule, standing in standings.items()},
            vote_advice="" if card is None else _advice(card),
            criteria=_criteria(judged, text, about, rubric, standings[vote]),
            passages_searched=judged.passages_searched,
        ),
        procedure=procedure,
        error_rates=_error_rates(card, card_doubt),
        notes=_notes(about, standings[vote]),
    )


def find_status(standing: Standing, rubric: Rubric) -> tuple[Finding, str]:
    """What follows from the statuses of a paper, and the reason in a sentence.

    - *meets*: every criterion is at the highest status.
    - *falls short*: a criterion is below it.
    - *cannot tell*: neither, since criteria have no status.
    """
    highest = rubric.statuses[-1]
    number = len(standing.statuses)
    met_text = (
        f"{standing.counts[highest]} of {number} criteria are at the highest status, {highest}"
    )
    below = []
    for code, status in standing.statuses.items():
        if status not in (None, highest):
            below.append(f"{code} ({status})")
    if below:
        return "falls short", f"{met_text}; below it: {', '.join(below)}"
    if standing.unscored:
        return "cannot tell", f"{met_text}; without a status: {', '.join(standing.unscored)}"
    return "meets", f"all {number} criteria are at the highest status, {highest}"


def _standing_text(standing: Standing, rubric: Rubric) -> str:
    """A paper's standing in words: "good 4, needs work 1, bad 1 of 6 criteria (67% good)"."""
    counts = [f"{status} {count}" for status, count in standing.counts.items()]
    if standing.unscored:
        counts.append(f"no status {len(standing.unscored)}")
    number = len(standing.statuses)
    return f"{', '.join(counts)} of {number} criteria ({standing.best:.0%} {rubric.statuses[-1]})"


def _error_rates(card: Card | None, why_none: str) -> ErrorRates:
    """The rates of the judge's card, or why there are none."""
    if card is None:
        return ErrorRates([], [why_none], [])
    if not card.rates:
        return ErrorRates([], ["its card has too few groups of items for intervals"], [])
    return ErrorRates(list(card.rates), [], [_DISTANCE])


def _card_and_doubt(
    cards: Sequence[Card], required_procedure: Procedure
) -> tuple[Card | None, str]:
    """The card with the required procedure, if there is one, and why the findings do not count.

    The reason is empty if the findings count. Of several cards with the procedure, the last is
    taken. If none has it, the reason names one difference from the card that differs in the fewest
    points.
    """
    if not cards:
        return None, NO_CARD
    fitting = [card for card in cards if card.procedure.text == required_procedure.text]
    if not fitting:
        differences_by_card = [differences(required_procedure, card.procedure) for card in cards]
        fewest = min(differences_by_card, key=len)
        return None, f"the card is of another procedure: {fewest[0]}"

    card = fitting[-1]
    if card.status != "agrees":
        return card, f"its card does not show that this judge agrees with people: {card.reason}"
    return card, ""


def _advice(card: Card) -> str:
    """Which vote suits the judge, by its rates of statuses that are too high and too low.

    Empty if the card lacks one of the two rates.
    """
    by_measure = {rate.measure: rate for rate in card.rates}
    if not {"too high", "too low"} <= by_measure.keys():
        return ""
    up = by_measure["too high"]
    down = by_measure["too low"]
    return advise_by_rates(
        up=up.value, down=down.value, low=down.low, high=down.high, measured_on="labelled"
    )


def _standing_record(standing: Standing) -> _Record:
    """The counts of a standing as JSON holds them."""
    return {
        "counts": dict(standing.counts),
        "best": standing.best,
        "unscored": standing.unscored,
    }


def _criteria(
    judged: PaperByRubric, text: str, about: PaperText, rubric: Rubric, standing: Standing
) -> list[_Record]:
    """The criteria as `RubricEvidence` has them."""
    rows = []
    for code, votes in judged.criteria.items():
        criterion = rubric.criteria[code]
        status = standing.statuses[code]
        rows.append(
            {
                "code": code,
                "name": criterion.name,
                "definition": criterion.definition,
                "status": status,
                "counts_as": criterion.statuses.get(status or "", ""),
                "votes": votes.votes,
                "evidence": [str(mark_controls(evidence)) for evidence in votes.evidence],
                "passages": [_passage(start, end, text, about) for start, end in votes.passages],
            }
        )
    return rows


def _passage(start: int, end: int, text: str, about: PaperText) -> _Record:
    """A passage as the page shows it, with its page and the heading of its section.

    Page and heading are None if they are not known. `start` and `end` are characters of the text.
    """
    page, heading = place_of(start, text, about)
    if heading is not None:
        heading = shortened(str(mark_controls(heading)), MAX_HEADING)
    shown = shortened(str(mark_controls(text[start:end])), MAX_PASSAGE)
    return {"start": start, "end": end, "page": page, "heading": heading, "text": shown}


def _notes(about: PaperText, standing: Standing) -> list[str]:
    """What a reader must know of how the paper was read and judged."""
    notes = [f"{flag}: {FLAG_MEANINGS[flag]}" for flag in about.flags]
    notes += missing_parts(about, "searched")
    if standing.unscored:
        notes.append(
            f"no usable reply for {', '.join(standing.unscored)}: raise claims/attempt to ask again"
        )
    return notes


DOOR = Door(
    question="By {model}: is {name} at the highest status of every criterion?",
    template=TEMPLATES / "by_rubric.html.j2",
    values=lambda _verdict: {"error_heading": "How often the judge's statuses are wrong"},
    planted="On the labelled items of the judge's card. "
    "Right: the share of statuses that equal the label. "
    "Too high and too low: the shares of those that could be. "
    "Beside each: the same for each criterion's commonest status in other groups.",
    nearby_files=(
        "verdict.json has all of this; judged.json the statuses and the evidence of each run."
    ),
)
