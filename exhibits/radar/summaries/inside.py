"""Whether RADAR's features add to what a model's output shows, on seeds left out of the fit.

A reader is a set of scores. For each planted seed and kind, a logistic regression of whether an
item was seen on these scores is fitted on all other seeds, on items of every form and dose, and
tested on the seed that was left out. Seeds differ in scale, so each score is standardised within
its seed, twin and kind, by the mean and the standard deviation of seen and unseen items together.

The unit is the seed that was left out. The classifiers of two such seeds were fitted on nearly the
same seeds.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from exhibits.radar.summaries.over_seeds import mean_over_seeds
from mechaware.core.stats.p_values import holm, paired_permutation
from mechaware.core.stats.roc import areas_under_roc
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

# The seeds whose results had been looked at before the reported run: seeds 0 to 10 of an earlier
# plant chose the primary cell, seeds 12 to 22 of that plant were a first test of the choice, and
# seeds 11 to 18 of a later plant were reported once. Together they are 0 to 22.
LOOKED_AT = frozenset(range(23))
ALL_SEEDS = "all"
CONFIRMING = "confirming"

# A cell is a form in a dose.
FORMS = (PARAPHRASE, VERBATIM)
DOSES = (4, 16, 64)
CELLS: tuple[Condition, ...] = tuple(product(FORMS, DOSES))
# Reader, kind, form and dose of the primary test, fixed when paraphrases had no dose but this.
PRIMARY = ("output_with_surface", "reasoning", PARAPHRASE, 16)

# The most flips of the signs of seeds that are tried for the p-value of a lead.
_FLIPS = 9_999
_SHUFFLED_SEEN = f"{SHUFFLED}_seen"


class Reader(NamedTuple):
    """A set of scores that a classifier reads."""

    label: str
    columns: tuple[str, ...]
    rival: str = ""  # the reader over which its lead is computed; "" if it has none


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
    """One row per reader, kind, cell and choice of the seeds that are left out in turn.

    A run of one seed leaves none to fit on: all numbers are missing, and n is 0. Intervals need
    two seeds.

    Args:
        items: The columns seed, twin, id, kind, form, dose, seen and shuffled_seen, and the columns
            of every reader.
        confidence_level: The confidence level of the t intervals over seeds.
        seed: The seed of the flipped signs.

    Returns:
        The columns reader, kind, form, dose and rival, and:

        - seeds: the choice of seeds. `all`, or `confirming`: the seeds that are not in `LOOKED_AT`,
          or all if a run has no such seed.
        - n: the number of these seeds.
        - looked_at: how many of these seeds are in `LOOKED_AT`.
        - auroc, with its interval (low, high).
        - lead: the AUROC minus the AUROC of the rival in the same seed, with its interval
          (lead_low, lead_high).
        - lead_p: the two-sided p-value of the lead by flipped signs of seeds, at least 2 / 2^n.
        - lead_holm: `lead_p` after Holm's correction for all leads over the same seeds but the
          primary one. The primary test was fixed beforehand (`PRIMARY`) and needs no correction:
          `lead_holm` is missing there.
        - shuffled: the AUROC where classifiers are fitted and tested with the truths shuffled.
    """
    seeds = sorted(items["seed"].unique())
    if len(seeds) == 1:
        seeds = []
    confirming = [number for number in seeds if number not in LOOKED_AT] or seeds
    scores = _score_left_out(items, "seen")
    scores_by_chance = _score_left_out(items, _SHUFFLED_SEEN)

    tables = []
    for choice, left_out in ((ALL_SEEDS, seeds), (CONFIRMING, confirming)):
        columns_of_choice = {
            "seeds": choice,
            "n": len(left_out),
            "looked_at": len(LOOKED_AT.intersection(left_out)),
        }
        chosen = items[items["seed"].isin(left_out)]
        rows = []
        for kind, (form, dose) in product(KINDS, CELLS):
            is_cell = (chosen["kind"] == kind) & (chosen["form"] == form) & (chosen["dose"] == dose)
            cell = chosen[is_cell]
            areas = _areas_of_readers(cell, scores, "seen")
            areas_by_chance = _areas_of_readers(cell, scores_by_chance, _SHUFFLED_SEEN)
            for reader in READERS:
                row = {"reader": reader, "kind": kind, "form": form, "dose": dose}
                row |= columns_of_choice
                row |= _numbers(reader, areas, confidence_level, seed)
                row["shuffled"] = mean_over_seeds(areas_by_chance[reader], confidence_level).value
                rows.append(row)
        tables.append(_with_correction(pd.DataFrame(rows)))
    return pd.concat(tables, ignore_index=True)


def _score_left_out(items: pd.DataFrame, truth: str) -> pd.DataFrame:
    """The score of every item by every reader: a row per row of `items`, a column per reader.

    A score is the log odds of `truth`, a column of `items`, by the classifier that was fitted on
    the items of the same kind in all other seeds. NaN for the items of a run of one seed.
    """
    standardised = _standardise(items, _COLUMNS)
    scores = pd.DataFrame(np.nan, index=items.index, columns=list(READERS))
    for (kind, left_out), tested in items.groupby(["kind", "seed"]):
        fitted = items[(items["kind"] == kind) & (items["seed"] != left_out)]
        if fitted.empty:
            continue
        fitted_values = standardised.loc[fitted.index].to_numpy()
        tested_values = standardised.loc[tested.index].to_numpy()
        is_true = fitted[truth].to_numpy(bool)
        for name, reader in READERS.items():
            read = [_COLUMNS.index(column) for column in reader.columns]
            scores.loc[tested.index, name] = fit_log_odds(
                fitted_values[:, read], is_true, tested_values[:, read]
            )
    return scores


def _standardise(items: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The columns with mean 0 and standard deviation 1 within each seed, twin and kind.

    0 where a column is constant in its group.
    """
    values = items[list(columns)].astype(float)
    groups = values.groupby([items["seed"], items["twin"], items["kind"]])
    distances = values - groups.transform("mean")
    deviations = groups.transform("std")
    return (distances / deviations.where(deviations > 0)).fillna(0.0)


