"""One call of a language model through litellm, whose retries, time-outs and prices apply as they are."""

import json
import logging
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import Any

from mechaware.core.errors import UserError
from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.judges.language_model.calls.server import PromptSlots
from mechaware.instruments.claims.judges.language_model.calls.store import Completion
from mechaware.instruments.claims.judges.settings import JudgeSettings

CHARACTERS_A_TOKEN = 4  # of English, roughly
MAX_REASON_LENGTH = 200  # characters
# Characters. A shorter key, as a server of one's own may have, occurs in ordinary text and is not looked for.
MIN_SECRET_LENGTH = 8
_TRY_AGAIN = (408, 409, 429)  # statuses of HTTP that pass, as all from 500 on do
# What providers call the end of a whole reply, in small letters.
_FINISHED = ("stop", "stop_sequence", "end_turn", "complete", "eos", "eos_token")


def count_tokens(messages: Sequence[Mapping[str, str]]) -> int:
    """About how many tokens a chat has, white space counted once."""
    tokens = 0
    for message in messages:
        text = " ".join(message["content"].split())
        tokens += len(text) // CHARACTERS_A_TOKEN
    return tokens


def mark_for_cache(messages: Sequence[Mapping[str, str]], shared: str) -> list[dict[str, Any]]:
    """A chat with a mark after `shared`, the beginning that its user messages have in common with other chats.

    A provider that caches prompts where it is told to keeps all up to the mark: the guidance and the paper.
    """
    marked: list[dict[str, Any]] = []
    for message in messages:
        content = message["content"]
        if shared and content.startswith(shared):
            kept = {"type": "text", "text": shared, "cache_control": {"type": "ephemeral"}}
            rest = {"type": "text", "text": content.removeprefix(shared)}
            marked.append({**message, "content": [kept, rest]})
        else:
            marked.append(dict(message))
    return marked


class DeadProviderError(UserError):
    """A provider without a readable answer, after all attempts. No call of the same job would fare better."""


@cache
def _load_litellm() -> ModuleType:
    """The library litellm (3 s to import), set to use the network for our calls only."""
    # Without these it fetches a price list and a list of headers, and reads a .env file.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"
    # A server on this machine is not asked through the proxy that a cluster names.
    direct = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
    os.environ["no_proxy"] = ",".join(filter(None, [direct, "127.0.0.1", "localhost", "::1"]))
    import litellm

    litellm.telemetry = False
    litellm.suppress_debug_info = True
    logging.getLogger("LiteLLM").setLevel(logging.ERROR)
    return litellm


