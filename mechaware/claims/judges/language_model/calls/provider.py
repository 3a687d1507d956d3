"""One call of a language model through litellm: the request, attempts after failures, and the cost."""

import asyncio
import json
import os
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from email.utils import parsedate_to_datetime
from functools import cache
from types import ModuleType
from typing import Any

from mechaware.claims.judges.judge import Unscored
from mechaware.claims.judges.language_model.calls.server import PromptSlots
from mechaware.claims.judges.language_model.calls.store import Completion
from mechaware.claims.judges.language_model.calls.transport import (
    Exchange,
    LimitedTransport,
    MalformedReplyError,
    RedirectedError,
)
from mechaware.claims.judges.settings import JudgeSettings
from mechaware.errors import UserError

LONGEST_BACKOFF_S = 60.0
LONGEST_WAIT_S = 300.0  # a provider that asks for more ends the attempts
LONGEST_REASON = 200  # characters
SHORTEST_SECRET = 8  # characters; a shorter key, such as that of a server of one's own, occurs in ordinary text
TOO_MANY_REQUESTS = 429
_TRY_AGAIN = (408, 409, 425, TOO_MANY_REQUESTS)  # and all from 500 on
_NO_MONEY = ("insufficient_quota", "exceeded your current quota")  # status 429 that waiting does not mend


class DeadProviderError(UserError):
    """A provider that does not answer. No call of the same job would fare better."""


@cache
def transport() -> LimitedTransport:
    """The one way to the network that litellm has in this process."""
    import httpx

    litellm: Any = load_litellm()
    limited = LimitedTransport()
    litellm.client_session = httpx.Client(transport=limited)  # for providers that litellm calls by openai's library
    litellm.sync_transport = limited  # for all others
    return limited


@cache
def make_ready(model: str | None) -> None:
    """Import what a call of this model needs: litellm imports much of it in its first call.

    That call is made here, without a key. It ends at our transport, which sends nothing while no attempt is under way.
    """
    transport()
    with _surroundings(), suppress(Exception):
        load_litellm().completion(
            model=model, messages=[{"role": "user", "content": "x"}], api_base="http://127.0.0.1:9/v1", api_key="none",
            num_retries=0, max_retries=0,
        )  # fmt: skip


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


def longest_outage_s(settings: JudgeSettings) -> float:
    """The most seconds that a job may lose to failed attempts and the waits between them: attempts times timeout_s."""
    return settings.attempts * settings.timeout_s


