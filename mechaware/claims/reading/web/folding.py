"""Tells hidden text of an article that a reader can open from what is hidden for good. Our definition.

Hidden text is no deception if a reader opens it with one click, or if it is a label for screen readers: the panel of a
tab, a note or a tooltip, what a control of the page names, what looks like a sibling that is shown, what fades in, and
what the page's own rules show on another medium (paper, a smaller screen) or after a click.
It is recorded as `folded`. What addresses a judge never is.
"""

import re
from typing import Any

from mechaware.claims.reading.addressing import addresses_judge
from mechaware.claims.reading.readings import Hidden
from mechaware.claims.reading.sentences import without_marks
from mechaware.claims.reading.web.furniture import is_furniture
from mechaware.claims.reading.web.page import Page, Piece
from mechaware.claims.reading.web.values.lengths import length, number, words

PRINTED = re.compile(r"(?:^|[-_\s])print(?:$|[-_\s])", re.I)
NOTES = re.compile(
    r"(?:^|[-_\s])(?:(?:foot|side|end)?notes?|tooltip|tip|popover|tab(?:s|pane|panel)?)(?:$|[-_\s])", re.I
)
NOTE_ROLES = {"tooltip", "tabpanel", "note", "doc-footnote", "doc-endnote"}
CONTROLS = (
    *("aria-controls", "aria-describedby", "aria-labelledby", "data-target", "data-bs-target", "popovertarget"),
    *("commandfor", "for"),
)
LONGEST_LABEL = 5  # words of a button or of hidden text that are no text of an article
LONGEST_SPOKEN = 25  # words of a label for screen readers
WORD = re.compile(r"\w{2,}")


def records(pieces: list[Piece], page: Page) -> list[Hidden]:
    """The records of the hidden pieces of an article; those of the furniture and short labels are left out."""
    controlled = {
        one.lstrip("#") for name in CONTROLS for each in page.tree.xpath(f"//@{name}") for one in each.split()
    }
    result = []
    for piece in pieces:
        if addresses_judge(piece.text):
            harmless = piece.reason in ("over a picture", "folded")
            result.append(Hidden(1, "not visible" if harmless else piece.reason, piece.text))
        elif _belongs(piece, page.tree):
            result.append(Hidden(1, "folded" if _is_folded(piece, page, controlled) else piece.reason, piece.text))
    return result


def _belongs(piece: Piece, tree: Any) -> bool:
    """Whether a hidden text stands in the article and is longer than a label."""
    around = [piece.element, *piece.element.iterancestors()]
    article = next(tree.iter("article", "main"), None)
    if article is not None and article not in around and piece.element not in article.iter():
        return False
    if any(is_furniture(one) or PRINTED.search(one.get("class", "")) for one in around if one.tag != "body"):
        return False
    return not piece.formula and len(WORD.findall(without_marks(piece.text))) > LONGEST_LABEL


def _is_folded(piece: Piece, page: Page, controlled: set[str]) -> bool:
    """Whether a reader opens a box with one click, or it is a label for screen readers."""
    if any(one in page.elsewhere for one in (piece.element, *piece.element.iterancestors())):
        return True
    if not piece.whole or piece.reason != "not visible":
        return _fades_in(piece, page)
    around = [piece.element, *(one for one in piece.element.iterancestors() if one.tag not in ("html", "body", "main"))]
    for one in around[:4]:
        named = NOTES.search(re.sub(r"(?<=[a-z])_+(?=[a-z])", "-", one.get("class", "")))
        if one.get("role") in NOTE_ROLES or one.get("id") in controlled or named:
            return True
    return _is_spoken(piece) or _is_one_of_several(piece.element, page)


def _is_spoken(piece: Piece) -> bool:
    """Whether a box is cut to nothing for the eye alone, as labels for screen readers are."""
    sizes = [length(piece.style.get(name, ()), 16.0, 16.0) for name in ("width", "height")]
    cut = "clip" in piece.style or "clip-path" in piece.style or all(size is not None and size <= 1 for size in sizes)
    placed = words(piece.style.get("position", ())) == ["absolute"]
    return placed and cut and len(WORD.findall(piece.text)) <= LONGEST_SPOKEN


def _is_one_of_several(element: Any, page: Page) -> bool:
    """Whether an element of the same tag and class beside this one is shown, as of the panels of tabs one is."""
    names = set(element.get("class", "").split())
    return any(
        one.tag == element.tag
        and names & set(one.get("class", "").split())
        and "".join(one.itertext()).strip()
        and not any(look.hidden for _, look in page.views.get(one, ()))
        for one in (*element.itersiblings(), *element.itersiblings(preceding=True))
    )


def _fades_in(piece: Piece, page: Page) -> bool:
    """Whether a script may show the text: it is transparent, and its opacity is to change in steps."""
    for one in (piece.element, *piece.element.iterancestors()):
        for _, look in page.views.get(one, ()):
            if number(look.style.get("opacity", ())) == 0:
                return "transition" in look.style
    return False
