"""The RADAR study's numbers for the paper's text."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mechaware.frames import read_csv
from mechaware.radar.feature_extraction.features import MECHANISTIC, SURFACE
from mechaware.radar.identity import pairs
from mechaware.radar.schemas import (
    ANSWER_COUNTS,
    COMPARISON,
    CROSSED,
    DETECTORS,
    DISCRIMINATION,
    LENGTH_CORRELATION,
    MEMORISED_ITEMS,
    ORIGIN,
    PERFORMANCE,
    PERMUTATIONS,
    PROXIES,
    REDUNDANCY,
    REGRESSION,
    SCORE_MEANS,
    SCORES,
)
from mechaware.report.values import IMPLIED, Quantity, TableValues, Value, tables_values, value
from mechaware.seeds import derive_seed
from mechaware.stats import bootstrap_rank_correlation, permutation_p

VALUES = {
    "radar_performance": TableValues(
        ("model", "prompt_set", "slice"),
        {
            "accuracy": Quantity("accuracy", "fraction", "exact_low", "exact_high", "n", "reported"),
            "correct": Quantity("correct", "prompts", n="n"),
            "ties": Quantity("ties", "prompts", n="n"),
            "always_recall": Quantity("always_recall", "prompts", n="n"),
        },
        schema=PERFORMANCE,
    ),
    "radar_controls": TableValues(
        ("model", "prompt_set", "protocol", "system", "reduction"),
        {
            "accuracy": Quantity("accuracy", "fraction", "bootstrap_low", "bootstrap_high", "n"),
            "seed_mean": Quantity("seed_mean", "fraction", "seed_min", "seed_max", "seeds"),
            "lead": Quantity("radar_lead", "fraction", "radar_lead_low", "radar_lead_high", "n"),
            "p": Quantity("p_against_radar", "p-value", n="n"),
            "p_above_guessing": Quantity("p_above_guessing", "p-value", n="n"),
            "p_of_mean": Quantity("p_of_mean", "p-value", n="n"),
            "same_as_radar": Quantity("same_as_radar", "prompts", n="n"),
        },
        schema=COMPARISON,
    ),
    "radar_score_means": TableValues(
        ("model", "prompt_set", "score", "label"),
        {"mean": Quantity("mean", "score", "low", "high", "n", "reported")},
        schema=SCORE_MEANS,
    ),
    "radar_implied": IMPLIED,
    "radar_answers": TableValues(
        ("model", "prompt_set", "label"),
        {
            "right": Quantity("right", "prompts", n="n"),
            "share": Quantity("share", "fraction", "low", "high", "n"),
            "silent": Quantity("silent", "prompts", n="n"),
            "recall_if_right": Quantity("recall_if_right", "prompts", n="right"),
            "recall_if_not": Quantity("recall_if_not", "prompts", n="wrong"),
        },
        schema=ANSWER_COUNTS,
    ),
    "memorisation_detectors": TableValues(
        ("detector", "kind", "form", "dose"),
        {
            "auroc": Quantity("auroc", "AUROC", "low", "high", "n"),
            "tpr": Quantity("tpr", "fraction", n="n"),
            "shuffled": Quantity("shuffled", "AUROC", n="n"),
            "auroc_kind": Quantity("auroc_kind", "AUROC", n="n"),
        },
        schema=DETECTORS,
    ),
    "memorisation_items": TableValues(
        ("kind", "form", "dose"),
        {
            "memorised": Quantity("memorised", "nats", "low", "high", "n"),
            "memorised_answer": Quantity("memorised_answer", "nats", n="n"),
            "exposure_seen": Quantity("exposure_seen", "bits", n="n"),
            "exposure_unseen": Quantity("exposure_unseen", "bits", n="n"),
            "answered_seen": Quantity("answered_seen", "fraction", n="n"),
            "answered_unseen": Quantity("answered_unseen", "fraction", n="n"),
            "answered_base": Quantity("answered_base", "fraction", n="n"),
        },
        schema=MEMORISED_ITEMS,
    ),
    "memorisation_regression": TableValues(
        ("term",),
        {"estimate": Quantity("estimate", "P(recall)", "low", "high", "n"), "p": Quantity("p", "p-value", n="n")},
        schema=REGRESSION,
    ),
    "memorisation_proxies": TableValues(
        ("proxy",),
        {
            "correlation": Quantity("correlation", "rank correlation", "low", "high", "n"),
            "within": Quantity("within", "rank correlation", n="n"),
            "auroc_proxy": Quantity("auroc_proxy", "AUROC", n="n"),
            "auroc_real": Quantity("auroc_real", "AUROC", n="n"),
        },
        schema=PROXIES,
    ),
    "crossed": TableValues(
        ("form", "kind", "dose"),
        {"mean": Quantity("mean", "P(recall)", "low", "high", "n"), "share": Quantity("share", "fraction", n="n")},
        schema=CROSSED,
    ),
    "length_correlation": TableValues(
        ("model", "prompt_set", "reduction"),
        {"attention_entropy": Quantity("correlation", "rank correlation", "low", "high", "n")},
        schema=LENGTH_CORRELATION,
    ),
    "redundancy": TableValues(
        ("model",),
        {
            "features": Quantity("features", "features"),
            "constant": Quantity("constant", "features"),
            "distinct": Quantity("distinct", "features"),
            "rank": Quantity("rank", "features"),
            "effective_rank": Quantity("effective", "features"),
        },
        schema=REDUNDANCY,
    ),
}


def study_values(tables: list[Path]) -> dict[str, Value]:
    """The values of the study's tables, of its tables of redundancy and length, and what is true of every run."""
    kinds = {"surface": SURFACE, "mechanistic": MECHANISTIC, "all": [*SURFACE, *MECHANISTIC]}
    counts = {
        f"features/{kind}": value(len(names), unit="features", file="mechaware/radar/feature_extraction/features.py")
        for kind, names in kinds.items()
    }
    return counts | tables_values(tables, VALUES)