class Provider:
    """Calls one judge's model, and gives up when its provider is dead.

    A provider is dead for the rest of a job after `attempts` failed attempts of one call, when it asks to wait longer
    than `LONGEST_WAIT_S`, or when failed attempts and the waits between them have taken `longest_outage_s`: within one
    call, or all calls of the job together. The latter sum leaves out status 429, with which a provider that works
    paces its users. An attempt has `timeout_s` seconds, or what is left of that time.
    """

    def __init__(self, settings: JudgeSettings, *, backoff_s: float = 1.0) -> None:
        self.settings = settings
        self._backoff_s = backoff_s
        self._lost_s = 0.0  # in this job, without those attempts that ended in status 429
        self._slots = PromptSlots() if settings.kind == "embedded" else None

    def complete(self, request: Mapping[str, Any], *, api_base: str | None, api_key: str | None) -> Completion:
        """Send a chat and wait for its reply, with new attempts after 429, 5xx, lost connections and time-outs.

        Between attempts it waits `backoff_s`, twice that and so on, or as long as Retry-After says. Tokens that a
        failed attempt's reply reports are added to those of the reply. Raises `Unscored` if this prompt alone is
        refused, `DeadProviderError` (see above), and `UserError` if every call would be refused.
        """
        make_ready(self.settings.model)  # takes seconds, which are no part of the first attempt
        call_lost_s, charged, network = 0.0, Counter[str](), transport()
        for attempt in range(self.settings.attempts):
            started = time.monotonic()
            left_s = longest_outage_s(self.settings) - max(call_lost_s, self._lost_s)
            with network.attempt(min(self.settings.timeout_s, left_s)) as exchange:
                try:
                    return self._completion(self._chat(request, api_base, api_key), attempt, charged, started, api_key)
                except Exception as error:  # litellm raises openai's errors, and bare ones for replies of odd shape
                    failure = exchange.failure or error
            reason = _reason(failure, api_key)
            self._refuse(failure, reason, api_base)
            charged += _tokens(exchange)
            wait_s = max(retry_after_s(failure) or 0.0, min(self._backoff_s * 2**attempt, LONGEST_BACKOFF_S))
            lost_s = time.monotonic() - started + wait_s
            call_lost_s += lost_s
            self._lost_s += lost_s if _status(failure) != TOO_MANY_REQUESTS else 0.0
            last = attempt + 1 == self.settings.attempts
            tried = f"{attempt + 1} attempt{'s' if attempt else ''} ({reason})"
            self._check_alive(wait_s, max(call_lost_s, self._lost_s), tried, last=last)
            time.sleep(wait_s)
        raise AssertionError("a loop without attempts")

    def _check_alive(self, wait_s: float, lost_s: float, tried: str, *, last: bool) -> None:
        """Raise `DeadProviderError` unless another attempt is due after `wait_s` seconds."""
        if wait_s > LONGEST_WAIT_S:
            tried = f"{tried}, and the provider asks to wait for {wait_s:.0f} s"
        elif not last and lost_s < longest_outage_s(self.settings):
            return
        raise DeadProviderError(
            f"judge {self.settings.name}: no reply after {tried}; run again when the provider answers (finished "
            "replies are kept)"
        )

    def _chat(self, request: Mapping[str, Any], api_base: str | None, api_key: str | None) -> Any:
        """The reply as litellm gives it, within the attempt that is under way."""
        sent = {name: value for name, value in request.items() if value is not None} | {"api_base": api_base}
        # A user's own server without a key must not get the key that litellm finds in the environment.
        sent["api_key"] = api_key or ("none" if api_base else None)
        if self._slots is None:
            return self._send(sent)
        prompt = json.dumps([request["messages"], request["response_format"]])
        slot = self._slots.slot_of(prompt)
        if slot is None:
            slot = self._slots.free()
            self._send(sent | {"max_tokens": 1, "extra_body": {"id_slot": slot, "cache_prompt": False}})
            self._slots.keep(slot, prompt)
        return self._send(sent | {"extra_body": {"id_slot": slot, "cache_prompt": True}})

    def _send(self, sent: Mapping[str, Any]) -> Any:
        with _surroundings():
            return load_litellm().completion(
                **sent, timeout=self.settings.timeout_s, num_retries=0, max_retries=0, caching=False, stream=False
            )

    def _completion(
        self, response: Any, failed_attempts: int, charged: Counter[str], started: float, api_key: str | None
    ) -> Completion:
        if not response.choices:
            raise MalformedReplyError("a reply without choices")
        choice, usage = response.choices[0], response.usage
        usage.prompt_tokens += charged["prompt_tokens"]
        usage.completion_tokens += charged["completion_tokens"]
        return Completion(
            # A lone surrogate cannot be written as UTF-8.
            text=_without(api_key, choice.message.content or "").encode("utf-8", "replace").decode(),
            finish_reason=choice.finish_reason or "",
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost=price(self.settings, usage),
            latency_s=round(time.monotonic() - started, 3),
            model=_without(api_key, response.model or ""),
            failed_attempts=failed_attempts,
        )

    def _refuse(self, failure: Exception, reason: str, api_base: str | None) -> None:
        """Raise `Unscored` or `UserError` for a failure that another attempt would not mend."""
        from litellm.exceptions import ContentPolicyViolationError, ContextWindowExceededError

        if isinstance(failure, RedirectedError):
            raise UserError(
                f"judge {self.settings.name}: {api_base or 'the provider'} redirects to {reason}, which is not "
                "followed; enter the final address as `api_base` in config/judges.yaml"
            )
        if isinstance(failure, ContextWindowExceededError):
            raise Unscored("context", f"the prompt is too long for the model ({reason})")
        if isinstance(failure, ContentPolicyViolationError):
            raise Unscored("refused", f"the provider's content filter refused the prompt ({reason})")
        status = _status(failure)
        no_money = status == 402 or any(words in str(failure) for words in _NO_MONEY)
        if no_money or not (status >= 500 or status in _TRY_AGAIN):
            advice = _advice(self.settings, status, no_money=no_money)
            raise UserError(f"judge {self.settings.name}: the provider refused the call ({status}: {reason}); {advice}")


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


@contextmanager
def _surroundings() -> Iterator[None]:
    """An event loop for litellm's timing log, which otherwise makes one and never closes it; no warnings of its own."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def _advice(settings: JudgeSettings, status: int, *, no_money: bool) -> str:
    key = f"the environment variable {settings.api_key_env}" if settings.api_key_env else "no api_key_env"
    if no_money:
        return f"its account has no money left ({key}); finished replies are kept"
    if status in (401, 403):
        return f"correct the key (config/judges.yaml: {key})"
    if status == 404:
        return "correct `model` or `api_base` in config/judges.yaml"
    return "correct the judge's entry in config/judges.yaml"


def _status(failure: Exception) -> int:
    """The HTTP status of a failure; 500 if the connection failed or the reply was malformed."""
    status = getattr(failure, "status_code", None)
    return status if isinstance(status, int) else 500


def _tokens(exchange: Exchange) -> Counter[str]:
    """The tokens that a failed attempt's reply reports; none if no whole reply came."""
    usage = exchange.usage or {}
    reported = {name: usage.get(name) for name in ("prompt_tokens", "completion_tokens")}
    return Counter({name: tokens for name, tokens in reported.items() if isinstance(tokens, int) and tokens > 0})


def _reason(failure: Exception, api_key: str | None) -> str:
    """The first line of an error, short, printable, and without the key, which some providers repeat."""
    text = str(failure) if api_key is None else str(failure).replace(api_key, "***")
    line = next(iter(text.splitlines()), "") or type(failure).__name__
    if "Traceback" in line or "validation error" in line:  # litellm's and pydantic's words, which name no cause
        line = "the reply is no chat completion"
    return "".join(character if character.isprintable() else " " for character in line)[:LONGEST_REASON]


def _without(api_key: str | None, text: str) -> str:
    """A reply's text without the key, should the provider repeat it."""
    return text if api_key is None or len(api_key) < SHORTEST_SECRET else text.replace(api_key, "***")
