"""The judges that a config may name: for the claims study, and for the user's own paper."""

from pathlib import Path

import pytest

from tests.unit.doors.checks.checked_configs import add_line, checked, refusal


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (
            "mine: {kind: nowhere.a.B, label: Mine}",
            "config/judges.yaml, mine: no package 'nowhere' (from ",
        ),
        (
            "mine: {kind: lexical, label: Lexical rules}",
            "config/judges.yaml, mine/label: 'Lexical rules' is also the label of 'lexical'; "
            "change one of the two",
        ),
        (
            "mine: {kind: embedded, label: Mine, model: gpt3}",
            "config/judges.yaml, mine: 'gpt3' is not in config/models.yaml; did you mean 'gpt2'?",
        ),
        (
            "mine: {kind: embedded, label: Mine, model: gpt2}",
            "config/judges.yaml, mine: 'gpt2' has no GGUF file; name a model of kind wheel",
        ),
    ],
)
def test_a_judge_that_is_used_and_cannot_judge_is_refused(
    folder: Path, judge: str, message: str
) -> None:
    add_line(folder, "judges.yaml", judge)
    assert refusal(folder, "claims: {judges: [lexical, mine]}").startswith(message)
    # It may stay in the list, unused.
    checked(folder, "claims: {judges: [lexical]}")


def test_the_judges_of_an_own_paper_are_entries_or_addresses_of_models(folder: Path) -> None:
    address = "openai/my-model@http://localhost:8000/v1"

    catalog = checked(folder, f"claims: {{own_judges: [smollm2, '{address}', ollama/llama3.2]}}")

    assert catalog.own_judges == [
        "smollm2",
        "openai-my-model-localhost-8000-v1",
        "ollama-llama3.2",
    ]
    local_server = catalog.judges["openai-my-model-localhost-8000-v1"]
    assert local_server["api_base"] == "http://localhost:8000/v1"
    # Ollama is called by its own protocol.
    assert catalog.judges["ollama-llama3.2"]["model"] == "ollama_chat/llama3.2"


def test_without_own_judges_no_judge_reads_the_own_paper(folder: Path) -> None:
    assert checked(folder, "{}").own_judges == []


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (
            "lexical",
            "'lexical' is keyword rules, which judge no paper; leave it out to get passages to "
            "read, or name a judge,",
        ),
        (
            "smolm2",
            "'smolm2' is not in config/judges.yaml, and is no address of a model such as "
            "ollama/llama3.2 or openai/my-model@http://localhost:8000/v1; did you mean 'smollm2'?",
        ),
        (
            "my/claude",
            "'my/claude' would be named 'my-claude', which is a judge in config/judges.yaml;",
        ),
    ],
)
def test_a_judge_that_cannot_judge_an_own_paper_is_refused(
    folder: Path, judge: str, message: str
) -> None:
    # The name that the address my/claude would get.
    add_line(folder, "judges.yaml", "my-claude: {kind: provider, label: C, model: anthropic/c}")

    refused = refusal(folder, f"claims: {{own_judges: [{judge}]}}")

    assert refused.startswith(f"config, claims/own_judges: {message}")
