"""The embedded model is served only if it is needed, and gives the same replies each time.

Its server ends with its parent.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

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
from mechaware.instruments.claims.rubric.records import Usage

SETTINGS = JudgeSettings(
    name="smollm2",
    kind="embedded",
    model="smollm2-135m-instruct",
    temperature=0.8,
    max_tokens=30,
    context_tokens=1024,
    timeout_s=60.0,
)
CHAT = [
    {
        "role": "system",
        "content": "Reply with a JSON object that has the fields colour and reason.",
    },
    {"role": "user", "content": "Which colour is the sky?"},
]


class Colour(StructuredReply):
    """The form of the reply to `CHAT`."""

    colour: Literal["red", "green", "blue"]
    reason: str


def listens(url: str) -> bool:
    """Whether a server answers at this address."""
    try:
        return httpx.get(f"{url}/models", timeout=5).is_success
    except httpx.TransportError:
        return False


class Asked(NamedTuple):
    """The reply of each run, or why there is none, and the model's usage over all runs."""

    outcomes: list[str]
    usage: Usage


def ask_in_runs(folder: Path, gguf: Path, runs: int) -> Asked:
    """Send `CHAT` in each of `runs` runs to the model in `gguf`, whose store is `folder`."""
    outcomes = []
    with language_model(SETTINGS, folder, gguf=gguf) as model:
        for run in range(runs):
            try:
                reply = model.ask(CHAT, Colour, run=run, step="colour")
                outcomes.append(reply.model_dump_json())
            except Unscored as unscored:
                outcomes.append(f"{unscored.kind}: {unscored}")
        usage = model.usage
    assert usage.cost == 0.0
    return Asked(outcomes, usage)


@pytest.mark.gate
def test_replies_keep_to_the_schema_and_are_the_same_from_each_fresh_server(
    tmp_path: Path, gguf: Path
) -> None:
    first = ask_in_runs(tmp_path / "one", gguf, runs=2)
    second = ask_in_runs(tmp_path / "two", gguf, runs=2)

    assert first == second
    # Each run has a seed of its own.
    assert len(set(first.outcomes)) > 1
    # The grammar allows only the three colours: only a reply that is cut can be unusable.
    for outcome in first.outcomes:
        assert outcome.startswith(('{"colour":', "cut:"))

    # The names of the files in a store do not depend on the server's port, nor do the files name
    # the folder of the weights.
    files = sorted((tmp_path / "one").iterdir())
    other_files = sorted((tmp_path / "two").iterdir())
    assert [path.name for path in files] == [path.name for path in other_files]
    for path in files:
        assert str(gguf.parent) not in path.read_text()


class Question(NamedTuple):
    """A prompt, which differs from others in a number, and the seed of the reply."""

    number: int
    seed: int


def replies(gguf: Path, questions: Sequence[Question]) -> dict[Question, str]:
    """The replies of a fresh server with two slots to questions that it is asked in this order."""
    beginning = "Heads 3.1 and 4.2 carry the subject's number to the verb. " * 2
    provider = Provider(SETTINGS)
    texts = {}
    with embedded_server(gguf, context_tokens=1024, slots=2) as url:
        for question in questions:
            prompt = f"{beginning} Ablating {question.number} heads hurts. What is claimed?"
            request = {
                "model": "openai/embedded",
                "messages": [{"role": "user", "content": prompt}],
                "response_format": None,
                "seed": question.seed,
                "max_tokens": 8,
                "temperature": 0.8,
            }
            texts[question] = provider.complete(request, api_base=url, api_key=None).text
    return texts


@pytest.mark.gate
def test_a_reply_depends_on_its_request_alone(gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither on the order of questions nor on what the two slots hold of three prompts."""
    monkeypatch.setattr(
        "mechaware.instruments.claims.judges.language_model.calls.provider.PromptSlots",
        lambda: PromptSlots(2),
    )
    questions = []
    for number in range(3):
        questions += [Question(number, seed=0), Question(number, seed=1)]
    alone = Question(number=1, seed=1)

    in_order = replies(gguf, questions)

    assert replies(gguf, questions[::-1]) == in_order
    assert replies(gguf, [alone]) == {alone: in_order[alone]}
    assert len(set(in_order.values())) > 2


def test_no_server_starts_if_the_store_has_every_reply(
    tmp_path: Path, gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ask_in_runs(tmp_path, gguf, runs=1)
    monkeypatch.setattr(
        "mechaware.instruments.claims.judges.language_model.model.embedded_server", pytest.fail
    )

    assert ask_in_runs(tmp_path, gguf, runs=1) == first


def test_the_server_stops_when_the_code_that_uses_it_fails(gguf: Path) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        embedded_server(gguf, context_tokens=256, slots=1) as url,
    ):
        raise ZeroDivisionError
    assert not listens(url)


# A program that serves a file, prints the address and waits.
SERVING = """\
import sys
import time
from pathlib import Path

from mechaware.instruments.claims.judges.language_model.calls import server

with server.embedded_server(Path(sys.argv[1]), context_tokens=256, slots=1) as url:
    print(url, flush=True)
    time.sleep(60)
"""


def test_the_server_stops_when_its_parent_is_killed(gguf: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVING, str(gguf)], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        url = parent.stdout.readline().strip()
        assert listens(url)
        os.kill(parent.pid, signal.SIGKILL)
    # Seconds for the server to notice.
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
