"""Measure the planted docstrings under each twin, and score them by each of our detectors.

Each twin, A and B, has seen half of the docstrings and not the other half.
"""

from pathlib import Path

from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.evidence.evidence import write_evidence
from mechaware.instruments.radar.evidence.measuring import MeasurementSettings
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.feature_extraction.measurements import Reduction
from mechaware.instruments.radar.prompts import read_prompts
from mechaware.models.devices import device_named
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.planted.natural.measuring import measure_texts, score_planted_texts
from mechaware.planted.natural.planting import read_planted_texts
from mechaware.planted.twins.items import TWINS
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
    seeds: list[int],
    score_seed: int,
    evidence: list[Output],
    scores: Output,
) -> None:
    """Write the evidence of each twin, and a table of scores with a row per twin and docstring.

    Args:
        twins: The folders of the twins' models; this list, `seeds` and `evidence` have one entry
            for each of `TWINS`, in their order.
        base: The folder of the model that the twins continue: the detectors' reference model.
        planted: The folder of what was planted.
        prompts: The labelled prompts on which RADAR is fitted.
        attention_entropy_reduction: Whether RADAR sums or averages attention entropy.
        specialised_head_entropy: RADAR's threshold of a specialised head, in nats.
        detector_samples: The number of continuations drawn of each docstring, for CDD.
        tokens_per_batch: The most tokens of a pass, padding included.
        seeds: The seeds of the measurements.
        score_seed: The seed of the scores.
        evidence: The files of the twins' evidence.
        scores: The file of the scores.
    """

    def read(folder: Path) -> TokenisedModel:
        network = load_model(folder, device_named("cpu"))
        return TokenisedModel(network, load_tokenizer(folder), tokens_per_batch)

    planted_texts = read_planted_texts(planted)
    reference = read(base)
    fitting_prompts = read_prompts(prompts)
    measured = {}
    for twin, folder, seed, out in zip(TWINS, twins, seeds, evidence, strict=True):
        settings = MeasurementSettings(
            attention_entropy_reduction,
            specialised_head_entropy,
            samples=detector_samples,
            seed=seed,
        )
        measured[twin] = measure_texts(
            read(folder), reference, planted_texts, fitting_prompts, settings
        )
        write_evidence(measured[twin], out)

    table = score_planted_texts(measured, planted_texts, reference.tokenizer, seed=score_seed)
    write_parquet(table, scores)
