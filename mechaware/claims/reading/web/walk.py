"""Takes the text that a reader does not see out of the tree of a page."""

import re
from collections.abc import Iterator
from typing import Any

import cssselect2
import tinycss2

from mechaware.claims.reading.addressing import addresses_judge
from mechaware.claims.reading.web.clipping import cut_off_by_clips, looks_within
from mechaware.claims.reading.web.furniture import CODE, is_furniture
from mechaware.claims.reading.web.layout.boxes import laid
from mechaware.claims.reading.web.layout.covers import Cover, covering
from mechaware.claims.reading.web.layout.flow import collapsed, stacked
from mechaware.claims.reading.web.measures import Style
from mechaware.claims.reading.web.page import Page, Piece, View
from mechaware.claims.reading.web.seen import INLINE, Appearance, replace, text_look
from mechaware.claims.reading.web.styles.cascade import Cascade, Matched, World, active
from mechaware.claims.reading.web.styles.sheets import Setting, Sheets, inline
from mechaware.claims.reading.web.values.colours import legacy_colour
from mechaware.claims.reading.web.values.lengths import words
from mechaware.claims.rubric.text_flags import HiddenReason

UNREAD = {"head", "title", "meta", "link", "style", "base"}
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
MOST_OF_PAGE = 0.8  # of the letters of a page
LONGEST_HEADING = 15  # words that are believed to stand out from a picture that was not fetched


def take_out_hidden(tree: Any, sheets: Sheets, *, waits: bool = False) -> tuple[list[Piece], Page]:
    """Take the text that a reader does not see in some world out of an lxml tree; give it in the order of the page.

    What hides the root or the body as a whole is passed over in a page that waits for its scripts.
    """
    page = Page(tree, Cascade(sheets), waits, scripted=next(tree.iter("script"), None) is not None)
    for element in reversed(list(tree.iter())):
        if isinstance(element.tag, str) and element.tag not in CODE:
            page.letters[element] += len((element.text or "").strip())
        if (around := element.getparent()) is not None:
            page.letters[around] += page.letters[element] + len((element.tail or "").strip())
    start = [(page.cascade.worlds, Appearance())]
    _look(page, cssselect2.ElementWrapper.from_html_root(tree), start, None)
    cut_off_by_clips(page)
    _take_text(page, tree, ())
    return [piece._replace(text=" ".join(piece.text.split())) for piece in page.pieces if piece], page


def _look(page: Page, wrapper: Any, around: list[View], sibling: Any) -> None:
    """Find out how an element and all within appear."""
    element = wrapper.etree_element
    page.order += 1
    matched = page.cascade.matched(wrapper)
    settings = _presentation(element), inline(element.get("style", ""))
    views = []
    for worlds, parent in around:
        for same in _alike(matched[None], worlds):
            style = page.cascade.style(matched[None], *settings, next(iter(same)), parent.style)
            own = text_look(element.tag, style, parent, page.letters[element])
            own = laid(element.tag, own.style, own, parent, (element, page.order))
            if page.waits and _holds_all(page, element):
                own = replace(own, hidden=None, visible=True, opacity=1.0, unclear=frozenset())
            views.append((same, own))
    page.views[element] = views
    if any(page.cascade.shown_elsewhere(wrapper, look.style) for _, look in views if not look.seen_as_set()):
        page.elsewhere.add(element)
    if element.tag in ("col", "colgroup") and not all(look.visible for _, look in views):
        table = next(element.iterancestors("table"), None)
        page.views[table] = [(same, replace(look, hidden="unclear style")) for same, look in page.views.get(table, ())]
    _look_at_parts(page, element, matched, views)
    if not any(look.hidden for _, look in views):
        before: Any = None
        for child in wrapper.iter_children():
            if child.etree_element.tag not in UNREAD:
                _look(page, child, views, before)
                before = child.etree_element
    page.extents[element] = [stacked(element, look, looks_within(page, element, same))[1] for same, look in views]
    _cover(page, element, around, sibling)


def _cover(page: Page, element: Any, around: list[View], sibling: Any) -> None:
    """Remember the covers that an element is, in each world in which it is one."""
    for (same, own), extent in zip(page.views[element], page.extents[element], strict=True):
        parent = next(look for worlds, look in around if worlds & same)
        last = page.view(sibling, same)
        gap = collapsed(last[1].after, extent.before) if last else extent.before
        up = -gap - min(own.shift, 0.0)
        _remember(page, same, covering(element.tag, own, parent, (element, up, last and (sibling, last[0]))))


