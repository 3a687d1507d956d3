"""Score the verdicts on models whose mechanism the user knows."""

import json
from pathlib import Path

from mechaware.core.files import atomic_write
from mechaware.core.frames import write_csv
from mechaware.verdicts.known import score_known
from scripts.command import Output


def main(
    *,
    verdicts: list[Path],
    names: list[str],
    reads: list[bool],
    blocks: list[str],
    confidence_level: float,
    controls: Output,
    rates: Output,
    lines: Output,
) -> None:
    """Write the tables `controls` and `rates` of `score_known`, and its `lines`.

    `snakemake pairs` prints the lines last. Each of `verdicts` is on a control, a model whose
    mechanism the user knows. In the order of `verdicts`:

    - `names`: the names of the controls' tasks
    - `reads`: whether the control reads the exchanged word
    - `blocks`: the blocks that read it, such as "1 3", or "unknown"
    """
    records = {}
    known_blocks = {}
    for verdict, name, read_blocks in zip(verdicts, names, blocks, strict=True):
        records[name] = json.loads(verdict.read_text(encoding="utf-8"))
        if read_blocks != "unknown":
            known_blocks[name] = [int(block) for block in read_blocks.split()]

    known_reads = dict(zip(names, reads, strict=True))
    scores = score_known(records, known_reads, known_blocks, confidence_level=confidence_level)
    write_csv(scores.controls, controls)
    write_csv(scores.rates, rates)
    with atomic_write(lines) as partial:
        partial.write_text("".join(f"{line}\n" for line in scores.lines), encoding="utf-8")
