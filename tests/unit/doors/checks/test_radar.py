"""A config's prompt sets: which ones RADAR can be trained and evaluated on.

Each config lies on top of the smallest run's, which has two folds (radar/folds).
"""

from pathlib import Path

from tests.unit.doors.checks.checked_configs import checked, refusal

HEADER = "id,prompt,label,category,source\n"
RECALL = "".join(f"r{n},The capital of country {n} is,recall,c,\n" for n in range(9))
REASONING = "".join(f"s{n},The sum of {n} and 7 is,reasoning,c,\n" for n in range(9))


def test_a_training_set_with_one_class_is_refused(folder: Path) -> None:
    (folder / "config/prompts/train.csv").write_text(HEADER + RECALL)

    message = refusal(folder, "radar: {train: train, evaluate: [radar_test]}")

    assert message.startswith(
        "config/prompts/train.csv: 0 reasoning prompts, but radar/folds is 2; add "
    )


def test_an_evaluated_set_may_have_one_class_as_it_is_not_cross_validated(folder: Path) -> None:
    (folder / "config/prompts/eval.csv").write_text(HEADER + RECALL)

    checked(folder, "radar: {train: radar_train, evaluate: [eval]}")


def test_an_evaluated_set_with_fewer_prompts_of_a_class_than_folds_is_refused(
    folder: Path,
) -> None:
    one_reasoning_prompt = "x,The sum of 5 and 6 is,reasoning,c,\n"
    (folder / "config/prompts/eval.csv").write_text(HEADER + RECALL + one_reasoning_prompt)

    message = refusal(folder, "radar: {train: radar_train, evaluate: [eval]}")

    assert message.startswith(
        "config/prompts/eval.csv: 1 reasoning prompts, but radar/folds is 2; "
        "add reasoning prompts or lower radar/folds in the config"
    )


def test_an_evaluated_prompt_that_is_a_training_prompt_but_for_case_and_spaces_is_refused(
    folder: Path,
) -> None:
    (folder / "config/prompts/train.csv").write_text(HEADER + RECALL + REASONING)
    training_prompt = "x,the  SUM of 3 and 7 is,reasoning,c,\n"
    (folder / "config/prompts/eval.csv").write_text(HEADER + training_prompt)

    message = refusal(folder, "radar: {train: train, evaluate: [eval]}")

    # Rows count from 1, the header: r0 to r8 are rows 2 to 10, and s0 to s8 rows 11 to 19.
    assert message.startswith(
        "config/prompts/eval.csv, row 2: also a training prompt "
        "(config/prompts/train.csv, row 14); remove one of them"
    )


def test_an_evaluated_set_named_as_the_training_set_but_for_case_is_refused(folder: Path) -> None:
    message = refusal(folder, "radar: {evaluate: [Radar_Train]}")

    assert message.startswith(
        "config, radar/evaluate: 'radar_train' and 'Radar_Train' are one folder of results"
    )
