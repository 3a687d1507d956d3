"""Where each instrument locates the reading of the schema word, and how often it is right.

An instrument is a way to name the blocks in which a run reads the word, such as L* of R3
(`INSTRUMENTS`); a place is the set of blocks that it names. `named_places` makes the table of
places, with the blocks that each instrument names for each run. `score_places` compares them with
the blocks in which the controls are known to read.

Blocks are counted from 1 and written as a text such as "1 3"; "" where an instrument names none.
Layer l of a patching table is the residual stream after block l. Layer 0 is the embedding, which is
not the output of a block.
"""

import numpy as np
import pandas as pd

from mechaware.core.stats.intervals import bootstrap_mean, clopper_pearson
from mechaware.instruments.grounding.rules import ROUNDING
from mechaware.instruments.grounding.rules.grounded import (
    block_sets,
    most_common_block,
    most_common_set,
)
from mechaware.instruments.grounding.rules.paper import apply_rules, most_common_top_layer
from mechaware.planted.controls.matched import MATCHED, route_of
from mechaware.planted.sql.runs import group_of, known_blocks

# L* is a layer. In a pair, the TopLayers are all layers whose patch recovers at least `alpha` of
# the gap, and the best layer is the one whose patch recovers most.
#
#     L* of R3         the layer that is best in most pairs
#     L* as printed    the layer that is in the TopLayers of most pairs, as the paper prints it
#
# Either is a choice among equal layers, since all layers before the block that reads recover the
# whole gap. R3 takes the first of them. As printed, L* is taken in two ways, as the first and as
# the last.
#
# No L* as printed counts the embedding as a layer. The embedding recovers the gap of every pair, so
# the first of equal layers would always be the embedding, which names no block. The last would be
# the embedding, or the same layer as without it.
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
# How the blocks that an instrument names are compared with the blocks that read (`score_places`).
_MEASURES = ("precision", "recall", "exact")


def named_places(
    patching: pd.DataFrame,
    cuts: pd.DataFrame,
    attribution: pd.DataFrame,
    *,
    tau: float,
    alpha: float,
) -> pd.DataFrame:
    """The table of places: one row per run and instrument, with the blocks that it names.

    Args:
        patching: A row per pair and layer (`PairMeasurements.patching`), with a column `run`.
        cuts: A row per pair, mode and set of blocks (`PairMeasurements.cuts`), with a column `run`.
        attribution: A row per pair and head (`attribute_heads`), with a column `run`. A run that it
            lacks gets no row for `attribution_set`.
        tau: The least gap of R1, in logits.
        alpha: The share of the gap that counts as recovered or removed, 0 to 1.

    Returns:
        The columns run, group, route (`route_of` a matched control, else missing), n_blocks,
        known_blocks (the blocks that read in a control; "" for a model), instrument (a key of
        `INSTRUMENTS` other than `random_block`) and blocks.
    """
    rows = []
    for run, patching_of_run in patching.groupby("run", sort=False):
        name = str(run)
        n_blocks = int(patching_of_run["layer"].max())
        cuts_of_run = cuts[cuts["run"] == run]
        sets = block_sets(cuts_of_run, alpha)

        rules = apply_rules(patching_of_run, tau=tau, alpha=alpha)
        with_embedding = apply_rules(patching_of_run, tau=tau, alpha=alpha, first_layer=0)
        top_layer = most_common_top_layer(rules)
        top_layer_embedding = most_common_top_layer(with_embedding)
        if top_layer_embedding == 0:
            # The embedding is not the output of a block.
            top_layer_embedding = None
        printed_layers = _most_common_layers(rules)

        blocks_by_instrument = {
            # Layer l is the output of block l, so it names block l.
            "top_layer": _as_text(top_layer),
            "top_layer_embedding": _as_text(top_layer_embedding),
            "printed_layer": _as_text(min(printed_layers, default=None)),
            "printed_layer_last": _as_text(max(printed_layers, default=None)),
            "after_top_layer": _as_text(_block_after(top_layer, n_blocks)),
            "after_last_layer": _as_text(_after_last_layer(with_embedding, n_blocks)),
            "first_cut": _as_text(_first_cut(cuts_of_run)),
            "cut_set": most_common_set(sets),
            "shared_block": _as_text(most_common_block(sets)),
            # A baseline without measurements: models of few blocks may all read in the first.
            "first_block": "1",
        }
        heads = attribution[attribution["run"] == run]
        if len(heads):
            blocks_by_instrument["attribution_set"] = _attribution_set(
                heads, patching_of_run, alpha
            )

        common = {
            "run": name,
            "group": group_of(name),
            "route": route_of(MATCHED[name]) if name in MATCHED else None,
            "n_blocks": n_blocks,
            "known_blocks": " ".join(map(str, known_blocks(name))),
        }
        for instrument, blocks in blocks_by_instrument.items():
            rows.append(common | {"instrument": instrument, "blocks": blocks})
    return pd.DataFrame(rows)


