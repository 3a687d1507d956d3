"""A judge by the address of its model."""

import pytest

from mechaware.instruments.claims.judges.addresses import judge_name, read_address
from mechaware.instruments.claims.judges.settings import judge_settings


@pytest.mark.parametrize(
    ("address", "model", "url", "name"),
    [
        ("ollama/llama3.2", "llama3.2", "http://localhost:11434/v1", "ollama-llama3.2"),
        ("ollama/llama3.2:1b@http://gpu7:11434/v1/", "llama3.2:1b", "http://gpu7:11434/v1", None),
        ("vllm/Qwen/Qwen3-8B", "Qwen/Qwen3-8B", "http://localhost:8000/v1", "vllm-Qwen-Qwen3-8B"),
        ("llamacpp/any", "any", "http://localhost:8080/v1", "llamacpp-any"),
        ("openai/m@https://a.b/v1", "m", "https://a.b/v1", "openai-m-https-a.b-v1"),
    ],
)
def test_an_address_names_server_and_model(
    address: str, model: str, url: str, name: str | None
) -> None:
    judge = read_address(address)
    assert judge is not None
    settings = judge_settings(judge.name, dict(judge.entry))
    assert (settings.model, settings.api_base) == (f"openai/{model}", url)
    assert (settings.kind, settings.api_key_env) == ("provider", None)
    if name is not None:
        assert judge_name(address) == settings.name == name


@pytest.mark.parametrize(
    "text",
    ["lexical", "openai/m", "ollama/", "lmstudio/m", "openai/m@localhost:8000", "ollama/a b"],
)
def test_any_other_word_is_a_name(text: str) -> None:
    assert read_address(text) is None
    assert judge_name(text) == text