def _holds_all(page: Page, element: Any) -> bool:
    """Whether an element holds so much of a page that what hides it hides the page."""
    all_letters = page.letters[page.tree]
    return element.tag in ("html", "body") or (page.scripted and page.letters[element] >= MOST_OF_PAGE * all_letters)


def _alike(matched: Matched, worlds: frozenset[World]) -> Iterator[frozenset[World]]:
    """The worlds in groups in which the same rules hold."""
    doubtful = [rule.conditions for _, rule in matched.author if rule.conditions]
    if not doubtful:
        yield worlds
        return
    groups: dict[tuple[bool, ...], set[World]] = {}
    for world in worlds:
        groups.setdefault(tuple(active(conditions, world) for conditions in doubtful), set()).add(world)
    yield from map(frozenset, groups.values())


def _look_at_parts(page: Page, element: Any, matched: dict[str | None, Matched], views: list[View]) -> None:
    """Remember the covers that are made of `::before` and `::after`."""
    for part in ("before", "after"):
        for worlds, parent in views if part in matched else ():
            style = page.cascade.style(matched[part], [], [], next(iter(worlds)), parent.style)
            if words(style.get("content", ())) not in (["none"], ["normal"]) and "content" in style:
                page.order += 1
                own = text_look("span", style, parent, 0)
                own = replace(own, style={name: one for name, one in own.style.items() if name != "content"})
                number = page.order + (page.letters[element] + 1_000_000 if part == "after" else 0)
                own = laid("span", own.style, own, parent, (element, number))
                _remember(page, worlds, covering("span", own, parent, (None, 0.0, None)))


def _remember(page: Page, worlds: frozenset[World], cover: Cover | None) -> None:
    lifted = cover and page.waits and cover.block is None and cover.before is None
    if cover and not (lifted and (page.scripted or is_furniture(cover.element))):
        place = cover.before if cover.before is not None else cover.block
        page.covers.setdefault(place, []).append((worlds, cover))
        page.anchored |= isinstance(place, str)


def _take_text(page: Page, element: Any, path: tuple[Any, ...]) -> None:
    """Take out what is hidden of the text of an element and of all within."""
    views = page.views.get(element, [])
    hidden = next((look for _, look in views if look.hidden), None)
    if hidden and hidden.hidden:
        _take_all(page, element, hidden.hidden, hidden.style)
        return
    path = (*path, element)
    reason = next((why for worlds, look in views if (why := _reason(page, worlds, look, path))), None)
    reason = None if reason == "over a picture" and _is_believed(path) else reason
    closed = _never_opened(page, element)
    element.text = _take_end(page, element, element, "not visible" if closed else reason, element.text)
    for child in list(element):
        if isinstance(child.tag, str) and child.tag not in UNREAD:
            if closed and child.tag != "summary":
                _take_all(page, child, "not visible", {})
            else:
                _take_text(page, child, path)
        child.tail = _take_end(page, element, child, "not visible" if closed else reason, child.tail)


def _never_opened(page: Page, element: Any) -> bool:
    """Whether closed details show nothing to open them by, or fold words to a judge away."""
    if element.tag != "details" or "open" in element.attrib:
        return False
    summary = element.find("summary")
    if summary is None or not "".join(summary.itertext()).strip():
        return True
    unseen = any(look.reason() for _, look in page.views.get(summary, ()))
    return unseen or addresses_judge("\n\n".join(element.itertext()))


def _is_believed(path: tuple[Any, ...]) -> bool:
    heading = next((one for one in path if one.tag in HEADINGS), None)
    text = "" if heading is None else "".join(heading.itertext())
    return bool(text) and len(text.split()) <= LONGEST_HEADING and not addresses_judge(text)


def _reason(page: Page, worlds: frozenset[World], look: Appearance, path: tuple[Any, ...]) -> HiddenReason | None:
    """Why a text is not seen, covers and what lies behind it included."""
    key = (*look.flow, (-0.5, 0))
    for place in (None, *path, *_anchors(page, path)):
        for others, cover in page.covers.get(place, ()):
            if not others & worlds or cover.element in path:
                continue
            if cover.flat:
                look = replace(look, picture=look.picture or (place is not None and look.over is place))
                continue
            if cover.key > key and cover.veil:
                look = replace(look, veils=(*look.veils, cover.veil))
                continue
            if cover.key > key:
                return "not visible" if cover.grounds else "unclear style"
            depth = next((view.depth for _, view in page.views.get(place, ())), 0)
            if look.painter < depth or (look.painter == depth and not cover.behind_blocks):
                look = replace(
                    look, grounds=cover.grounds or look.grounds, picture=cover.picture or look.picture, painter=depth
                )
    return look.reason()


