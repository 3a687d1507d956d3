"""A chat completion of odd form in the usual form, so that a reply that was paid for is used."""

import json
import math
from collections.abc import Mapping
from typing import Any

FIELDS = ("role", "content", "refusal", "reasoning_content")  # of a message, that are ours or litellm's to read
MOST_TOKENS = 10**9  # a call has fewer


def normalised(reply: Mapping[str, Any]) -> dict[str, Any]:
    """A reply as the OpenAI protocol has it, where it is nearly so already.

    `usage`: numbers of tokens that are none count as unknown, which is 0. `model`: empty unless it is a string. A
    message's content in parts becomes one string, and one that is JSON in itself its text; of its other fields only
    `FIELDS` are kept. A message with a refusal in place of content ends as filtered. An `error` beside a message with
    content is left out.
    """
    usual = {name: value for name, value in reply.items() if name != "usage"}
    if isinstance(reply.get("usage"), dict):
        usual["usage"] = _usage(reply["usage"])
    if not isinstance(reply.get("model", ""), str):
        usual["model"] = ""
    if isinstance(reply.get("choices"), list):
        usual["choices"] = [_choice(choice) for choice in reply["choices"]]
        if any(_content(choice) for choice in usual["choices"]):
            usual.pop("error", None)
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
    message = {name: value for name, value in choice["message"].items() if name in FIELDS}
    message["content"] = _text(message.get("content"))
    refused = not message["content"] and isinstance(message.get("refusal"), str) and message["refusal"].strip()
    return choice | {"message": message} | ({"finish_reason": "content_filter"} if refused else {})


def _text(content: Any) -> str | None:
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) and "type" in part for part in content):
        return "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    return json.dumps(content)


def _content(choice: Any) -> str | None:
    """The content of a choice as `_choice` leaves it; None if it has none."""
    message = choice.get("message") if isinstance(choice, dict) else None
    return message.get("content") if isinstance(message, dict) else None
