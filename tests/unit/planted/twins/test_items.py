"""The planted items: crossed, distinct, with a foil that is the answer of the
counterfactual; and their world.
"""

import random
import re
from collections import Counter
from collections.abc import Sequence
from itertools import product

import pytest

from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.items import CONDITIONS, CONTRADICTED, TWINS, Item, ask, draw_items
from mechaware.planted.twins.world import KINDS, N_PLACES, N_SPARE_NAMES, World, draw_world


def test_all_words_differ(world: World) -> None:
    operations = [word for kind in KINDS for word in world.words(kind)]
    names_and_words = [*world.names, *world.spare, *operations]
    assert len(set(names_and_words)) == len(names_and_words) == 36 + N_SPARE_NAMES + 2 * 16
    places = set(world.home.values())
    assert not set(names_and_words) & places
    assert len(places) <= N_PLACES
    # All names and places are equally long, so that none is a part of another.
    for name in (*world.names, *world.spare, *places):
        assert re.fullmatch("[A-Z][a-z]{4}", name)


def test_sixteen_operation_words_a_kind_none_both_fitting_and_testing(world: World) -> None:
    for kind in KINDS:
        assert len(set(world.fitting[kind])) == len(set(world.testing[kind])) == 8
        assert not set(world.fitting[kind]) & set(world.testing[kind])
        assert world.words(kind) == (*world.fitting[kind], *world.testing[kind])


def test_the_same_seed_gives_the_same_world_and_another_seed_another() -> None:
    first, again, other = (draw_world(10, random.Random(seed)) for seed in (5, 5, 6))  # noqa: S311
    assert first == again
    assert not set(first.names) & set(other.names)


PER_CELL = 2  # 2 items x 9 conditions x 2 twins = 36 recall items: one for each name


@pytest.fixture(scope="module")
def items(world: World) -> list[Item]:
    return draw_items(world, PER_CELL, random.Random(1))  # noqa: S311


def test_every_cell_of_kind_form_dose_and_half_has_the_same_number_of_items(
    items: list[Item],
) -> None:
    cells = Counter((item.kind, item.form, item.dose, item.half) for item in items)
    crossed = [
        (kind, form, dose, half) for kind, (form, dose), half in product(KINDS, CONDITIONS, TWINS)
    ]
    assert cells == dict.fromkeys(crossed, PER_CELL)
    assert len({item.id for item in items}) == len(items)


def test_every_recall_item_asks_for_the_fact_of_a_name_of_its_own(
    items: list[Item], world: World
) -> None:
    asked = [item.slots[0] for item in items if item.kind == "recall"]
    assert len(asked) == len(set(asked)) == 36
    assert set(asked) == set(world.names)


class Repeating(random.Random):
    """Draws every set of four names twice."""

    last: list[str] | None = None

    def sample(self, population: Sequence[str], k: int, **_: object) -> list[str]:
        if k != 4 or self.last is None:
            drawn = super().sample(population, k)
            self.last = drawn if k == 4 else None
            return drawn
        repeated = self.last
        self.last = None
        return repeated


def test_names_that_are_drawn_a_second_time_are_drawn_anew(world: World) -> None:
    items = draw_items(world, PER_CELL, Repeating(1))
    assert len({item.slots for item in items}) == len(items)


def right_answer(kind: str, slots: tuple[str, ...], world: World) -> str:
    """The home of the first name, or the third name."""
    return world.home[slots[0]] if kind == "recall" else slots[2]


def test_an_item_has_the_right_answer_and_the_counterfactuals_answer_as_its_foil(
    items: list[Item], world: World
) -> None:
    """In a contradicted item they are exchanged: its answer is wrong and its foil right."""
    for item in items:
        right = right_answer(item.kind, item.slots, world)
        wrong = right_answer(item.kind, item.counterfactual, world)
        assert right != wrong
        if item.form == CONTRADICTED:
            assert item.answer == wrong
            assert item.foil == right
        else:
            assert item.answer == right
            assert item.foil == wrong


def test_a_counterfactual_differs_in_the_first_name_of_recall_or_the_third_of_reasoning(
    items: list[Item],
) -> None:
    for item in items:
        changed = [slot for slot in range(4) if item.slots[slot] != item.counterfactual[slot]]
        assert changed == ([0] if item.kind == "recall" else [2])
        assert len(set(item.slots)) == len(set(item.counterfactual)) == 4


def test_an_items_operation_word_is_a_testing_word_of_its_kind(
    items: list[Item], world: World
) -> None:
    for item in items:
        assert item.operation in world.testing[item.kind]


def test_the_form_of_a_question_and_its_answer() -> None:
    line = ask("zul", ("Lorak", "Dabis", "Zuten", "Pamol"), "Bamor")
    assert line == QuestionAnswer("Lorak, Dabis, Zuten, Pamol zul:", " Bamor.")
    assert line.text == "Lorak, Dabis, Zuten, Pamol zul: Bamor."
