"""Where the box of an element lies by its styles, as far as they tell: nothing is laid out line by line."""

import math
from typing import Any, NamedTuple

import numpy as np

from mechaware.claims.reading.web.layout.clips import LEAST_BOX, is_masked, is_unclear, shape_is_empty
from mechaware.claims.reading.web.measures import Style, arranges, edge
from mechaware.claims.reading.web.seen import FAR, LETTER, Appearance, replace
from mechaware.claims.reading.web.values.lengths import HEIGHT, WIDTH, Tokens, functions, length, number, words
from mechaware.claims.reading.web.values.transforms import projected, transformation, turned
from mechaware.claims.rubric.text_flags import HiddenReason

FAR_DOWN = 50 * HEIGHT  # a page may be scrolled there, but nobody does
NO_BOX = {"none", "table-column", "table-column-group"}
CELLS = ("td", "th", "tr", "tbody", "thead", "tfoot", "col")
MOVING = {"transform", "translate", "rotate", "scale", "zoom"}
CUTS = {"hidden", "clip", "auto", "scroll", "overlay"}


class Box(NamedTuple):
    """A box in CSS pixels; `height` is None where its content decides. The content begins at `start`, below `above`."""

    position: str
    placed: bool  # absolutely, or in the window
    x: float
    width: float
    height: float | None
    shown: tuple[float, float]  # how much width and height a clip at its edge leaves for content
    tall: float  # the height of its text, about


def laid(tag: str, style: Style, own: Appearance, parent: Appearance, place: tuple[Any, int]) -> Appearance:
    """The appearance with the place of its box, and the reason if the box shows nothing of its content.

    `place` is the element, and its number in the order of the page.
    """
    box = _box(style, own, parent, place[0])
    scale, x, y, back = _transform(style, own, (box.width, box.height or box.tall))
    flat = "preserve-3d" not in words(parent.style.get("transform-style", ()))
    own = replace(own, fixed="fixed" in words(style.get("table-layout", ())) if tag == "table" else own.fixed)
    own = replace(own, averted=back if flat else back != parent.averted)
    own = replace(own, scale=parent.scale * scale, left=box.x + x + edge(style, "left", own.font, own.room))
    own = replace(own, room=max(box.width, 1.0) if box.width else own.room)
    shown = words(style.get("display", ()))
    loose = own.inline or shown[:1] in (["flex"], ["inline-flex"], ["grid"], ["inline-grid"], ["inline-block"])
    own = replace(own, slack=max(own.slack, parent.room) if loose or tag in CELLS else own.slack)
    own = _stacked(style, own, parent, box, place)
    own = replace(own, tall=0.0 if own.inline or box.placed else box.tall, box=box)
    top, bottom = (length(style.get(name, ()), own.font, math.nan) for name in ("top", "bottom"))
    down = next((each for each in (top, -bottom if bottom is not None else None) if each is not None), 0.0)
    own = replace(own, shift=y + (down if box.position == "relative" and down == down else 0.0))
    own = replace(own, edge_top=edge(style, "top", own.font, own.room))
    reason = own.hidden or _reason(tag, own, parent, box, (x, y), place[0])
    return replace(own, hidden=reason)


def _side(style: Style, name: str, font: float, whole: float) -> float:
    return (length(style[name], font, whole) or 0.0) if name in style else 0.0


