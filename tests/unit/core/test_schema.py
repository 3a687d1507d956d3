"""The schema of a config: text in the place of a number is read, and a wrong type is refused."""

from typing import Any

import pytest

from mechaware.core.errors import UserError
from mechaware.core.schema import check, read_numbers

SCHEMA = {
    "type": "object",
    "properties": {
        "folds": {"type": "integer"},
        "rates": {"type": "array", "items": {"$ref": "#/$defs/rate"}},
        "audit": {"type": "boolean"},
        "revision": {"type": "string"},
        "tasks": {
            "type": "object",
            "additionalProperties": {"type": "object", "properties": {"n": {"type": "integer"}}},
        },
    },
}
DEFINITIONS = {"rate": {"type": "number"}}


def test_text_is_read_where_the_schema_has_a_number_and_stays_where_it_has_text() -> None:
    """Snakemake gives all values within a value of --config as text."""
    given = {
        "folds": "7",
        "rates": ["0.25", "1e-3"],
        "audit": "true",
        "revision": "1234567",
        "tasks": {"mine": {"n": "3"}},
        "unknown": "4",
    }
    assert read_numbers(given, SCHEMA, DEFINITIONS) == {
        "folds": 7,
        "rates": [0.25, 0.001],
        "audit": True,
        "revision": "1234567",
        "tasks": {"mine": {"n": 3}},
        "unknown": "4",
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"folds": "010"},
            "config, folds: '010'; write a whole number in decimal digits, "
            "without a leading zero, underscores or quotes",
        ),
        ({"folds": "1.5"}, "config, folds: 1.5; write a whole number"),
        ({"folds": "five"}, "config, folds: 'five'; write a whole number"),
        ({"audit": "yes"}, "config, audit: 'yes'; write true or false"),
        ({"revision": 1234567}, "config, revision: 1234567; write text in quotes"),
    ],
)
def test_what_is_no_value_of_its_type_is_refused_with_how_to_write_it(
    given: dict[str, Any], message: str
) -> None:
    schema = SCHEMA | {"$defs": DEFINITIONS}
    with pytest.raises(UserError) as refused:
        check(read_numbers(given, SCHEMA, DEFINITIONS), schema, "config")
    assert str(refused.value) == message
