"""Which words the pairs of a category have depends on the seed, not on the other categories."""

from tests.unit.planted.sql.matched_pairs import make_pair_texts, pairs_of, source_of


def test_the_same_seed_gives_the_same_pairs_and_another_one_others() -> None:
    again = make_pair_texts(source_of("written"), seed=0, per_category=10)

    assert again == pairs_of("written", seed=0)

    of_seed_0 = {pair.texts["clean"] for pair in pairs_of("written", seed=0)}
    of_seed_1 = {pair.texts["clean"] for pair in pairs_of("written", seed=1)}
    assert not of_seed_0 & of_seed_1


def test_a_category_that_is_left_out_has_no_pairs_and_does_not_change_the_words_of_others() -> None:
    kept = make_pair_texts(
        source_of("written"), "super_scramble", "db_scramble", seed=0, per_category=2
    )

    assert [pair.category for pair in kept] == ["db_scramble"] * 2 + ["super_scramble"] * 2

    with_all = {pair.id: pair for pair in pairs_of("written")}
    for pair in kept:
        same = with_all[pair.id]
        assert pair.request_word == same.request_word
        assert pair.clean == same.clean
        assert pair.corrupted == same.corrupted
