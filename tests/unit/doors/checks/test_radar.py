"""Prompt sets of a config."""

from pathlib import Path

import pytest
import yaml

from tests.unit.doors.checks.checked_configs import checked, refusal

HEADER = "id,prompt,label,category,source\n"
RECALL = "".join(f"r{n},The capital of country {n} is,recall,c,\n" for n in range(9))
REASONING = "".join(f"s{n},The sum of {n} and 7 is,reasoning,c,\n" for n in range(9))


@pytest.mark.parametrize(
    ("train", "evaluated", "message"),
    [
        (HEADER + RECALL, None, "train.csv: 0 reasoning prompts, but radar/folds is 2; add "),
        (None, HEADER + RECALL, None),  # is predicted, and not cross-validated
        (
            None,
            f"{HEADER}{RECALL}x,The sum of 5 and 6 is,reasoning,c,\n",
            "eval.csv: 1 reasoning prompts, but radar/folds is 2; add reasoning prompts or lower radar/folds in the "
            "config",
        ),
        (
            HEADER + RECALL + REASONING,
            f"{HEADER}x,the  SUM of 3 and 7 is,reasoning,c,\n",
            "eval.csv, row 2: also a training prompt (config/prompts/train.csv, row 14); remove one of them",
        ),
    ],
    ids=[
        *("training on one class", "evaluation of one class", "too few of the other class"),
        "a training prompt",
    ],
)
def test_a_prompt_set_must_fit_its_use(
    folder: Path, train: str | None, evaluated: str | None, message: str | None
) -> None:
    config = {"train": "radar_train", "evaluate": ["radar_test"]}
    if train is not None:
        (folder / "config/prompts/train.csv").write_text(train)
        config["train"] = "train"
    if evaluated is not None:
        (folder / "config/prompts/eval.csv").write_text(evaluated)
        config["evaluate"] = ["eval"]
    text = yaml.safe_dump({"radar": config})
    if message is None:
        checked(folder, text)
    else:
        assert refusal(folder, text).startswith(f"config/prompts/{message}")


def test_an_evaluated_set_named_as_the_training_set_but_for_case_is_refused(folder: Path) -> None:
    assert refusal(folder, "radar: {evaluate: [Radar_Train]}").startswith(
        "config, radar/evaluate: 'radar_train' and 'Radar_Train' are one folder of results"
    )
