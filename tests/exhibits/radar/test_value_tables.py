"""The tables of values of the RADAR study have the columns that `VALUE_TABLES` declares.

Each table is written here by the function that writes it in the workflow, from a small input.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from exhibits.radar.schemas import PROXIES, REPORTED_PERFORMANCE, REPORTED_SCORES
from exhibits.radar.summaries.lens import lens_table
from exhibits.radar.summaries.memorisation import detector_table, kinds_table
from exhibits.radar.summaries.natural import natural_table
from exhibits.radar.summaries.planted_items import items_table
from exhibits.radar.summaries.predictions import (
    count_answers,
    summarise_performance,
    summarise_scores,
)
from exhibits.radar.summaries.probes import probes_table
from exhibits.radar.tables import (
    memorisation_detectors,
    memorisation_inside,
    memorisation_items,
    memorisation_kinds,
    memorisation_lens,
    memorisation_natural,
    memorisation_proxies,
    radar_answers,
    radar_controls,
    radar_performance,
    radar_score_means,
)
from exhibits.radar.value_tables import VALUE_TABLES
from exhibits.reanalysis import radar_implied
from exhibits.report.values import table_values
from mechaware.core.frames import read_csv, write_parquet
from mechaware.instruments.radar.detectors.columns import FEATURE, KIND_READERS
from mechaware.instruments.radar.feature_extraction.scores import SCORES
from mechaware.instruments.radar.identity import with_origin
from scripts.radar import correlate_length, summarise_features
from tests.exhibits.radar.answers_by_hand import ANSWERS, PREDICTIONS
from tests.exhibits.radar.summaries.inside_by_hand import compared as compared_inside
from tests.exhibits.radar.summaries.lens_by_hand import lens_scores
from tests.exhibits.radar.summaries.natural_by_hand import docstrings
from tests.exhibits.radar.summaries.planted_by_hand import (
    CANARIES,
    CONFIDENCE_LEVEL,
    planted_rows,
    scored,
)
from tests.exhibits.radar.summaries.predictions_by_hand import by_seed, compared, predictions
from tests.exhibits.radar.summaries.probes_by_hand import synthetic_probes
from tests.exhibits.reanalysis.printed import printed_tables
from tests.unit.instruments.radar.tables import noise

REPOSITORY = Path(__file__).resolve().parents[3]
PRINTED = REPOSITORY / "config/reported"
MEASURED = REPOSITORY / "docs/measured"
BOOTSTRAP = {"resamples": 200, "seed": 3, "confidence_level": CONFIDENCE_LEVEL}
LABELS = {"m": "Model"}

# The writers take a folder for files; most need none.


def performance(_folder: Path) -> pd.DataFrame:
    rows = noise(3, 1).assign(predicted="recall", tie=False)
    unanswered = pd.DataFrame({"id": [], "right": []})
    return radar_performance.fill(
        performance=with_origin(summarise_performance(rows, unanswered, **BOOTSTRAP), "m", "mine"),
        reported=read_csv(PRINTED / "radar_performance.csv", REPORTED_PERFORMANCE),
        training="train",
        model_labels=LABELS,
    ).numbers


def controls(_folder: Path) -> pd.DataFrame:
    # Of the prompts a, b and c RADAR is right about a and b, and prompt length about c.
    comparison = compared(
        [
            predictions("radar", right="ab", order="abc"),
            predictions("prompt_length", right="c", order="abc"),
        ],
        [
            by_seed("radar", right=["ab"], order="abc"),
            by_seed("prompt_length", right=["c"], order="abc"),
        ],
    ).reset_index()
    return radar_controls.fill(
        comparison=with_origin(comparison, "m", "mine"), model_labels=LABELS
    ).numbers


def score_means(_folder: Path) -> pd.DataFrame:
    scores = noise(3, 1).assign(**{score: np.arange(6.0) for score in SCORES})
    return radar_score_means.fill(
        means=with_origin(summarise_scores(scores, **BOOTSTRAP), "m", "mine"),
        reported=read_csv(PRINTED / "radar_scores.csv", REPORTED_SCORES),
        model_labels=LABELS,
    ).numbers


def answers(_folder: Path) -> pd.DataFrame:
    counts = count_answers(ANSWERS, PREDICTIONS, confidence_level=CONFIDENCE_LEVEL)
    return radar_answers.fill(counts=with_origin(counts, "m", "mine"), model_labels=LABELS).numbers


def detectors(_folder: Path) -> pd.DataFrame:
    verbatim = [("verbatim", dose) for dose in (1, 4, 16, 64)]
    forms = (*verbatim, ("paraphrase", 16), ("contradicted", 64))
    table = detector_table(scored(forms=forms), ["loss"], CONFIDENCE_LEVEL)
    return memorisation_detectors.fill(detectors=table).numbers


def kinds(_folder: Path) -> pd.DataFrame:
    readers = [*KIND_READERS, f"{FEATURE}mean_confidence"]
    scores = scored().assign(**dict.fromkeys(readers, 0.5))
    table = kinds_table(scores, readers, CONFIDENCE_LEVEL).assign(design="")
    return memorisation_kinds.fill(kinds=table).numbers


def features(folder: Path) -> Path:
    file = folder / "features.parquet"
    write_parquet(noise(3, 1).assign(attention_entropy=np.arange(6.0)), file)
    return file


def redundancy(folder: Path) -> pd.DataFrame:
    summarise_features.main(
        model="m",
        prompt_sets=["mine"],
        features=[features(folder)],
        confidence_level=CONFIDENCE_LEVEL,
        bootstrap_resamples=20,
        seeds=[3],
        discrimination=folder / "discrimination.parquet",
        correlation=folder / "correlation.parquet",
        redundancy=folder / "redundancy.parquet",
    )
    return pd.read_parquet(folder / "redundancy.parquet")


def length_correlation(folder: Path) -> pd.DataFrame:
    correlate_length.main(
        model="m",
        prompt_sets=["mine"],
        entropy_sum=[features(folder)],
        entropy_mean=[features(folder)],
        confidence_level=CONFIDENCE_LEVEL,
        bootstrap_resamples=20,
        seed=3,
        length_correlation=folder / "length_correlation.parquet",
    )
    return pd.read_parquet(folder / "length_correlation.parquet")


def natural(_folder: Path) -> pd.DataFrame:
    return memorisation_natural.fill(
        natural=natural_table(docstrings(seeds=2), ["min_k_plus_plus"], CONFIDENCE_LEVEL),
        probes=probes_table(*synthetic_probes(seeds=2), confidence_level=CONFIDENCE_LEVEL, seed=2),
    ).numbers


def implied(_folder: Path) -> pd.DataFrame:
    return radar_implied.fill(**printed_tables(radar_implied)).numbers


def inside(_folder: Path) -> pd.DataFrame:
    return memorisation_inside.fill(inside=compared_inside(2, 3).reset_index()).numbers


def lens(_folder: Path) -> pd.DataFrame:
    table = lens_table(lens_scores(seeds=2), CONFIDENCE_LEVEL)
    return memorisation_lens.fill(lens=table).numbers


def planted_items(_folder: Path) -> pd.DataFrame:
    table = items_table(planted_rows(), CANARIES, CONFIDENCE_LEVEL)
    return memorisation_items.fill(planted=table).numbers


def proxies(_folder: Path) -> pd.DataFrame:
    table = read_csv(MEASURED / "memorisation_proxies.csv", PROXIES)
    return memorisation_proxies.fill(proxies=table).numbers


def smollm2(_folder: Path) -> pd.DataFrame:
    return pd.read_csv(MEASURED / "memorisation_smollm2.csv")


def matched_800(_folder: Path) -> pd.DataFrame:
    return pd.read_csv(MEASURED / "radar_matched_800.csv")


WRITERS: dict[str, Callable[[Path], pd.DataFrame]] = {
    "radar_performance": performance,
    "radar_controls": controls,
    "radar_score_means": score_means,
    "radar_answers": answers,
    "radar_implied": implied,
    "memorisation_detectors": detectors,
    "memorisation_inside": inside,
    "memorisation_lens": lens,
    "memorisation_items": planted_items,
    "memorisation_kinds": kinds,
    "memorisation_natural": natural,
    "memorisation_proxies": proxies,
    "redundancy": redundancy,
    "length_correlation": length_correlation,
    "memorisation_smollm2": smollm2,
    "radar_matched_800": matched_800,
}


@pytest.mark.parametrize("name", VALUE_TABLES)
def test_a_table_has_the_columns_that_are_declared(tmp_path: Path, name: str) -> None:
    written = WRITERS[name](tmp_path)

    assert sorted(written.columns) == sorted(VALUE_TABLES[name].columns)


# The interval and the n of single values


def test_the_correlation_of_a_proxy_within_a_kind_has_its_own_interval_and_n() -> None:
    values = table_values(
        MEASURED / "memorisation_proxies.csv", VALUE_TABLES["memorisation_proxies"]
    )
    within_recall = values["memorisation_proxies/direct_logit_attribution/correlation_recall"]
    # Copied from the first line of the file: correlation_recall and the columns of its interval
    # and n.
    assert within_recall["value"] == 0.02901540817
    assert within_recall["low"] == -0.1032004154
    assert within_recall["high"] == 0.1673981019
    assert within_recall["n"] == 288


def test_the_mean_over_seeds_counts_seeds_and_not_prompts() -> None:
    values = table_values(MEASURED / "radar_matched_800.csv", VALUE_TABLES["radar_matched_800"])
    # Copied from the line of RADAR's cross-validation: 800 prompts, 3 seeds.
    name = "radar_matched_800/overall/cross_validated/radar"
    assert values[f"{name}/accuracy"]["n"] == 800
    assert values[f"{name}/seed_mean"]["n"] == 3