def _as_text(block: int | None) -> str:
    """A block as text; "" for no block."""
    return "" if block is None else str(block)


def _most_common_layers(rules: pd.DataFrame) -> list[int]:
    """The layers that are in the TopLayers of most pairs; several on a tie.

    For two pairs with the TopLayers "1 2 3" and "1 2" they are 1 and 2. There are none where no
    layer recovers enough of any pair's gap.
    """
    # A row for each pair and layer in its TopLayers; a missing value for a pair without any.
    layers = rules["top_layers"].str.split().explode()
    counts = layers.dropna().astype(int).value_counts()
    return [int(layer) for layer in counts.index[counts == counts.max()]]


def _block_after(layer: int | None, n_blocks: int) -> int | None:
    """The block whose input is `layer`; None if there is no layer, or no block after it."""
    if layer is None or layer == n_blocks:
        return None
    return layer + 1


def _after_last_layer(rules: pd.DataFrame, n_blocks: int) -> int | None:
    """The block after the last layer that recovers `alpha` of the gap.

    Each pair that passes R2 has such a block, unless the output of the last block recovers as much.
    The block of most pairs is named, on a tie the earliest; None if no pair has such a block.

    The block is the last that can still use the clean state of the word: a patch of the block's
    output recovers too little. If a patch of layers 0 to 3 recovers 1, 1, 0.6 and 0 of the gap, the
    last layer that recovers 0.9 of it is 1, and block 2 reads the word.

    `rules` is the table of `apply_rules` with the embedding as a layer.
    """
    top_layers = rules.loc[rules["r2"], "top_layers"]
    last_layers = top_layers.str.split().str[-1].astype(int)

    # Where even the last layer recovers the gap, no block after it can read the word.
    blocks = last_layers[last_layers < n_blocks] + 1
    counts = blocks.value_counts()
    if counts.empty:
        return None
    return int(counts.index[counts == counts.max()].min())


def _attribution_set(heads: pd.DataFrame, patching: pd.DataFrame, alpha: float) -> str:
    """The fewest blocks, by falling attribution, whose attributions add up to `alpha` of the gap.

    `heads` is a run's table of `attribute_heads`. A block's attribution is the sum over its heads
    of the head's mean over pairs, in logits; the gap is the mean over the same pairs. If the gap is
    10 and the attributions of blocks 1 to 4 are 0, 6, 1 and 3, the set with `alpha` 0.9 is "2 4",
    since 6 + 3 = 9. "" where the mean gap is not above 0, or all blocks add up to too little.
    """
    pairs = patching.drop_duplicates("pair").set_index("pair").loc[heads["pair"].unique()]
    gap = float((pairs["clean_diff"] - pairs["corrupted_diff"]).mean())

    by_block = heads.groupby("block")["attribution"].sum() / len(pairs)
    # Rounded to 0.0001 logits, so that blocks of equal attribution are ranked by their number, and
    # not by the last bits of a sum.
    ranked = by_block.round(4).sort_values(ascending=False, kind="stable")
    reaches = ranked.cumsum() >= alpha * gap - ROUNDING
    if gap <= 0 or not reaches.any():
        return ""
    n_needed = int(reaches.to_numpy().argmax()) + 1
    return " ".join(map(str, sorted(ranked.index[:n_needed])))


def _first_cut(cuts: pd.DataFrame) -> int | None:
    """The block that is ranked first in most pairs.

    A pair ranks its blocks by the share of the gap that a cut of the block's keys and values
    recovers plus the share that it removes (`rules.grounded`).
    """
    top_single_blocks = cuts[(cuts["kind"] == "top") & (cuts["size"] == 1)]
    # Each pair has a row for each mode, with the same block.
    return most_common_block(top_single_blocks.drop_duplicates("pair"))


