"""Logit lens over layers: a classifier of which texts a model has seen.

RADAR's surface features follow the logit lens over the layers: how sure each layer is of the next
token, and how early the last layer's prediction forms (RADAR's appendix D). RADAR's paper expects
what is read inside a model to help where likelihood fails. One logistic regression (`logistic`)
reads these 16 features and eleven likelihoods; a second one reads the likelihoods alone. What the
layers add is the difference between the two, not the score of the first.

The classifiers are fitted on planted twins, in three ways (`FITS`), never on the rows that they
score:

- `within`: on the other folds of the same seed, so on the models that are scored;
- `other_seeds`: on the twins of all other seeds;
- `names`: on twins that were planted with invented names, for items that are no such names.

Traps:
- Features are standardised within a benchmark of a model, seen and unseen texts together, so that
  a single text has no score.
- Kinds of items share one fit, since no user's text has a kind.
- RADAR reads the last token of the prompt: of a question, the prediction of its answer; of a text
  without a question, the prediction of what follows the text. A fit on questions is applied to
  both.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.instruments.radar.detectors import likelihood
from mechaware.instruments.radar.detectors.columns import FEATURE, SHUFFLED
from mechaware.instruments.radar.detectors.logistic import (
    fit_log_odds,
    score_transferred,
    score_within,
    standardise,
)
from mechaware.instruments.radar.feature_extraction.features import SURFACE

# All detectors that read a likelihood, except those that need a second model or texts that are
# known to be seen.
_DETECTORS = (
    likelihood.LOSS,
    likelihood.ZLIB,
    likelihood.LOWERCASE,
    likelihood.MIN_K,
    likelihood.MIN_K_PLUS_PLUS,
    likelihood.SURPRISE,
    likelihood.SLOPE,
    likelihood.REPETITION,
    likelihood.ORDER,
    likelihood.RELATIVE,
    likelihood.DIVERGENCE,
)
LIKELIHOODS = tuple(detector.name for detector in _DETECTORS)
SURFACE_COLUMNS = tuple(f"{FEATURE}{name}" for name in SURFACE)

LOGIT_LENS = "logit_lens"
FITTED_LIKELIHOODS = "fitted_likelihoods"
# The columns of scores and of features that each classifier reads.
READS: Mapping[str, tuple[str, ...]] = {
    FITTED_LIKELIHOODS: LIKELIHOODS,
    LOGIT_LENS: (*LIKELIHOODS, *SURFACE_COLUMNS),
}
LABELS = {
    FITTED_LIKELIHOODS: "likelihoods, fitted",
    LOGIT_LENS: "logit lens over layers",
}
SOURCES = {
    FITTED_LIKELIHOODS: "ours",
    LOGIT_LENS: "ours, with the surface features of Kattamuri et al. 2025",
}

WITHIN = "within"
OTHER_SEEDS = "other_seeds"
NAMES = "names"
FITS = {
    WITHIN: "same seed",
    OTHER_SEEDS: "other seeds",
    NAMES: "planted names",
}
# The columns that say which item a row is, and whether it was seen.
IDENTITY = ("seed", "twin", "id", "kind", "form", "dose", "seen", f"{SHUFFLED}_seen")


def score_logit_lens(
    planted: pd.DataFrame, names: pd.DataFrame | None, *, seed: int
) -> pd.DataFrame:
    """The scores of planted items under both twins, by each of `READS` in each of `FITS`.

    Args:
        planted: A row per seed, twin and item. Columns: `IDENTITY`, `LIKELIHOODS` and
            `SURFACE_COLUMNS`.
        names: The same columns for planted names, under other models; None if the items of
            `planted` are names.
        seed: The seed of the folds within a planted seed.

    Returns:
        A row per fit and row of `planted`. Columns: `IDENTITY`; fit; the score of each of `READS`;
        and, with the prefix `shuffled_`, its score when fitted on the shuffled truth. With a single
        planted seed the scores fitted on other seeds are NaN. Without `names` there are no rows
        fitted on names.
    """
    planted_seeds = planted["seed"].to_numpy(int)
    tables = {fit: planted[list(IDENTITY)].assign(fit=fit) for fit in FITS}
    for classifier, columns in READS.items():
        features = _features(planted, columns)
        for prefix in ("", f"{SHUFFLED}_"):
            score_column = f"{prefix}{classifier}"
            seen = planted[f"{prefix}seen"].to_numpy(bool)
            tables[WITHIN][score_column] = score_within(
                features, seen, planted["id"].tolist(), planted_seeds, seed=seed
            )
            tables[OTHER_SEEDS][score_column] = score_transferred(features, seen, planted_seeds)
            if names is not None:
                seen_names = names[f"{prefix}seen"].to_numpy(bool)
                tables[NAMES][score_column] = fit_log_odds(
                    _features(names, columns), seen_names, features
                )
    if names is None:
        del tables[NAMES]
    return pd.concat(tables.values(), ignore_index=True)


def _features(rows: pd.DataFrame, columns: Sequence[str]) -> Float[np.ndarray, "row feature"]:
    """The columns, standardised within each seed, twin and kind."""
    benchmarks = rows["seed"].astype(str) + rows["twin"] + rows["kind"]
    return standardise(rows[list(columns)].to_numpy(float), benchmarks.tolist())
