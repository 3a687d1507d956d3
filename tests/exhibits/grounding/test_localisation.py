"""The blocks that instruments name, and how often a control reads there, by hand."""

import numpy as np
import pandas as pd
import pytest

from exhibits.grounding.localisation import named_places, score_places
from exhibits.grounding.tables import grounding_localisation, grounding_places
from mechaware.planted.controls.matched import MATCHED

# The table of a run whose heads are not attributed.
NO_HEADS = pd.DataFrame(columns=["run", "pair", "block", "head", "attribution"])
INTERVALS = {"confidence_level": 0.95, "resamples": 200, "seed": 3}


def patching_of(run: str, *recoveries: list[float]) -> pd.DataFrame:
    """A pair for each list of recovered shares, from the embedding on:
    the gap is 10, from -4 to 6.
    """
    rows = []
    for number, shares in enumerate(recoveries):
        for layer, share in enumerate(shares):
            rows.append(
                {
                    "run": run,
                    "pair": f"pair-{number}",
                    "category": "db_scramble",
                    "layer": layer,
                    "clean_diff": 6.0,
                    "corrupted_diff": -4.0,
                    "patched_diff": -4.0 + 10 * share,
                }
            )
    return pd.DataFrame(rows)


def cuts_of(run: str, *rankings: list[tuple[str, float]]) -> pd.DataFrame:
    """Top sets of a pair for each list, with the share of the gap of 10 that each
    recovers, and removes.
    """
    rows = []
    for number, sets in enumerate(rankings):
        for blocks, share in sets:
            for mode, diff in (("denoise", -4.0 + 10 * share), ("noise", 6.0 - 10 * share)):
                rows.append(
                    {
                        "run": run,
                        "pair": f"pair-{number}",
                        "mode": mode,
                        "kind": "top",
                        "size": len(blocks.split()),
                        "blocks": blocks,
                        "clean_diff": 6.0,
                        "corrupted_diff": -4.0,
                        "cut_diff": diff,
                    }
                )
    return pd.DataFrame(rows)


def blocks_of(places: pd.DataFrame) -> dict[str, str]:
    """The named blocks of the only run."""
    return dict(zip(places["instrument"], places["blocks"], strict=True))


def test_a_reading_in_two_blocks_by_every_instrument() -> None:
    """Blocks 2 and 4 read 0.7 and 0.3 of the word:
    a patch after block 1 is whole, after blocks 2 and 3 it has 0.3.
    """
    patching = patching_of("matched_03", [1, 1, 0.3, 0.3, 0], [1, 1, 0.3, 0.3, 0])
    ranking = [("2", 0.7), ("2 4", 1.0), ("1 2 4", 1.0)]
    cuts = cuts_of("matched_03", ranking, ranking)

    places = named_places(patching, cuts, NO_HEADS, tau=0.4, alpha=0.9)

    assert blocks_of(places) == {
        "top_layer": "1",
        "top_layer_embedding": "",  # the embedding, the first of equal layers
        "printed_layer": "1",
        "printed_layer_last": "1",
        "after_top_layer": "2",
        "after_last_layer": "2",
        "first_cut": "2",
        "cut_set": "2 4",
        "shared_block": "2",  # in both pairs' sets, as is block 4
        "first_block": "1",  # whatever was measured
    }
    assert places["n_blocks"].unique().tolist() == [4]


def test_a_later_layer_that_recovers_more_than_the_gap_is_named() -> None:
    """Layer 2 recovers 1.5 of the gap, layer 1 all of it:
    L* is layer 2, which is also the last that recovers.
    """
    patching = patching_of("schema-s0", [1, 1, 1.5, 0, 0])
    cuts = cuts_of("schema-s0", [("3", 1.5), ("2 3", 1.0)])

    named = blocks_of(named_places(patching, cuts, NO_HEADS, tau=0.4, alpha=0.9))

    assert named["top_layer"] == named["top_layer_embedding"] == "2"
    # Both layers recover at least 0.9 of the gap, and which of them counts is left open.
    assert (named["printed_layer"], named["printed_layer_last"]) == ("1", "2")
    assert named["after_top_layer"] == named["after_last_layer"] == "3"


