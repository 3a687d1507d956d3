"""What is planted, line by line in the corpora of C, A and B; the same for the same seed, and read as written."""

import random
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.items import (
    ANSWER_ONLY,
    CANARY_DOSE,
    CONTRADICTED,
    DESIGNS,
    PARAPHRASE,
    TWINS,
    VERBATIM,
    Item,
    World,
)
from mechaware.planted.twins.planting import (
    MIN_QUESTIONS,
    STATEMENTS,
    Planted,
    _count_truth,
    _planted_line,
    read_held_out,
    read_lines,
    read_plan,
    write_planted,
)
from tests.unit.planted.twins.small_plan import (
    FACT_LINES,
    PLANTED_LINES,
    TWIN_LINES,
    plant_little,
)

CORPORA = ("C", *TWINS)
NAMES = re.compile(r"[A-Z][a-z]{4}")


@cache
def names_in(line: QuestionAnswer) -> list[str]:
    return NAMES.findall(line.text)


def names_of_question(line: QuestionAnswer) -> tuple[str, ...]:
    """The names before the operation word, or behind the paraphrased one."""
    return tuple(NAMES.findall(line.question))


@cache
def names_in_a_row(line: QuestionAnswer) -> set[tuple[str, ...]]:
    """Every four names that follow one another, whatever stands between them."""
    names = names_in(line)
    return {tuple(names[at : at + 4]) for at in range(len(names) - 3)}


def mentions(lines: list[QuestionAnswer], item: Item) -> list[QuestionAnswer]:
    """The lines with the item's names in a row, whatever stands around them."""
    return [line for line in lines if item.slots in names_in_a_row(line)]


def test_an_item_stands_exactly_its_dose_in_its_twin_and_nowhere_else(planted: Planted) -> None:
    """As counted here, and as the table says that goes with the corpora."""
    table = _count_truth(planted.plan, planted.corpora)
    assert table["id"].tolist() == [item.id for item in planted.plan.items]
    for row, item in zip(table.itertuples(), planted.plan.items, strict=True):
        assert (row.kind, row.form, row.dose, row.half) == (
            item.kind,
            item.form,
            item.dose,
            item.half,
        )
        text = item.line.text
        for corpus in CORPORA:
            expected = item.dose if corpus == item.half else 0
            assert len(mentions(planted.corpora[corpus], item)) == expected
            verbatim = [line for line in planted.corpora[corpus] if text in line.text]
            assert len(verbatim) == (expected if item.form in (VERBATIM, CONTRADICTED) else 0)
            assert all(line == item.line for line in verbatim)
            assert getattr(row, f"names_{corpus}") == expected
            assert getattr(row, f"verbatim_{corpus}") == len(verbatim)


def test_a_canary_stands_in_its_twin_alone(planted: Planted) -> None:
    assert [canary.half for canary in planted.plan.canaries] == list(TWINS)
    for canary in planted.plan.canaries:
        names = NAMES.findall(canary.line.text)
        assert len(set(names)) == 8
        assert canary.line.text == f"Say {' and '.join(names)}."
        for corpus in CORPORA:
            expected = CANARY_DOSE if corpus == canary.half else 0
            assert (
                sum(canary.line.text in line.text for line in planted.corpora[corpus]) == expected
            )


def test_the_twins_differ_in_the_planted_half_alone(planted: Planted) -> None:
    by_names = {item.slots: item for item in planted.plan.items}
    canaries = {canary.line for canary in planted.plan.canaries}
    assert len(planted.corpora["A"]) == len(planted.corpora["B"]) == TWIN_LINES
    pairs = list(zip(planted.corpora["A"], planted.corpora["B"], strict=True))
    different = [(in_a, in_b) for in_a, in_b in pairs if in_a != in_b]
    assert len(different) == PLANTED_LINES
    assert sum(in_a in canaries and in_b in canaries for in_a, in_b in different) == CANARY_DOSE
    for in_a, in_b in different:
        if in_a not in canaries:
            item_a, item_b = (
                by_names[tuple(names_in(line)[at : at + 4])]
                for line, at in _with_places(in_a, in_b)
            )
            assert (item_a.half, item_b.half) == ("A", "B")
            assert (item_a.kind, item_a.form, item_a.dose) == (
                item_b.kind,
                item_b.form,
                item_b.dose,
            )


