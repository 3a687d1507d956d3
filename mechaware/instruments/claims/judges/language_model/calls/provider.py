"""Calls a language model through litellm, with litellm's own retries and time-outs."""

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mechaware.core.errors import UserError
from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.judges.language_model.calls.litellm_library import load_litellm
from mechaware.instruments.claims.judges.language_model.calls.prices import (
    CHARACTERS_A_TOKEN,
    price,
)
from mechaware.instruments.claims.judges.language_model.calls.server import PromptSlots
from mechaware.instruments.claims.judges.language_model.calls.store import Completion
from mechaware.instruments.claims.judges.settings import JudgeSettings

MAX_REASON_LENGTH = 200  # characters
# Characters. A shorter key, as a server of one's own may have, also occurs in ordinary text and is
# not removed from replies.
MIN_SECRET_LENGTH = 8
# Statuses of HTTP below 500 after which another attempt may succeed, as after all from 500 on.
_RETRIED_STATUSES = (408, 409, 429)
# What providers call the end of a whole reply, in lower case.
_FINISHED = ("stop", "stop_sequence", "end_turn", "complete", "eos", "eos_token")


def mark_for_cache(messages: Sequence[Mapping[str, str]], shared: str) -> list[dict[str, Any]]:
    """A chat with a mark after `shared`, the beginning that its messages share with other chats.

    A provider that caches marked prompts stores everything up to the mark: the guidance and the
    paper.
    """
    marked: list[dict[str, Any]] = []
    for message in messages:
        content = message["content"]
        if shared and content.startswith(shared):
            cached = {"type": "text", "text": shared, "cache_control": {"type": "ephemeral"}}
            rest = {"type": "text", "text": content.removeprefix(shared)}
            marked.append({**message, "content": [cached, rest]})
        else:
            marked.append(dict(message))
    return marked


class DeadProviderError(UserError):
    """A provider gave no readable answer in all attempts.

    No further call of the same job is likely to get one.
    """


