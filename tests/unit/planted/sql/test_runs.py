"""Every run has a group, a condition and a label."""

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


def test_drawn_controls_that_do_the_same_are_of_one_policy() -> None:
    """Of 80 draws 40 ground, and there are ten things to do instead, each of which is drawn four times."""
    names = drawn_controls(80)
    policies = Counter(map(runs.policy_of, names))
    ground = {name for name, control in names.items() if control.grounded}
    assert len(ground) == 40
    assert {policies[name] for name in ground} == {1}
    others = {policy: count for policy, count in policies.items() if policy not in ground}
    assert len(others) == 10
    assert set(others.values()) == {4}


def test_controls_are_told_apart_by_what_they_do() -> None:
    assert {runs.group_of(name) for name in CONTROLS} == {"grounded", "shortcut"}
    assert all(
        (runs.group_of(name) == "grounded") == control.grounded
        for name, control in CONTROLS.items()
    )
    assert len({runs.run_label(name) for name in CONTROLS}) == len(CONTROLS)
