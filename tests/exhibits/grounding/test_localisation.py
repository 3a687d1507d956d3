"""The blocks that each instrument names, and how well they match the blocks that read, by hand.

The first half tests `named_places`, on tables of patching, cuts and attributions. The second half
tests `score_places`, on rows of `named_places`. The last two tests are of the tables that readers
see.
"""

from typing import NamedTuple

import pandas as pd
import pytest

from exhibits.grounding.localisation import named_places, score_places
from exhibits.grounding.tables import grounding_localisation, grounding_places
from mechaware.planted.controls.matched import MATCHED

# The table of a run whose heads are not attributed.
NO_HEADS = pd.DataFrame(columns=["run", "pair", "block", "head", "attribution"])
INTERVALS = {"confidence_level": 0.95, "resamples": 200, "seed": 3}


def patching_of(run: str, *recoveries: list[float]) -> pd.DataFrame:
    """The patching of a run: for each pair the shares of the gap that layers 0, 1, ... recover.

    Layer 0 is the embedding, and the last layer is the output of the last block. In every pair the
    gap is 10, from -4 to 6.
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
    """The cuts of a run: for each pair its top sets of blocks, each with a share of the gap.

    A cut of the set recovers this share (denoising) and removes it (noising). In every pair the gap
    is 10, from -4 to 6.
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


def heads_of(run: str, *attributions: list[tuple[int, float]]) -> pd.DataFrame:
    """The attributions of a run: for each pair the block and the attribution, in logits, of each
    head.
    """
    rows = []
    for number, heads in enumerate(attributions):
        for head, (block, logits) in enumerate(heads, start=1):
            rows.append((run, f"pair-{number}", block, head, logits))
    return pd.DataFrame(rows, columns=["run", "pair", "block", "head", "attribution"])


def named_blocks(
    patching: pd.DataFrame,
    cuts: pd.DataFrame,
    heads: pd.DataFrame = NO_HEADS,
    *,
    tau: float = 0.4,
) -> dict[str, str]:
    """The blocks of the only run by the instrument that names them, with `alpha` 0.9."""
    places = named_places(patching, cuts, heads, tau=tau, alpha=0.9)
    return dict(zip(places["instrument"], places["blocks"], strict=True))


def test_every_instrument_names_blocks_of_a_reading_in_two_blocks() -> None:
    """Block 2 reads 0.7 of the word and block 4 reads 0.3. A patch after block 1 recovers the whole
    gap, a patch after block 2 or 3 recovers 0.3.
    """
    recovered = [1, 1, 0.3, 0.3, 0]
    patching = patching_of("matched_03", recovered, recovered)
    ranking = [("2", 0.7), ("2 4", 1.0), ("1 2 4", 1.0)]
    cuts = cuts_of("matched_03", ranking, ranking)

    assert named_blocks(patching, cuts) == {
        "top_layer": "1",
        # The first of equal layers is the embedding, which is no block.
        "top_layer_embedding": "",
        "printed_layer": "1",
        "printed_layer_last": "1",
        "after_top_layer": "2",
        "after_last_layer": "2",
        "first_cut": "2",
        "cut_set": "2 4",
        # Blocks 2 and 4 are in both pairs' sets; the first is named.
        "shared_block": "2",
        # Whatever was measured.
        "first_block": "1",
    }

    places = named_places(patching, cuts, NO_HEADS, tau=0.4, alpha=0.9)
    assert places["n_blocks"].unique().tolist() == [4]


def test_a_later_layer_that_recovers_more_than_the_gap_is_named() -> None:
    """Layer 1 recovers the gap, and layer 2 recovers 1.5 of it.

    L* is layer 2, which is also the last layer that recovers.
    """
    patching = patching_of("schema-s0", [1, 1, 1.5, 0, 0])
    cuts = cuts_of("schema-s0", [("3", 1.5), ("2 3", 1.0)])

    named = named_blocks(patching, cuts)

    assert named["top_layer"] == named["top_layer_embedding"] == "2"
    # Both layers recover at least 0.9 of the gap, so that L* as printed is the first or the last.
    assert (named["printed_layer"], named["printed_layer_last"]) == ("1", "2")
    assert named["after_top_layer"] == named["after_last_layer"] == "3"


