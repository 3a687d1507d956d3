"""A control that does not fit is refused in one line."""

import re
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.benchmark import Benchmark, BenchmarkItem
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.instruments.radar.verdicts.control import check_control


def benchmark(name: str, *texts: tuple[str, str], seen: bool | None = None) -> Benchmark:
    """A benchmark in the file `name` with these questions and answers."""
    items = (
        BenchmarkItem(f"{row}", QuestionAnswer(*text), seen, row)
        for row, text in enumerate(texts, start=2)
    )
    return Benchmark(Path(name), tuple(items))


ITEMS = benchmark("items.csv", *((f"Who is {name}?", " Ann.") for name in "abcdef"))
TWO = ("loss", "reference")
FITTING = [(f"Who is {name}?", " Bob.") for name in "ghij"]


def test_a_control_of_the_same_kind_is_accepted_from_the_smallest_number_on() -> None:
    """Of six and two items there are 28 splits, 2 / 28 > 0.05; of six and three 84, 2 / 84 < 0.05."""
    check_control(
        ITEMS,
        benchmark("control.csv", *FITTING[:3]),
        detectors=TWO,
        has_reference=True,
        significance=0.05,
    )


def test_a_smallest_p_that_equals_the_level_is_enough() -> None:
    """Of three and three items there are 20 splits: one of them has p = 0.05."""
    items = ITEMS._replace(items=ITEMS.items[:3])
    control = benchmark("control.csv", *FITTING[:3])
    check_control(items, control, detectors=["loss"], has_reference=False, significance=0.05)


def test_a_control_may_be_shorter_in_four_of_five_pairs_and_not_in_more() -> None:
    """Names of items have 7 to 12 letters. A name of 1 letter is shorter in 5 of 5 pairs, of 9 letters in 3 of 5.

    Together these are 8 of 10. A name of 7 letters is shorter in 4 of 5, with a tie: with the first, 9.5 of 10.
    """
    items = benchmark(
        "items.csv", *((f"Who is {'a' * letters}?", " Ann.") for letters in (7, 8, 10, 11, 12))
    )
    shortest = ("Who is b?", " Bob.")
    control = benchmark("control.csv", shortest, (f"Who is {'b' * 9}?", " Bob."))
    check_control(items, control, detectors=["loss"], has_reference=False, significance=0.05)
    shorter = benchmark("control.csv", shortest, (f"Who is {'b' * 7}?", " Bob."))
    with pytest.raises(UserError, match="longer than one of the control in 95% of pairs"):
        check_control(items, shorter, detectors=["loss"], has_reference=False, significance=0.05)


def test_a_detector_without_its_evidence_needs_no_items() -> None:
    """With a reference model there are two tests, and of three and four items 35 splits: 2 / 35 > 0.05."""
    items = ITEMS._replace(items=ITEMS.items[:3])
    control = benchmark("control.csv", *FITTING[:3])
    check_control(items, control, detectors=TWO, has_reference=False, significance=0.05)
    with pytest.raises(UserError, match="3 items; give 5 or more"):
        check_control(items, control, detectors=TWO, has_reference=True, significance=0.05)


@pytest.mark.parametrize(
    ("items", "control", "message"),
    [
        (
            [("", f"{name} is it.") for name in "abcdef"],
            [("Is", f" {name} it.") for name in "ghij"],
            "100% of the items have a text in 'question', 0% of those of items.csv",
        ),
        (
            [(f"Who on earth is {name}?", " Ann.") for name in "abcdef"],
            FITTING,
            "longer than one of the control in 100% of pairs",
        ),
    ],
)
def test_a_control_that_differs_in_the_other_direction_is_refused(
    items: list[tuple[str, str]], control: list[tuple[str, str]], message: str
) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        check_control(
            benchmark("items.csv", *items),
            benchmark("control.csv", *control),
            detectors=["loss"],
            has_reference=False,
            significance=0.05,
        )


@pytest.mark.parametrize(
    ("texts", "seen", "message"),
    [
        ([*FITTING, ("who is  A?", " ann.")], None, "row 6: also an item of items.csv, as are 1 of 5 items"),
        (FITTING, False, "control.csv: a column seen; no item of a control may have been seen"),
        (FITTING[:2], None, "2 items; give 3 or more: against 6 items of the benchmark and with 2 detectors"),
        ([("", "Who is it? Bob."), ("", "Who is h? Bob."), ("", "Who is i? Bob.")], None,
         "0% of the items have a text in 'question', 100% of those of items.csv; give a control of the same kind"),
        ([(f"Who on earth is {name}?", " Bob.") for name in "ghi"], None,
         "an item of items.csv is longer than one of the control in 0% of pairs (50% if lengths fit, 80% at most and"),
    ],
)  # fmt: skip
def test_a_control_that_does_not_fit_is_refused(
    texts: list[tuple[str, str]], seen: bool | None, message: str
) -> None:
    with pytest.raises(UserError, match=re.escape(message)) as caught:
        check_control(
            ITEMS,
            benchmark("control.csv", *texts, seen=seen),
            detectors=TWO,
            has_reference=True,
            significance=0.05,
        )
    assert "\n" not in str(caught.value)


def test_an_id_of_the_controls_form_and_detectors_without_evidence_are_refused() -> None:
    control = benchmark("control.csv", *FITTING)
    item = BenchmarkItem("control/a", QuestionAnswer("Who is z?", " Ann."), None, 8)
    with pytest.raises(
        UserError,
        match=r"^items.csv, row 8: id control/a: an item's id must not begin with control/, .*; rename it$",
    ):
        check_control(
            ITEMS._replace(items=(*ITEMS.items, item)),
            control,
            detectors=TWO,
            has_reference=False,
            significance=0.05,
        )
    with pytest.raises(UserError, match=r"none of these detectors can score .*; add loss, "):
        check_control(ITEMS, control, detectors=TWO[1:], has_reference=False, significance=0.05)


@pytest.mark.parametrize(
    ("items", "control", "named"),
    [
        ({"question"}, {"arguments"}, ("'arguments'", "'question'")),
        ({"passage,question"}, {"question"}, ("'question'", "'passage,question'")),
        ({"arguments"}, {"input"}, ("'input'", "'arguments'")),
        ({"goal", "question"}, {"question"}, ("'question'", "'goal' and 'question'")),
    ],
)
def test_a_control_whose_questions_come_from_other_fields_is_refused(
    items: set[str], control: set[str], named: tuple[str, str]
) -> None:
    with pytest.raises(UserError) as caught:
        check_control(
            ITEMS._replace(path=Path("a.jsonl"), question_from=frozenset(items)),
            benchmark("b.jsonl", *FITTING)._replace(question_from=frozenset(control)),
            detectors=["loss"],
            has_reference=False,
            significance=0.05,
        )
    assert str(caught.value) == (
        f"b.jsonl: the questions are read from {named[0]}, those of a.jsonl from {named[1]}; read both alike by "
        "mechaware.read_log(path, question=...), for instance 'arguments', the whole prompt, and give the tables as "
        ".parquet"
    )


@pytest.mark.parametrize(
    ("items", "control"),
    [
        ({"question"}, {"question"}),
        ({"question"}, {"input"}),  # Inspect's
        ({"arguments"}, set()),  # a table
        (set(), {"arguments"}),
    ],
)
def test_a_control_whose_questions_are_read_alike_is_accepted(
    items: set[str], control: set[str]
) -> None:
    check_control(
        ITEMS._replace(question_from=frozenset(items)),
        benchmark("control", *FITTING)._replace(question_from=frozenset(control)),
        detectors=["loss"],
        has_reference=False,
        significance=0.05,
    )
