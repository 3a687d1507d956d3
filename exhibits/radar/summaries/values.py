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
FEATURE_COUNTS = {
    f"features/{kind}": value(
        count, file="mechaware/instruments/radar/feature_extraction/features.py"
    )
    for kind, count in _COUNTS.items()
}


def length_values(
    scores: Path, score: str, *, confidence_level: float, resamples: int, seed: int
) -> dict[str, Value]:
    """Spearman's correlation of a score with the number of tokens, in one prompt set, with its bootstrap interval.

    `scores` is the table of one model and prompt set; `seed` is the study's, from which each table draws its own.
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
    """How well single features tell each set's classes apart: the largest absolute Cohen's d.

    `discrimination` are the tables of the models, `permutations` the `permutation_draws` of each model and prompt set.
    The largest effect is tested against the largest effects under permuted labels: the p-value, and the quantile at
    `confidence_level` of the null. A set of one class has no values.
    """
    effects: dict[object, tuple[Path, pd.Series]] = {}
    for file in discrimination:
        for origin, rows in pd.read_parquet(file).groupby(ORIGIN):
            effects[origin] = (file, rows["cohens_d"].abs())

    values: dict[str, Value] = {}
    for path in permutations:
        null = pd.read_parquet(path)
        if null.empty:
            continue
        origin = tuple(null.loc[0, ORIGIN])
        null_effects = null["largest_effect"].to_numpy(float)
        file, sizes = effects[origin]
        largest = sizes.max()
        p = permutation_p(np.array([largest]), null_effects)
        quantile = np.quantile(null_effects, confidence_level)

        key = "/".join(["effects", *map(str, origin)])
        values[f"{key}/largest"] = value(largest, file=file, n=len(sizes))
        values[f"{key}/largest_p"] = value(p, file=path, n=len(null))
        values[f"{key}/null_quantile"] = value(quantile, file=path, n=len(null))
    return values


def prompt_sets(datasets: pd.DataFrame, scores: list[Path]) -> list[dict[str, Any]]:
    """The prompt sets in their order: name, role, number of prompts, whether of the paper's kind, whether paired.

    `apart` is how many tokens the prompts of a pair differ in at most.
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
