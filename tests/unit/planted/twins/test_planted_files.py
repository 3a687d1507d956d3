"""The folder of what is planted: its counts, its bytes, and what is refused."""

from pathlib import Path

import pandas as pd
import pytest

from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.items import CONTRADICTED, TWINS, VERBATIM
from mechaware.planted.twins.planted_files import (
    read_held_out,
    read_lines,
    read_plan,
    write_planted,
)
from mechaware.planted.twins.planting import Planted
from tests.unit.planted.twins.small_plan import plant_little


def test_the_table_of_counts_has_each_item_in_its_twin_as_often_as_its_dose(
    planted: Planted, tmp_path: Path
) -> None:
    write_planted(planted, tmp_path / "planted", tmp_path / "truth.csv")
    truth = pd.read_csv(tmp_path / "truth.csv")
    assert truth["id"].tolist() == [item.id for item in planted.plan.items]
    for row, item in zip(truth.to_dict("records"), planted.plan.items, strict=True):
        assert row["kind"] == item.kind
        assert row["form"] == item.form
        assert row["dose"] == item.dose
        assert row["half"] == item.half
        is_verbatim = item.form in (VERBATIM, CONTRADICTED)
        for corpus in ("C", *TWINS):
            expected = item.dose if corpus == item.half else 0
            assert row[f"names_{corpus}"] == expected
            assert row[f"verbatim_{corpus}"] == (expected if is_verbatim else 0)


@pytest.mark.parametrize(
    ("corpus", "form", "message"),
    [
        pytest.param(
            "A",
            "{text}",
            "corpus A has its names 5 times, not 4, or its text 5",
            id="a fifth reading in its twin",
        ),
        pytest.param(
            "C",
            "See {names} there.",
            "corpus C has its names 1 times, not 0",
            id="its names in another sentence, in the base",
        ),
    ],
)
def test_what_is_not_as_planted_is_refused_and_not_written(
    planted: Planted, tmp_path: Path, corpus: str, form: str, message: str
) -> None:
    (item,) = [item for item in planted.plan.items if item.id == "recall-verbatim-4-000A"]
    text = form.format(text=item.line.text, names=", ".join(item.slots))
    lines = [*planted.corpora[corpus], QuestionAnswer("", text)]
    changed = planted._replace(corpora=planted.corpora | {corpus: lines})
    with pytest.raises(ValueError, match=f"item {item.id}: {message}"):
        write_planted(changed, tmp_path / "planted", tmp_path / "t.csv")
    assert not list(tmp_path.iterdir())


def bytes_by_name(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_same_seed_gives_the_same_bytes(planted: Planted, tmp_path: Path) -> None:
    write_planted(planted, tmp_path / "first", tmp_path / "first.csv")
    write_planted(plant_little(seed=0), tmp_path / "again", tmp_path / "again.csv")
    assert bytes_by_name(tmp_path / "first") == bytes_by_name(tmp_path / "again")
    assert (tmp_path / "first.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()


def test_a_folder_is_read_as_it_was_written(planted: Planted, tmp_path: Path) -> None:
    write_planted(planted, tmp_path / "planted", tmp_path / "truth.csv")
    assert read_plan(tmp_path / "planted") == planted.plan
    assert read_held_out(tmp_path / "planted") == planted.held_out
    for corpus, lines in planted.corpora.items():
        assert read_lines(tmp_path / "planted", corpus) == lines
    with pytest.raises(ValueError, match="no corpus 'items'"):
        read_lines(tmp_path / "planted", "items")
