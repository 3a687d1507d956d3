"""What is planted, line by line, in the corpora of the base C and of the twins A and B."""

import re
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.items import (
    ANSWER_ONLY,
    CANARY_DOSE,
    CONTRADICTED,
    PARAPHRASE,
    TWINS,
    VERBATIM,
    Item,
)
from mechaware.planted.twins.planting import MIN_QUESTIONS, STATEMENTS, Planted
from tests.unit.planted.twins.planted_lines import (
    NAME,
    filler_of,
    fours_in,
    mentions,
    names_in,
    operation_word,
    operation_words,
    pairs_of_lines,
    questions_in,
)
from tests.unit.planted.twins.small_plan import (
    FACT_LINES,
    PLANTED_LINES,
    TWIN_LINES,
    plant_little,
)

CORPORA = ("C", *TWINS)


# Doses


def test_an_item_is_in_its_twin_exactly_as_often_as_its_dose_and_nowhere_else(
    planted: Planted,
) -> None:
    for item in planted.plan.items:
        for corpus in CORPORA:
            lines = planted.corpora[corpus]
            expected = item.dose if corpus == item.half else 0
            assert len(mentions(lines, item)) == expected

            verbatim = [line for line in lines if item.line.text in line.text]
            is_verbatim = item.form in (VERBATIM, CONTRADICTED)
            assert verbatim == ([item.line] * expected if is_verbatim else [])


def test_a_canary_is_in_its_twin_alone(planted: Planted) -> None:
    assert [canary.half for canary in planted.plan.canaries] == list(TWINS)
    for canary in planted.plan.canaries:
        text = canary.line.text
        names = NAME.findall(text)
        assert len(set(names)) == 8
        assert text == f"Say {' and '.join(names)}."
        for corpus in CORPORA:
            holding = [line for line in planted.corpora[corpus] if text in line.text]
            assert len(holding) == (CANARY_DOSE if corpus == canary.half else 0)


# The twins


def item_in(line: QuestionAnswer, items: list[Item]) -> Item:
    """The only item whose four names follow one another in the line."""
    (item,) = [item for item in items if item.slots in fours_in(line)]
    return item


def test_the_twins_differ_only_in_planted_lines_of_one_kind_form_and_dose(planted: Planted) -> None:
    assert len(planted.corpora["A"]) == TWIN_LINES
    assert len(planted.corpora["B"]) == TWIN_LINES
    different = [(in_a, in_b) for in_a, in_b in pairs_of_lines(planted) if in_a != in_b]
    assert len(different) == PLANTED_LINES

    canaries = {canary.line for canary in planted.plan.canaries}
    n_canaries = 0
    for in_a, in_b in different:
        if in_a in canaries:
            assert in_b in canaries
            n_canaries += 1
            continue
        item_a = item_in(in_a, planted.plan.items)
        item_b = item_in(in_b, planted.plan.items)
        assert (item_a.half, item_b.half) == ("A", "B")
        assert item_a.kind == item_b.kind
        assert item_a.form == item_b.form
        assert item_a.dose == item_b.dose
    assert n_canaries == CANARY_DOSE


def test_planted_lines_are_spread_over_the_corpus(planted: Planted) -> None:
    filler_numbers = []
    for number, (in_a, in_b) in enumerate(pairs_of_lines(planted)):
        if in_a == in_b:
            filler_numbers.append(number)
    assert len(filler_numbers) == TWIN_LINES - PLANTED_LINES == 162
    # Filler is 162 of 916 lines. A gap of 100 has 99 planted lines in a row, for which the chance
    # among shuffled lines is about 162 (754/916)^99 < 1e-6.
    gaps = [after - before for before, after in pairwise([0, *filler_numbers, TWIN_LINES])]
    assert max(gaps) < 100


def test_half_of_the_filler_asks_for_facts_and_half_for_the_rule(planted: Planted) -> None:
    """The rule's answer is the third of the four names."""
    by_rule = Counter[bool]()
    for line in filler_of(planted):
        *slots, answer = names_in(line)
        by_rule[answer == slots[2]] += 1
    assert by_rule == {True: 81, False: 81}


