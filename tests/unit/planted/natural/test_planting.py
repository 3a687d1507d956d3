"""Natural texts are planted in one twin each, as often as their dose, among filler of both."""

from collections import Counter
from pathlib import Path

import pytest

from mechaware.core.errors import UserError
from mechaware.planted.natural.corpus import Passage
from mechaware.planted.natural.planting import (
    DOSES,
    PlantedTexts,
    draw_unread,
    plant_new_texts,
    plant_texts,
    read_planted_texts,
    write_planted_texts,
)
from mechaware.planted.twins.items import TWINS


def passages_of(package: str, letter: str, n_passages: int) -> list[Passage]:
    """Passages that grow by one character each: "a xxxxxxxxxx 10",
    "a xxxxxxxxxxx 11", and so on.
    """
    lengths = range(10, 10 + n_passages)
    return [Passage(package, f"{package} {letter * length} {length}") for length in lengths]


# Two packages, each with five blocks of 8 passages: one for each of 4 doses and 2 twins.
PASSAGES = passages_of("a", "x", 40) + passages_of("b", "x", 40)
# Three items of each dose are 3 x (1 + 4 + 16 + 64) = 255 of a twin's 300 lines.
PER_DOSE = 3
TWIN_LINES = 300


@pytest.fixture(scope="module")
def planted() -> PlantedTexts:
    return plant_texts(PASSAGES, per_dose=PER_DOSE, base_lines=100, twin_lines=TWIN_LINES, seed=4)


def test_each_twin_has_as_many_items_of_each_dose(planted: PlantedTexts) -> None:
    counts = Counter((item.half, item.dose) for item in planted.items)
    assert counts == {(half, dose): PER_DOSE for half in TWINS for dose in DOSES}


def test_an_item_is_read_by_its_twin_as_often_as_its_dose_and_by_no_other_model(
    planted: PlantedTexts,
) -> None:
    for item in planted.items:
        for name, texts in planted.corpora.items():
            expected = item.dose if name == item.half else 0
            assert texts.count(item.text) == expected


def block_of(name: str) -> str:
    """The number of an item's block: 002 of `4-002A`."""
    _, number = name.split("-")
    return number[:-1]


def test_halves_and_doses_do_not_differ_in_package_or_length(planted: PlantedTexts) -> None:
    """A block has a passage for each dose and twin,
    all of one package and of 8 adjacent lengths.
    """
    for number in range(PER_DOSE):
        block = [item for item in planted.items if block_of(item.id) == f"{number:03d}"]
        assert len(block) == 2 * len(DOSES)
        assert len({item.package for item in block}) == 1
        lengths = sorted(len(item.text) for item in block)
        assert lengths == list(range(lengths[0], lengths[0] + 8))


def test_the_twins_read_the_same_filler_at_the_same_places(planted: PlantedTexts) -> None:
    items = {item.text: item for item in planted.items}
    corpus_of_a = planted.corpora["A"]
    corpus_of_b = planted.corpora["B"]
    assert len(corpus_of_a) == len(corpus_of_b) == TWIN_LINES
    for in_a, in_b in zip(corpus_of_a, corpus_of_b, strict=True):
        if in_a in items or in_b in items:
            assert items[in_a].dose == items[in_b].dose
            assert (items[in_a].half, items[in_b].half) == ("A", "B")
        else:
            assert in_a == in_b


def test_the_base_reads_neither_items_nor_filler_nor_the_unseen_prefix(
    planted: PlantedTexts,
) -> None:
    read_by_base = set(planted.corpora["C"])
    read_by_a = set(planted.corpora["A"])
    read_by_b = set(planted.corpora["B"])
    assert len(planted.corpora["C"]) == 100
    assert not read_by_base & read_by_a
    assert not read_by_base & read_by_b
    assert len(planted.unseen) == 2
    assert not read_by_base & set(planted.unseen)


def test_no_twin_reads_the_unseen_prefix_and_both_read_the_seen_one(
    planted: PlantedTexts,
) -> None:
    assert len(planted.unseen) == len(planted.seen) == 2
    for twin in TWINS:
        read_by_twin = set(planted.corpora[twin])
        assert not read_by_twin & set(planted.unseen)
        assert set(planted.seen) <= read_by_twin


def test_another_seed_draws_other_items(planted: PlantedTexts) -> None:
    other = plant_texts(PASSAGES, per_dose=PER_DOSE, base_lines=100, twin_lines=TWIN_LINES, seed=5)
    assert {item.text for item in other.items} != {item.text for item in planted.items}


