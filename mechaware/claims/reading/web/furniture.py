"""Tells the article of a page from its furniture."""

import re
from collections.abc import Iterator
from typing import Any

# A page's furniture hides words as it pleases: menus, dialogues, banners of cookies. It is no part of the article.
FURNITURE = {"nav", "footer", "dialog", "menu"}
ROLES = {"navigation", "banner", "dialog", "alertdialog", "menu", "menubar", "search", "contentinfo"}
NAMES = re.compile(
    r"(?:^|[-_\s])(?:nav|navbar|menu|cookies?|consent|modal|popup|dropdown|comments?|sidebar|disqus)(?:$|[-_\s])", re.I
)
BLOCKS = {
    *("p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "li", "ul", "ol", "table", "tr", "pre", "blockquote", "section"),
    *("article", "main", "figure", "figcaption", "dl", "dt", "dd", "br", "hr", "aside", "header", "details", "summary"),
    *("body", "caption", "center", "address"),
}
CODE = {"script", "style"}


def is_furniture(element: Any) -> bool:
    """Whether an element is no part of an article, by its tag, its role or its names."""
    if element.tag in ("html", "body", "main", "article"):
        return False
    if element.tag == "aside":
        return not any(one.tag in ("main", "article") for one in element.iterancestors())
    name = f"{element.get('class', '')} {element.get('id', '')}"
    return element.tag in FURNITURE or element.get("role") in ROLES or bool(NAMES.search(name))


def article_of(tree: Any) -> Any:
    """The element that holds the article: the only `main` or `article`, or the body."""
    for tag in ("main", "article"):
        found = list(tree.iter(tag))
        if len(found) == 1:
            return found[0]
    return tree.find("body") if tree.find("body") is not None else tree


def heading_of(tree: Any, article: Any) -> Any:
    """The head of a page with its title, if that stands before the article; else None."""
    title = next(tree.iter("h1"), None)
    if title is None or title is article or article in title.iterancestors():
        return None
    return next(title.iterancestors("header"), title)


def plain_text(element: Any) -> str:
    """The text of an element without the furniture in it, one line for each block."""
    lines = "".join(_parts(element)).split("\n")
    return "\n".join(line for each in lines if (line := " ".join(each.split())))


def _parts(element: Any) -> Iterator[str]:
    if not isinstance(element.tag, str) or element.tag in CODE or is_furniture(element):
        return
    around = "\n" if element.tag in BLOCKS else " " if element.tag in ("td", "th") else ""
    yield around + (element.text or "")
    for child in element:
        yield from _parts(child)
        yield child.tail or ""
    yield around
