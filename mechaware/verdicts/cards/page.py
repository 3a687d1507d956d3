"""Writes calibration cards, each as JSON and as a page that needs no other file, and their index."""

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
    instruments: Iterable[Instrument], folder: Path, *, level: float, seed: int
) -> None:
    """Write {kind}/{name}.json and .html of each instrument to `folder`, and index.html, which lists them by name."""
    template, cards = page_template(_TEMPLATES / "card.html.j2"), []
    with atomic_write(folder) as partial:
        for instrument in instruments:
            kind = partial / instrument.kind
            kind.mkdir(parents=True, exist_ok=True)
            card = make_card(instrument, level=level, seed=seed) | _origin(
                instrument, folder / instrument.kind
            )
            # Not `with_suffix`: a name may have dots, such as gpt-5.5.
            (kind / f"{instrument.name}.json").write_text(
                json.dumps(card, indent=1) + "\n", encoding="utf-8"
            )
            (kind / f"{instrument.name}.html").write_text(template.render(card), encoding="utf-8")
            cards.append(card)
        index = page_template(_TEMPLATES / "index.html.j2").render(cards=cards)
        (partial / "index.html").write_text(index, encoding="utf-8")


def _origin(instrument: Instrument, folder: Path) -> dict[str, Any]:
    """The tables, scripts and records behind a card, as links, and the commits and settings in the records."""

    def link(path: Path) -> str:
        return os.path.relpath(path, folder)

    def settings(table: str, script: str) -> list[dict[str, Any]]:
        """Numbers alone: the record, which is linked, has all."""
        made = [
            step["parameters"]
            for step in records[table]["steps"]
            if step["step"] == Path(script).stem
        ]
        return [
            {key: value for key, value in step.items() if isinstance(value, int | float)}
            for step in made
        ]

    def commit(record: Mapping[str, Any]) -> str:
        git = record["git"]
        return str(git["commit"] or f"unknown ({git.get('reason', 'no git repository')})")

    records = {
        table: json.loads(sidecar(Path(table)).read_text(encoding="utf-8"))
        for table in instrument.sources
    }
    return {
        "sources": [
            {"table": table, "to_table": link(Path(table)), "to_record": link(sidecar(Path(table)))}
            | {
                "script": script,
                "to_script": link(source(script)),
                "settings": settings(table, script),
            }
            for table, script in instrument.sources.items()
        ],
        "commits": sorted({commit(record) for record in records.values()}),
    }
