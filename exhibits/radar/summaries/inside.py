"""Whether RADAR's features add to what a model's output shows, on planted seeds that no classifier was fitted on.

A reader is a set of scores. For each planted seed a logistic regression of it is fitted on all other seeds, within a
kind and on items of every form and dose, and tested on the seed that was left out. Seeds differ in scale, so a score is
standardised within each twin and kind, by the mean and the standard deviation of seen and unseen items together.

The unit is the seed that was left out. The classifiers of two such seeds were fitted on nearly the same seeds.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from exhibits.radar.summaries.over_seeds import mean_over_seeds
from mechaware.core.stats import areas_under_roc, holm, paired_permutation
from mechaware.instruments.radar.detectors import logit_lens
from mechaware.instruments.radar.detectors.columns import FEATURE, QUESTION_LOSS, SHUFFLED
from mechaware.instruments.radar.detectors.logistic import fit_log_odds
from mechaware.instruments.radar.feature_extraction.features import MECHANISTIC
from mechaware.models.answer_scores import AnswerScores
from mechaware.planted.twins.items import PARAPHRASE, VERBATIM, Condition
from mechaware.planted.twins.world import KINDS

LIKELIHOODS = (QUESTION_LOSS, *logit_lens.LIKELIHOODS)
ANSWER = AnswerScores._fields
OUTPUT = (*LIKELIHOODS, *ANSWER)
_SURFACE = logit_lens.SURFACE_COLUMNS
_MECHANISTIC = tuple(f"{FEATURE}{name}" for name in MECHANISTIC)
_COLUMNS = (*OUTPUT, *_SURFACE, *_MECHANISTIC)

# The seeds that had been looked at before the reported run: 0 to 10 of an earlier plant chose the primary cell, 12 to
# 22 of it were a first test of that choice, and 11 to 18 of a later plant were reported once.
LOOKED_AT = frozenset(range(23))
ALL_SEEDS = "all"
CONFIRMING = "confirming"

# Each form of the cells in each dose: a form of a dose is a cell.
FORMS = (PARAPHRASE, VERBATIM)
DOSES = (4, 16, 64)
CELLS: tuple[Condition, ...] = tuple(product(FORMS, DOSES))
# Reader, kind, form and dose of the primary test, which was fixed when no paraphrase had another dose.
PRIMARY = ("output_with_surface", "reasoning", PARAPHRASE, 16)

_FLIPS = 9_999  # of the signs of seeds
_SHUFFLED_SEEN = f"{SHUFFLED}_seen"


class Reader(NamedTuple):
    """A set of scores: the columns that a classifier reads, and the reader over which its lead is computed, if any."""

    label: str
    columns: tuple[str, ...]
    rival: str = ""


READERS = {
    "likelihoods": Reader("likelihoods", LIKELIHOODS),
    "answer": Reader("answer", ANSWER, "likelihoods"),
    "output": Reader("output", OUTPUT, "likelihoods"),
    "likelihoods_with_surface": Reader(
        "likelihoods, surface", (*LIKELIHOODS, *_SURFACE), "likelihoods"
    ),
    "answer_with_surface": Reader("answer, surface", (*ANSWER, *_SURFACE), "answer"),
    "output_with_surface": Reader("output, surface", (*OUTPUT, *_SURFACE), "output"),
    "output_with_mechanistic": Reader("output, mechanistic", (*OUTPUT, *_MECHANISTIC), "output"),
    "output_with_features": Reader(
        "output, all features", (*OUTPUT, *_SURFACE, *_MECHANISTIC), "output"
    ),
    "surface": Reader("surface", _SURFACE, "output"),
    "mechanistic": Reader("mechanistic", _MECHANISTIC, "output"),
    "features": Reader("all features", (*_SURFACE, *_MECHANISTIC), "output"),
}


def inside_table(items: pd.DataFrame, *, confidence_level: float, seed: int) -> pd.DataFrame:
    """One row per reader, kind, cell and choice of seeds that are left out.

    `items` has the columns seed, twin, id, kind, form, dose, seen and shuffled_seen, and those of every reader.
    `seeds`: `all`, or `confirming`: those that had not been looked at (`LOOKED_AT`), or all if a run has no other.

    Columns: n, the seeds; looked_at, how many of them had been; auroc with its t interval over seeds (low, high); lead,
    the AUROC less that of the rival in the same seed, with its own (lead_low, lead_high); lead_p, its two-sided p-value
    by flipped signs of seeds, at least 2 / 2^n; shuffled, the AUROC where classifiers are fitted and tested with the
    truths shuffled.

    One test was fixed beforehand (`PRIMARY`), and needs no correction. `lead_holm` is that of all other leads over the
    same seeds, together; missing for the primary one. A run of one seed leaves none to fit on: all numbers are missing,
    and n is 0. Intervals need two seeds.
    """
    numbers = sorted(items["seed"].unique())
    if len(numbers) == 1:
        numbers = []
    confirming = [number for number in numbers if number not in LOOKED_AT] or numbers
    scored = _score_left_out(items, "seen")
    scored_by_chance = _score_left_out(items, _SHUFFLED_SEEN)

    tables = []
    for name, left_out in ((ALL_SEEDS, numbers), (CONFIRMING, confirming)):
        choice = {
            "seeds": name,
            "n": len(left_out),
            "looked_at": len(LOOKED_AT.intersection(left_out)),
        }
        of_choice = items[items["seed"].isin(left_out)]
        rows = []
        for kind, (form, dose) in product(KINDS, CELLS):
            is_cell = (
                (of_choice["kind"] == kind)
                & (of_choice["form"] == form)
                & (of_choice["dose"] == dose)
            )
            cell = of_choice[is_cell]
            areas = _areas_of_readers(cell, scored, "seen")
            by_chance = _areas_of_readers(cell, scored_by_chance, _SHUFFLED_SEEN)
            for reader in READERS:
                row = {"reader": reader, "kind": kind, "form": form, "dose": dose} | choice
                row |= _numbers(reader, areas, confidence_level, seed)
                row["shuffled"] = mean_over_seeds(by_chance[reader], confidence_level).value
                rows.append(row)
        tables.append(_with_correction(pd.DataFrame(rows)))
    return pd.concat(tables, ignore_index=True)


def _score_left_out(items: pd.DataFrame, truth: str) -> pd.DataFrame:
    """A column per reader: the log odds of the truth in the row's seed, by a classifier fitted on all other seeds.

    NaN for the items of a run of one seed.
    """
    standardised = _standardise(items, _COLUMNS)
    scores = pd.DataFrame(np.nan, index=items.index, columns=list(READERS))
    for (kind, number), tested in items.groupby(["kind", "seed"]):
        fitted = items[(items["kind"] == kind) & (items["seed"] != number)]
        if fitted.empty:
            continue
        known = standardised.loc[fitted.index].to_numpy()
        unknown = standardised.loc[tested.index].to_numpy()
        is_true = fitted[truth].to_numpy(bool)
        for name, reader in READERS.items():
            read = [_COLUMNS.index(column) for column in reader.columns]
            scores.loc[tested.index, name] = fit_log_odds(known[:, read], is_true, unknown[:, read])
    return scores


def _standardise(items: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The columns with mean 0 and standard deviation 1 within each seed, twin and kind; 0 for a constant one."""
    values = items[list(columns)].astype(float)
    groups = values.groupby([items["seed"], items["twin"], items["kind"]])
    distances = values - groups.transform("mean")
    deviations = groups.transform("std")
    return (distances / deviations.where(deviations > 0)).fillna(0.0)