def _areas_of_readers(
    cell: pd.DataFrame, scores: pd.DataFrame, truth: str
) -> dict[str, Float[np.ndarray, " seed"]]:
    """By reader, the AUROC in each seed of a cell with the items `cell`; `scores` has all items."""
    by_seed = []
    for _, rows in cell.groupby("seed"):
        is_true = rows[[truth]].to_numpy(float).repeat(len(READERS), axis=1)
        by_seed.append(areas_under_roc(scores.loc[rows.index].to_numpy(float), is_true))
    areas = np.reshape(by_seed, (len(by_seed), len(READERS)))
    return dict(zip(READERS, areas.T, strict=True))


def _numbers(
    reader: str, areas: Mapping[str, Float[np.ndarray, " seed"]], confidence_level: float, seed: int
) -> dict[str, object]:
    """The AUROC and the lead of a reader in one cell; `areas` has the AUROC of all readers."""
    mean_area = mean_over_seeds(areas[reader], confidence_level, least=0)
    rival = READERS[reader].rival
    lead = areas[reader] - areas[rival] if rival else np.array([])
    mean_lead = mean_over_seeds(lead, confidence_level)
    p = paired_permutation(lead, resamples=_FLIPS, seed=seed) if len(lead) else np.nan
    return {
        "auroc": mean_area.value,
        "low": mean_area.low,
        "high": mean_area.high,
        "rival": rival,
        "lead": mean_lead.value,
        "lead_low": mean_lead.low,
        "lead_high": mean_lead.high,
        "lead_p": p,
    }


def _with_correction(table: pd.DataFrame) -> pd.DataFrame:
    """The table with `lead_holm` after `lead_p`: Holm's correction for all but the primary lead."""
    keys = table[["reader", "kind", "form", "dose"]].apply(tuple, axis=1)
    is_other = table["lead_p"].notna() & (keys != PRIMARY)
    corrected = pd.Series(np.nan, index=table.index)
    corrected[is_other] = holm(table.loc[is_other, "lead_p"].to_numpy(float))
    table.insert(list(table.columns).index("lead_p") + 1, "lead_holm", corrected)
    return table
