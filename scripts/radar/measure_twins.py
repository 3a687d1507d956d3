"""Measure all planted items, seen and unseen, under each twin."""

from pathlib import Path

from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.evidence.evidence import write_evidence
from mechaware.instruments.radar.evidence.measuring import MeasurementSettings
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.feature_extraction.measurements import Reduction
from mechaware.models.devices import Device, device_named
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.planted.twins.planted_files import read_held_out, read_plan
from mechaware.planted.twins.twins import measure_twin
from scripts.command import Output


def main(
    *,
    twins: list[Path],
    base: Path,
    planted: Path,
    attention_entropy_reduction: Reduction,
    specialised_head_entropy: float,
    detector_samples: int,
    tokens_per_batch: int,
    device: Device,
    seeds: list[int],
    evidence: list[Output],
    answers: list[Output],
    canaries: list[Output],
) -> None:
    """Write each twin's evidence for detectors, its answers and its canaries (`TwinMeasurements`).

    Every list has one entry per twin, in the order of `twins`. `base` is the reference model.
    """

    def read(folder: Path) -> TokenisedModel:
        network = load_model(folder, device_named(device))
        return TokenisedModel(network, load_tokenizer(folder), tokens_per_batch)

    reference = read(base)
    plan = read_plan(planted)
    held_out = read_held_out(planted)
    by_twin = zip(twins, seeds, evidence, answers, canaries, strict=True)
    for folder, seed, evidence_file, answers_file, canaries_file in by_twin:
        settings = MeasurementSettings(
            attention_entropy_reduction,
            specialised_head_entropy,
            samples=detector_samples,
            seed=seed,
        )
        measured = measure_twin(read(folder), reference, plan, held_out, settings)
        write_evidence(measured.evidence, evidence_file)
        write_parquet(measured.answers, answers_file, digits=10)
        write_parquet(measured.canaries, canaries_file)
