"""The blocks that each instrument names as readers of the schema word, and how often a control reads there.

Every instrument names blocks, counted from 1, as a text such as "1 3"; "" where it names none. Layer l of a patching
table is the residual stream after block l, and layer 0 the embedding, which is no block.
"""

import numpy as np
import pandas as pd

from mechaware.core.stats import bootstrap_mean, clopper_pearson
from mechaware.instruments.grounding.rules import ROUNDING
from mechaware.instruments.grounding.rules.grounded import (
    block_sets,
    most_common_block,
    most_common_set,
)
from mechaware.instruments.grounding.rules.paper import apply_rules, most_common_top_layer
from mechaware.planted.controls.matched import MATCHED, route_of
from mechaware.planted.sql.runs import group_of, known_blocks

# The paper prints L* as the commonest member of all TopLayers; R3 takes the layer that is best in most pairs. Before a
# block reads the word all layers recover the whole gap, so that both are chosen among equal layers. L* as printed is
# not listed with the embedding: it would be the embedding, which recovers the gap of every pair, and is no block.
INSTRUMENTS = {
    "top_layer": "L* of R3, states after blocks",
    "top_layer_embedding": "L* of R3, with the embedding",
    "printed_layer": "L* as printed, the first of equal layers",
    "printed_layer_last": "L* as printed, the last of equal layers",
    "after_top_layer": "the block after L*, states after blocks",
    "after_last_layer": "the block after the last layer that recovers",
    "first_cut": "the block whose cut moves most",
    "cut_set": "the set of cuts (G2)",
    "shared_block": "the block in most pairs' sets (G3)",
    "attribution_set": "the set of attributions (EAP-IG)",
    "first_block": "the first block, whatever the model",
    "random_block": "a random block",
}
# Of the blocks that an instrument names, against the blocks that read.
_MEASURES = ("precision", "recall", "exact")


def named_places(
    patching: pd.DataFrame,
    cuts: pd.DataFrame,
    attribution: pd.DataFrame,
    *,
    tau: float,
    alpha: float,
) -> pd.DataFrame:
    """The blocks that each instrument names for each run: one row per run and instrument.

    `patching` and `cuts` are tables of measurements (`PairMeasurements`) with a column `run`, and `attribution` is the
    table of `attribute_heads` with that column; a run that it lacks has no row for `attribution_set`. Columns: run,
    group, route (of a matched control, else missing), n_blocks, known_blocks (of a control), instrument (of
    `INSTRUMENTS`, but `random_block`) and blocks.
    """
    rows = []
    for run, of_run in patching.groupby("run", sort=False):
        name = str(run)
        n_blocks = int(of_run["layer"].max())
        cuts_of_run = cuts[cuts["run"] == run]
        sets = block_sets(cuts_of_run, alpha)

        rules = apply_rules(of_run, tau=tau, alpha=alpha)
        with_embedding = apply_rules(of_run, tau=tau, alpha=alpha, first_layer=0)
        top_layer = most_common_top_layer(rules)
        top_layer_embedding = most_common_top_layer(with_embedding)
        printed_layers = _commonest_layers(rules)

        named = {
            # As a block: layer l is what block l has written, and layer 0 no block's.
            "top_layer": _as_text(top_layer),
            "top_layer_embedding": _as_text(top_layer_embedding or None),
            "printed_layer": _as_text(min(printed_layers, default=None)),
            "printed_layer_last": _as_text(max(printed_layers, default=None)),
            "after_top_layer": _as_text(_block_after(top_layer, n_blocks)),
            "after_last_layer": _as_text(_after_last_layer(with_embedding, n_blocks)),
            "first_cut": _as_text(_first_cut(cuts_of_run)),
            "cut_set": most_common_set(sets),
            "shared_block": _as_text(most_common_block(sets)),
            # What an instrument must be better than: models of a few blocks may all read in the first.
            "first_block": "1",
        }
        of_heads = attribution[attribution["run"] == run]
        if len(of_heads):
            named["attribution_set"] = _attribution_set(of_heads, of_run, alpha)
        common = {
            "run": name,
            "group": group_of(name),
            "route": route_of(MATCHED[name]) if name in MATCHED else None,
            "n_blocks": n_blocks,
            "known_blocks": " ".join(map(str, known_blocks(name))),
        }
        for instrument, blocks in named.items():
            rows.append(common | {"instrument": instrument, "blocks": blocks})
    return pd.DataFrame(rows)


