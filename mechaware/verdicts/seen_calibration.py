"""How often a verdict on a benchmark is wrong: false alarms and power on twins, which saw known items.

A cell is a dose, a number of items and how many of them were seen. Each draw takes items of one model: the benchmark
from those that it saw at the dose and those that it did not see, and as many other unseen items as a control.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Int

from mechaware.core.seeds import derive_seed
from mechaware.core.stats import clopper_pearson
from mechaware.instruments.radar.detectors.registry import DETECTORS
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.verdicts.decision import (
    Status,
    blind_tests,
    conclude,
    detector_tests,
    item_tests,
)
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
    models. Draws overlap, so that more of them make the rate no more certain. `lowest` and `highest` are the rates of
    single models, which a mean hides. `share` is the mean estimate of the share of items that were seen, where n_seen /
    n_items is true, and `share_low` to `share_high` holds the estimates of 1 - `level` of the draws. `procedure`,
    `n_layers`, `d_model`, `text` and `text_length`: as the lookup of error rates reads them (`verdicts.error_rates`).
    """
    planted = {
        **model_size(models[0].evidence)._asdict(),
        "text": PLANTED_TEXT,
        "text_length": median(len(text) for model in models for text in model.evidence.texts),
    }
    needs = {detector.name: detector.needs for detector in DETECTORS}
    # Scores of a user's own detectors are not among the rows: a verdict that rests on them has no error rates.
    scored = [name for name in detectors if name in needs] or ["loss"]
    alone = [name for name in scored if "reference" not in needs[name]] or ["loss"]
    families = [scored] if scored == alone else [scored, alone]
    procedures = [seen_procedure(family, level).text for family in families]
    doses = sorted({int(dose) for dose in models[0].rows.query("form == @VERBATIM")["dose"]})
    pools = [{dose: _pool(model.rows, dose) for dose in (0, *doses)} for model in models]
    table = []
    for cell in cells(len(pools[0][doses[0]]), doses):
        independent = len(models) * min(_disjoint_draws(pool, cell) for pool in pools)
        if not independent:
            continue  # the plant has too few unseen items
        drawn: list[list[Status]] = []
        estimated: list[list[float]] = []
        for model in models:
            for draw_seed, rows in draw_cases(
                model, cell, draws=-(-draws // len(models)), seed=seed
            ):
                drawn.append(
                    draw_statuses(model, rows, cell.n_items, families, level=level, seed=draw_seed)
                )
                estimated.append(
                    [draw_share(model, rows, cell.n_items, family[0], level) for family in families]
                )
        for family, procedure, statuses, shares in zip(
            families,
            procedures,
            zip(*drawn, strict=True),
            zip(*estimated, strict=True),
            strict=True,
        ):
            rates = {
                status: statuses.count(status) / len(statuses) for status in ("seen", "confounded")
            }
            interval = clopper_pearson(round(rates["seen"] * independent), independent)
            by_model = (
                np.array([status == "seen" for status in statuses])
                .reshape(len(models), -1)
                .mean(axis=1)
            )
            table.append(
                {
                    "detectors": " ".join(family),
                    "level": level,
                    "n_layers": planted["n_layers"],
                    "d_model": planted["d_model"],
                    **cell._asdict(),
                    "n_control": cell.n_items,
                    "models": len(models),
                    "draws": len(statuses),
                    "independent": independent,
                    "seen": rates["seen"],
                    **interval._asdict(),
                    "confounded": rates["confounded"],
                    "lowest": by_model.min(),
                    "highest": by_model.max(),
                    "share": float(np.mean(shares)),
                    "share_low": float(np.quantile(shares, level / 2)),
                    "share_high": float(np.quantile(shares, 1 - level / 2)),
                    "text": planted["text"],
                    "text_length": planted["text_length"],
                    "procedure": procedure,
                }
            )
    return pd.DataFrame(table)


def draw_cases(
    model: PlantedModel, cell: Cell, *, draws: int, seed: int
) -> Iterator[tuple[int, Int[np.ndarray, " row"]]]:
    """The rows of each draw's benchmark, then those of its control; before them the seed of the draw's tests."""
    pool = {dose: _pool(model.rows, dose) for dose in (0, cell.dose)}
    for number in range(draws):
        draw_seed = derive_seed(seed, model.name, *cell, number)
        yield draw_seed, _draw(pool, cell, np.random.default_rng(draw_seed))


def draw_statuses(
    model: PlantedModel,
    rows: Int[np.ndarray, " row"],
    n_items: int,
    families: Sequence[Sequence[str]],
    *,
    level: float,
    seed: int,
) -> list[Status]:
    """The status of each family's verdict on a draw, whose first `n_items` rows are the benchmark's."""
    is_item = np.arange(len(rows)) < n_items
    texts, scores = (
        [field[row] for row in rows] for field in (model.evidence.texts, model.evidence.scores)
    )
    blind = blind_tests(texts, scores, is_item, derive_seed(seed, "blind"))
    return [
        conclude(detector_tests(model.rows[list(family)].iloc[rows], is_item, seed), blind, level)[
            0
        ]
        for family in families
    ]


def draw_share(
    model: PlantedModel, rows: Int[np.ndarray, " row"], n_items: int, detector: str, level: float
) -> float:
    """The estimated share of a draw's items that were seen, by the detector that scores items."""
    scores = model.rows[detector].to_numpy(float)[rows]
    named = [(str(row), "") for row in range(n_items)]
    tests = item_tests(named, scores[:n_items], scores[n_items:])
    return seen_share([test.p for test in tests], len(rows) - n_items, level=1 - level).value


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
