"""The blocks that each instrument names as readers of the schema word, and how often they are those of a control.

Every instrument names blocks, counted from 1, as a text such as "1 3"; "" where it names none. Layer l of a patching
table is the residual stream after block l, and layer 0 the embedding, which is no block.
"""

import numpy as np
import pandas as pd

from mechaware.core.stats import bootstrap_mean, clopper_pearson
from mechaware.instruments.grounding.rules.grounded import (
    block_sets,
    most_common_block,
    most_common_set,
)
from mechaware.instruments.grounding.rules.paper import apply_rules, most_common_top_layer
from mechaware.planted.controls.matched import MATCHED, route_of
from mechaware.planted.sql.runs import group_of, known_blocks

INSTRUMENTS = {
    "top_layer": "L* of R3, states after blocks",
    "top_layer_embedding": "L* of R3, with the embedding",
    "after_top_layer": "the block after L*, states after blocks",
    "after_last_layer": "the block after the last layer that recovers",
    "first_cut": "the block whose cut moves most",
    "cut_set": "the set of cuts (G2)",
    "random_block": "a random block",
}


def named_places(
    patching: pd.DataFrame, cuts: pd.DataFrame, *, tau: float, alpha: float
) -> pd.DataFrame:
    """The blocks that each instrument names for each run: one row per run and instrument.

    `patching` and `cuts` are tables of measurements (`PairMeasurements`) with a column `run`. Columns: run, group,
    route (of a matched control, else missing), n_blocks, known_blocks (of a control), instrument (of `INSTRUMENTS`, but
    `random_block`) and blocks.
    """
    rows = []
    for run, of_run in patching.groupby("run", sort=False):
        name = str(run)
        n_blocks = int(of_run["layer"].max())
        cuts_of_run = cuts[cuts["run"] == run]

        rules = apply_rules(of_run, tau=tau, alpha=alpha)
        with_embedding = apply_rules(of_run, tau=tau, alpha=alpha, first_layer=0)
        top_layer = most_common_top_layer(rules)
        top_layer_embedding = most_common_top_layer(with_embedding)

        named = {
            # As a block: layer l is what block l has written, and layer 0 no block's.
            "top_layer": _as_text(top_layer),
            "top_layer_embedding": _as_text(top_layer_embedding or None),
            "after_top_layer": _as_text(_block_after(top_layer, n_blocks)),
            "after_last_layer": _as_text(_after_last_layer(with_embedding, n_blocks)),
            "first_cut": _as_text(_first_cut(cuts_of_run)),
            "cut_set": most_common_set(block_sets(cuts_of_run, alpha)),
        }
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
    return "" if block is None else str(block)


def _block_after(layer: int | None, n_blocks: int) -> int | None:
    """The block that reads the states of `layer`; None without a layer, and behind the last block."""
    if layer is None or layer == n_blocks:
        return None
    return layer + 1


def _after_last_layer(rules: pd.DataFrame, n_blocks: int) -> int | None:
    """The block behind the last layer that recovers `alpha` of the gap, in most of the pairs that pass R1.

    `rules` are those of `apply_rules` with the embedding as a layer. The word's clean state is there in time for this
    block, and comes too late for the next. With layers 0 to 3 where a patch recovers 1, 1, 0.6 and 0 of the gap, the
    last such layer is 1, and block 2 reads the word. The earlier block counts on a tie; None where no pair has one.
    """
    recovering = rules.loc[rules["r2"], "top_layers"]
    last_layers = recovering.str.split().str[-1].astype(int)

    # Where even the last layer recovers, no block is behind it: nothing reads the word there.
    blocks = last_layers[last_layers < n_blocks] + 1
    counts = blocks.value_counts()
    return int(counts.index[counts == counts.max()].min()) if len(counts) else None


def _first_cut(cuts: pd.DataFrame) -> int | None:
    """The block that is ranked first in most pairs: its cut keys and values recover and remove most of the gap."""
    first = cuts[(cuts["kind"] == "top") & (cuts["size"] == 1)].drop_duplicates("pair")
    return most_common_block(first)


def score_places(places: pd.DataFrame, *, level: float, resamples: int, seed: int) -> pd.DataFrame:
    """How well each instrument finds the blocks that the matched controls read.

    `places` has the rows of `named_places`; `held_out` runs are those whose control is (`MATCHED`). One row per part
    and instrument, where a part is `all` matched controls, those that are `developed` or `held_out`, or those of one
    route. Columns:

    - part, instrument, n (controls)
    - precision: the share of the named blocks that are read; 0 where none is named
    - recall: the share of the blocks that are read that are named
    - exact: the share of controls whose named blocks are exactly those that are read
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
        **{str(route): rows for route, rows in matched.groupby("route", sort=False)},
    }

    rows = []
    for part, of_part in parts.items():
        for instrument, named in of_part.groupby("instrument", sort=False):
            row: dict[str, object] = {"part": part, "instrument": instrument, "n": len(named)}
            means = {measure: named[measure].mean() for measure in ("precision", "recall", "exact")}
            row |= means
            if instrument == "random_block":
                row |= {f"{measure}_low": mean for measure, mean in means.items()}
                row |= {f"{measure}_high": mean for measure, mean in means.items()}
            else:
                row |= _intervals(named, level=level, resamples=resamples, seed=seed)
            rows.append(row)
    return pd.DataFrame(rows)


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


def _intervals(named: pd.DataFrame, *, level: float, resamples: int, seed: int) -> dict[str, float]:
    """The ends of the intervals of precision, recall and exact, as columns `precision_low` and so on.

    Where each control has 0 or 1, the interval is the exact one, since a bootstrap of ones alone would be 1 to 1. Else
    it is a bootstrap over controls.
    """
    columns: dict[str, float] = {}
    for measure in ("precision", "recall", "exact"):
        values = named[measure].to_numpy(float)
        if np.isin(values, (0, 1)).all():
            interval = clopper_pearson(int(values.sum()), len(values), level)
        else:
            interval = bootstrap_mean(
                values, named["run"], resamples=resamples, seed=seed, level=level
            )
        columns |= {f"{measure}_low": interval.low, f"{measure}_high": interval.high}
    return columns
