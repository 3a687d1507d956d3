"""What a provider's calls will cost, before the provider is asked, and what they took, afterwards."""

from collections.abc import Iterable, Sequence

from mechaware.instruments.claims.judges.judge import AskedQuestion
from mechaware.instruments.claims.judges.language_model.calls.provider import (
    count_tokens,
    price_of_tokens,
)
from mechaware.instruments.claims.judges.language_model.item_prompts import ItemPrompts
from mechaware.instruments.claims.judges.language_model.prompts import Prompts
from mechaware.instruments.claims.judges.settings import JudgeSettings
from mechaware.instruments.claims.rubric.records import Usage
from mechaware.instruments.claims.rubric.rubric import Rubric


def forecast(
    settings: JudgeSettings, prompts: Prompts, text: str, flags: Sequence[str], runs: int
) -> str:
    """In words, the tokens of the runs' first prompts and their cost, without replies and with the longest ones.

    Each run sends the paper at least once. Claim by claim, it sends the paper once more for every claim; in any mode,
    once more for what has to be asked again. Replies that are kept are not asked for, and cost nothing.
    """
    judged = settings.mode == "at_once"
    chat = prompts.claims(text, flags, settings.max_claims, judged=judged)
    counted = f"{runs} calls" if judged else f"{runs} calls or more"
    return _expected(settings, counted, runs, sent=runs * count_tokens(chat))


def forecast_questions(
    settings: JudgeSettings, prompts: ItemPrompts, asked: Iterable[AskedQuestion], rubric: Rubric
) -> str:
    """In words, the tokens of the prompts of questions and their cost, without replies and with the longest ones.

    Replies that are kept are not asked for, and cost nothing.
    """
    evidence = settings.mode != "passages"
    calls = 0
    sent = 0
    for question, _ in asked:
        calls += 1
        sent += count_tokens(prompts.judge_passages(question, rubric, evidence=evidence))
    return _expected(settings, f"{calls} calls", calls, sent=sent)


def _expected(settings: JudgeSettings, counted: str, replies: int, *, sent: int) -> str:
    """The words for calls, for the tokens `sent`, and for their cost with the shortest and the longest `replies`."""
    least = price_of_tokens(settings, sent, 0)
    most = price_of_tokens(settings, sent, replies * settings.max_tokens)
    if least is None or most is None:
        cost = "price not known"
    else:
        cost = f"${least:.4f} without the replies, ${most:.4f} with replies of max_tokens"
    return f"{counted}, about {sent:,} prompt tokens, {cost}; kept replies cost nothing"


def account(usage: Usage, seconds: float) -> str:
    """In words, what the runs and their audit took: calls, tokens, cost and time. Kept replies count as they were."""
    cost = "price not known" if usage.cost is None else f"${usage.cost:.4f}"
    tokens = f"{usage.prompt_tokens:,} prompt tokens, {usage.completion_tokens:,} of replies"
    return f"{usage.calls} calls, {tokens}, {cost}, kept replies included; {seconds:.0f} s"
