"""Writes the cards of one kind of instrument, each as JSON and as a page that needs no other file, and their index."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mechaware.cards import card
from mechaware.cards.card import Instrument, Part, measure
from mechaware.cards.words import describe
from mechaware.files import atomic_write
from mechaware.pages import page_template
from mechaware.provenance import REPOSITORY, sidecar

_TEMPLATES = Path(__file__).parent / "templates"
_DESCRIBED = ("kind", "name", "label", "claims", "units", "ladder", "verdicts", "missing")
_CONSTANTS = {name.lower(): getattr(card, name) for name in ("CHANCE", "FLOOR", "SAMPLE", "POWER", "DRAWS")}


def write_cards(instruments: Iterable[Instrument], folder: Path, *, level: float, seed: int) -> None:
    """Write {name}.json and {name}.html of each instrument to `folder`; links lead to its tables and their records."""
    template = page_template(_TEMPLATES / "card.html.j2")
    with atomic_write(folder) as partial:
        partial.mkdir()
        for instrument in instruments:
            content = _content(instrument, measure(instrument, level=level, seed=seed), folder, level)
            (partial / f"{instrument.name}.json").write_text(json.dumps(content, indent=1) + "\n")
            (partial / f"{instrument.name}.html").write_text(template.render(content))


def write_index(folders: Sequence[Path], page: Path) -> None:
    """Write the list of the cards in `folders`, in the order of their labels.

    No card has a rank: of each it is said how many others of its kind lie above it with their whole interval.
    """
    cards = [json.loads(path.read_text()) for folder in folders for path in folder.glob("*.json")]
    for own in cards:
        others = [other for other in cards if other["kind"] == own["kind"]]
        for part in own["parts"]:
            rivals = [
                rival["cells"][0] for other in others for rival in other["parts"] if rival["name"] == part["name"]
            ]
            high = part["cells"][0]["separation"]["high"]
            known = [rival["separation"]["low"] for rival in rivals if rival["separation"]["low"] is not None]
            part["above"] = None if high is None else sum(low > high for low in known)
    cards.sort(key=lambda own: (own["kind"], own["label"].lower()))
    with atomic_write(page) as partial:
        partial.write_text(page_template(_TEMPLATES / "index.html.j2").render(cards=cards, constants=_CONSTANTS))


def _content(instrument: Instrument, parts: Sequence[Part], folder: Path, level: float) -> dict[str, Any]:
    """A card as JSON; a number that is missing is null."""
    records = [json.loads(sidecar(Path(table)).read_text()) for table in instrument.sources]
    settings: dict[str, dict[str, list[str]]] = {}
    for step in (step for record in records for step in record["steps"]):
        for name, value in step["parameters"].items():
            values = settings.setdefault(step["step"], {}).setdefault(name, [])
            values += [str(value)] * (str(value) not in values)
    described = instrument._asdict()
    return {name: described[name] for name in _DESCRIBED} | {
        "sentences": describe(instrument, parts),
        "parts": _plain(parts),
        "sources": [
            {"table": table, "to_table": _link(Path(table), folder), "to_record": _link(sidecar(Path(table)), folder)}
            | {"script": script, "to_script": _link(REPOSITORY / script, folder)}
            for table, script in instrument.sources.items()
        ],
        "commits": sorted({str(record["git"]["commit"]) for record in records}),
        "settings": settings,
        "constants": _CONSTANTS | {"level": level},
    }


def _link(path: Path, folder: Path) -> str:
    return os.path.relpath(path, folder)


def _plain(value: Any) -> Any:
    """Named tuples as mappings, and NaN as None."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: _plain(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and np.isnan(value) else value
