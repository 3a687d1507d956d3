"""How alike two claims are, rule by rule.

Statements are compared by their telling words, without verbs and everyday words. In most statements
below the telling words are fruits. Of their verbs, "copy" and "move" raise something, "suppress"
lowers it, and "detect" and "read" do neither.
"""

import pytest

from mechaware.instruments.claims.rubric.records import Claim
from mechaware.instruments.claims.votes.similarity import (
    ClaimComparison,
    _read_part,
    _read_parts,
)
from tests.unit.instruments.claims.claims_by_hand import claim


def part(statement: str, *components: str) -> Claim:
    return claim(statement, components, system=False)


def similarity(first: Claim, second: Claim) -> float:
    """The similarity, which is the same if the claims are exchanged."""
    comparison = ClaimComparison([first, second])
    forwards = comparison.similarity(first, second)
    backwards = comparison.similarity(second, first)
    assert forwards == backwards
    return forwards


def contradict(first: Claim, second: Claim) -> bool:
    """Whether the claims contradict each other, which is the same if they are exchanged."""
    comparison = ClaimComparison([first, second])
    forwards = comparison.contradict(first, second)
    backwards = comparison.contradict(second, first)
    assert forwards == backwards
    return forwards


# Words


def test_the_share_of_words_is_of_the_words_of_the_shorter_statement() -> None:
    assert similarity(part("Apples rot"), part("Apples, pears and plums rot")) == 1
    assert similarity(part("Apples and figs"), part("Apples, pears and plums")) == 1 / 2


def test_similarity_is_the_geometric_mean_of_shared_components_and_shared_words() -> None:
    one = part("Head 9.9 copies the subject name", "9.9", "MLP 8")
    other = part("The name of the city is stored", "mlp8", "L3H4")

    # Of 9.9, MLP 8 and L3H4 one is shared. Of "subject" and "name" one is shared.
    assert similarity(one, other) == pytest.approx((1 / 3 * 1 / 2) ** 0.5)


def test_without_components_claims_are_as_similar_as_their_words() -> None:
    assert similarity(claim("names are copied"), claim("it copied names")) == 1


def test_a_word_may_be_in_the_role_of_the_others_component_unless_both_have_the_role() -> None:
    assert similarity(part("It copies pears", "9.9"), part("It copies plums", "9.9 (Pear)")) == 1
    pears = part("It copies pears", "9.9 (Pear)")
    plums = part("It copies plums", "9.9 (Pear)")
    assert similarity(pears, plums) == 0


def test_words_of_a_role_do_not_raise_the_share_of_words_above_1() -> None:
    # The shorter statement has one word, "apples". Shared are "apples" and the role.
    named = part("It copies apples", "9.9 (Pear)")
    assert similarity(named, part("It copies apples and pears", "9.9")) == 1


def test_a_claim_is_itself_even_without_words() -> None:
    assert similarity(part("It copies", "9.9"), part("It copies", "9.9")) == 1
    assert similarity(part("It copies"), part("It moves")) == 0


def test_a_claim_without_a_level_is_compared_as_a_component_claim() -> None:
    without_level = claim("Apples and figs", system=None)

    assert similarity(without_level, part("Apples and pears")) == 1 / 2
    assert similarity(without_level, claim("Apples and pears", system=True)) == 0


# Claims that are surely alike count as if they shared a quarter of their words, or more if they do


def similarity_with_one_of_three(first: str, second: str) -> float:
    """The similarity of two statements about two components each, of which they share one."""
    return similarity(part(first, "9.9", "MLP 8"), part(second, "9.9", "L3H4"))


def similarity_with_two_of_four(first: str, second: str) -> float:
    """The similarity of two statements about three heads each, of which they share two."""
    return similarity(part(first, "1.1", "2.2", "3.3"), part(second, "1.1", "2.2", "4.4"))


