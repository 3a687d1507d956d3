"""The names of what is known about a paper's text: its flags, and why pieces of it are no part of it."""

from typing import Literal, get_args

Flag = Literal["NO_VARIANCE_REPORTED", "HIDDEN_TEXT", "ADDRESSES_JUDGE"]  # the first: section 3.6; our definition
FLAGS: tuple[Flag, ...] = get_args(Flag)

# Why text of the file is withheld from judges. `unclear style`: a style that is not understood may hide it. The last
# six are no deception: the rest of a word that the page's edge cuts, as cropped figures have; the invisible text layer
# of a scan, whose words the page shows as an image; comments and form fields, which a reader's program shows on demand;
# what a web page opens with a click or reads out to the blind; and words over a picture that was not fetched.
HiddenReason = Literal[
    "not visible", "not examined", "tiny", "off page", "other letters", "replaced", "unclear style",
    "cropped", "scan", "annotation", "form field", "folded", "over a picture",
]  # fmt: skip
HARMLESS: frozenset[HiddenReason] = frozenset(
    {"cropped", "scan", "annotation", "form field", "folded", "over a picture"}
)
