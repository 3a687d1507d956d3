"""The reader of YAML files: a key that occurs twice in a mapping is refused, but anchors and merges
are allowed.

Words without quotes have the types of YAML 1.2, and deep nesting is refused.
"""

from pathlib import Path
from typing import Any

import pytest

from mechaware.core.errors import UserError
from mechaware.core.yaml_files import parse_yaml, read_yaml, write_yaml


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
def test_a_key_that_is_there_twice_is_refused_with_file_line_and_key(
    tmp_path: Path, text: str, key: str, line: int, first: int
) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(UserError) as refused:
        read_yaml(path, "my.yaml")
    expected = f"my.yaml, line {line}: key '{key}' appears twice, first on line {first}; remove one"
    assert str(refused.value) == expected


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("", None),
        ("a: {x: 1}\nb: {x: 2}\n", {"a": {"x": 1}, "b": {"x": 2}}),
        ("7: x\n'7': y\n", {7: "x", "7": "y"}),
        (
            "a: &a {x: 1}\nb: *a\nc: [*a, *a]\n",
            {"a": {"x": 1}, "b": {"x": 1}, "c": [{"x": 1}, {"x": 1}]},
        ),
        # A merged key that the mapping overrides; the second mapping is merged before it is read
        # itself.
        (
            "a: {b: {c: &c {x: 1}, d: &d {<<: *c, x: 2}}}\ne: {<<: *d, x: 3}\n",
            {"a": {"b": {"c": {"x": 1}, "d": {"x": 2}}}, "e": {"x": 3}},
        ),
    ],
    ids=["empty", "in two mappings", "a number and text", "aliases", "merged"],
)
def test_a_key_once_in_each_mapping_is_read(text: str, content: Any) -> None:
    assert parse_yaml(text, "x") == content


# The core schema of YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema), except that numbers in
# other bases and with leading zeros are text.
@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("1e-3", 0.001),
        ("1e3", 1000.0),
        ("1E-3", 0.001),
        (".5e-3", 0.0005),
        ("-1e-3", -0.001),
        ("1.5e+3", 1500.0),
        ("7", 7),
        ("-7", -7),
        ("+7", 7),
        ("0", 0),
        ("0.5", 0.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("-.inf", float("-inf")),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        # Numbers of YAML 1.1, in other bases or with leading zeros, and what is no number in
        # either.
        ("010", "010"),
        ("-08", "-08"),
        ("0o10", "0o10"),
        ("0x1F", "0x1F"),
        ("0b1", "0b1"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("00.5", "00.5"),
        ("1e", "1e"),
        ("e3", "e3"),
        # Truth values and dates of YAML 1.1.
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("Off", "Off"),
        ("y", "y"),
        ("2024-01-01", "2024-01-01"),
        ("=", "="),
        ("tRue", "tRue"),
        # In quotes.
        ("'7'", "7"),
        ('"1e3"', "1e3"),
        ("'true'", "true"),
    ],
)
def test_words_without_quotes_are_read_as_in_yaml_1_2(word: str, value: Any) -> None:
    document = parse_yaml(f"a: {word}\n", "x")
    assert document == {"a": value}
    assert type(document["a"]) is type(value)


def test_a_key_that_yaml_1_1_reads_as_false_is_a_name() -> None:
    assert parse_yaml("no: {on: 1}\n", "x") == {"no": {"on": 1}}


@pytest.mark.parametrize(
    "value", ["98769e6", "010", "no", 1e-05, 7, "7", True, "true", [0, "a"], "a"]
)
def test_what_is_written_is_read_as_the_same_value(value: Any) -> None:
    assert parse_yaml(write_yaml(value), "x") == value


@pytest.mark.parametrize("text", ["[" * 30_000, "a: 1\nb: " + "{c: " * 101 + "1" + "}" * 101])
def test_deep_nesting_is_refused_with_its_line(text: str) -> None:
    line = text.count("\n") + 1
    with pytest.raises(UserError, match=rf"^my\.yaml, line {line}: more than 100 lists and mapp"):
        parse_yaml(text, "my.yaml")
    innermost = parse_yaml("{c: " * 100 + "1" + "}" * 100, "my.yaml")
    for _ in range(100):
        innermost = innermost["c"]
    assert innermost == 1


def test_deep_nesting_by_aliases_is_refused_with_its_line() -> None:
    """Line n + 1 has n + 1 lists in one another, inside the mapping of the file."""
    lines = ["k0: &x0 [1]", *(f"k{n}: &x{n} [*x{n - 1}]" for n in range(1, 3000))]
    with pytest.raises(UserError, match=r"^my\.yaml, line 100: more than 100 lists and mapp"):
        parse_yaml("\n".join(lines), "my.yaml")
    assert parse_yaml("\n".join(lines[:99]), "my.yaml")["k1"] == [[1]]
