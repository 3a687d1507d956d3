"""What a provider's runs over a paper by any rubric will cost, before it is asked."""

from mechaware.instruments.claims.by_rubric.judging import paper_questions, shown_passages
from mechaware.instruments.claims.judges.language_model.calls.provider import (
    count_tokens,
    price_of_tokens,
)
from mechaware.instruments.claims.judges.language_model.item_prompts import ItemPrompts
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.rubric import Rubric


def forecast_by_rubric(
    settings: JudgeSettings,
    prompts: ItemPrompts,
    text: str,
    rubric: Rubric,
    *,
    claim: str,
    passages: int,
    runs: int,
) -> str:
    """In words, the calls of all runs, the tokens of their prompts, and what these cost without the replies.

    Arguments as in `judge_by_rubric`. Replies that are kept are not asked for, and cost nothing.
    """
    questions = paper_questions(shown_passages(text, rubric, passages), claim)
    evidence = settings.mode != "passages"
    tokens = 0
    for question in questions:
        tokens += count_tokens(prompts.judge_passages(question, rubric, evidence=evidence))
    sent = runs * tokens
    price = price_of_tokens(settings, sent, 0)
    cost = "price not known" if price is None else f"${price:.4f} without the replies"
    calls = runs * len(questions)
    return f"{calls} calls, about {sent:,} prompt tokens, {cost}; kept replies cost nothing"
