"""What a provider's calls are expected to cost (`forecast`), and what they took (`account`)."""

from collections.abc import Iterable, Sequence

from mechaware.instruments.claims.judges.judge import AskedQuestion
from mechaware.instruments.claims.judges.language_model.calls.prices import (
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
    """The cost of the first call of each run over a paper, in words (see `_describe_cost`).

    `flags` are the codes of the text's flags; the prompt states what each means. The first call of
    every run is taken to ask for the paper's claims. With `claims_found: once`, later runs are
    given the claims, so that their first call asks for criteria; it sends the same paper.

    A run makes further calls, each with the paper: if `mode` is `claim_by_claim`, one for each
    claim about which its first call did not ask, and in any mode the calls that ask again for
    unusable parts of a reply. Stored replies are not asked for again and cost nothing.
    """
    at_once = settings.mode == "at_once"
    chat = prompts.claims(text, flags, settings.max_claims, judged=at_once)
    calls = f"{runs} calls" if at_once else f"{runs} calls or more"
    prompt_tokens = runs * count_tokens(chat)
    return _describe_cost(settings, calls, prompt_tokens, n_replies=runs)


def forecast_questions(
    settings: JudgeSettings, prompts: ItemPrompts, asked: Iterable[AskedQuestion], rubric: Rubric
) -> str:
    """The cost of questions about passages, one call each, in words (see `_describe_cost`).

    Stored replies are not asked for again and cost nothing.
    """
    # A small model, which judges from passages, is not asked for evidence.
    evidence = settings.mode != "passages"
    n_calls = 0
    prompt_tokens = 0
    for question, _run in asked:
        n_calls += 1
        chat = prompts.judge_passages(question, rubric, evidence=evidence)
        prompt_tokens += count_tokens(chat)
    return _describe_cost(settings, f"{n_calls} calls", prompt_tokens, n_replies=n_calls)


def _describe_cost(
    settings: JudgeSettings, calls: str, prompt_tokens: int, *, n_replies: int
) -> str:
    """The calls, their prompt tokens, and two bounds of their cost in US dollars.

    The lower bound is without replies, the upper one with replies of `max_tokens` each.
    """
    least = price_of_tokens(settings, prompt_tokens, 0)
    most = price_of_tokens(settings, prompt_tokens, n_replies * settings.max_tokens)
    if least is None or most is None:
        cost = "price not known"
    else:
        cost = f"${least:.4f} without the replies, ${most:.4f} with replies of max_tokens"
    return f"{calls}, about {prompt_tokens:,} prompt tokens, {cost}; kept replies cost nothing"


def account(usage: Usage, seconds: float) -> str:
    """What the calls that `usage` counts took, in words: calls, tokens, cost and time in seconds.

    A stored reply counts with the tokens and the cost that it had when it was made.
    """
    cost = "price not known" if usage.cost is None else f"${usage.cost:.4f}"
    tokens = f"{usage.prompt_tokens:,} prompt tokens, {usage.completion_tokens:,} of replies"
    return f"{usage.calls} calls, {tokens}, {cost}, kept replies included; {seconds:.0f} s"
