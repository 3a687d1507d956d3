"""The model's answers to the three prompts of each item."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import pandas as pd

from mechaware.core.accepted_answers import is_accepted
from mechaware.core.evaluation_log.passages import PassageItem
from mechaware.instruments.grounding.passages.asking import Question, TokenisedPrompt
from mechaware.models.decoding import decode
from mechaware.models.final_logits import final_logits
from mechaware.models.token_scores import score_tokens
from mechaware.models.tokenisation.chat import Template

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

# Logits of all tokens of a pass are in memory: with a vocabulary of 128,000, half a gigabyte.
_TOKENS_PER_PASS = 1024


def answer_questions(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    questions: Sequence[Question],
    *,
    template: Template = "none",
) -> pd.DataFrame:
    """A row per question and condition: id, passage (the number of the item's own), condition, answer, right, logged.

    For an item with options the answer is the option with the largest sum of log-probabilities over its tokens, as in
    lm-eval's acc; the first of equal ones. For an item without options it is the greedy continuation, and right if its
    first line has an accepted answer (`is_accepted`). `logged` is the mark in the log, NaN without a mark.
    """
    by_options = [question for question in questions if question.item.options]
    written = [question for question in questions if not question.item.options]
    answers = _chosen(model, by_options)
    if written:
        answers |= _written(model, tokenizer, written, template)

    numbers: dict[str, int] = {}
    rows = []
    for question in questions:
        item = question.item
        number = numbers.setdefault(item.passage, len(numbers) + 1)
        for condition in question.prompts:
            answer = answers[item.id, condition]
            right = _is_right(answer, item)
            rows.append((item.id, number, condition, answer, right, item.correct))
    columns = ["id", "passage", "condition", "answer", "right", "logged"]
    return pd.DataFrame(rows, columns=columns)


def _is_right(answer: str, item: PassageItem) -> bool:
    """Whether the chosen option is the right one, or a written answer has an accepted one in its first line."""
    if item.options:
        return answer == item.accepted[0]
    return is_accepted(answer, item.accepted)


class _Asked(NamedTuple):
    """An item asked under one condition: own, exchanged or none."""

    item: PassageItem
    condition: str
    prompt: TokenisedPrompt


def _chosen(model: "PreTrainedModel", questions: Sequence[Question]) -> dict[tuple[str, str], str]:
    """By item and condition, the likeliest option."""
    all_asked = _ask_all(questions)
    all_scores = option_scores(model, [asked.prompt for asked in all_asked])
    chosen = {}
    for asked, scores in zip(all_asked, all_scores, strict=True):
        best = scores.index(max(scores))
        chosen[asked.item.id, asked.condition] = asked.item.options[best]
    return chosen


def _ask_all(questions: Sequence[Question]) -> list[_Asked]:
    """Every item under every condition, item by item."""
    asked = []
    for question in questions:
        for condition, prompt in question.prompts.items():
            asked.append(_Asked(question.item, condition, prompt))
    return asked


def option_scores(
    model: "PreTrainedModel", prompts: Sequence[TokenisedPrompt]
) -> list[list[float]]:
    """The sum of log-probabilities of each option's tokens, for each prompt.

    Options of one token, such as letters, share a pass over the prompt; longer ones have one each.

    Returns:
        One list for each prompt, in their order, with a number (natural logarithm, at most 0) for each of its options.
    """
    short = [prompt for prompt in prompts if prompt.one_token_options]
    longer = [prompt for prompt in prompts if not prompt.one_token_options]
    scores_of_short = iter(_score_single_tokens(model, short) if short else [])
    scores_of_longer = iter(_score_long_options(model, longer))

    scores = []
    for prompt in prompts:
        of_its_length = scores_of_short if prompt.one_token_options else scores_of_longer
        scores.append(next(of_its_length))
    return scores


def _score_single_tokens(
    model: "PreTrainedModel", prompts: Sequence[TokenisedPrompt]
) -> list[list[float]]:
    """`option_scores` of prompts whose options are one token each: read after the prompt, in one pass."""
    contexts = [prompt.options[0][:-1] for prompt in prompts]
    logits = final_logits(model, contexts, tokens_per_batch=_TOKENS_PER_PASS)
    log_probs = logits.double().log_softmax(-1)  # prompts x vocabulary

    scores = []
    for prompt, row in zip(prompts, log_probs, strict=True):
        scores.append([float(row[ids[-1]]) for ids in prompt.options])
    return scores


def _score_long_options(
    model: "PreTrainedModel", prompts: Sequence[TokenisedPrompt]
) -> list[list[float]]:
    """`option_scores` of prompts with options of several tokens, each of which takes a pass.

    The options of all prompts are scored as one list, which is then cut by prompt again. For a prompt with two options
    and one with three, the sums

        -1, -2, -3, -4, -5    become    [[-1, -2], [-3, -4, -5]]
    """
    texts = []
    begins = []
    for prompt in prompts:
        texts += prompt.options
        begins += prompt.begins
    scored = iter(score_tokens(model, texts, begins, tokens_per_batch=_TOKENS_PER_PASS))

    scores = []
    for prompt in prompts:
        scores.append([float(next(scored).log_probs.sum()) for _ in prompt.options])
    return scores


def _written(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    questions: Sequence[Question],
    template: Template,
) -> dict[tuple[str, str], str]:
    """By item and condition, the greedy continuation of its prompt."""
    all_asked = _ask_all(questions)
    max_new_tokens = max(question.new_tokens for question in questions)
    # Without options a prompt has one list: its own ids.
    longest_prompt = max(len(asked.prompt.options[0]) for asked in all_asked)
    continued = decode(
        model,
        tokenizer,
        [asked.prompt.text for asked in all_asked],
        max_new_tokens=max_new_tokens,
        batch_size=max(1, _TOKENS_PER_PASS // (longest_prompt + max_new_tokens)),
        template=template,
    )
    answers = {}
    for asked, text in zip(all_asked, continued, strict=True):
        answers[asked.item.id, asked.condition] = text
    return answers
