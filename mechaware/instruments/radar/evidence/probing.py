"""Measures the evidence of `detectors.probes`.

Each text is scored by itself, after other texts of its benchmark, after a step of gradient ascent
on its loss, and after a fine-tuning on texts that the model has not read. The norm of the gradient
of its loss is measured for each projection of the model's blocks.
"""

import random
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from tqdm import tqdm

from mechaware.instruments.radar.evidence.probes import ProbeEvidence
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.ascent import log_probs_after_ascent
from mechaware.models.fine_tuning import fine_tuned
from mechaware.models.gradients import projection_gradient_norms

OTHERS = 3  # texts that are put before each text


def measure_probes(
    target: TokenisedModel,
    lines: Sequence[QuestionAnswer],
    benchmarks: Sequence[str],
    unread: Sequence[QuestionAnswer],
    *,
    seed: int,
) -> ProbeEvidence:
    """The evidence of each line.

    Args:
        target: The model, with the template `none` and the start token `auto`.
        lines: The texts to score.
        benchmarks: The name of the benchmark of each line, from whose other lines `OTHERS` are
            drawn.
        unread: Texts of the same kind that the model has not read, none of them among `lines`; a
            copy of the model is fine-tuned on them.
        seed: The seed of the draw of other lines.

    Raises:
        UserError: A text with the others before it does not fit the model's context.
        NoInternalsError: The model's blocks are unknown.
    """
    behind_others = []
    lines_and_others = list(zip(lines, draw_others(benchmarks, seed), strict=True))
    for line, others in tqdm(lines_and_others, unit="text", mininterval=5):
        prefix = [lines[other] for other in others]
        (scores,) = target.score([line], prefix)
        behind_others.append(float(scores.log_probs.mean(dtype=float)))

    texts, positions = _texts_and_positions(target, lines)
    tuned = fine_tuned(target.model, *_texts_and_positions(target, unread))
    tuned_target = TokenisedModel(tuned, target.tokenizer, target.tokens_per_batch)
    return ProbeEvidence(
        log_probs=_mean_log_probs(target, lines),
        behind_others=np.array(behind_others),
        after_ascent=log_probs_after_ascent(target.model, texts, positions),
        after_fine_tuning=_mean_log_probs(tuned_target, lines),
        projection_norms=projection_gradient_norms(target.model, texts, positions),
    )


def draw_others(benchmarks: Sequence[str], seed: int) -> list[list[int]]:
    """For each line the indices of `OTHERS` random other lines of its benchmark, none twice.

    If there are fewer other lines, it has them all.
    """
    generator = random.Random(seed)  # noqa: S311
    drawn = []
    for row, benchmark in enumerate(benchmarks):
        members = [index for index, name in enumerate(benchmarks) if name == benchmark]
        others = [index for index in members if index != row]
        drawn.append(generator.sample(others, min(OTHERS, len(others))))
    return drawn


def _texts_and_positions(
    target: TokenisedModel, lines: Sequence[QuestionAnswer]
) -> tuple[list[list[int]], list[range]]:
    """The token ids of each line, and the positions of the tokens that are scored.

    As in `TokenisedModel.score`, start tokens are context, and without them the first token is.
    """
    texts = target.text_ids(lines)
    first_scored = max(1, target.n_start)
    return texts, [range(first_scored, len(ids)) for ids in texts]


def _mean_log_probs(
    target: TokenisedModel, lines: Sequence[QuestionAnswer]
) -> Float[np.ndarray, " line"]:
    """The mean log-probability of each line's scored tokens, in nats."""
    return np.array([text.log_probs.mean(dtype=float) for text in target.score(lines)])
