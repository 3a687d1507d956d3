"""The samples of Inspect's logs, as JSON and zipped: what is read from each form."""

from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

import mechaware as ma
from mechaware.core.errors import UserError
from tests.unit.core.evaluation_logs import (
    CHAT,
    Item,
    inspect_sample,
    items_of,
    scored,
    write_inspect,
)


class LogCase(NamedTuple):
    """Samples of a log, the items that `read_log` reads from them, and its argument `metric`."""

    samples: list[dict[str, object]]
    items: list[Item]
    metric: str = ""


PARTS = [
    {"type": "text", "text": "Capital"},
    {"type": "image", "image": "x.png"},
    {"type": "text", "text": "of Peru?"},
]
LOGS = {
    "grades": LogCase(
        [
            inspect_sample("correct", scores=scored("C")),
            inspect_sample("incorrect", scores=scored("I")),
            inspect_sample("partial", scores=scored("P")),
            inspect_sample("no answer", scores=scored("N")),
        ],
        [
            Item("correct", "Capital of Peru?", "Lima", 1, "input"),
            Item("incorrect", "Capital of Peru?", "Lima", 0, "input"),
            Item("partial", "Capital of Peru?", "Lima", 0.5, "input"),
            Item("no answer", "Capital of Peru?", "Lima", 0, "input"),
        ],
    ),
    # The mean of 1, 0 and 0.5; the fourth epoch has no score.
    "numbers over epochs": LogCase(
        [
            inspect_sample(7, scores=scored(1)),
            inspect_sample(7, epoch=2, scores=scored(False)),
            inspect_sample(7, epoch=3, scores=scored(0.5)),
            inspect_sample(7, epoch=4, scores=None),
        ],
        [Item("7", "Capital of Peru?", "Lima", 0.5, "input")],
    ),
    "messages and accepted targets": LogCase(
        [
            inspect_sample(
                1, input=[*CHAT, {"role": "user", "content": PARTS}], target=["Lima", "lima"]
            )
        ],
        [Item("1", "Name a noble gas.\nName a halogen.\nCapital\nof Peru?", "Lima", None, "input")],
    ),
    "a named scorer": LogCase(
        [inspect_sample(1, scores=scored("C") | {"judge": {"value": {"style": 0.2, "fact": 0.9}}})],
        [Item("1", "Capital of Peru?", "Lima", 0.9, "input")],
        metric="judge/fact",
    ),
    "a choice by letter, over epochs": LogCase(
        [
            inspect_sample(1, target="B", choices=["Quito", "Lima"], scores=scored("C", "choice")),
            inspect_sample(
                1, target="B", choices=["Quito", "Lima"], scores=scored("I", "choice"), epoch=2
            ),
            inspect_sample(
                2, target=["A"], choices=["Quito", "Lima"], scores=scored("C", "choice")
            ),
        ],
        [
            Item("1", "Capital of Peru?", "Lima", 0.5, "input", choices=["Quito", "Lima"]),
            Item("2", "Capital of Peru?", "Quito", 1.0, "input", choices=["Quito", "Lima"]),
        ],
    ),
    "a letter that is another choice's text": LogCase(
        [inspect_sample(1, target="A", choices=["B", "A", "K"], scores=scored("C", "choice"))],
        [Item("1", "Capital of Peru?", "B", 1.0, "input", choices=["B", "A", "K"])],
    ),
    "a choice by text": LogCase(
        [inspect_sample(1, choices=["Quito", "Lima"], scores=scored("C"))],
        [Item("1", "Capital of Peru?", "Lima", 1.0, "input", choices=["Quito", "Lima"])],
    ),
}


@pytest.mark.parametrize("suffix", [".json", ".eval"])
@pytest.mark.parametrize("case", LOGS.values(), ids=LOGS)
def test_samples_of_inspect_become_questions_with_their_answers_and_marks(
    tmp_path: Path, case: LogCase, suffix: str
) -> None:
    path = write_inspect(tmp_path / f"log{suffix}", *case.samples)
    log = ma.read_log(path, metric=case.metric)
    assert items_of(log) == case.items

    choices = ["choices"] if case.items[0].choices else []
    assert list(log) == ["id", "question", "answer", *choices, "correct", "question_from"]


def test_a_log_that_zstandard_compressed_is_read_like_one_in_json(tmp_path: Path) -> None:
    """Current versions of Inspect compress the samples in a zip with Zstandard."""
    samples = [
        inspect_sample(1, scores=scored("C")),
        inspect_sample("ü", input="Capital of Chile?" * 99, target="Santiago", scores=scored("I")),
    ]
    compressed = ma.read_log(write_inspect(tmp_path / "log.eval", *samples, zstandard=True))
    in_json = ma.read_log(write_inspect(tmp_path / "log.json", *samples))
    pd.testing.assert_frame_equal(compressed, in_json)
    assert compressed["answer"].tolist() == ["Lima", "Santiago"]


def test_a_damaged_log_of_inspect_is_refused(tmp_path: Path) -> None:
    path = write_inspect(tmp_path / "log.eval", inspect_sample(1), zstandard=True)
    content = bytearray(path.read_bytes())
    # One bit of the sample, 20 bytes after the first of Zstandard's magic number 0xFD2FB528.
    start = content.index(0xFD2FB528.to_bytes(4, "little"))
    content[start + 20] ^= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"log\.eval: not read as an evaluation log"):
        ma.read_log(path)
