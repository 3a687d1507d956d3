"""The study's runs in files and figures: which model each name is of, and its label.

A run is a model under one kind of prompt:

- `schema-s0`: a trained model, by condition and seed;
- `base-s0`: its base, which has read stories alone;
- `first_column`, `drawn_01`, `matched_01`: a control, chosen, drawn, or one of those that give equal answers;
- `{model}.zero-shot`, `{model}.few-shot`: a pretrained model that is not trained further, without and with worked
  examples.
"""

import re

from mechaware.instruments.grounding.names import BASE, CONDITIONS, condition_of
from mechaware.planted.controls.generator import Draw, drawn_control
from mechaware.planted.controls.matched import MATCHED
from mechaware.planted.controls.schema_readers import CONTROLS, SchemaReader


def is_drawn(run: str) -> bool:
    """Whether a run is of a drawn control (mechaware.planted.controls.generator)."""
    return re.fullmatch(r"drawn_\d+", run) is not None


def _control_of(run: str) -> Draw | SchemaReader | None:
    """The control of a run, chosen, drawn or matched; None for a model."""
    if is_drawn(run):
        return drawn_control(run)
    return MATCHED.get(run) or CONTROLS.get(run)


def known_blocks(run: str) -> tuple[int, ...]:
    """The blocks by which a control reads the schema word, from 1; none for a run that is no control."""
    return control.read_blocks if (control := _control_of(run)) else ()


def policy_of(run: str) -> str:
    """What a drawn control that does not ground does instead, in words; the name of one that grounds.

    Controls of one policy differ in where and how strongly they read, and answer alike: they count as one.
    """
    control = drawn_control(run)
    if control.grounded:
        return run
    lowers = ["lowers"] if control.lowers else []
    return " ".join([control.policy, control.gate, control.otherwise, *lowers])


def group_of(run: str) -> str:
    """`trained`, `base` or `pretrained` for a model, `drawn`, `matched`, `grounded` or `shortcut` for a control."""
    if is_drawn(run):
        return "drawn"
    if run in MATCHED:
        return "matched"
    if control := _control_of(run):
        return "grounded" if control.grounded else "shortcut"
    condition = condition_of(run)
    return "trained" if condition in CONDITIONS else BASE if condition == BASE else "pretrained"


def run_label(run: str) -> str:
    """The label of a run: `schema, seed 0`, `before SQL, seed 0`, a control's, or `{model}, zero-shot`."""
    if control := _control_of(run):
        return control.label
    if group_of(run) in ("trained", BASE):
        condition, seed = run.rsplit("-s", 1)
        return f"{CONDITIONS.get(condition, 'before SQL')}, seed {seed}"
    model, shots = run.rsplit(".", 1)
    return f"{model}, {shots}"
