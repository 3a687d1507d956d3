"""Boxes that lie over the text of others, or behind it."""

from typing import Any, NamedTuple

import tinycss2

from mechaware.claims.reading.web.seen import LETTER, Appearance, Style, edge
from mechaware.claims.reading.web.values.colours import Colour, Light
from mechaware.claims.reading.web.values.lengths import functions, length, words

REPLACED = {"img", "video", "canvas", "iframe", "svg", "picture", "object", "embed"}


LEAST_VEIL = 0.05  # of opacity
LEAST_PICTURE = 100  # CSS pixels of the width of a picture behind words


class Cover(NamedTuple):
    """A box that spans another one and lets nothing through: what it lies on, its place in the stack, its colours."""

    element: Any
    block: Any
    before: Any  # the only element that it covers, if it is one
    key: tuple[tuple[float, int], ...]
    grounds: tuple[Light, ...]
    picture: bool
    behind_blocks: bool
    veil: Colour | None = None  # the colour of a box that lets light through
    flat: bool = False  # in the flow: it lies only behind what is placed out of it


def covering(tag: str, own: Appearance, parent: Appearance, place: tuple[Any, float, Any]) -> Cover | None:
    """The cover that an element is, if it is one.

    `place` is the element, how far it reaches up into what lies before it in CSS pixels, and that with its appearance.
    """
    element, up, before = place
    style = own.style
    position = (words(style.get("position", ())) or ["static"])[0]
    blurs = bool(functions(style.get("backdrop-filter", ())))
    picture = tag in REPLACED or (own.picture and not parent.picture)
    if own.hidden or not own.visible or not (own.paint >= LEAST_VEIL or blurs or picture):
        return None
    veil = own.tint if own.paint < 0.9 and not (blurs or picture) else None
    cover = Cover(
        element, None, None, own.flow, own.grounds if veil or own.paint >= 0.9 else (), picture or blurs, False, veil
    )
    if position in ("absolute", "fixed"):
        text = parent.letters * LETTER * parent.font
        across = 0.8 * min(parent.block_room, text)
        spans = _spans(style, own, ("left", "right", "width"), across)
        spans = spans and _spans(style, own, ("top", "bottom", "height"), max(0.8 * parent.tall, parent.font))
        block = None if position == "fixed" else parent.block
        return cover._replace(block=block, behind_blocks=own.flow < parent.flow) if spans else None
    flat = cover._replace(block=parent.block, flat=True) if tag in REPLACED and _is_large(element) else None
    if before is None or veil:
        return flat
    sibling, other = before
    areas = ("grid-area", "grid-row", "grid-column")
    own_area, its_area = ([tinycss2.serialize(one.style.get(name, ())) for name in areas] for one in (own, other))
    if any(own_area) and own_area == its_area:
        return cover._replace(before=sibling)
    lifted = position == "relative" or own.context != parent.context
    sunk = other.box is not None and other.box.position != "static" and other.flow < own.flow
    if sunk and (other.box.placed or other.shift > 0):  # it lies below where this box is
        return cover._replace(before=sibling)
    up -= edge(other.style, "bottom", other.font, other.room)
    return cover._replace(before=sibling) if lifted and up >= 0.6 * other.font else flat


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


def _is_large(picture: Any) -> bool:
    width = picture.get("width", "")
    return not width.isdecimal() or int(width[:6]) >= LEAST_PICTURE
