"""Reads and writes YAML 1.2.

An error is one line, which names the wrong line and what to write instead.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from mechaware.core.errors import UserError


class _PlainWord(NamedTuple):
    """A type of YAML's words without quotes.

    - `tag`: the type.
    - `form`: a regular expression that the whole word matches.
    - `first`: the characters that may begin it, and "" if an empty word has this type.
    """

    tag: str
    form: str
    first: list[str]


# How YAML 1.2 reads a word without quotes (its core schema,
# https://yaml.org/spec/1.2.2/#103-core-schema). PyYAML follows YAML 1.1, in which `1e-3` is text,
# `010` is 8, `1:30` is 90 and `no` is false. Unlike in the core schema, hexadecimal numbers, octal
# numbers and `010` are text here, which the JSON schema of a config refuses where a number belongs.
_PLAIN_WORDS = (
    _PlainWord("tag:yaml.org,2002:null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    _PlainWord("tag:yaml.org,2002:bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    _PlainWord("tag:yaml.org,2002:int", r"[-+]?(0|[1-9][0-9]*)", list("-+0123456789")),
    _PlainWord(
        "tag:yaml.org,2002:float",
        r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
        r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
    # A merge key, which only YAML 1.1 has, but which users write.
    _PlainWord("tag:yaml.org,2002:merge", r"<<", ["<"]),
)

_MAX_DEPTH = 100  # of nested lists and mappings; our files have fewer than ten levels


# PyYAML keeps the types of words in `yaml_implicit_resolvers`. An empty mapping of its own keeps a
# class from inheriting the types of YAML 1.1; the loop below adds the types of `_PLAIN_WORDS`.
class _PythonLoader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - as PyYAML declares it


class _FastLoader(yaml.CSafeLoader):
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - as PyYAML declares it


class _Dumper(yaml.SafeDumper):
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - as PyYAML declares it


for _class in (_PythonLoader, _FastLoader, _Dumper):
    for _word in _PLAIN_WORDS:
        _class.add_implicit_resolver(_word.tag, re.compile(rf"^(?:{_word.form})$"), _word.first)


def read_yaml(path: Path, name: str) -> Any:
    """The content of a YAML file, which messages call `name`.

    Raises `UserError` for a file that is missing, unreadable or not UTF-8, and as `parse_yaml`
    does.
    """
    try:
        return parse_yaml(path.read_text(encoding="utf-8"), name)
    except FileNotFoundError:
        raise UserError(f"{name}: no such file; restore it") from None
    except UnicodeDecodeError:
        raise UserError(f"{name}: not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise UserError(
            f"{name}: cannot be read ({str(error).splitlines()[0]}); restore it"
        ) from None


def parse_yaml(text: str, name: str) -> Any:
    """The content of a YAML document, which messages call `name`.

    Words without quotes are read as in YAML 1.2. Raises `UserError`, with the line, for text that
    is not YAML, for a key that is twice in a mapping, and for more than 100 nested lists and
    mappings.
    """
    try:
        # libyaml is ten times as fast; the error messages of the Python parser are clearer.
        try:
            return _load(text, _FastLoader, name)
        except yaml.YAMLError:
            return _load(text, _PythonLoader, name)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UserError(
            f"{name}, line {line}: not YAML ({error.problem}); correct the line or the one before"
        ) from None
    except yaml.YAMLError as error:
        raise UserError(
            f"{name}: cannot be read ({str(error).splitlines()[0]}); restore it"
        ) from None


def read_word(text: str) -> Any:
    """The number, true or false that a word without quotes is in YAML 1.2; other text as it is."""
    loader = _PythonLoader("")
    is_implicit = (True, False)  # PyYAML's flags of a word without quotes
    tag = loader.resolve(yaml.ScalarNode, text, is_implicit)  # type: ignore[no-untyped-call]
    if tag.rpartition(":")[2] not in ("bool", "int", "float"):
        return text
    return loader.construct_object(yaml.ScalarNode(tag, text))


def write_yaml(value: object) -> str:
    """A value as YAML, which `parse_yaml` reads as the same value.

    It is one line, unless a text in the value has line breaks.
    """
    text = yaml.dump(value, Dumper=_Dumper, default_flow_style=True, width=float("inf"))
    return text.removesuffix("...\n").strip()  # PyYAML ends a value without brackets by "..."


def write_yaml_sections(sections: Mapping[str, object]) -> str:
    """A mapping as YAML, each key with its value as in `write_yaml`; "" for an empty mapping."""
    return "".join(f"{key}: {write_yaml(value)}\n" for key, value in sections.items())


def _load(text: str, loader_class: type[_FastLoader | _PythonLoader], name: str) -> Any:
    _refuse_deep_nesting(text, loader_class, name)
    loader = loader_class(text)
    try:
        root = loader.get_single_node()
        if root is None:  # an empty file
            return None
        _refuse_repeated_keys(root, name)
        return loader.construct_document(root)
    finally:
        loader.dispose()


def _refuse_deep_nesting(
    text: str, loader_class: type[_FastLoader | _PythonLoader], name: str
) -> None:
    """Raise `UserError` for more than 100 nested lists and mappings.

    An alias counts as the list or mapping that it names. The constructor calls itself for each
    level. With too many levels Python raises a RecursionError, and libyaml ends the process.
    Parsing into events needs no such calls.
    """
    # For each list or mapping that is open at the event, outermost first: its anchor, and the
    # number of levels found inside it. For `a: &x [[1]]`,
    #     inside the inner brackets    open_anchors [None, "x", None]    inner_depths [0, 0, 0]
    #     after the outer brackets     open_anchors [None]               inner_depths [2]
    open_anchors = list[str | None]()
    inner_depths = list[int]()
    # The levels of each closed list or mapping with an anchor, itself included: here "x" has 2. The
    # entry None, of those without an anchor, is never read.
    depth_of_anchor = dict[str | None, int]()
    for event in yaml.parse(text, loader_class):
        depth = 0  # of a list or mapping that ends here, or that an alias names
        if isinstance(event, yaml.CollectionStartEvent):
            open_anchors.append(event.anchor)
            inner_depths.append(0)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth = inner_depths.pop() + 1
            depth_of_anchor[open_anchors.pop()] = depth
        elif isinstance(event, yaml.AliasEvent):
            depth = depth_of_anchor.get(event.anchor, 0)

        if inner_depths:
            inner_depths[-1] = max(inner_depths[-1], depth)

        if len(inner_depths) + depth > _MAX_DEPTH:
            mark = event.start_mark
            where = f", line {mark.line + 1}" if mark else ""
            raise UserError(
                f"{name}{where}: more than {_MAX_DEPTH} lists and mappings in one another; "
                "correct the line"
            )


def _refuse_repeated_keys(root: yaml.Node, name: str) -> None:
    """Raise `UserError` for a key that is twice in a mapping.

    YAML forbids it, but PyYAML keeps the last value. Merge keys (`<<`) are not resolved yet, so a
    key may override a merged one.
    """
    for mapping in _mappings(root):
        first_lines = dict[tuple[str, str], int]()  # the first line of each key, by tag and text
        for key, _ in mapping.value:
            if not isinstance(key, yaml.ScalarNode):  # PyYAML refuses other keys later
                continue
            line = key.start_mark.line + 1
            identity = (key.tag, key.value)
            if identity in first_lines:
                raise UserError(
                    f"{name}, line {line}: key {key.value!r} appears twice, first on line "
                    f"{first_lines[identity]}; remove one"
                )
            first_lines[identity] = line


def _mappings(root: yaml.Node) -> Iterator[yaml.MappingNode]:
    """The mappings of a YAML document, each once.

    An alias is the same node as the list or mapping that it names, which may even contain it.
    """
    pending = [root]
    visited = set[yaml.Node]()
    while pending:
        node = pending.pop()
        if node in visited:
            continue
        visited.add(node)
        if isinstance(node, yaml.MappingNode):
            yield node
            pending.extend(value for _, value in node.value)
        elif isinstance(node, yaml.SequenceNode):
            pending.extend(node.value)
