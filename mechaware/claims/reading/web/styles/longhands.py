"""The long properties that a declaration sets, under the names that are read here."""

from collections.abc import Mapping
from typing import Any

from mechaware.claims.reading.web.styles.grammar import FREE, GRAMMARS, IMAGES, WIDE, Grammar, accepted, verdict
from mechaware.claims.reading.web.values.lengths import Tokens, bare, split, words, written

UNCLEAR: list[Any] = written("-unclear-")  # stands for a value that may be valid, and do anything
SIDES = ("top", "right", "bottom", "left")
FLOW = {"block-start": "top", "block-end": "bottom", "inline-start": "left", "inline-end": "right"}
ALIASES = {
    **{f"inset-{flow}": side for flow, side in FLOW.items()},
    **{f"{box}-{flow}": f"{box}-{side}" for box in ("margin", "padding") for flow, side in FLOW.items()},
    **{f"{bound}block-size": f"{bound}height" for bound in ("", "min-", "max-")},
    **{f"{bound}inline-size": f"{bound}width" for bound in ("", "min-", "max-")},
    "overflow-block": "overflow-y", "overflow-inline": "overflow-x",
    "offset": "offset-path", "grid-row-start": "grid-row", "grid-column-start": "grid-column",
}  # fmt: skip
PREFIXED = {"transform", "filter", "clip-path", "mask", "mask-image", "mask-size", "background-clip", "animation"}
PREFIXED |= {"animation-name", "animation-fill-mode", "flex", "flex-grow", "background-size", "backdrop-filter"}
FOUR = {"margin": "margin-{}", "padding": "padding-{}", "inset": "{}"}
FOUR |= {"border-width": "border-{}-width", "border-color": "border-{}-color"}
BORDERS = {"border": SIDES, **{f"border-{side}": (side,) for side in SIDES}}
BORDERS |= {f"border-{flow}": (side,) for flow, side in FLOW.items()}
LINES = {"dotted", "dashed", "solid", "double", "groove", "ridge", "inset", "outset"}
TWO = {
    f"{box}-{axis}": tuple(f"{box}-{axis}-{end}" for end in ("start", "end"))
    for box in ("margin", "padding", "inset")
    for axis in ("block", "inline")
}
FONT = {
    *("normal", "italic", "oblique", "small-caps", "bold", "bolder", "lighter", "condensed", "expanded"),
    *("semi-condensed", "extra-condensed", "ultra-condensed", "semi-expanded", "extra-expanded", "ultra-expanded"),
}
SYSTEM_FONTS = {"caption", "icon", "menu", "message-box", "small-caption", "status-bar"}
PLACING = Grammar(
    "none left right top bottom center repeat repeat-x repeat-y no-repeat space round fixed local scroll border-box "
    "padding-box content-box text cover contain auto add subtract intersect exclude alpha luminance match-source "
    "no-clip fill-box stroke-box view-box",
    "lpci/,",
    "",
    99,
)


def longhands(name: str, value: Tokens) -> dict[str, Tokens]:
    """The values of long properties that a declaration sets, without variables; none if browsers drop it."""
    tokens = bare(value)
    if name.startswith("-webkit-") and name.removeprefix("-webkit-") in PREFIXED:
        name = name.removeprefix("-webkit-")
    if name == "all":
        return dict.fromkeys([*GRAMMARS, *FREE], tokens) if set(words(tokens)) & WIDE else {}
    values = _expanded(name, tokens)
    found: dict[str, Tokens] = {}
    for long, part in values.items():
        long = ALIASES.get(long, long)
        if long in GRAMMARS or long in FREE:
            answer = verdict(long, part)
            if answer == "invalid":
                return {}
            found[long] = UNCLEAR if answer == "unclear" else part
    return found


def _expanded(name: str, tokens: list[Any]) -> Mapping[str, Tokens]:
    if len(tokens) == 1 and set(words(tokens)) & WIDE:
        return dict.fromkeys(parts(name), tokens)
    if name in FOUR and 0 < len(tokens) <= 4:
        four = [tokens[index] if index < len(tokens) else tokens[max(index - 2, 0) % len(tokens)] for index in range(4)]
        return {FOUR[name].format(side): [token] for side, token in zip(SIDES, four, strict=True)}
    if name in TWO and 0 < len(tokens) <= 2:
        return dict(zip(TWO[name], ([tokens[0]], [tokens[-1]]), strict=True))
    if name == "overflow" and 0 < len(tokens) <= 2:
        return {"overflow-x": [tokens[0]], "overflow-y": [tokens[-1]]}
    if name in ("background", "mask"):
        return _painted(name, tokens)
    if name == "font":
        return _font(tokens)
    if name == "flex":
        return _flex(tokens)
    if name == "grid-template":
        rows, columns = [*split(tokens, "/"), [], []][:2]
        return {"grid-template-rows": rows, "grid-template-columns": columns or written("none")}
    if name in BORDERS:
        return _border(name, tokens)
    if name in ("text-decoration", "-webkit-text-stroke"):
        return _sorted_out(name, tokens)
    return {name: tokens} if name not in (*FOUR, *TWO, "overflow") else {}


