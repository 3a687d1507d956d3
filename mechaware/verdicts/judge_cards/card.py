"""The card of a judge: its agreement with labels beside blind rules and people, and a verdict."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mechaware.core.files import sha256
from mechaware.core.levels import MIN_GROUPS
from mechaware.instruments.claims.items.edits import EDITS, NO_TEXT, RETEST, UNEDITED
from mechaware.instruments.claims.items.labelled import LabelledItem
from mechaware.instruments.claims.items.replies import Answer
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.rubric import Rubric
from mechaware.verdicts.cases.judge_cards import card_decisions
from mechaware.verdicts.error_rates import ErrorRates, Rate
from mechaware.verdicts.judge_cards.agreement import (
    MISSING,
    GroupedEstimate,
    Hits,
    Needed,
    Ranks,
    items_needed,
    kappa_over_groups,
    lead_over,
    number_text,
    points_text,
    share_of,
    share_text,
    too_high_masks,
    too_low_masks,
)
from mechaware.verdicts.judge_cards.blind import COMMONEST, RULES, chance_of_stretches, held_out
from mechaware.verdicts.judge_cards.decision import BlindRow, Decision, decide
from mechaware.verdicts.page import Door
from mechaware.verdicts.procedure import Procedure, make_procedure
from mechaware.verdicts.supported import digest_of_files, settings_that_decide
from mechaware.verdicts.verdict import Outcome, Verdict

TEMPLATES = Path(__file__).parent / "templates"
LEADS = (0.05, 0.1, 0.2)  # the card has the number of items that would show each of these leads
DOOR = Door(
    question="Does {model} agree with the labels of {name}?",
    template=TEMPLATES / "judge.html.j2",
    values=lambda _verdict: {
        "error_heading": "How often its statuses are wrong",
        "share_text": share_text,
        "number_text": number_text,
        "points_text": points_text,
    },
    planted=(
        "On the labelled items. Right: the share of statuses that equal the label. Too high: the "
        "share of statuses above the label, of the items whose label is not the highest. Too low: "
        "below it, of those whose label is not the lowest. Beside each: the same for each "
        "criterion's commonest status in other groups."
    ),
    nearby_files=(
        "verdict.json has all of it; answers.csv each answer; questions.csv what was asked, edits "
        "included, to be answered by another judge."
    ),
)
_OUTCOMES: dict[str, Outcome] = {
    "agrees": "shown",
    "answers blindly": "not shown",
    "no lead": "not shown",
    "cannot tell": "cannot tell",
}
_Record = dict[str, Any]


class People(NamedTuple):
    """How far a second person agrees with the labels: the most that can be asked of a judge.

    All numbers are of the items with a second label: `exact` and `kappa` of the second person,
    `judge` the share that the judge has right.
    """

    exact: GroupedEstimate
    kappa: GroupedEstimate
    judge: GroupedEstimate


class JudgeEvidence(NamedTuple):
    """What a card rests on.

    - `judge`, `rubric`: their names.
    - `statuses`: the rubric's statuses, in rising order.
    - `groups`: the number of groups of items.
    - `unusable`: items without a usable status, which count as not right.
    - `exact`: the share of statuses that equal the label.
    - `kappa`: Cohen's kappa within criteria (`kappa_within`).
    - `up`, `down`: shares that are too high and too low, of the items that could be.
    - `blind`: rules that read nothing, for comparison.
    - `people`: the agreement of a second person; None without second labels.
    - `edits`: by edit, the share of statuses that moved as they should.
    - `criteria`: by criterion, `exact`, `up` and `down` of its items, and `commonest`, the share
      right by its commonest status in other groups.
    - `confusion`: by label, how often the judge gave each status; under an empty name, how often it
      gave none.
    - `needed`: how many items would show a lead over each criterion's commonest status.
    - `sorted_by_chance`: the chance that the judge's statuses in random order are sorted by length;
      1 if they are not sorted themselves (`chance_of_stretches`).
    """

    judge: str
    rubric: str
    statuses: Sequence[str]
    groups: int
    unusable: int
    exact: GroupedEstimate
    kappa: GroupedEstimate
    up: GroupedEstimate
    down: GroupedEstimate
    blind: Sequence[BlindRow]
    people: People | None
    edits: Mapping[str, GroupedEstimate]
    criteria: Mapping[str, Mapping[str, GroupedEstimate]]
    confusion: Mapping[str, Mapping[str, int]]
    needed: Sequence[Needed]
    sorted_by_chance: float

    def record(self) -> _Record:
        """The tables as JSON holds them: numbers with n, value, low and high."""
        record = self._asdict()
        record["statuses"] = list(self.statuses)
        for measure in ("exact", "kappa", "up", "down"):
            record[measure] = getattr(self, measure)._asdict()

        blind = []
        for row in self.blind:
            estimates = {"right": row.right._asdict(), "lead": row.lead._asdict()}
            blind.append(row._asdict() | estimates)
        record["blind"] = blind

        record["people"] = None if self.people is None else _as_records(self.people._asdict())
        record["edits"] = _as_records(self.edits)
        record["criteria"] = {code: _as_records(row) for code, row in self.criteria.items()}
        record["needed"] = [needed._asdict() for needed in self.needed]
        return record


def card_procedure(
    rubric: Path,
    codes: Sequence[str],
    *,
    judge: JudgeSettings | None,
    replies: Path | None,
    item_prompts: Sequence[Path],
    revision: str = "",
) -> Procedure:
    """The procedure of a card: the rubric, and a judge with its prompts or a file of replies.

    Args:
        rubric: The rubric's file.
        codes: The codes of its criteria.
        judge: The settings of the judge; None for a file of replies.
        replies: The file of replies; None for a judge.
        item_prompts: The files of the prompts by which a judge is asked about items.
        revision: Names the weights of an embedded judge; empty otherwise.
    """
    settings: dict[str, object] = {}
    if judge is not None:
        settings = settings_that_decide(judge, revision)
        settings["prompts"] = digest_of_files({path.name: path for path in item_prompts})
    elif replies is not None:
        settings = {"kind": "replies", "replies": sha256(replies)[:16]}
    settings["rubric"] = sha256(rubric)[:16]
    return make_procedure("claims", settings, codes, card_decisions())


def judge_card(
    items: Sequence[LabelledItem],
    rubric: Rubric,
    answers: Sequence[Answer],
    *,
    judge: str,
    procedure: Procedure,
    confidence_level: float,
) -> Verdict[JudgeEvidence]:
    """The card of a judge, by its answers to the items and to their edits.

    Args:
        items: The labelled items, which are not edited.
        rubric: The rubric by which they are labelled.
        answers: The judge's answers; an item or an edit without an answer has no status.
        judge: The judge's name.
        procedure: The procedure of the card (`card_procedure`).
        confidence_level: The level of the intervals, such as 0.95.
    """
    # By item and edit, the rank of the judge's status.
    ranks = {}
    for answer in answers:
        rank = MISSING if answer.status is None else rubric.rank(answer.status)
        ranks[answer.id, answer.edit] = rank

    # For each item: the ranks of the judge's status and of the label, and whether they are equal.
    judged = np.array([ranks.get((item.id, UNEDITED), MISSING) for item in items])
    labels = np.array([rubric.rank(item.label) for item in items])
    is_right = judged == labels
    groups = [item.group for item in items]
    criteria = [item.criterion for item in items]

    blind_ranks = {rule: held_out(rule, items, labels) for rule in RULES}
    commonest = blind_ranks[COMMONEST]
    blind = []
    for rule, rule_ranks in blind_ranks.items():
        rule_is_right = rule_ranks == labels
        blind.append(
            BlindRow(
                row=rule,
                right=share_of(rule_is_right, groups, confidence_level),
                lead=lead_over(is_right, rule_is_right, groups, confidence_level),
                predicts=_imitated(rule, items, judged),
            )
        )

    up, down = _too_high_and_low(judged, labels, groups, rubric, confidence_level)
    evidence = JudgeEvidence(
        judge=judge,
        rubric=rubric.name,
        statuses=rubric.statuses,
        groups=len(set(groups)),
        unusable=int((judged == MISSING).sum()),
        exact=share_of(is_right, groups, confidence_level),
        kappa=kappa_over_groups(judged, labels, criteria, groups, confidence_level),
        up=up,
        down=down,
        blind=blind,
        people=_people(items, judged, labels, rubric, confidence_level),
        edits=_responses(items, ranks, confidence_level),
        criteria=_by_criterion(items, judged, labels, commonest, rubric, confidence_level),
        confusion=_confusion(judged, labels, rubric),
        needed=_needed(is_right, commonest == labels, groups, confidence_level),
        sorted_by_chance=chance_of_stretches(items, judged),
    )
    decision = _decision(evidence)
    return Verdict(
        question="agrees",
        status=decision.status,
        outcome=_OUTCOMES[decision.status],
        reason=decision.reason,
        level=confidence_level,
        n=len(items),
        evidence=evidence,
        procedure=procedure,
        error_rates=_error_rates(evidence, commonest, labels, groups, rubric, confidence_level),
        notes=_notes(evidence, _commonest_fault(answers)),
    )


def _decision(evidence: JudgeEvidence) -> Decision:
    """The status that follows from the evidence (`decide`)."""
    return decide(
        groups=evidence.groups,
        answered=evidence.exact.n - evidence.unusable,
        exact=evidence.exact,
        kappa=evidence.kappa,
        blind=evidence.blind,
        lowered=evidence.edits[NO_TEXT],
        sorted_by_chance=evidence.sorted_by_chance,
    )


def _too_high_and_low(
    judged: Ranks, labels: Ranks, groups: Iterable[str], rubric: Rubric, confidence_level: float
) -> tuple[GroupedEstimate, GroupedEstimate]:
    """The shares of statuses that are too high and too low, of the items that could be."""
    group_of_item = np.array(list(groups))
    high = too_high_masks(judged, labels, len(rubric.statuses) - 1)
    low = too_low_masks(judged, labels)
    return (
        share_of(high.wrong[high.possible], group_of_item[high.possible], confidence_level),
        share_of(low.wrong[low.possible], group_of_item[low.possible], confidence_level),
    )


def _imitated(rule: str, items: Sequence[LabelledItem], judged: Ranks) -> float:
    """The share of the judge's statuses that a blind rule predicts.

    The rule is fitted to the judge's statuses in other groups. 0 if the judge has no status.
    """
    has_status = judged != MISSING
    if not has_status.any():
        return 0.0
    is_predicted = held_out(rule, items, judged) == judged
    return float(is_predicted[has_status].mean())


def _people(
    items: Sequence[LabelledItem],
    judged: Ranks,
    labels: Ranks,
    rubric: Rubric,
    confidence_level: float,
) -> People | None:
    """The agreement of the second person with the label; None without second labels."""
    has_second = np.array([bool(item.second) for item in items])
    if not has_second.any():
        return None

    twice_labelled = [item for item in items if item.second]
    seconds = np.array([rubric.rank(item.second) for item in twice_labelled])
    groups = [item.group for item in twice_labelled]
    criteria = [item.criterion for item in twice_labelled]

    firsts = labels[has_second]
    return People(
        exact=share_of(seconds == firsts, groups, confidence_level),
        kappa=kappa_over_groups(seconds, firsts, criteria, groups, confidence_level),
        judge=share_of(judged[has_second] == firsts, groups, confidence_level),
    )


def _responses(
    items: Sequence[LabelledItem], ranks: Mapping[tuple[str, str], int], confidence_level: float
) -> dict[str, GroupedEstimate]:
    """By edit, the share of statuses that moved as they should.

    Without the text a status should fall, after every other edit it should stay.

    A status that is missing before or after the edit is left out. Without the text, so is a
    status at the lowest rank, which cannot fall.
    """
    responses = {}
    for edit in EDITS:
        hits: list[bool] = []
        groups: list[str] = []
        for item in items:
            before = ranks.get((item.id, UNEDITED), MISSING)
            after = ranks.get((item.id, edit), MISSING)
            if MISSING in (before, after):
                continue
            if edit == NO_TEXT and before == 0:
                continue

            hits.append(after < before if edit == NO_TEXT else after == before)
            groups.append(item.group)
        responses[edit] = share_of(np.array(hits, dtype=bool), groups, confidence_level)
    return responses


def _by_criterion(
    items: Sequence[LabelledItem],
    judged: Ranks,
    labels: Ranks,
    commonest: Ranks,
    rubric: Rubric,
    confidence_level: float,
) -> dict[str, dict[str, GroupedEstimate]]:
    """The shares of each criterion that has items."""
    codes = np.array([item.criterion for item in items])
    groups = np.array([item.group for item in items])
    rows = {}
    for code in rubric.criteria:
        in_criterion = codes == code
        if not in_criterion.any():
            continue

        own_groups = groups[in_criterion]
        own_labels = labels[in_criterion]
        own_judged = judged[in_criterion]
        own_commonest = commonest[in_criterion]
        up, down = _too_high_and_low(own_judged, own_labels, own_groups, rubric, confidence_level)
        rows[code] = {
            "exact": share_of(own_judged == own_labels, own_groups, confidence_level),
            "commonest": share_of(own_commonest == own_labels, own_groups, confidence_level),
            "up": up,
            "down": down,
        }
    return rows


def _confusion(judged: Ranks, labels: Ranks, rubric: Rubric) -> dict[str, dict[str, int]]:
    """By label, how often the judge gave each status; under an empty name, how often none."""
    table = {}
    for rank, label in enumerate(rubric.statuses):
        judged_of_label = judged[labels == rank]
        counts = {}
        for judged_rank, status in enumerate(rubric.statuses):
            counts[status] = int((judged_of_label == judged_rank).sum())
        counts[""] = int((judged_of_label == MISSING).sum())
        table[label] = counts
    return table


def _needed(
    judge: Hits, other: Hits, groups: Sequence[str], confidence_level: float
) -> list[Needed]:
    """The items that would show each of `LEADS`; empty where `items_needed` gives no number."""
    rows = []
    for lead in LEADS:
        needed = items_needed(judge, other, groups, lead, confidence_level)
        if needed is not None:
            rows.append(needed)
    return rows


def _error_rates(
    evidence: JudgeEvidence,
    commonest: Ranks,
    labels: Ranks,
    groups: Sequence[str],
    rubric: Rubric,
    confidence_level: float,
) -> ErrorRates:
    """How often the statuses are right, too high and too low: the judge's and the commonest."""
    if evidence.groups < MIN_GROUPS:
        return ErrorRates([], [f"fewer than {MIN_GROUPS} groups of items give no interval"], [])
    exact = share_of(commonest == labels, groups, confidence_level)
    up, down = _too_high_and_low(commonest, labels, groups, rubric, confidence_level)
    # By measure, the estimates for the judge and for the commonest status.
    estimates = {
        "right": (evidence.exact, exact),
        "too high": (evidence.up, up),
        "too low": (evidence.down, down),
    }
    rates = []
    missing = []
    for measure, (judge_share, commonest_share) in estimates.items():
        if judge_share.value is None or judge_share.low is None or judge_share.high is None:
            missing.append(f"{measure}: fewer than {MIN_GROUPS} groups have an item that could be")
            continue
        rate = Rate(
            measure=measure,
            value=judge_share.value,
            low=judge_share.low,
            high=judge_share.high,
            n=evidence.groups,
            case={COMMONEST: float(commonest_share.value or 0)},
        )
        rates.append(rate)
    return ErrorRates(rates, missing, [])


def _commonest_fault(answers: Iterable[Answer]) -> str:
    """The commonest fault of replies to unedited items, the first on a tie; empty if none."""
    faults = Counter[str]()
    for answer in answers:
        # The evidence of an unusable reply is its fault.
        if answer.edit == UNEDITED and answer.status is None and answer.evidence:
            faults[answer.evidence] += 1
    if not faults:
        return ""
    [(fault, _)] = faults.most_common(1)
    return fault


def _notes(evidence: JudgeEvidence, fault: str) -> list[str]:
    """What a reader must know about the replies; `fault` is the commonest of the unusable ones."""
    notes = []
    if evidence.unusable:
        unusable = (
            f"{evidence.unusable} of {evidence.exact.n} items have no usable status; "
            "they count as not right"
        )
        notes.append(f"{unusable} (commonest fault: {fault})" if fault else unusable)
    retest = evidence.edits[RETEST]
    if retest.value is not None and retest.value < 1:
        notes.append(f"asked the same once more, it gives the same status in {retest.value:.0%}")
    return notes


def _as_records(estimates: Mapping[str, GroupedEstimate]) -> dict[str, _Record]:
    return {name: estimate._asdict() for name, estimate in estimates.items()}
