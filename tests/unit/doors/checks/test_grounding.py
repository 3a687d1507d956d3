"""The check of a config's grounding section: a user's pairs and rules, and the study's numbers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.doors.checks.checked_configs import checked, refusal

PAIRS = """\
pair,prompt,text,wanted,against,options
one,clean,Bob and Ann met. Bob saw, Ann, Bob, Ann| Bob
one,corrupted,Bob and Ann met. Ann saw, Bob, Ann, Ann| Bob
two,clean,Bob and Ann met. Bob saw, Ann, Bob, Ann| Bob
two,corrupted,Bob and Ann met. Ann saw, Bob, Ann, Ann| Bob
"""
PAIRS_WITHOUT_OPTIONS = """\
pair,prompt,text,wanted,against
one,clean,Bob and Ann met. Bob saw, Ann, Bob
one,corrupted,Bob and Ann met. Ann saw, Bob, Ann
two,clean,Bob and Ann met. Bob saw, Ann, Bob
two,corrupted,Bob and Ann met. Ann saw, Bob, Ann
"""


def config_of_task(folder: Path, table: str, settings: Mapping[str, Any] | None = None) -> str:
    """Write the table of pairs into `folder`; a config with a task of them and further settings."""
    (folder / "pairs.csv").write_text(table)
    entry = {"table": "pairs.csv", "model": "gpt2", **(settings or {})}
    return yaml.safe_dump({"grounding": {"pairs": {"mine": entry}}})


def test_faulty_pairs_are_left_out_only_if_the_config_says_so(folder: Path) -> None:
    faulty = PAIRS.replace("two,corrupted,", "two,corupted,")
    assert refusal(folder, config_of_task(folder, faulty)).startswith(
        "pairs.csv, row 5: pair 'two', prompt 'corupted'; write an id, and one of "
    )
    checked(folder, config_of_task(folder, faulty, {"skip_faulty": True}))


def test_a_table_without_options_needs_options_in_the_config(folder: Path) -> None:
    """A missing column counts as forgotten: `wanted` and `against` do not become the options."""
    assert refusal(folder, config_of_task(folder, PAIRS_WITHOUT_OPTIONS)) == (
        "pairs.csv, row 1: no column 'options' in 'pair,prompt,text,wanted,against'; write "
        "pair,prompt,text,wanted,against,options, separated by commas"
    )
    options = {"options": [" Ann", " Bob"]}
    checked(folder, config_of_task(folder, PAIRS_WITHOUT_OPTIONS, options))


def test_a_training_whose_last_step_would_not_be_evaluated_is_refused(folder: Path) -> None:
    config = "grounding: {training: {steps: 13, evaluate_every: 6}}"
    assert refusal(folder, config) == (
        "config, grounding/training: evaluate_every 6 does not divide steps 13; "
        "the last step must be evaluated"
    )


@pytest.mark.parametrize("kind", ["tables", "fields"])
def test_more_words_than_the_vocabulary_has_are_refused(folder: Path, kind: str) -> None:
    vocabulary = yaml.safe_load((folder / "config/sql/vocabulary.yaml").read_text())
    n_words = len(vocabulary[kind])
    config = yaml.safe_dump({"grounding": {"data": {kind: 900}}})
    assert refusal(folder, config) == (
        f"config/sql/vocabulary.yaml: {n_words} {kind}, but grounding/data/{kind} asks for 900; "
        "add some or ask for fewer"
    )


def test_a_rule_of_a_package_that_does_not_exist_is_refused(folder: Path) -> None:
    assert refusal(folder, "grounding: {rules: [nowhere.a.B]}").startswith(
        f"config, grounding/rules: no package 'nowhere' (from {folder})"
    )
