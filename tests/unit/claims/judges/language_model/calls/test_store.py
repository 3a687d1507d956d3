"""The store of replies: what a key depends on, damaged files, several processes at once."""

import copy
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mechaware.claims.judges.language_model.calls.store import Completion, ResponseStore, request_hash
from mechaware.errors import UserError

REPLY = Completion(
    text='{"a": "é"}',
    finish_reason="stop",
    prompt_tokens=7,
    completion_tokens=3,
    cost=0.25,
    latency_s=0.5,
    model="m-as-served",
)
REQUEST: dict[str, Any] = {
    "model": "openai/m",
    "api_base": "http://one/v1",
    "messages": [{"role": "system", "content": "be fair"}, {"role": "user", "content": "paper"}],
    "temperature": 0.0,
    "reasoning_effort": None,
    "max_tokens": 10,
    "response_format": {"type": "json_schema", "json_schema": {"name": "R", "schema": {"required": ["a"]}}},
    "seed": 0,
}


def changed(change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    request = copy.deepcopy(REQUEST)
    change(request)
    return request


@pytest.mark.parametrize(
    "change",
    [
        lambda r: r.update(model="openai/n"),
        lambda r: r.update(api_base="http://two/v1"),
        lambda r: r.update(api_base=None),
        lambda r: r["messages"].reverse(),
        lambda r: r["messages"][0].update(role="user"),
        lambda r: r["messages"][1].update(content="paper "),
        lambda r: r["messages"].append({"role": "user", "content": ""}),
        lambda r: r.update(temperature=0.1),
        lambda r: r.update(temperature=None),
        lambda r: r.update(reasoning_effort="high"),
        lambda r: r.update(max_tokens=11),
        lambda r: r.update(response_format=None),
        lambda r: r["response_format"]["json_schema"]["schema"]["required"].append("b"),
        lambda r: r.update(seed=1),
    ],
)
def test_a_key_depends_on_every_part_of_the_request(change: Callable[[dict[str, Any]], Any]) -> None:
    assert request_hash(changed(change), 0) != request_hash(REQUEST, 0)


def test_a_key_depends_on_the_run_and_on_nothing_else() -> None:
    assert request_hash(REQUEST, 0) != request_hash(REQUEST, 1)
    assert request_hash(dict(reversed(REQUEST.items())), 0) == request_hash(REQUEST, 0)
    # Another program must find the same file: the SHA-256 of {"request":{"a":1},"run":2}, by sha256sum.
    assert request_hash({"a": 1}, 2) == "5791e93d013b093083f3ed677237b9eb41183351244d67bd502dc5114971fdcd"


def test_a_reply_comes_back_as_it_was_put(tmp_path: Path) -> None:
    ResponseStore(tmp_path / "new").put(REQUEST, 0, "claims", REPLY)
    other = ResponseStore(tmp_path / "new")
    assert other.get(REQUEST, 0) == REPLY
    assert other.get(REQUEST, 1) is None
    assert other.get(changed(lambda r: r.update(seed=1)), 0) is None
    assert [path.name for path in (tmp_path / "new").iterdir()] == [f"{request_hash(REQUEST, 0)}.json"]


@pytest.mark.parametrize("damage", [b"", b'{"run": 0, "step"', b"\x00" * 300, b'{"run": 0}', b"\xff\xfe"])
def test_a_damaged_file_is_no_reply_and_is_written_anew(tmp_path: Path, damage: bytes) -> None:
    store = ResponseStore(tmp_path)
    store.put(REQUEST, 0, "claims", REPLY)
    (path,) = tmp_path.iterdir()
    path.write_bytes(damage)
    assert store.get(REQUEST, 0) is None
    assert ResponseStore(tmp_path).spent() == 0.0
    store.put(REQUEST, 0, "claims", REPLY)
    assert store.get(REQUEST, 0) == REPLY


def test_what_was_spent_is_the_sum_over_runs_and_processes(tmp_path: Path) -> None:
    store = ResponseStore(tmp_path)
    assert store.spent() == 0.0
    store.put(REQUEST, 0, "claims", REPLY)
    assert store.spent() == 0.25
    ResponseStore(tmp_path).put(REQUEST, 1, "claims", REPLY)
    ResponseStore(tmp_path).put(REQUEST, 2, "claims", REPLY.model_copy(update={"cost": None}))
    (tmp_path / ".partial.left.by.a.kill").write_text("{")
    assert store.spent() == 0.5


def test_one_request_is_asked_by_one_at_a_time_and_others_are_not_kept_waiting(tmp_path: Path) -> None:
    """Threads stand for processes: the kernel's lock is one of open files, and each opens its own."""
    store, order = ResponseStore(tmp_path), []

    def wait_for_the_other() -> None:
        with ResponseStore(tmp_path).asking(REQUEST, 1, 0.0):
            order.append("another run")
        with pytest.raises(UserError, match=r"[.]lock: another process has been asking .* for 0 s; let it finish"):  # noqa: SIM117
            with ResponseStore(tmp_path).asking(REQUEST, 0, 0.0):
                pass
        order.append("waits")
        with ResponseStore(tmp_path).asking(REQUEST, 0, 5.0):
            order.append(str(store.get(REQUEST, 0) == REPLY))

    with ThreadPoolExecutor(1) as other:
        with store.asking(REQUEST, 0, 5.0):
            waiting = other.submit(wait_for_the_other)
            while order != ["another run", "waits"]:
                assert not waiting.done()
                time.sleep(0.01)
            store.put(REQUEST, 0, "claims", REPLY)
        waiting.result()
    assert order == ["another run", "waits", "True"]
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"]


def test_a_failure_frees_the_request(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), ResponseStore(tmp_path).asking(REQUEST, 0, 0.0):
            raise ZeroDivisionError
    assert not list(tmp_path.iterdir())


def test_processes_that_write_the_same_keys_do_no_harm(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from mechaware.claims.judges.language_model.calls.store import Completion, ResponseStore\n"
        "store = ResponseStore(Path(sys.argv[1]))\n"
        "for i in range(150):\n"
        "    reply = Completion(text='x' * 5000, finish_reason='stop', prompt_tokens=i, completion_tokens=1,\n"
        "                       cost=1.0, latency_s=0.0, model='m')\n"
        "    store.put({'n': i % 5}, 0, 'claims', reply)\n"
        "    assert store.get({'n': i % 5}, 0) is not None\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    writers = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    assert [(writer.communicate()[1], writer.returncode) for writer in writers] == [("", 0)] * 3
    assert len(list(tmp_path.iterdir())) == 5
    assert ResponseStore(tmp_path).spent() == 5.0
