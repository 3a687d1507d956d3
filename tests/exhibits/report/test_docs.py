"""Generated documents are up to date, and the config's schema explains every key."""

from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import pytest

from exhibits.report.results import config_schema, find_results, with_results_table
from mechaware.instruments.claims.judges.settings import JudgeSettings
from scripts.write_docs import configuration

REPOSITORY = Path(__file__).resolve().parents[3]
RESULTS = find_results(REPOSITORY)
SCHEMA = config_schema(REPOSITORY, RESULTS)


def declared_keys(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every config key that a part of the schema declares, at any depth: its path and its schema.

    `node` is a part of the JSON Schema, and `path` its place. A path has the names and list indices
    from the root, without the word "properties". The schema of a key that refers to a definition
    (`$ref`) has the definition's entries as well; its own take precedence. Keys within `if` are
    left out: they are conditions, not declarations.
    """
    if isinstance(node, list):
        for index, entry in enumerate(node):
            yield from declared_keys(entry, f"{path}/{index}")
    if isinstance(node, dict):
        for key, schema in node.get("properties", {}).items():
            # A schema may also be `true`, for a key that is declared elsewhere.
            if isinstance(schema, dict):
                definition_name = schema.get("$ref", "").rpartition("/")[2]
                definition = SCHEMA["$defs"].get(definition_name, {})
                yield f"{path}/{key}", {**definition, **schema}
        for name, entry in node.items():
            if name == "if":
                continue
            yield from declared_keys(entry, path if name == "properties" else f"{path}/{name}")


def test_the_page_of_config_keys_is_the_one_that_make_docs_writes() -> None:
    written = (REPOSITORY / "docs/configuration.md").read_text(encoding="utf-8")
    assert written == configuration(), "run `make docs`"


def test_the_table_of_results_lists_every_figure_and_table() -> None:
    page = (REPOSITORY / "docs/results.md").read_text(encoding="utf-8")
    assert page == with_results_table(page, RESULTS), "run `make docs`"
    for result in RESULTS:
        assert page.count(f"`{result.outputs[0]}`") == 1, result.name


@pytest.mark.parametrize(
    ("path", "schema"),
    [pytest.param(path, schema, id=path) for path, schema in declared_keys(SCHEMA)],
)
def test_a_key_is_explained_in_a_sentence(path: str, schema: dict[str, Any]) -> None:
    """This also finds a description that was cut short: in a YAML mapping in braces an unquoted
    comma ends the description, and what is kept of it has no full stop.
    """
    assert schema.get("description", "").endswith((".", "?")), path


def test_a_judges_key_has_the_same_default_in_the_schema_and_in_the_code() -> None:
    """A key whose default is None or empty in the code has no default in the schema."""
    schemas = SCHEMA["$defs"]["judges"]["additionalProperties"]["properties"]
    for field in fields(JudgeSettings):
        if field.default is not MISSING:
            expected = field.default or None
            assert schemas[field.name].get("default") == expected, field.name
