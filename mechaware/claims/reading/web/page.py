"""A page while it is read: how its elements appear, what covers them, what was taken out."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mechaware.claims.reading.web.layout.covers import Cover
from mechaware.claims.reading.web.layout.flow import Extent
from mechaware.claims.reading.web.measures import Style
from mechaware.claims.reading.web.seen import Appearance
from mechaware.claims.reading.web.styles.cascade import Cascade, World
from mechaware.claims.rubric.text_flags import HiddenReason

View = tuple[frozenset[World], Appearance]


class Piece(NamedTuple):
    """Hidden text with the element that holds it."""

    element: Any
    reason: HiddenReason
    text: str
    formula: bool  # all of it is mathematics
    whole: bool  # its whole box is hidden
    style: Style


@dataclass
class Page:
    """The tree of a page, how each element appears in each world, and the covers that lie in it."""

    tree: Any
    cascade: Cascade
    waits: bool  # what hides all of the page is passed over: scripts take it away
    letters: Counter[Any] = field(default_factory=Counter)
    views: dict[Any, list[View]] = field(default_factory=dict)
    covers: dict[Any, list[tuple[frozenset[World], Cover]]] = field(default_factory=dict)
    scripted: bool = False
    anchored: bool = False  # some box is placed by the name of another one
    elsewhere: set[Any] = field(default_factory=set)  # hidden elements that another medium or a click shows
    extents: dict[Any, list[Extent]] = field(default_factory=dict)  # one for each view
    cuts: dict[tuple[Any, Any], tuple[int, HiddenReason]] = field(default_factory=dict)  # letters seen of a text
    pieces: list[Piece | None] = field(default_factory=list)  # None stands for text that is seen
    order: int = 0

    def view(self, element: Any, worlds: frozenset[World]) -> tuple[Appearance, Extent] | None:
        """How an element looks in one of some worlds, and its extent; None if nothing of it is looked at yet."""
        both = zip(self.views.get(element, ()), self.extents.get(element, ()), strict=False)
        return next(((look, extent) for (same, look), extent in both if same & worlds), None)
