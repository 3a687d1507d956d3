"""The set of blocks in which a pair's word is read (G2), and the block that most sets have (G3)."""

import itertools
from collections import Counter
from typing import NamedTuple

import pandas as pd
import pytest

from mechaware.instruments.grounding.rules.grounded import (
    _shared_block,
    _shared_block_p_value,
    block_sets,
    cut_shares,
    most_common_block,
)
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS, HandPair, pair_measurements, several
from tests.unit.instruments.grounding.rules.failing_rules import SIX_PAIRS, failing_rules

# Its blocks are ranked 2, 1, 3, and block 2 alone recovers and removes the gap: its set is "2".
PAIR = HandPair()

# Shares of cuts


def test_shares_of_a_cut_are_what_denoising_recovers_and_noising_removes() -> None:
    cuts = pd.DataFrame(
        [
            ("denoise", 3.0, -1.0, 2.0),  # from -1 by 3, of a gap of 4
            ("noise", 3.0, -1.0, 2.0),  # from 3 by -1: removes 1 of 4
            ("denoise", -1.0, 1.0, 0.5),  # from 1 by -0.5, of a gap of -2
            ("noise", -1.0, 1.0, 0.5),  # from -1 by 1.5: removes -1.5 of -2
            ("denoise", 1.0, 0.0, 1.5),  # from 0 by 1.5, of a gap of 1: not capped
            ("noise", 1.0, 0.0, 1.5),  # from 1 by 0.5, away from the corrupted run
            ("denoise", 1.0, 1.0, 2.0),  # no gap
            ("noise", 1.0, 1.0, 1.0),  # no gap
        ],
        columns=["mode", "clean_diff", "corrupted_diff", "cut_diff"],
    )

    shares = cut_shares(cuts)

    assert list(shares[:6]) == pytest.approx([0.75, 0.25, 0.25, 0.75, 1.5, -0.5])
    assert shares[6:].isna().all()


# The set of a pair


class Sizes(NamedTuple):
    """A row of `block_sets`; None where no top set recovers, removes or does both."""

    denoise_size: int | None
    noise_size: int | None
    size: int | None
    blocks: str


SETS = {
    "one block": (PAIR, Sizes(1, 1, 1, "2")),
    "larger sets recover less": (PAIR._replace(recovered=(0.9, 0.2, 0.1)), Sizes(1, 1, 1, "2")),
    # Only noising shows the redundancy.
    "either of two blocks recovers, and only both together remove": (
        PAIR._replace(ranking=(1, 3, 2), removed=(0.1, 1.0, 1.0)),
        Sizes(1, 2, 2, "1 3"),
    ),
    "only both of two blocks recover, and either removes": (
        PAIR._replace(ranking=(3, 1, 2), recovered=(0.0, 1.0, 1.0)),
        Sizes(2, 1, 2, "1 3"),
    ),
    "no set removes": (PAIR._replace(removed=(0.0, 0.5, 0.8)), Sizes(1, None, None, "")),
    "no set recovers": (PAIR._replace(recovered=(0.0, 0.5, 0.8)), Sizes(None, 1, None, "")),
    "no set does either": (
        PAIR._replace(recovered=(0.0, 0.5, 0.8), removed=(0.0, 0.5, 0.8)),
        Sizes(None, None, None, ""),
    ),
    "no gap": (PAIR._replace(corrupted=2.0), Sizes(None, None, None, "")),
}


@pytest.mark.parametrize("name", SETS)
def test_the_set_of_a_pair_is_the_larger_of_the_two_smallest(name: str) -> None:
    pair, expected = SETS[name]

    sets = block_sets(pair_measurements({"zebra": PAIR, "pair": pair, "ant": PAIR}).cuts, 0.9)

    assert list(sets.index) == ["zebra", "pair", "ant"]
    row = sets.loc["pair", list(Sizes._fields)]
    assert Sizes(*[None if pd.isna(value) else value for value in row]) == expected


@pytest.mark.parametrize(
    ("sets", "block"),
    [
        pytest.param(["3", "2 3", "1 2", "3"], 3, id="3 is in three of four sets"),
        pytest.param(["3", "1 2", "", "2 3"], 2, id="2 and 3 are in two sets each"),
        pytest.param(["10", "9"], 9, id="9 is earlier than 10 as a number, not as text"),
        pytest.param(["", ""], None, id="no sets"),
    ],
)
def test_the_most_common_block_is_in_most_sets_and_the_earliest_of_a_tie(
    sets: list[str], block: int | None
) -> None:
    assert most_common_block(pd.DataFrame({"blocks": sets})) == block


# The p-value of the shared block's count


def test_p_of_a_shared_block_is_1_if_no_pair_has_a_set() -> None:
    without = pd.DataFrame({"size": [None, None], "blocks": ["", ""]})

    assert _shared_block_p_value(without, 3) == 1.0


