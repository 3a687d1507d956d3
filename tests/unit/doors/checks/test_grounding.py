"""Tasks, rules, numbers and words of the grounding study."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.doors.checks.checked_configs import checked, refusal

PAIRS = "pair,prompt,text,wanted,against,options\n" + "".join(
    f"{pair},clean,Bob and Ann met. Bob saw, Ann, Bob, Ann| Bob\n"
    f"{pair},corrupted,Bob and Ann met. Ann saw, Bob, Ann, Ann| Bob\n"
    for pair in ("one", "two")
)


def task(folder: Path, table: str, settings: Mapping[str, Any] | None = None) -> str:
    """A config with a task of these pairs, and further settings of its entry."""
    (folder / "pairs.csv").write_text(table)
    entry = {"table": "pairs.csv", "model": "gpt2", **(settings or {})}
    return yaml.safe_dump({"grounding": {"pairs": {"mine": entry}}})


def test_faulty_pairs_are_left_out_only_if_the_config_says_so(folder: Path) -> None:
    faulty = PAIRS.replace("two,corrupted,", "two,corupted,")
    assert refusal(folder, task(folder, faulty)).startswith(
        "pairs.csv, row 5: pair 'two', prompt 'corupted'; write an id, and one of "
    )
    checked(folder, task(folder, faulty, {"skip_faulty": True}))


def test_a_table_without_options_needs_those_of_the_config(folder: Path) -> None:
    """Without, the options would be `wanted` and `against`: a column that is missing was forgotten."""
    table = PAIRS.replace(",options\n", "\n").replace(", Ann| Bob\n", "\n")
    assert refusal(folder, task(folder, table)) == (
        "pairs.csv, row 1: no column 'options' in 'pair,prompt,text,wanted,against'; write "
        "pair,prompt,text,wanted,against,options, separated by commas"
    )
    checked(folder, task(folder, table, {"options": [" Ann", " Bob"]}))


def test_a_training_whose_last_step_would_not_be_evaluated_is_refused(folder: Path) -> None:
    assert refusal(folder, "grounding: {training: {steps: 13}}") == (
        "config, grounding/training: evaluate_every 6 does not divide steps 13; the last step must be evaluated"
    )


@pytest.mark.parametrize("kind", ["tables", "fields"])
def test_more_words_than_the_vocabulary_has_are_refused(folder: Path, kind: str) -> None:
    vocabulary = yaml.safe_load((folder / "config/sql/vocabulary.yaml").read_text())
    assert refusal(folder, f"grounding: {{data: {{{kind}: 900}}}}") == (
        f"config/sql/vocabulary.yaml: {len(vocabulary[kind])} {kind}, but grounding/data/{kind} asks for 900; add some "
        "or ask for fewer"
    )


def test_a_rule_of_no_package_is_refused(folder: Path) -> None:
    assert refusal(folder, "grounding: {rules: [nowhere.a.B]}").startswith(
        f"config, grounding/rules: no package 'nowhere' (from {folder})"
    )
