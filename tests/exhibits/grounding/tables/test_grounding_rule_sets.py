"""The table of rule sets counts the controls that each set judges rightly, and names the others."""

import pandas as pd

from exhibits.grounding.tables import grounding_rule_sets


def test_sets_of_rules_name_the_controls_that_they_judge_wrongly() -> None:
    rule_sets = pd.DataFrame(
        [
            ("paper", "sensitivity", 4, 6, 4 / 6, 0.2228, 0.9567, "grounded_1, split"),
            ("paper", "specificity", 0, 0, None, 0.0, 1.0, ""),
            ("grounded", "sensitivity", 6, 6, 1.0, 0.5407, 1.0, ""),
            ("further_mine", "sensitivity", 6, 6, 1.0, 0.5407, 1.0, ""),
        ],
        columns=["rules", "measure", "right", "n", "value", "low", "high", "wrong"],
    )

    shown = grounding_rule_sets.fill(rule_sets=rule_sets).shown

    wrong = "grounded, read in block 1; grounded, read in part in blocks 1 and 3"
    assert shown.to_numpy().tolist() == [
        ["R1 to R3", "sensitivity", "4 of 6", "66.7", "22.3 to 95.7", wrong],
        ["R1 to R3", "specificity", "0 of 0", "", "0.0 to 100.0", ""],
        ["G1 to G5", "sensitivity", "6 of 6", "100.0", "54.1 to 100.0", ""],
        ["mine", "sensitivity", "6 of 6", "100.0", "54.1 to 100.0", ""],
    ]