class Provider:
    """Calls one judge's model."""

    def __init__(self, settings: JudgeSettings) -> None:
        self.settings = settings
        # Of the server of an embedded model.
        self._slots = PromptSlots() if settings.kind == "embedded" else None
        # Providers of other models than Claude cache without a mark, or not at all. A server of
        # one's own may not know marks.
        is_claude = "claude" in settings.model.lower() and settings.api_base is None
        self._caches_at_marks = is_claude or settings.model.startswith("anthropic/")
        # Whether litellm calls the model by openai's client.
        is_openai_model = settings.model.startswith("openai/")
        self._uses_openai_client = settings.kind == "embedded" or is_openai_model

    def complete(
        self,
        request: Mapping[str, Any],
        *,
        api_base: str | None,
        api_key: str | None,
        shared: str = "",
    ) -> Completion:
        """Send a chat and wait for its reply.

        `shared` is the beginning that its user message shares with other chats (`mark_for_cache`).
        Raises `Unscored` if only this prompt is refused, `DeadProviderError` if no reply came in
        all attempts, and `UserError` if every call would be refused.
        """
        litellm = load_litellm()
        started = time.monotonic()
        try:
            messages = request["messages"]
            if self._caches_at_marks:
                messages = mark_for_cache(messages, shared)
            response = self._chat({**request, "messages": messages}, api_base, api_key)
        except Exception as error:
            # Any error: litellm raises openai's errors, and built-in ones for replies that it
            # cannot read.
            raise self._failure(error, api_key) from error

        choice = response.choices[0] if response.choices else None
        content = choice.message.content if choice else None
        usage = response.usage
        # Lone surrogates, which UTF-8 cannot encode, become "?".
        text = _remove_key(api_key, content or "").encode("utf-8", "replace").decode()
        is_reported = usage.prompt_tokens > 0 and usage.completion_tokens > 0
        if not is_reported:
            n_characters = sum(len(message["content"]) for message in request["messages"])
            # The text of a reply does not show how long its reasoning was: count the whole limit.
            reply_tokens = usage.completion_tokens or request["max_tokens"]
            usage = litellm.Usage(
                prompt_tokens=max(usage.prompt_tokens, n_characters // CHARACTERS_A_TOKEN),
                completion_tokens=reply_tokens,
            )
        return Completion(
            text=text,
            finish_reason=_finish_reason(choice) if choice else "",
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost=price(self.settings, usage),
            latency_s=round(time.monotonic() - started, 3),
            model=_remove_key(api_key, response.model or ""),
        )

    def _chat(self, request: Mapping[str, Any], api_base: str | None, api_key: str | None) -> Any:
        """The reply to a request as litellm returns it.

        For an embedded model, a request of its own first processes a new prompt in one of the
        server's slots, so that a reply depends only on its own request (`PromptSlots`).
        """
        sent = {name: value for name, value in request.items() if value is not None}
        sent["api_base"] = api_base
        # A user's own server without a key must not be sent the key that litellm finds in the
        # environment.
        sent["api_key"] = api_key or ("none" if api_base else None)
        if self._slots is None:
            return self._send(sent)

        prompt = json.dumps([request["messages"], request["response_format"]])
        slot, is_held = self._slots.slot_of(prompt)
        if not is_held:
            from_first_token = {"id_slot": slot, "cache_prompt": False}
            self._send(sent | {"max_tokens": 1, "extra_body": from_first_token})
        from_last_token = {"id_slot": slot, "cache_prompt": True}
        return self._send(sent | {"extra_body": from_last_token})

    def _send(self, sent: Mapping[str, Any]) -> Any:
        """One call with its attempts.

        Parameters that a model is known not to accept, such as a seed, are dropped.
        """
        litellm: Any = load_litellm()
        retries = self.settings.attempts - 1
        # Either openai's client or litellm repeats a call. The client waits for the time of the
        # header Retry-After and does not repeat a call that was refused. litellm's number of
        # retries is set on the module: as an argument of the call it would be multiplied by the
        # client's number.
        client_retries = retries if self._uses_openai_client else 0
        litellm.num_retries = None if self._uses_openai_client else retries
        return litellm.completion(
            **sent,
            max_retries=client_retries,
            retry_strategy="exponential_backoff_retry",
            timeout=self.settings.timeout_s,
            caching=False,
            stream=False,
            # Set for this call, not on the module: there, two answers of status 422 would end in
            # None in place of an error.
            drop_params=True,
        )

    def _failure(self, error: Exception, api_key: str | None) -> Exception:
        """The error to raise for a failed call: one of the three that `complete` raises."""
        litellm = load_litellm()
        reason = _reason(error, api_key)
        judge = f"judge {self.settings.name}"
        if isinstance(error, litellm.exceptions.ContextWindowExceededError):
            return Unscored("context", f"the prompt is too long for the model ({reason})")
        if isinstance(error, litellm.exceptions.ContentPolicyViolationError):
            return Unscored(
                "refused", f"the provider's content filter refused the prompt ({reason})"
            )

        status = getattr(error, "status_code", None) or 500
        if status >= 500 or status in _RETRIED_STATUSES:
            return DeadProviderError(
                f"{judge}: no reply that can be read within {self.settings.attempts} attempts "
                f"({reason}); run again when the provider answers (finished replies are kept)"
            )

        advice = "correct its entry in config/judges.yaml"
        if status in (401, 402, 403):
            advice = (
                "correct the key, or pay for it (config/judges.yaml: api_key_env is "
                f"{self.settings.api_key_env})"
            )
        elif status in (400, 422) and re.search(r"\bseed\b", reason):
            advice = "write `seed: none` in its entry of config/judges.yaml"
        return UserError(f"{judge}: the provider refused the call ({status}: {reason}); {advice}")


def _finish_reason(choice: Any) -> str:
    """Why a reply ended.

    litellm reports a reply that ended in an error as finished ("stop"), and a refusal as an empty
    reply. The provider's own words for both are in additional fields.
    """
    choice_fields = getattr(choice, "provider_specific_fields", None) or {}
    message_fields = getattr(choice.message, "provider_specific_fields", None) or {}
    # The provider's own reason is there only if litellm has another name for it.
    own_reason = str(choice_fields.get("native_finish_reason") or "stop")
    if choice.finish_reason == "stop" and own_reason.lower() not in _FINISHED:
        return "error"
    if message_fields.get("refusal"):
        return "content_filter"
    return choice.finish_reason or ""


def _reason(failure: Exception, api_key: str | None) -> str:
    """The first line of an error's message, short, printable, and without the key.

    Some providers repeat the key. If an error has no message, the message is that of the last error
    that led to it; if no error has one, the reason is the name of the error's class.
    """
    line = type(failure).__name__
    # litellm's error for an error within a reply has no message. An error that led to it has the
    # provider's message.
    for error in (failure, *_errors_before(failure)):
        text = str(error) or str(getattr(error, "message", ""))
        # "litellm.BadRequestError: OpenAIException - no such model" becomes "no such model".
        message = text.partition("Traceback")[0].rpartition("Exception - ")[2]
        lines = message.splitlines()
        if lines and lines[0]:
            line = lines[0]
            break
    if api_key is not None:
        line = line.replace(api_key, "***")
    printable = [character if character.isprintable() else " " for character in line]
    return "".join(printable)[:MAX_REASON_LENGTH]


def _errors_before(error: BaseException) -> Iterator[BaseException]:
    """The errors that led to an error, the last one first."""
    while error.__context__:
        error = error.__context__
        yield error


def _remove_key(api_key: str | None, text: str) -> str:
    """A reply's text without the key, which the provider may repeat."""
    if api_key is None or len(api_key) < MIN_SECRET_LENGTH:
        return text
    return text.replace(api_key, "***")