@pytest.mark.parametrize(
    ("blocks", "count"),
    [
        pytest.param(["1", "1 2", "1", "1 2 3"], 4, id="block 1 in all four sets"),
        pytest.param(["1", "1 2", "3", "1 2 3"], 3, id="block 1 in three of them"),
    ],
)
def test_p_of_a_shared_block_is_the_share_of_all_draws_with_as_large_a_count(
    blocks: list[str], count: int
) -> None:
    """Sets of 1, 2, 1 and 3 of 4 blocks can be drawn in 4 * 6 * 4 * 4 = 384 ways.

    In these the most common block is in two, three or four sets.
    """
    sizes = (1, 2, 1, 3)
    sets_of_each_pair = [list(itertools.combinations(range(4), size)) for size in sizes]
    draws = list(itertools.product(*sets_of_each_pair))
    assert len(draws) == 384
    n_as_large = 0
    for draw in draws:
        counts = Counter(itertools.chain.from_iterable(draw))
        if max(counts.values()) >= count:
            n_as_large += 1
    expected = n_as_large / len(draws)
    assert 0.05 < expected < 0.95

    # Two further pairs have no set.
    sets = pd.DataFrame({"size": [*sizes, None, None], "blocks": [*blocks, "", ""]})
    assert _shared_block_p_value(sets, 4) == pytest.approx(expected, abs=0.05)


# The verdicts of G3


def test_g3_passes_the_pairs_that_share_the_block_if_p_is_at_most_the_level() -> None:
    # Six of seven pairs have the set of block 2, and the other pair that of block 1.
    measurements = pair_measurements(several(other=PAIR._replace(ranking=(1, 2, 3))))
    p = _shared_block_p_value(block_sets(measurements.cuts, 0.9), 3)
    assert 0 < p < 0.05

    at_p = _shared_block(measurements, THRESHOLDS._replace(significance=p))
    below_p = _shared_block(measurements, THRESHOLDS._replace(significance=p - 1e-9))

    assert at_p.to_dict() == SIX_PAIRS | {"other": False}
    assert not below_p.any()


def test_g3_fails_two_pairs_that_share_a_block() -> None:
    # Two sets of one of three blocks are the same in 1 of 3 draws.
    assert failing_rules({"a": PAIR, "b": PAIR}) == {"a": "g3", "b": "g3"}


def test_g3_fails_all_pairs_if_the_most_common_block_may_be_chance() -> None:
    # Ten sets of one of three blocks, of which block 1 is in five and block 2 in five. That is not
    # significant: in every draw one of the three blocks is in at least four of ten sets.
    pairs = {}
    for number in range(10):
        ranking = (1, 2, 3) if number % 2 == 0 else (2, 1, 3)
        pairs[f"p{number}"] = PAIR._replace(ranking=ranking)

    assert failing_rules(pairs) == dict.fromkeys(pairs, "g3")


# Pairs whose sets have two of three blocks.
BLOCKS_1_2 = PAIR._replace(ranking=(2, 1, 3), removed=(0.0, 1.0, 1.0))
BLOCKS_2_3 = PAIR._replace(ranking=(2, 3, 1), removed=(0.0, 1.0, 1.0))
BLOCKS_1_3 = PAIR._replace(ranking=(1, 3, 2), removed=(0.0, 1.0, 1.0))
# At random, some block is in all of 20 such sets with a probability of at most 3 * (2/3)^20 = 0.1%.
TWENTY = {f"p{number}": BLOCKS_1_2 for number in range(20)}


def test_a_block_in_more_sets_than_an_earlier_one_is_the_shared_block() -> None:
    # Block 2 is in 21 sets, block 1 in 20.
    pairs = TWENTY | {"2 and 3": BLOCKS_2_3}

    assert _shared_block(pair_measurements(pairs), THRESHOLDS).all()


def test_the_earlier_of_two_equally_common_blocks_is_the_shared_block() -> None:
    # Blocks 1 and 2 are in 21 sets each.
    pairs = TWENTY | {"2 and 3": BLOCKS_2_3, "1 and 3": BLOCKS_1_3}

    verdicts = _shared_block(pair_measurements(pairs), THRESHOLDS)

    assert verdicts["1 and 3"]
    assert not verdicts["2 and 3"]


# A pair whose set has all blocks.
ALL_BLOCKS = PAIR._replace(removed=(0.3, 0.6, 1.0))


def test_g3_passes_pairs_whose_sets_have_all_blocks() -> None:
    pairs = {f"p{number}": ALL_BLOCKS for number in range(6)}

    assert _shared_block(pair_measurements(pairs), THRESHOLDS).all()


def test_sets_of_all_blocks_do_not_add_to_the_count_of_a_block() -> None:
    # Only a and b are counted, and two sets of one block are not significant. The last pair has no
    # gap, and so no set.
    pairs = {f"p{number}": ALL_BLOCKS for number in range(4)}
    others = {"a": PAIR, "b": PAIR, "no set": PAIR._replace(corrupted=2.0)}

    verdicts = _shared_block(pair_measurements(pairs | others), THRESHOLDS)

    assert verdicts.to_dict() == dict.fromkeys(pairs, True) | dict.fromkeys(others, False)
