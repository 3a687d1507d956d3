"""How alike two claims are, rule by rule. Fruits are words that no list of the field's words has."""

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
    """The similarity, which is the same in both directions."""
    comparison = ClaimComparison([first, second])
    there = comparison.similarity(first, second)
    back = comparison.similarity(second, first)
    assert there == back
    return there


def contradict(first: Claim, second: Claim) -> bool:
    comparison = ClaimComparison([first, second])
    there = comparison.contradict(first, second)
    back = comparison.contradict(second, first)
    assert there == back
    return there


# Words


def test_words_are_a_share_of_those_of_the_shorter_statement() -> None:
    assert similarity(part("Apples rot"), part("Apples, pears and plums rot")) == 1
    assert similarity(part("Apples and figs"), part("Apples, pears and plums")) == 1 / 2


def test_similarity_is_the_geometric_mean_of_shared_components_and_shared_words() -> None:
    one = part("Head 9.9 copies the subject name", "9.9", "MLP 8")
    other = part("The name of the city is stored", "mlp8", "L3H4")

    # Of three components in all, one is shared; of two words beside the component and the verb, one.
    assert similarity(one, other) == pytest.approx((1 / 3 * 1 / 2) ** 0.5)


def test_without_components_claims_are_as_similar_as_their_words() -> None:
    assert similarity(claim("names are copied"), claim("it copied names")) == 1


def test_a_word_may_be_in_the_role_of_the_others_component_unless_both_have_the_role() -> None:
    assert similarity(part("It copies pears", "9.9"), part("It copies plums", "9.9 (Pear)")) == 1
    pears = part("It copies pears", "9.9 (Pear)")
    plums = part("It copies plums", "9.9 (Pear)")
    assert similarity(pears, plums) == 0


def test_words_of_a_role_do_not_raise_the_share_above_all() -> None:
    # Of the one word "apple" two are shared, "apple" and the role.
    named = part("It copies apples", "9.9 (Pear)")
    assert similarity(named, part("It copies apples and pears", "9.9")) == 1


def test_a_claim_is_itself_even_without_words() -> None:
    assert similarity(part("It copies", "9.9"), part("It copies", "9.9")) == 1
    assert similarity(part("It copies"), part("It moves")) == 0


def test_a_claim_without_a_level_is_compared_as_a_component_claim() -> None:
    unsaid = claim("Apples and figs", system=None)

    assert similarity(unsaid, part("Apples and pears")) == 1 / 2
    assert similarity(unsaid, claim("Apples and pears", system=True)) == 0


# Components that count for a quarter of the words


def similarity_with_one_of_three(first: str, second: str) -> float:
    """The similarity of two statements about two components each, of which one is the same."""
    return similarity(part(first, "9.9", "MLP 8"), part(second, "9.9", "L3H4"))


def similarity_with_two_of_four(first: str, second: str) -> float:
    """The similarity of two statements about three heads each, of which two are the same."""
    return similarity(part(first, "1.1", "2.2", "3.3"), part(second, "1.1", "2.2", "4.4"))


def test_one_component_in_common_counts_if_both_raise_and_one_says_no_more() -> None:
    assert similarity_with_one_of_three("It copies", "It moves apples") == pytest.approx(
        (1 / 3 * 1 / 4) ** 0.5
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("It copies pears", "It moves apples", id="both say more"),
        pytest.param("It copies", "It detects apples", id="one raises"),
        pytest.param("It reads", "It detects apples", id="neither raises nor lowers"),
    ],
)
def test_one_component_in_common_does_not_count_otherwise(first: str, second: str) -> None:
    assert similarity_with_one_of_three(first, second) == 0


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("It copies pears", "It moves apples", id="both raise"),
        pytest.param("It copies", "It detects apples", id="one says no more"),
    ],
)
def test_two_components_in_common_count_with_a_direction_or_if_one_says_no_more(
    first: str, second: str
) -> None:
    assert similarity_with_two_of_four(first, second) == pytest.approx((2 / 4 * 1 / 4) ** 0.5)


def test_two_components_in_common_do_not_count_otherwise() -> None:
    assert similarity_with_two_of_four("It copies pears", "It detects apples") == 0


def test_words_in_common_count_for_more_than_a_quarter() -> None:
    found = similarity_with_two_of_four("It copies pears and plums", "It moves pears and apples")

    assert found == pytest.approx((2 / 4 * 1 / 2) ** 0.5)


def test_without_components_nothing_counts_as_words() -> None:
    assert similarity(part("It copies"), part("It moves apples")) == 0


def test_a_system_claim_is_as_similar_as_the_larger_of_both_shares() -> None:
    heads = ["1.1", "2.2", "3.3", "4.4"]
    one = claim("Apples and figs", heads, system=True)
    other = claim("Apples and pears", heads[:1], system=True)

    assert similarity(one, other) == pytest.approx((1 / 2) ** 0.5)  # components: 1 / 4


def test_a_system_claim_without_a_shared_word_is_as_similar_as_its_components() -> None:
    heads = ["1.1", "2.2", "3.3", "4.4"]
    one = claim("A circuit adds digits", heads, system=True)
    other = claim("It sums figures", heads[:2], system=True)

    assert similarity(one, other) == pytest.approx((2 / 4) ** 0.5)
    assert similarity(one, other.model_copy(update={"system": False})) == 0


def test_only_raising_against_only_lowering_is_no_similarity() -> None:
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
    # A word that is the other's role is no other word.
    assert not contradict(part(first, "3.1"), part(second, "3.1 (Pear)"))


def test_a_denial_contradicts_what_is_not_denied_and_no_other_denial() -> None:
    denied = part("It does not copy apples", "3.1")
    again = part("It never copies apples", "3.1")

    assert contradict(denied, part("It copies apples", "3.1"))
    assert not contradict(denied, again)


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
    both = part("Pears are kept here", "9.9", "9.6", "1.1", "2.2")
    comparison = ClaimComparison([role, *located, both])

    assert comparison.similarity(role, both) == pytest.approx((2 / 4) ** 0.5)


def test_a_role_stands_for_the_heads_that_any_claim_gives_it_and_else_for_its_name() -> None:
    role = part("Movers copy it", "Name Mover")

    assert similarity(role, part("They write it", "9.9")) == 0
    # Where no claim says which head the mover is, by words alone: "mover".
    assert similarity(role, part("The mover writes a name", "9.9")) == 1

    # One says that 9.9 is the mover.
    other = part("The mover writes a name", "9.6")
    both = part("The name is copied", "9.9 (Name Mover)")
    assert ClaimComparison([role, other, both]).similarity(role, other) == 0


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
def test_components_that_are_written_alike_may_be_two(first: str, second: str) -> None:
    assert not _read_part(first).keys & _read_part(second).keys


def test_a_component_is_compared_by_its_locations_and_without_them_by_its_role() -> None:
    assert _read_part("9.9 (Name Mover)").keys == {"9 9"}
    assert _read_part("Name Movers").keys == {"name mover"}
    assert _read_part("attention heads").keys == frozenset()


def test_a_range_of_mlps_is_each_of_them_unless_it_is_longer_than_100() -> None:
    assert _read_part("MLPs 8-10").locations == {"mlp 8", "mlp 9", "mlp 10"}
    assert len(_read_part("MLPs 1-100").locations) == 100
    assert _read_part("MLPs 1-101").locations == {"mlp 1"}
    assert _read_part("layer 5").locations == {"bare 5"}
