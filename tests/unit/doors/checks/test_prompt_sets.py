"""Prompt sets that the check of a config refuses, for what they are used for."""

from pathlib import Path

from tests.unit.doors.checks.small_config import checked, refusal

HEADER = "id,prompt,label,category,source\n"
RECALL = "".join(f"r{n},The capital of country {n} is,recall,c,\n" for n in range(9))
REASONING = "".join(f"s{n},The sum of {n} and 7 is,reasoning,c,\n" for n in range(9))


def write_prompts(folder: Path, name: str, prompts: str) -> None:
    """A prompt set of this name beside ours."""
    (folder / f"config/prompts/{name}.csv").write_text(prompts)


def test_a_training_set_needs_as_many_prompts_of_each_class_as_there_are_folds(
    folder: Path,
) -> None:
    write_prompts(folder, "train", HEADER + RECALL)

    assert refusal(folder, "radar: {train: train, evaluate: [radar_test]}").startswith(
        "config/prompts/train.csv: 0 reasoning prompts, but radar/folds is 2; add "
    )


def test_an_evaluated_set_may_have_one_class_alone(folder: Path) -> None:
    """It is predicted, and not cross-validated."""
    write_prompts(folder, "eval", HEADER + RECALL)

    checked(folder, "radar: {train: radar_train, evaluate: [eval]}")


def test_an_evaluated_set_with_too_few_of_its_other_class_is_refused(folder: Path) -> None:
    one_of_reasoning = "x,The sum of 5 and 6 is,reasoning,c,\n"
    write_prompts(folder, "eval", HEADER + RECALL + one_of_reasoning)

    assert refusal(folder, "radar: {train: radar_train, evaluate: [eval]}").startswith(
        "config/prompts/eval.csv: 1 reasoning prompts, but radar/folds is 2; add reasoning prompts or lower "
        "radar/folds in the config"
    )


def test_a_training_prompt_among_the_evaluated_ones_is_refused_whatever_its_case_and_blanks(
    folder: Path,
) -> None:
    """It is the fourth of the reasoning prompts, after a header and nine prompts of recall: row 14."""
    write_prompts(folder, "train", HEADER + RECALL + REASONING)
    write_prompts(folder, "eval", f"{HEADER}x,the  SUM of 3 and 7 is,reasoning,c,\n")

    assert refusal(folder, "radar: {train: train, evaluate: [eval]}").startswith(
        "config/prompts/eval.csv, row 2: also a training prompt (config/prompts/train.csv, row 14); remove one of them"
    )


def test_an_evaluated_set_named_as_the_training_set_but_for_case_is_refused(folder: Path) -> None:
    assert refusal(folder, "radar: {evaluate: [Radar_Train]}").startswith(
        "config, radar/evaluate: 'radar_train' and 'Radar_Train' are one folder of results"
    )
