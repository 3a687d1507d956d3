"""Time all detectors over 1,000 items: with passes that all share, and with passes of its own for
each detector.

Run `.venv/bin/python -m benchmarks.detectors` after `make results`, which makes the models. The
peer is our own code without shared passes, not another package. Both sides measure the same 1,000
questions under a twin of the planted memorisation and give the same scores; detectors that learn
from the truth get a made-up truth. The two sides alternate, three runs each; the medians count.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from benchmarks.result import print_result
from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.instruments.radar.detectors.registry import DETECTORS, score_items
from mechaware.instruments.radar.evidence.continuations import SAMPLED_TOKENS, TEMPERATURE
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.evidence.measuring import MeasurementSettings, states_and_features
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.evidence.swapped_words import score_swapped
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.summaries import TokenScores
from mechaware.planted.twins.planted_files import read_held_out, read_lines

FOLDER = Path("results/radar/memorisation/s0")
CPU = torch.device("cpu")
ITEMS = 1000
ROUNDS = 3
TOKENS_PER_BATCH = 4096
SEED = 0
SETTINGS = MeasurementSettings(reduction="sum", specialised_head_entropy=1.5, samples=10, seed=SEED)


def main() -> None:
    """Run both sides in turns and print how they compare."""
    lines = [line for line in read_lines(FOLDER / "planted", "A") if line.question][:ITEMS]
    measure = passes(lines)
    sides = {"ours": partial(shared, lines, measure), "peer": partial(apart, lines, measure)}
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    scores: dict[str, pd.DataFrame] = {}
    for _ in range(ROUNDS):
        for name, run in sides.items():
            start = time.perf_counter()
            scores[name] = run()
            seconds[name].append(time.perf_counter() - start)

    ours_s = statistics.median(seconds["ours"])
    peer_s = statistics.median(seconds["peer"])
    difference = float((scores["ours"] - scores["peer"]).abs().max().max())
    print_result(
        "detectors",
        items=len(lines),
        detectors=len(scores["ours"].columns),
        ratio=peer_s / ours_s,
        ours_s=ours_s,
        peer_s=peer_s,
        max_abs_difference=difference,
    )


def passes(lines: list[QuestionAnswer]) -> dict[str, Callable[[], Any]]:
    """For each field of the evidence, the function that measures it.

    One pass makes both states and features, so `states` and `features` each return the pair.
    """
    target = load("A")
    reference = load("C")
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
        "gradient_norms": lambda: target.gradient_norms(lines),
        "states": lambda: states_and_features(target, lines, SETTINGS),
        "features": lambda: states_and_features(target, lines, SETTINGS),
        "corpus": lambda: [corpus] * len(lines),
        "token_counts": lambda: np.ones(len(target.tokenizer), dtype=int),
        "seen": lambda: np.arange(len(lines)) % 2 == 0,
        "p_recall": lambda: np.zeros(len(lines)),
    }


def load(name: str) -> TokenisedModel:
    """A model of the planted memorisation: `name` is A or B for a twin, C for the base."""
    folder = FOLDER / name
    return TokenisedModel(load_model(folder, CPU), load_tokenizer(folder), TOKENS_PER_BATCH)


def shared(lines: list[QuestionAnswer], measure: dict[str, Callable[[], Any]]) -> pd.DataFrame:
    """Every detector's scores, one column each, from passes that are made once for all."""
    fields = {}
    for name, run in measure.items():
        if name not in ("states", "features", "gains"):
            fields[name] = run()
    fields["gains"] = gains(fields["scores"], fields["reference"])
    fields["states"], fields["features"] = measure["states"]()
    return score_items(evidence(lines, fields), seed=SEED)


def gains(scores: list[TokenScores], reference: list[TokenScores]) -> list[np.ndarray]:
    """For each text, log p - log p_reference of each of its tokens, in nats."""
    return [text.log_probs - other.log_probs for text, other in zip(scores, reference, strict=True)]


def apart(lines: list[QuestionAnswer], measure: dict[str, Callable[[], Any]]) -> pd.DataFrame:
    """The same scores, with passes of its own for each detector."""
    return pd.concat([one_detector(lines, measure, detector) for detector in DETECTORS], axis=1)


def one_detector(
    lines: list[QuestionAnswer], measure: dict[str, Callable[[], Any]], detector: Detector
) -> pd.DataFrame:
    """The scores of one detector, from what it needs."""
    fields = {name: measure[name]() for name in ("scores", *detector.needs)}
    if "states" in fields:
        fields["states"], _ = fields["states"]
    if "features" in fields:
        _, fields["features"] = fields["features"]
    return score_items(evidence(lines, fields), (detector,), seed=SEED)


def evidence(lines: list[QuestionAnswer], fields: dict[str, Any]) -> Evidence:
    """The evidence of the lines from its measured fields; each line is a group of its own."""
    return Evidence(
        texts=[line.text for line in lines],
        groups=[str(row) for row in range(len(lines))],
        **fields,
    )


if __name__ == "__main__":
    main()
