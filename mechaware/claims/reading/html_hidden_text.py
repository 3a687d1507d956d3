"""Finds the text of a web page that its own styles hide."""

import re
from collections.abc import Mapping
from typing import Any

from mechaware.claims.reading.readings import Hidden
from mechaware.claims.rubric.text_flags import HiddenReason

WHITE = 0.9 * 255  # of each of red, green, blue; as in a PDF
LEAST_SIZE = 2.0  # CSS pixels; as a share of the text around it, a tenth
FAR = 900.0  # CSS pixels to the left of or above the page
UNSEEN = {
    "display": r"none",
    "visibility": r"hidden|collapse",
    "opacity": r"0*\.?0+%?",
    "content-visibility": r"hidden",
}
ZERO = r"0*\.?0+(px|pt|em|rem|%)?"
RGB = re.compile(r"rgba?\(\s*([\d.]+%?)[\s,]+([\d.]+%?)[\s,]+([\d.]+%?)(?:[\s,/]+([\d.]+%?))?\s*\)")
HSL = re.compile(r"hsla?\([^,/ ]+[\s,]+[\d.]+%[\s,]+([\d.]+)%")
PALE = ("white", "snow", "ivory", "ghostwhite", "whitesmoke", "floralwhite", "mintcream", "azure")
# Elements that hold no text of the page, or that a page hides only until its scripts have run.
NEVER_OUT = ("html", "head", "title", "meta", "link", "style", "body")
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
SELECTOR = re.compile(r"([a-zA-Z][\w-]*)?(?:([.#])([\w-]+))?")


def take_out_hidden(tree: Any) -> list[Hidden]:
    """Remove the elements that a reader of the page cannot see from an lxml tree; give their text, on page 1.

    An element is hidden if an inline style, the attribute `hidden` or a simple rule of the page's own style sheet (one
    element, class or identifier, outside of @media) makes it not displayed, transparent, tiny, white without a darker
    background of its own or of an ancestor, or moves it off the page.
    """
    rules = _rules(" ".join(style.text or "" for style in tree.iter("style")))
    hidden = []
    styles: dict[Any, dict[str, str]] = {}
    for element in list(tree.iter()):
        if not isinstance(element.tag, str):
            continue
        style = styles[element] = _style(element, rules)
        reason = None if element.tag in NEVER_OUT else _reason(element, style, styles)
        if reason and tree in element.iterancestors():  # otherwise it was removed with an ancestor
            text = " ".join(element.text_content().split())
            element.drop_tree()
            if text:
                hidden.append(Hidden(1, reason, text))
    return hidden


def _rules(sheet: str) -> dict[tuple[str, str, str], dict[str, str]]:
    """Declarations by simple selector: (element, "." or "#", name). Rules inside of @media and the like are ignored."""
    sheet = re.sub(r"/\*.*?\*/", " ", sheet, flags=re.S)
    sheet = re.sub(r"@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}|@[^{};]*;", " ", sheet)
    rules: dict[tuple[str, str, str], dict[str, str]] = {}
    for selectors, block in RULE.findall(sheet):
        for selector in selectors.split(","):
            if (match := SELECTOR.fullmatch(selector.strip())) and match[0]:
                rules.setdefault((match[1] or "", match[2] or "", match[3] or ""), {}).update(_declarations(block))
    return rules


def _declarations(block: str) -> dict[str, str]:
    pairs = (declaration.split(":", 1) for declaration in block.lower().split(";") if ":" in declaration)
    return {name.strip(): value.replace("!important", "").strip() for name, value in pairs}


def _style(element: Any, rules: Mapping[tuple[str, str, str], Mapping[str, str]]) -> dict[str, str]:
    style: dict[str, str] = {}
    keys = [("", ""), *((".", name) for name in element.get("class", "").split()), ("#", element.get("id", ""))]
    for mark, name in keys:
        for tag in ("", element.tag):
            style |= rules.get((tag, mark, name), {})
    if element.tag == "font" and element.get("color"):
        style["color"] = element.get("color").lower()
    return style | _declarations(element.get("style", ""))


def _reason(element: Any, style: Mapping[str, str], styles: Mapping[Any, Mapping[str, str]]) -> HiddenReason | None:
    if element.get("hidden") is not None and "display" not in style:
        return "invisible"
    if any(re.fullmatch(pattern, style.get(name, "")) for name, pattern in UNSEEN.items()) or _cut(style):
        return "invisible"
    if _tiny(style.get("font-size", "")):
        return "tiny"
    shifts = [style.get("text-indent", "")]
    if style.get("position") in ("absolute", "fixed"):
        shifts += [style.get(name, "") for name in ("left", "top", "margin-left", "margin-top")]
    if any((match := re.match(r"-([\d.]+)(px|em|rem|vw|vh|%)", shift)) and _far(*match.groups()) for shift in shifts):
        return "off page"
    if _transparent(style.get("color", "")):
        return "invisible"
    if _pale(style.get("color", "")):
        around = [style, *(styles.get(ancestor, {}) for ancestor in element.iterancestors())]
        backgrounds = (around_it.get("background-color") or around_it.get("background") for around_it in around)
        background = next((value for value in backgrounds if value), "white")
        shows_white = _pale(background) or _transparent(background) or background in ("none", "inherit")
        return "white" if shows_white else None
    return None


def _cut(style: Mapping[str, str]) -> bool:
    """Whether clipping, or a height or width of zero, leaves nothing of the element."""
    clip = style.get("clip", "") + style.get("clip-path", "")
    if re.search(r"rect\((\s*[01](px)?[\s,]*){4}\)|inset\(\s*(50|100)%", clip):
        return True
    flat = any(re.fullmatch(ZERO, style.get(name, "")) for name in ("height", "width", "max-height", "max-width"))
    return flat and style.get("overflow", "") in ("hidden", "clip")


def _tiny(size: str) -> bool:
    match = re.fullmatch(r"(\d*\.?\d+)(px|pt|em|rem|%)?", size)
    if not match:
        return False
    least = {"px": LEAST_SIZE, "pt": LEAST_SIZE, "%": 10.0}.get(match[2] or "px", 0.1)
    return float(match[1]) < least


def _far(number: str, unit: str) -> bool:
    return float(number) * {"px": 1.0, "em": 16.0, "rem": 16.0}.get(unit, 10.0) >= FAR


def _transparent(value: str) -> bool:
    match = RGB.match(value)
    opacity = match[4] if match else None
    return value == "transparent" or bool(opacity and re.fullmatch(r"0*\.?0+%?", opacity))


def _pale(value: str) -> bool:
    """Whether a CSS colour is near white."""
    value = value.split(" url")[0].strip()
    if match := re.match(r"#([0-9a-f]{6}|[0-9a-f]{3})\b", value):
        digits = match[1] if len(match[1]) == 6 else "".join(2 * digit for digit in match[1])
        return all(int(digits[start : start + 2], 16) >= WHITE for start in (0, 2, 4))
    if match := RGB.match(value):
        return all(
            float(part.rstrip("%")) * (2.55 if part.endswith("%") else 1.0) >= WHITE for part in match.groups()[:3]
        )
    if match := HSL.match(value):
        return float(match[1]) >= 95
    return value in PALE
