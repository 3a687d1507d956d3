"""What the printed numbers imply."""

from pathlib import Path

import pandas as pd

from mechaware.radar.study.implied import ClassCounts, implied_numbers, solve_class_counts

CONFIG = Path(__file__).resolve().parents[4] / "config"


def test_the_printed_accuracies_have_one_solution() -> None:
    assert solve_class_counts(100, 93, 97.7, 89.3) == [ClassCounts(43, 44, 50, 56)]


def test_radar_answered_no_challenging_reasoning_prompt_correctly() -> None:
    table = implied_numbers(pd.read_csv(CONFIG / "reported/radar_performance.csv").set_index("slice"))
    implied = table.set_index("quantity")["implied"]
    assert implied["classes of the test set"] == "43 of 44 recall, 50 of 56 reasoning"
    assert implied["challenging prompts by class"] == "23 of 24 recall, 0 of 6 reasoning"
    assert implied["always answering recall, on the challenging prompts"] == "80.0%"  # 24 of 30
    assert implied["entropy of a head with uniform causal attention over six tokens"].startswith("6.58 nats")  # ln 720
    assert implied["interval on challenging reasoning"] == "0.0% to 45.9%"  # 1 - 0.025^(1/6)