def _box(style: Style, own: Appearance, parent: Appearance, element: Any) -> Box:
    position = (words(style.get("position", ())) or ["static"])[0].removeprefix("-webkit-")
    placed = position in ("absolute", "fixed")
    whole, edge = parent.room, parent.left
    if placed:
        whole, edge = (WIDTH, 0.0) if position == "fixed" else (parent.block_room, parent.block_left)
    left, right = (length(style.get(name, ()), own.font, whole) for name in ("left", "right"))
    before, after = (_side(style, f"margin-{name}", own.font, whole) for name in ("left", "right"))
    text = own.letters * LETTER * own.font
    width = _size(style, "width", own.font, whole)
    if width is None and placed:
        between = whole - (left or 0.0) - (right or 0.0)
        width = between if left is not None and right is not None else min(text, max(between, 0.0))
    elif width is None:
        width = text if own.inline else max(whole - before - after, 0.0)
    if words(style.get("margin-left", ())) == ["auto"] == words(style.get("margin-right", ())) and not placed:
        before = max(whole - width, 0.0) / 2
    x = (parent.left if placed and left is None else edge) + before
    if position != "static" and left is not None:
        x += left
    elif position != "static" and right is not None:
        x = edge + whole - right - width - after if placed else x - right
    lines = math.ceil(text / max(width, own.font)) if text else 0
    tall = min(lines, 1000) * own.line * own.font
    height = _height(style, own, parent, width, element)
    return Box(position, placed, x, width, height, _room_left(style, own, width, height), tall)


def _size(style: Style, name: str, font: float, whole: float) -> float | None:
    """A width or height within its bounds; None if the content decides."""
    size, most, least = (
        _bound(style[bound + name], font, whole, name) if bound + name in style else None
        for bound in ("", "max-", "min-")
    )
    if most is not None and name == "width":
        size = min(whole if size is None else size, most)
    elif most is not None:
        size = most if size is None and most < 2 * font else None if size is None else min(size, most)
    return size if size is None or least is None else max(size, least)


def _bound(tokens: Tokens, font: float, whole: float, name: str) -> float | None:
    """A bound of a size. A share of a height that the content decides is none."""
    if name == "height" and any(token.type == "percentage" for token in tokens):
        return None
    return length(tokens, font, whole)


def _height(style: Style, own: Appearance, parent: Appearance, width: float, element: Any) -> float | None:
    height = _size(style, "height", own.font, HEIGHT)
    if height is None and {"strict", "size"} & set(words(style.get("contain", ()))):
        height = 0.0
    ratio = [token.value for token in style.get("aspect-ratio", ()) if token.type == "number"]
    if height is None and ratio and ratio[0]:
        height = width / (ratio[0] / (ratio[1] if len(ratio) > 1 and ratio[1] else 1.0))
        height = height if height < own.font / 2 else None
    if height is None and {"top", "bottom"} <= style.keys() and words(style.get("position", ())) == ["absolute"]:
        edges = [number(style[name]) for name in ("top", "bottom")]
        if all(token.type == "percentage" for name in ("top", "bottom") for token in style[name]):
            height = max(0.0, 1 - sum(edge or 0.0 for edge in edges)) * HEIGHT
    rows = _tracks(style, "rows")
    if height is None and rows and not any(rows) and len(element) <= len(rows) * max(len(_tracks(style, "columns")), 1):
        height = 0.0
    return 0.0 if height is None and _no_track(parent, "rows", element) else height


def _tracks(style: Style, axis: str) -> list[float]:
    """The sizes of the rows, or columns, of a grid, where each is a number or a length; 1 stands for another size."""
    grid = {"grid", "inline-grid"} & set(words(style.get("display", ())))
    tracks = [token for token in style.get(f"grid-template-{axis}", ()) if token.type != "literal"] if grid else []
    known = all(token.type in ("dimension", "percentage", "number", "ident") for token in tracks)
    return [getattr(track, "value", 1.0) if track.type != "ident" else 1.0 for track in tracks] if known else []


def _no_track(parent: Appearance, axis: str, element: Any) -> bool:
    """Whether the parent is a grid whose rows, or columns, have no size, or whose column for the element has none."""
    tracks = _tracks(parent.style, axis)
    if not tracks or (any(tracks) and (axis == "rows" or {"grid-column", "grid-area"} & parent.style.keys())):
        return False
    before = sum(isinstance(one.tag, str) for one in element.itersiblings(preceding=True))
    return tracks[before % len(tracks)] == 0


