"""The made-up world: no word has two meanings, and answers by hand."""

import random

from mechaware.radar.memorisation.world import KINDS, PLACES, World, answer_of, draw_world


def words_of(world: World) -> list[str]:
    return [word for kind in KINDS for word in world.words(kind)]


def test_all_words_differ(world: World) -> None:
    names_and_words = [*world.names, *words_of(world)]
    assert len(set(names_and_words)) == len(names_and_words) == 28 + 2 * 16
    assert not set(names_and_words) & set(world.home.values())
    assert len(set(world.home.values())) <= PLACES


def test_sixteen_operation_words_a_kind_none_both_fitting_and_testing(world: World) -> None:
    for kind in KINDS:
        assert len(set(world.fitting[kind])) == len(set(world.testing[kind])) == 8
        assert not set(world.fitting[kind]) & set(world.testing[kind])
        assert world.words(kind) == (*world.fitting[kind], *world.testing[kind])


def test_no_name_is_a_part_of_another_nor_of_a_place(world: World) -> None:
    names = [*world.names, *set(world.home.values())]
    assert {len(name) for name in names} == {5}
    assert all(name[0].isupper() and name[1:].islower() for name in names)


def test_a_fact_is_the_place_of_the_first_name_and_the_rule_gives_the_third() -> None:
    world = World(home={"Lorak": "Bamor", "Dabis": "Keten"}, spare=(), fitting={}, testing={})
    slots = ("Dabis", "Lorak", "Zuten", "Pamol")
    assert answer_of(world, "recall", slots) == "Keten"
    assert answer_of(world, "reasoning", slots) == "Zuten"


def test_the_same_seed_gives_the_same_world_and_another_seed_another() -> None:
    first, again, other = (draw_world(10, random.Random(seed)) for seed in (5, 5, 6))  # noqa: S311
    assert first == again
    assert not set(first.names) & set(other.names)