def test_most_pairs_decide_and_the_earlier_block_on_a_tie() -> None:
    early = [1, 1, 0, 0, 0]
    late = [1, 1, 1, 0, 0]
    cuts = cuts_of("schema-s0", [("2", 1.0)], [("3", 1.0)], [("3", 1.0)])

    majority = named_places(
        patching_of("schema-s0", early, late, late), cuts, NO_HEADS, tau=0.4, alpha=0.9
    )
    tie = named_places(patching_of("schema-s0", late, early), cuts, NO_HEADS, tau=0.4, alpha=0.9)

    assert blocks_of(majority)["after_last_layer"] == "3"
    assert blocks_of(tie)["after_last_layer"] == "2"


def test_the_printed_layer_is_in_the_most_pairs_sets_and_need_not_be_the_best_of_any() -> None:
    """Layers 2, 3 and 3 are best; at least 0.9 is recovered by layers 1 and 2,
    2 and 3, and 3, 2 and 1.
    """
    recovered = [1, 0.95, 1.0, 0.2, 0], [1, 0.5, 0.95, 1.0, 0], [1, 0.92, 0.97, 1.0, 0]
    cuts = cuts_of("schema-s0", *[[("4", 1.0)]] * 3)

    named = blocks_of(
        named_places(patching_of("schema-s0", *recovered), cuts, NO_HEADS, tau=0.4, alpha=0.9)
    )

    assert named["top_layer"] == "3"
    assert named["printed_layer"] == named["printed_layer_last"] == "2"


def test_of_layers_in_equally_many_pairs_the_first_and_the_last_are_named() -> None:
    """Layers 1 and 3 are in two of three pairs' sets each, layer 2 in one."""
    recovered = [1, 1, 1, 0.2, 0], [1, 1, 0.2, 1, 0], [1, 0.2, 0.2, 1, 0]
    cuts = cuts_of("schema-s0", *[[("4", 1.0)]] * 3)

    named = blocks_of(
        named_places(patching_of("schema-s0", *recovered), cuts, NO_HEADS, tau=0.4, alpha=0.9)
    )

    assert (named["printed_layer"], named["printed_layer_last"]) == ("1", "3")


@pytest.mark.parametrize(
    "recovered",
    [
        pytest.param([1, 1, 1, 1, 1], id="even the last layer recovers"),
        pytest.param([0.8, 0, 0, 0, 0], id="no layer recovers enough"),
    ],
)
def test_no_block_is_named_where_none_can_be(recovered: list[float]) -> None:
    patching = patching_of("schema-s0", recovered)
    cuts = cuts_of("schema-s0", [("2", 0.5), ("1 2", 0.6)])

    named = blocks_of(named_places(patching, cuts, NO_HEADS, tau=0.4, alpha=0.9))

    assert named["after_last_layer"] == ""
    assert named["cut_set"] == ""


def test_no_layer_is_printed_where_the_embedding_alone_recovers_enough() -> None:
    """Block 1 reads, or moves the word on: a patch after it comes too late."""
    patching = patching_of("schema-s0", [1, 0.8, 0, 0, 0])
    cuts = cuts_of("schema-s0", [("1", 1.0)])

    named = blocks_of(named_places(patching, cuts, NO_HEADS, tau=0.4, alpha=0.9))

    assert (named["printed_layer"], named["printed_layer_last"]) == ("", "")
    assert named["after_last_layer"] == "1"


def test_no_block_is_after_the_last_one() -> None:
    """L* is layer 4 of four blocks where that recovers most."""
    patching = patching_of("schema-s0", [1, 0.2, 0.2, 0.2, 1])
    cuts = cuts_of("schema-s0", [("2", 1.0)])

    named = blocks_of(named_places(patching, cuts, NO_HEADS, tau=0.4, alpha=0.9))

    assert (named["top_layer"], named["after_top_layer"]) == ("4", "")


def test_a_gap_below_tau_names_nothing() -> None:
    patching = patching_of("schema-s0", [1, 1, 0, 0, 0])
    cuts = cuts_of("schema-s0", [("2", 1.0)])

    places = named_places(patching, cuts, NO_HEADS, tau=10.5, alpha=0.9)

    assert blocks_of(places)["after_last_layer"] == ""


