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

# The logits of all tokens in a pass are in memory at once: half a gigabyte in float32 with a
# vocabulary of 128,000.
_TOKENS_PER_PASS = 1024


def answer_questions(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    questions: Sequence[Question],
    *,
    template: Template = "none",
) -> pd.DataFrame:
    """A row per question and condition (`own`, `exchanged`, `none`). Columns:

    - id: of the item
    - passage: the number of the item's own passage, from 1, by its first occurrence
    - condition
    - answer: for an item with options, the option with the largest sum of log-probabilities over
      its tokens, as in lm-eval's acc; the first on a tie. For an item without options, the greedy
      continuation
    - right: whether the chosen option is the right one, or the first line of the continuation has
      an accepted answer (`is_accepted`)
    - logged: the item's mark in the log, NaN without a mark
    """
    with_options = [question for question in questions if question.item.options]
    without_options = [question for question in questions if not question.item.options]
    answers = _choose_options(model, with_options)
    if without_options:
        answers |= _write_answers(model, tokenizer, without_options, template)

    passage_numbers: dict[str, int] = {}
    rows = []
    for question in questions:
        item = question.item
        if item.passage not in passage_numbers:
            passage_numbers[item.passage] = len(passage_numbers) + 1
        for condition in question.prompts:
            answer = answers[item.id, condition]
            row = {
                "id": item.id,
                "passage": passage_numbers[item.passage],
                "condition": condition,
                "answer": answer,
                "right": _is_right(answer, item),
                "logged": item.correct,
            }
            rows.append(row)
    columns = ["id", "passage", "condition", "answer", "right", "logged"]
    return pd.DataFrame(rows, columns=columns)


def _is_right(answer: str, item: PassageItem) -> bool:
    """Whether the chosen option is right, or a written answer is accepted (`is_accepted`)."""
    if item.options:
        return answer == item.accepted[0]
    return is_accepted(answer, item.accepted)


class _ItemPrompt(NamedTuple):
    """The prompt of an item under one condition."""

    item: PassageItem
    condition: str
    prompt: TokenisedPrompt


def _choose_options(
    model: "PreTrainedModel", questions: Sequence[Question]
) -> dict[tuple[str, str], str]:
    """By item (id) and condition, the likeliest option; the first on a tie."""
    item_prompts = _item_prompts(questions)
    all_scores = option_scores(model, [item_prompt.prompt for item_prompt in item_prompts])
    chosen = {}
    for (item, condition, _), scores in zip(item_prompts, all_scores, strict=True):
        best = scores.index(max(scores))
        chosen[item.id, condition] = item.options[best]
    return chosen


def _item_prompts(questions: Sequence[Question]) -> list[_ItemPrompt]:
    """The prompts of every item under every condition, item by item."""
    item_prompts = []
    for question in questions:
        for condition, prompt in question.prompts.items():
            item_prompts.append(_ItemPrompt(question.item, condition, prompt))
    return item_prompts


def option_scores(
    model: "PreTrainedModel", prompts: Sequence[TokenisedPrompt]
) -> list[list[float]]:
    """The sum of log-probabilities of each option's tokens, for each prompt.

    Options of one token, such as letters, share one pass over their prompt. If a prompt has a
    longer option, each of its options takes a pass.

    Returns:
        One list for each prompt, in their order, with a number for each of its options: a natural
        logarithm, at most 0.
    """
    with_short_options = [prompt for prompt in prompts if prompt.one_token_options]
    with_long_options = [prompt for prompt in prompts if not prompt.one_token_options]
    short_scores = iter(_score_single_tokens(model, with_short_options))
    long_scores = iter(_score_long_options(model, with_long_options))

    # Put the two lists back in the order of the prompts.
    scores = []
    for prompt in prompts:
        if prompt.one_token_options:
            scores.append(next(short_scores))
        else:
            scores.append(next(long_scores))
    return scores


def _score_single_tokens(
    model: "PreTrainedModel", prompts: Sequence[TokenisedPrompt]
) -> list[list[float]]:
    """`option_scores` of prompts whose options are one token each, in one pass per prompt.

    An option's list of ids (`TokenisedPrompt.options`) has the ids of the prompt, then the option's
    token, so that the lists of a prompt differ only in the last id.
    """
    # `final_logits` needs at least one prompt.
    if not prompts:
        return []
    contexts = [prompt.options[0][:-1] for prompt in prompts]
    logits = final_logits(model, contexts, tokens_per_batch=_TOKENS_PER_PASS)
    log_probs = logits.double().log_softmax(-1)  # prompt x vocabulary

    scores = []
    for prompt, log_probs_of_prompt in zip(prompts, log_probs, strict=True):
        scores.append([float(log_probs_of_prompt[ids[-1]]) for ids in prompt.options])
    return scores


def _score_long_options(
    model: "PreTrainedModel", prompts: Sequence[TokenisedPrompt]
) -> list[list[float]]:
    """`option_scores` of prompts with options of several tokens; each option takes a pass.

    The options of all prompts are scored as one list, which is then cut by prompt again. For a
    prompt with two options and one with three, the sums

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


def _write_answers(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    questions: Sequence[Question],
    template: Template,
) -> dict[tuple[str, str], str]:
    """By item (id) and condition, the greedy continuation of the prompt.

    The items of `questions` have no options.
    """
    item_prompts = _item_prompts(questions)
    max_new_tokens = max(question.new_tokens for question in questions)
    # Without options a prompt has one list of ids, its own.
    longest_prompt = max(len(item_prompt.prompt.options[0]) for item_prompt in item_prompts)
    continuations = decode(
        model,
        tokenizer,
        [item_prompt.prompt.text for item_prompt in item_prompts],
        max_new_tokens=max_new_tokens,
        batch_size=max(1, _TOKENS_PER_PASS // (longest_prompt + max_new_tokens)),
        template=template,
    )
    answers = {}
    for (item, condition, _), continuation in zip(item_prompts, continuations, strict=True):
        answers[item.id, condition] = continuation
    return answers
