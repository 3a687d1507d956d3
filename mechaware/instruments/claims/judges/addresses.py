"""A judge by the address of its model, in place of an entry of config/judges.yaml.

The address is `PROVIDER/MODEL`, or `PROVIDER/MODEL@URL` for a server of one's own:
`anthropic/claude-opus-4-7`, `ollama/llama3.2`, `vllm/my-model`,
`openai/my-model@http://localhost:8000/v1`. The provider has litellm's name or a name of `SERVERS`.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from mechaware.core.files import file_name

# No braces: the judge's label is made of the address, and labels have none (config/schema.yaml).
ADDRESS = re.compile(
    r"(?P<provider>[A-Za-z0-9][A-Za-z0-9_]*)/(?P<model>[^\s@{}]+)(?:@(?P<url>https?://[^\s@{}]+))?"
)
# For messages: the forms of an address, and two examples.
FORM = "ollama/MODEL, vllm/MODEL, llamacpp/MODEL, openai/MODEL@URL or PROVIDER/MODEL"
EXAMPLES = "ollama/llama3.2 or openai/my-model@http://localhost:8000/v1"
# Providers that are a server on this machine, unless a URL names another machine. They need no key.
LOCAL_PROVIDERS = ("ollama", "ollama_chat", "llamafile")
# litellm's name of a provider, where it is not the name in the address. `ollama_chat` is Ollama's
# own protocol, whose requests set the length of the context. With OpenAI's protocol the server
# would cut a paper to its default length.
LITELLM_NAMES = {"ollama": "ollama_chat"}
# Servers that speak OpenAI's protocol, each with the address at which it listens on this machine by
# default. litellm knows some of them, but would send a paper to OpenAI if no address is given.
SERVERS: Mapping[str, str] = {
    "vllm": "http://localhost:8000/v1",
    "hosted_vllm": "http://localhost:8000/v1",
    "lm_studio": "http://localhost:1234/v1",
    "llamacpp": "http://localhost:8080/v1",
}
# Tokens. A local model has less memory for its context than a provider's.
LOCAL_LIMITS: Mapping[str, int] = {"context_tokens": 32_768, "max_tokens": 8_192}


class AddressedJudge(NamedTuple):
    """A judge that is given by its address.

    - `name`: part of the paths of its results.
    - `entry`: its settings, in the form of an entry of config/judges.yaml.
    """

    name: str
    entry: Mapping[str, Any]


def read_address(address: str) -> AddressedJudge | None:
    """The judge at an address; None if the text is no address.

    A provider's key is expected in the environment variable named after the provider:
    OPENAI_API_KEY, ANTHROPIC_API_KEY. No key is sent to a server of one's own; a server that asks
    for a key needs an entry in config/judges.yaml.
    """
    match = ADDRESS.fullmatch(address)
    if match is None:
        return None

    provider = match["provider"]
    url = match["url"]
    if provider in SERVERS:
        url = url or SERVERS[provider]
        provider = "openai"

    entry: dict[str, Any] = {
        "kind": "provider",
        "label": address.replace("@", " at "),
        "model": f"{LITELLM_NAMES.get(provider, provider)}/{match['model']}",
    }
    is_local = url is not None or provider in LOCAL_PROVIDERS
    if is_local:
        entry |= LOCAL_LIMITS
    else:
        entry["api_key_env"] = f"{provider.upper()}_API_KEY"
    if url is not None:
        entry["api_base"] = url.rstrip("/")

    without_scheme = re.sub("@https?://", "-", address)
    return AddressedJudge(file_name(without_scheme), entry)


def judge_name(text: str) -> str:
    """The name of the judge that a config gives by its address or by its name.

    An address gives the name of its `AddressedJudge`; any other text is the name itself.
    """
    addressed = read_address(text)
    if addressed is None:
        return text
    return addressed.name
