"""Checks a config against a JSON schema; the error names, in one line, the wrong key and what to write instead."""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import yaml

from mechaware.core.errors import UserError

# The JSON types as messages name them.
TYPE_WORDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "text",
    "boolean": "true or false",
    "array": "a list in square brackets",
    "object": "keys with values",
}

# The bounds of a number as messages name them; {} is the bound.
BOUND_WORDS = {
    "minimum": "{} or more",
    "maximum": "{} or less",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
}


def _is_whole(_checker: object, value: object) -> bool:
    if isinstance(value, bool):  # true and false are integers in Python
        return False
    return isinstance(value, int)


def _is_finite(_checker: object, value: object) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int | float) and math.isfinite(value)


def _has_form(
    _validator: object, pattern: str, value: object, _schema: object
) -> Iterator[jsonschema.ValidationError]:
    """The keyword `pattern`, for text on one line: Python's `$` also matches before a newline at the end."""
    if not isinstance(value, str):
        return
    has_control_character = re.search(r"[\x00-\x1f\x7f]", value)
    if has_control_character or not re.search(pattern, value):
        yield jsonschema.ValidationError(f"{value!r} does not have the form {pattern}")


# JSON Schema accepts 5.0 as an integer, a command's flag does not; and no number of a config may be infinite or NaN.
Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    {"pattern": _has_form},
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
        {"integer": _is_whole, "number": _is_finite}
    ),
)


class _PlainWord(NamedTuple):
    """A kind of word without quotes: its tag, its form, and the characters that may begin it ("" for no word)."""

    tag: str
    form: str
    first: list[str]


