"""The model's answers to the three prompts of each item."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from mechaware.core.accepted_answers import is_accepted
from mechaware.instruments.grounding.passages.asking import Question
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
    texts, begins = [], []
    for question in questions:
        for prompt in question.prompts.values():
            texts += prompt.options
            begins += prompt.begins
    scores = score_tokens(model, texts, begins, tokens_per_batch=_TOKENS_PER_PASS)
    totals = iter([float(score.log_probs.sum()) for score in scores])

    chosen = {}
    for question in questions:
        options = question.item.options
        for condition in question.prompts:
            of_options = {option: next(totals) for option in options}
            chosen[question.item.id, condition] = max(of_options, key=of_options.__getitem__)
    return chosen


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