def parts(name: str) -> list[str]:
    """The long properties of a short one; itself if it is long."""
    if name in FOUR:
        return [FOUR[name].format(side) for side in SIDES]
    known = {
        "overflow": ["overflow-x", "overflow-y"],
        "background": ["background-color", "background-image", "background-clip", "background-size"],
        "mask": ["mask-image", "mask-size"],
        "font": ["font-size", "line-height", "font-size-adjust"],
        "flex": ["flex-grow", "flex-basis"],
        "grid-template": ["grid-template-rows", "grid-template-columns"],
        "text-decoration": ["text-decoration-line", "text-decoration-thickness"],
        "-webkit-text-stroke": ["-webkit-text-stroke-width", "-webkit-text-stroke-color"],
    }
    if name in BORDERS:
        return [f"border-{side}-{part}" for side in BORDERS[name] for part in ("width", "color")]
    return known.get(name, list(TWO.get(name, [name])))


def _painted(name: str, tokens: list[Any]) -> Mapping[str, Tokens]:
    """The parts of the background or of the mask: its pictures, their sizes, its colour."""
    verdicts = {accepted(token, PLACING) for token in tokens if token.type != "literal"} or {"invalid"}
    if "invalid" in verdicts:
        return {}
    if "unclear" in verdicts:
        return dict.fromkeys(parts(name), UNCLEAR)
    pictures = [token for token in tokens if token.type == "url" or getattr(token, "lower_name", "") in IMAGES]
    sizes = [part for layer in split(tokens) for part in split(layer, "/")[1:2]]
    sizing = [token for part in sizes for token in part if accepted(token, GRAMMARS["background-size"]) == "valid"]
    values: dict[str, Tokens] = {
        f"{name}-image": pictures or written("none"),
        f"{name}-size": sizing or written("auto"),
    }
    if name == "background":
        last = [token for token in tokens if accepted(token, GRAMMARS["color"]) == "valid"]
        values["background-color"] = last[-1:] or written("transparent")
        values["background-clip"] = written("text" if "text" in words(tokens) else "border-box")
    return values


def _font(tokens: list[Any]) -> Mapping[str, Tokens]:
    if len(tokens) == 1 and set(words(tokens)) & SYSTEM_FONTS:
        return {"font-size": written("13px"), "line-height": written("normal")}
    index = 0
    while index < len(tokens) and _before_size(tokens[index], tokens[index - 1] if index else None):
        index += 1
    size, rest = tokens[index : index + 1], tokens[index + 1 :]
    line: Tokens = written("normal")
    if rest[:1] and rest[0].type == "literal" and rest[0].value == "/":
        line, rest = rest[1:2], rest[2:]
    families = [token for token in rest if not (token.type == "literal" and token.value == ",")]
    if not families or any(token.type not in ("ident", "string") for token in families):
        return {}
    return {"font-size": size, "line-height": line, "font-size-adjust": written("none")}


def _before_size(token: Any, before: Any) -> bool:
    if token.type == "ident":
        return token.lower_value in FONT
    if token.type == "dimension":
        return token.lower_unit == "deg" and before is not None and words([before]) == ["oblique"]
    return bool(token.type == "number" and 1 <= token.value <= 1000)


def _flex(tokens: list[Any]) -> Mapping[str, Tokens]:
    named = {"none": ("0", "auto"), "auto": ("1", "auto")}.get(" ".join(words(tokens)))
    if named and len(tokens) == 1:
        return {"flex-grow": written(named[0]), "flex-basis": written(named[1])}
    numbers = [token for token in tokens if token.type == "number"]
    basis = [token for token in tokens if token.type != "number"] or numbers[2:3]
    return {"flex-grow": numbers[:1] or written("1"), "flex-basis": basis or written("0%")}


def _border(name: str, tokens: list[Any]) -> Mapping[str, Tokens]:
    """The widths and colours of borders; one without a line has none."""
    colours = [token for token in tokens if accepted(token, GRAMMARS["color"]) == "valid"]
    widths = [token for token in tokens if accepted(token, GRAMMARS["border-top-width"]) == "valid"]
    if len(tokens) > 3 or any(token.type == "function" and token not in (*colours, *widths) for token in tokens):
        return {}
    drawn = bool(LINES & set(words(tokens)))
    values = {
        "width": (widths or written("3px")) if drawn else written("0"),
        "color": colours or written("currentcolor"),
    }
    return {f"border-{side}-{part}": value for side in BORDERS[name] for part, value in values.items()}


def _sorted_out(name: str, tokens: list[Any]) -> Mapping[str, Tokens]:
    """The parts of a short property whose values tell to which long one they belong."""
    colours = [token for token in tokens if accepted(token, GRAMMARS["color"]) == "valid"]
    rest = [token for token in tokens if token not in colours]
    if name == "-webkit-text-stroke":
        colour = {"-webkit-text-stroke-color": colours or written("currentcolor")}
        return {"-webkit-text-stroke-width": rest or written("0")} | colour
    lines = [token for token in rest if accepted(token, GRAMMARS["text-decoration-line"]) == "valid"]
    thick = [token for token in rest if token.type != "ident"]
    return {
        "text-decoration-line": lines or written("none"),
        "text-decoration-thickness": thick or written("auto"),
    }
