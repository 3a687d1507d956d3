"""The names of what is known about a paper's text: its flags, and why pieces of it are hidden."""

from typing import Literal, get_args

Flag = Literal["NO_VARIANCE_REPORTED", "HIDDEN_TEXT"]  # section 3.6; our definition
FLAGS: tuple[Flag, ...] = get_args(Flag)

HiddenReason = Literal["white", "tiny", "invisible", "off page"]
HIDDEN_REASONS: tuple[HiddenReason, ...] = get_args(HiddenReason)
