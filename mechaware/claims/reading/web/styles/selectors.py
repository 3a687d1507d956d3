"""Selectors as cssselect2 reads them, and what becomes of pseudo-classes that it or this room does not know."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, NamedTuple

import cssselect2
import tinycss2
from cssselect2 import parser

from mechaware.claims.reading.web.values.lengths import Tokens, written

MOST_CHARACTERS, DEEPEST = 5_000, 20  # of a selector, and its brackets; beyond, it may match anything or nothing
ALWAYS, NEVER = ":is(:root, *)", ":not(*)"  # with the specificity of a pseudo-class
PLAIN = {
    *("link", "any-link", "local-link", "enabled", "disabled", "checked", "visited", "hover", "active", "focus"),
    *("focus-within", "focus-visible", "target", "target-within", "current", "past", "future", "playing", "paused"),
    *("seeking", "buffering", "stalled", "muted", "volume-locked", "user-valid", "user-invalid", "host", "root"),
    *("scope", "first-child", "last-child", "first-of-type", "last-of-type", "only-child", "only-of-type", "empty"),
    *("before", "after", "first-line", "first-letter", "lang", "nth-child", "nth-last-child", "nth-of-type"),
    "nth-last-of-type",
}
# In a page that nobody has touched yet.
KNOWN = dict.fromkeys(
    (
        *("fullscreen", "-webkit-full-screen", "popover-open", "modal", "state", "autofill", "-webkit-autofill"),
        *("picture-in-picture", "host-context", "has-slotted", "indeterminate", "interest-source", "interest-target"),
        *("active-view-transition", "xr-overlay", "-webkit-drag", "out-of-range", "invalid", "placeholder-shown"),
        *("-webkit-full-screen-ancestor", "-webkit-scrollbar", "horizontal", "vertical", "blank"),
    ),
    NEVER,
) | {
    "defined": ALWAYS,
    "read-only": ":not(input, textarea, [contenteditable])",
    "read-write": ":is(input, textarea, [contenteditable])",
    "optional": ":is(input, select, textarea):not([required])",
    "required": ":is(input, select, textarea)[required]",
    "valid": ":is(form, fieldset, input, select, textarea)",
    "in-range": "input[type=number]",
    "default": ":is(option[selected], input[checked])",
    "open": ":is(details, dialog)[open]",
    "-webkit-any-link": ":any-link",
}
OTHER_BROWSERS = ("-moz-", "-ms-", "-o-", "-khtml-")
# Parts of an element that hold no text of the page.
PARTS = {
    *("backdrop", "cue", "cue-region", "part", "slotted", "highlight", "view-transition", "column"),
    *("scroll-marker", "scroll-button", "scroll-marker-group", "picker", "picker-icon", "checkmark", "search-text"),
    *("view-transition-group", "view-transition-old", "view-transition-new", "view-transition-image-pair"),
}


class Reading(NamedTuple):
    """A selector that can be compiled, and what has to be true for it to stand for what is written."""

    text: str
    conditions: frozenset[tuple[str, bool]]


@dataclass
class _Found:
    """What is met in a selector: pseudo-classes that are not known, parts of elements, errors."""

    unknown: list[str] = field(default_factory=list)
    part: bool = False
    invalid: bool = False


def readings(selectors: str) -> list[Reading]:
    """What a list of selectors may stand for; nothing if browsers drop it.

    Each pseudo-class that is not known is taken as true, as false, and as an error that drops the rule.
    """
    if len(selectors) > MOST_CHARACTERS or _depth(selectors) > DEEPEST:
        return [unreadable(selectors)]
    tokens = tinycss2.parse_component_value_list(selectors, skip_comments=True)
    result, doubts = [], set()
    for part in at_commas(tokens):
        for holds in (True, False):
            found = _Found()
            text = _rewritten(part, holds, found)
            if found.invalid:
                return []
            doubts.update(found.unknown)
            true = frozenset((f":{name}", holds) for name in found.unknown)
            if not found.part and (holds or found.unknown):
                result.append(Reading(text, true))
    valid = frozenset((f"the rule with :{name}", True) for name in doubts)
    return [Reading(text, conditions | valid) for text, conditions in result]


def unreadable(selectors: str) -> Reading:
    """Stands for selectors that cannot be compiled although browsers may apply them."""
    return Reading("*", frozenset({(selectors[:200], True)}))


def _depth(text: str) -> int:
    """How deep brackets are nested."""
    return max(accumulate((one == "(") - (one == ")") for one in text), default=0)


def at_commas(tokens: Tokens) -> Iterator[list[Any]]:
    """The tokens between commas, white space included."""
    part: list[Any] = []
    for token in tokens:
        if token.type == "literal" and token.value == ",":
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _rewritten(tokens: Sequence[Any], holds: bool, found: _Found) -> str:
    result, index = [], 0
    while index < len(tokens):
        token = tokens[index]
        after = [each for each in tokens[index + 1 : index + 3] if each.type in ("literal", "ident", "function")]
        if token.type != "literal" or token.value not in (":", "&") or (token.value == ":" and not after):
            result.append(token.serialize())
        elif token.value == "&":
            result.append(":root")
        elif after[0].type == "literal" and len(after) == 2:
            result.append(_part(after[1], found))
            index += 2
        elif after[0].type != "literal":
            result.append(_pseudo_class(after[0], holds, found))
            index += 1
        index += 1
    return "".join(result)


def _part(token: Any, found: _Found) -> str:
    name = token.lower_name if token.type == "function" else token.lower_value
    if name in parser.SUPPORTED_PSEUDO_ELEMENTS and token.type == "ident":
        return f"::{name}"
    if name == "details-content":  # in open ones; closed ones are read as a reader opens them
        return "[open] > :not(summary)"
    found.part = True
    found.invalid |= name.startswith(OTHER_BROWSERS)
    if name not in PARTS and not name.startswith("-webkit-"):
        found.unknown.append(f":{name}")
    return ""


def _pseudo_class(token: Any, holds: bool, found: _Found) -> str:
    name = token.lower_name if token.type == "function" else token.lower_value
    if token.type == "function" and name in ("is", "where", "-webkit-any"):
        # Browsers leave out what they do not know in such a list.
        parts = [(_rewritten(part, False, one := _Found()), one) for part in at_commas(token.arguments)]
        good = [part for part, one in parts if not (one.invalid or one.unknown) and _compiles(part)]
        return f":{name.replace('-webkit-any', 'is')}({', '.join(good)})" if good else NEVER
    if token.type == "function" and name in ("not", "has"):
        return f":{name}({_rewritten(token.arguments, holds, found)})"
    if name == "dir" and token.type == "function":
        right = "rtl" in tinycss2.serialize(token.arguments).lower()
        return ":is([dir=rtl], [dir=rtl] *)" if right else ":not([dir=rtl], [dir=rtl] *)"
    if name in PLAIN:
        return f":{token.serialize()}"
    found.invalid |= name.startswith(OTHER_BROWSERS)
    if name in KNOWN:
        return KNOWN[name]
    found.unknown.append(name)
    return ALWAYS if holds else NEVER


def _compiles(text: str) -> bool:
    try:
        return bool(cssselect2.compile_selector_list(text))
    except (cssselect2.SelectorError, NotImplementedError):
        return False


def names(text: str, namespaces: dict[str | None, str]) -> set[str]:
    """The classes, identifiers and tags, as .a, #a and a, without any of which a selector matches nothing."""
    wanted: set[str] = set()
    for selector in parser.parse(written(text), namespaces):
        node = selector.parsed_tree
        while node is not None:
            compound = node.right if isinstance(node, parser.CombinedSelector) else node
            for simple in compound.simple_selectors:
                if isinstance(simple, parser.ClassSelector):
                    wanted.add(f".{simple.class_name}")
                elif isinstance(simple, parser.IDSelector):
                    wanted.add(f"#{simple.ident}")
                elif isinstance(simple, parser.LocalNameSelector):
                    wanted.add(simple.lower_local_name)
            node = getattr(node, "left", None)
    return wanted
