"""Measure all planted items, seen and unseen, under one twin."""

from pathlib import Path
from typing import Literal

from mechaware.frames import write_csv, write_parquet
from mechaware.models.registry import Device, device_named, load_model, load_tokenizer
from mechaware.radar.evidence.folder import write_evidence
from mechaware.radar.evidence.measuring import Measuring
from mechaware.radar.evidence.reading import TokenisedModel
from mechaware.radar.memorisation.planting import read_held_out, read_plan
from mechaware.radar.memorisation.twins import measure_twin
from scripts.command import Output, run


def main(
    *,
    twin: Path,
    base: Path,
    planted: Path,
    reduction: Literal["sum", "mean"],
    specialised_head_entropy: float,
    samples: int,
    causal_items: int,
    tokens_per_batch: int,
    device: Device,
    seed: int,
    evidence: Output,
    answers: Output,
    canaries: Output,
    causal: Output,
) -> None:
    """Write the detectors' evidence to a folder, and three tables: answers, canaries and causal features."""
    target, reference = (
        TokenisedModel(load_model(folder, device_named(device)), load_tokenizer(folder), tokens_per_batch)
        for folder in (twin, base)
    )
    settings = Measuring(
        reduction=reduction, specialised_head_entropy=specialised_head_entropy, samples=samples, seed=seed
    )
    measured = measure_twin(
        target, reference, read_plan(planted), read_held_out(planted), settings, causal_items=causal_items
    )
    write_evidence(measured.evidence, evidence)
    write_csv(measured.answers, answers)
    write_csv(measured.canaries, canaries)
    write_parquet(measured.causal, causal)


if __name__ == "__main__":
    run(main)
