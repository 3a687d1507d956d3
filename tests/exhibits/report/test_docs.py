"""docs/configuration.md follows the schema, and the schema explains every key."""

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


def keys(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key anywhere in the schema with its own schema, a reference's definition merged in."""
    if isinstance(node, list):
        for place, entry in enumerate(node):
            yield from keys(entry, f"{path}/{place}")
    if isinstance(node, dict):
        for name, entry in node.get("properties", {}).items():
            if isinstance(entry, dict):
                definition = SCHEMA["$defs"].get(entry.get("$ref", "").rpartition("/")[2], {})
                yield f"{path}/{name}", {**definition, **entry}
        for name, entry in node.items():
            if name != "if":  # its keys are conditions
                yield from keys(entry, path if name == "properties" else f"{path}/{name}")


def test_the_reference_is_that_of_the_schema() -> None:
    written = (REPOSITORY / "docs/configuration.md").read_text(encoding="utf-8")
    assert written == configuration(), "run `make docs`"


def test_the_table_of_results_lists_every_figure_and_table() -> None:
    page = (REPOSITORY / "docs/results.md").read_text(encoding="utf-8")
    assert page == with_results_table(page, RESULTS), "run `make docs`"
    assert all(page.count(f"`{result.outputs[0]}`") == 1 for result in RESULTS)


@pytest.mark.parametrize(
    ("path", "schema"), keys(SCHEMA), ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_key_is_explained_in_a_sentence(path: str, schema: dict[str, Any]) -> None:
    """An unquoted comma cuts a description short inside braces; what is left has no full stop."""
    assert schema.get("description", "").endswith((".", "?")), path


def test_the_default_of_a_judges_key_is_that_of_the_code() -> None:
    entry = SCHEMA["$defs"]["judges"]["additionalProperties"]["properties"]
    optional = {
        field.name: field.default for field in fields(JudgeSettings) if field.default is not MISSING
    }
    for name, default in optional.items():
        assert entry[name].get("default") == (default or None), name
