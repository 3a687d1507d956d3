"""The RADAR numbers in the paper's text that are not cells of a table."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from exhibits.radar.summaries.length import correlate_length
from exhibits.report.values import Value, value
from mechaware.core.seeds import derive_seed
from mechaware.core.stats import permutation_p
from mechaware.instruments.radar.feature_extraction.features import MECHANISTIC, SURFACE
from mechaware.instruments.radar.identity import ORIGIN, pairs

_COUNTS = {
    "surface": len(SURFACE),
    "mechanistic": len(MECHANISTIC),
    "all": len(SURFACE) + len(MECHANISTIC),
}
_FEATURES_FILE = "mechaware/instruments/radar/feature_extraction/features.py"
FEATURE_COUNTS = {
    f"features/{kind}": value(count, file=_FEATURES_FILE) for kind, count in _COUNTS.items()
}


def length_values(
    scores: Path, score: str, *, confidence_level: float, resamples: int, seed: int
) -> dict[str, Value]:
    """Spearman's correlation of a score with the number of tokens, in one prompt set, with its
    bootstrap interval.

    `scores` is the table of one model and prompt set; its own seed is derived from `seed`, the
    study's.
    """
    table = pd.read_parquet(scores)
    model, prompt_set = map(str, table.loc[0, ["model", "prompt_set"]])
    own_seed = derive_seed(seed, model, prompt_set)
    correlation = correlate_length(
        table, score, resamples=resamples, seed=own_seed, confidence_level=confidence_level
    )
    number = correlation.pop("correlation")
    return {f"length/{model}/{prompt_set}/{score}": value(number, file=scores, **correlation)}


def effect_values(
    discrimination: Sequence[Path], permutations: Sequence[Path], *, confidence_level: float
) -> dict[str, Value]:
    """How well single features separate the classes of each prompt set: the largest absolute
    Cohen's d.

    `discrimination` are the tables of the models, `permutations` the `permutation_draws` of each
    model and prompt set. The largest effect is tested against the largest effects under permuted
    labels. Its values are the p-value, and the quantile at `confidence_level` of this null
    distribution. A set of one class has no values.
    """
    # By model and prompt set: the file, and the absolute effect of each feature.
    effects: dict[object, tuple[Path, pd.Series]] = {}
    for file in discrimination:
        for origin, rows in pd.read_parquet(file).groupby(ORIGIN):
            effects[origin] = (file, rows["cohens_d"].abs())

    values: dict[str, Value] = {}
    for path in permutations:
        null = pd.read_parquet(path)
        if null.empty:
            continue
        model, prompt_set = null.loc[0, ORIGIN]
        null_effects = null["largest_effect"].to_numpy(float)
        file, sizes = effects[model, prompt_set]
        largest = sizes.max()
        p = permutation_p(np.array([largest]), null_effects)
        quantile = np.quantile(null_effects, confidence_level)

        key = f"effects/{model}/{prompt_set}"
        values[f"{key}/largest"] = value(largest, file=file, n=len(sizes))
        values[f"{key}/largest_p"] = value(p, file=path, n=len(null))
        values[f"{key}/null_quantile"] = value(quantile, file=path, n=len(null))
    return values


def prompt_sets(datasets: pd.DataFrame, scores: list[Path]) -> list[dict[str, Any]]:
    """The prompt sets, in the order of `datasets`.

    - `name`, `role`, and `n`, the number of prompts.
    - `papers_kind`: whether the set is of the paper's kind.
    - `paired`: whether it has matched pairs.
    - `apart`: by how many tokens the prompts of a pair differ at most; None without pairs.

    `scores` are the tables of one model, from which pairs and lengths are read.
    """
    apart = {}
    for path in scores:
        table = pd.read_parquet(path)
        lengths = table["n_tokens"].groupby(pairs(table))
        if (lengths.size() > 1).any():
            differences = lengths.max() - lengths.min()
            apart[table.loc[0, "prompt_set"]] = int(differences.max())

    listed = []
    for name, rows in datasets.groupby("prompt_set", sort=False):
        listed.append(
            {
                "name": name,
                "role": rows["role"].iloc[0],
                "n": int(rows["n"].sum()),
                "papers_kind": bool(rows["papers_kind"].all()),
                "paired": name in apart,
                "apart": apart.get(name),
            }
        )
    return listed
