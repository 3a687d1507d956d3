"""Boxes that lie over the text of others, or behind it."""

from typing import Any, NamedTuple

import tinycss2

from mechaware.claims.reading.web.measures import Style, border, edge, lengths_of
from mechaware.claims.reading.web.seen import LETTER, Appearance, replace
from mechaware.claims.reading.web.values.colours import Colour, Light, colour
from mechaware.claims.reading.web.values.lengths import functions, length, split, words

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
    anchored = _anchor(own)
    frame = _frame(own, parent)
    if frame:
        own = replace(own, paint=1.0, grounds=frame.grounds)
    if (own.hidden and not anchored) or not own.visible or not (own.paint >= LEAST_VEIL or blurs or picture):
        return None
    veil = own.tint if own.paint < 0.9 and not (blurs or picture) else None
    cover = Cover(
        element, None, None, own.flow, own.grounds if veil or own.paint >= 0.9 else (), picture or blurs, False, veil
    )
    if anchored:
        return cover._replace(before=anchored)
    if position in ("absolute", "fixed"):
        reach = frame.reach if frame else (0.0, 0.0)
        text = parent.letters * LETTER * parent.font
        across = 0.8 * min(parent.block_room, text)
        spans = _spans(style, own, ("left", "right", "width"), across, reach[0])
        spans = spans and _spans(style, own, ("top", "bottom", "height"), max(0.8 * parent.tall, parent.font), reach[1])
        block = None if position == "fixed" else parent.block
        return cover._replace(block=block, behind_blocks=own.flow < parent.flow) if spans else None
    flat = cover._replace(block=parent.block, flat=True) if tag in REPLACED and _is_large(element) else None
    return flat if before is None or veil else _over_neighbour(cover, own, up, before) or flat


def _over_neighbour(cover: Cover, own: Appearance, up: float, before: tuple[Any, Appearance]) -> Cover | None:
    """The cover of the element before it, if it lies over that."""
    sibling, other = before
    areas = ("grid-area", "grid-row", "grid-column")
    own_area, its_area = ([tinycss2.serialize(one.style.get(name, ())) for name in areas] for one in (own, other))
    if any(own_area) and own_area == its_area:
        return cover._replace(before=sibling)
    sunk = other.box is not None and other.box.position != "static" and other.flow < (*own.flow, (-0.5, 0))
    if sunk and (other.box.placed or other.shift > 0):  # it lies below where this box is
        return cover._replace(before=sibling, key=(*own.flow, (-0.5, 0)))
    above = own.context != other.context and own.flow > other.flow
    lifted = above or (own.box is not None and own.box.position == "relative")
    up -= edge(other.style, "bottom", other.font, other.room)
    return cover._replace(before=sibling) if lifted and up >= 0.6 * other.font else None


class _Frame(NamedTuple):
    """What borders or an outer shadow paint around a box: on what, and how far across and down."""

    grounds: tuple[Light, ...]
    reach: tuple[float, float]


def _frame(own: Appearance, parent: Appearance) -> _Frame | None:
    """The paint of borders or a shadow that are larger than the box itself; None if it has none."""
    style, font = own.style, own.font
    shades: list[tuple[Colour, float, float]] = []
    for layer in split(style.get("box-shadow", ())):
        sizes = lengths_of(layer, font)
        if "inset" not in words(layer) and len(sizes) > 3 and sizes[3] >= LEAST_PICTURE:
            shades.append((colour(layer, own.ink, own.dark) or own.ink, 2 * sizes[3], 2 * sizes[3]))
    left, right, top, bottom = (border(style, side, font) for side in ("left", "right", "top", "bottom"))
    if own.box and own.box.height is not None and own.box.height <= top + bottom and own.box.width <= left + right:
        shade = colour(style.get("border-top-color", ()), own.ink, own.dark) or own.ink
        shades.append((shade, left + right, top + bottom))
    for shade, across, down in shades:
        if shade.alpha * own.opacity >= 0.9:
            return _Frame(tuple(shade.over(ground, own.opacity) for ground in parent.grounds), (across, down))
    return None


def _anchor(own: Appearance) -> str:
    """The name of the anchor that a painted box may lie on, if it does."""
    name = "".join(tinycss2.serialize(own.style.get("position-anchor", ())).split())
    area = set(words(own.style.get("position-area", ())))
    lies = own.hidden == "unclear style" or {"center", "span-all"} & area
    return name if lies and own.paint >= 0.9 else ""


def _spans(style: Style, own: Appearance, names: tuple[str, str, str], enough: float, reach: float) -> bool:
    """Whether an absolutely placed box reaches from edge to edge of the box around it, or over so many pixels."""
    size = names[2]
    first, last, extent = (length(style.get(name, ()), own.font, 1000.0) for name in names)
    least = length(style.get(f"min-{size}", ()), own.font, 1000.0)
    extent = max(extent or 0.0, least or 0.0) + reach
    in_pixels = reach > 0 or any(token.type == "dimension" for token in style.get(size, ()))
    wide = extent >= 950 or (in_pixels and extent >= enough > 0)
    if first is not None and first <= 20:
        return wide or (last is not None and last <= 20)
    return last is not None and last <= 20 and wide


def _is_large(picture: Any) -> bool:
    width = picture.get("width", "")
    return not width.isdecimal() or int(width[:6]) >= LEAST_PICTURE
