"""A chat completion of odd form in the usual form, so that a reply that was paid for is used."""

import math
from collections.abc import Mapping
from typing import Any

MOST_TOKENS = 10**9  # a call has fewer


def normalised(reply: Mapping[str, Any]) -> dict[str, Any]:
    """A reply as the OpenAI protocol has it, where it is nearly so already.

    `usage`: numbers of tokens that are none count as unknown, which is 0. `model`: empty unless it is a string. A
    message's content in parts becomes one string; a message with a refusal in place of content ends as filtered.
    """
    usual = {name: value for name, value in reply.items() if name != "usage"}
    if isinstance(reply.get("usage"), dict):
        usual["usage"] = _usage(reply["usage"])
    if not isinstance(reply.get("model", ""), str):
        usual["model"] = ""
    if isinstance(reply.get("choices"), list):
        usual["choices"] = [_choice(choice) for choice in reply["choices"]]
    return usual


def _usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of tokens, whole and not negative, and what else it says if that is a string or a finite number."""
    usual: dict[str, Any] = {}
    for name, value in usage.items():
        if isinstance(value, dict):
            usual[name] = _usage(value)
        elif name.endswith("tokens"):
            usual[name] = value if type(value) is int and 0 <= value <= MOST_TOKENS else 0
        elif isinstance(value, str) or (isinstance(value, int | float) and math.isfinite(value)):
            usual[name] = value
    if "total_tokens" in usual:
        usual["total_tokens"] = usual.get("prompt_tokens", 0) + usual.get("completion_tokens", 0)
    return usual


def _choice(choice: Any) -> Any:
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        return choice
    message = dict(choice["message"])
    if isinstance(message.get("content"), list):
        parts = [part.get("text") for part in message["content"] if isinstance(part, dict)]
        message["content"] = "".join(part for part in parts if isinstance(part, str))
    refused = not message.get("content") and isinstance(message.get("refusal"), str) and message["refusal"].strip()
    return choice | {"message": message} | ({"finish_reason": "content_filter"} if refused else {})
