"""Designs of the planted corpora: how frequent operation words are,
and what answers a question for a fact.
"""

from collections import Counter
from pathlib import Path

import pytest

from mechaware.planted.twins.items import CONTRADICTED
from mechaware.planted.twins.planted_files import read_lines, write_planted
from mechaware.planted.twins.planting import Planted
from mechaware.planted.twins.world import DESIGNS
from tests.unit.planted.twins.planted_lines import (
    filler_of,
    names_in,
    operation_word,
    operation_words,
    questions_in,
)
from tests.unit.planted.twins.small_plan import plant_little


@pytest.fixture(scope="module")
def crossed() -> Planted:
    # So many that every fitting word is in one: `operation_words` reads them from these questions.
    return plant_little(seed=0, kind_prompts=40, design=DESIGNS["crossed"])


@pytest.fixture(scope="module")
def names() -> Planted:
    return plant_little(seed=0, design=DESIGNS["names"])


# How frequent the operation words are


def count_words_of_the_base(planted: Planted, folder: Path) -> Counter[str]:
    """How many questions of the base, as it is written, have each operation word."""
    write_planted(planted, folder / "planted", folder / "truth.csv")
    questions = questions_in(read_lines(folder / "planted", "C"))
    return Counter(operation_word(line) for line in questions)


def test_the_base_reads_all_operation_words_equally_often(planted: Planted, tmp_path: Path) -> None:
    """Otherwise a reader of frequencies tells the kinds:
    with 672 questions for facts and 1104 for the rule it did.
    """
    counts = count_words_of_the_base(planted, tmp_path)
    # 888 questions of a kind have 16 words: 55 rounds of all, and 8 of the next.
    assert Counter(counts.values()) == {55: 16, 56: 16}


def test_in_the_crossed_design_the_rarer_recall_words_are_those_that_radar_is_fitted_on(
    crossed: Planted, tmp_path: Path
) -> None:
    counts = count_words_of_the_base(crossed, tmp_path)
    words = operation_words(crossed)
    # 888 questions of a kind are 37 rounds of 24 words: 8 come once in a round and 8 twice.
    for word in words["fitting recall"] | words["testing reasoning"]:
        assert counts[word] == 37
    for word in words["fitting reasoning"] | words["testing recall"]:
        assert counts[word] == 74
    assert Counter(counts.values()) == {37: 16, 74: 16}


def test_filler_of_the_twins_has_all_words_equally_often(planted: Planted) -> None:
    """81 questions of a kind have 16 words: 5 rounds of all, and one word of the next."""
    counts = Counter(operation_word(line) for line in filler_of(planted))
    assert Counter(counts.values()) == {5: 30, 6: 2}


def test_filler_of_the_twins_in_the_crossed_design_has_the_frequent_words_twice_as_often(
    crossed: Planted,
) -> None:
    """81 questions of a kind are 3 rounds of 24 words, and a part of the next."""
    counts = Counter(operation_word(line) for line in filler_of(crossed))
    words = operation_words(crossed)
    for word in words["fitting recall"] | words["testing reasoning"]:
        assert 3 <= counts[word] <= 4
    for word in words["fitting reasoning"] | words["testing recall"]:
        assert 6 <= counts[word] <= 8


def test_the_crossed_design_has_the_items_canaries_and_held_out_questions_of_the_default_one(
    planted: Planted,
) -> None:
    """So both designs are compared in pairs of one seed."""
    crossed = plant_little(seed=0, design=DESIGNS["crossed"])
    assert crossed.plan == planted.plan
    for name in ("fitting", "fresh", "unseen"):
        assert getattr(crossed.held_out, name) == getattr(planted.held_out, name)


# What a fact is


def test_in_the_design_of_names_both_kinds_are_answered_by_names(names: Planted) -> None:
    recall = [item for item in names.plan.items if item.kind == "recall"]
    people = {item.slots[0] for item in recall}
    assert len(people) == 18

    # Each name is the answer of one fact and never of its own.
    homes = {}
    for item in recall:
        homes[item.slots[0]] = item.foil if item.form == CONTRADICTED else item.answer
    assert set(homes.values()) == people
    for name, home in homes.items():
        assert name != home

    for line in questions_in(names.corpora["C"]):
        *slots, answer = names_in(line)
        assert answer in (homes[slots[0]], slots[2])
        assert homes[slots[0]] not in slots  # fact and rule have different answers

    for item in names.plan.items:
        if item.form == CONTRADICTED:
            assert item.answer in people - {homes[item.slots[0]], item.slots[2]}