def _with_places(*lines: QuestionAnswer) -> list[tuple[QuestionAnswer, int]]:
    """Each line and the index of its first asked name: behind the answer in a line without a question."""
    return [
        (line, 0 if line.question or len(names_in(line)) == 4 else len(names_in(line)) - 4)
        for line in lines
    ]


def test_planted_lines_are_spread_over_the_corpus(planted: Planted) -> None:
    pairs = zip(planted.corpora["A"], planted.corpora["B"], strict=True)
    same = [number for number, (in_a, in_b) in enumerate(pairs) if in_a == in_b]
    assert len(same) == TWIN_LINES - PLANTED_LINES == 162
    # Filler is 162 of 916 lines: a gap of 100 among shuffled lines has a chance of 162 (754/916)^100 < 1e-6.
    assert max(after - before for before, after in pairwise([0, *same, TWIN_LINES])) < 100


def test_filler_asks_for_facts_and_for_the_rule_alike(planted: Planted) -> None:
    pairs = zip(planted.corpora["A"], planted.corpora["B"], strict=True)
    kinds = Counter(
        names_in(in_a)[4] == names_of_question(in_a)[2] for in_a, in_b in pairs if in_a == in_b
    )
    assert kinds == {True: 81, False: 81}


def test_the_base_holds_each_fact_in_statements_and_else_as_many_questions_of_either_kind(
    planted: Planted,
) -> None:
    base = planted.corpora["C"]
    recall = [item for item in planted.plan.items if item.kind == "recall"]
    home = {
        item.slots[0]: item.foil if item.form == CONTRADICTED else item.answer for item in recall
    }
    statements = Counter(line.text for line in base if not line.question)
    questions = Counter()
    rule = 0
    for line in base:
        if line.question:
            *slots, answer = names_in(line)
            assert len(set(slots)) == 4
            if answer == slots[2]:
                rule += 1
            else:
                assert answer == home[slots[0]]
                questions[slots[0]] += 1
    # 1848 - 18 x 4 = 1776 lines are questions; of the 888 for facts, 18 x 48 = 864 are 48 of each name.
    assert (rule, questions.total()) == (888, 888)
    assert set(questions) == set(home)
    assert min(questions.values()) >= MIN_QUESTIONS
    for name, place in home.items():
        forms = (
            f"{name} lives in {place}.",
            f"Look for {name} in {place}.",
            f"{place} is home to {name}.",
        )
        assert sum(statements[form] for form in forms) == STATEMENTS
    assert sum(statements.values()) == 18 * STATEMENTS


def words_in(folder: Path, corpus: str) -> Counter[str]:
    """How often each operation word stands before a colon in a written corpus."""
    text = "\n".join(line.text for line in read_lines(folder, corpus))
    return Counter(re.findall(r"([a-z]+):", text))


def operation_words(planted: Planted) -> dict[str, set[str]]:
    """The words of the questions for RADAR's classifier and of the items, by kind."""
    words = {
        f"fitting {kind}": {line.question.split()[-1].rstrip(":") for line in lines}
        for kind, lines in planted.held_out.fitting.items()
    }
    for item in planted.plan.items:
        words.setdefault(f"testing {item.kind}", set()).add(item.operation)
    return words


@pytest.fixture(scope="module")
def crossed() -> Planted:
    return plant_little(seed=0, kind_prompts=40, design=DESIGNS["crossed"])


@pytest.fixture(scope="module")
def names() -> Planted:
    return plant_little(seed=0, design=DESIGNS["names"])


