"""A judge's card gives known error rates, and names judges that do not read the text."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from scipy import stats

from mechaware.instruments.claims.items.edits import EDITS, NO_TEXT, UNEDITED
from mechaware.instruments.claims.items.labelled import LabelledItem
from mechaware.instruments.claims.items.replies import Answer
from mechaware.verdicts.judge_cards.agreement import share_of, too_high_masks, too_low_masks
from mechaware.verdicts.judge_cards.card import DOOR, JudgeEvidence, judge_card
from mechaware.verdicts.page import render_page
from mechaware.verdicts.procedure import make_procedure
from mechaware.verdicts.verdict import Verdict
from tests.unit.verdicts.judge_cards.drawn_items import (
    RUBRIC,
    SHARES,
    STATUSES,
    drawn_items,
    with_errors,
)

REPOSITORY = Path(__file__).resolve().parents[4]
SCHEMA = json.loads((REPOSITORY / "mechaware/verdicts/schema.json").read_text())
PROCEDURE = make_procedure("claims", {"kind": "replies"}, list(SHARES), "ab")
ITEMS = drawn_items(groups=12, per_group=8, seed=5)


def card(answers: list[Answer], items: list[LabelledItem] = ITEMS) -> Verdict[JudgeEvidence]:
    return judge_card(
        items, RUBRIC, answers, judge="tester", procedure=PROCEDURE, confidence_level=0.95
    )


def answers_by(
    rule: Callable[[LabelledItem], str | None], items: list[LabelledItem] = ITEMS
) -> list[Answer]:
    """The answers of a judge that gives each item the status by `rule`."""
    return [Answer(item.id, UNEDITED, rule(item)) for item in items]


def right(item: LabelledItem) -> str:
    return item.label


def right_but_silent_on(silent: set[str]) -> list[Answer]:
    """The answers of a judge that is right, and has no status on the items with these ids."""

    def right_or_silent(item: LabelledItem) -> str | None:
        return None if item.id in silent else item.label

    return answers_by(right_or_silent)


def by_length(item: LabelledItem) -> str:
    """Bad up to 35 words, good above 65, and needs work between; texts have 10 to 90 words."""
    length = len(item.text.split())
    if length <= 35:
        return "bad"
    if length <= 65:
        return "needs work"
    return "good"


def commonest_of_criterion(item: LabelledItem) -> str:
    """By `SHARES`."""
    return {"names": "bad", "tests": "good", "docs": "needs work"}[item.criterion]


def always_good(_item: LabelledItem) -> str:
    return "good"


def test_a_judge_of_known_rates_gets_them_on_its_card() -> None:
    verdict = card(with_errors(ITEMS, up=0.25, down=0.1, seed=2))
    rates = {rate.measure: rate for rate in verdict.error_rates.rates}
    assert rates["too high"].low < 0.25 < rates["too high"].high
    assert rates["too low"].low < 0.1 < rates["too low"].high

    # Shares of the labels, from SHARES: bad 1.05 / 3, needs work 0.9 / 3, good 1.05 / 3.
    # Right: bad 1 - up = 0.75, needs work 1 - up - down = 0.65, good 1 - down = 0.9.
    share_right = (1.05 * 0.75 + 0.9 * 0.65 + 1.05 * 0.9) / 3
    assert rates["right"].low < share_right < rates["right"].high
    assert verdict.status == "agrees"
    assert verdict.outcome == "shown"


def test_intervals_of_95_percent_hold_the_known_rates_and_are_as_wide_as_t_intervals() -> None:
    n_groups = 12
    per_group = 8
    rates = {"too high": 0.25, "too low": 0.1}
    widths: dict[str, list[float]] = {measure: [] for measure in rates}
    holds_rate = []
    for seed in range(60):
        items = drawn_items(n_groups, per_group, seed)
        answers = with_errors(items, up=0.25, down=0.1, seed=seed + 1000)
        labels = np.array([RUBRIC.rank(item.label) for item in items])
        judged = np.array([RUBRIC.rank(answer.status or "") for answer in answers])
        groups = np.array([item.group for item in items])
        masks = {
            "too high": too_high_masks(judged, labels, 2),
            "too low": too_low_masks(judged, labels),
        }
        for measure, (could_be, is_wrong) in masks.items():
            measured = share_of(is_wrong[could_be], groups[could_be], 0.95)
            assert measured.low is not None
            assert measured.high is not None
            holds_rate.append(measured.low < rates[measure] < measured.high)
            widths[measure].append(measured.high - measured.low)

    # 60 seeds give 120 intervals at 95%. If they were independent, the share that holds its rate
    # would have a standard deviation of sqrt(0.95 * 0.05 / 120), 2 points. 90% is 2.5 standard
    # deviations below 95%.
    assert np.mean(holds_rate) >= 0.9

    # The t interval of a rate p, over n independent items in G equal groups, has the width
    #     2 t(G - 1) sqrt(p (1 - p) / n).
    # By SHARES (1.05 + 0.9) / 3 = 65% of the labels are not good, so that these items could be
    # judged too high; 65% are not bad, and could be judged too low. So n = 187 for both rates.
    # An exact interval is about 1 / n wider, 4 to 6% of these widths, and the standard deviation
    # over 12 groups is on average 2% too small. The mean width may be 10% below the formula or 25%
    # above it.
    n_could_be = 0.65 * n_groups * per_group * len(SHARES)
    for measure, rate in rates.items():
        standard_error = np.sqrt(rate * (1 - rate) / n_could_be)
        t_width = 2 * stats.t.ppf(0.975, n_groups - 1) * standard_error
        assert 0.9 * t_width <= np.mean(widths[measure]) <= 1.25 * t_width


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (by_length, "length predicts 100% of its statuses"),
        (
            commonest_of_criterion,
            "each criterion's commonest status predicts 100% of its statuses",
        ),
        (always_good, "one status for all predicts 100% of its statuses"),
    ],
)
def test_a_judge_that_does_not_read_the_text_answers_blindly(
    rule: Callable[[LabelledItem], str], reason: str
) -> None:
    verdict = card(answers_by(rule))
    assert (verdict.status, verdict.outcome) == ("answers blindly", "not shown")
    assert verdict.reason == reason


def test_a_judge_that_guesses_has_no_lead() -> None:
    rng = np.random.default_rng(7)

    def guess(_item: LabelledItem) -> str:
        return str(rng.choice(STATUSES))

    verdict = card(answers_by(guess))
    assert verdict.status == "no lead"
    assert "each criterion's commonest status" in verdict.reason


def test_a_judge_that_keeps_its_statuses_without_the_text_answers_blindly() -> None:
    """It knows all labels, as from memory, and agrees where no item is judged without its text."""
    answers = answers_by(right)
    assert card(answers).status == "agrees"

    without_text = [answer._replace(edit=NO_TEXT) for answer in answers]
    verdict = card([*answers, *without_text])
    assert verdict.status == "answers blindly"
    assert verdict.evidence.edits[NO_TEXT].value == 0.0


def test_a_judge_whose_statuses_fall_without_the_text_agrees() -> None:
    answers = answers_by(right)
    without_text = [answer._replace(edit=NO_TEXT, status="bad") for answer in answers]
    verdict = card([*answers, *without_text])
    assert verdict.status == "agrees"
    # Items answered "bad" are left out: they cannot fall.
    n_above_bad = sum(item.label != "bad" for item in ITEMS)
    assert verdict.evidence.edits[NO_TEXT].n == n_above_bad


def test_an_edit_that_should_move_nothing_counts_what_stayed() -> None:
    """With another spacing every fourth item is bad; it has moved if it was not bad before."""
    answers = answers_by(right)
    spaced = [answer._replace(edit="other spacing") for answer in answers]
    for index in range(0, len(spaced), 4):
        spaced[index] = spaced[index]._replace(status="bad")

    stayed = card([*answers, *spaced]).evidence.edits["other spacing"]
    n_moved = sum(item.label != "bad" for item in ITEMS[::4])
    assert stayed.value == pytest.approx(1 - n_moved / len(ITEMS))


def test_items_of_fewer_than_six_groups_decide_nothing() -> None:
    few = drawn_items(groups=4, per_group=8, seed=1)
    verdict = card(answers_by(right, few), few)
    assert verdict.status == "cannot tell"
    assert verdict.reason.startswith("the items are of 4 groups, and an interval needs 6")
    assert verdict.error_rates.rates == []


def test_a_card_without_answers_names_that_as_its_reason() -> None:
    assert card([]).reason == "the judge gave no usable status"


def test_a_judge_by_length_answers_blindly_among_few_items_because_its_statuses_are_sorted() -> (
    None
):
    """Cuts of the length, learned on the other groups, predict under 95% of so few statuses."""
    few = drawn_items(groups=6, per_group=2, seed=3)
    verdict = card(answers_by(by_length, few), few)
    [predicted] = [row.predicts for row in verdict.evidence.blind if row.row == "length"]
    assert predicted < 0.95
    assert verdict.status == "answers blindly"
    assert verdict.reason.startswith("in order of length each of its statuses is one stretch")


def test_a_card_names_the_commonest_fault_of_unusable_replies() -> None:
    replies = answers_by(right)
    for index, fault in enumerate(["cut", "invalid: status", "invalid: status"]):
        replies[index] = replies[index]._replace(status=None, evidence=fault)
    # Five more replies were cut, but replies to edited items do not count.
    edited = [Answer(item.id, NO_TEXT, status=None, evidence="cut") for item in ITEMS[:5]]
    [note] = card([*replies, *edited]).notes
    assert note == (
        f"3 of {len(ITEMS)} items have no usable status; they count as not right "
        "(commonest fault: invalid: status)"
    )


def test_a_missing_status_counts_as_not_right() -> None:
    silent = {item.id for item in ITEMS[::3]}
    verdict = card(right_but_silent_on(silent))
    assert verdict.evidence.unusable == len(silent)
    assert verdict.evidence.exact.value == pytest.approx(1 - len(silent) / len(ITEMS))
    assert verdict.notes == (
        [f"{len(silent)} of {len(ITEMS)} items have no usable status; they count as not right"]
    )


def test_a_card_has_the_agreement_of_two_people() -> None:
    """`drawn_items` draws the second label anew for 3 of 10 items: 0.7 + 0.3 / 3 = 0.8 agree."""
    people = card(answers_by(right)).evidence.people
    assert people is not None
    assert people.exact.low is not None
    assert people.exact.high is not None
    assert people.exact.low < 0.8 < people.exact.high


def test_the_judge_beside_a_second_person_is_measured_on_the_items_of_both() -> None:
    """Items 0, 2, 4, ... have a second label; on half of these, 0, 4, ..., the judge is silent."""
    half = [item._replace(second="") if number % 2 else item for number, item in enumerate(ITEMS)]
    silent = {item.id for item in ITEMS[::4]}
    evidence = card(right_but_silent_on(silent), half).evidence
    assert evidence.exact.value == pytest.approx(3 / 4)
    assert evidence.people is not None
    assert evidence.people.exact.n == evidence.people.kappa.n == len(ITEMS) // 2
    assert (evidence.people.judge.n, evidence.people.judge.value) == (len(ITEMS) // 2, 1 / 2)


def test_the_rate_of_too_high_is_missing_if_every_label_is_the_highest() -> None:
    items = [item._replace(label="good") for item in ITEMS]
    answers = answers_by(always_good, items)
    for index in range(0, len(answers), 4):
        answers[index] = answers[index]._replace(status="bad")

    rates = card(answers, items).error_rates
    assert [rate.measure for rate in rates.rates] == ["right", "too low"]
    assert rates.missing == ["too high: fewer than 6 groups have an item that could be"]


def test_a_verdict_writes_its_page_without_naming_files_beside_it(tmp_path: Path) -> None:
    page = card(with_errors(ITEMS, up=0.2, down=0.1, seed=3)).page(tmp_path / "card.html")
    text = page.read_text()
    assert "Does the model agree with the labels of the items?" in text
    assert "Rules that read nothing" in text
    assert "Beside this page" not in text


def test_the_record_fits_the_schema_and_the_page_shows_every_table() -> None:
    unedited = with_errors(ITEMS, up=0.2, down=0.1, seed=3)
    with_edits = list(unedited)
    for edit in EDITS:
        with_edits += [answer._replace(edit=edit) for answer in unedited[:60]]

    for answers in (with_edits, unedited, []):
        verdict = card(answers)
        jsonschema.validate(json.loads(json.dumps(verdict.record())), SCHEMA)
        page = render_page("mine", "<My> judge", verdict, DOOR)
        assert "Does &lt;My&gt; judge agree with the labels of mine?" in page
        assert "How often its statuses are wrong" in page
        for code in SHARES:
            assert f'<th scope="row">{code}</th>' in page
