"""Measure the items of a suspected benchmark under a model."""

from pathlib import Path
from typing import Literal

from mechaware.models.registry import default_device, load_model, load_tokenizer
from mechaware.radar.evidence.folder import write_evidence
from mechaware.radar.evidence.measuring import Measuring
from mechaware.radar.evidence.reading import TokenisedModel
from mechaware.radar.prompts import read_prompts
from mechaware.radar.suspected.benchmark import read_benchmark, read_prefix
from mechaware.radar.suspected.measuring import Prefixes, measure_benchmark
from scripts.command import Output, run


def main(
    *,
    items: Path,
    model: Path,
    reference: list[Path],
    unseen: list[Path],
    seen: list[Path],
    prompts: Path,
    reduction: Literal["sum", "mean"],
    specialised_head_entropy: float,
    samples: int,
    tokens_per_batch: int,
    seed: int,
    out: Output,
) -> None:
    """Write the detectors' evidence to a folder; `reference`, `unseen` and `seen` are one path each, or none."""
    target, *others = (
        TokenisedModel(load_model(folder, default_device()), load_tokenizer(folder), tokens_per_batch)
        for folder in (model, *reference)
    )
    evidence = measure_benchmark(
        target,
        read_benchmark(items),
        read_prompts(prompts),
        Measuring(reduction=reduction, specialised_head_entropy=specialised_head_entropy, samples=samples, seed=seed),
        reference=next(iter(others), None),
        prefixes=Prefixes(*(next(map(read_prefix, paths), None) for paths in (unseen, seen))),
    )
    write_evidence(evidence, out)


if __name__ == "__main__":
    run(main)
