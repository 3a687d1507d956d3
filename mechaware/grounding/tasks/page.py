"""Draws the page of a task: one HTML file that needs no other."""

from pathlib import Path

from mechaware.grounding.measuring import POSITIONS
from mechaware.grounding.tasks.verdict import TaskVerdict
from mechaware.pages import page_template

_LABELS = dict(zip(POSITIONS, ("exchanged word", "next", "next but one", "last but one", "last"), strict=True))


def render_page(name: str, model: str, verdict: TaskVerdict) -> str:
    """The page of the task `name` under a model; the user's texts are escaped."""
    recovered, removed = (
        {row["block"]: row["share"] for row in verdict.blocks if row["mode"] == mode and row["block"].isdigit()}
        for mode in ("denoise", "noise")
    )
    medians = {(row["position"], row["layer"]): row["recovered"] for row in verdict.residual_map}
    layers = sorted({layer for _, layer in medians})
    return page_template(Path(__file__).parent / "templates/task.html.j2").render(
        name=name,
        model=model,
        verdict=verdict,
        recovered=recovered,
        removed=removed,
        strongest=sorted(recovered, key=lambda block: -recovered[block])[:5],
        layers=layers,
        map={label: [medians[position, layer] for layer in layers] for position, label in _LABELS.items()},
    )
