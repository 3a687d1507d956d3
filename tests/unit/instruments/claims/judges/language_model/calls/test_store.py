"""The store of replies: what a key depends on, damaged files, and what was spent."""

from pathlib import Path
from typing import Any

import pytest

from mechaware.instruments.claims.judges.language_model.calls.store import (
    Completion,
    ResponseStore,
    _request_hash,
)

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
    "response_format": {
        "type": "json_schema",
        "json_schema": {"name": "R", "schema": {"required": ["a"]}},
    },
    "seed": 0,
}


def test_a_key_depends_on_every_part_of_the_request_on_the_run_and_on_nothing_else() -> None:
    for name in REQUEST:
        changed = REQUEST | {name: "another"}
        assert _request_hash(changed, 0) != _request_hash(REQUEST, 0), name
    assert _request_hash(REQUEST, 0) != _request_hash(REQUEST, 1)
    assert _request_hash(dict(reversed(REQUEST.items())), 0) == _request_hash(REQUEST, 0)
    # Another program must find the same file: the SHA-256 of {"request":{"a":1},"run":2}, by
    # sha256sum.
    assert (
        _request_hash({"a": 1}, 2)
        == "5791e93d013b093083f3ed677237b9eb41183351244d67bd502dc5114971fdcd"
    )


def test_a_reply_comes_back_as_it_was_put(tmp_path: Path) -> None:
    ResponseStore(tmp_path / "new").put(REQUEST, 0, "claims", REPLY)
    second_store = ResponseStore(tmp_path / "new")
    assert second_store.get(REQUEST, 0) == REPLY
    assert second_store.get(REQUEST, 1) is None
    assert second_store.get(REQUEST | {"seed": 1}, 0) is None
    assert [path.name for path in (tmp_path / "new").iterdir()] == [
        f"{_request_hash(REQUEST, 0)}.json"
    ]


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b'{"run": 0, "step"', id="cut"),
        pytest.param(b"\x00" * 300, id="zeros"),
        pytest.param(b'{"run": 0}', id="without a reply"),
        pytest.param(b"\xff\xfe", id="not UTF-8"),
    ],
)
def test_a_damaged_file_is_not_a_reply_and_is_replaced(tmp_path: Path, damage: bytes) -> None:
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
    # Half a file, as a killed process leaves it, costs nothing.
    (tmp_path / ".partial.left.by.a.kill").write_text("{")
    ResponseStore(tmp_path).charge(0.25)  # an unusable reply
    ResponseStore(tmp_path).charge(None)

    # Two replies of 0.25 that are kept, one without a price, and one of 0.25 that is not kept.
    assert store.spent() == ResponseStore(tmp_path).spent() == 0.75
