"""RADAR numbers of the paper's text that are not cells of a table, and the prompt sets.

The numbers are the counts of features (`FEATURE_COUNTS`), the correlation of a score with length
(`length_values`) and the largest effects of single features (`effect_values`). `prompt_sets` lists
the prompt sets that the text describes.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from exhibits.radar.summaries.length import correlate_length
from exhibits.report.values import Value, value
from mechaware.core.seeds import derive_seed
from mechaware.core.stats.p_values import permutation_p
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

    Args:
        scores: The file of the scores of one model and prompt set.
        score: The column that is correlated.
        confidence_level: Of the interval.
        resamples: Of the bootstrap.
        seed: The study's seed; the seed of this bootstrap is derived from it.

    Returns:
        One value, `length/{model}/{prompt set}/{score}`.
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

    The largest effect of a set is tested against the largest effects under permuted labels, its
    null distribution.

    Args:
        discrimination: A file for each model, with the effect of each feature in each prompt set.
        permutations: A file for each model and prompt set, with its `permutation_draws`; without
            rows for a set of one class.
        confidence_level: Which quantile of the null distribution is a value.

    Returns:
        Three values of each model and prompt set, `effects/{model}/{prompt set}/{value}`:
        `largest`, the largest effect; `largest_p`, its p-value; and `null_quantile`. A set of one
        class has none.
    """
    # By model and prompt set: the file, and the absolute effect of each feature.
    effects: dict[object, tuple[Path, pd.Series]] = {}
    for file in discrimination:
        for model_and_set, rows in pd.read_parquet(file).groupby(ORIGIN):
            effects[model_and_set] = (file, rows["cohens_d"].abs())

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
    """A record for each prompt set, in the order of `datasets`.

    Args:
        datasets: The numbers of the table radar_datasets: a row per prompt set, category and class.
        scores: The scores of each model and evaluated prompt set, in the order of the models.
            Matched pairs and lengths are read from the first model, which the text is about.

    Returns:
        Records with the keys

        - `name`: the name of the set;
        - `role`: `training` or `evaluation`;
        - `n`: the number of prompts;
        - `papers_kind`: whether the set may be compared with the set of the paper in this role;
        - `paired`: whether it has matched pairs;
        - `apart`: by how many tokens the prompts of a pair differ at most; None without pairs.
    """
    # In tokens, by prompt set.
    largest_difference: dict[object, int] = {}
    for path in scores:
        table = pd.read_parquet(path)
        lengths = table["n_tokens"].groupby(pairs(table))
        if (lengths.size() > 1).any():
            name = table.loc[0, "prompt_set"]
            differences = lengths.max() - lengths.min()
            # Another model's tokenizer may give other lengths; the first model's are kept.
            largest_difference.setdefault(name, int(differences.max()))

    listed = []
    for name, rows in datasets.groupby("prompt_set", sort=False):
        listed.append(
            {
                "name": name,
                "role": rows["role"].iloc[0],
                "n": int(rows["n"].sum()),
                "papers_kind": bool(rows["papers_kind"].all()),
                "paired": name in largest_difference,
                "apart": largest_difference.get(name),
            }
        )
    return listed