def _as_text(block: int | None) -> str:
    """A block as instruments name it."""
    return "" if block is None else str(block)


def _commonest_layers(rules: pd.DataFrame) -> list[int]:
    """The layers that are among the TopLayers of most pairs: several on a tie, none where no layer recovers enough.

    Of two pairs with the TopLayers "1 2 3" and "1 2" the layers 1 and 2 are in both.
    """
    counts = rules["top_layers"].str.split().explode().dropna().astype(int).value_counts()
    return [int(layer) for layer in counts.index[counts == counts.max()]]


def _block_after(layer: int | None, n_blocks: int) -> int | None:
    """The block that reads the states of `layer`; None without a layer, and after the last block."""
    if layer is None or layer == n_blocks:
        return None
    return layer + 1


def _after_last_layer(rules: pd.DataFrame, n_blocks: int) -> int | None:
    """The block after the last layer that recovers `alpha` of the gap, in most of the pairs that pass R1.

    `rules` is the table of `apply_rules` with the embedding as a layer. The word's clean state is in time for this
    block, and comes too late for the next. With layers 0 to 3 where a patch recovers 1, 1, 0.6 and 0 of the gap, the
    last such layer is 1, and block 2 reads the word. The earlier block counts on a tie; None where no pair has one.
    """
    recovering = rules.loc[rules["r2"], "top_layers"]
    last_layers = recovering.str.split().str[-1].astype(int)

    # Where even the last layer recovers, no block is after it: nothing reads the word there.
    blocks = last_layers[last_layers < n_blocks] + 1
    counts = blocks.value_counts()
    return int(counts.index[counts == counts.max()].min()) if len(counts) else None


def _attribution_set(of_heads: pd.DataFrame, patching: pd.DataFrame, alpha: float) -> str:
    """The smallest set of the blocks with the largest attribution whose heads make up `alpha` of the gap.

    A block's attribution is the sum over its heads of the means over pairs. In logits, with a gap of 10 and blocks of
    0, 6, 1 and 3, the set is "2 4" with `alpha` 0.9, as 6 + 3 is 9. "" where all blocks together have less.
    """
    of_pairs = patching.drop_duplicates("pair").set_index("pair").loc[of_heads["pair"].unique()]
    gap = float((of_pairs["clean_diff"] - of_pairs["corrupted_diff"]).mean())

    by_block = of_heads.groupby("block")["attribution"].sum() / len(of_pairs)
    # Blocks of equal attribution, to within rounding, in their order.
    ranked = by_block.round(4).sort_values(ascending=False, kind="stable")
    reaches = ranked.cumsum() >= alpha * gap - ROUNDING
    if gap <= 0 or not reaches.any():
        return ""
    n_blocks = int(reaches.to_numpy().argmax()) + 1
    return " ".join(map(str, sorted(ranked.index[:n_blocks])))


def _first_cut(cuts: pd.DataFrame) -> int | None:
    """The block that is ranked first in most pairs: its cut keys and values recover and remove most of the gap."""
    first = cuts[(cuts["kind"] == "top") & (cuts["size"] == 1)].drop_duplicates("pair")
    return most_common_block(first)


