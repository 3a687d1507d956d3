"""A judge's card: known rates come back, and judges that read nothing are found out."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from scipy import stats

from mechaware.instruments.claims.items.edits import EDITS
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
COMMONEST = {code: STATUSES[shares.index(max(shares))] for code, shares in SHARES.items()}


def card(answers: list[Answer], items: list[LabelledItem] = ITEMS) -> Verdict[JudgeEvidence]:
    return judge_card(
        items, RUBRIC, answers, judge="tester", procedure=PROCEDURE, confidence_level=0.95
    )


def by(rule: Callable[[LabelledItem], str | None]) -> list[Answer]:
    return [Answer(item.id, "", rule(item)) for item in ITEMS]


def right_but_silent_on(silent: set[str]) -> list[Answer]:
    """The answers of a judge that is right, and has no status on the items with these ids."""

    def status_of(item: LabelledItem) -> str | None:
        return None if item.id in silent else item.label

    return by(status_of)


def by_length(item: LabelledItem) -> str:
    """Two thresholds on the number of words, which are 10 to 90."""
    length = len(item.text.split())
    return STATUSES[(length > 35) + (length > 65)]


def test_a_judge_of_known_rates_gets_them_on_its_card() -> None:
    reached = card(with_errors(ITEMS, up=0.25, down=0.1, seed=2))
    rates = {rate.measure: rate for rate in reached.error_rates.rates}
    assert rates["too high"].low < 0.25 < rates["too high"].high
    assert rates["too low"].low < 0.1 < rates["too low"].high
    # Shares of the labels, from SHARES: bad 1.05 / 3, needs work 0.9 / 3, good 1.05 / 3.
    # Right: bad 1 - up = 0.75, needs work 1 - up - down = 0.65, good 1 - down = 0.9.
    right = (1.05 * 0.75 + 0.9 * 0.65 + 1.05 * 0.9) / 3
    assert rates["right"].low < right < rates["right"].high
    assert reached.status == "agrees"
    assert reached.outcome == "shown"


def test_intervals_of_95_percent_hold_the_known_rates_and_are_as_wide_as_t_intervals() -> None:
    n_groups = 12
    of_each = 8
    rates = {"too high": 0.25, "too low": 0.1}
    widths: dict[str, list[float]] = {measure: [] for measure in rates}
    held = []
    for seed in range(60):
        items = drawn_items(n_groups, of_each, seed)
        answers = with_errors(items, up=0.25, down=0.1, seed=seed + 1000)
        labels = np.array([RUBRIC.rank(item.label) for item in items])
        given = np.array([RUBRIC.rank(answer.status or "") for answer in answers])
        groups = np.array([item.group for item in items])
        masks = {
            "too high": too_high_masks(given, labels, 2),
            "too low": too_low_masks(given, labels),
        }
        for measure, (could, hits) in masks.items():
            measured = share_of(hits[could], groups[could], 0.95)
            assert measured.low is not None
            assert measured.high is not None
            held.append(measured.low < rates[measure] < measured.high)
            widths[measure].append(measured.high - measured.low)

    # 120 intervals at 95%. Were they independent, the share that holds its rate would have a standard deviation of
    # sqrt(0.95 * 0.05 / 120), 2 points: 90% is 2.5 of them below 95%.
    assert np.mean(held) >= 0.9

    # The t interval of a rate p, of n independent items in G equal groups, is 2 t(G - 1) sqrt(p (1 - p) / n) wide.
    # By SHARES (1.05 + 0.9) / 3 = 65% of the labels are not good: these items could be judged too high. As many are not
    # bad, and could be judged too low. So n = 187. An exact interval is about 1 / n wider, 4 to 6% of these widths, and
    # the standard deviation of 12 groups is on average 2% too small. The mean width may be 10% below the formula or 25%
    # above it.
    n_could = 0.65 * n_groups * of_each * len(SHARES)
    for measure, rate in rates.items():
        standard_error = np.sqrt(rate * (1 - rate) / n_could)
        t_width = 2 * stats.t.ppf(0.975, n_groups - 1) * standard_error
        assert 0.9 * t_width <= np.mean(widths[measure]) <= 1.25 * t_width


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (by_length, "length predicts 100% of its statuses"),
        (
            lambda item: COMMONEST[item.criterion],
            "each criterion's commonest status predicts 100% of its statuses",
        ),
        (lambda _item: "good", "one status for all predicts 100% of its statuses"),
    ],
)
def test_a_judge_that_reads_nothing_is_found_out(
    rule: Callable[[LabelledItem], str], reason: str
) -> None:
    reached = card(by(rule))
    assert (reached.status, reached.outcome) == ("answers blindly", "not shown")
    assert reached.reason == reason


def test_a_judge_that_guesses_has_no_lead() -> None:
    rng = np.random.default_rng(7)
    reached = card(by(lambda _item: str(rng.choice(STATUSES))))
    assert reached.status == "no lead"
    assert "each criterion's commonest status" in reached.reason


def test_a_judge_that_keeps_its_statuses_without_the_text_has_not_read_it() -> None:
    """It knows all labels, as from memory, and agrees as long as nobody takes the text away."""
    known = by(lambda item: item.label)
    assert card(known).status == "agrees"
    kept = [answer._replace(edit="no text") for answer in known]
    reached = card([*known, *kept])
    assert (reached.status, reached.evidence.edits["no text"].value) == ("answers blindly", 0.0)
    fell = [answer._replace(edit="no text", status="bad") for answer in known]
    reached = card([*known, *fell])
    # Items answered "bad" are left out: they cannot fall.
    above = sum(item.label != "bad" for item in ITEMS)
    assert (reached.status, reached.evidence.edits["no text"].n) == ("agrees", above)


def test_an_edit_that_should_move_nothing_counts_what_stayed() -> None:
    known = by(lambda item: item.label)
    moved = [
        answer._replace(edit="other spacing", status="bad" if number % 4 == 0 else answer.status)
        for number, answer in enumerate(known)
    ]
    stayed = card([*known, *moved]).evidence.edits["other spacing"]
    expected = np.mean(
        [number % 4 != 0 or item.label == "bad" for number, item in enumerate(ITEMS)]
    )
    assert stayed.value == pytest.approx(expected)


def test_few_groups_or_no_usable_status_decide_nothing() -> None:
    few = drawn_items(groups=4, per_group=8, seed=1)
    reached = card([Answer(item.id, "", item.label) for item in few], few)
    assert reached.status == "cannot tell"
    assert reached.reason.startswith("the items are of 4 groups, and an interval needs 6")
    assert reached.error_rates.rates == []
    assert card([]).reason == "the judge gave no usable status"


def test_a_judge_by_length_is_found_among_few_items() -> None:
    """Length cuts learned on the other groups predict under 95% here.

    That its statuses are sorted by length still shows it.
    """
    few = drawn_items(groups=6, per_group=2, seed=3)
    reached = card([Answer(item.id, "", by_length(item)) for item in few], few)
    [predicted] = [row.predicts for row in reached.evidence.blind if row.row == "length"]
    assert predicted < 0.95
    assert reached.status == "answers blindly"
    assert reached.reason.startswith("in order of length each of its statuses is one stretch")


def test_a_card_names_what_was_wrong_with_most_unusable_replies() -> None:
    replies = by(lambda item: item.label)
    for place, fault in enumerate(["cut", "invalid: status", "invalid: status"]):
        replies[place] = replies[place]._replace(status=None, evidence=fault)
    # Unusable replies to edited items do not count.
    edited = [Answer(item.id, "no text", None, "cut") for item in ITEMS[:5]]
    [note] = card([*replies, *edited]).notes
    assert note == (
        f"3 of {len(ITEMS)} items have no usable status; they count as not right "
        "(commonest fault: invalid: status)"
    )


def test_a_missing_status_counts_as_not_right_and_people_are_the_ceiling() -> None:
    silent = {item.id for item in ITEMS[::3]}
    reached = card(right_but_silent_on(silent))
    evidence = reached.evidence
    assert evidence.unusable == len(silent)
    assert evidence.exact.value == pytest.approx(1 - len(silent) / len(ITEMS))
    assert reached.notes == (
        [f"{len(silent)} of {len(ITEMS)} items have no usable status; they count as not right"]
    )
    assert evidence.people is not None
    # A second person agrees on 7 of 10, and by chance on a third of the others: 0.8.
    assert evidence.people.exact.low is not None
    assert evidence.people.exact.high is not None
    assert evidence.people.exact.low < 0.8 < evidence.people.exact.high


def test_the_judge_beside_a_second_person_is_measured_on_the_items_of_both() -> None:
    """Items of even number have a second label; the judge has no status on every fourth item: half of those."""
    half = [item._replace(second="") if number % 2 else item for number, item in enumerate(ITEMS)]
    silent = {item.id for item in ITEMS[::4]}
    evidence = card(right_but_silent_on(silent), half).evidence
    assert evidence.exact.value == pytest.approx(3 / 4)
    assert evidence.people is not None
    assert evidence.people.exact.n == evidence.people.kappa.n == len(ITEMS) // 2
    assert (evidence.people.judge.n, evidence.people.judge.value) == (len(ITEMS) // 2, 1 / 2)


def test_a_rate_is_missing_where_fewer_than_six_groups_have_an_item_that_could_be() -> None:
    """With the highest label throughout no status can be too high."""
    items = [item._replace(label="good") for item in ITEMS]
    answers = [
        Answer(item.id, "", "good" if number % 4 else "bad") for number, item in enumerate(items)
    ]
    rates = card(answers, items).error_rates
    assert [rate.measure for rate in rates.rates] == ["right", "too low"]
    assert rates.missing == ["too high: fewer than 6 groups have an item that could be"]


def test_a_card_in_memory_has_its_page(tmp_path: Path) -> None:
    page = card(with_errors(ITEMS, up=0.2, down=0.1, seed=3)).page(tmp_path / "card.html")
    text = page.read_text()
    assert "Does the model agree with the labels of the items?" in text
    assert "Rules that read nothing" in text
    assert "Beside this page" not in text


def test_the_record_fits_the_schema_and_the_page_shows_every_table() -> None:
    known = with_errors(ITEMS, up=0.2, down=0.1, seed=3)
    answers = list(known)
    for edit in EDITS:
        answers += [answer._replace(edit=edit) for answer in known[:60]]
    for given in (answers, known, []):
        reached = card(given)
        jsonschema.validate(json.loads(json.dumps(reached.record())), SCHEMA)
        page = render_page("mine", "<My> judge", reached, DOOR)
        assert "Does &lt;My&gt; judge agree with the labels of mine?" in page
        assert "How often its statuses are wrong" in page
        for code in SHARES:
            assert f'<th scope="row">{code}</th>' in page
