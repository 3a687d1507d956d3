"""One call of a language model through litellm: the request, attempts after failures, and the cost."""

import asyncio
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from types import ModuleType
from typing import Any

from mechaware.claims.judges.judge import Unscored
from mechaware.claims.judges.language_model.calls.store import Completion
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.errors import UserError

LONGEST_BACKOFF_S = 60.0
LONGEST_WAIT_S = 300.0  # a provider that asks for more ends the attempts
LONGEST_REASON = 200  # characters
_TRY_AGAIN = (408, 409, 425, 429)  # and all from 500 on
_NO_MONEY = ("insufficient_quota", "exceeded your current quota")  # status 429 that waiting does not mend


class MalformedReplyError(Exception):
    """A successful status with a body that is no chat completion."""


def load_litellm() -> ModuleType:
    """The library litellm (3 s to import), set to use the network for our calls only."""
    # Without these it fetches a price list and a list of headers, and reads a .env file.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    import litellm

    litellm.telemetry = False
    litellm.drop_params = True  # some models refuse a temperature or a seed
    litellm.suppress_debug_info = True
    return litellm


def complete(
    request: Mapping[str, Any],
    settings: JudgeSettings,
    *,
    api_base: str | None,
    api_key: str | None,
    backoff_s: float,
) -> Completion:
    """Send a chat and wait for its reply, with new attempts after 429, 5xx, lost connections and time-outs.

    Between attempts it waits `backoff_s`, twice that and so on, or as long as Retry-After says. Raises `Unscored` if
    no attempt succeeds or if this prompt alone is refused, `UserError` if every call would be refused.
    """
    load_litellm()
    from openai import OpenAIError

    for attempt in range(settings.attempts):
        try:
            return _call(request, settings, api_base, api_key)
        except (OpenAIError, MalformedReplyError) as error:  # litellm's own errors are openai's
            reason = _reason(error, api_key)
            _refuse(error, reason, settings)
            wait = max(retry_after_s(error) or 0.0, min(backoff_s * 2**attempt, LONGEST_BACKOFF_S))
        if wait > LONGEST_WAIT_S:
            raise Unscored("provider", f"the provider asks to wait for {wait:.0f} s ({reason})")
        if attempt + 1 < settings.attempts:
            time.sleep(wait)
    raise Unscored("provider", f"no reply after {settings.attempts} attempts ({reason})")


def price(settings: JudgeSettings, usage: Any) -> float | None:
    """US dollars of a call with litellm's `usage`; None where no price is known."""
    if settings.kind == "embedded":
        return 0.0
    prompt, completion = settings.usd_per_million_prompt_tokens, settings.usd_per_million_completion_tokens
    if prompt is not None and completion is not None:
        return float(prompt * usage.prompt_tokens + completion * usage.completion_tokens) / 1e6
    try:
        # Not completion_cost: it looks up the model name in the reply, and an unknown one may cost nothing.
        return float(sum(load_litellm().cost_per_token(model=settings.model, usage_object=usage)))
    except Exception:  # its error for a model without a price is an Exception and no more
        return None


def price_at_most(settings: JudgeSettings, characters: int) -> float | None:
    """The most US dollars that a call with a prompt of so many characters may cost; None where no price is known."""
    tokens = characters // 3 + 1  # English has four characters a token and more
    usage = load_litellm().Usage(prompt_tokens=tokens, completion_tokens=settings.max_tokens)
    return price(settings, usage)


def retry_after_s(error: Exception) -> float | None:
    """Seconds that a failed reply asks to wait, from its Retry-After in seconds or as a date; None if it does not."""
    headers = getattr(error, "litellm_response_headers", None) or getattr(
        getattr(error, "response", None), "headers", {}
    )
    value = next((value for name, value in headers.items() if name.lower() == "retry-after"), None)
    if value is None:
        return None
    try:
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except ValueError:
        return None


def _call(request: Mapping[str, Any], settings: JudgeSettings, api_base: str | None, api_key: str | None) -> Completion:
    litellm = load_litellm()
    sent = {name: value for name, value in request.items() if value is not None} | {"api_base": api_base}
    # A user's own server without a key must not get the key that litellm finds in the environment.
    sent["api_key"] = api_key or ("none" if api_base else None)
    started = time.perf_counter()
    with _event_loop():
        response = litellm.completion(
            **sent, timeout=settings.timeout_s, num_retries=0, max_retries=0, caching=False, stream=False
        )
    latency_s = time.perf_counter() - started
    if not response.choices:
        raise MalformedReplyError("a reply without choices")
    choice = response.choices[0]
    return Completion(
        # A lone surrogate cannot be written as UTF-8.
        text=(choice.message.content or "").encode("utf-8", "replace").decode(),
        finish_reason=choice.finish_reason or "",
        prompt_tokens=response.usage.prompt_tokens,
        completion_tokens=response.usage.completion_tokens,
        cost=price(settings, response.usage),
        latency_s=round(latency_s, 3),
        model=response.model or "",
    )


@contextmanager
def _event_loop() -> Iterator[None]:
    """An event loop for litellm's timing log, which otherwise makes one and never closes it."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def _refuse(error: Exception, reason: str, settings: JudgeSettings) -> None:
    """Raise `Unscored` or `UserError` for a failure that another attempt would not mend."""
    from litellm.exceptions import ContentPolicyViolationError, ContextWindowExceededError

    if isinstance(error, ContextWindowExceededError):
        raise Unscored("context", f"the prompt is too long for the model ({reason})") from None
    if isinstance(error, ContentPolicyViolationError):
        raise Unscored("refused", f"the provider's content filter refused the prompt ({reason})") from None
    status = getattr(error, "status_code", None) or 500  # none: the connection failed
    no_money = status == 402 or any(words in str(error) for words in _NO_MONEY)
    if not no_money and (status >= 500 or status in _TRY_AGAIN):
        return
    key = f"the environment variable {settings.api_key_env}" if settings.api_key_env else "no api_key_env"
    if no_money:
        advice = f"its account has no money left ({key}); finished replies are kept"
    elif status in (401, 403):
        advice = f"correct the key (config/judges.yaml: {key})"
    elif status == 404:
        advice = "correct `model` or `api_base` in config/judges.yaml"
    else:
        advice = "correct the judge's entry in config/judges.yaml"
    raise UserError(f"judge {settings.name}: the provider refused the call ({status}: {reason}); {advice}") from None


def _reason(error: Exception, api_key: str | None) -> str:
    """The first line of an error, short, and without the key, which some providers repeat."""
    text = str(error) if api_key is None else str(error).replace(api_key, "***")
    return next(iter(text.splitlines()), type(error).__name__)[:LONGEST_REASON]