def test_the_block_of_most_pairs_is_named_and_the_earlier_block_on_a_tie() -> None:
    early = [1, 1, 0, 0, 0]
    late = [1, 1, 1, 0, 0]
    cuts = cuts_of("schema-s0", [("2", 1.0)], [("3", 1.0)], [("3", 1.0)])

    majority = named_blocks(patching_of("schema-s0", early, late, late), cuts)
    tie = named_blocks(patching_of("schema-s0", late, early), cuts)

    assert majority["after_last_layer"] == "3"
    assert tie["after_last_layer"] == "2"


def test_the_printed_layer_is_in_the_most_pairs_sets_and_need_not_be_the_best_layer() -> None:
    """A pair's best layer, and its TopLayers, which recover at least 0.9 of the gap:

        pair  best  TopLayers
        0     2     1 2
        1     3     2 3
        2     3     1 2 3

    Layer 3 is the best in most pairs, and layer 2 is in all pairs' TopLayers.
    """
    patching = patching_of(
        "schema-s0", [1, 0.95, 1.0, 0.2, 0], [1, 0.5, 0.95, 1.0, 0], [1, 0.92, 0.97, 1.0, 0]
    )
    cuts = cuts_of("schema-s0", [("4", 1.0)], [("4", 1.0)], [("4", 1.0)])

    named = named_blocks(patching, cuts)

    assert named["top_layer"] == "3"
    assert named["printed_layer"] == named["printed_layer_last"] == "2"


def test_of_layers_in_equally_many_pairs_the_first_and_the_last_are_named() -> None:
    """Layer 1 is among the TopLayers of pairs 0 and 1, layer 2 of pair 0 alone, and layer 3 of
    pairs 1 and 2.
    """
    patching = patching_of("schema-s0", [1, 1, 1, 0.2, 0], [1, 1, 0.2, 1, 0], [1, 0.2, 0.2, 1, 0])
    cuts = cuts_of("schema-s0", [("4", 1.0)], [("4", 1.0)], [("4", 1.0)])

    named = named_blocks(patching, cuts)

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

    named = named_blocks(patching, cuts)

    assert named["after_last_layer"] == ""
    assert named["cut_set"] == ""


def test_no_layer_is_printed_where_the_embedding_alone_recovers_enough() -> None:
    """A patch after block 1 comes too late: block 1 reads the word, or moves it on."""
    patching = patching_of("schema-s0", [1, 0.8, 0, 0, 0])
    cuts = cuts_of("schema-s0", [("1", 1.0)])

    named = named_blocks(patching, cuts)

    assert (named["printed_layer"], named["printed_layer_last"]) == ("", "")
    assert named["after_last_layer"] == "1"


def test_no_block_is_after_the_last_one() -> None:
    """The last of the four layers recovers most, so that it is L*."""
    patching = patching_of("schema-s0", [1, 0.2, 0.2, 0.2, 1])
    cuts = cuts_of("schema-s0", [("2", 1.0)])

    named = named_blocks(patching, cuts)

    assert (named["top_layer"], named["after_top_layer"]) == ("4", "")


def test_a_gap_below_tau_names_nothing() -> None:
    patching = patching_of("schema-s0", [1, 1, 0, 0, 0])
    cuts = cuts_of("schema-s0", [("2", 1.0)])

    named = named_blocks(patching, cuts, tau=10.5)

    assert named["after_last_layer"] == ""