# How YAML 1.2 reads a word without quotes (its core schema, https://yaml.org/spec/1.2.2/#103-core-schema). PyYAML
# follows YAML 1.1, in which `1e-3` is text, `010` is 8, `1:30` is 90 and `no` is false. Here hexadecimal, octal and
# `010` are text, which the schema refuses where a number belongs.
_PLAIN_WORDS = (
    _PlainWord("tag:yaml.org,2002:null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    _PlainWord("tag:yaml.org,2002:bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    _PlainWord("tag:yaml.org,2002:int", r"[-+]?(0|[1-9][0-9]*)", list("-+0123456789")),
    _PlainWord(
        "tag:yaml.org,2002:float",
        r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
    _PlainWord("tag:yaml.org,2002:merge", r"<<", ["<"]),  # of YAML 1.1, and in use
)

_DEEPEST = 100  # lists and mappings inside one another; our files have fewer than ten


class _PythonLoader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - as PyYAML declares it


class _Dumper(yaml.SafeDumper):
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - as PyYAML declares it


class _FastLoader(yaml.CSafeLoader):
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - as PyYAML declares it


for _class in (_PythonLoader, _FastLoader, _Dumper):
    for _word in _PLAIN_WORDS:
        _class.add_implicit_resolver(_word.tag, re.compile(rf"^(?:{_word.form})$"), _word.first)


def read_yaml(path: Path, name: str) -> Any:
    """The content of a YAML file; messages call it `name`. Words without quotes are read as in YAML 1.2.

    Raises `UserError` for a file that is missing, unreadable or not UTF-8, and as `parse_yaml` does.
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
    """The content of the text of a YAML file that messages call `name`.

    Raises `UserError` for text that is not YAML, for a key that is twice in a mapping and for more than 100 lists
    and mappings inside one another, with the line.
    """
    try:
        try:
            return _load(text, _FastLoader, name)
        except yaml.YAMLError:
            # libyaml is ten times as fast; the Python parser's error messages are clearer.
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


def write_yaml(value: object) -> str:
    """A value on one line of YAML, which `parse_yaml` reads as the same value."""
    text = yaml.dump(value, Dumper=_Dumper, default_flow_style=True, width=float("inf"))
    return text.removesuffix("...\n").strip()


def write_yaml_sections(sections: Mapping[str, object]) -> str:
    """A mapping with names as keys as YAML, a key a line; of an empty one the empty text."""
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
    """Raise `UserError` for more than 100 lists and mappings inside one another, an alias counted as what it names.

    The constructor calls itself for each level: at too many Python raises a RecursionError, and libyaml ends the
    process. Parsing into events needs no such calls.
    """
    # Of the lists and mappings that are open at the event, the outermost first: their anchors, and how many levels are
    # known inside each. Within `a: &x [[1]]` they are [None, "x", None] and [0, 0, 0]; after its end, [None] and [2].
    anchors = list[str | None]()
    depths = list[int]()
    # The levels of each list or mapping with an anchor, itself included: {"x": 2} after `a: &x [[1]]`.
    anchored = dict[str | None, int]()
    for event in yaml.parse(text, loader_class):
        depth = 0
        if isinstance(event, yaml.CollectionStartEvent):
            anchors.append(event.anchor)
            depths.append(0)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth = depths.pop() + 1
            anchored[anchors.pop()] = depth
        elif isinstance(event, yaml.AliasEvent):
            depth = anchored.get(event.anchor, 0)

        if depths:
            depths[-1] = max(depths[-1], depth)

        if len(depths) + depth > _DEEPEST:
            mark = event.start_mark
            where = f", line {mark.line + 1}" if mark else ""
            raise UserError(
                f"{name}{where}: more than {_DEEPEST} lists and mappings in one another; correct the line"
            )


def _refuse_repeated_keys(root: yaml.Node, name: str) -> None:
    """Raise `UserError` for a key that is twice in a mapping: YAML forbids it, PyYAML keeps the last value.

    The nodes are those before merge keys (`<<`) are resolved, so a key may override a merged one.
    """
    for mapping in _mappings(root):
        first_line = dict[tuple[str, str], int]()  # of each key, by its tag and its text
        for key, _ in mapping.value:
            if not isinstance(key, yaml.ScalarNode):  # PyYAML refuses other keys
                continue
            line = key.start_mark.line + 1
            identity = (key.tag, key.value)
            if identity in first_line:
                raise UserError(
                    f"{name}, line {line}: key {key.value!r} appears twice, first on line "
                    f"{first_line[identity]}; remove one"
                )
            first_line[identity] = line


def _mappings(root: yaml.Node) -> Iterator[yaml.MappingNode]:
    """The mappings of a YAML document, each once: an alias is the very node that it names, even one that holds it."""
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


def read_numbers(document: Any, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    """A document in which texts are read as numbers, true or false wherever the schema has such a type.

    Snakemake gives every value inside `--config 'radar={folds: 5}'` as text. Text that has another form stays, for
    `check` to refuse.

    Args:
        document: The config, or a part of it.
        schema: Its JSON Schema.
        definitions: The entries of `$defs`, to which the schema refers.
    """
    if "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix("#/$defs/")]

    if isinstance(document, Mapping):
        by_key = schema.get("properties", {})
        of_other_keys = schema.get("additionalProperties", {}) or {}
        read = {}
        for key, value in document.items():
            read[key] = read_numbers(value, by_key.get(key, of_other_keys), definitions)
        return read

    if isinstance(document, list):
        of_entries = schema.get("items", {})
        return [read_numbers(value, of_entries, definitions) for value in document]

    if isinstance(document, str) and schema.get("type") in ("integer", "number", "boolean"):
        return _read_word(document)
    return document


def _read_word(text: str) -> Any:
    """The number, true or false that the text is in YAML 1.2; other text as it is."""
    loader = _PythonLoader("")
    without_quotes = (True, False)  # PyYAML's flags: the word is not in quotes
    tag = loader.resolve(yaml.ScalarNode, text, without_quotes)  # type: ignore[no-untyped-call]
    if tag.rpartition(":")[2] not in ("bool", "int", "float"):
        return text
    return loader.construct_object(yaml.ScalarNode(tag, text))


def check(document: Mapping[str, Any], schema: Mapping[str, Any], name: str) -> None:
    """Raise `UserError` for the first fault of `document`, in the order of paths; messages call the document `name`."""
    validator = Validator(schema)

    def path(fault: jsonschema.ValidationError) -> list[str]:
        return [str(part) for part in fault.absolute_path]

    # The library reports faults in the order of the schema's keywords, which a user does not know.
    faults = sorted(validator.iter_errors(document), key=path)
    if faults:
        raise UserError(_describe(faults[0], name))


def _describe(fault: jsonschema.ValidationError, name: str) -> str:
    """What is wrong, where, and what to write instead, in one line."""
    path = "/".join(map(str, fault.absolute_path))
    where = f"{name}, {path}" if path else name
    if fault.validator == "additionalProperties":
        known = sorted(fault.schema["properties"])
        unknown = min(set(map(str, fault.instance)) - set(known))
        return f"{where}: unknown key '{unknown}'; {_hint(unknown, known)}"
    if fault.validator == "required":
        missing = next(key for key in fault.validator_value if key not in fault.instance)
        return f"{where}: key '{missing}' is missing; add it"
    if fault.validator == "enum":
        choices = " or ".join(map(str, fault.validator_value))
        return f"{where}: {fault.instance!r}; write {choices}"
    if fault.validator == "type":
        value = "nothing" if fault.instance is None else repr(fault.instance)
        return f"{where}: {value}; write {TYPE_WORDS[fault.validator_value]}{_type_hint(fault)}"
    if fault.validator in BOUND_WORDS:
        bound = BOUND_WORDS[fault.validator].format(fault.validator_value)
        return f"{where}: {fault.instance}; write {bound}"
    if fault.validator == "minItems":
        return f"{where}: empty; write at least one entry"
    if fault.validator == "minLength":
        return f"{where}: empty; write at least one character"
    if fault.validator == "uniqueItems":
        twice = _first_repeated(fault.instance)
        return f"{where}: {twice!r} is listed twice; remove one"
    if fault.validator == "pattern":
        wanted = fault.schema.get("description", fault.validator_value)
        return f"{where}: {fault.instance!r} does not fit; write: {wanted}"
    return f"{where}: {fault.message}"


def _first_repeated(entries: Sequence[Any]) -> Any:
    """The first entry of a list that an earlier one equals; one must. Entries may be lists, which have no hash."""
    return next(entry for index, entry in enumerate(entries) if entry in entries[:index])


def _type_hint(fault: jsonschema.ValidationError) -> str:
    """How to write a value of the right type, where a value of another type looks like one."""
    wanted = fault.validator_value
    value = fault.instance
    if wanted in ("integer", "number") and isinstance(value, str) and re.search("[0-9]", value):
        return " in decimal digits, without a leading zero, underscores or quotes"
    if wanted == "string" and isinstance(value, bool | int | float):
        return " in quotes"
    return ""


def check_choice(name: str, known: Mapping[str, Any], where: str, file: str) -> None:
    """Raise `UserError` if `known`, the entries of `file`, lacks `name`; `where` is the place that names it."""
    if name not in known:
        raise UserError(f"{where}: '{name}' is not in {file}; {_hint(name, known)}")


def _hint(name: str, known: Collection[str]) -> str:
    """The known name that is most like a wrong one, or all known names if none is."""
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    if near:
        return f"did you mean '{near[0]}'?"
    return f"known: {', '.join(known)}"
