"""What a judge's request to its model asks for."""

from typing import Any

from tests.fake_provider import Call


def fields_asked_for(call: Call) -> dict[str, Any]:
    """The schemas of the fields that a request asks for, by name."""
    schema: dict[str, Any] = call.request["response_format"]["json_schema"]["schema"]
    properties: dict[str, Any] = schema["properties"]
    return properties


def codes_asked_for(call: Call) -> list[str]:
    """The criteria that the request's form has."""
    schema = call.request["response_format"]["json_schema"]["schema"]
    return list(schema["$defs"]["Criteria"]["properties"])


def last_message(call: Call) -> str:
    """The text of a request's last message."""
    content: str = call.request["messages"][-1]["content"]
    return content
