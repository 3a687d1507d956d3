"""Measure the items of a suspected benchmark under a model."""

import sys
from pathlib import Path
from typing import Any

from mechaware.core.files import atomic_write
from mechaware.instruments.radar.benchmark import read_benchmark
from mechaware.instruments.radar.evidence.evidence import write_evidence
from mechaware.instruments.radar.evidence.measuring import MeasurementSettings
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.feature_extraction.measurements import Reduction
from mechaware.instruments.radar.prefix import read_prefix
from mechaware.instruments.radar.prompts import read_prompts
from mechaware.instruments.radar.verdicts.suspected import measure_benchmark
from mechaware.models.devices import default_device
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.settings import DEFAULTS, ModelSettings
from mechaware.models.tokenisation.start import StartToken
from scripts.command import Output


def main(
    *,
    questions: Path,
    control: list[Path],
    model: Path,
    reference: list[Path],
    unseen: list[Path],
    seen: list[Path],
    prompts: Path,
    attention_entropy_reduction: Reduction,
    specialised_head_entropy: float,
    optional_evidence: list[str],
    detector_samples: int,
    tokens_per_batch: int,
    start_token: StartToken,
    skip_faulty: bool,
    settings: ModelSettings = DEFAULTS,
    reference_settings: ModelSettings = DEFAULTS,
    seed: int,
    evidence: Output,
    notes: Output,
) -> None:
    """Write the detectors' evidence; `control`, `reference`, `unseen` and `seen` are one path each,
    or none.

    A `reference` that is `model` itself is loaded without its adapter. Of the fields that may be
    left out, those in `optional_evidence` are measured. `notes` are the lines that the verdict's
    page shows, about items that were skipped and how texts were read.
    """
    reading: dict[str, Any] = {"tokens_per_batch": tokens_per_batch, "start": start_token}
    target = _load(model, settings, **reading)
    note_lines: list[str] = []
    reference_model = None
    for folder in reference:
        is_target = folder == model
        reference_model = _load(folder, reference_settings, with_adapter=not is_target, **reading)
        if is_target:
            note_lines.append("the reference model is the model without its adapter")

    measurement = MeasurementSettings(
        attention_entropy_reduction,
        specialised_head_entropy,
        samples=detector_samples,
        seed=seed,
    )
    benchmark = read_benchmark(questions, skip_faulty=skip_faulty)
    control_items = read_benchmark(control[0], skip_faulty=skip_faulty) if control else None
    measured = measure_benchmark(
        target,
        benchmark,
        read_prompts(prompts),
        measurement,
        optional=optional_evidence,
        control=control_items,
        reference=reference_model,
        unseen=read_prefix(unseen[0]) if unseen else None,
        seen=read_prefix(seen[0]) if seen else None,
        report=note_lines.append,
    )
    _write_notes(note_lines, notes)
    write_evidence(measured, evidence)


def _load(
    folder: Path,
    settings: ModelSettings,
    *,
    tokens_per_batch: int,
    start: StartToken,
    with_adapter: bool = True,
) -> TokenisedModel:
    """The model in a folder and its tokenizer, by the model's settings;
    `start` is the `start_token` of `main`.
    """
    model = load_model(folder, default_device(), settings, with_adapter=with_adapter)
    tokenizer = load_tokenizer(folder)
    return TokenisedModel(model, tokenizer, tokens_per_batch, start, template=settings.template)


def _write_notes(lines: list[str], notes: Path) -> None:
    """Write the lines to the file, and to the log of the job."""
    text = "".join(f"{line}\n" for line in lines)
    print(text, end="", file=sys.stderr)
    with atomic_write(notes) as partial:
        partial.write_text(text, encoding="utf-8")