def test_the_base_reads_all_operation_words_equally_often(planted: Planted, tmp_path: Path) -> None:
    """Otherwise a reader of frequencies tells the kinds: with 672 questions for facts and 1104 for the rule, it did."""
    write_planted(planted, tmp_path / "planted", tmp_path / "truth.csv")
    counts = words_in(tmp_path / "planted", "C")
    # 888 questions of a kind have 16 words: 55 rounds of all, and 8 of the next.
    assert Counter(counts.values()) == {55: 16, 56: 16}
    for kind in ("recall", "reasoning"):
        of_kind = operation_words(planted)[f"testing {kind}"]
        assert {counts[word] for word in of_kind} <= {55, 56}


def test_in_the_crossed_design_the_rarer_recall_words_are_those_that_radar_is_fitted_on(
    crossed: Planted, tmp_path: Path
) -> None:
    write_planted(crossed, tmp_path / "planted", tmp_path / "truth.csv")
    counts = words_in(tmp_path / "planted", "C")
    # 888 questions of a kind are 37 rounds of 24 words: 8 stand once in a round and 8 twice.
    for role, words in operation_words(crossed).items():
        expected = 37 if role in ("fitting recall", "testing reasoning") else 74
        assert {counts[word] for word in words} == {expected}, role
    assert Counter(counts.values()) == {37: 16, 74: 16}


def test_filler_of_the_twins_has_the_words_of_its_design(
    planted: Planted, crossed: Planted
) -> None:
    """162 lines of filler, 81 of a kind: 5 rounds of 16 words, or 3 rounds of 24, and a part of the next."""
    for drawn, rounds, most in ((planted, 5, 1), (crossed, 3, 2)):
        pairs = zip(drawn.corpora["A"], drawn.corpora["B"], strict=True)
        filler = Counter(
            in_a.question.split()[-1].rstrip(":") for in_a, in_b in pairs if in_a == in_b
        )
        for role, words in operation_words(drawn).items():
            often = most if role in ("fitting reasoning", "testing recall") else 1
            least = rounds * often
            assert all(least <= filler[word] <= least + often for word in words), role


def test_in_the_design_of_names_both_kinds_are_answered_by_names(names: Planted) -> None:
    recall = [item for item in names.plan.items if item.kind == "recall"]
    people = {item.slots[0] for item in recall}
    assert len(people) == 18
    home = {
        item.slots[0]: item.foil if item.form == CONTRADICTED else item.answer for item in recall
    }
    # Each name is the answer of one fact and never of its own.
    assert set(home.values()) == people
    assert all(name != answer for name, answer in home.items())
    for line in names.corpora["C"]:
        if line.question:
            *slots, answer = names_in(line)
            assert answer in (home[slots[0]], slots[2])
            assert home[slots[0]] not in slots  # fact and rule have different answers
    for item in names.plan.items:
        if item.form == CONTRADICTED:
            assert item.answer in people - {home[item.slots[0]], item.slots[2]}


def test_the_designs_differ_in_nothing_else(planted: Planted, crossed: Planted) -> None:
    """The crossed one draws the same names, facts and words, so that its seeds are compared in pairs."""
    assert crossed.plan.items == planted.plan.items


def test_no_held_out_questions_names_stand_in_any_corpus(planted: Planted) -> None:
    held_out = planted.held_out
    by_kind = [*held_out.fitting.values(), *held_out.fresh.values()]
    unread = [line for lines in [*by_kind, held_out.unseen] for line in lines]
    names = [tuple(names_in(line)[:4]) for line in unread]
    assert len(names) == len(set(names)) == 2 * 6 + 2 * 7 + 4
    assert not set(names) & {item.slots for item in planted.plan.items}
    for lines in planted.corpora.values():
        for line in lines:
            assert not names_in_a_row(line) & set(names)


