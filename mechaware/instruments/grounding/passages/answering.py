"""The model's answers to the three prompts of each item."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from mechaware.core.accepted_answers import is_accepted
from mechaware.instruments.grounding.answers import final_logits
from mechaware.instruments.grounding.passages.asking import Prompt, Question
from mechaware.models.capture import score_tokens
from mechaware.models.decoding import decode
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

    Of options the answer is that with the largest sum of log-probabilities over its tokens, as lm-eval's acc counts it,
    of equal ones the first. A written answer is the greedy continuation, and right if its first line has an accepted
    answer (`is_accepted`). `logged` is the mark in the log, NaN without one.
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
            right = (
                answer == item.accepted[0] if item.options else is_accepted(answer, item.accepted)
            )
            rows.append((item.id, number, condition, answer, right, item.correct))
    columns = ["id", "passage", "condition", "answer", "right", "logged"]
    return pd.DataFrame(rows, columns=columns)


def _chosen(model: "PreTrainedModel", questions: Sequence[Question]) -> dict[tuple[str, str], str]:
    """By item and condition, the likeliest option."""
    places = [(question, condition) for question in questions for condition in question.prompts]
    prompts = [question.prompts[condition] for question, condition in places]
    chosen = {}
    for (question, condition), scores in zip(places, option_scores(model, prompts), strict=True):
        best = scores.index(max(scores))
        chosen[question.item.id, condition] = question.item.options[best]
    return chosen


def option_scores(model: "PreTrainedModel", prompts: Sequence[Prompt]) -> list[list[float]]:
    """The sum of log-probabilities of each option's tokens, for each prompt.

    Options of one token, such as letters, share a pass over the prompt; longer ones have one each.
    """
    scores: dict[int, list[float]] = {}
    of_one_token = [number for number, prompt in enumerate(prompts) if prompt.one_token_options]
    if of_one_token:
        contexts = [prompts[number].options[0][:-1] for number in of_one_token]
        logits = final_logits(model, contexts, tokens_per_batch=_TOKENS_PER_PASS)
        for number, row in zip(of_one_token, logits.double().log_softmax(-1), strict=True):
            scores[number] = [float(row[ids[-1]]) for ids in prompts[number].options]

    longer = [number for number in range(len(prompts)) if number not in scores]
    texts = [ids for number in longer for ids in prompts[number].options]
    begins = [begin for number in longer for begin in prompts[number].begins]
    totals = iter(score_tokens(model, texts, begins, tokens_per_batch=_TOKENS_PER_PASS))
    for number in longer:
        scores[number] = [float(next(totals).log_probs.sum()) for _ in prompts[number].options]
    return [scores[number] for number in range(len(prompts))]


def _written(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    questions: Sequence[Question],
    template: Template,
) -> dict[tuple[str, str], str]:
    """By item and condition, the greedy continuation of its prompt."""
    places = [(question, condition) for question in questions for condition in question.prompts]
    prompts = [question.prompts[condition] for question, condition in places]
    most = max(question.new_tokens for question in questions)
    longest = max(len(prompt.options[0]) for prompt in prompts) + most
    continued = decode(
        model,
        tokenizer,
        [prompt.text for prompt in prompts],
        max_new_tokens=most,
        batch_size=max(1, _TOKENS_PER_PASS // longest),
        template=template,
    )
    return {
        (question.item.id, condition): text
        for (question, condition), text in zip(places, continued, strict=True)
    }
