"""What the page of a task shows beside its tables: the shares by block, and the map of the residual stream."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mechaware.instruments.grounding.names import POSITIONS

TEMPLATES = Path(__file__).parent / "templates"  # has reads.html.j2
_LABELS = dict(
    zip(POSITIONS, ("exchanged word", "next", "next but one", "last but one", "last"), strict=True)
)
_STRONGEST = 5  # blocks that are named


def page_values(
    blocks: Sequence[Mapping[str, Any]],
    residual_map: Sequence[Mapping[str, Any]],
    answers: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """The names that the template uses, from the shares by block, the residual map and the answers.

    Answers and tokens are written as Python literals, which show spaces and line feeds.
    """
    recovered, removed = (
        {
            row["block"]: row["share"]
            for row in blocks
            if row["mode"] == mode and row["block"].isdigit()
        }
        for mode in ("denoise", "noise")
    )
    medians = {(row["position"], row["layer"]): row["recovered"] for row in residual_map}
    layers = sorted({layer for _, layer in medians})
    literals = [
        row
        | {name: repr(row[name]) if row[name] else "" for name in ("wanted", "answer", "likeliest")}
        for row in map(dict, answers)
    ]
    return {
        "answers": literals,
        "recovered": recovered,
        "removed": removed,
        "strongest": sorted(recovered, key=lambda block: -recovered[block])[:_STRONGEST],
        "layers": layers,
        "map": {
            label: [medians[position, layer] for layer in layers]
            for position, label in _LABELS.items()
        },
    }
