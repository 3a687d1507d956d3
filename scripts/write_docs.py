"""Writes the documents' parts that are made; `make docs` calls it.

Every config key, figure and table in docs/ follows from the code, the findings of README and docs/findings.md from
committed runs.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import jinja2

from exhibits.report.gallery import replace_findings, write_findings
from exhibits.report.reported import read_reported
from exhibits.report.results import config_schema, figure_settings, find_results, with_results_table
from exhibits.report.values import Value
from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write
from mechaware.core.provenance import REPOSITORY
from mechaware.core.schema import read_yaml, write_yaml

Schema = Mapping[str, Any]

TYPES = {
    "integer": "integer",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "object": "keys",
}
SIGNS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def main() -> None:
    """Write docs/configuration.md, the table of results in docs/results.md, and the findings."""
    page = REPOSITORY / "docs/results.md"
    results = with_results_table(page.read_text(encoding="utf-8"), find_results(REPOSITORY))
    shown = json.loads((REPOSITORY / "docs/gallery/values.json").read_text(encoding="utf-8"))
    documents, _used = findings(shown)
    made = {REPOSITORY / "docs/configuration.md": configuration(), page: results}
    for path, text in {**made, **documents}.items():
        with atomic_write(path) as written:
            written.write_text(text, encoding="utf-8")


def findings(values: Mapping[str, Value]) -> tuple[dict[Path, str], dict[str, Value]]:
    """The README and docs/findings.md with their findings, and the values that the findings rest on.

    The findings are made of `values`, which are those of the gallery's run, and of the two committed reported runs; of
    the earlier reported run only the outcomes are printed.
    """
    ledger = REPOSITORY / "paper/claims.yaml"
    reported = read_reported(REPOSITORY / "docs/measured/headlines.csv")
    earlier = read_reported(REPOSITORY / "docs/measured/headlines_earlier.csv")
    docs = REPOSITORY / "docs"
    short = write_findings(docs / "readme_findings.md.j2", values, ledger, reported, earlier)
    whole = write_findings(docs / "findings.md.j2", values, ledger, reported, earlier)

    readme = REPOSITORY / "README.md"
    texts = {
        readme: replace_findings(readme.read_text(encoding="utf-8"), short.text),
        docs / "findings.md": whole.text,
    }
    return texts, short.used | whole.used


def configuration() -> str:
    """The reference of the keys of a config and its lists, from docs/configuration.md.j2 and the schema."""
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
    depth: int = 9,
) -> Iterator[tuple[str, ...]]:
    """A row for each key of a section of the schema and, `depth` levels down, of the sections in it.

    A row has four cells: the key's path after `prefix`, its value in `values`, what is allowed, and what it means.
    Without `values` the second cell is the schema's default, "required", or empty.
    """
    for name, declared in section["properties"].items():
        if declared is True:  # a key of all kinds of models, which the page's text explains
            continue
        schema = {**_definition(declared, definitions), **declared}
        if "properties" in schema:
            if depth:
                yield f"`{prefix}{name}`", "", "section", schema["description"]
                inside = None if values is None else values[name]
                yield from keys(definitions, schema, inside, f"{prefix}{name}/", depth=depth - 1)
            continue
        if values is not None:
            value = f"`{write_yaml(values[name])}`"
        elif "default" in schema:
            value = f"`{write_yaml(schema['default'])}`"
        else:
            value = "required" if name in section.get("required", ()) else ""
        row = f"`{prefix}{name}`", value, _allowed(declared, definitions), schema["description"]
        yield tuple(cell.replace("|", r"\|") for cell in row)


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
    return definitions[declared["$ref"].removeprefix("#/$defs/")] if "$ref" in declared else {}


if __name__ == "__main__":
    try:
        main()
    except UserError as error:
        sys.exit(f"error: {error}")
