"""Measure the docstrings planted in a pretrained model, seen and unseen, under each twin."""

from pathlib import Path

from mechaware.instruments.radar.evidence.evidence import write_evidence
from mechaware.instruments.radar.evidence.measuring import MeasurementSettings
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.feature_extraction.measurements import Reduction
from mechaware.instruments.radar.prompts import read_prompts
from mechaware.models.devices import Device, device_named
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.planted.natural.measuring import measure_texts
from mechaware.planted.natural.planting import read_planted_texts
from scripts.command import Output


def main(
    *,
    twins: list[Path],
    base: Path,
    planted: Path,
    prompts: Path,
    attention_entropy_reduction: Reduction,
    specialised_head_entropy: float,
    detector_samples: int,
    tokens_per_batch: int,
    device: Device,
    seeds: list[int],
    evidence: list[Output],
) -> None:
    """Write the evidence of the items of `planted`, a file for each twin.

    `seeds` and `evidence` are in the order of `twins`. The reference model is the pretrained model
    `base`, from which both twins were trained. RADAR is fitted on `prompts`.
    """

    def load(folder: Path) -> TokenisedModel:
        model = load_model(folder, device_named(device))
        return TokenisedModel(model, load_tokenizer(folder), tokens_per_batch)

    texts = read_planted_texts(planted)
    reference = load(base)
    fitting = read_prompts(prompts)
    for folder, seed, out in zip(twins, seeds, evidence, strict=True):
        settings = MeasurementSettings(
            attention_entropy_reduction,
            specialised_head_entropy,
            samples=detector_samples,
            seed=seed,
        )
        write_evidence(measure_texts(load(folder), reference, texts, fitting, settings), out)
