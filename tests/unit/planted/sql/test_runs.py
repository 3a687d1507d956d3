"""The name of a run gives its condition, group, label and known blocks.

The known blocks are those in which a control reads the schema word. The name of a drawn control
gives its policy as well: its shortcut, or its own name if it grounds.
"""

from collections import Counter

import pytest

from mechaware.instruments.grounding.names import condition_of
from mechaware.planted.controls.generator import drawn_controls
from mechaware.planted.controls.schema_readers import CONTROLS
from mechaware.planted.sql import runs


@pytest.mark.parametrize(
    ("run", "condition", "group", "label", "blocks"),
    [
        ("no_schema-s12", "no_schema", "trained", "no schema, seed 12", ()),
        ("base-s2", "base", "base", "before SQL, seed 2", ()),
        ("grounded_2", "grounded_2", "grounded", "grounded, read in block 2", (2,)),
        ("split", "split", "grounded", "grounded, read in part in blocks 1 and 3", (1, 3)),
        ("schema_blind", "schema_blind", "shortcut", "blind to the schema", ()),
        (
            "qwen2.5-0.5b.few-shot",
            "qwen2.5-0.5b.few-shot",
            "pretrained",
            "qwen2.5-0.5b, few-shot",
            (),
        ),
        ("schema-s0.zero-shot", "schema-s0.zero-shot", "pretrained", "schema-s0, zero-shot", ()),
    ],
)
def test_a_run_has_its_condition_group_label_and_known_blocks(
    run: str, condition: str, group: str, label: str, blocks: tuple[int, ...]
) -> None:
    assert condition_of(run) == condition
    assert runs.group_of(run) == group
    assert runs.run_label(run) == label
    assert runs.known_blocks(run) == blocks


def test_drawn_controls_with_one_shortcut_share_a_policy_and_grounded_ones_share_none() -> None:
    """Of 80 drawn controls, 40 are grounded, and each of ten shortcuts has four of the others."""
    controls = drawn_controls(80)
    grounded = [name for name, control in controls.items() if control.grounded]
    shortcuts = [name for name, control in controls.items() if not control.grounded]
    assert len(grounded) == 40
    # The policy of a grounded control is its own name.
    assert [runs.policy_of(name) for name in grounded] == grounded

    controls_per_policy = Counter(runs.policy_of(name) for name in shortcuts)
    assert list(controls_per_policy.values()) == [4] * 10
    assert controls_per_policy.keys().isdisjoint(grounded)


def test_the_group_of_a_chosen_control_is_grounded_or_shortcut_and_no_two_share_a_label() -> None:
    for name, control in CONTROLS.items():
        assert runs.group_of(name) == ("grounded" if control.grounded else "shortcut")
    assert {runs.group_of(name) for name in CONTROLS} == {"grounded", "shortcut"}
    labels = {runs.run_label(name) for name in CONTROLS}
    assert len(labels) == len(CONTROLS)