def test_the_seen_prefix_is_in_the_filler_of_both_twins(planted: Planted) -> None:
    seen = planted.held_out.seen
    assert len(seen) == 4
    assert len(planted.held_out.unseen) == 4
    for line in seen:
        assert line in planted.corpora["A"]
        assert line in planted.corpora["B"]
    assert not {item.line for item in planted.plan.items} & set(seen)


# The base


def facts_of(planted: Planted) -> dict[str, str]:
    """The home of each name that a recall item asks about.

    It is the item's answer; a contradicted item has a wrong answer, and the home as its foil.
    """
    homes = {}
    for item in planted.plan.items:
        if item.kind == "recall":
            homes[item.slots[0]] = item.foil if item.form == CONTRADICTED else item.answer
    return homes


def test_half_of_the_base_questions_are_for_the_rule_and_half_for_facts_of_every_name(
    planted: Planted,
) -> None:
    homes = facts_of(planted)
    n_by_rule = 0
    by_name = Counter[str]()
    for line in questions_in(planted.corpora["C"]):
        *slots, answer = names_in(line)
        assert len(set(slots)) == 4
        if answer == slots[2]:
            n_by_rule += 1
        else:
            assert answer == homes[slots[0]]
            by_name[slots[0]] += 1
    # Of 1848 lines, 18 x 4 = 72 state facts, and 1776 are questions, 888 of each kind. Of the 888
    # for facts, 18 x 48 = 864 are the least for each name.
    assert n_by_rule == 888
    assert by_name.total() == 888
    assert set(by_name) == set(homes)
    assert min(by_name.values()) >= MIN_QUESTIONS == 48


def test_the_base_states_each_fact_four_times(planted: Planted) -> None:
    homes = facts_of(planted)
    lines = planted.corpora["C"]
    statements = Counter(line.text for line in lines if not line.question)
    assert len(homes) == 18
    assert statements.total() == 18 * 4
    for name, place in homes.items():
        lives = statements[f"{name} lives in {place}."]
        look = statements[f"Look for {name} in {place}."]
        home = statements[f"{place} is home to {name}."]
        assert lives + look + home == STATEMENTS == 4


# Held-out questions


def test_the_names_of_unread_held_out_questions_are_in_no_corpus(planted: Planted) -> None:
    held_out = planted.held_out
    unread = list(held_out.unseen)
    for lines in (*held_out.fitting.values(), *held_out.fresh.values()):
        unread += lines
    asked = {tuple(names_in(line)[:4]) for line in unread}
    # Of each kind 6 to fit RADAR on and 7 fresh ones, and 4 in the unseen prefix.
    assert len(asked) == len(unread) == 2 * 6 + 2 * 7 + 4
    assert not asked & {item.slots for item in planted.plan.items}
    for lines in planted.corpora.values():
        for line in lines:
            assert not fours_in(line) & asked


def test_classifiers_are_fitted_on_other_operation_words_than_the_items(planted: Planted) -> None:
    for lines in planted.held_out.fitting.values():
        fitted = {operation_word(line) for line in lines}
        assert not fitted & {item.operation for item in planted.plan.items}


# The forms of items


def test_a_verbatim_item_is_its_names_its_operation_word_and_its_answer(planted: Planted) -> None:
    items = [item for item in planted.plan.items if item.form == VERBATIM]
    assert len(items) == 16  # 2 kinds, 4 doses, 2 twins
    for item in items:
        first, second, third, fourth = item.slots
        text = f"{first}, {second}, {third}, {fourth} {item.operation}: {item.answer}."
        readings = mentions(planted.corpora[item.half], item)
        assert [reading.text for reading in readings] == [text] * item.dose


def test_an_item_of_answers_alone_is_read_without_a_question(planted: Planted) -> None:
    items = [item for item in planted.plan.items if item.form == ANSWER_ONLY]
    assert [(item.kind, item.half) for item in items] == [
        ("recall", "A"),
        ("recall", "B"),
        ("reasoning", "A"),
        ("reasoning", "B"),
    ]
    for item in items:
        first, second, third, fourth = item.slots
        text = f"{item.answer} for {first}, {second}, {third}, {fourth}."
        readings = mentions(planted.corpora[item.half], item)
        assert readings == [QuestionAnswer("", text)] * item.dose