@pytest.mark.parametrize(
    ("attributions", "blocks"),
    [
        # The gap is 10, so that 9 is enough. Block 4 has 5 + 1.5 in its two heads and block 2 has
        # 2.5, together 9; block 3 is not needed.
        pytest.param([[(2, 2.5), (3, 1.0), (4, 5.0), (4, 1.5)]] * 2, "2 4", id="two blocks"),
        # The means over the pairs are 5 and 5, where either pair alone would name one block.
        pytest.param([[(1, 10.0), (3, 0.0)], [(1, 0.0), (3, 10.0)]], "1 3", id="means over pairs"),
        # Block 3 reads what block 1 moved on: both have the whole gap, and the earlier one counts.
        pytest.param([[(1, 10.0), (3, 10.0)]] * 2, "1", id="relay"),
        pytest.param([[(1, 10.0), (3, 10.00002)]] * 2, "1", id="relay, in rounded numbers"),
        pytest.param([[(2, 4.0), (3, 4.9)]] * 2, "", id="less than 0.9 of the gap"),
    ],
)
def test_the_attribution_set_is_the_fewest_blocks_with_enough_of_the_gap(
    attributions: list[list[tuple[int, float]]], blocks: str
) -> None:
    patching = patching_of("matched_03", [1, 1, 0, 0, 0], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0])
    cuts = cuts_of("matched_03", [("2", 1.0)], [("2", 1.0)], [("2", 1.0)])
    # The third pair has no attributions.
    heads = heads_of("matched_03", *attributions)

    named = named_blocks(patching, cuts, heads)

    assert named["attribution_set"] == blocks


def place(run: str, *, known: str, instrument: str, blocks: str) -> dict[str, object]:
    """A row of `named_places`, of a matched control of four blocks."""
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
    """The scores of three matched controls, of which `matched_02` is held out.

    `grounded_1` is no matched control, and does not count.
    """
    places = [
        # Precision 1, recall 2/3.
        place("matched_01", known="2 3 4", instrument="cut_set", blocks="3 4"),
        # Exact.
        place("matched_02", known="2 4", instrument="cut_set", blocks="2 4"),
        # Precision 1/3, recall 1.
        place("matched_03", known="3", instrument="cut_set", blocks="1 2 3"),
        # Wrong, none and exact.
        place("matched_01", known="2 3 4", instrument="top_layer", blocks="1"),
        place("matched_02", known="2 4", instrument="top_layer", blocks=""),
        place("matched_03", known="3", instrument="top_layer", blocks="3"),
    ]
    chosen = place("grounded_1", known="1", instrument="top_layer", blocks="1")
    chosen["group"] = "grounded"
    return score_places(pd.DataFrame([*places, chosen]), **INTERVALS)


class Measures(NamedTuple):
    """A row of scores without its intervals: the number of controls, and means over controls."""

    n: int
    precision: float
    recall: float
    exact: float


def measures(scores: pd.DataFrame, part: str, instrument: str) -> Measures:
    """The measures of an instrument in one part of the controls."""
    row = scores[(scores["part"] == part) & (scores["instrument"] == instrument)].iloc[0]
    return Measures(row["n"], row["precision"], row["recall"], row["exact"])


def test_the_scores_are_means_over_the_controls_of_a_part(scores: pd.DataFrame) -> None:
    assert not MATCHED["matched_01"].held_out
    assert MATCHED["matched_02"].held_out
    assert not MATCHED["matched_03"].held_out

    assert measures(scores, "all", "cut_set") == pytest.approx(
        Measures(n=3, precision=(1 + 1 + 1 / 3) / 3, recall=(2 / 3 + 1 + 1) / 3, exact=1 / 3)
    )
    assert measures(scores, "all", "top_layer") == pytest.approx(
        Measures(n=3, precision=1 / 3, recall=1 / 3, exact=1 / 3)
    )
    # One of four blocks is drawn. It reads with probability 3/4, 2/4 and 1/4; it is all of the
    # blocks that read in the last control alone, with probability 1/4.
    assert measures(scores, "all", "random_block") == pytest.approx(
        Measures(n=3, precision=(3 / 4 + 2 / 4 + 1 / 4) / 3, recall=1 / 4, exact=1 / 4 / 3)
    )

    assert measures(scores, "held_out", "cut_set") == Measures(n=1, precision=1, recall=1, exact=1)
    assert measures(scores, "developed", "cut_set") == pytest.approx(
        Measures(n=2, precision=(1 + 1 / 3) / 2, recall=(2 / 3 + 1) / 2, exact=0)
    )


