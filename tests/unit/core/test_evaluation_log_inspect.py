"""What is read from each form of a sample in logs of Inspect, as JSON and zipped."""

from pathlib import Path

import pandas as pd
import pytest

import mechaware as ma
from mechaware.core.errors import UserError
from tests.unit.core.evaluation_logs import CHAT, inspect_sample, scored, write_inspect

Row = tuple[object, ...]

PARTS = [
    {"type": "text", "text": "Capital"},
    {"type": "image", "image": "x.png"},
    {"type": "text", "text": "of Peru?"},
]
INSPECT: dict[str, tuple[list[dict[str, object]], str, list[Row]]] = {
    "grades": (
        [inspect_sample(grade, scores=scored(grade)) for grade in "CIPN"],
        "",
        [
            ("C", "Capital of Peru?", "Lima", 1, "input"),
            ("I", "Capital of Peru?", "Lima", 0, "input"),
            ("P", "Capital of Peru?", "Lima", 0.5, "input"),
            ("N", "Capital of Peru?", "Lima", 0, "input"),
        ],
    ),
    "numbers over epochs": (
        [
            inspect_sample(7, scores=scored(1)),
            inspect_sample(7, epoch=2, scores=scored(False)),
            inspect_sample(7, epoch=3, scores=scored(0.5)),
            inspect_sample(7, epoch=4, scores=None),
        ],
        "",
        [("7", "Capital of Peru?", "Lima", 0.5, "input")],
    ),
    "messages and accepted targets": (
        [
            inspect_sample(
                1, input=[*CHAT, {"role": "user", "content": PARTS}], target=["Lima", "lima"]
            )
        ],
        "",
        [("1", "Name a noble gas.\nName a halogen.\nCapital\nof Peru?", "Lima", None, "input")],
    ),
    "a named scorer": (
        [inspect_sample(1, scores=scored("C") | {"judge": {"value": {"style": 0.2, "fact": 0.9}}})],
        "judge/fact",
        [("1", "Capital of Peru?", "Lima", 0.9, "input")],
    ),
    "a choice by letter, over epochs": (
        [
            inspect_sample(1, target="B", choices=["Quito", "Lima"], scores=scored("C", "choice")),
            inspect_sample(
                1, target="B", choices=["Quito", "Lima"], scores=scored("I", "choice"), epoch=2
            ),
            inspect_sample(
                2, target=["A"], choices=["Quito", "Lima"], scores=scored("C", "choice")
            ),
        ],
        "",
        [
            ("1", "Capital of Peru?", "Lima", ["Quito", "Lima"], 0.5, "input"),
            ("2", "Capital of Peru?", "Quito", ["Quito", "Lima"], 1.0, "input"),
        ],
    ),
    "a letter that is another choice's text": (
        [inspect_sample(1, target="A", choices=["B", "A", "K"], scores=scored("C", "choice"))],
        "",
        [("1", "Capital of Peru?", "B", ["B", "A", "K"], 1.0, "input")],
    ),
    "a choice by text": (
        [inspect_sample(1, choices=["Quito", "Lima"], scores=scored("C"))],
        "",
        [("1", "Capital of Peru?", "Lima", ["Quito", "Lima"], 1.0, "input")],
    ),
}


@pytest.mark.parametrize("suffix", [".json", ".eval"])
@pytest.mark.parametrize(("samples", "metric", "expected"), INSPECT.values(), ids=INSPECT)
def test_samples_of_inspect_become_questions_with_their_answers_and_marks(
    tmp_path: Path, samples: list[dict[str, object]], metric: str, expected: list[Row], suffix: str
) -> None:
    log = ma.read_log(write_inspect(tmp_path / f"log{suffix}", *samples), metric=metric)
    rows = log.astype(object).where(log.notna(), None).itertuples(index=False, name=None)
    assert list(rows) == expected


def test_a_log_of_inspect_that_zstandard_compressed(tmp_path: Path) -> None:
    """As current versions write it."""
    samples = [
        inspect_sample(1, scores=scored("C")),
        inspect_sample("ü", input="Capital of Chile?" * 99, target="Santiago", scores=scored("I")),
    ]
    zipped = ma.read_log(write_inspect(tmp_path / "log.eval", *samples, zstandard=True))
    stored = ma.read_log(write_inspect(tmp_path / "log.json", *samples))
    pd.testing.assert_frame_equal(zipped, stored)
    assert zipped["answer"].tolist() == ["Lima", "Santiago"]


def test_a_damaged_log_of_inspect_is_refused(tmp_path: Path) -> None:
    path = write_inspect(tmp_path / "log.eval", inspect_sample(1), zstandard=True)
    content = bytearray(path.read_bytes())
    start = content.index(b"\x28\xb5\x2f\xfd")  # of what Zstandard compressed
    content[start + 20] ^= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match=r"log\.eval: not read as an evaluation log"):
        ma.read_log(path)
