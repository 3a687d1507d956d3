"""The grounding study's numbers for the paper's text."""

from pathlib import Path

from exhibits.grounding.value_tables import VALUE_TABLES
from exhibits.grounding.values import variant_leads
from exhibits.report.values import significance_level, write_values
from mechaware.instruments.grounding.names import BASE, CATEGORIES, CATEGORY_LABELS, condition_of
from mechaware.planted.sql.runs import group_of, run_label
from scripts.command import Output

# The model that the paper fine-tunes, from its public configuration: blocks, width and size of the vocabulary.
PAPERS_MODEL = {"label": "TinyStories-33M", "layers": 4, "width": 768, "tokens": 50257}


def main(
    *,
    tables: list[Path],
    variants: Path,
    runs: list[str],
    categories: list[str],
    base_label: str,
    base_kind: str,
    settings: dict[str, str],
    out: Output,
) -> None:
    """Gather the values of the study's tables, among them the models that were measured once (`variants`)."""
    lists = {
        "base": {
            "label": base_label,
            "from_scratch": base_kind == "scratch",
            "stories": any(group_of(name) == BASE for name in runs),
        },
        "papers_model": PAPERS_MODEL,
        "runs": [
            {
                "name": name,
                "label": run_label(name),
                "condition": condition_of(name),
                "group": group_of(name),
            }
            for name in runs
        ],
        "categories": [
            {"name": name, "label": CATEGORY_LABELS[name]}
            for name in CATEGORIES
            if name in categories
        ],
    }
    leads = variant_leads(variants, level=float(settings["confidence_level"]))
    computed = leads | significance_level(settings)
    write_values([*tables, variants], VALUE_TABLES, settings, computed, lists, out)