def _anchors(page: Page, path: tuple[Any, ...]) -> list[str]:
    """The names by which boxes are placed over one of these elements, if any box is placed by a name."""
    looks = (look for one in path if page.anchored for _, look in page.views.get(one, ())[:1])
    return [tinycss2.serialize(look.style["anchor-name"]).strip() for look in looks if "anchor-name" in look.style]


def _take(page: Page, element: Any, reason: HiddenReason | None, text: str | None) -> str | None:
    """What a reader sees of a text. A hidden one is recorded."""
    if not text or not text.strip():
        _record_space(page, text)
        return text
    if reason is None:
        page.pieces.append(None)
        return text
    _record(page, Piece(element, reason, text, False, False, {}))
    return " "


def _take_end(page: Page, element: Any, holder: Any, reason: HiddenReason | None, text: str | None) -> str | None:
    """What a reader sees of a text that a clip may cut short."""
    seen, cut = page.cuts.get((element, holder), (0, None))
    if cut is None or not text:
        return _take(page, element, reason, text)
    first, rest = text[:seen], text[seen:]
    return (_take(page, element, reason, first) or "") + (_take(page, element, cut, rest) or "")


def _take_all(page: Page, element: Any, reason: HiddenReason, style: Style) -> None:
    formulas = [element] if element.tag == "math" else element.iter("math")
    mathematics = "".join("".join(formula.itertext()) for formula in formulas)
    text = "".join(element.itertext())
    if text.strip():
        formula = len(mathematics.split()) == len(text.split())
        _record(page, Piece(element, reason, text, formula, True, style))
    else:
        _record_space(page, text)
    for child in list(element):
        element.remove(child)
    element.text = None


def _record_space(page: Page, text: str | None) -> None:
    if text and page.pieces and (last := page.pieces[-1]):
        page.pieces[-1] = last._replace(text=f"{last.text} ")


def _record(page: Page, piece: Piece) -> None:
    """Record a hidden piece, with the one before it if both belong together."""
    last = page.pieces[-1] if page.pieces else None
    if last and last.reason == piece.reason and _together(last.element, piece.element):
        formula, whole = last.formula and piece.formula, last.whole and piece.whole
        apart = "" if piece.element.tag in INLINE else " "
        page.pieces[-1] = last._replace(text=f"{last.text}{apart}{piece.text}", formula=formula, whole=whole)
    else:
        page.pieces.append(piece)


def _together(first: Any, second: Any) -> bool:
    return first is second or first.getparent() is second or second.getparent() in (first, first.getparent())


def _presentation(element: Any) -> list[Setting]:
    """The settings that old attributes of an element stand for."""
    shades = {"bgcolor": "background-color", "mathbackground": "background-color", "mathcolor": "color"}
    shades["color" if element.tag == "font" else "text"] = "color"
    given = [f"{style}:{legacy_colour(element.get(name))}" for name, style in shades.items() if element.get(name)]
    sizes = {"mathsize": "font-size"}
    if element.tag in ("img", "video", "marquee", "mpadded", "table", "td", "th"):
        sizes |= {"width": "width", "height": "height"}
    for name in sizes.keys() & element.keys():
        size = element.get(name).strip()
        given.append(f"{sizes[name]}:{size}{'px' if size.isdigit() else ''}")
    if element.tag == "html" and (schemes := element.xpath("//meta[@name='color-scheme']/@content")):
        given.append(f"color-scheme:{re.sub(r'[^a-z ]', '', schemes[0].lower())}")
    if element.tag == "mpadded":
        given.append("display:block;overflow:hidden")
    if element.tag == "a" and element.get("href") is not None:
        body = next(element.iterancestors("body"), None)
        if body is not None and body.get("link"):
            given.append(f"color:{legacy_colour(body.get('link'))}")
    if element.tag in ("td", "th", "table", "body") and element.get("background"):
        address = re.sub(r"[\"\\)(\s]", "", element.get("background"))
        given.append(f'background-image:url("{address}")')
    return inline(";".join(given))