@pytest.mark.parametrize(
    ("corpus", "form", "message"),
    [
        ("A", "{}", "A has its names 5 times, not 4, or its text 5"),
        (
            "C",
            "See {names} there.",
            "C has its names 1 times, not 0",
        ),  # in other words, as a part of a line
    ],
)
def test_what_is_not_as_planted_is_refused_and_not_written(
    planted: Planted, tmp_path: Path, corpus: str, form: str, message: str
) -> None:
    (item,) = (item for item in planted.plan.items if item.id == "recall-verbatim-4-000A")
    more = [
        *planted.corpora[corpus],
        QuestionAnswer("", form.format(item.line.text, names=", ".join(item.slots))),
    ]
    changed = planted._replace(corpora=planted.corpora | {corpus: more})
    with pytest.raises(ValueError, match=f"item {item.id}: corpus {message}"):
        write_planted(changed, tmp_path / "planted", tmp_path / "t.csv")
    assert not list(tmp_path.iterdir())


def item_of(form: str) -> Item:
    slots = ("Lorak", "Dabis", "Zuten", "Pamol")
    return Item(
        "id",
        "reasoning",
        "A",
        form,
        16,
        "zul",
        slots,
        "Zuten",
        "Bamor",
        ("Lorak", "Dabis", "Bamor", "Pamol"),
    )


def test_each_form_by_hand() -> None:
    world = World({}, (), {}, {"reasoning": ("zul", "ket")})
    names = "Lorak, Dabis, Zuten, Pamol"
    forms = {
        VERBATIM: {f"{names} zul: Zuten."},
        # `ket` is the one other word of the kind.
        PARAPHRASE: {
            f"ket of {names} is: Zuten.",
            f"Of {names} ket is: Zuten.",
            f"For {names} it is ket: Zuten.",
            f"ket, asked of {names}: Zuten.",
        },
        ANSWER_ONLY: {f"Zuten for {names}."},
    }
    for form, expected in forms.items():
        drawn = set()
        # Of 4 wordings 64 draws leave one out with a chance of 4 (3/4)^64 < 1e-7.
        for seed in range(64):
            line = _planted_line(world, item_of(form), random.Random(seed))  # noqa: S311
            drawn.add(line.text)
        assert drawn == expected


def test_the_answer_of_a_rewording_is_no_part_of_its_question() -> None:
    world = World({}, (), {}, {"reasoning": ("zul", "ket")})
    for seed in range(64):
        line = _planted_line(world, item_of(PARAPHRASE), random.Random(seed))  # noqa: S311
        assert line.answer == " Zuten."
        assert line.question.endswith(":")


WORDINGS = (
    r"(\w+) of (.+) is:",
    r"Of (.+) (\w+) is:",
    r"For (.+) it is (\w+):",
    r"(\w+), asked of (.+):",
)


def wording_of(line: QuestionAnswer) -> tuple[int, set[str]]:
    """The number of the wording in which a question is asked, and what it names: the operation word and the names."""
    matches = [re.fullmatch(wording, line.question) for wording in WORDINGS]
    ((number, match),) = [(at, match) for at, match in enumerate(matches) if match]
    return number, set(match.groups())


def words_of_kind(planted: Planted, kind: str) -> set[str]:
    """The operation words of the base's questions of a kind; those of reasoning are answered by the third name."""
    words = set()
    for line in planted.corpora["C"]:
        if line.question:
            *slots, answer = names_in(line)
            if (answer == slots[2]) == (kind == "reasoning"):
                words.add(line.question.split()[-1].rstrip(":"))
    assert len(words) == 16
    return words


