"""Fills the templates of pages and Markdown with texts from papers and judges, which may be
hostile.

In a page every value is escaped, and a content security policy forbids all but the page's own style
and scripts. In Markdown every value shows as it is, on one line.
"""

import base64
import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from mechaware.verdicts import page as verdict_page

TEMPLATES = Path(__file__).parent / "templates"
# Control characters, and characters that set the direction of text.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~$!&])")


def render_html(name: str, *scripts: str, **values: Any) -> str:
    """The page of the template `name`, with its style and a content security policy.

    The policy allows this style and the texts `scripts` of the page's scripts, and nothing else.
    """
    style = (TEMPLATES / "page.css").read_text(encoding="utf-8")
    own = {"style": Markup(style), "policy": _policy(style, *scripts)}  # noqa: S704 (ours)
    return _render(name, mark_controls, html=True, **own, **values)


def render_markdown(name: str, **values: Any) -> str:
    """A template of Markdown, in which every value shows as it is."""
    return _render(name, escape_markdown, html=False, **values)


def mark_controls(value: object) -> object:
    """Text with a visible mark for each character that controls the display or that HTML forbids.

    Anything else is given back as it is: `Markup`, which is escaped already, and numbers.
    """
    if type(value) is not str:
        return value
    return CONTROL.sub("\N{REPLACEMENT CHARACTER}", value)


def escape_markdown(value: object) -> str:
    """A value on one line, as Markdown that shows it as it is."""
    legible = str(mark_controls(str(value)))
    on_one_line = re.sub(r"\s+", " ", legible)
    return MARKDOWN.sub(r"\\\1", on_one_line)


def _render(name: str, finalize: Callable[[Any], object], *, html: bool, **values: Any) -> str:
    """The template `name` filled with `values`; `finalize` is applied to each value that
    the template prints.
    """
    environment = Environment(
        loader=FileSystemLoader([TEMPLATES, verdict_page.TEMPLATES]),
        autoescape=html,  # noqa: S701 (Markdown is escaped by `finalize`)
        undefined=StrictUndefined,
        finalize=finalize,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=not html,
    )
    environment.filters |= {"rate": verdict_page.rate_text, "case": verdict_page.case_text}
    return environment.get_template(name).render(values)


def _policy(style: str, *scripts: str) -> str:
    """A content security policy that allows the page's own style and scripts by their
    digests, and nothing else.
    """
    allowed = "".join(f"script-src '{_digest(script)}'; " for script in scripts)
    return f"default-src 'none'; style-src '{_digest(style)}'; {allowed}base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
