"""Each rule that takes a minute or more shows in its log how far it is, by a progress bar."""

import re

import pytest

from tests.checkout import Checkout

# The unit of each rule's bar, by the rule's log below logs/: a file, or a folder of files. The unit
# tells the bar from those that transformers shows while it loads a model.
UNITS = {
    "models/capture_activations": "prompt",
    "radar/evaluate_controls": "seed",
    "radar/permute_labels": "permutation",
    "radar/answer_prompts": "batch",
    "radar/train_base": "step",
    "radar/train_twins": "step",
    "radar/score_twins": "detector",
    "grounding/train_model": "step",
    "grounding/decode_sql": "batch",
    "grounding/measure_controls": "pair",
    "grounding/measure_pairs": "pair",
    "claims/judge_paper": "run",
}


def finished_totals(log: str, unit: str) -> list[int]:
    """The totals of the bars in a log that reached their end, without bars that count nothing.

    `12/12 [00:03<00:00, 4.00step/s]` gives 12.
    """
    totals = map(int, re.findall(rf"(?<!\d)(\d+)/\1 \[[^\]]*(?:{unit}/s|s/{unit})", log))
    return [total for total in totals if total > 0]


@pytest.mark.parametrize(("rule", "unit"), UNITS.items(), ids=UNITS)
def test_the_log_of_a_long_rule_counts_to_its_end(finished: Checkout, rule: str, unit: str) -> None:
    logs = finished.folder / "logs"
    written = [*logs.glob(f"{rule}.log"), *(logs / rule).rglob("*.log")]

    assert written

    for path in written:
        assert finished_totals(path.read_text(), unit), path
