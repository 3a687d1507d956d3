"""The grounding study's numbers for the paper's text."""

from pathlib import Path

from exhibits.grounding.lookups import POWER
from exhibits.grounding.value_tables import VALUE_TABLES
from exhibits.grounding.values import variant_leads
from exhibits.report.values import Value, significance_level, value, write_values
from mechaware.instruments.grounding.data.rows import read_rows
from mechaware.instruments.grounding.names import BASE, CATEGORIES, CATEGORY_LABELS, condition_of
from mechaware.planted.sql.generation import (
    blind_guess,
    generate_rows,
    read_vocabulary,
    share_words,
)
from mechaware.planted.sql.runs import group_of, run_label
from scripts.command import Output

# The model that the paper fine-tunes, from its public configuration: blocks, width and size of the
# vocabulary.
PAPERS_MODEL = {"label": "TinyStories-33M", "layers": 4, "width": 768, "tokens": 50257}


def main(
    *,
    tables: list[Path],
    variants: Path,
    vocabulary: Path,
    test: Path,
    runs: list[str],
    categories: list[str],
    base_label: str,
    base_kind: str,
    settings: dict[str, str],
    out: Output,
) -> None:
    """Gather the values of `tables` and of `variants`, and compute those that are in no table.

    `variants` is the table of models that were trained in runs started by hand. `settings` are
    leaves of the config by path, as text. Computed are

    - the values of `variant_leads` and of `significance_level`;
    - `lookup_power`: the power at which a number of prompts or pairs distinguishes a reader of the
      schema from a look-up of the request word;
    - `blind_guess`, if the rows are generated: the share of the rows of `test` that the best guess
      without the schema gets right;
    - `blind_guess_needed`, if the rows are generated: the share of right guesses among as many rows
      that need the schema.
    """
    listed_runs = []
    for name in runs:
        run = {
            "name": name,
            "label": run_label(name),
            "condition": condition_of(name),
            "group": group_of(name),
        }
        listed_runs.append(run)

    listed_categories = []
    for name in CATEGORIES:
        if name in categories:
            listed_categories.append({"name": name, "label": CATEGORY_LABELS[name]})

    # What the paper calls the models, runs and categories.
    lists = {
        "base": {
            "label": base_label,
            "from_scratch": base_kind == "scratch",
            "stories": any(group_of(name) == BASE for name in runs),
        },
        "papers_model": PAPERS_MODEL,
        "runs": listed_runs,
        "categories": listed_categories,
    }
    leads = variant_leads(variants, confidence_level=float(settings["confidence_level"]))
    computed = leads | significance_level(settings)
    computed["lookup_power"] = value(POWER, file="exhibits/grounding/lookups.py")
    if settings["grounding/data/source"] == "generated":
        computed["blind_guess"] = _blind_guess(vocabulary, test, settings)
        computed["blind_guess_needed"] = _blind_guess_needed(vocabulary, test, settings)
    write_values([*tables, variants], VALUE_TABLES, settings, computed, lists, out)


def _blind_guess(vocabulary: Path, test: Path, settings: dict[str, str]) -> Value:
    """The share of the rows of `test` that the best guess without the schema gets right."""
    tables = int(settings["grounding/data/tables"])
    fields = int(settings["grounding/data/fields"])
    words = read_vocabulary(vocabulary, tables=tables, fields=fields)
    if settings["grounding/data/shared_words"] == "True":
        words = share_words(words)
    rows = read_rows(test)
    share = blind_guess(
        words,
        rows,
        table_synonym_probability=float(settings["grounding/data/table_synonym_probability"]),
        field_synonym_probability=float(settings["grounding/data/field_synonym_probability"]),
    )
    return value(share, file=test, n=len(rows))


def _blind_guess_needed(vocabulary: Path, test: Path, settings: dict[str, str]) -> Value:
    """The same share of rows that need the schema, as many as `test` has.

    Their requests name every field by a word that two fields share.
    """
    tables = int(settings["grounding/data/tables"])
    fields = int(settings["grounding/data/fields"])
    table_synonym_probability = float(settings["grounding/data/table_synonym_probability"])
    words = share_words(read_vocabulary(vocabulary, tables=tables, fields=fields))
    rows = generate_rows(
        words,
        len(read_rows(test)),
        max_columns=int(settings["grounding/data/max_columns"]),
        table_synonym_probability=table_synonym_probability,
        field_synonym_probability=1,
        # The same rows for every seed of the config.
        seed=0,
    )
    share = blind_guess(
        words,
        rows,
        table_synonym_probability=table_synonym_probability,
        field_synonym_probability=1,
    )
    return value(share, file=vocabulary, n=len(rows))
