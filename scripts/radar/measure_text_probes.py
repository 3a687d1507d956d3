"""Measure the evidence of the probing detectors on the planted docstrings, under each twin."""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_parquet
from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.evidence.probes import probe_table
from mechaware.instruments.radar.evidence.probing import measure_probes
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.devices import device_named
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.planted.natural.corpus import Passage
from mechaware.planted.natural.planting import draw_unread, read_planted_texts
from mechaware.planted.twins.items import TWINS
from scripts.command import Output

UNREAD_TEXTS = 64  # a copy of each twin is fine-tuned on this many texts


def main(
    *,
    twins: list[Path],
    planted: Path,
    passages: Path,
    tokens_per_batch: int,
    seed: int,
    probes: Output,
) -> None:
    """Write a row per twin and item: twin, id, and the fields of `ProbeEvidence`.

    `twins` are the models' folders, in the order of `TWINS`. A copy of each twin is fine-tuned on
    the same passages, which are not items and which neither twin nor the clean base has read.

    The items of one half and one dose form one benchmark: one twin read each of them `dose` times,
    the other read none. Each item is also scored after other items of its benchmark. Were doses
    mixed, those could have a higher dose, and what the model knows of them would show in the
    item's score.
    """
    drawn = read_planted_texts(planted)
    rows = pd.read_parquet(passages)[list(Passage._fields)]
    unread = draw_unread(
        [Passage(*row) for row in rows.itertuples(index=False, name=None)],
        drawn,
        UNREAD_TEXTS,
        seed=derive_seed(seed, "unread"),
    )
    unread_lines = [QuestionAnswer("", text) for text in unread]

    items = drawn.items
    lines = [item.line for item in items]
    benchmarks = [f"{item.half} {item.dose}" for item in items]
    device = device_named("cpu")
    tables = []
    for twin, folder in zip(TWINS, twins, strict=True):
        model = TokenisedModel(load_model(folder, device), load_tokenizer(folder), tokens_per_batch)
        evidence = measure_probes(
            model, lines, benchmarks, unread_lines, seed=derive_seed(seed, twin)
        )
        tables.append(probe_table(evidence).assign(twin=twin, id=[item.id for item in items]))
    write_parquet(pd.concat(tables, ignore_index=True), probes)