def test_with_one_component_in_common_claims_are_alike_if_both_raise_and_one_has_no_word() -> None:
    assert similarity_with_one_of_three("It copies", "It moves apples") == pytest.approx(
        (1 / 3 * 1 / 4) ** 0.5
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("It copies pears", "It moves apples", id="both have a word"),
        pytest.param("It copies", "It detects apples", id="only one raises"),
        pytest.param("It reads", "It detects apples", id="neither raises nor lowers"),
    ],
)
def test_with_one_component_in_common_claims_are_not_alike_otherwise(
    first: str, second: str
) -> None:
    assert similarity_with_one_of_three(first, second) == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("It copies pears", "It moves apples", id="both raise"),
        pytest.param("It copies", "It detects apples", id="one has no word"),
    ],
)
def test_with_two_components_in_common_claims_are_alike_if_both_raise_or_one_has_no_word(
    first: str, second: str
) -> None:
    assert similarity_with_two_of_four(first, second) == pytest.approx((2 / 4 * 1 / 4) ** 0.5)


def test_with_two_components_in_common_claims_are_not_alike_otherwise() -> None:
    assert similarity_with_two_of_four("It copies pears", "It detects apples") == 0


def test_words_in_common_count_for_more_than_a_quarter() -> None:
    half_of_the_words = similarity_with_two_of_four(
        "It copies pears and plums", "It moves pears and apples"
    )

    assert half_of_the_words == pytest.approx((2 / 4 * 1 / 2) ** 0.5)


def test_without_components_claims_without_a_shared_word_are_not_alike() -> None:
    assert similarity(part("It copies"), part("It moves apples")) == 0


def test_the_similarity_of_system_claims_is_the_root_of_the_larger_share() -> None:
    heads = ["1.1", "2.2", "3.3", "4.4"]
    one = claim("Apples and figs", heads, system=True)
    other = claim("Apples and pears", heads[:1], system=True)

    # The share of words is 1 / 2, that of components 1 / 4.
    assert similarity(one, other) == pytest.approx((1 / 2) ** 0.5)


def test_system_claims_without_a_shared_word_are_alike_by_their_components() -> None:
    heads = ["1.1", "2.2", "3.3", "4.4"]
    one = claim("A circuit adds digits", heads, system=True)
    other = claim("It sums figures", heads[:2], system=True)

    assert similarity(one, other) == pytest.approx((2 / 4) ** 0.5)
    assert similarity(one, other.model_copy(update={"system": False})) == 0


def test_a_claim_that_only_raises_is_not_similar_to_a_claim_that_only_lowers() -> None:
    copies = part("It copies apples", "3.1")

    assert similarity(copies, part("It suppresses apples", "3.1")) == 0
    assert similarity(copies, part("It detects apples", "3.1")) == 1
    assert similarity(copies, part("It copies apples and suppresses them", "3.1")) == 1


# Contradictions


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param("apples and pears", "apples and plums", True, id="one other word each"),
        pytest.param(
            "apples, grapes and pears",
            "apples, grapes and plums",
            True,
            id="one other word each, two in common",
        ),
        pytest.param("pears", "plums", False, id="nothing in common"),
        pytest.param("apples and pears", "apples, plums and figs", False, id="one and two others"),
        pytest.param(
            "apples, grapes and pears",
            "apples, grapes, plums and figs",
            False,
            id="one and two others, two in common",
        ),
        pytest.param("pears", "plums and figs", False, id="one and two, nothing in common"),
        pytest.param("apples", "apples and plums", False, id="nothing else and one other"),
        pytest.param(
            "apples, pears and kiwis", "apples, plums and figs", False, id="two others each"
        ),
    ],
)
def test_claims_about_one_head_contradict_each_other_by_what_else_they_say(
    first: str, second: str, expected: bool
) -> None:
    one = part(f"It detects {first}", "3.1")
    other = part(f"It detects {second}", "3.1")

    assert contradict(one, other) == expected


def test_only_claims_about_the_same_single_head_contradict_each_other_by_their_words() -> None:
    first = "It detects apples and pears"
    second = "It detects apples and plums"

    assert contradict(part(first, "3.1"), part(second, "3.1"))
    assert not contradict(part(first, "3.1"), part(second, "3.2"))
    assert not contradict(part(first, "3.1", "3.2"), part(second, "3.1", "3.2"))
    assert not contradict(part(first), part(second))
    assert not contradict(claim(first, ["3.1"], system=True), claim(second, ["3.1"], system=True))
    # "pears" is the role of the other claim's head, and so is no word that the other lacks.
    assert not contradict(part(first, "3.1"), part(second, "3.1 (Pear)"))