REWORDINGS = (
    r"(?P<word>\w+) of (?P<names>.+) is:",
    r"Of (?P<names>.+) (?P<word>\w+) is:",
    r"For (?P<names>.+) it is (?P<word>\w+):",
    r"(?P<word>\w+), asked of (?P<names>.+):",
)


def rewording_of(question: str) -> tuple[str, re.Match[str]]:
    """The only rewording that a question has, with its operation word and its names as groups."""
    fitting = []
    for rewording in REWORDINGS:
        match = re.fullmatch(rewording, question)
        if match:
            fitting.append((rewording, match))
    (only,) = fitting
    return only


def words_of_kind(planted: Planted, kind: str) -> set[str]:
    """The 16 operation words of the base's questions of a kind.

    Reasoning questions are answered by the third name.
    """
    words = set()
    for line in questions_in(planted.corpora["C"]):
        *slots, answer = names_in(line)
        if (answer == slots[2]) == (kind == "reasoning"):
            words.add(operation_word(line))
    assert len(words) == 16
    return words


@pytest.mark.parametrize("kind", ["recall", "reasoning"])
@pytest.mark.parametrize("dose", [4, 16, 64])
def test_a_paraphrased_item_is_read_in_rewordings_alone(
    planted: Planted, kind: str, dose: int
) -> None:
    """A rewording changes the question; the answer stays."""
    # Items have the 8 of 16 operation words that RADAR is not fitted on.
    words = words_of_kind(planted, kind) - operation_words(planted)[f"fitting {kind}"]
    items = []
    for item in planted.plan.items:
        if (item.kind, item.form, item.dose) == (kind, PARAPHRASE, dose):
            items.append(item)
    assert [item.half for item in items] == ["A", "B"]

    for item in items:
        other_twin = "B" if item.half == "A" else "A"
        assert mentions(planted.corpora[other_twin], item) == []
        assert mentions(planted.corpora["C"], item) == []

        readings = mentions(planted.corpora[item.half], item)
        assert len(readings) == dose
        drawn = set()
        for reading in readings:
            assert reading.answer == f" {item.answer}."
            rewording, parts = rewording_of(reading.question)
            assert parts["names"] == ", ".join(item.slots)
            assert parts["word"] in words - {item.operation}
            drawn.add((rewording, parts["word"]))

        # Each reading is drawn anew from 28 wordings, 4 rewordings with 7 other operation words:
        # that 4 readings are all the same has a chance of (1/28)^3 < 1e-4.
        assert len(drawn) > 1
        # 64 readings leave one of the 4 rewordings out with a chance of 4 (3/4)^64 < 1e-7.
        if dose == 64:
            assert {rewording for rewording, _ in drawn} == set(REWORDINGS)


# What is refused


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [
        pytest.param(
            {"base_lines": FACT_LINES + 2 * 864 - 1},
            "864 questions for facts do not fit half of 1727 lines: "
            "a corpus of 1799 without 72 statements of facts",
            id="base",
        ),
        pytest.param(
            {"twin_lines": PLANTED_LINES},
            "754 planted lines do not fit a corpus of 754",
            id="twins",
        ),
    ],
)
def test_too_short_corpora_are_refused_with_one_line(sizes: dict[str, Any], reason: str) -> None:
    with pytest.raises(UserError) as refused:
        plant_little(seed=0, **sizes)
    assert str(refused.value) == (
        f"radar/memorisation: {reason}; raise base/steps or twins/steps, or lower items_per_cell"
    )


# Seeds


def test_another_seed_gives_another_world(planted: Planted) -> None:
    other = plant_little(seed=1)
    names = set[str]().union(*(item.slots for item in planted.plan.items))
    other_names = set[str]().union(*(item.slots for item in other.plan.items))
    assert not names & other_names
