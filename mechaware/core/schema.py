"""Reads and writes YAML 1.2, and checks a config against a JSON schema.

An error is one line, which names the wrong line or key and what to write instead. The file has two
parts:

    read_yaml, parse_yaml, write_yaml, write_yaml_sections    YAML
    read_numbers, check, check_choice                         the schema
"""

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
import yaml

from mechaware.core.errors import UserError

# YAML


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
# `010` is 8, `1:30` is 90 and `no` is false. Here hexadecimal numbers, octal numbers and `010` are
# text, which the schema refuses where a number belongs.
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


# PyYAML keeps the types of words in `yaml_implicit_resolvers`: here without those of YAML 1.1.
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


def write_yaml(value: object) -> str:
    """A value on one line of YAML, which `parse_yaml` reads as the same value."""
    text = yaml.dump(value, Dumper=_Dumper, default_flow_style=True, width=float("inf"))
    return text.removesuffix("...\n").strip()  # PyYAML ends a value without brackets by "..."


def write_yaml_sections(sections: Mapping[str, object]) -> str:
    """A mapping as YAML, one line for each key; "" for an empty mapping."""
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


# The schema

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


def _is_integer(_checker: object, value: object) -> bool:
    """JSON Schema's type integer, without 5.0: the flag of a command does not accept that."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_finite_number(_checker: object, value: object) -> bool:
    """JSON's type number; as in JSON itself, infinity and NaN are none."""
    if isinstance(value, bool):  # in Python an integer
        return False
    return isinstance(value, int | float) and math.isfinite(value)


def _check_pattern(
    _validator: object, pattern: str, value: object, _schema: object
) -> Iterator[jsonschema.ValidationError]:
    """The schema's keyword `pattern`; text with a control character, such as a newline, never fits.

    Python's `$` would also match before a newline at the end.
    """
    if not isinstance(value, str):
        return
    has_control_character = re.search(r"[\x00-\x1f\x7f]", value)
    if has_control_character or not re.search(pattern, value):
        yield jsonschema.ValidationError(f"{value!r} does not have the form {pattern}")


_TYPE_CHECKER = jsonschema.Draft202012Validator.TYPE_CHECKER.redefine_many(
    {"integer": _is_integer, "number": _is_finite_number}
)
Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator, {"pattern": _check_pattern}, type_checker=_TYPE_CHECKER
)


def read_numbers(document: Any, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:
    """The document, with texts read as numbers, true or false where the schema has such a type.

    Snakemake gives every value inside `--config 'radar={folds: 5}'` as text. Text that is
    neither a number nor true or false stays text, and `check` refuses it.

    Args:
        document: The config, or a part of it.
        schema: Its JSON Schema.
        definitions: The entries of `$defs`, to which the schema refers.
    """
    if "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix("#/$defs/")]

    if isinstance(document, Mapping):
        schemas = schema.get("properties", {})  # by key
        # May be false, for no other keys.
        schema_of_other_keys = schema.get("additionalProperties", {}) or {}
        read = {}
        for key, value in document.items():
            read[key] = read_numbers(value, schemas.get(key, schema_of_other_keys), definitions)
        return read

    if isinstance(document, list):
        schema_of_entries = schema.get("items", {})
        return [read_numbers(value, schema_of_entries, definitions) for value in document]

    if isinstance(document, str) and schema.get("type") in ("integer", "number", "boolean"):
        return _read_word(document)
    return document


def _read_word(text: str) -> Any:
    """The number, true or false for which the text stands in YAML 1.2; other text as it is."""
    loader = _PythonLoader("")
    is_implicit = (True, False)  # PyYAML's flags of a word without quotes
    tag = loader.resolve(yaml.ScalarNode, text, is_implicit)  # type: ignore[no-untyped-call]
    if tag.rpartition(":")[2] not in ("bool", "int", "float"):
        return text
    return loader.construct_object(yaml.ScalarNode(tag, text))


def check(document: Mapping[str, Any], schema: Mapping[str, Any], name: str) -> None:
    """Raise `UserError` for the first fault of a document, which messages call `name`.

    Faults are ordered by their paths in the document: jsonschema reports them in the order of the
    schema's keywords, which a user does not know.
    """

    def path(fault: jsonschema.ValidationError) -> list[str]:
        return [str(part) for part in fault.absolute_path]

    faults = sorted(Validator(schema).iter_errors(document), key=path)
    if faults:
        raise UserError(_describe(faults[0], name))


def _describe(fault: jsonschema.ValidationError, name: str) -> str:
    """What is wrong, where, and what to write instead, in one line."""
    path = "/".join(map(str, fault.absolute_path))
    where = f"{name}, {path}" if path else name
    if fault.validator == "additionalProperties":
        known = sorted(fault.schema["properties"])
        unknown = min(set(map(str, fault.instance)) - set(known))
        return f"{where}: unknown key '{unknown}'; {_suggest(unknown, known)}"
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
        repeated = _first_repeated(fault.instance)
        return f"{where}: {repeated!r} is listed twice; remove one"
    if fault.validator == "pattern":
        description = fault.schema.get("description", fault.validator_value)
        return f"{where}: {fault.instance!r} does not fit; write: {description}"
    return f"{where}: {fault.message}"


def _first_repeated(entries: Sequence[Any]) -> Any:
    """The first entry that equals an earlier entry, of a list that has such an entry.

    Entries may be lists, which cannot be hashed.
    """
    return next(entry for index, entry in enumerate(entries) if entry in entries[:index])


def _type_hint(fault: jsonschema.ValidationError) -> str:
    """How to write a value of the right type, if the wrong value looks like one; otherwise ""."""
    required_type = fault.validator_value
    value = fault.instance
    is_number_required = required_type in ("integer", "number")
    if is_number_required and isinstance(value, str) and re.search("[0-9]", value):
        return " in decimal digits, without a leading zero, underscores or quotes"
    if required_type == "string" and isinstance(value, bool | int | float):
        return " in quotes"
    return ""


def check_choice(name: str, known: Mapping[str, Any], where: str, file: str) -> None:
    """Raise `UserError` if `name` is not among the `known` entries of `file`.

    `where` is the place in the config that has the name.
    """
    if name not in known:
        raise UserError(f"{where}: '{name}' is not in {file}; {_suggest(name, known)}")


def _suggest(name: str, known: Collection[str]) -> str:
    """The known name that is most similar to a wrong one, or all known names if none is similar."""
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    if near:
        return f"did you mean '{near[0]}'?"
    return f"known: {', '.join(known)}"
