"""RADAR's tables from numbers written by hand."""

from pathlib import Path

import pandas as pd

from mechaware.frames import read_parquets, write_parquet
from mechaware.radar.identity import with_origin
from mechaware.radar.study.summaries import count_answers
from mechaware.radar.tables import radar_answers
from mechaware.report.tables import save_table

ANSWERS = pd.DataFrame(
    {"id": ["a", "b"], "label": "recall", "decoded": ["7", ""], "has_answer": True, "right": [True, False]}
)
PREDICTIONS = pd.DataFrame({"id": ["a", "b"], "predicted": ["recall", "reasoning"]})


def test_the_answers_table_sets_the_verdicts_beside_the_answers() -> None:
    counts = with_origin(count_answers(ANSWERS, PREDICTIONS, level=0.95), "m", "mine")
    (row,) = radar_answers.fill(counts=counts, model_labels={"m": "Model"}).shown.to_dict("records")
    assert list(row.values())[:7] == ["Model", "mine", "recall", "2", "1", "1", "50.0 (1.3 to 98.7)"]
    assert (row["Recall if right"], row["Recall if not"]) == ("1 of 1", "0 of 1")


def test_a_run_without_accepted_answers_has_an_empty_answers_table(tmp_path: Path) -> None:
    counts = count_answers(ANSWERS.assign(has_answer=False), PREDICTIONS, level=0.95)
    write_parquet(with_origin(counts, "m", "mine"), tmp_path / "counts.parquet")
    read = read_parquets([tmp_path / "counts.parquet"])
    table = radar_answers.fill(counts=read, model_labels={"m": "Model"})
    save_table(table, tmp_path / "t.csv", shown=tmp_path / "shown.csv", tex=tmp_path / "t.tex")
    assert (tmp_path / "shown.csv").read_text().startswith("Model,Prompts,Label,With answer")