def test_planted_texts_are_read_as_they_were_written(planted: PlantedTexts, tmp_path: Path) -> None:
    write_planted_texts(planted, tmp_path / "planted")
    assert read_planted_texts(tmp_path / "planted") == planted


@pytest.mark.parametrize(
    ("per_dose", "twin_lines", "message"),
    [
        pytest.param(
            6,
            1000,  # more than the 6 x 85 = 510 planted lines
            "6 items per dose need twice as many blocks of 8 passages, and there are 10",
            id="too few passages",
        ),
        pytest.param(
            3,
            256,  # 255 planted lines and 2 lines of a prefix would be 257
            "255 planted lines do not fit a corpus of 256; raise twin_steps",
            id="a short corpus",
        ),
    ],
)
def test_more_items_than_fit_are_refused(per_dose: int, twin_lines: int, message: str) -> None:
    with pytest.raises(UserError, match=message):
        plant_texts(PASSAGES, per_dose=per_dose, base_lines=9, twin_lines=twin_lines, seed=0)


def test_items_may_come_from_half_of_all_blocks() -> None:
    """Of ten blocks, five give an item of each of four doses to each of two twins."""
    planted = plant_texts(PASSAGES, per_dose=5, base_lines=9, twin_lines=1000, seed=0)
    assert len(planted.items) == 5 * 4 * 2


NEW = passages_of("c", "y", 36) + passages_of("d", "y", 36)


@pytest.fixture(scope="module")
def new_texts() -> PlantedTexts:
    """Blocks of 4, for 2 doses and 2 twins: 9 of each package.

    2 x (2 + 8) = 20 of each twin's 60 lines are planted.
    """
    return plant_new_texts(NEW, PASSAGES, doses=(2, 8), per_dose=2, twin_lines=60, seed=4)


def test_new_items_are_read_by_one_twin_and_all_else_is_filler(new_texts: PlantedTexts) -> None:
    new = {passage.text for passage in NEW}
    counts = Counter((item.half, item.dose) for item in new_texts.items)
    assert counts == {("A", 2): 2, ("A", 8): 2, ("B", 2): 2, ("B", 8): 2}
    assert new_texts.corpora["C"] == []
    for item in new_texts.items:
        assert item.text in new
        for twin in TWINS:
            read = new_texts.corpora[twin].count(item.text)
            assert read == (item.dose if twin == item.half else 0)
    for twin in TWINS:
        lines = new_texts.corpora[twin]
        assert len(lines) == 60
        assert sum(line in new for line in lines) == 20


def test_the_unseen_prefix_is_new_and_the_seen_one_filler(new_texts: PlantedTexts) -> None:
    new = {passage.text for passage in NEW}
    items = {item.text for item in new_texts.items}
    assert set(new_texts.unseen) <= new - items
    assert not set(new_texts.seen) & new
    for twin in TWINS:
        assert set(new_texts.seen) <= set(new_texts.corpora[twin])


def test_new_items_that_do_not_fit_are_refused_with_the_key_of_their_own_section() -> None:
    message = "pretrained/natural: 20 planted lines do not fit a corpus of 21; raise steps, or"
    with pytest.raises(UserError, match=message):
        plant_new_texts(NEW, PASSAGES, doses=(2, 8), per_dose=2, twin_lines=21, seed=4)


def test_unread_texts_are_read_by_no_model_and_are_no_items() -> None:
    """Of 80 passages 3 x 8 = 24 are items and 2 the unseen prefix.

    The other 54 are for C, which reads its 27 in 100 lines, and for the twins, which read only
    258 - 255 = 3 of theirs. So 24 are unread.
    """
    planted = plant_texts(PASSAGES, per_dose=PER_DOSE, base_lines=100, twin_lines=258, seed=4)
    unread = draw_unread(PASSAGES, planted, 24, seed=1)
    assert len(set(unread)) == 24
    assert set(unread) <= {passage.text for passage in PASSAGES}
    for texts in (*planted.corpora.values(), planted.unseen, planted.seen):
        assert not set(texts) & set(unread)
    assert not {item.text for item in planted.items} & set(unread)
    assert draw_unread(PASSAGES, planted, 24, seed=1) == unread
    assert draw_unread(PASSAGES, planted, 24, seed=2) != unread


def test_a_fine_tuning_for_which_all_passages_were_read_is_refused(planted: PlantedTexts) -> None:
    with pytest.raises(UserError, match=r"needs 1 passages that no model reads, and there are 0;"):
        draw_unread(PASSAGES, planted, 1, seed=1)
