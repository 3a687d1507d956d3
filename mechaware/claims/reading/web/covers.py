"""Boxes that lie over the text of others, or behind it."""

from typing import Any, NamedTuple

import tinycss2

from mechaware.claims.reading.web.seen import LETTER, Appearance, Style
from mechaware.claims.reading.web.styles.colours import Light
from mechaware.claims.reading.web.styles.values import functions, length, words

REPLACED = {"img", "video", "canvas", "iframe", "svg", "picture", "object", "embed"}


class Cover(NamedTuple):
    """A box that spans another one and lets nothing through: what it lies on, its place in the stack, its colours."""

    element: Any
    block: Any
    before: Any  # the only element that it covers, if it is one
    key: tuple[tuple[float, int], ...]
    grounds: tuple[Light, ...]
    picture: bool
    behind_blocks: bool


def covering(tag: str, style: Style, own: Appearance, parent: Appearance, place: tuple[Any, Any]) -> Cover | None:
    """The cover that an element is, if it is one. `place` is the element and the one before it with its appearance."""
    element, before = place
    position = (words(style.get("position", ())) or ["static"])[0]
    blurs = bool(functions(style.get("backdrop-filter", ())))
    picture = tag in REPLACED or (own.picture and not parent.picture)
    if own.hidden or not own.visible or not (own.paint >= 0.9 or blurs or picture):
        return None
    grounds = own.grounds if own.paint >= 0.9 else ()
    cover = Cover(element, None, None, own.flow, grounds, picture or blurs, False)
    if position in ("absolute", "fixed"):
        text = parent.letters * LETTER * parent.font
        across = 0.8 * min(parent.block_room, text)
        spans = _spans(style, own, ("left", "right", "width"), across)
        spans = spans and _spans(style, own, ("top", "bottom", "height"), max(0.8 * parent.tall, parent.font))
        block = None if position == "fixed" else parent.block
        return cover._replace(block=block, behind_blocks=own.flow < parent.flow) if spans else None
    if before is None:
        return None
    sibling, other = before
    areas = ("grid-area", "grid-row", "grid-column")
    own_area, its_area = ([tinycss2.serialize(one.style.get(name, ())) for name in areas] for one in (own, other))
    if any(own_area) and own_area == its_area:
        return cover._replace(before=sibling)
    up = -sum(length(style.get(name, ()), own.font, 100.0) or 0.0 for name in ("margin-top", "top"))
    below = length(other.style.get("margin-bottom", ()), other.font, 0.0) or 0.0
    lifted = position == "relative" or own.context != parent.context
    below += length(other.style.get("padding-bottom", ()), other.font, 0.0) or 0.0
    return cover._replace(before=sibling) if lifted and up - below >= 0.6 * other.font else None


def _spans(style: Style, own: Appearance, names: tuple[str, str, str], enough: float) -> bool:
    """Whether an absolutely placed box reaches from edge to edge of the box around it, or over so many pixels."""
    size = names[2]
    first, last, extent = (length(style.get(name, ()), own.font, 1000.0) for name in names)
    least = length(style.get(f"min-{size}", ()), own.font, 1000.0)
    extent = max(extent or 0.0, least or 0.0)
    in_pixels = any(token.type == "dimension" for token in style.get(size, ()))
    wide = extent >= 950 or (in_pixels and extent >= enough > 0)
    if first is not None and first <= 20:
        return wide or (last is not None and last <= 20)
    return last is not None and last <= 20 and wide