def score_places(
    places: pd.DataFrame, *, confidence_level: float, resamples: int, seed: int
) -> pd.DataFrame:
    """How well each instrument finds the blocks that the matched controls read.

    `places` has the rows of `named_places`. One row per part and instrument. The parts are `all` matched controls,
    the `developed` and the `held_out` controls (`MATCHED`), the controls of each route, and `trained`: the trained
    models with a set of cuts. What these models read is not known, so the blocks that an instrument names are compared
    with the set. Columns:

    - part, instrument, n (controls)
    - precision: the share of the named blocks that read the word; 0 where none is named
    - recall: the share of the blocks that read the word that are named
    - exact: the share of controls whose named blocks are exactly the blocks that read
    - each with {name}_low and {name}_high, an interval over controls (`_intervals`)

    `random_block` names one block of the control's transformer at random; its numbers are expectations, which have no
    error: both ends are the number.
    """
    matched = places[places["group"] == "matched"]
    matched = pd.concat([_add_scores(matched), _random_blocks(matched)], ignore_index=True)
    held_out = matched["run"].map(lambda run: MATCHED[run].held_out)
    parts = {
        "all": matched,
        "developed": matched[~held_out],
        "held_out": matched[held_out],
    }
    for route, of_route in matched.groupby("route", sort=False):
        parts[str(route)] = of_route
    parts["trained"] = _trained_against_cuts(places)

    rows = []
    for part, of_part in parts.items():
        for instrument, named in of_part.groupby("instrument", sort=False):
            row: dict[str, object] = {"part": part, "instrument": instrument, "n": len(named)}
            for measure in _MEASURES:
                row[measure] = named[measure].mean()
            if instrument == "random_block":
                # An expectation has no error: both ends are the number.
                row |= {f"{measure}_low": row[measure] for measure in _MEASURES}
                row |= {f"{measure}_high": row[measure] for measure in _MEASURES}
            else:
                row |= _intervals(
                    named, confidence_level=confidence_level, resamples=resamples, seed=seed
                )
            rows.append(row)
    return pd.DataFrame(rows)


def _trained_against_cuts(places: pd.DataFrame) -> pd.DataFrame:
    """The rows of trained models, without the set of cuts: scored as if the blocks of this set were the blocks read."""
    trained = places[places["group"] == "trained"]
    sets = trained[trained["instrument"] == "cut_set"].set_index("run")["blocks"]
    others = trained[trained["instrument"] != "cut_set"]
    others = others.assign(known_blocks=others["run"].map(sets))
    with_set = others[others["known_blocks"] != ""]
    return _add_scores(with_set) if len(with_set) else with_set


def _add_scores(places: pd.DataFrame) -> pd.DataFrame:
    """The rows of `places` with precision, recall and exact of the blocks that each names."""
    rows = []
    for place in places.to_dict("records"):
        known = set(place["known_blocks"].split())
        named = set(place["blocks"].split())
        found = len(known & named)
        scores = {
            "precision": found / len(named) if named else 0.0,
            "recall": found / len(known),
            "exact": float(known == named),
        }
        rows.append(place | scores)
    return pd.DataFrame(rows)


def _random_blocks(places: pd.DataFrame) -> pd.DataFrame:
    """A row per run, with the expected precision, recall and exact of one block that is drawn at random."""
    rows = []
    for place in places.drop_duplicates("run").to_dict("records"):
        n_blocks = place["n_blocks"]
        n_known = len(place["known_blocks"].split())
        expected = {
            # It is one of the known blocks with this probability, and then one of so many.
            "precision": n_known / n_blocks,
            "recall": 1 / n_blocks,
            "exact": 1 / n_blocks if n_known == 1 else 0.0,
        }
        rows.append(place | {"instrument": "random_block", "blocks": ""} | expected)
    return pd.DataFrame(rows)


def _intervals(
    named: pd.DataFrame, *, confidence_level: float, resamples: int, seed: int
) -> dict[str, float]:
    """The ends of the intervals of precision, recall and exact, as columns `precision_low` and so on.

    Where each control has 0 or 1, the interval is the exact one, since a bootstrap of nothing but ones would be 1 to 1.
    Else it is a bootstrap over controls.
    """
    columns: dict[str, float] = {}
    for measure in _MEASURES:
        values = named[measure].to_numpy(float)
        if np.isin(values, (0, 1)).all():
            interval = clopper_pearson(int(values.sum()), len(values), confidence_level)
        else:
            interval = bootstrap_mean(
                values,
                named["run"],
                resamples=resamples,
                seed=seed,
                confidence_level=confidence_level,
            )
        columns |= {f"{measure}_low": interval.low, f"{measure}_high": interval.high}
    return columns
