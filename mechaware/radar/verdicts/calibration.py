"""How often a verdict is wrong: false alarms and power of the whole procedure on twins, which saw known items.

A cell is a dose, a number of items and how many of them were seen. Each draw takes items of one model: the benchmark
from those that it saw at the dose and those that it did not see, and as many other unseen items as a control.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Int

from mechaware.frames import Schema
from mechaware.radar.detectors.detector import required
from mechaware.radar.detectors.registry import DETECTORS
from mechaware.radar.evidence.evidence import Evidence
from mechaware.radar.memorisation.items import CONTRADICTED, VERBATIM
from mechaware.radar.verdicts.decision import ErrorRates, Status, Verdict, blind_tests, conclude, decide, detector_tests
from mechaware.seeds import derive_seed
from mechaware.stats import clopper_pearson

CALIBRATION = Schema(text=("detectors",))


class PlantedModel(NamedTuple):
    """The items under one model: the rows of `score_twins`, and its evidence of the same items."""

    name: str
    rows: pd.DataFrame
    evidence: Evidence


class Cell(NamedTuple):
    """A benchmark of `n_items`, of which the model read `n_seen` at a dose; `dose` 0: it read none."""

    dose: int
    n_items: int
    n_seen: int


def cells(per_dose: int, doses: Sequence[int]) -> Iterator[Cell]:
    """The cells that a plant of `per_dose` seen items of a dose gives: n is half, all and twice of them.

    Without contamination, all n seen for the first two, and of the largest a half and a tenth.
    """
    half, double = per_dose // 2, 2 * per_dose
    yield from (Cell(0, n, 0) for n in (half, per_dose, double))
    for dose in doses:
        yield from (Cell(dose, n, n) for n in (half, per_dose))
        yield from (Cell(dose, double, seen) for seen in (max(1, round(double / 10)), per_dose))


def calibrate(
    models: Sequence[PlantedModel], detectors: Sequence[str], *, draws: int, level: float, seed: int
) -> pd.DataFrame:
    """One row per family of detectors and cell: all of `detectors`, and those that need no reference model.

    A cell has `draws` draws, or a few more: each model gives as many. `seen` is their share with that verdict: the rate
    of false alarms in cells of dose 0, elsewhere the power. `confounded` is the share of that verdict. `low` and `high`
    are a Clopper-Pearson interval of `seen` with `independent` draws: the most draws without a common item, in all
    models. Draws overlap, so that more of them make the rate no more certain. `n_layers` and `d_model` are the models'.
    """
    shape = model_shape(models[0].evidence)
    needs = {detector.name: detector.needs for detector in DETECTORS}
    # A user's own detectors do not score twins; a verdict that rests on them has no error rates.
    scored = [name for name in detectors if name in needs] or ["loss"]
    alone = [name for name in scored if "reference" not in needs[name]] or ["loss"]
    families = [scored] if scored == alone else [scored, alone]
    doses = sorted({int(dose) for dose in models[0].rows.query("form == @VERBATIM")["dose"]})
    pools = [{dose: _pool(model.rows, dose) for dose in (0, *doses)} for model in models]
    table = []
    for cell in cells(len(pools[0][doses[0]]), doses):
        independent = len(models) * min(_disjoint_draws(pool, cell) for pool in pools)
        if not independent:
            continue  # the plant has too few unseen items
        drawn = [
            statuses
            for model, pool in zip(models, pools, strict=True)
            for statuses in _statuses(
                model, pool, cell, families, draws=-(-draws // len(models)), level=level, seed=seed
            )
        ]
        for family, statuses in zip(families, zip(*drawn, strict=True), strict=True):
            rates = {status: statuses.count(status) / len(statuses) for status in ("seen", "confounded")}
            interval = clopper_pearson(round(rates["seen"] * independent), independent)
            table.append(
                {"detectors": " ".join(family), "level": level, **shape, **cell._asdict(), "n_control": cell.n_items}
                | {"models": len(models), "draws": len(statuses), "independent": independent}
                | {"seen": rates["seen"], **interval._asdict(), "confounded": rates["confounded"]}
            )
    return pd.DataFrame(table)


def _statuses(
    model: PlantedModel,
    pool: Mapping[int, Int[np.ndarray, " item"]],
    cell: Cell,
    families: Sequence[Sequence[str]],
    *,
    draws: int,
    level: float,
    seed: int,
) -> Iterator[list[Status]]:
    """The status of each family's verdict in each draw from the items of a model."""
    for number in range(draws):
        draw_seed = derive_seed(seed, model.name, *cell, number)
        rows = _draw(pool, cell, np.random.default_rng(draw_seed))
        is_item = np.arange(len(rows)) < cell.n_items
        texts = [model.evidence.texts[row] for row in rows]
        tokens = [len(model.evidence.scores[row].ids) for row in rows]
        blind = blind_tests(texts, tokens, is_item, derive_seed(draw_seed, "blind"))
        yield [
            conclude(detector_tests(model.rows[list(family)].iloc[rows], is_item, draw_seed), blind, level)[0]
            for family in families
        ]


