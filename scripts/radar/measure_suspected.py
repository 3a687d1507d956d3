"""Measure the items of a suspected benchmark under a model: the evidence that detectors read."""

import sys
from pathlib import Path

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
    """Write the evidence of the items, and notes on how they were read.

    Args:
        questions: The items of the benchmark.
        control: Items that the model cannot have seen: one file, or none.
        model: The folder of the model in question.
        reference: The folder of a model that has not seen the items, or none. If it is `model`
            itself, it is loaded without its adapter.
        unseen: A file of texts that the model has not seen, for detectors that put them before each
            item; or none.
        seen: Likewise, texts that the model has seen.
        prompts: The labelled prompts on which RADAR is fitted.
        attention_entropy_reduction: Whether RADAR sums or averages attention entropy.
        specialised_head_entropy: RADAR's threshold of a specialised head, in nats.
        optional_evidence: The fields of `OPTIONAL_FIELDS` that are measured.
        detector_samples: The number of continuations drawn of each item, for CDD.
        tokens_per_batch: The most tokens of a pass, padding included.
        start_token: Whether a text begins with a start token (`start_ids`).
        skip_faulty: Whether items that cannot be read are left out; otherwise they are refused.
        settings: How the model is loaded and asked.
        reference_settings: How the reference model is loaded and asked.
        seed: The seed of all draws.
        evidence: The file of the evidence.
        notes: The lines that the verdict's page shows, about items that were skipped and how texts
            were read.
    """
    target = _load(model, settings, tokens_per_batch=tokens_per_batch, start=start_token)
    note_lines: list[str] = []
    reference_model = None
    # One folder, or none.
    for folder in reference:
        is_target = folder == model
        reference_model = _load(
            folder,
            reference_settings,
            tokens_per_batch=tokens_per_batch,
            start=start_token,
            with_adapter=not is_target,
        )
        if is_target:
            note_lines.append("the reference model is the model without its adapter")

    measurement_settings = MeasurementSettings(
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
        measurement_settings,
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
    """The model in a folder with its tokenizer, loaded and asked by `settings`.

    `start` is the `start_token` of `main`.
    """
    model = load_model(folder, default_device(), settings, with_adapter=with_adapter)
    tokenizer = load_tokenizer(folder)
    return TokenisedModel(model, tokenizer, tokens_per_batch, start, template=settings.template)


def _write_notes(lines: list[str], notes: Path) -> None:
    """Write the lines to the file `notes`, and to stderr, which is the log of the job."""
    text = "".join(f"{line}\n" for line in lines)
    print(text, end="", file=sys.stderr)
    with atomic_write(notes) as partial:
        partial.write_text(text, encoding="utf-8")
