"""A reader of a running job's log sees how far it is: each rule that takes a minute or more shows a bar there."""

import re

import pytest

from tests.conftest import Checkout

# By the folder or file of their logs, with the bar's unit: transformers shows bars of its own while it loads.
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


def ends(log: str, unit: str) -> list[int]:
    """What the bars of a log count, of those that came to their end."""
    bars = re.findall(rf"(?<!\d)(\d+)/\1 \[[^\]]*(?:{unit}/s|s/{unit})", log)
    return [int(total) for total in bars if int(total)]


@pytest.mark.parametrize(("rule", "unit"), UNITS.items(), ids=UNITS)
def test_the_log_of_a_long_rule_counts_to_its_end(finished: Checkout, rule: str, unit: str) -> None:
    logs = finished.folder / "logs"
    written = [*logs.glob(f"{rule}.log"), *(logs / rule).rglob("*.log")]

    assert written

    for path in written:
        assert ends(path.read_text(), unit), path
