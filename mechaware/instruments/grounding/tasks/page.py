"""The values on a task's page: answers, shares by block, maps of the residual stream and heads."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

TEMPLATES = Path(__file__).parent / "templates"  # has reads.html.j2
# The page's names of the positions in the residual map (`names.POSITIONS`).
_LABELS = {
    "schema word": "exchanged word",
    "its type": "next",
    "next token": "next but one",
    "last but one": "last but one",
    "final": "last",
}
_STRONGEST = 5  # the number of blocks whose shares are given in words


def page_values(
    blocks: Sequence[Mapping[str, Any]],
    residual_map: Sequence[Mapping[str, Any]],
    answers: Sequence[Mapping[str, Any]],
    components: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The values of the template `reads.html.j2`, from the records of a task's verdict.

    Args:
        blocks: The rows of `profiles.cut_profile`.
        residual_map: The rows of `profiles.map_profile`, of one run.
        answers: Rows of the table of answers.
        components: The fields of `ComponentTables`, its `scores` as rows.

    Returns:
        - answers: the rows, with answers and tokens as Python literals, which show spaces and line
          feeds.
        - components: `component_values`; None without components.
        - recovered, removed: the share of each block by its name, denoised and noised.
        - strongest: the blocks that recover the largest shares, in descending order.
        - layers, and map: the share at each of these layers, by the page's name of a position.
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
    for row in answers:
        shown = dict(row)
        for column in ("wanted", "answer", "likeliest"):
            shown[column] = repr(row[column]) if row[column] else ""
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
    """The share of each single block in a mode (`denoise` or `noise`); without the interaction."""
    shares = {}
    for row in blocks:
        is_block = row["block"].isdigit()
        if is_block and row["mode"] == mode:
            shares[row["block"]] = row["share"]
    return shares


def component_values(components: Mapping[str, Any]) -> dict[str, Any]:
    """The map of heads and MLPs, and the table of those that were patched.

    A share is attribution / gap or patched / gap (`ComponentTables`).

    - `cells`: for each component its name; column and row in the map, from 0, where a row is a
      block and the MLPs are the last column; share, of its attribution; and strength, which is
      |share| divided by the largest |share|.
    - `patched`: name and both shares of each patched component, from the largest |attribution| on.
    - `n_columns`, `n_rows`: the size of the map.
    """
    scores = components["scores"]
    gap = components["gap"]
    # One for each head, and one for the MLPs, which have no head.
    n_columns = 1 + max(row["head"] or 0 for row in scores)
    shares = [row["attribution"] / gap for row in scores]
    largest = max(abs(share) for share in shares) or 1.0

    cells = []
    for row, share in zip(scores, shares, strict=True):
        number = n_columns if row["head"] is None else row["head"]
        cell = {
            "name": component_name(row),
            "column": number - 1,
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
    """A component's name on the page, from its row of `ComponentTables.scores`."""
    if row["head"] is None:
        return f"MLP of block {row['block']}"
    return f"head {row['head']} of block {row['block']}"
