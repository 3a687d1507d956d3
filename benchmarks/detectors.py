"""All detectors over 1,000 items: passes that they share against each detector with passes of its own, in turns.

Run `.venv/bin/python -m benchmarks.detectors` after `make results`, which makes the models. The peer is our own code
unshared, not another package. Both sides measure the same 1,000 fresh questions under a twin of the planted
memorisation and give the same scores; what learns from the truth is given a made-up truth. Every side is run three
times in turns; the medians count.
"""

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from benchmarks.result import print_result
from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.instruments.radar.detectors.registry import DETECTORS, score_items
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.evidence.measuring import (
    SAMPLED_TOKENS,
    TEMPERATURE,
    MeasurementSettings,
    score_swapped,
    states_and_features,
)
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.summaries import TokenScores
from mechaware.planted.twins.planting import read_held_out, read_lines

FOLDER = Path("results/radar/memorisation/s0")
CPU = torch.device("cpu")
ITEMS = 1000
ROUNDS = 3
TOKENS_PER_BATCH = 4096
SEED = 0
SETTINGS = MeasurementSettings(reduction="sum", specialised_head_entropy=1.5, samples=10, seed=SEED)


def main() -> None:
    lines = [line for line in read_lines(FOLDER / "planted", "A") if line.question][:ITEMS]
    measure = passes(lines)
    sides = {"ours": lambda: shared(lines, measure), "peer": lambda: apart(lines, measure)}
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    scores: dict[str, pd.DataFrame] = {}
    for _ in range(ROUNDS):
        for name, run in sides.items():
            start = time.perf_counter()
            scores[name] = run()
            seconds[name].append(time.perf_counter() - start)
    ours, peer = (statistics.median(seconds[name]) for name in sides)
    difference = float((scores["ours"] - scores["peer"]).abs().max().max())
    print_result(
        "detectors",
        items=len(lines),
        detectors=len(scores["ours"].columns),
        ratio=peer / ours,
        ours_s=ours,
        peer_s=peer,
        max_abs_difference=difference,
    )


def passes(lines: list[QuestionAnswer]) -> dict[str, Callable[[], Any]]:
    """How each field of the evidence is measured."""
    target, reference = (
        TokenisedModel(
            load_model(FOLDER / name, CPU), load_tokenizer(FOLDER / name), TOKENS_PER_BATCH
        )
        for name in ("A", "C")
    )
    held_out = read_held_out(FOLDER / "planted")
    corpus = [line.text for line in read_lines(FOLDER / "planted", "C")]
    prompts = target.prompt_ids(lines)
    return {
        "scores": lambda: target.score(lines),
        "lowercase": lambda: target.lowercased(lines),
        "swapped": lambda: score_swapped(target, lines, SEED),
        "reference": lambda: reference.score(lines),
        "gains": lambda: gains(target.score(lines), reference.score(lines)),
        "after_unseen": lambda: target.score(lines, held_out.unseen),
        "after_seen": lambda: target.score(lines, held_out.seen),
        "samples": lambda: target.sample(
            prompts,
            samples=SETTINGS.samples,
            tokens=SAMPLED_TOKENS,
            temperature=TEMPERATURE,
            seed=SEED,
        ),
        "states": lambda: states_and_features(target, lines, SETTINGS),
        "features": lambda: states_and_features(target, lines, SETTINGS),
        "corpus": lambda: [corpus] * len(lines),
        "token_counts": lambda: np.ones(len(target.tokenizer), dtype=int),
        "seen": lambda: np.arange(len(lines)) % 2 == 0,
        "p_recall": lambda: np.zeros(len(lines)),
    }


def shared(lines: list[QuestionAnswer], measure: dict[str, Callable[[], Any]]) -> pd.DataFrame:
    fields = {
        name: run() for name, run in measure.items() if name not in ("states", "features", "gains")
    }
    fields["gains"] = gains(fields["scores"], fields["reference"])
    states, features = measure["states"]()
    return score_items(
        evidence(lines, fields | {"states": states, "features": features}), seed=SEED
    )


def gains(scores: list[TokenScores], reference: list[TokenScores]) -> list[np.ndarray]:
    return [text.log_probs - other.log_probs for text, other in zip(scores, reference, strict=True)]


def apart(lines: list[QuestionAnswer], measure: dict[str, Callable[[], Any]]) -> pd.DataFrame:
    return pd.concat([one_detector(lines, measure, detector) for detector in DETECTORS], axis=1)


def one_detector(
    lines: list[QuestionAnswer], measure: dict[str, Callable[[], Any]], detector: Detector
) -> pd.DataFrame:
    fields = {name: measure[name]() for name in ("scores", *detector.needs)}
    for index, name in enumerate(("states", "features")):
        if name in fields:
            fields[name] = fields[name][index]
    return score_items(evidence(lines, fields), (detector,), seed=SEED)


def evidence(lines: list[QuestionAnswer], fields: dict[str, Any]) -> Evidence:
    return Evidence(
        texts=[line.text for line in lines],
        groups=[str(row) for row in range(len(lines))],
        **fields,
    )


if __name__ == "__main__":
    main()
