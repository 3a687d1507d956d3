"""The reader of YAML files: a key that stands twice in a mapping is refused; anchors and merges are no repetition."""

from pathlib import Path
from typing import Any

import pytest

from mechaware.configuration.schema import parse_yaml, read_yaml
from mechaware.errors import UserError


@pytest.mark.parametrize(
    ("text", "key", "line", "first"),
    [
        ("radar: {folds: 3}\nseed: 1\nradar: {folds: 4}\n", "radar", 3, 1),
        ("a:\n  - b:\n      c: 1\n      d: 2\n      c: 1\n", "c", 5, 3),
        ("a: 1\n'a': 2\n", "a", 2, 1),
        ("7: x\n7: y\n", "7", 2, 1),
    ],
    ids=["top", "in a list", "quoted", "a number"],
)
def test_a_key_that_stands_twice_is_refused_with_file_line_and_key(
    tmp_path: Path, text: str, key: str, line: int, first: int
) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as refused:
        read_yaml(path, "my.yaml")
    expected = f"my.yaml, line {line}: key '{key}' stands twice, first on line {first}; take one out"
    assert str(refused.value) == expected


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("", None),
        ("a: {x: 1}\nb: {x: 2}\n", {"a": {"x": 1}, "b": {"x": 2}}),
        ("7: x\n'7': y\n", {7: "x", "7": "y"}),
        ("a: &a {x: 1}\nb: *a\nc: [*a, *a]\n", {"a": {"x": 1}, "b": {"x": 1}, "c": [{"x": 1}, {"x": 1}]}),
        # A merged key that the mapping overrides; the second mapping is merged before it is read itself.
        (
            "a: {b: {c: &c {x: 1}, d: &d {<<: *c, x: 2}}}\ne: {<<: *d, x: 3}\n",
            {"a": {"b": {"c": {"x": 1}, "d": {"x": 2}}}, "e": {"x": 3}},
        ),
    ],
    ids=["empty", "in two mappings", "a number and text", "aliases", "merged"],
)
def test_a_key_once_in_each_mapping_is_read(text: str, content: Any) -> None:
    assert parse_yaml(text, "x") == content