def test_a_denial_contradicts_what_is_not_denied_and_no_other_denial() -> None:
    denied = part("It does not copy apples", "3.1")
    also_denied = part("It never copies apples", "3.1")

    assert contradict(denied, part("It copies apples", "3.1"))
    assert not contradict(denied, also_denied)


# Components


def test_the_role_of_components_is_the_class_that_the_statement_names() -> None:
    first, second = _read_parts(part("Name Mover heads copy it", "9.9", "9.6"))

    assert first.role == "name mover"
    assert second.role == "name mover"


def test_the_statement_names_no_role_where_a_component_has_one() -> None:
    first, second = _read_parts(part("Name Mover heads copy it", "9.9 (Induction)", "9.6"))

    assert first.role == "induction"
    assert second.role == ""


def test_a_role_stands_for_all_heads_that_any_claims_give_it() -> None:
    role = part("Pears are kept", "Name Mover")
    located = [part("It copies", f"{head} (Name Mover)") for head in ("9.9", "9.6")]
    four_heads = part("Pears are kept here", "9.9", "9.6", "1.1", "2.2")
    comparison = ClaimComparison([role, *located, four_heads])

    # The role is 9.9 and 9.6, two of the four heads. All words of the shorter statement are shared.
    assert comparison.similarity(role, four_heads) == pytest.approx((2 / 4) ** 0.5)


def test_a_role_that_another_claim_gives_a_head_is_not_another_head() -> None:
    role = part("Movers copy it", "Name Mover")
    other_head = part("The mover writes a name", "9.6")
    located = part("The name is copied", "9.9 (Name Mover)")
    comparison = ClaimComparison([role, other_head, located])

    assert comparison.similarity(role, other_head) == 0


def test_a_role_that_no_claim_locates_is_compared_with_a_head_by_words_alone() -> None:
    role = part("Movers copy it", "Name Mover")

    assert similarity(role, part("They write it", "9.9")) == 0
    # All words of the shorter statement, "mover", are shared.
    assert similarity(role, part("The mover writes a name", "9.9")) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("9.9 (Name Mover)", "9.9"),
        ("9.9 (Name Mover Head)", "L9H9"),
        ("head 9.9", "a9.h9"),
        ("layer 9, head 9", "9.9"),
        ("MLP 10", "m10"),
        ("Name Mover Heads", "name mover"),
        ("MLPs 8 to 10", "m9"),
        ("neuron 4.1180", "4.1180"),
    ],
)
def test_a_component_is_the_same_however_it_is_written(first: str, second: str) -> None:
    assert _read_part(first).keys & _read_part(second).keys


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("MLP 10", "layer 10"),
        ("MLP layers 8-10", "MLP 11"),
        ("9.9 (Name Mover)", "9.6 (Name Mover)"),
        ("9.9", "9.10"),
        ("S-Inhibition heads", "Name Mover heads"),
        ("heads", "attention heads"),
    ],
)
def test_components_with_similar_names_are_different_or_have_no_key(
    first: str, second: str
) -> None:
    assert not _read_part(first).keys & _read_part(second).keys


def test_a_component_is_compared_by_its_locations_and_without_them_by_its_role() -> None:
    assert _read_part("9.9 (Name Mover)").keys == {"9 9"}
    assert _read_part("layer 5").keys == {"bare 5"}
    assert _read_part("Name Movers").keys == {"name mover"}
    assert _read_part("attention heads").keys == frozenset()


def test_a_range_of_mlps_is_each_of_them_unless_it_is_longer_than_100() -> None:
    assert _read_part("MLPs 8-10").locations == {"mlp 8", "mlp 9", "mlp 10"}
    assert len(_read_part("MLPs 1-100").locations) == 100
    assert _read_part("MLPs 1-101").locations == {"mlp 1"}
