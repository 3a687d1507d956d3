"""Reads a web page: its visible article text, and apart from it what its own styles hide."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mechaware.claims.reading.pdf_reader import Hidden, Reading, UnreadableError

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
# What is not shown as text, and what a page hides only until its scripts have run.
NEVER_OUT = ("html", "head", "title", "meta", "link", "style", "body")
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
SELECTOR = re.compile(r"([a-zA-Z][\w-]*)?(?:([.#])([\w-]+))?")


def read_html(document: Path) -> Reading:
    """The article's text without comments, by trafilatura, which is given no address and asks the network for nothing.

    Elements that an inline style, the attribute `hidden` or a plain rule of the page's own style sheet (one element,
    class or identifier, outside of @media) hides are taken out first: not displayed, transparent, tiny, white without
    a darker background of its own or of an ancestor, or moved off the page. Style sheets that the page only refers to
    are not asked for, and scripts do not run. All has page 1. (trafilatura leaves out what is
    marked `aria-hidden`, which is seen: the second rendering of a formula, as a rule.)
    Raises `UnreadableError` of kind empty, encoding or no_text.
    """
    from lxml import etree, html  # type: ignore[import-untyped]
    from trafilatura import extract

    data = document.read_bytes()
    if not data.strip():
        raise UnreadableError("empty", "the file is empty; enter an intact copy")
    try:
        tree = html.document_fromstring(_decoded(data))
    except (etree.ParserError, ValueError) as error:
        raise UnreadableError("no_text", "it holds no HTML; enter an intact copy") from error
    etree.strip_elements(tree, "script", "noscript", "template", etree.Comment, with_tail=False)
    hidden = _take_out(tree)
    text = extract(tree, include_comments=False, include_tables=True) or ""
    if not any(character.isalnum() for character in text):
        message = "no article text was found in the page; it may need scripts to run: save its text by hand"
        raise UnreadableError("no_text", message)
    return Reading(text, hidden)


def _decoded(data: bytes) -> str:
    """By byte-order mark, the page's own declaration, or UTF-8; a page that is none of them is refused."""
    declared = re.search(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w-]+)", data[:4096], re.I)
    names = ["utf-8-sig"] if data.startswith(b"\xef\xbb\xbf") or not declared else [declared[1].decode(), "utf-8"]
    for name in names:
        try:
            # lxml refuses a declared encoding in a text that is decoded already.
            return re.sub(r"^\s*<\?xml[^>]*\?>", "", data.decode(name))
        except (LookupError, UnicodeError):
            continue
    raise UnreadableError("encoding", f"it is not in {names[0]}; save it as UTF-8")


def _take_out(tree: Any) -> list[Hidden]:
    rules = _rules(" ".join(style.text or "" for style in tree.iter("style")))
    hidden = []
    styles: dict[Any, dict[str, str]] = {}
    for element in list(tree.iter()):
        if not isinstance(element.tag, str):
            continue
        style = styles[element] = _style(element, rules)
        reason = None if element.tag in NEVER_OUT else _reason(element, style, styles)
        if reason and tree in element.iterancestors():  # else it went out with one above it
            text = " ".join(element.text_content().split())
            element.drop_tree()
            if text:
                hidden.append(Hidden(1, reason, text))
    return hidden


def _rules(sheet: str) -> dict[tuple[str, str, str], dict[str, str]]:
    """Declarations by plain selector: (element, "." or "#", name). Rules inside of @media and the like are left out."""
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


def _reason(element: Any, style: Mapping[str, str], styles: Mapping[Any, Mapping[str, str]]) -> str | None:
    if element.get("hidden") is not None and "display" not in style:
        return "invisible"
    if any(re.fullmatch(pattern, style.get(name, "")) for name, pattern in UNSEEN.items()) or _cut(style):
        return "invisible"
    if _tiny(style.get("font-size", "")):
        return "tiny"
    places = [style.get("text-indent", "")]
    if style.get("position") in ("absolute", "fixed"):
        places += [style.get(name, "") for name in ("left", "top", "margin-left", "margin-top")]
    if any((match := re.match(r"-([\d.]+)(px|em|rem|vw|vh|%)", place)) and _far(*match.groups()) for place in places):
        return "off page"
    if _transparent(style.get("color", "")):
        return "invisible"
    if _pale(style.get("color", "")):
        around = [style, *(styles.get(ancestor, {}) for ancestor in element.iterancestors())]
        grounds = (one.get("background-color") or one.get("background") for one in around)
        ground = next((value for value in grounds if value), "white")
        return "white" if _pale(ground) or _transparent(ground) or ground in ("none", "inherit") else None
    return None


def _cut(style: Mapping[str, str]) -> bool:
    """Whether nothing of it is left by clipping or by a height or width of zero."""
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
        return all(int(digits[place : place + 2], 16) >= WHITE for place in (0, 2, 4))
    if match := RGB.match(value):
        return all(
            float(part.rstrip("%")) * (2.55 if part.endswith("%") else 1.0) >= WHITE for part in match.groups()[:3]
        )
    if match := HSL.match(value):
        return float(match[1]) >= 95
    return value in PALE