def test_trained_models_are_compared_with_their_sets_of_cuts() -> None:
    """`schema-s0` and `no_schema-s0` have a set of cuts, and count; `schema-s1` has none.

    The block after the last layer is in the sets of both. It is the whole set of `schema-s0`, and
    half of the set of `no_schema-s0`.
    """
    trained = [
        place("schema-s0", known="", instrument="cut_set", blocks="1"),
        place("schema-s0", known="", instrument="after_last_layer", blocks="1"),
        place("schema-s0", known="", instrument="top_layer", blocks=""),
        place("no_schema-s0", known="", instrument="cut_set", blocks="2 4"),
        place("no_schema-s0", known="", instrument="after_last_layer", blocks="2"),
        place("no_schema-s0", known="", instrument="top_layer", blocks="3"),
        place("schema-s1", known="", instrument="cut_set", blocks=""),
        place("schema-s1", known="", instrument="after_last_layer", blocks="3"),
        place("schema-s1", known="", instrument="top_layer", blocks="1"),
    ]
    matched = place("matched_01", known="2 3", instrument="cut_set", blocks="2 3")
    rows_of_trained = pd.DataFrame(trained).assign(group="trained")
    places = pd.concat([rows_of_trained, pd.DataFrame([matched])], ignore_index=True)

    scores = score_places(places, **INTERVALS)

    assert measures(scores, "trained", "after_last_layer") == Measures(
        n=2, precision=1, recall=(1 + 1 / 2) / 2, exact=1 / 2
    )
    assert measures(scores, "trained", "top_layer") == Measures(n=2, precision=0, recall=0, exact=0)
    assert "cut_set" not in set(scores.loc[scores["part"] == "trained", "instrument"])
    assert measures(scores, "all", "cut_set") == Measures(n=1, precision=1, recall=1, exact=1)


def test_the_intervals_are_over_controls(scores: pd.DataFrame) -> None:
    by_part = scores.set_index(["part", "instrument"])

    # One of three controls is exactly right. Clopper and Pearson's lower end p solves
    # 1 - (1 - p)^3 = 0.025.
    row = by_part.loc[("all", "cut_set")]
    assert row["exact_low"] == pytest.approx(1 - 0.975 ** (1 / 3))
    assert row["precision_low"] < row["precision"] < row["precision_high"] <= 1

    # The only control that is held out has precision 1. Clopper and Pearson's interval of one in
    # one is 0.025 to 1; a bootstrap would give 1 to 1.
    held_out = by_part.loc[("held_out", "cut_set")]
    assert (held_out["precision_low"], held_out["precision_high"]) == (pytest.approx(0.025), 1)

    # The precision of a random block is known without error.
    random_block = scores[scores["instrument"] == "random_block"]
    for end in ("low", "high"):
        assert random_block[f"precision_{end}"].tolist() == random_block["precision"].tolist()


def test_the_cells_are_of_all_matched_controls_and_the_numbers_of_each_part(
    scores: pd.DataFrame,
) -> None:
    table = grounding_localisation.fill(localisation=scores)

    # "shared" is the route of the three controls.
    assert set(table.numbers["part"]) == {"all", "developed", "held_out", "shared"}

    cut_set, top_layer, random_block = table.shown.to_dict("records")
    assert cut_set["Instrument"] == "the set of cuts (G2)"
    assert cut_set["Controls"] == "3"
    # 1/3, and the lower end 1 - 0.975^(1/3) = 0.0084, in per cent.
    assert cut_set["Exactly right"].startswith("33.3 (0.8 to ")
    assert top_layer["Instrument"] == "L* of R3, states after blocks"
    assert random_block == {
        "Instrument": "a random block",
        "Controls": "3",
        "Precision": "50.0",
        "Recall": "25.0",
        "Exactly right": "8.3",
    }


def test_the_places_of_models_and_chosen_controls_are_shown_and_all_are_in_the_numbers() -> None:
    """In all three runs a patch after block 1 recovers the gap, and block 2 is the set of cuts."""
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
    # Every other column has the block of one instrument.
    named = {trained[column] for column in trained if column not in ("Run", "Known")}
    assert named == {"1", "2"}
    # An instrument for which the page has no room is in the numbers alone.
    assert "L* of R3, with the embedding" not in trained
    assert "top_layer_embedding" in set(table.numbers["instrument"])
