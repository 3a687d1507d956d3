"""Score the planted items of both twins of every seed by the detectors of the user's own package."""

from pathlib import Path

import pandas as pd

from mechaware.frames import write_parquet
from mechaware.models.registry import load_tokenizer
from mechaware.radar.detectors.registry import all_detectors, score_items
from mechaware.radar.evidence.evidence import read_evidence
from mechaware.radar.evidence.measuring import count_tokens
from mechaware.radar.memorisation.items import TWINS
from mechaware.radar.memorisation.planting import read_lines, read_plan
from mechaware.radar.memorisation.scoring import planted_rows
from scripts.command import Output, run


def main(
    *,
    planted: list[Path],
    bases: list[Path],
    evidence: list[Path],
    own_detectors: list[str],
    seed: int,
    scores: Output,
) -> None:
    """Write one row per seed, twin and item, and a column per detector; twin A's evidence comes before twin B's."""
    own, files, tables = all_detectors(own_detectors)[-len(own_detectors) :], iter(evidence), []
    for folder, base in zip(planted, bases, strict=True):
        texts = {name: [line.text for line in read_lines(folder, name)] for name in ("C", *TWINS)}
        rows, measured = planted_rows(
            {twin: read_evidence(next(files)) for twin in TWINS},
            read_plan(folder).items,
            {twin: texts["C"] + texts[twin] for twin in TWINS},
            count_tokens(texts["C"], load_tokenizer(base)),
        )
        scored = score_items(measured._replace(seen=rows["seen"].to_numpy(bool)), own, seed=seed)
        tables.append(pd.concat([rows[["twin", "id"]], scored], axis=1).assign(group=folder.parent.name))
    write_parquet(pd.concat(tables, ignore_index=True), scores)


if __name__ == "__main__":
    run(main)
