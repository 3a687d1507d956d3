"""Takes what lies outside of the clips around it out of what is seen of a page."""

from typing import Any

from mechaware.claims.reading.web.layout.flow import Place, Window, cut_off, letters_seen, narrowed, stacked
from mechaware.claims.reading.web.page import Page
from mechaware.claims.reading.web.seen import Appearance, replace
from mechaware.claims.reading.web.styles.cascade import World
from mechaware.claims.reading.web.values.lengths import length

Windows = tuple[Window, Window]  # of what is in the flow, and of what is placed absolutely; both from an element's top


def cut_off_by_clips(page: Page) -> None:
    """Hide the elements that lie outside of a clip, and count the letters that are seen of a text within one."""
    for index in range(len(page.views.get(page.tree, ()))):
        _visit(page, page.tree, index, (Window(), Window()))


def _visit(page: Page, element: Any, index: int, windows: Windows) -> None:
    worlds, look = page.views[element][index]
    if look.hidden:
        return
    looks = looks_within(page, element, worlds)
    extent = page.extents[element][index]
    inner = narrowed(element, look, extent, windows[0])
    position = look.box.position if look.box else "static"
    placed = inner if position != "static" else windows[1]
    start = 0.0 if look.inline else look.edge_top
    if inner == placed == Window():
        for child in looks:
            for number in _views_in(page, child, worlds):
                _visit(page, child, number, (inner, placed))
        return
    for place in stacked(element, look, looks)[0]:
        place = place._replace(top=place.top + start, latest=place.latest + start)
        if place.child:
            _visit_child(page, place, look, worlds, (inner, placed))
        else:
            _count_letters(page, element, place, look, inner)


def _visit_child(page: Page, place: Place, around: Appearance, worlds: frozenset[World], windows: Windows) -> None:
    inner, placed = windows
    for number in _views_in(page, place.holder, worlds):
        same, look = page.views[place.holder][number]
        position = look.box.position if look.box else "static"
        window = inner
        if position == "fixed":
            window = Window()
        elif position == "absolute":
            top = length(look.style.get("top", ()), look.font, 0.0)
            window = placed if top is not None else Window()
            place = place._replace(top=top or 0.0, latest=top or 0.0)
        extent = page.extents[place.holder][number]
        if look.letters and cut_off(look, extent, window, place, around):
            page.views[place.holder][number] = (same, replace(look, hidden="not visible"))
            continue
        down = place.top + look.shift
        beyond = placed if position == "static" else window
        _visit(
            page,
            place.holder,
            number,
            (_moved(window, down, place.latest + look.shift), _moved(beyond, down, place.latest + look.shift)),
        )


def _moved(window: Window, down: float, latest: float) -> Window:
    """A window from the top of a child that lies so far down in an element, at the least and at the most."""
    return window._replace(down=window.down - down, up=window.up + latest)


def _count_letters(page: Page, element: Any, place: Place, look: Appearance, window: Window) -> None:
    text = element.text if place.holder is element else place.holder.tail
    seen = letters_seen(text, look, window, place)
    if seen < len(text):
        key = element, place.holder
        before = page.cuts.get(key, (seen, None))
        page.cuts[key] = min(seen, before[0]), "folded" if window.smooth else "not visible"


def looks_within(page: Page, element: Any, worlds: frozenset[World]) -> dict[Any, Any]:
    """How the children that show something look in one of the worlds, and their extents."""
    found = ((child, page.view(child, worlds)) for child in element)
    return {child: one for child, one in found if one and not one[0].hidden}


def _views_in(page: Page, element: Any, worlds: frozenset[World]) -> list[int]:
    return [index for index, (same, _) in enumerate(page.views.get(element, ())) if same & worlds]
