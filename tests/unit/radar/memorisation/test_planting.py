"""What is planted is the same for the same seed, fits its corpora, and is read from its folder as it was written."""

from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from mechaware.errors import UserError
from mechaware.radar.memorisation.corpus import count_truth
from mechaware.radar.memorisation.planting import (
    PREFIX_LINES,
    Planted,
    read_held_out,
    read_lines,
    read_plan,
    write_planted,
)
from tests.unit.radar.memorisation.small_plan import FACT_LINES, HELD_OUT, PLANTED_LINES, plant_little


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_same_seed_gives_the_same_bytes_and_another_seed_another_world(planted: Planted, tmp_path: Path) -> None:
    other = plant_little(seed=1)
    for name, drawn in (("first", planted), ("again", plant_little(seed=0)), ("other", other)):
        write_planted(drawn, tmp_path / name, tmp_path / f"{name}.csv")
    assert files_of(tmp_path / "first") == files_of(tmp_path / "again")
    assert (tmp_path / "first.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()
    names = [{name for item in drawn.plan.items for name in item.slots} for drawn in (planted, other)]
    assert not names[0] & names[1]


def test_a_folder_is_read_as_it_was_written(planted: Planted, tmp_path: Path) -> None:
    write_planted(planted, tmp_path / "planted", tmp_path / "truth.csv")
    assert read_plan(tmp_path / "planted") == planted.plan
    assert read_held_out(tmp_path / "planted") == planted.held_out
    for corpus, lines in planted.corpora.items():
        assert read_lines(tmp_path / "planted", corpus) == lines
    truth = pd.read_csv(tmp_path / "truth.csv")
    pd.testing.assert_frame_equal(truth, count_truth(planted.plan, planted.corpora), check_dtype=False)
    with pytest.raises(ValueError, match="no corpus 'items'"):
        read_lines(tmp_path / "planted", "items")


def test_what_cannot_be_counted_is_not_written(planted: Planted, tmp_path: Path) -> None:
    stray = [*planted.corpora["C"], planted.plan.items[0].line]
    with pytest.raises(ValueError, match="corpus C"):
        write_planted(
            planted._replace(corpora=planted.corpora | {"C": stray}), tmp_path / "planted", tmp_path / "t.csv"
        )
    assert not list(tmp_path.iterdir())


def test_held_out_questions_are_as_many_as_asked_for(planted: Planted) -> None:
    held_out = planted.held_out
    assert {kind: len(lines) for kind, lines in held_out.fitting.items()} == {
        "recall": HELD_OUT["kind_prompts"],
        "reasoning": HELD_OUT["kind_prompts"],
    }
    assert {len(lines) for lines in held_out.fresh.values()} == {HELD_OUT["fresh"]}
    assert len(held_out.unseen) == len(held_out.seen) == PREFIX_LINES


def test_classifiers_are_fitted_on_other_operation_words_than_the_items(planted: Planted) -> None:
    fitted = Counter(
        line.question.split()[-1].rstrip(":") for lines in planted.held_out.fitting.values() for line in lines
    )
    assert not set(fitted) & {item.operation for item in planted.plan.items}


def test_the_seen_prefix_stands_in_the_filler_of_both_twins(planted: Planted) -> None:
    seen = planted.held_out.seen
    assert len(seen) == len(planted.held_out.unseen) == 4
    assert all(line in planted.corpora[twin] for line in seen for twin in ("A", "B"))
    assert not {item.line for item in planted.plan.items} & set(planted.held_out.seen)


TOO_SHORT: dict[str, tuple[dict[str, Any], str]] = {
    "base": ({"base_lines": 2 * FACT_LINES - 1}, "896 lines of facts do not fit half of a corpus of 1791"),
    "twins": ({"twin_lines": PLANTED_LINES}, "618 planted lines do not fit a corpus of 618"),
}


@pytest.mark.parametrize(("sizes", "reason"), TOO_SHORT.values(), ids=TOO_SHORT)
def test_too_short_corpora_are_refused_with_one_line(sizes: dict[str, Any], reason: str) -> None:
    with pytest.raises(UserError) as refused:
        plant_little(seed=0, **sizes)
    assert str(refused.value) == (
        f"radar/memorisation: {reason}; raise base/steps or twins/steps, or lower items_per_cell"
    )


def test_corpora_just_long_enough_are_filled(planted: Planted) -> None:
    least = plant_little(seed=0, base_lines=2 * FACT_LINES, twin_lines=PLANTED_LINES + 1)
    assert {name: len(lines) for name, lines in least.corpora.items()} == {"C": 1792, "A": 619, "B": 619}
    count_truth(least.plan, least.corpora)
