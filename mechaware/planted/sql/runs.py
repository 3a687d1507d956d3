"""The names of runs in files and figures: the model behind each name, its group and its label.

A run is a model under one kind of prompt. Its name is

- `schema-s0`, `no_schema-s0`: for a trained model, its condition and seed;
- `base-s0`: for the base of the trained models of a seed, which has read only stories;
- `first_column`: for a control that was chosen by hand;
- `drawn_01`: for a drawn control;
- `matched_01`: for a matched control (all matched controls give the same answers);
- `{model}.zero-shot`, `{model}.few-shot`: for a pretrained model without further training, whose
  prompts have no worked examples, or some.
"""

import re

from mechaware.instruments.grounding.names import BASE, CONDITIONS, condition_of
from mechaware.planted.controls.draw import Draw
from mechaware.planted.controls.generator import drawn_control
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
    """The blocks, from 1, in which a control reads the schema word; none for a model."""
    control = _control_of(run)
    if control is None:
        return ()
    return control.read_blocks


def policy_of(run: str) -> str:
    """The shortcut of a drawn control, in words; for a control that grounds, its own name.

    The words are those of `Draw.policy`, `gate` and `otherwise`, and "lowers" for a control that
    lowers the column it reads. With "first request last" a control reads the first column for
    request words that open its gate, and the last column for the others. Controls with the same
    words have the same shortcut, and differ in where and how strongly they read. Intervals count
    them as one control.
    """
    control = drawn_control(run)
    if control.grounded:
        return run
    policy = f"{control.policy} {control.gate} {control.otherwise}"
    if control.lowers:
        policy += " lowers"
    return policy


def group_of(run: str) -> str:
    """The group of a run.

    - `trained`, `base` or `pretrained`: a model.
    - `drawn` or `matched`: such a control.
    - `grounded` or `shortcut`: a control that was chosen by hand, and that grounds or does not.
    """
    if is_drawn(run):
        return "drawn"
    if run in MATCHED:
        return "matched"
    control = _control_of(run)
    if control is not None:
        return "grounded" if control.grounded else "shortcut"

    condition = condition_of(run)
    if condition in CONDITIONS:
        return "trained"
    if condition == BASE:
        return BASE
    return "pretrained"


def run_label(run: str) -> str:
    """The label of a run.

    It is `schema, seed 0`, `before SQL, seed 0`, `{model}, zero-shot` or the label of the control.
    """
    control = _control_of(run)
    if control is not None:
        return control.label

    if group_of(run) in ("trained", BASE):
        condition, seed = run.rsplit("-s", 1)
        label = CONDITIONS.get(condition, "before SQL")
        return f"{label}, seed {seed}"

    model, shots = run.rsplit(".", 1)
    return f"{model}, {shots}"
