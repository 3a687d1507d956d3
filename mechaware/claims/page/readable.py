"""Markdown and formulas of a judge's evidence as HTML. What comes in may be hostile: all text is escaped."""

import html
import re
from functools import cache
from xml.etree.ElementTree import Element, tostring

from latex2mathml.converter import convert_to_element
from markdown_it import MarkdownIt
from markupsafe import Markup, escape

# A formula stands between dollar signs that touch it, and has something that prices lack.
FORMULA = re.compile(r"\$\$?(?=\S)([^$\n]{0,200}?[\\^_={}a-zA-Z][^$\n]{0,200}?)(?<=\S)\$\$?(?!\d)|\\\((.{1,400}?)\\\)")
# Elements and attributes of MathML that latex2mathml writes and that can neither link, style nor run.
ELEMENTS = frozenset(
    (
        *("math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msub", "msup", "msubsup", "munder", "mover"),
        *("munderover", "mfrac", "msqrt", "mroot", "mtable", "mtr", "mtd", "mstyle", "mpadded", "menclose", "mphantom"),
    )
)
ATTRIBUTES = frozenset(("display", "mathvariant", "stretchy", "fence", "accent", "linethickness", "displaystyle"))


def readable(text: str) -> Markup:
    """The text with its inline Markdown (emphasis and code) and its LaTeX formulas rendered, all else escaped.

    Links, images and HTML stay the text that they are. A formula that cannot be read stays as it is.
    """
    parts, end = [], 0
    for match in FORMULA.finditer(text):
        parts += [_markdown(text[end : match.start()]), _formula(match[1] or match[2], match[0])]
        end = match.end()
    return Markup("").join([*parts, _markdown(text[end:])])


def _markdown(text: str) -> Markup:
    """Inline Markdown between the white space around it, which the parser would drop."""
    inner = text.strip()
    before, _, after = text.partition(inner) if inner else (text, "", "")
    return escape(before) + Markup(_parser().renderInline(inner)) + escape(after)  # noqa: S704 (the parser escapes)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("zero", {"html": False}).enable(["emphasis", "backticks", "newline"])


def _formula(latex: str, whole: str) -> Markup:
    try:
        element = convert_to_element(latex)
    except Exception:  # a parser for TeX in a judge's words raises nearly anything
        return escape(whole)
    if not all(map(_is_plain, element.iter())):
        return escape(whole)
    return Markup(tostring(element, encoding="unicode"))  # noqa: S704 (escaped by tostring)


def _is_plain(element: Element) -> bool:
    """Whether the element is one of MathML's own. Its text, which has entities in it, becomes plain text again."""
    element.text = html.unescape(element.text) if element.text else element.text
    for name in set(element.attrib) - ATTRIBUTES - {"xmlns"}:
        if name in ("href", "xlink:href") or name.startswith("on") or name in ("style", "class", "id", "src"):
            return False
        del element.attrib[name]
    return element.tag in ELEMENTS