def _pool(rows: pd.DataFrame, dose: int) -> Int[np.ndarray, " item"]:
    """The positions of the items read verbatim at a dose; of dose 0, of unseen ones.

    Contradicted items have wrong answers, which make them unlike the others even when unseen.
    """
    if dose:
        return np.flatnonzero(rows["seen"] & (rows["form"] == VERBATIM) & (rows["dose"] == dose))
    return np.flatnonzero(~rows["seen"] & (rows["form"] != CONTRADICTED))


def _disjoint_draws(pool: Mapping[int, Int[np.ndarray, " item"]], cell: Cell) -> int:
    """How many draws of a model can have no item in common."""
    unseen = len(pool[0]) // (2 * cell.n_items - cell.n_seen)
    return min(unseen, len(pool[cell.dose]) // cell.n_seen) if cell.n_seen else unseen


def _draw(
    pool: Mapping[int, Int[np.ndarray, " item"]], cell: Cell, generator: np.random.Generator
) -> Int[np.ndarray, " row"]:
    """The rows of a benchmark, then those of its control, without replacement."""
    seen = generator.permutation(pool[cell.dose])[: cell.n_seen]
    unseen = generator.permutation(pool[0])[: 2 * cell.n_items - cell.n_seen]
    return np.concatenate([seen, unseen])


def model_shape(evidence: Evidence) -> dict[str, int]:
    """The number of blocks and the width of the model that gave the evidence."""
    _, n_layers, d_model = required(evidence.states).shape
    return {"n_layers": n_layers, "d_model": d_model}


def error_rates(verdict: Verdict, calibration: pd.DataFrame, shape: Mapping[str, int]) -> ErrorRates:
    """The cells of a calibration with the verdict's detectors and level, and no more items than either of its sets.

    `shape`: `model_shape` of the model that the verdict is about.
    """
    family = " ".join(test.detector for test in verdict.detectors)
    measured = calibration[(calibration["detectors"] == family) & np.isclose(calibration["level"], verdict.level)]
    if measured.empty:
        return ErrorRates(f"not measured with these detectors ({family}) at level {verdict.level:g}", [])
    rows = measured[measured["n_items"] <= min(verdict.n_items, verdict.n_control)]
    if rows.empty:
        return ErrorRates(f"not measured with fewer than {measured['n_items'].min()} items", [])
    planted = {name: int(rows[name].iloc[0]) for name in ("n_layers", "d_model")}
    caveat = ""
    if planted != dict(shape):
        ours, theirs = (f"{size['n_layers']} blocks of width {size['d_model']}" for size in (shape, planted))
        caveat = f"not measured at this size: the model has {ours}, and the rates are of models with {theirs}"
    columns = ["dose", "n_items", "n_seen", "n_control", "seen", "low", "high", "confounded", "draws", "independent"]
    cells = (dict(zip(columns, row, strict=True)) for row in rows[columns].itertuples(index=False, name=None))
    return ErrorRates(caveat, list(cells))


def reach_verdict(
    scores: pd.DataFrame,
    evidence: Evidence,
    detectors: Sequence[str],
    calibration: pd.DataFrame,
    *,
    level: float,
    seed: int,
) -> Verdict:
    """`decide` on the rows of the evidence, with the error rates that a calibration has."""
    tokens = [len(text.ids) for text in evidence.scores]
    verdict = decide(scores, evidence.texts, tokens, detectors, level=level, seed=seed)
    if not verdict.n_control:
        return verdict
    return verdict._replace(error_rates=error_rates(verdict, calibration, model_shape(evidence)))
