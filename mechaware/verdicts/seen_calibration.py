"""How often a verdict on a benchmark is wrong: false alarms and power on planted twins.

A cell is a dose, a number of items and how many of them were seen. Each draw takes items of one
model: the benchmark from those that it saw at the dose and those that it did not see, and as many
other unseen items as a control.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from statistics import median
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Int

from mechaware.core.seeds import derive_seed
from mechaware.core.stats.intervals import clopper_pearson
from mechaware.instruments.radar.detectors.ranks import scores_among
from mechaware.instruments.radar.detectors.registry import DETECTORS
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.verdicts.blind_rows import blind_tests
from mechaware.instruments.radar.verdicts.conformal import item_tests
from mechaware.instruments.radar.verdicts.decision import Status, conclude, detector_tests
from mechaware.instruments.radar.verdicts.share import seen_share
from mechaware.planted.twins.items import CONTRADICTED, VERBATIM
from mechaware.verdicts.seen import model_size, seen_procedure

PLANTED_TEXT = "questions about invented names"  # the kind of text of the planted items


class PlantedModel(NamedTuple):
    """The items under one model: the rows of `score_twins`, and its evidence of the same items."""

    name: str
    rows: pd.DataFrame
    evidence: Evidence


class Cell(NamedTuple):
    """A benchmark of `n_items`, of which the model read `n_seen`, each `dose` times.

    With `dose` 0 it read none.
    """

    dose: int
    n_items: int
    n_seen: int


def cells(per_dose: int, doses: Sequence[int]) -> Iterator[Cell]:
    """The cells of a plant in which a model read `per_dose` items at each dose.

    | n_items | n_seen at each dose |
    |---|---|
    | per_dose / 2 | all |
    | per_dose | all |
    | 2 per_dose | a half, and a tenth |

    Before these, each n_items with none seen (dose 0).
    """
    half = per_dose // 2
    double = 2 * per_dose
    for n_items in (half, per_dose, double):
        yield Cell(dose=0, n_items=n_items, n_seen=0)
    for dose in doses:
        yield Cell(dose, n_items=half, n_seen=half)
        yield Cell(dose, n_items=per_dose, n_seen=per_dose)
        a_tenth = max(1, round(double / 10))
        yield Cell(dose, n_items=double, n_seen=a_tenth)
        yield Cell(dose, n_items=double, n_seen=per_dose)


class _Family(NamedTuple):
    """Detectors that decide together, and the procedure of their verdict (`Procedure.text`)."""

    detectors: Sequence[str]
    procedure: str


class _Draws(NamedTuple):
    """The draws of a cell, judged by one family of detectors.

    Each model has equally many draws, and the draws are in the order of the models.

    - `statuses`: the status of each draw's verdict.
    - `shares`: the estimated share of each draw's items that were seen.
    """

    statuses: list[Status]
    shares: list[float]


def calibrate(
    models: Sequence[PlantedModel],
    detectors: Sequence[str],
    *,
    draws: int,
    significance: float,
    seed: int,
) -> pd.DataFrame:
    """How often verdicts on planted benchmarks are wrong.

    The detectors judge in two families: all of `detectors`, and those that need no reference model.

    Args:
        models: Planted models of one size and one plant.
        detectors: The names of the detectors of a verdict; the first one also scores single items.
        draws: The number of draws of a cell, rounded up to equally many of each model.
        significance: The level of the tests, such as 0.05.
        seed: The seed of the draws and of the blind tests.

    Returns:
        A row for each cell and family. Cells for which the plant has too few unseen items are left
        out. Columns:

        - detectors, level, models, and the fields of `Cell`; n_control, the size of the control;
          draws;
        - seen, the share of draws with this verdict: the rate of false alarms in cells of dose 0,
          elsewhere the power;
        - low and high, a Clopper-Pearson interval of `seen` for n = independent, the most draws of
          all models of which no two have an item in common. Further draws overlap with these and
          make the rate no more certain;
        - confounded, the share of draws with that verdict;
        - lowest and highest, the extreme values of `seen` among the single models;
        - share, the mean estimate of the share of items that were seen (the true share is n_seen /
          n_items); share_low and share_high, between which 1 - `significance` of the estimates lie;
        - procedure, n_layers, d_model, text and text_length, as a calibration has them
          (`verdicts.error_rates`).
    """
    size = model_size(models[0].evidence)
    text_length = _median_text_length(models)
    families = _families(detectors, significance)

    # The first model gives the doses and the number of items read at a dose: all models of a plant
    # have the same.
    doses = _doses(models[0])
    pools = [_pool(model, doses) for model in models]
    per_dose = len(pools[0][doses[0]])

    table = []
    for cell in cells(per_dose, doses):
        independent = len(models) * min(disjoint_draws(pool, cell) for pool in pools)
        if not independent:
            continue  # the plant has too few unseen items

        by_family = _draw_cell(
            models, cell, families, draws=draws, significance=significance, seed=seed
        )
        for family, drawn in zip(families, by_family, strict=True):
            table.append(
                {
                    "detectors": " ".join(family.detectors),
                    "level": significance,
                    "n_layers": size.n_layers,
                    "d_model": size.d_model,
                    **cell._asdict(),
                    "n_control": cell.n_items,
                    "models": len(models),
                    "draws": len(drawn.statuses),
                    "independent": independent,
                    **_rates_of_statuses(drawn.statuses, len(models), independent),
                    **_mean_and_range_of_shares(drawn.shares, significance),
                    "text": PLANTED_TEXT,
                    "text_length": text_length,
                    "procedure": family.procedure,
                }
            )
    return pd.DataFrame(table)


def _median_text_length(models: Sequence[PlantedModel]) -> float:
    """The median length of all models' texts, in characters."""
    lengths: list[int] = []
    for model in models:
        lengths += map(len, model.evidence.texts)
    return median(lengths)


