"""The table of cuts names the block with the largest share and the commonest set of blocks."""

import pandas as pd

from exhibits.grounding.tables import grounding_cut
from tests.exhibits.grounding.tables.shown_rows import assert_shows


def test_the_block_with_the_largest_share_and_the_commonest_set_are_named() -> None:
    """The interaction is no block, though its share is the largest.

    In each run the shares of the blocks and of the interaction add up to 1, the whole gap.
    """
    reading = pd.DataFrame(
        [
            ("schema-s0", "denoise", "1", 0.125, 0, 0.2, 9),
            ("schema-s0", "denoise", "10", 0.4, 0.25, 0.75, 9),
            ("schema-s0", "denoise", "2", -0.1, -0.2, 0, 9),
            ("schema-s0", "denoise", "3", 0.0, 0, 0, 9),
            ("schema-s0", "denoise", "interaction", 0.575, 0, 1, 9),
            ("suppressor", "noise", "1", 1.1, 1, 1.2, 9),
            ("suppressor", "noise", "interaction", -0.1, -0.2, 0, 9),
        ],
        columns=["run", "mode", "block", "share", "low", "high", "n"],
    )
    suppressor = {
        "run": "suppressor",
        "n": 4,
        "has_set": 0.0,
        "size": None,
        "all_blocks": 0.0,
        "redundant": 0.0,
        "found_blocks": "",
        "found_share": 0.0,
        "known_blocks": "2",
    }
    schema = {
        "run": "schema-s0",
        "n": 4,
        "has_set": 0.75,
        "size": 5 / 3,
        "all_blocks": 0.5,
        "redundant": 0.25,
        "found_blocks": "1 3",
        "found_share": 0.5,
        "known_blocks": "",
    }

    table = grounding_cut.fill(reading=reading, block_sets=pd.DataFrame([suppressor, schema]))

    of_schema = {
        "Run": "schema, seed 0",
        "Intervention": "denoising",
        "Block": "10",
        "Share": "40.0 (25.0 to 75.0)",
        "Interaction": "57.5",
        "n": "9",
        "Set": "1 3",
        "Pairs with the set": "50.0",
        "Blocks in a set": "1.7",
    }
    of_suppressor = {
        "Run": "lowers the requested column",
        "Intervention": "noising",
        "Block": "1",
        "Share": "110.0 (100.0 to 120.0)",
        "Interaction": "-10.0",
        "n": "9",
        "Set": "",
        "Pairs with the set": "",
        "Blocks in a set": "",
    }

    assert_shows(table, of_schema, of_suppressor)
    assert table.numbers["run"].tolist() == ["suppressor"] * 2 + ["schema-s0"] * 5
    assert table.numbers["redundant"].tolist() == [0.0] * 2 + [0.25] * 5
    assert table.numbers[["n", "pairs"]].drop_duplicates().to_numpy().tolist() == [[9, 4]]


def test_of_blocks_with_equal_shares_the_earliest_is_named() -> None:
    reading = pd.DataFrame(
        [
            ("relay", "noise", "1", 0.25, 0.0, 0.5, 4),
            ("relay", "noise", "2", 0.375, 0.125, 0.5, 4),
            ("relay", "noise", "3", 0.375, 0.25, 0.625, 4),
            ("relay", "noise", "interaction", 0.0, 0.0, 0.0, 4),
        ],
        columns=["run", "mode", "block", "share", "low", "high", "n"],
    )
    sets = {"run": "relay", "n": 4, "size": 1.0, "found_blocks": "1", "found_share": 1.0}

    table = grounding_cut.fill(reading=reading, block_sets=pd.DataFrame([sets]))

    assert table.shown[["Block", "Share"]].to_numpy().tolist() == [["2", "37.5 (12.5 to 50.0)"]]
