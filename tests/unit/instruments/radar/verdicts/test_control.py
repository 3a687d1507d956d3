"""A control that does not fit its benchmark is refused in one line; a fitting one is accepted."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.benchmark import Benchmark, BenchmarkItem
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.instruments.radar.verdicts.control import check_control

Texts = Sequence[tuple[str, str]]  # questions and answers


def make_benchmark(name: str, texts: Texts, seen: bool | None = None) -> Benchmark:
    """A benchmark in the file `name` with these questions and answers, from row 2 on."""
    items = []
    for row, (question, answer) in enumerate(texts, start=2):
        items.append(BenchmarkItem(str(row), QuestionAnswer(question, answer), seen, row))
    return Benchmark(Path(name), tuple(items))


def check(
    items: Benchmark,
    control: Benchmark,
    detectors: Sequence[str] = ("loss",),
    *,
    has_reference: bool = False,
) -> None:
    """The check at the level 0.05."""
    check_control(
        items, control, detectors=detectors, has_reference=has_reference, significance=0.05
    )


ITEM_TEXTS = [(f"Who is {name}?", " Ann.") for name in "abcdef"]
CONTROL_TEXTS = [(f"Who is {name}?", " Bob.") for name in "ghij"]
SIX_ITEMS = make_benchmark("items.csv", ITEM_TEXTS)
THREE_ITEMS = make_benchmark("items.csv", ITEM_TEXTS[:3])
THREE_CONTROLS = make_benchmark("control.csv", CONTROL_TEXTS[:3])
FOUR_CONTROLS = make_benchmark("control.csv", CONTROL_TEXTS)
TWO_DETECTORS = ("loss", "reference")


def test_a_control_of_the_same_kind_is_accepted_from_the_smallest_number_on() -> None:
    """Two tests at 0.05 need more than 40 splits.

    Of six and two items there are 28 splits, 2 / 28 > 0.05; of six and three 84, 2 / 84 < 0.05.
    """
    check(SIX_ITEMS, THREE_CONTROLS, TWO_DETECTORS, has_reference=True)

    two_controls = make_benchmark("control.csv", CONTROL_TEXTS[:2])
    message = "2 items; give 3 or more: against 6 items of the benchmark and with 2 detectors"
    with pytest.raises(UserError, match=message) as caught:
        check(SIX_ITEMS, two_controls, TWO_DETECTORS, has_reference=True)
    assert "\n" not in str(caught.value)


def test_a_smallest_p_that_equals_the_level_is_enough() -> None:
    """Of three and three items there are 20 splits: one of them has p = 0.05."""
    check(THREE_ITEMS, THREE_CONTROLS)


def test_the_reference_counts_as_a_test_only_with_a_reference_model() -> None:
    """With a reference model there are two tests.

    Of three and four items there are 35 splits, 2 / 35 > 0.05; of three and five 56, 2 / 56 < 0.05.
    """
    check(THREE_ITEMS, THREE_CONTROLS, TWO_DETECTORS, has_reference=False)
    with pytest.raises(UserError, match="3 items; give 5 or more"):
        check(THREE_ITEMS, THREE_CONTROLS, TWO_DETECTORS, has_reference=True)


def names_of_lengths(name: str, letter: str, lengths: Sequence[int]) -> Benchmark:
    return make_benchmark(name, [(f"Who is {letter * length}?", " Ann.") for length in lengths])


def test_a_control_may_be_shorter_in_four_of_five_pairs_and_not_in_more() -> None:
    """The items have names of 7, 8, 10, 11 and 12 letters, each control a name of its own.

    A name of 1 letter is shorter in 5 of 5 pairs, a name of 9 letters in 3 of 5: together 8 of 10.
    A name of 7 letters is shorter in 4 of 5 and ties in one, which counts half: with the name of 1
    letter, 9.5 of 10.
    """
    items = names_of_lengths("items.csv", "a", [7, 8, 10, 11, 12])
    check(items, names_of_lengths("control.csv", "b", [1, 9]))
    with pytest.raises(UserError, match="longer than one of the control in 95% of pairs"):
        check(items, names_of_lengths("control.csv", "b", [1, 7]))


class UnfitPair(NamedTuple):
    """The texts of a benchmark and of its control, and what the refusal says."""

    items: Texts
    control: Texts
    message: str


UNFIT_PAIRS = {
    "an item is repeated": UnfitPair(
        ITEM_TEXTS,
        [*CONTROL_TEXTS, ("who is  A?", " ann.")],
        "row 6: also an item of items.csv, as are 1 of 5 items",
    ),
    "items have questions, controls have none": UnfitPair(
        ITEM_TEXTS,
        [("", "Who is it? Bob."), ("", "Who is h? Bob."), ("", "Who is i? Bob.")],
        "0% of the items have a text in 'question', 100% of those of items.csv; "
        "give a control of the same kind",
    ),
    "controls have questions, items have none": UnfitPair(
        [("", f"{name} is it.") for name in "abcdef"],
        [("Is", f" {name} it.") for name in "ghij"],
        "100% of the items have a text in 'question', 0% of those of items.csv",
    ),
    "controls are longer": UnfitPair(
        ITEM_TEXTS,
        [(f"Who on earth is {name}?", " Bob.") for name in "ghi"],
        "an item of items.csv is longer than one of the control in 0% of pairs "
        "(50% if lengths fit, 80% at most and",
    ),
    "items are longer": UnfitPair(
        [(f"Who on earth is {name}?", " Ann.") for name in "abcdef"],
        CONTROL_TEXTS,
        "longer than one of the control in 100% of pairs",
    ),
}


@pytest.mark.parametrize("case", UNFIT_PAIRS.values(), ids=UNFIT_PAIRS)
def test_a_control_that_does_not_fit_is_refused_in_one_line(case: UnfitPair) -> None:
    items = make_benchmark("items.csv", case.items)
    control = make_benchmark("control.csv", case.control)
    with pytest.raises(UserError, match=re.escape(case.message)) as caught:
        check(items, control, TWO_DETECTORS, has_reference=True)
    assert "\n" not in str(caught.value)


def test_a_control_of_which_the_truth_is_known_is_refused() -> None:
    control = make_benchmark("control.csv", CONTROL_TEXTS, seen=False)
    message = r"control\.csv: a column seen; no item of a control may have been seen"
    with pytest.raises(UserError, match=message) as caught:
        check(SIX_ITEMS, control, TWO_DETECTORS, has_reference=True)
    assert "\n" not in str(caught.value)


def test_an_item_with_an_id_of_the_form_of_a_controls_is_refused() -> None:
    item = BenchmarkItem("control/a", QuestionAnswer("Who is z?", " Ann."), None, 8)
    items = SIX_ITEMS._replace(items=(*SIX_ITEMS.items, item))
    with pytest.raises(
        UserError,
        match=r"^items.csv, row 8: id control/a: "
        r"an item's id must not begin with control/, .*; rename it$",
    ):
        check(items, FOUR_CONTROLS, TWO_DETECTORS)


def test_detectors_that_all_lack_their_evidence_are_refused() -> None:
    with pytest.raises(UserError, match=r"none of these detectors can score .*; add loss, "):
        check(SIX_ITEMS, FOUR_CONTROLS, ["reference"], has_reference=False)


@pytest.mark.parametrize(
    ("item_fields", "control_fields", "named_items", "named_control"),
    [
        ({"question"}, {"arguments"}, "'question'", "'arguments'"),
        ({"passage,question"}, {"question"}, "'passage,question'", "'question'"),
        ({"arguments"}, {"input"}, "'arguments'", "'input'"),
        ({"goal", "question"}, {"question"}, "'goal' and 'question'", "'question'"),
    ],
)
def test_a_control_whose_questions_come_from_other_fields_is_refused(
    item_fields: set[str], control_fields: set[str], named_items: str, named_control: str
) -> None:
    items = SIX_ITEMS._replace(path=Path("a.jsonl"), question_from=frozenset(item_fields))
    control = FOUR_CONTROLS._replace(path=Path("b.jsonl"), question_from=frozenset(control_fields))
    with pytest.raises(UserError) as caught:
        check(items, control)
    assert str(caught.value) == (
        f"b.jsonl: the questions are read from {named_control}, "
        f"those of a.jsonl from {named_items}; "
        "read both alike by mechaware.read_log(path, question=...), "
        "for instance 'arguments', the whole prompt, and give the tables as .parquet"
    )


@pytest.mark.parametrize(
    ("item_fields", "control_fields"),
    [
        ({"question"}, {"question"}),
        ({"question"}, {"input"}),
        ({"arguments"}, set()),
        (set(), {"arguments"}),
    ],
    ids=["the same field", "a log of Inspect", "a table as control", "a table of items"],
)
def test_a_control_whose_questions_are_read_alike_is_accepted(
    item_fields: set[str], control_fields: set[str]
) -> None:
    check(
        SIX_ITEMS._replace(question_from=frozenset(item_fields)),
        FOUR_CONTROLS._replace(question_from=frozenset(control_fields)),
    )


def test_a_control_may_lack_questions_in_half_of_its_items_and_not_in_more() -> None:
    """All six items have a question; the texts of the controls without one are as long."""
    without = [("", "Who is i? Bob."), ("", "Who is j? Bob."), ("", "Who is k? Bob.")]
    check(SIX_ITEMS, make_benchmark("control.csv", [*CONTROL_TEXTS[:2], *without[:2]]))

    mostly_without = make_benchmark("control.csv", [*CONTROL_TEXTS[:2], *without])
    with pytest.raises(UserError, match="40% of the items have a text in 'question', 100% of"):
        check(SIX_ITEMS, mostly_without)