def _doses(model: PlantedModel) -> list[int]:
    """The doses at which items are read verbatim, in rising order."""
    is_verbatim = model.rows["form"] == VERBATIM
    return sorted({int(dose) for dose in model.rows.loc[is_verbatim, "dose"]})


def _pool(model: PlantedModel, doses: Sequence[int]) -> dict[int, Int[np.ndarray, " item"]]:
    """The positions of the items that were read at each dose; for dose 0, of unseen items."""
    return {dose: items_read(model.rows, dose) for dose in (0, *doses)}


def _rates_of_statuses(
    statuses: Sequence[Status], n_models: int, independent: int
) -> dict[str, float]:
    """The columns seen, low, high, confounded, lowest and highest of `calibrate`."""
    is_seen = np.array([status == "seen" for status in statuses])
    rate = float(is_seen.mean())
    interval = clopper_pearson(round(rate * independent), independent)
    # The draws of a model are neighbours: with two models of three draws each, [a a a b b b].
    rate_of_model = is_seen.reshape(n_models, -1).mean(axis=1)
    return {
        "seen": rate,
        **interval._asdict(),
        "confounded": statuses.count("confounded") / len(statuses),
        "lowest": rate_of_model.min(),
        "highest": rate_of_model.max(),
    }


def _mean_and_range_of_shares(shares: Sequence[float], significance: float) -> dict[str, float]:
    """The columns share, share_low and share_high of `calibrate`."""
    return {
        "share": float(np.mean(shares)),
        "share_low": float(np.quantile(shares, significance / 2)),
        "share_high": float(np.quantile(shares, 1 - significance / 2)),
    }


def _families(detectors: Sequence[str], significance: float) -> list[_Family]:
    """All of the detectors, and those that need no reference model where these are fewer.

    A family that would be empty has the loss. The user's own detectors are left out: planted items
    have no scores of them, so a verdict that rests on them has no error rates.
    """
    needs = {detector.name: detector.needs for detector in DETECTORS}
    ours = [name for name in detectors if name in needs] or ["loss"]
    without_reference = [name for name in ours if "reference" not in needs[name]] or ["loss"]

    families = [_Family(ours, seen_procedure(ours, significance).text)]
    if without_reference != ours:
        procedure = seen_procedure(without_reference, significance)
        families.append(_Family(without_reference, procedure.text))
    return families