def score_places(
    places: pd.DataFrame, *, confidence_level: float, resamples: int, seed: int
) -> pd.DataFrame:
    """How well each instrument finds the blocks that read the schema word.

    `places` is the table of `named_places`. The result has a row per part and instrument. The parts
    are

    - `all`: all matched controls;
    - `developed` and `held_out`: the two halves of the matched controls (`MATCHED`);
    - each route (`route_of`): the matched controls with this route;
    - `trained`: the trained models for which `cut_set` names blocks. Where a trained model reads is
      not known; the other instruments are compared with the blocks of `cut_set`.

    Columns:

    - part, instrument
    - n: the number of controls, or of trained models
    - precision: the mean share of the named blocks that read the word; 0 where none is named
    - recall: the mean share of the reading blocks that are named
    - exact: the share of controls whose named blocks are exactly the blocks that read
    - {measure}_low, {measure}_high: for each of these three measures, an interval over controls
      (`_intervals`)

    `random_block` names one block of the control's transformer at random. Its numbers are
    expectations without error, so both ends of an interval equal the number.
    """
    matched = places[places["group"] == "matched"]
    matched = pd.concat([_add_scores(matched), _random_blocks(matched)], ignore_index=True)
    held_out = matched["run"].map(lambda run: MATCHED[run].held_out)
    parts = {
        "all": matched,
        "developed": matched[~held_out],
        "held_out": matched[held_out],
    }
    for route, rows_of_route in matched.groupby("route", sort=False):
        parts[str(route)] = rows_of_route
    parts["trained"] = _trained_against_cuts(places)

    rows = []
    for part, rows_of_part in parts.items():
        for instrument, scored in rows_of_part.groupby("instrument", sort=False):
            row: dict[str, object] = {"part": part, "instrument": instrument, "n": len(scored)}
            for measure in _MEASURES:
                row[measure] = scored[measure].mean()
            if instrument == "random_block":
                row |= {f"{measure}_low": row[measure] for measure in _MEASURES}
                row |= {f"{measure}_high": row[measure] for measure in _MEASURES}
            else:
                row |= _intervals(
                    scored, confidence_level=confidence_level, resamples=resamples, seed=seed
                )
            rows.append(row)
    return pd.DataFrame(rows)


def _trained_against_cuts(places: pd.DataFrame) -> pd.DataFrame:
    """The trained models' rows, scored as if the blocks of `cut_set` were known to read.

    The rows of `cut_set` itself and of models for which it names no block are left out.
    """
    trained = places[places["group"] == "trained"]
    cut_sets = trained[trained["instrument"] == "cut_set"].set_index("run")["blocks"]
    others = trained[trained["instrument"] != "cut_set"]
    others = others.assign(known_blocks=others["run"].map(cut_sets))
    with_set = others[others["known_blocks"] != ""]
    return _add_scores(with_set) if len(with_set) else with_set


def _add_scores(places: pd.DataFrame) -> pd.DataFrame:
    """The rows of `places` with the columns precision, recall and exact (`_MEASURES`).

    With known = {2, 4} and named = {2, 3, 5}: precision 1/3, recall 1/2, exact 0.
    """
    rows = []
    for row in places.to_dict("records"):
        known = set(row["known_blocks"].split())
        named = set(row["blocks"].split())
        n_found = len(known & named)
        scores = {
            "precision": n_found / len(named) if named else 0.0,
            "recall": n_found / len(known),
            "exact": float(known == named),
        }
        rows.append(row | scores)
    return pd.DataFrame(rows)


def _random_blocks(places: pd.DataFrame) -> pd.DataFrame:
    """A row per run with the expected scores of one block that is drawn at random (`_MEASURES`)."""
    rows = []
    for row in places.drop_duplicates("run").to_dict("records"):
        n_blocks = row["n_blocks"]
        n_known = len(row["known_blocks"].split())
        expected = {
            # The precision is 1 if the block reads, else 0.
            "precision": n_known / n_blocks,
            # The recall is 1 / n_known if the block reads, else 0:
            # (n_known / n_blocks) * (1 / n_known).
            "recall": 1 / n_blocks,
            "exact": 1 / n_blocks if n_known == 1 else 0.0,
        }
        rows.append(row | {"instrument": "random_block", "blocks": ""} | expected)
    return pd.DataFrame(rows)


def _intervals(
    scored: pd.DataFrame, *, confidence_level: float, resamples: int, seed: int
) -> dict[str, float]:
    """The columns {measure}_low and {measure}_high, for each of `_MEASURES`.

    `scored` has a row for each control. If a measure is 0 or 1 for every control, the interval is
    Clopper and Pearson's: a bootstrap of values that are all 1 would give an interval from 1 to 1.
    Otherwise it is a bootstrap over controls.
    """
    columns: dict[str, float] = {}
    for measure in _MEASURES:
        values = scored[measure].to_numpy(float)
        if np.isin(values, (0, 1)).all():
            interval = clopper_pearson(int(values.sum()), len(values), confidence_level)
        else:
            interval = bootstrap_mean(
                values,
                scored["run"],
                resamples=resamples,
                seed=seed,
                confidence_level=confidence_level,
            )
        columns |= {f"{measure}_low": interval.low, f"{measure}_high": interval.high}
    return columns
