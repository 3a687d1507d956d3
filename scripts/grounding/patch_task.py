"""Patch a model on a task's pairs, reach the verdict, and draw its page."""

import json
from pathlib import Path

from mechaware.files import atomic_write
from mechaware.grounding.data.pairs import read_pairs
from mechaware.grounding.measuring import measure_pairs
from mechaware.grounding.rules import Thresholds, significance_at
from mechaware.grounding.rules.registry import further_rules
from mechaware.grounding.tasks.page import render_page
from mechaware.grounding.tasks.spacing import spacing_note
from mechaware.grounding.tasks.verdict import judge_task
from mechaware.models.registry import default_device, load_model, load_tokenizer
from scripts.command import Output


def main(
    *,
    name: str,
    label: str,
    table: Path,
    model: Path,
    calibration: Path,
    own_rules: list[str],
    tau: float,
    alpha: float,
    null_quantile: float,
    unasked_share: float,
    verdict_share: float,
    confidence_level: float,
    bootstrap_resamples: int,
    tokens_per_batch: int,
    seed: int,
    verdict: Output,
    page: Output,
    lines: Output,
) -> None:
    """Write the verdict as JSON, as a page, and as the `lines` that `snakemake pairs` ends with."""
    loaded = load_model(model, default_device())
    tokenizer = load_tokenizer(model)
    pairs = read_pairs(table)
    measured = measure_pairs(loaded, tokenizer, pairs, table, tokens_per_batch=tokens_per_batch)
    reached = judge_task(
        measured,
        Thresholds(tau, alpha, null_quantile, unasked_share, significance_at(confidence_level)),
        calibration,
        own=further_rules(own_rules),
        note=spacing_note(loaded, tokenizer, pairs, tokens_per_batch=tokens_per_batch),
        verdict_share=verdict_share,
        level=confidence_level,
        resamples=bootstrap_resamples,
        seed=seed,
    )
    note = f"note: {reached.note}\n" if reached.note else ""
    texts = {
        verdict: json.dumps(reached._asdict(), indent=1) + "\n",
        page: render_page(name, label, reached),
        lines: f"{name}: {reached.status}: {reached.reason}\n{note}open {page}\n",
    }
    for path, text in texts.items():
        with atomic_write(path) as partial:
            partial.write_text(text, encoding="utf-8")