def _room_left(style: Style, own: Appearance, width: float, height: float | None) -> tuple[float, float]:
    """How much a clip at the box's edge leaves for its text, across and down."""
    font, border = own.font, words(style.get("box-sizing", ())) == ["border-box"]
    left, right, top, bottom = (
        _side(style, f"padding-{name}", font, own.room) for name in ("left", "right", "top", "bottom")
    )
    across = (max(width, left + right) - left) if border else width + right
    down = HEIGHT
    if height is not None:
        down = (max(height, top + bottom) - top) if border else height + bottom
    return across - max(own.indent, 0.0), down - max(own.line - 1, 0.0) * font / 2


def _transform(style: Style, own: Appearance, size: tuple[float, float]) -> tuple[float, float, float, bool]:
    """The scale and the move of all transformations of a box of some size, and whether they show its back."""
    if MOVING.isdisjoint(style):
        return 1.0, 0.0, 0.0, False
    matrix = np.eye(4)
    moves = [
        length([part], own.font, whole) or 0.0 for part, whole in zip(style.get("translate", ()), size, strict=False)
    ]
    matrix[:2, 3] = [*moves, 0.0, 0.0][:2]
    angle = [token for token in style.get("rotate", ()) if token.type in ("dimension", "function")]
    axis = [token.value for token in style.get("rotate", ()) if token.type == "number"]
    named = {"x": (1, 0, 0), "y": (0, 1, 0)}.get("".join(words(style.get("rotate", ()))), (0, 0, 1))
    if angle:
        x, y, z = axis if len(axis) == 3 else named
        matrix = matrix @ turned(x, y, z, length(angle, 0, 0) or 0.0)
    shares = [share for token in style.get("scale", ()) if (share := number([token])) is not None]
    if shares:
        matrix = matrix @ np.diag([shares[0], shares[min(1, len(shares) - 1)], 1, 1])
    for token in functions(style.get("transform", ())):
        one = transformation(token, own.font, size)
        matrix = matrix @ (np.eye(4) if one is None else one)
    zoom = number(style.get("zoom", ()))
    scale, right, down = projected(matrix)
    return scale * (1.0 if zoom is None else zoom or 1.0), right, down, bool(matrix[2, 2] < 0)


def _stacked(style: Style, own: Appearance, parent: Appearance, box: Box, place: tuple[Any, int]) -> Appearance:
    """The appearance with its place in the stack, and as the block against which others are placed."""
    element, order = place
    names = ("transform", "translate", "rotate", "scale", "filter", "backdrop-filter", "perspective", "clip-path")
    lifted = any(words(style[name]) != ["none"] for name in names if name in style)
    lifted = lifted or (number(style.get("opacity", ())) or 1.0) < 1 or words(style.get("isolation", ())) == ["isolate"]
    index = number(style.get("z-index", ()))
    item = arranges(parent.style)
    if box.position in ("fixed", "sticky") or lifted or (index is not None and (box.position != "static" or item)):
        context = (*parent.context, (index or 0.0, order))
        own = replace(own, context=context, flow=context, backed=False)
    elif box.position != "static":
        own = replace(own, flow=(*parent.context, (0.0, order)))
    elif item:
        own = replace(own, flow=(*parent.flow, (-0.4, order)))
    if box.position != "static" or (lifted and not own.inline):
        slack = 0.0 if box.placed and parent.block is None else max(parent.block_slack, own.slack)
        own = replace(own, block=element, block_left=box.x, block_room=max(box.width, 1.0), block_slack=slack)
    if box.placed:
        own = replace(own, over=parent.block)
        own = replace(own, slack=0.0 if box.position == "fixed" else parent.block_slack)
    backed = own.backed or own.paint >= 0.5 or (own.picture and not parent.picture)
    return replace(own, backed=backed and element.tag not in ("html", "body") and own.context == parent.context)


