"""The embedded model: served only if it is needed, gone when its parent is, the same words each time."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import httpx
import pytest

from mechaware.core.errors import UserError
from mechaware.instruments.claims.judges.judge import Unscored
from mechaware.instruments.claims.judges.language_model.calls.provider import Provider
from mechaware.instruments.claims.judges.language_model.calls.server import (
    PromptSlots,
    embedded_server,
)
from mechaware.instruments.claims.judges.language_model.model import language_model
from mechaware.instruments.claims.judges.language_model.structured import StructuredReply
from mechaware.instruments.claims.judges.settings import JudgeSettings

REPOSITORY = Path(__file__).resolve().parents[7]
SETTINGS = JudgeSettings(
    "smollm2",
    "embedded",
    model="smollm2-135m-instruct",
    temperature=0.8,
    max_tokens=30,
    context_tokens=1024,
    timeout_s=60.0,
)
QUESTION = [
    {
        "role": "system",
        "content": "Reply with a JSON object that has the fields colour and reason.",
    },
    {"role": "user", "content": "Which colour is the sky?"},
]


class Colour(StructuredReply):
    colour: Literal["red", "green", "blue"]
    reason: str


def listens(url: str) -> bool:
    try:
        return httpx.get(f"{url}/models", timeout=5).is_success
    except httpx.TransportError:
        return False


def outcomes(folder: Path, gguf: Path, runs: int = 2) -> list[str]:
    """What each run came to, and what the store holds afterwards."""
    found = []
    with language_model(SETTINGS, folder, gguf=gguf) as model:
        for run in range(runs):
            try:
                found.append(model.ask(QUESTION, Colour, run=run, step="colour").model_dump_json())
            except Unscored as failure:
                found.append(f"{failure.kind}: {failure}")
        assert model.usage.cost == 0.0
        found.append(str(model.usage))
    return found


@pytest.mark.gate
def test_replies_keep_to_the_schema_and_are_the_same_from_each_fresh_server(
    tmp_path: Path, gguf: Path
) -> None:
    first = outcomes(tmp_path / "one", gguf)
    second = outcomes(tmp_path / "two", gguf)
    assert first == second
    assert len(set(first[:2])) > 1  # runs have seeds of their own
    for outcome in first:
        assert not outcome.startswith(("provider", "empty"))
    # The grammar allows only the three colours: nothing but a cut reply can be unusable.
    assert {outcome.split(":")[0] for outcome in first[:2]} <= {"cut", '{"colour"'}
    of_first = sorted((tmp_path / "one").iterdir())
    of_second = sorted((tmp_path / "two").iterdir())
    assert [path.name for path in of_first] == [path.name for path in of_second]  # without the port
    for path in of_first:
        assert str(gguf.parent) not in path.read_text()


def replies(gguf: Path, questions: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """What a fresh server with two slots replies to each question, a number and a seed, asked in this order."""
    beginning = "Heads 3.1 and 4.2 carry the subject's number to the verb. " * 2
    provider = Provider(SETTINGS)
    texts = {}
    with embedded_server(gguf, context_tokens=1024, slots=2) as url:
        for number, seed in questions:
            question = f"{beginning} Ablating {number} heads hurts. What is claimed?"
            request = {
                "model": "openai/embedded",
                "messages": [{"role": "user", "content": question}],
                "response_format": None,
                "seed": seed,
                "max_tokens": 8,
                "temperature": 0.8,
            }
            texts[number, seed] = provider.complete(request, api_base=url, api_key=None).text
    return texts


@pytest.mark.gate
def test_a_reply_depends_on_its_request_alone(gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not on the order of the questions, nor on what others left in the slots, which hold two of three prompts."""
    monkeypatch.setattr(
        "mechaware.instruments.claims.judges.language_model.calls.provider.PromptSlots",
        lambda: PromptSlots(2),
    )
    questions = [(number, seed) for number in range(3) for seed in range(2)]
    first = replies(gguf, questions)
    assert replies(gguf, questions[::-1]) == first
    assert replies(gguf, questions[3:4]) == {(1, 1): first[1, 1]}
    assert len(set(first.values())) > 2


def test_no_server_starts_if_the_store_has_every_reply(
    tmp_path: Path, gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = outcomes(tmp_path, gguf, runs=1)
    monkeypatch.setattr(
        "mechaware.instruments.claims.judges.language_model.model.embedded_server", pytest.fail
    )
    assert outcomes(tmp_path, gguf, runs=1) == first


def test_the_server_stops_when_its_user_fails(gguf: Path) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        embedded_server(gguf, context_tokens=256, slots=1) as url,
    ):
        raise ZeroDivisionError
    assert not listens(url)


def test_the_server_stops_when_its_parent_is_killed(gguf: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path\n"
        "from mechaware.instruments.claims.judges.language_model.calls.server import embedded_server\n"
        "with embedded_server(Path(sys.argv[1]), context_tokens=256, slots=1) as url:\n"
        "    print(url, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(gguf)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        url = parent.stdout.readline().strip()
        assert listens(url)
        os.kill(parent.pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while listens(url):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF, or not")
    with (
        pytest.raises(UserError, match=r"broken\.gguf: the embedded model cannot be served"),
        embedded_server(broken, context_tokens=256, slots=1),
    ):
        pass
