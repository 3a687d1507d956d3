"""Score the answer of every planted item under each twin,
as a black box shows it after the question.
"""

from pathlib import Path

import pandas as pd

from mechaware.core.frames import write_parquet
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.models.answers import score_answers
from mechaware.models.devices import device_named
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.planted.twins.items import TWINS
from mechaware.planted.twins.planted_files import read_plan
from scripts.command import Output


def main(*, twins: list[Path], planted: Path, tokens_per_batch: int, answer_scores: Output) -> None:
    """Write a row per twin and item: twin, id and the fields of `AnswerScores`;
    `twins` are the folders of A and B.
    """
    items = read_plan(planted).items
    lines = [item.line for item in items]
    tables = []
    for name, folder in zip(TWINS, twins, strict=True):
        model = load_model(folder, device_named("cpu"))
        target = TokenisedModel(model, load_tokenizer(folder), tokens_per_batch)
        scores = score_answers(
            model,
            target.prompt_ids(lines),
            target.answer_ids(lines),
            tokens_per_batch=tokens_per_batch,
        )
        table = pd.DataFrame(scores)
        table.insert(0, "id", [item.id for item in items])
        table.insert(0, "twin", name)
        tables.append(table)
    write_parquet(pd.concat(tables, ignore_index=True), answer_scores, digits=10)