def _reason(
    tag: str, own: Appearance, parent: Appearance, box: Box, moved: tuple[float, float], element: Any
) -> HiddenReason | None:
    """Why nothing within the element can be seen."""
    style = own.style
    if NO_BOX & set(words(style.get("display", ()))) or words(style.get("content-visibility", ())) == ["hidden"]:
        return "not visible"
    if any(token.type == "url" or token.type == "function" for token in style.get("content", ())):
        return "not visible"  # a picture takes the place of the text
    if own.averted and words(style.get("backface-visibility", ())) == ["hidden"]:
        return "not visible"
    if _is_off(style, own, parent, box, moved):
        return "off page"
    index = number(style.get("z-index", ())) if box.position != "static" else None
    behind = index is not None and index < 0 and parent.backed
    if behind or _is_cut(tag, style, own, parent, box, element) or is_masked(style, own):
        return "not visible"
    return "unclear style" if is_unclear(style, own) else None


def _is_off(style: Style, own: Appearance, parent: Appearance, box: Box, moved: tuple[float, float]) -> bool:
    x, width = box.x + moved[0], min(own.letters * LETTER * own.font, box.width) if box.width else 0.0
    width = max(width * min(own.scale / max(parent.scale, 1e-6), 1.0), own.font / 2)
    shift = _side(style, "margin-left", own.font, own.room) < 0 or moved[0] < 0 or box.position != "static"
    if shift and x + width + own.slack <= 0:
        return True
    if x >= WIDTH and (box.position != "static" or moved[0] > 0):
        return True
    top, bottom = (length(style.get(name, ()), own.font, HEIGHT) for name in ("top", "bottom"))
    down = _side(style, "margin-top", own.font, own.room) + moved[1]
    height = max(box.height if box.height is not None else box.tall, own.font)
    if box.position == "fixed" or (box.placed and parent.block is None):
        if top is not None:
            down += top
        elif bottom is not None:
            down = HEIGHT - bottom - height + moved[1]
        if (top is not None or bottom is not None) and (
            down + height <= 0 or (box.position == "fixed" and down >= HEIGHT)
        ):
            return True
    elif box.position != "static":
        down += top if top is not None else -(bottom or 0.0)
    return down <= -FAR or down >= FAR_DOWN


def _is_cut(tag: str, style: Style, own: Appearance, parent: Appearance, box: Box, element: Any) -> bool:
    """Whether the box or a clip leaves less than a letter of the text."""
    size = max(box.width, 1.0), max(box.tall if box.height is None else box.height, own.font)
    if any(shape_is_empty(token, own.font, size) for token in functions(style.get("clip-path", ()))):
        return True
    for token in functions(style.get("clip", ())) if box.placed else ():
        sides = [length([part], own.font, 0.0) for part in token.arguments if part.type in ("dimension", "number")]
        known = [side for side in sides if side is not None]
        if len(known) == 4 and (known[2] - known[0] < LEAST_BOX or known[1] - known[3] < LEAST_BOX):
            return True
    display = words(style.get("display", ()))
    if tag in ("td", "th") and own.fixed and box.width < own.font / 2:
        return bool(CUTS & set(words(style.get("overflow-x", ()))))
    if (own.inline and not box.placed and "float" not in style) or tag in CELLS or display[:1] == ["table-cell"]:
        return False
    within = {"paint", "strict", "content"} & set(words(style.get("contain", ())))
    axes = [bool(within or CUTS & set(words(style.get(f"overflow-{axis}", ())))) for axis in ("x", "y")]
    across, down = box.shown
    flex = {"flex", "inline-flex"} & set(words(parent.style.get("display", ())))
    if flex and (number(style.get("flex-grow", ())) or 0.0) > 0:
        across = WIDTH
    elif flex and number(style.get("flex-basis", ())) == 0 and any(axes):
        across = min(across, 0.0)
    across = 0.0 if _no_track(parent, "columns", element) else across
    if {"width", "max-width", "left", "flex-basis"}.isdisjoint(style) and not _no_track(parent, "columns", element):
        across = across if own.indent > 0 or "padding-left" in style else WIDTH
    return (any(axes) and across < own.font / 2) or (any(axes) and down < own.font * 0.4)