class Provider:
    """Calls one judge's model."""

    def __init__(self, settings: JudgeSettings) -> None:
        self.settings = settings
        self._slots = PromptSlots() if settings.kind == "embedded" else None
        # Providers of other models cache without a mark, or not at all; a server of one's own may not know marks.
        is_claude = "claude" in settings.model.lower() and settings.api_base is None
        self._caches_at_marks = is_claude or settings.model.startswith("anthropic/")
        # Whether litellm calls the model by openai's client.
        self._by_client = settings.kind == "embedded" or settings.model.startswith("openai/")

    def complete(
        self,
        request: Mapping[str, Any],
        *,
        api_base: str | None,
        api_key: str | None,
        shared: str = "",
    ) -> Completion:
        """Send a chat and wait for its reply.

        `shared` is the beginning that its user message has in common with others (`mark_for_cache`).
        Raises `Unscored` if only this prompt is refused, `DeadProviderError` if no reply came after all attempts, and
        `UserError` if every call would be refused.
        """
        litellm = _load_litellm()
        started = time.monotonic()
        try:
            messages = request["messages"]
            if self._caches_at_marks:
                messages = mark_for_cache(messages, shared)
            response = self._chat({**request, "messages": messages}, api_base, api_key)
        except Exception as error:
            # Litellm raises openai's errors, and bare ones for replies of odd shape.
            raise self._failure(error, api_key) from error

        choice = response.choices[0] if response.choices else None
        content = choice.message.content if choice else None
        usage = response.usage
        # No lone surrogates.
        text = _without(api_key, content or "").encode("utf-8", "replace").decode()
        if usage.prompt_tokens <= 0 or usage.completion_tokens <= 0:  # not reported
            prompt = sum(len(message["content"]) for message in request["messages"])
            # The text of a reply does not show how long its reasoning was: count the whole limit.
            reply_tokens = usage.completion_tokens or request["max_tokens"]
            usage = litellm.Usage(
                prompt_tokens=max(usage.prompt_tokens, prompt // CHARACTERS_A_TOKEN),
                completion_tokens=reply_tokens,
            )
        return Completion(
            text=text,
            finish_reason=_finish_reason(choice) if choice else "",
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost=price(self.settings, usage),
            latency_s=round(time.monotonic() - started, 3),
            model=_without(api_key, response.model or ""),
        )

    def _chat(self, request: Mapping[str, Any], api_base: str | None, api_key: str | None) -> Any:
        """The reply as litellm gives it."""
        sent = {name: value for name, value in request.items() if value is not None}
        sent["api_base"] = api_base
        # A user's own server without a key must not get the key that litellm finds in the environment.
        sent["api_key"] = api_key or ("none" if api_base else None)
        if self._slots is None:
            return self._send(sent)

        prompt = json.dumps([request["messages"], request["response_format"]])
        slot, held = self._slots.slot_of(prompt)
        if not held:
            from_first_token = {"id_slot": slot, "cache_prompt": False}
            self._send(sent | {"max_tokens": 1, "extra_body": from_first_token})
        from_last_token = {"id_slot": slot, "cache_prompt": True}
        return self._send(sent | {"extra_body": from_last_token})

    def _send(self, sent: Mapping[str, Any]) -> Any:
        """One call with its attempts. Parameters that a model is known not to take, such as a seed, are left out."""
        litellm: Any = _load_litellm()
        retries = self.settings.attempts - 1
        # openai's client waits as long as Retry-After says, and repeats no refusal; other models are called anew by
        # litellm. As an argument of the call, litellm's number of retries would be multiplied by the client's number.
        litellm.num_retries = None if self._by_client else retries
        # `drop_params` of only this call: with litellm's own setting two answers 422 end in None, not in an error.
        return litellm.completion(
            **sent, max_retries=retries if self._by_client else 0, retry_strategy="exponential_backoff_retry",
            timeout=self.settings.timeout_s, caching=False, stream=False, drop_params=True,
        )  # fmt: skip

    def _failure(self, error: Exception, api_key: str | None) -> Exception:
        """The error to raise for a failed call: `Unscored`, `DeadProviderError` or `UserError` (see `complete`)."""
        litellm = _load_litellm()
        reason = _reason(error, api_key)
        judge = f"judge {self.settings.name}"
        if isinstance(error, litellm.exceptions.ContextWindowExceededError):
            return Unscored("context", f"the prompt is too long for the model ({reason})")
        if isinstance(error, litellm.exceptions.ContentPolicyViolationError):
            return Unscored(
                "refused", f"the provider's content filter refused the prompt ({reason})"
            )

        status = getattr(error, "status_code", None) or 500
        if status >= 500 or status in _TRY_AGAIN:
            return DeadProviderError(
                f"{judge}: no reply that can be read within {self.settings.attempts} attempts ({reason}); run again "
                "when the provider answers (finished replies are kept)"
            )

        advice = "correct its entry in config/judges.yaml"
        if status in (401, 402, 403):
            advice = f"correct the key, or pay for it (config/judges.yaml: api_key_env is {self.settings.api_key_env})"
        elif status in (400, 422) and re.search(r"\bseed\b", reason):
            advice = "write `seed: none` in its entry of config/judges.yaml"
        return UserError(f"{judge}: the provider refused the call ({status}: {reason}); {advice}")


def _contexts(error: BaseException) -> Iterator[BaseException]:
    """The errors that led to an error, the last one first."""
    while error.__context__:
        error = error.__context__
        yield error


def _finish_reason(choice: Any) -> str:
    """Why a reply ended.

    litellm reports a reply that ended in an error as finished ("stop"), and a refusal as an empty reply; the provider's
    own words for both are in fields beside these.
    """
    choice_fields = getattr(choice, "provider_specific_fields", None) or {}
    message_fields = getattr(choice.message, "provider_specific_fields", None) or {}
    # The provider's own reason is only given if litellm has another name for it.
    own_reason = str(choice_fields.get("native_finish_reason") or "stop")
    if choice.finish_reason == "stop" and own_reason.lower() not in _FINISHED:
        return "error"
    if message_fields.get("refusal"):
        return "content_filter"
    return choice.finish_reason or ""


def price(settings: JudgeSettings, usage: Any) -> float | None:
    """US dollars of a call with litellm's `usage`; None where no price is known."""
    if settings.kind == "embedded":
        return 0.0
    prompt_price = settings.usd_per_million_prompt_tokens
    completion_price = settings.usd_per_million_completion_tokens
    if prompt_price is not None and completion_price is not None:
        millionths = prompt_price * usage.prompt_tokens + completion_price * usage.completion_tokens
        return float(millionths) / 1e6
    try:
        # Not completion_cost: it looks up the model name in the reply, and an unknown one may cost nothing.
        return float(sum(_load_litellm().cost_per_token(model=settings.model, usage_object=usage)))
    except Exception:  # its error for a model without a price is an Exception and no more
        return None


def price_at_most(settings: JudgeSettings, characters: int) -> float | None:
    """The most US dollars that a call with a prompt of so many characters may cost; None where no price is known."""
    tokens = characters // 3 + 1  # English has four characters a token and more
    return price_of_tokens(settings, tokens, settings.max_tokens)


def price_of_tokens(
    settings: JudgeSettings, prompt_tokens: int, completion_tokens: int
) -> float | None:
    """US dollars of so many tokens; None where no price is known."""
    usage = _load_litellm().Usage(prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
    return price(settings, usage)


def _reason(failure: Exception, api_key: str | None) -> str:
    """The first line of an error, short, printable, and without the key, which some providers repeat."""
    # For an error within a reply, litellm's own errors have no message; an error that led to them has the provider's.
    line = type(failure).__name__
    for error in (failure, *_contexts(failure)):
        text = str(error) or str(getattr(error, "message", ""))
        # Without litellm's names.
        bare = text.partition("Traceback")[0].rpartition("Exception - ")[2]
        lines = bare.splitlines()
        if lines and lines[0]:
            line = lines[0]
            break
    if api_key is not None:
        line = line.replace(api_key, "***")
    printable = [character if character.isprintable() else " " for character in line]
    return "".join(printable)[:MAX_REASON_LENGTH]


def _without(api_key: str | None, text: str) -> str:
    """A reply's text without the key, should the provider repeat it."""
    if api_key is None or len(api_key) < MIN_SECRET_LENGTH:
        return text
    return text.replace(api_key, "***")