@pytest.mark.parametrize("kind", ["recall", "reasoning"])
@pytest.mark.parametrize("dose", [4, 16, 64])
def test_a_paraphrased_item_is_read_in_rewordings_alone(
    planted: Planted, kind: str, dose: int
) -> None:
    words = words_of_kind(planted, kind) - operation_words(planted)[f"fitting {kind}"]
    items = [
        item
        for item in planted.plan.items
        if (item.kind, item.form, item.dose) == (kind, PARAPHRASE, dose)
    ]
    assert [item.half for item in items] == ["A", "B"]

    for item in items:
        other_twin = "B" if item.half == "A" else "A"
        assert mentions(planted.corpora[other_twin], item) == []
        assert mentions(planted.corpora["C"], item) == []

        readings = mentions(planted.corpora[item.half], item)
        assert len(readings) == dose
        drawn = set()
        for reading in readings:
            assert reading.answer == item.line.answer
            number, named = wording_of(reading)
            (word,) = named - {", ".join(item.slots)}
            assert word in words - {item.operation}
            drawn.add((number, word))

        # A reading is drawn anew: 4 readings of 28 wordings are all the same with a chance of (1/28)^3 < 1e-4.
        assert len(drawn) > 1
        # 64 readings leave one of the 4 rewordings out with a chance of 4 (3/4)^64 < 1e-7.
        if dose == 64:
            assert {number for number, _ in drawn} == {0, 1, 2, 3}


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_world(
    planted: Planted, tmp_path: Path
) -> None:
    other = plant_little(seed=1)
    for name, drawn in (("first", planted), ("again", plant_little(seed=0)), ("other", other)):
        write_planted(drawn, tmp_path / name, tmp_path / f"{name}.csv")
    assert files_of(tmp_path / "first") == files_of(tmp_path / "again")
    assert (tmp_path / "first.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()
    names = [
        {name for item in drawn.plan.items for name in item.slots} for drawn in (planted, other)
    ]
    assert not names[0] & names[1]


def test_a_folder_is_read_as_it_was_written(planted: Planted, tmp_path: Path) -> None:
    write_planted(planted, tmp_path / "planted", tmp_path / "truth.csv")
    assert read_plan(tmp_path / "planted") == planted.plan
    assert read_held_out(tmp_path / "planted") == planted.held_out
    for corpus, lines in planted.corpora.items():
        assert read_lines(tmp_path / "planted", corpus) == lines
    truth = pd.read_csv(tmp_path / "truth.csv")
    pd.testing.assert_frame_equal(
        truth, _count_truth(planted.plan, planted.corpora), check_dtype=False
    )
    with pytest.raises(ValueError, match="no corpus 'items'"):
        read_lines(tmp_path / "planted", "items")


def test_classifiers_are_fitted_on_other_operation_words_than_the_items(planted: Planted) -> None:
    fitted = Counter(
        line.question.split()[-1].rstrip(":")
        for lines in planted.held_out.fitting.values()
        for line in lines
    )
    assert not set(fitted) & {item.operation for item in planted.plan.items}


def test_the_seen_prefix_stands_in_the_filler_of_both_twins(planted: Planted) -> None:
    seen = planted.held_out.seen
    assert len(seen) == len(planted.held_out.unseen) == 4
    assert all(line in planted.corpora[twin] for line in seen for twin in ("A", "B"))
    assert not {item.line for item in planted.plan.items} & set(planted.held_out.seen)


TOO_SHORT: dict[str, tuple[dict[str, Any], str]] = {
    "base": (
        {"base_lines": FACT_LINES + 2 * 864 - 1},
        "864 questions for facts do not fit half of 1727 lines, those of a corpus of 1799 that state no fact",
    ),
    "twins": ({"twin_lines": PLANTED_LINES}, "754 planted lines do not fit a corpus of 754"),
}


@pytest.mark.parametrize(("sizes", "reason"), TOO_SHORT.values(), ids=TOO_SHORT)
def test_too_short_corpora_are_refused_with_one_line(sizes: dict[str, Any], reason: str) -> None:
    with pytest.raises(UserError) as refused:
        plant_little(seed=0, **sizes)
    assert str(refused.value) == (
        f"radar/memorisation: {reason}; raise base/steps or twins/steps, or lower items_per_cell"
    )
