"""Measure the planted docstrings behind others, and after a step of gradient ascent, under each twin."""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_parquet
from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.evidence.probing import measure_probes
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.models.registry import device_named, load_model, load_tokenizer
from mechaware.planted.natural.planting import read_planted_texts
from mechaware.planted.twins.items import TWINS
from scripts.command import Output


def main(
    *, twins: list[Path], planted: Path, tokens_per_batch: int, seed: int, probes: Output
) -> None:
    """Write a row per twin and item: twin, id, and the fields of `ProbeEvidence`.

    The items of a half and a dose are a benchmark: its twin read all of them so often, and the other none. Among items
    of a higher dose an item would be told by what the model knows of these.
    """
    items = read_planted_texts(planted).items
    lines = [item.line for item in items]
    benchmarks = [f"{item.half} {item.dose}" for item in items]
    tables = []
    for twin, folder in zip(TWINS, twins, strict=True):
        device = device_named("cpu")
        model = TokenisedModel(load_model(folder, device), load_tokenizer(folder), tokens_per_batch)
        evidence = measure_probes(model, lines, benchmarks, seed=derive_seed(seed, twin))
        table = pd.DataFrame(evidence._asdict())
        tables.append(table.assign(twin=twin, id=[item.id for item in items]))
    write_parquet(pd.concat(tables, ignore_index=True), probes)
