"""Writes the generated parts of the documents; `make docs` calls it.

- docs/configuration.md: the keys of a config, from the schema and the default config.
- docs/results.md: its table of figures and tables, from the code that makes them.
- README.md and docs/findings.md: the findings, from committed runs.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import jinja2

from exhibits.report.findings import render_findings, replace_findings
from exhibits.report.reported import read_reported
from exhibits.report.results import config_schema, figure_settings, find_results, with_results_table
from exhibits.report.values import Value
from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write
from mechaware.core.git_repository import REPOSITORY
from mechaware.core.yaml_files import read_yaml, write_yaml

Schema = Mapping[str, Any]

TYPES = {
    "integer": "integer",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "object": "keys",
}
SIGNS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
DEEPER_THAN_THE_SCHEMA = 9


def main() -> None:
    """Write docs/configuration.md, the table of results in docs/results.md, and the findings."""
    results_page = REPOSITORY / "docs/results.md"
    results = results_page.read_text(encoding="utf-8")
    values = json.loads((REPOSITORY / "docs/gallery/values.json").read_text(encoding="utf-8"))
    documents_with_findings, _ = findings(values)

    documents = {
        REPOSITORY / "docs/configuration.md": configuration(),
        results_page: with_results_table(results, find_results(REPOSITORY)),
        **documents_with_findings,
    }
    for path, text in documents.items():
        with atomic_write(path) as temporary:
            temporary.write_text(text, encoding="utf-8")


def findings(values: Mapping[str, Value]) -> tuple[dict[Path, str], dict[str, Value]]:
    """The texts of README.md and docs/findings.md, and the values that their findings rest on.

    The findings are made from `values`, those of the gallery's run, and from the two committed
    reported runs. The earlier reported run contributes its outcomes only.
    """
    ledger = REPOSITORY / "paper/claims.yaml"
    reported = read_reported(REPOSITORY / "docs/measured/headlines.csv")
    earlier = read_reported(REPOSITORY / "docs/measured/headlines_earlier.csv")
    docs = REPOSITORY / "docs"
    short = render_findings(docs / "readme_findings.md.j2", values, ledger, reported, earlier)
    whole = render_findings(docs / "findings.md.j2", values, ledger, reported, earlier)

    readme = REPOSITORY / "README.md"
    texts = {
        readme: replace_findings(readme.read_text(encoding="utf-8"), short.text),
        docs / "findings.md": whole.text,
    }
    return texts, short.used | whole.used


def configuration() -> str:
    """The text of docs/configuration.md: the template docs/configuration.md.j2 with the keys."""
    results = find_results(REPOSITORY)
    schema = config_schema(REPOSITORY, results)
    config = read_yaml(REPOSITORY / "config/config.yaml", "config/config.yaml")
    config["figures"] = figure_settings(results, config["figures"])
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        autoescape=False,  # noqa: S701 - Markdown
    )
    template = environment.from_string(
        (REPOSITORY / "docs/configuration.md.j2").read_text(encoding="utf-8")
    )
    return template.render(schema=schema, config=config, keys=partial(keys, schema["$defs"]))


def keys(
    definitions: Schema,
    section: Schema,
    values: Schema | None = None,
    prefix: str = "",
    *,
    depth: int = DEEPER_THAN_THE_SCHEMA,
) -> Iterator[tuple[str, ...]]:
    """A row for each key of a section of the schema and, `depth` levels down, of its subsections.

    A row has four cells: the key's path after `prefix`, its value (`_value_cell`), what is allowed,
    and what the key means.
    """
    for name, declared in section["properties"].items():
        # The schema of a kind of model repeats the keys of all kinds as `true`; the page explains
        # them elsewhere.
        if declared is True:
            continue

        schema = {**_definition(declared, definitions), **declared}
        if "properties" in schema:
            if depth:
                yield f"`{prefix}{name}`", "", "section", schema["description"]
                inside = None if values is None else values[name]
                yield from keys(definitions, schema, inside, f"{prefix}{name}/", depth=depth - 1)
            continue

        value = _value_cell(name, schema, section, values)
        row = f"`{prefix}{name}`", value, _allowed(declared, definitions), schema["description"]
        yield tuple(cell.replace("|", r"\|") for cell in row)


def _value_cell(name: str, schema: Schema, section: Schema, values: Schema | None) -> str:
    """The value of the key `name` of a section in `values`.

    Without `values` it is the default in the key's schema, else "required", or empty.
    """
    if values is not None:
        return f"`{write_yaml(values[name])}`"
    if "default" in schema:
        return f"`{write_yaml(schema['default'])}`"
    if name in section.get("required", ()):
        return "required"
    return ""


def _allowed(declared: Schema, definitions: Schema) -> str:
    """What a value may be, in words."""
    definition = _definition(declared, definitions)
    if "pattern" in definition:
        return "name"
    schema = {**definition, **declared}
    if "enum" in schema:
        *others, last = [f"`{choice}`" for choice in schema["enum"]]
        return f"{', '.join(others)} or {last}" if others else last
    if schema["type"] == "array":
        size = f", {schema['minItems']} or more" if "minItems" in schema else ""
        return f"list{size}: {_allowed(schema['items'], definitions)}"
    if "minimum" in schema and "maximum" in schema:
        bounds = f"{schema['minimum']} to {schema['maximum']}"
    else:
        declared_bounds = [bound for bound in SIGNS if bound in schema]
        bounds = " and ".join(f"{SIGNS[bound]} {schema[bound]}" for bound in declared_bounds)
    return f"{TYPES[schema['type']]} {bounds}".strip()


def _definition(declared: Schema, definitions: Schema) -> Schema:
    """The definition that a key refers to; empty if it refers to none."""
    if "$ref" not in declared:
        return {}
    return definitions[declared["$ref"].removeprefix("#/$defs/")]


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(f"error: {error}")
