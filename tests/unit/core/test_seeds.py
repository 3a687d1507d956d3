"""Seeds derived from names: the same in every process, and another for each draw."""

from mechaware.core.seeds import derive_seed


def test_a_seed_is_the_begin_of_a_sha256() -> None:
    """As `printf 1/a/0 | sha256sum` begins: results that were kept stay those of their seeds."""
    assert derive_seed(1, "a", 0) == 0x0C8B6AB1


def test_seeds_of_different_draws_differ() -> None:
    seeds = [
        derive_seed(1, "a"),
        derive_seed(2, "a"),
        derive_seed(1, "b"),
        derive_seed(1, "a", 0),
    ]
    assert len(set(seeds)) == 4
