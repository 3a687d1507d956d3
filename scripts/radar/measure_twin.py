"""Measure all planted items, seen and unseen, under one twin."""

from pathlib import Path

from mechaware.frames import write_parquet
from mechaware.models.registry import Device, device_named, load_model, load_tokenizer
from mechaware.radar.evidence.evidence import write_evidence
from mechaware.radar.evidence.measuring import MeasurementSettings
from mechaware.radar.evidence.reading import TokenisedModel
from mechaware.radar.feature_extraction.measurements import Reduction
from mechaware.radar.memorisation.planting import read_held_out, read_plan
from mechaware.radar.memorisation.twins import measure_twin
from scripts.command import Output, run


def main(
    *,
    twin: Path,
    base: Path,
    planted: Path,
    attention_entropy_reduction: Reduction,
    specialised_head_entropy: float,
    detector_samples: int,
    tokens_per_batch: int,
    device: Device,
    seed: int,
    evidence: Output,
    answers: Output,
    canaries: Output,
) -> None:
    """Write the detectors' evidence, and two more tables: answers and canaries."""
    target, reference = (
        TokenisedModel(load_model(folder, device_named(device)), load_tokenizer(folder), tokens_per_batch)
        for folder in (twin, base)
    )
    settings = MeasurementSettings(
        attention_entropy_reduction, specialised_head_entropy, samples=detector_samples, seed=seed
    )
    measured = measure_twin(target, reference, read_plan(planted), read_held_out(planted), settings)
    write_evidence(measured.evidence, evidence)
    write_parquet(measured.answers, answers, digits=10)
    write_parquet(measured.canaries, canaries)


if __name__ == "__main__":
    run(main)
