"""Measures the evidence of `detectors.probes`: texts behind others of their benchmark, and after a step of ascent."""

import random
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from tqdm import tqdm

from mechaware.instruments.radar.evidence.probes import ProbeEvidence
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.prompts import QuestionAnswer
from mechaware.models.ascent import log_probs_after_ascent

OTHERS = 3  # texts before each text


def measure_probes(
    target: TokenisedModel,
    lines: Sequence[QuestionAnswer],
    benchmarks: Sequence[str],
    *,
    seed: int,
) -> ProbeEvidence:
    """The evidence of each line, under a model that reads plain lines (the template none).

    `benchmarks` names the benchmark of each line, from whose other lines `OTHERS` are drawn. Raises `UserError` for a
    text that does not fit the model's context behind them.
    """
    behind = []
    for line, others in tqdm(
        list(zip(lines, draw_others(benchmarks, seed), strict=True)), unit="text", mininterval=5
    ):
        (scores,) = target.score([line], [lines[other] for other in others])
        behind.append(float(scores.log_probs.mean(dtype=float)))

    texts = target.text_ids(lines)
    # The first token is context where nothing stands before it, as in `TokenisedModel.score`.
    first = max(1, target.n_start)
    positions = [range(first, len(ids)) for ids in texts]
    return ProbeEvidence(
        log_probs=_mean_log_probs(target, lines),
        behind_others=np.array(behind),
        after_ascent=log_probs_after_ascent(target.model, texts, positions),
    )


def draw_others(benchmarks: Sequence[str], seed: int) -> list[list[int]]:
    """For each line the places of `OTHERS` other lines of its benchmark, or of all others if there are fewer."""
    generator = random.Random(seed)  # noqa: S311
    drawn = []
    for row, benchmark in enumerate(benchmarks):
        others = [
            place for place, name in enumerate(benchmarks) if name == benchmark and place != row
        ]
        drawn.append(generator.sample(others, min(OTHERS, len(others))))
    return drawn


def _mean_log_probs(
    target: TokenisedModel, lines: Sequence[QuestionAnswer]
) -> Float[np.ndarray, " line"]:
    return np.array([text.log_probs.mean(dtype=float) for text in target.score(lines)])
