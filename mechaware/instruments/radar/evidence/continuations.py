"""Continuations of items, greedy and drawn, as CDD compares them (Dong et al. 2024)."""

from collections.abc import Sequence

from mechaware.instruments.radar.evidence.evidence import Samples
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer

# CDD samples at temperature 0.8 and cuts continuations at 100 tokens.
SAMPLED_TOKENS = 100
TEMPERATURE = 0.8


def sample_continuations(
    target: TokenisedModel, lines: Sequence[QuestionAnswer], *, samples: int, seed: int
) -> list[Samples]:
    """The greedy continuation of each line, and `samples` drawn ones."""
    return target.sample(
        _openings(target, lines),
        samples=samples,
        tokens=SAMPLED_TOKENS,
        temperature=TEMPERATURE,
        seed=seed,
    )


def _openings(target: TokenisedModel, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
    """The tokens of each line that the model continues.

    - For a question: the question.
    - For a text without a question: its first half, at least one token.
    - Inside a chat template: the whole prompt, to which the model replies.
    """
    prompts = target.prompt_ids(lines)
    if target.template == "chat":
        return prompts
    openings = []
    for line, ids in zip(lines, prompts, strict=True):
        n_half = max(1, len(ids) // 2)
        openings.append(ids if line.question else ids[:n_half])
    return openings
