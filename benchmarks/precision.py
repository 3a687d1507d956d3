"""What half precision does to features, detectors, verdicts and rules: SmolLM2-135M in three
precisions on one CPU.

Run `.venv/bin/python -m benchmarks.precision` after `make results`, which makes the model. Prompts
of the matched set are captured, items of the demo's benchmark are scored beside those of its
control, and pairs of `examples/ioi.csv` are patched. They are few, and the detector PAC, which
would score five more copies of each item, is left out: a processor without instructions for
bfloat16 takes 35 ms a token. Changes of features and scores are in standard deviations of the
float32 numbers over prompts or items, changes of gaps in logits. docs/reproducibility.md says what
is rounded.
"""

import os
import time
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import torch

from benchmarks.result import print_result
from mechaware.core.levels import significance_at
from mechaware.doors.grounding import THRESHOLDS
from mechaware.instruments.grounding.data.pairs import read_pairs
from mechaware.instruments.grounding.measuring import measure_pairs
from mechaware.instruments.grounding.rules.registry import RULES, judge_pairs
from mechaware.instruments.radar.benchmark import read_benchmark
from mechaware.instruments.radar.detectors.registry import score_items
from mechaware.instruments.radar.ensemble import Ensemble
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.evidence.measuring import (
    MeasurementSettings,
    states_and_features,
)
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.prompts import read_prompts
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.instruments.radar.verdicts.control import CONTROL
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.settings import Dtype, ModelSettings
from mechaware.verdicts.error_rates import read_calibration
from mechaware.verdicts.seen import judge_benchmark

MODEL = Path(os.environ.get("MODEL", "results/models/smollm2-135m-instruct"))
N_PROMPTS = 24
N_ITEMS = 10
N_PAIRS = 5
SEED = 20260
PAIRS = Path("examples/ioi.csv")
SETTINGS = MeasurementSettings(reduction="sum", specialised_head_entropy=1.5, samples=0, seed=SEED)
HALF_PRECISIONS: tuple[Dtype, ...] = ("bfloat16", "float16")


class Measured(NamedTuple):
    """What one precision gives: features of the prompts, scores of the items and the control, and
    what follows.

    `rules`: one row per pair, with its gap in logits and whether it passes each rule. `seconds`: of
    the processor.
    """

    features: pd.DataFrame
    scores: pd.DataFrame
    predicted: list[str]
    verdict: str
    rules: pd.DataFrame
    seconds: float


def measure(dtype: Dtype) -> Measured:
    """Features, the detectors' scores, RADAR's label of each item,
    the verdict by the loss, and the rules.
    """
    started = time.process_time()
    network = load_model(MODEL, torch.device("cpu"), ModelSettings(dtype=dtype))
    target = TokenisedModel(network, load_tokenizer(MODEL), 768)

    prompts = read_prompts(Path("config/prompts/radar_matched.csv"))[:N_PROMPTS]
    _, features = states_and_features(
        target, [QuestionAnswer(prompt.prompt, "") for prompt in prompts], SETTINGS
    )
    features = features[list(FEATURES)]

    items = read_benchmark(Path("examples/benchmark_seen.csv")).items[:N_ITEMS]
    control = read_benchmark(Path("examples/control.csv")).items[:N_ITEMS]
    lines = [item.line for item in (*items, *control)]
    states, item_features = states_and_features(target, lines, SETTINGS)
    evidence = Evidence(
        texts=[line.text for line in lines],
        groups=[str(number) for number in range(len(lines))],
        scores=target.score(lines),
        lowercase=target.lowercased(lines),
        states=states,
    )
    scores = score_items(evidence, seed=SEED)

    labelled = features.assign(label=[prompt.label for prompt in prompts])
    predicted = Ensemble.fit(labelled, FEATURES, SEED).predict(item_features)["predicted"]

    is_control = [number >= len(items) for number in range(len(lines))]
    marked = scores.assign(id=evidence.groups, **{CONTROL: is_control})
    verdict = judge_benchmark(
        marked,
        evidence,
        ["loss"],
        read_calibration(Path("config/calibration/detectors.csv")),
        significance=significance_at(0.95),
        seed=SEED,
    )

    pairs = read_pairs(PAIRS)[:N_PAIRS]
    measured_pairs = measure_pairs(
        network,
        target.tokenizer,
        pairs,
        PAIRS,
        mapped=pairs[:1],  # the map is not compared here
        tokens_per_batch=768,
    )
    patching = measured_pairs.patching.drop_duplicates("pair").set_index("pair")
    gaps = patching["clean_diff"] - patching["corrupted_diff"]
    passed = judge_pairs(measured_pairs, THRESHOLDS).set_index("pair")
    rules = passed[[rule.name for rule in RULES]].assign(gap=gaps)

    seconds = time.process_time() - started
    return Measured(features, scores, list(predicted), verdict.status, rules, seconds)


def largest_change(table: pd.DataFrame, exact: pd.DataFrame) -> tuple[str, float]:
    """The column with the largest change in any one row,
    and that change in standard deviations of the exact column.
    """
    spread = exact.std(ddof=0)
    moved = ((table - exact).abs().max() / spread)[spread > 0]
    return str(moved.idxmax()), float(moved.max())


def median_change(table: pd.DataFrame, exact: pd.DataFrame) -> float:
    """The median over columns of how far each moves at most,
    in standard deviations of the exact column.
    """
    spread = exact.std(ddof=0)
    moved = (table - exact).abs().max() / spread
    return float(moved[spread > 0].median())


def rules_that_turn(rules: pd.DataFrame, exact: pd.DataFrame) -> dict[str, int]:
    """By rule, the pairs on which it decides otherwise than in float32;
    rules that decide alike are left out.
    """
    decided = [rule.name for rule in RULES]
    turned = (rules[decided] != exact[decided]).sum()
    return {str(name): int(count) for name, count in turned.items() if count}


def compare(dtype: Dtype, measured: Measured, exact: Measured) -> dict[str, object]:
    """How far what one precision gives is from `exact`, which float32 gives."""
    feature, feature_change = largest_change(measured.features, exact.features)
    detector, detector_change = largest_change(measured.scores, exact.scores)
    labels = zip(measured.predicted, exact.predicted, strict=True)
    gap_changes = (measured.rules["gap"] - exact.rules["gap"]).abs()
    return {
        "dtype": dtype,
        "feature": feature,
        "feature_change_sd": feature_change,
        "median_feature_change_sd": median_change(measured.features, exact.features),
        "detector": detector,
        "detector_change_sd": detector_change,
        "median_detector_change_sd": median_change(measured.scores, exact.scores),
        "labels_that_turn": sum(label != label_in_float32 for label, label_in_float32 in labels),
        "labels": len(exact.predicted),
        "verdict": measured.verdict,
        "verdict_float32": exact.verdict,
        "gap_change_logits": float(gap_changes.max()),
        "rules_that_turn": rules_that_turn(measured.rules, exact.rules),
        "pairs": len(exact.rules),
        "seconds": round(measured.seconds),
        "seconds_float32": round(exact.seconds),
    }


def main() -> None:
    """Measure every precision and print its distance from float32."""
    exact = measure("float32")
    cases = []
    for dtype in HALF_PRECISIONS:
        case = compare(dtype, measure(dtype), exact)
        cases.append(case)
        print(case, flush=True)
    print_result("precision", cases=cases)


if __name__ == "__main__":
    main()
