"""A judge in one word: a server and the model that it serves, such as ollama/llama3.2 or openai/my-model@URL."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

# By server, the address at which it listens on this machine unless it is told otherwise.
SERVERS: Mapping[str, str] = {
    "ollama": "http://localhost:11434/v1",
    "vllm": "http://localhost:8000/v1",
    "llamacpp": "http://localhost:8080/v1",
    "openai": "",
}
FORM = "ollama/MODEL, vllm/MODEL, llamacpp/MODEL or openai/MODEL@URL"
_ADDRESS = re.compile(r"(?P<server>\w+)/(?P<model>[^\s@{}]+)(?:@(?P<url>https?://[^\s{}]+))?")


class AddressedJudge(NamedTuple):
    """A judge's name, which a folder may have, and its entry as in config/judges.yaml."""

    name: str
    entry: Mapping[str, Any]


def read_address(text: str) -> AddressedJudge | None:
    """The judge of an address of the `FORM`; None if it is none.

    Any server may have a URL behind its model; of openai, which names any compatible server, it must be given. The
    judge needs no key; one that does is an entry of config/judges.yaml.
    """
    found = _ADDRESS.fullmatch(text)
    if found is None or found["server"] not in SERVERS:
        return None
    url = found["url"] or SERVERS[found["server"]]
    if not url:
        return None
    entry = {
        "kind": "provider",
        "label": text,
        "model": f"openai/{found['model']}",
        "api_base": url.rstrip("/"),
    }
    return AddressedJudge(re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-."), entry)


def judge_name(text: str) -> str:
    """The name of the judge that a config names: of its address, or as it is."""
    addressed = read_address(text)
    return text if addressed is None else addressed.name
