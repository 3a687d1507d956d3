"""What the page of a task shows besides its tables: shares by block, and maps of the residual stream and of heads."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).parent / "templates"  # has reads.html.j2
# Of the positions of the residual map (`names.POSITIONS`).
_LABELS = {
    "schema word": "exchanged word",
    "its type": "next",
    "next token": "next but one",
    "last but one": "last but one",
    "final": "last",
}
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
    recovered = _shares_by_block(blocks, "denoise")
    removed = _shares_by_block(blocks, "noise")
    strongest = sorted(recovered, key=lambda block: -recovered[block])[:_STRONGEST]

    medians = {(row["position"], row["layer"]): row["recovered"] for row in residual_map}
    layers = sorted({layer for _, layer in medians})
    residual_rows = {}
    for position, label in _LABELS.items():
        residual_rows[label] = [medians[position, layer] for layer in layers]

    shown_answers = []
    for answer in answers:
        shown = dict(answer)
        for name in ("wanted", "answer", "likeliest"):
            shown[name] = repr(answer[name]) if answer[name] else ""
        shown_answers.append(shown)
    return {
        "answers": shown_answers,
        "components": component_values(components) if components else None,
        "recovered": recovered,
        "removed": removed,
        "strongest": strongest,
        "layers": layers,
        "map": residual_rows,
    }


def _shares_by_block(blocks: Sequence[Mapping[str, Any]], mode: str) -> dict[str, float]:
    """The share of each single block in a mode (`denoise` or `noise`)."""
    shares = {}
    for row in blocks:
        is_block = row["block"].isdigit()  # not the interaction
        if is_block and row["mode"] == mode:
            shares[row["block"]] = row["share"]
    return shares


def component_values(components: Mapping[str, Any]) -> dict[str, Any]:
    """The map of heads and MLPs, and the table of the patched ones; shares are parts of the gap.

    `cells`: column and row (from 0) in the map, whose last column are the MLPs, strength (0 to 1, of the largest share)
    and share. `patched`: name and both shares, in the order of attribution.
    """
    scores = components["scores"]
    gap = components["gap"]
    n_columns = 1 + max(row["head"] or 0 for row in scores)
    shares = [row["attribution"] / gap for row in scores]
    largest = max(abs(share) for share in shares) or 1.0

    cells = []
    for row, share in zip(scores, shares, strict=True):
        column = n_columns if row["head"] is None else row["head"]
        cell = {
            "name": component_name(row),
            "column": column - 1,
            "row": row["block"] - 1,
            "strength": abs(share) / largest,
            "share": share,
        }
        cells.append(cell)

    patched = []
    for row in sorted(scores, key=lambda row: -abs(row["attribution"])):
        if row["patched"] is not None:
            both_shares = {
                "name": component_name(row),
                "attribution": row["attribution"] / gap,
                "patched": row["patched"] / gap,
            }
            patched.append(both_shares)
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