def _areas_of_readers(
    cell: pd.DataFrame, scores: pd.DataFrame, truth: str
) -> dict[str, Float[np.ndarray, " seed"]]:
    """The AUROC of each reader in each seed of a cell's items."""
    by_seed = []
    for _, rows in cell.groupby("seed"):
        is_true = rows[[truth]].to_numpy(float).repeat(len(READERS), axis=1)
        by_seed.append(areas_under_roc(scores.loc[rows.index].to_numpy(float), is_true))
    areas = np.reshape(by_seed, (len(by_seed), len(READERS)))
    return dict(zip(READERS, areas.T, strict=True))


def _numbers(
    reader: str, areas: Mapping[str, Float[np.ndarray, " seed"]], confidence_level: float, seed: int
) -> dict[str, object]:
    """The columns of a reader's AUROC and of its lead in one cell, from the AUROC of all readers by seed."""
    own = mean_over_seeds(areas[reader], confidence_level, least=0)
    rival = READERS[reader].rival
    lead = areas[reader] - areas[rival] if rival else np.array([])
    mean_lead = mean_over_seeds(lead, confidence_level)
    p = paired_permutation(lead, resamples=_FLIPS, seed=seed) if len(lead) else np.nan
    return {
        "auroc": own.value,
        "low": own.low,
        "high": own.high,
        "rival": rival,
        "lead": mean_lead.value,
        "lead_low": mean_lead.low,
        "lead_high": mean_lead.high,
        "lead_p": p,
    }


def _with_correction(table: pd.DataFrame) -> pd.DataFrame:
    """The table with `lead_holm` after `lead_p`: Holm's correction of all leads but the primary one."""
    keys = table[["reader", "kind", "form", "dose"]].apply(tuple, axis=1)
    is_other = table["lead_p"].notna() & (keys != PRIMARY)
    corrected = pd.Series(np.nan, index=table.index)
    corrected[is_other] = holm(table.loc[is_other, "lead_p"].to_numpy(float))
    table.insert(list(table.columns).index("lead_p") + 1, "lead_holm", corrected)
    return table