def length_values(scores: Path, score: str, *, level: float, resamples: int, seed: int) -> dict[str, Value]:
    """Spearman's correlation of a score with the number of tokens, in one prompt set, with its bootstrap interval.

    `scores` is the table of one model and prompt set; `seed` is the study's, from which each table draws its own.
    """
    table = read_csv(scores, SCORES)
    model, prompt_set = table.loc[0, ["model", "prompt_set"]]
    drawn = bootstrap_rank_correlation(
        table["n_tokens"].to_numpy(float),
        table[score].to_numpy(float),
        pairs(table),
        resamples=resamples,
        seed=derive_seed(seed, str(model), str(prompt_set)),
        level=level,
    )
    correlation = value(drawn.value, unit="rank correlation", file=scores, low=drawn.low, high=drawn.high, n=len(table))
    return {f"length/{model}/{prompt_set}/{score}": correlation}


def effect_values(discrimination: Sequence[Path], permutations: Sequence[Path], *, level: float) -> dict[str, Value]:
    """How well single features tell each set's classes apart: the largest and the median absolute Cohen's d.

    `discrimination` are the tables of the models, `permutations` the `permutation_draws` of each model and prompt set.
    The largest effect comes with its test against permuted labels, which have a largest effect, too: the p-value, and
    the quantile at `level` of the null. A set of one class has none.
    """
    effects = {
        origin: (file, rows["cohens_d"].abs())
        for file in discrimination
        for origin, rows in read_csv(file, DISCRIMINATION).groupby(list(ORIGIN))
    }
    values: dict[str, Value] = {}
    for path in permutations:
        null = read_csv(path, PERMUTATIONS)
        if null.empty:
            continue
        origin, largest = tuple(null.loc[0, list(ORIGIN)]), null["largest_effect"].to_numpy(float)
        file, sizes = effects[origin]
        key = "/".join(("effects", *origin))
        for name, number in (("largest", sizes.max()), ("median", sizes.median())):
            values[f"{key}/{name}"] = value(number, unit="Cohen's d", file=file, n=len(sizes))
        p = permutation_p(np.array([sizes.max()]), largest)
        values[f"{key}/largest_p"] = value(p, unit="p-value", file=path, n=len(null))
        quantile = np.quantile(largest, level)
        values[f"{key}/null_quantile"] = value(quantile, unit="Cohen's d", file=path, n=len(null))
    return values


def prompt_sets(datasets: pd.DataFrame, scores: list[Path]) -> list[dict[str, Any]]:
    """The prompt sets in their order: name, role, number of prompts, whether of the paper's kind, whether paired.

    `apart` is how many tokens the prompts of a pair differ in at most.
    """
    apart = {}
    for path in scores:
        table = read_csv(path, SCORES)
        lengths = table["n_tokens"].groupby(pairs(table))
        if (lengths.size() > 1).any():
            apart[table.loc[0, "prompt_set"]] = int((lengths.max() - lengths.min()).max())
    return [
        {
            "name": name,
            "role": rows["role"].iloc[0],
            "n": int(rows["n"].sum()),
            "papers_kind": bool(rows["papers_kind"].all()),
            "paired": name in apart,
            "apart": apart.get(name),
        }
        for name, rows in datasets.groupby("prompt_set", sort=False)
    ]
