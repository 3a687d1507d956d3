"""RADAR's controls: RADAR and simpler systems predict the same splits of a prompt set.

`evaluate_controls` predicts with each of the systems (`systems`), and `right_by_seed` repeats those
of `systems.REPEATED` under several seeds. Both predict under two protocols: `trained`, fitted on
the training table, and `cross_validated`, fitted on the other folds of the set itself.
"""

from collections.abc import Mapping

import pandas as pd
from tqdm import tqdm

from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.ensemble import FitPredict, assign_folds, predict_held_out
from mechaware.instruments.radar.identity import pairs
from mechaware.instruments.radar.systems import all_systems, repeated_systems

TRAINED = "trained"
CROSS_VALIDATED = "cross_validated"


def evaluate_controls(
    tables: Mapping[str, tuple[pd.DataFrame, pd.DataFrame]],
    *,
    folds: int,
    seed: int,
    fold_seed: int,
) -> pd.DataFrame:
    """Every system's predictions of a prompt set, under two protocols, as a long table.

    `tables` maps each reduction of attention entropies to two tables whose features have this
    reduction: the training table and the set's own table. A table has the features, `n_tokens`,
    `prompt`, `id` and `label`.

    The protocols are:

    - `trained`: fitted on the training table.
    - `cross_validated`: fitted on the other folds of the set itself, with pairs kept together;
      absent for a set of one class.

    Columns: id, label, group (the pair), protocol, system, reduction, predicted, tie. A system that
    does not read attention appears once, with an empty reduction.
    """
    first_reduction = next(iter(tables))
    rows = []
    for reduction, (training, table) in tables.items():
        for system in all_systems(seed):
            if reduction != first_reduction and not system.reads_attention:
                continue
            predictions = _predict_by_protocol(
                system.fit_predict, training, table, folds=folds, fold_seed=fold_seed
            )
            for protocol, predicted in predictions.items():
                identity = table[["id", "label"]].assign(
                    group=pairs(table),
                    protocol=protocol,
                    system=system.name,
                    reduction=reduction if system.reads_attention else "",
                )
                rows.append(pd.concat([identity, predicted], axis=1))
    return pd.concat(rows, ignore_index=True)


def right_by_seed(
    training: pd.DataFrame, table: pd.DataFrame, *, folds: int, seeds: int, seed: int
) -> pd.DataFrame:
    """Whether RADAR and two baselines are right about each prompt of `table` under `seeds` seeds.

    A seed gives other forests and other folds, the same folds for all systems; the prompts stay the
    same. The tables have the columns that `evaluate_controls` lists. One row per protocol, system
    of `systems.REPEATED`, seed and prompt: protocol, system, draw (the seed's number, from 0), id,
    right (1 or 0).
    """
    rows = []
    for draw in tqdm(range(seeds), unit="seed"):
        draw_seed = derive_seed(seed, draw)
        for system in repeated_systems(draw_seed):
            predictions = _predict_by_protocol(
                system.fit_predict, training, table, folds=folds, fold_seed=draw_seed
            )
            for protocol, predicted in predictions.items():
                right = (predicted["predicted"] == table["label"]).astype(int)
                part = table[["id"]].assign(
                    protocol=protocol, system=system.name, draw=draw, right=right
                )
                rows.append(part)
    return pd.concat(rows, ignore_index=True)[["protocol", "system", "draw", "id", "right"]]


def _predict_by_protocol(
    fit_predict: FitPredict,
    training: pd.DataFrame,
    table: pd.DataFrame,
    *,
    folds: int,
    fold_seed: int,
) -> dict[str, pd.DataFrame]:
    """A system's predictions of `table` by protocol; a set of one class is not cross-validated."""
    predictions = {TRAINED: fit_predict(training, table)}
    if table["label"].nunique() == 2:
        fold = assign_folds(table, pairs(table), folds=folds, seed=fold_seed)
        predictions[CROSS_VALIDATED] = predict_held_out(table, fold, fit_predict)
    return predictions
