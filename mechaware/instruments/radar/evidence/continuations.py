"""Continuations of items, greedy and sampled, which CDD compares (Dong et al. 2024)."""

from collections.abc import Sequence

from mechaware.instruments.radar.evidence.evidence import Samples
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer

# As in CDD: the length, in tokens, at which continuations are cut, and the temperature of sampling.
SAMPLED_TOKENS = 100
TEMPERATURE = 0.8


def sample_continuations(
    target: TokenisedModel, lines: Sequence[QuestionAnswer], *, samples: int, seed: int
) -> list[Samples]:
    """The greedy continuation of each line's prompt, and `samples` random continuations.

    Each has at most `SAMPLED_TOKENS` tokens. The random continuations are drawn at `TEMPERATURE`,
    from one generator with the seed `seed` (`TokenisedModel.sample`).
    """
    return target.sample(
        _sampling_prompts(target, lines),
        samples=samples,
        tokens=SAMPLED_TOKENS,
        temperature=TEMPERATURE,
        seed=seed,
    )


def _sampling_prompts(target: TokenisedModel, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
    """The tokens of each line that the model continues, start tokens included.

    - For a question: the question.
    - For a text without a question: its first half, rounded down, but at least one token.
    - Inside a chat template: the whole prompt, to which the model replies.
    """
    prompts = target.prompt_ids(lines)
    if target.template == "chat":
        return prompts
    sampling_prompts = []
    for line, ids in zip(lines, prompts, strict=True):
        if line.question:
            sampling_prompts.append(ids)
        else:
            n_half = max(1, len(ids) // 2)
            sampling_prompts.append(ids[:n_half])
    return sampling_prompts
