"""What is known of a paper's text before a judge reads it: flags, and why text is withheld."""

from collections.abc import Mapping
from typing import Literal, get_args

# NO_VARIANCE_REPORTED is of section 3.6, by our definition; the other two are ours.
Flag = Literal["NO_VARIANCE_REPORTED", "HIDDEN_TEXT", "ADDRESSES_JUDGE"]
FLAGS: tuple[Flag, ...] = get_args(Flag)
FLAG_MEANINGS: Mapping[Flag, str] = {
    "NO_VARIANCE_REPORTED": "the text names no standard deviation, error bar, confidence interval "
    "or bootstrap",
    "HIDDEN_TEXT": "the file holds text that a reader of its pages does not see; no judge was "
    "shown it",
    "ADDRESSES_JUDGE": "sentences seem to address whoever judges the paper, or quote such "
    "sentences",
}

# Why text of the file is withheld from judges:
# - `scan`: the invisible text layer of a page that shows its words as an image.
# - `dropped`: text that a web page hides and that does not address a judge, or lines that run off a
#   page of a PDF.
# - `not visible`: any other text that readers do not see.
HiddenReason = Literal["not visible", "scan", "dropped"]
# Reasons that are no deception.
HARMLESS: frozenset[HiddenReason] = frozenset({"scan", "dropped"})
