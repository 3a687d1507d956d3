"""The names of what is known about a paper's text: its flags, and why pieces of it are no part of it."""

from typing import Literal, get_args

Flag = Literal["NO_VARIANCE_REPORTED", "HIDDEN_TEXT", "ADDRESSES_JUDGE"]  # the first: section 3.6; our definition
FLAGS: tuple[Flag, ...] = get_args(Flag)

# Why text of the file is withheld from judges. The last five are no deception: the rest of a word that the page's edge
# cuts, as cropped figures have; the invisible text layer of a scan, whose words the page shows as an image; comments
# and form fields, which a reader's program shows on demand; and what a web page hides or holds beside its article.
HiddenReason = Literal[
    "not visible", "not examined", "tiny", "off page", "other letters", "replaced",
    "cropped", "scan", "annotation", "form field", "dropped",
]  # fmt: skip
HARMLESS: frozenset[HiddenReason] = frozenset({"cropped", "scan", "annotation", "form field", "dropped"})