def heads_of(run: str, *attributions: list[tuple[int, float]]) -> pd.DataFrame:
    """A pair for each list of the attributions of heads, in logits, each with its block."""
    rows = []
    for number, heads in enumerate(attributions):
        for head, (block, logits) in enumerate(heads, start=1):
            rows.append((run, f"pair-{number}", block, head, logits))
    return pd.DataFrame(rows, columns=["run", "pair", "block", "head", "attribution"])


@pytest.mark.parametrize(
    ("attributions", "blocks"),
    [
        # Of the gap of 10 block 4 has 5 + 1.5, over its two heads, and block 2 the rest of 9; block
        # 3 is not needed.
        pytest.param([[(2, 2.5), (3, 1.0), (4, 5.0), (4, 1.5)]] * 2, "2 4", id="shared out"),
        # Means over the pairs: 5 and 5, where either pair alone would name one block.
        pytest.param([[(1, 10.0), (3, 0.0)], [(1, 0.0), (3, 10.0)]], "1 3", id="by pair"),
        # A relay: what is moved on is attributed in both blocks, and the earlier one comes first.
        pytest.param([[(1, 10.0), (3, 10.0)]] * 2, "1", id="in a row"),
        pytest.param([[(2, 4.0), (3, 4.9)]] * 2, "", id="less than 0.9 of the gap"),
    ],
)
def test_the_set_of_attributions_by_hand(
    attributions: list[list[tuple[int, float]]], blocks: str
) -> None:
    patching = patching_of("matched_03", [1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0])
    cuts = cuts_of("matched_03", *[[("2", 1.0)]] * 3)
    heads = heads_of("matched_03", *attributions)  # of the first two pairs alone

    named = blocks_of(named_places(patching, cuts, heads, tau=0.4, alpha=0.9))

    assert named["attribution_set"] == blocks


def place(run: str, known: str, instrument: str, blocks: str) -> dict[str, object]:
    """A row of `named_places`, of a control of four blocks."""
    return {
        "run": run,
        "group": "matched",
        "route": "shared",
        "n_blocks": 4,
        "known_blocks": known,
        "instrument": instrument,
        "blocks": blocks,
    }


@pytest.fixture
def scores() -> pd.DataFrame:
    """Three controls; the first two are developed and held out, by their numbers,
    and the third is developed.
    """
    places = [
        place("matched_01", "2 3 4", "cut_set", "3 4"),  # precision 1, recall 2/3
        place("matched_02", "2 4", "cut_set", "2 4"),  # exact
        place("matched_03", "3", "cut_set", "1 2 3"),  # precision 1/3, recall 1
        place("matched_01", "2 3 4", "top_layer", "1"),
        place("matched_02", "2 4", "top_layer", ""),  # names nothing
        place("matched_03", "3", "top_layer", "3"),
    ]
    other = place("grounded_1", "1", "top_layer", "1") | {"group": "grounded"}
    return score_places(pd.DataFrame([*places, other]), **INTERVALS)


def measures(scores: pd.DataFrame, part: str, instrument: str) -> list[float]:
    """The number of controls, and the means of precision, recall and of being exact."""
    row = scores[(scores["part"] == part) & (scores["instrument"] == instrument)].iloc[0]
    return [row[name] for name in ("n", "precision", "recall", "exact")]


def test_the_scores_by_hand(scores: pd.DataFrame) -> None:
    assert not MATCHED["matched_01"].held_out
    assert MATCHED["matched_02"].held_out

    cut_set = measures(scores, "all", "cut_set")
    assert cut_set == pytest.approx([3, (1 + 1 + 1 / 3) / 3, (2 / 3 + 1 + 1) / 3, 1 / 3])
    assert measures(scores, "all", "top_layer") == pytest.approx([3, 1 / 3, 1 / 3, 1 / 3])
    # Of four blocks one is drawn: known with 3/4, 2/4 and 1/4, and the whole truth in the last case
    # alone.
    assert measures(scores, "all", "random_block") == pytest.approx([3, 1 / 2, 1 / 4, 1 / 12])

    assert measures(scores, "held_out", "cut_set") == [1, 1, 1, 1]
    assert measures(scores, "developed", "cut_set") == pytest.approx([2, 2 / 3, 5 / 6, 0])


