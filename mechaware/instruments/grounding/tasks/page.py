"""What the page of a task shows beside its tables: shares by block, and maps of the residual stream and of heads."""

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
    components: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The names that the template uses, from the shares by block, the residual map, the answers and the components.

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
        "components": component_values(components) if components else None,
        "recovered": recovered,
        "removed": removed,
        "strongest": sorted(recovered, key=lambda block: -recovered[block])[:_STRONGEST],
        "layers": layers,
        "map": {
            label: [medians[position, layer] for layer in layers]
            for position, label in _LABELS.items()
        },
    }


def component_values(components: Mapping[str, Any]) -> dict[str, Any]:
    """The map of heads and MLPs, and the rows of those that were patched; shares are parts of the gap.

    `cells`: column and row (from 0) in the map, whose last column are the MLPs, strength (0 to 1, of the largest share)
    and share. `patched`: name and both shares, in the order of attribution.
    """
    scores, gap = components["scores"], components["gap"]
    n_columns = 1 + max(row["head"] or 0 for row in scores)
    shares = [row["attribution"] / gap for row in scores]
    largest = max(map(abs, shares)) or 1.0
    cells = []
    for row, share in zip(scores, shares, strict=True):
        column = n_columns if row["head"] is None else row["head"]
        cells.append(
            {
                "name": component_name(row),
                "column": column - 1,
                "row": row["block"] - 1,
                "strength": abs(share) / largest,
                "share": share,
            }
        )
    patched = [
        {
            "name": component_name(row),
            "attribution": row["attribution"] / gap,
            "patched": row["patched"] / gap,
        }
        for row in sorted(scores, key=lambda row: -abs(row["attribution"]))
        if row["patched"] is not None
    ]
    return {
        "cells": cells,
        "patched": patched,
        "n_columns": n_columns,
        "n_rows": max(row["block"] for row in scores),
    }


def component_name(row: Mapping[str, Any]) -> str:
    """A component's name on the page."""
    if row["head"] is None:
        return f"MLP of block {row['block']}"
    return f"head {row['head']} of block {row['block']}"
