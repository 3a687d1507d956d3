"""Writes calibration cards, each as JSON and as a self-contained page, and their index."""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mechaware.core.files import atomic_write
from mechaware.core.pages import page_template
from mechaware.core.provenance import sidecar
from mechaware.core.run_module import source
from mechaware.verdicts.cards.card import Instrument, make_card

_TEMPLATES = Path(__file__).parent / "templates"


def write_cards(
    instruments: Iterable[Instrument], folder: Path, *, confidence_level: float, seed: int
) -> None:
    """Write {kind}/{name}.json and {kind}/{name}.html for each instrument, and index.html.

    They replace all former files of `folder`. The index lists the cards by name.
    """
    template = page_template(_TEMPLATES / "card.html.j2")
    cards = []
    with atomic_write(folder) as partial:
        for instrument in instruments:
            card = make_card(instrument, confidence_level=confidence_level, seed=seed)
            # `partial` becomes `folder`: links are relative to the final place of the card.
            card |= _origin(instrument, folder / instrument.kind)
            cards.append(card)

            folder_of_kind = partial / instrument.kind
            folder_of_kind.mkdir(parents=True, exist_ok=True)
            # Not `with_suffix`: a name may have dots, such as gpt-5.5.
            as_json = folder_of_kind / f"{instrument.name}.json"
            as_json.write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
            as_page = folder_of_kind / f"{instrument.name}.html"
            as_page.write_text(template.render(card), encoding="utf-8")
        index = page_template(_TEMPLATES / "index.html.j2").render(cards=cards)
        (partial / "index.html").write_text(index, encoding="utf-8")


def _origin(instrument: Instrument, folder: Path) -> dict[str, Any]:
    """The tables behind a card, with their scripts and records, as links relative to `folder`.

    Returns:
        `sources`: an entry for each table of the instrument, with the settings of the step that
        made it. `commits`: the distinct commits that made the tables, sorted.
    """
    sources = []
    commits = set()
    for table, script in instrument.sources.items():
        record_path = sidecar(Path(table))
        record = json.loads(record_path.read_text(encoding="utf-8"))
        commits.add(_commit_of(record))
        sources.append(
            {
                "table": table,
                "to_table": os.path.relpath(table, folder),
                "to_record": os.path.relpath(record_path, folder),
                "script": script,
                "to_script": os.path.relpath(source(script), folder),
                "settings": _numbers_of(record, Path(script).stem),
            }
        )
    return {"sources": sources, "commits": sorted(commits)}


def _commit_of(record: Mapping[str, Any]) -> str:
    """The commit in a record; "unknown" and the reason if it has none."""
    git = record["git"]
    if git["commit"]:
        return str(git["commit"])
    return f"unknown ({git.get('reason', 'no git repository')})"


def _numbers_of(record: Mapping[str, Any], step_name: str) -> list[dict[str, Any]]:
    """The numbers and booleans among the parameters of a step, for each of its runs in the record.

    The card links the record, which has the other parameters too.
    """
    settings = []
    for step in record["steps"]:
        if step["step"] != step_name:
            continue
        numbers = {}
        for name, value in step["parameters"].items():
            if isinstance(value, int | float):
                numbers[name] = value
        settings.append(numbers)
    return settings