def test_trained_models_are_compared_with_their_sets_of_cuts() -> None:
    """Two models have a set: one block named is in it for both, and is all of it for the first."""
    trained = [
        place("schema-s0", "", "cut_set", "1"),
        place("schema-s0", "", "after_last_layer", "1"),
        place("schema-s0", "", "top_layer", ""),
        place("no_schema-s0", "", "cut_set", "2 4"),
        place("no_schema-s0", "", "after_last_layer", "2"),
        place("no_schema-s0", "", "top_layer", "3"),
        place("schema-s1", "", "cut_set", ""),
        place("schema-s1", "", "after_last_layer", "3"),
        place("schema-s1", "", "top_layer", "1"),
    ]
    matched = place("matched_01", "2 3", "cut_set", "2 3")
    places = pd.DataFrame([*(row | {"group": "trained"} for row in trained), matched])

    scores = score_places(places, **INTERVALS)

    assert measures(scores, "trained", "after_last_layer") == [2, 1, 3 / 4, 1 / 2]
    assert measures(scores, "trained", "top_layer") == [2, 0, 0, 0]
    assert "cut_set" not in set(scores.loc[scores["part"] == "trained", "instrument"])
    assert measures(scores, "all", "cut_set") == [1, 1, 1, 1]


def test_the_intervals_are_over_controls(scores: pd.DataFrame) -> None:
    by_part = scores.set_index(["part", "instrument"])

    # One of three controls is exactly right: Clopper and Pearson's lower end p has
    # 1 - (1 - p)^3 = 0.025.
    row = by_part.loc[("all", "cut_set")]
    assert row["exact_low"] == pytest.approx(1 - 0.975 ** (1 / 3))
    assert row["precision_low"] < row["precision"] < row["precision_high"] <= 1

    # One of one also has an exact interval, whose lower end is 0.025; a bootstrap would give 1 to
    # 1.
    held_out = by_part.loc[("held_out", "cut_set")]
    assert (held_out["precision_low"], held_out["precision_high"]) == (pytest.approx(0.025), 1)

    random_block = scores[scores["instrument"] == "random_block"]
    for end in ("low", "high"):
        assert random_block[f"precision_{end}"].tolist() == random_block["precision"].tolist()


def test_the_cells_have_all_matched_controls_and_the_numbers_each_part(
    scores: pd.DataFrame,
) -> None:
    table = grounding_localisation.fill(localisation=scores)

    assert set(table.numbers["part"]) == {"all", "developed", "held_out", "shared"}

    cut_set, top_layer, random_block = table.shown.to_dict("records")
    assert cut_set["Instrument"] == "the set of cuts (G2)"
    assert cut_set["Controls"] == "3"
    assert cut_set["Exactly right"].startswith("33.3 (0.8 to ")
    assert top_layer["Instrument"] == "L* of R3, states after blocks"
    assert list(random_block.values()) == ["a random block", "3", "50.0", "25.0", "8.3"]


def test_the_places_of_models_and_chosen_controls_are_shown_and_all_are_in_the_numbers() -> None:
    """In all three a patch recovers the gap after block 1, and block 2 is the set of cuts."""
    runs = ("schema-s0", "grounded_2", "matched_01")
    patching = pd.concat([patching_of(run, [1, 1, 0, 0, 0]) for run in runs])
    cuts = pd.concat([cuts_of(run, [("2", 1.0)]) for run in runs])

    table = grounding_places.fill(places=named_places(patching, cuts, NO_HEADS, tau=0.4, alpha=0.9))

    assert table.numbers["run"].nunique() == 3

    trained, control = table.shown.to_dict("records")
    assert trained["Run"] == "schema, seed 0"
    assert trained["Known"] == ""
    assert control["Run"] == "grounded, read in block 2"
    assert control["Known"] == control["the set of cuts (G2)"] == "2"
    assert np.unique(list(trained.values())[2:]).tolist() == ["1", "2"]
    # It names no block here, and is in the numbers alone.
    assert "L* of R3, with the embedding" not in trained
    assert "top_layer_embedding" in set(table.numbers["instrument"])
