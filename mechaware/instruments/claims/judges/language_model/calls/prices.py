"""How many tokens a chat has, roughly, and what a call costs in US dollars."""

from collections.abc import Mapping, Sequence
from typing import Any

from mechaware.instruments.claims.judges.language_model.calls.litellm_library import load_litellm
from mechaware.instruments.claims.judges.settings import JudgeSettings

CHARACTERS_A_TOKEN = 4  # of English, roughly
# English has four characters a token or more: a count with three is an upper bound.
MIN_CHARACTERS_A_TOKEN = 3


def count_tokens(messages: Sequence[Mapping[str, str]]) -> int:
    """About how many tokens a chat has; a run of white space counts as one character."""
    tokens = 0
    for message in messages:
        text = " ".join(message["content"].split())
        tokens += len(text) // CHARACTERS_A_TOKEN
    return tokens


def price(settings: JudgeSettings, usage: Any) -> float | None:
    """US dollars of a call with litellm's `usage`; None where no price is known.

    Prices in the settings replace the prices of litellm's list. An embedded model costs nothing.
    """
    if settings.kind == "embedded":
        return 0.0
    prompt_price = settings.usd_per_million_prompt_tokens
    completion_price = settings.usd_per_million_completion_tokens
    if prompt_price is not None and completion_price is not None:
        millionths = prompt_price * usage.prompt_tokens + completion_price * usage.completion_tokens
        return float(millionths) / 1e6
    try:
        # Not completion_cost: it looks up the model name in the reply, and an unknown name may cost
        # nothing.
        return float(sum(load_litellm().cost_per_token(model=settings.model, usage_object=usage)))
    except Exception:  # litellm raises a plain Exception for a model without a price
        return None


def price_at_most(settings: JudgeSettings, characters: int) -> float | None:
    """The most US dollars that a call with a prompt of `characters` characters may cost.

    The reply is taken to have `max_tokens`. None where no price is known.
    """
    prompt_tokens = characters // MIN_CHARACTERS_A_TOKEN + 1
    return price_of_tokens(settings, prompt_tokens, settings.max_tokens)


def price_of_tokens(
    settings: JudgeSettings, prompt_tokens: int, completion_tokens: int
) -> float | None:
    """The price of a call with these numbers of tokens, in US dollars; None if it is not known."""
    usage = load_litellm().Usage(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
    return price(settings, usage)
