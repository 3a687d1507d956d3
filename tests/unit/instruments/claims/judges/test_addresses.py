"""A judge that is given by the address of its model."""

import pytest

from mechaware.instruments.claims.judges.addresses import judge_name, read_address
from mechaware.instruments.claims.judges.settings import judge_settings


def test_a_model_of_ollama_is_a_local_server_without_a_key() -> None:
    judge = read_address("ollama/llama3.2:3b")

    assert judge is not None
    assert judge.name == "ollama-llama3.2-3b"
    assert judge_name("ollama/llama3.2:3b") == judge.name
    settings = judge_settings(judge.name, dict(judge.entry))
    assert settings.kind == "provider"
    assert settings.model == "ollama_chat/llama3.2:3b"
    assert settings.api_key_env is None
    assert settings.api_base is None
    # The limits of every local model.
    assert settings.context_tokens == 32_768
    assert settings.max_tokens == 8_192


@pytest.mark.parametrize(
    ("address", "name", "model", "url"),
    [
        pytest.param(
            "vllm/Qwen/Qwen3-8B",
            "vllm-Qwen-Qwen3-8B",
            "openai/Qwen/Qwen3-8B",
            "http://localhost:8000/v1",
            id="vLLM",
        ),
        pytest.param(
            "llamacpp/any",
            "llamacpp-any",
            "openai/any",
            "http://localhost:8080/v1",
            id="llama.cpp",
        ),
        pytest.param(
            "lm_studio/any",
            "lm_studio-any",
            "openai/any",
            "http://localhost:1234/v1",
            id="LM Studio",
        ),
        pytest.param(
            "hosted_vllm/any",
            "hosted_vllm-any",
            "openai/any",
            "http://localhost:8000/v1",
            id="litellm's name of vLLM",
        ),
        pytest.param(
            "llamacpp/any@http://gpu7:9000/v1/",
            "llamacpp-any-gpu7-9000-v1",
            "openai/any",
            "http://gpu7:9000/v1",
            id="with a URL",
        ),
    ],
)
def test_a_server_of_openais_protocol_has_its_usual_url_unless_the_address_has_another(
    address: str, name: str, model: str, url: str
) -> None:
    judge = read_address(address)

    assert judge is not None
    assert judge.name == name
    settings = judge_settings(judge.name, dict(judge.entry))
    assert settings.model == model
    assert settings.api_base == url
    assert settings.api_key_env is None


def test_a_server_of_ones_own_has_its_url_and_no_key() -> None:
    judge = read_address("openai/meta/Llama-3@http://gpu-box:8000/v1")

    assert judge is not None
    assert judge.name == "openai-meta-Llama-3-gpu-box-8000-v1"
    assert judge.entry["model"] == "openai/meta/Llama-3"
    assert judge.entry["api_base"] == "http://gpu-box:8000/v1"
    assert "api_key_env" not in judge.entry


def test_a_providers_model_needs_its_key() -> None:
    judge = read_address("anthropic/claude-opus-4-7")

    assert judge is not None
    assert judge.entry["api_key_env"] == "ANTHROPIC_API_KEY"
    assert "context_tokens" not in judge.entry


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("lexical", id="the name of a judge"),
        pytest.param("my-judge", id="another name"),
        pytest.param("ollama/", id="no model"),
        pytest.param("openai/a b", id="a space"),
        pytest.param("openai/m@localhost:8000", id="a URL without http"),
        pytest.param("openai/m@http://user:secret@host/v1", id="a password in the URL"),
        pytest.param("openai/{m}", id="braces"),
    ],
)
def test_anything_else_is_no_address(text: str) -> None:
    assert read_address(text) is None
