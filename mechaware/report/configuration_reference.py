"""Writes docs/configuration.md, the reference of the keys of a config and its lists, from the schema."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import yaml

_Schema = Mapping[str, Any]

_TYPES = {"integer": "integer", "number": "number", "string": "text", "boolean": "true or false", "object": "keys"}

_INTRODUCTION = """\
# Configuration

This page answers: what can a config say? `make docs` writes the page from `config/schema.yaml`, which also checks every
config. A slash separates a section from its key: `radar/folds` is `folds` in the section `radar`. *Value* is the value
in the default run, `config/config.yaml`. Your own config (`--configfile my.yaml`) needs only the keys that differ from
it. A key that is unknown, or twice in a section, is an error that names the key. A *name* has letters, digits, hyphens
and underscores; the name of a model or a judge may have dots.
"""
_MODELS = """\
# Models

An entry of `config/models.yaml` is a name with the keys of its kind, all of them required. An empty *Kind* stands for
all kinds.
"""
_JUDGES = """\
# Judges

An entry of `config/judges.yaml` is a name with the keys below. *Default* is the value of a key that is left out.
"""
_SUSPECTED = """\
# Suspected benchmarks

An entry of `radar/suspected` is a name with the keys below. Paths are relative to the working directory.
"""


class _Key(NamedTuple):
    """A key by its path, such as `radar/folds`, and the schema of its value."""

    path: str
    schema: _Schema


def reference(schema: _Schema, config: _Schema) -> str:
    """The reference as Markdown: every key of `schema`, its value in `config`, the allowed values, the meaning."""
    lists = [
        _MODELS,
        *_models(schema),
        _JUDGES,
        _judges(schema),
        _SUSPECTED,
        _suspected(schema),
    ]
    return "\n".join([_INTRODUCTION, *_sections(schema, config), *lists])


def _sections(schema: _Schema, config: _Schema) -> Iterator[str]:
    definitions = schema["$defs"]
    alone = {name: key for name, key in schema["properties"].items() if "properties" not in key}
    sections = {name: key for name, key in schema["properties"].items() if name not in alone}
    head = ("Key", "Value", "Allowed", "Meaning")
    yield _table(head, (_row(key, config, definitions) for key in _keys({"properties": alone}, definitions)))
    for name, section in sections.items():
        keys = _keys(section, definitions, f"{name}/")
        if name == "figures":  # docs/results.md lists the figures themselves
            keys = (key for key in keys if "properties" not in key.schema)
        rows = (_row(key, config, definitions) for key in keys)
        yield f"## {name}\n\n{section['description']}\n\n{_table(head, rows)}"


def _models(schema: _Schema) -> Iterator[str]:
    """What each kind of model is, and one table of the keys of all kinds."""
    entry, definitions = schema["$defs"]["models"]["additionalProperties"], schema["$defs"]
    kinds = {f"`{branch['if']['properties']['kind']['const']}`": branch["then"] for branch in entry["allOf"]}
    yield "".join(f"- {kind}: {keys['description']}\n" for kind, keys in kinds.items())
    own_keys = {
        kind: {name: key for name, key in keys["properties"].items() if key is not True} for kind, keys in kinds.items()
    }
    rows = (
        (f"`{path}`", kind, _allowed(key, definitions), key["description"])
        for kind, keys in {"": entry["properties"], **own_keys}.items()
        for path, key in _keys({"properties": keys}, definitions)
    )
    yield _table(("Key", "Kind", "Allowed", "Meaning"), rows)


def _judges(schema: _Schema) -> str:
    entry = schema["$defs"]["judges"]["additionalProperties"]
    kinds = " or ".join(entry["if"]["properties"]["kind"]["enum"])
    required = {
        **dict.fromkeys(entry["then"]["required"], f"required for {kinds}"),
        **dict.fromkeys(entry["required"], "required"),
    }
    rows = (
        (
            f"`{path}`",
            required.get(path) or (f"`{_flow(key['default'])}`" if "default" in key else ""),
            _allowed(key, schema["$defs"]),
            key["description"],
        )
        for path, key in _keys(entry, schema["$defs"])
    )
    return _table(("Key", "Default", "Allowed", "Meaning"), rows)


def _suspected(schema: _Schema) -> str:
    entry, definitions = schema["$defs"]["suspected"]["additionalProperties"], schema["$defs"]
    required = dict.fromkeys(entry["required"], "required")
    rows = (
        (f"`{path}`", required.get(path, ""), _allowed(key, definitions), key["description"])
        for path, key in _keys(entry, definitions)
    )
    return _table(("Key", "Default", "Allowed", "Meaning"), rows)


def _keys(section: _Schema, definitions: _Schema, prefix: str = "") -> Iterator[_Key]:
    """The keys of a section and of those inside it, in the order of the schema."""
    for name, declared in section["properties"].items():
        key = {**_referred(declared, definitions), **declared}
        yield _Key(f"{prefix}{name}", key)
        if "properties" in key:
            yield from _keys(key, definitions, f"{prefix}{name}/")


def _row(key: _Key, config: _Schema, definitions: _Schema) -> tuple[str, str, str, str]:
    if "properties" in key.schema:
        return f"`{key.path}`", "", "section", key.schema["description"]
    value: Any = config
    for name in key.path.split("/"):
        value = value[name]
    return f"`{key.path}`", f"`{_flow(value)}`", _allowed(key.schema, definitions), key.schema["description"]


def _allowed(schema: _Schema, definitions: _Schema) -> str:
    """What a value may be, in words."""
    definition = _referred(schema, definitions)
    if "pattern" in definition:
        return "name"
    schema = {**definition, **schema}
    if "enum" in schema:
        *others, last = (f"`{choice}`" for choice in schema["enum"])
        return f"{', '.join(others)} or {last}" if others else last
    if schema["type"] == "array":
        size = f", {schema['minItems']} or more" if "minItems" in schema else ""
        return f"list{size}: {_allowed(schema['items'], definitions)}"
    return f"{_TYPES[schema['type']]} {_bounds(schema)}".strip()


def _referred(schema: _Schema, definitions: _Schema) -> _Schema:
    """The definition that a schema refers to; empty if it refers to none."""
    definition: _Schema = definitions[schema["$ref"].removeprefix("#/$defs/")] if "$ref" in schema else {}
    return definition


def _bounds(schema: _Schema) -> str:
    if "minimum" in schema and "maximum" in schema:
        return f"{schema['minimum']} to {schema['maximum']}"
    signs = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    return " and ".join(f"{sign} {schema[bound]}" for bound, sign in signs.items() if bound in schema)


def _flow(value: Any) -> str:
    """A value on one line of YAML."""
    return yaml.safe_dump(value, default_flow_style=True, width=float("inf")).removesuffix("...\n").strip()


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)