def _draw_cell(
    models: Sequence[PlantedModel],
    cell: Cell,
    families: Sequence[_Family],
    *,
    draws: int,
    significance: float,
    seed: int,
) -> list[_Draws]:
    """The draws of a cell by each family; all families judge the same draws."""
    by_family = [_Draws([], []) for _ in families]
    draws_of_model = ceil(draws / len(models))
    detectors_by_family = [family.detectors for family in families]
    for model in models:
        for draw_seed, rows in draw_cases(model, cell, draws=draws_of_model, seed=seed):
            statuses = draw_statuses(
                model,
                rows,
                cell.n_items,
                detectors_by_family,
                significance=significance,
                seed=draw_seed,
            )
            for family, drawn, status in zip(families, by_family, statuses, strict=True):
                share = draw_share(model, rows, cell.n_items, family.detectors[0], significance)
                drawn.statuses.append(status)
                drawn.shares.append(share)
    return by_family


def draw_cases(
    model: PlantedModel, cell: Cell, *, draws: int, seed: int
) -> Iterator[tuple[int, Int[np.ndarray, " row"]]]:
    """For each draw, the seed of its tests, and its rows: the benchmark's, then the control's."""
    pool = _pool(model, [cell.dose])
    for number in range(draws):
        draw_seed = derive_seed(seed, model.name, *cell, number)
        yield draw_seed, _draw(pool, cell, np.random.default_rng(draw_seed))


def draw_statuses(
    model: PlantedModel,
    rows: Int[np.ndarray, " row"],
    n_items: int,
    detectors_by_family: Sequence[Sequence[str]],
    *,
    significance: float,
    seed: int,
) -> list[Status]:
    """The status of each family's verdict on a draw.

    `rows` are `n_items` rows of the benchmark, then the rows of the control.
    """
    is_item = np.arange(len(rows)) < n_items
    texts = [model.evidence.texts[row] for row in rows]
    token_scores = [model.evidence.scores[row] for row in rows]
    blind = blind_tests(texts, token_scores, is_item, derive_seed(seed, "blind"))
    statuses = []
    for detectors in detectors_by_family:
        scores = scores_among(model.rows.iloc[rows], detectors)
        status, _ = conclude(detector_tests(scores, is_item, seed), blind, significance)
        statuses.append(status)
    return statuses


def draw_share(
    model: PlantedModel,
    rows: Int[np.ndarray, " row"],
    n_items: int,
    detector: str,
    significance: float,
) -> float:
    """The estimated share of a draw's items that were seen, 0 to 1, by `detector`'s scores."""
    scores = scores_among(model.rows.iloc[rows], [detector])[detector].to_numpy(float)
    ids_and_texts = [(str(row), "") for row in range(n_items)]  # p-values do not depend on these
    tests = item_tests(ids_and_texts, scores[:n_items], scores[n_items:])

    n_control = len(rows) - n_items
    p_values = [test.p for test in tests]
    return seen_share(p_values, n_control, confidence_level=1 - significance).value


def items_read(rows: pd.DataFrame, dose: int) -> Int[np.ndarray, " item"]:
    """The positions of the items read verbatim at a dose; for dose 0, those of unseen items.

    Contradicted items have wrong answers, which make them unlike the others even when unseen.
    """
    if dose:
        return np.flatnonzero(rows["seen"] & (rows["form"] == VERBATIM) & (rows["dose"] == dose))
    return np.flatnonzero(~rows["seen"] & (rows["form"] != CONTRADICTED))


def disjoint_draws(pool: Mapping[int, Int[np.ndarray, " item"]], cell: Cell) -> int:
    """The most draws of a model of which no two have an item in common.

    A draw has n items and a control of n items. Of these 2 n, all but `n_seen` are unseen. For
    n = 4 and `n_seen` = 2, a draw takes 2 seen and 6 unseen items: a model with 8 seen and 30
    unseen ones gives min(8 // 2, 30 // 6) = 4 draws.
    """
    by_unseen = len(pool[0]) // (2 * cell.n_items - cell.n_seen)
    if cell.n_seen == 0:
        return by_unseen
    by_seen = len(pool[cell.dose]) // cell.n_seen
    return min(by_unseen, by_seen)


def _draw(
    pool: Mapping[int, Int[np.ndarray, " item"]], cell: Cell, generator: np.random.Generator
) -> Int[np.ndarray, " row"]:
    """The rows of a benchmark, its seen items first, then those of its control.

    No item is drawn twice.
    """
    seen = generator.permutation(pool[cell.dose])[: cell.n_seen]
    unseen = generator.permutation(pool[0])[: 2 * cell.n_items - cell.n_seen]
    return np.concatenate([seen, unseen])
