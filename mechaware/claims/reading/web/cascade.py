"""Resolves the style sheets of a page: which declarations hold for each of its elements."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cmp_to_key
from typing import Any, NamedTuple

import cssselect2
import tinycss2

from mechaware.claims.reading.web.media import media_matches
from mechaware.claims.reading.web.values import Tokens, split, words, written

APPLIED = ("supports", "layer", "container", "scope")  # as if their conditions held
MOST_TOKENS = 1_000  # of a value after its variables are put in
DEEPEST = 20  # rules in rules, variables in variables
# What browsers do not show by default, beyond the elements that never hold text of a page.
BROWSER = """
[hidden]:not([hidden=until-found]), dialog:not([open]), [popover], rp,
details:not([open]) > :not(summary) {display: none}
h1 {font-size: 2em} h2 {font-size: 1.5em} small, sub, sup {font-size: .83em}
"""
SIDES = ("top", "right", "bottom", "left")


class Rule(NamedTuple):
    """The declarations of a rule and where it ranks beside its specificity."""

    layered: bool
    order: int
    declarations: Sequence[Any]


class Cascade:
    """The style sheets of a page, read from its `style` elements. Linked sheets are not fetched."""

    def __init__(self, sheets: Sequence[tuple[str, str]]) -> None:
        """From the media and the text of each sheet."""
        self._matcher = cssselect2.Matcher()
        self._browser = cssselect2.Matcher()
        self._keyframes: dict[str, Sequence[Any]] = {}
        self._order = 0
        self._add(self._browser, tinycss2.parse_stylesheet(BROWSER, True, True), "", layered=False, depth=0)
        for media, text in sheets:
            if media_matches(media):
                self._add(self._matcher, tinycss2.parse_stylesheet(text, True, True), "", layered=False, depth=0)

    def style(self, element: Any, presentation: str, inherited: Mapping[str, Tokens]) -> dict[str, Tokens]:
        """The values of the properties set for an element, by their long names, and all its variables.

        `element` is cssselect2's; `presentation` are declarations that its attributes stand for, `inherited` the
        variables of its parent.
        """
        ranked: list[tuple[Any, Any]] = [(0, declaration) for declaration in _declarations(presentation)]
        for _, _, _, rule in self._browser.match(element):
            ranked += [(0, declaration) for declaration in rule.declarations]
        for specificity, _, pseudo, rule in self._matcher.match(element):
            if pseudo is None:
                ranked += [((not rule.layered, *specificity, rule.order), each) for each in rule.declarations]
        ranked += [(2, declaration) for declaration in _declarations(element.etree_element.get("style", ""))]
        ranked.sort(key=cmp_to_key(_compare))
        style = {name: value for name, value in inherited.items() if name.startswith("--")}
        declarations = [declaration for _, declaration in ranked]
        style |= {one.name: one.value for one in declarations if one.name.startswith("--")}
        for declaration in declarations:
            style.update(_long(declaration, style))
        style.update(self._last_frame(style))
        return style

    def _last_frame(self, style: Mapping[str, Tokens]) -> dict[str, Tokens]:
        """What an animation leaves behind when it ends, if it says that it leaves it."""
        names = words([*style.get("animation", ()), *style.get("animation-name", ())])
        if not {"forwards", "both"} & {*names, *words(style.get("animation-fill-mode", ()))}:
            return {}
        frames = (self._keyframes.get(name, ()) for name in names)
        return {name: value for frame in frames for one in frame for name, value in _long(one, style).items()}

    def _add(self, matcher: Any, nodes: Sequence[Any], parent: str, *, layered: bool, depth: int) -> None:
        declarations = [node for node in nodes if node.type == "declaration"]
        if declarations and parent:
            self._add_rule(matcher, parent, Rule(layered, self._order, declarations))
        for node in nodes if depth < DEEPEST else ():
            if node.type == "qualified-rule":
                inner = tinycss2.parse_blocks_contents(node.content, True, True)
                self._add(matcher, inner, _nested(parent, node.prelude), layered=layered, depth=depth + 1)
            elif node.type == "at-rule" and node.content is not None:
                self._add_at_rule(matcher, node, parent, layered=layered, depth=depth)

    def _add_at_rule(self, matcher: Any, node: Any, parent: str, *, layered: bool, depth: int) -> None:
        name = node.lower_at_keyword
        if name.endswith("keyframes"):
            for frame in tinycss2.parse_rule_list(node.content, True, True):
                if frame.type == "qualified-rule" and tinycss2.serialize(frame.prelude).strip().lower() in (
                    "to",
                    "100%",
                ):
                    self._keyframes[tinycss2.serialize(node.prelude).strip().lower()] = _declared(frame.content)
        elif name in APPLIED or (name == "media" and media_matches(tinycss2.serialize(node.prelude))):
            parse = tinycss2.parse_blocks_contents if parent else tinycss2.parse_rule_list
            inner = parse(node.content, True, True)
            self._add(matcher, inner, parent, layered=layered or name == "layer", depth=depth + 1)

    def _add_rule(self, matcher: Any, selectors: str, rule: Rule) -> None:
        self._order += 1
        try:
            for selector in cssselect2.compile_selector_list(selectors):
                matcher.add_selector(selector, rule._replace(order=self._order))
        except cssselect2.SelectorError:
            return  # as browsers do: a rule with a selector that is not known does not apply


def _nested(parent: str, prelude: Tokens) -> str:
    """The selectors of a rule inside of another one."""
    if not parent:
        return str(tinycss2.serialize(prelude))
    selectors = []
    for part in _at_commas(prelude):
        text = tinycss2.serialize(part).strip()
        inside = f":is({parent})"
        selectors.append(text.replace("&", inside) if "&" in text else f"{inside} {text}")
    return ", ".join(selectors)


def _at_commas(tokens: Tokens) -> Iterator[list[Any]]:
    part: list[Any] = []
    for token in tokens:
        if token.type == "literal" and token.value == ",":
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _declarations(text: str) -> list[Any]:
    return _declared(tinycss2.parse_component_value_list(text)) if text else []


def _declared(content: Tokens) -> list[Any]:
    nodes = tinycss2.parse_blocks_contents(content, True, True)
    return [node for node in nodes if node.type == "declaration"]


def _compare(first: tuple[Any, Any], second: tuple[Any, Any]) -> int:
    """The order in which declarations override each other: later ones win."""
    keys = []
    for rank, declaration in (first, second):
        rank = (rank,) if isinstance(rank, int) else (1, *rank)
        keys.append((declaration.important, *rank))
    return (keys[0] > keys[1]) - (keys[0] < keys[1])


def _long(declaration: Any, variables: Mapping[str, Tokens]) -> dict[str, Tokens]:
    """The long properties that a declaration sets, variables put in."""
    name = declaration.lower_name
    if name.startswith("--"):
        return {}
    value = [token for token in _substituted(declaration.value, variables, DEEPEST) if token.type != "comment"]
    bare = [token for token in value if token.type != "whitespace"]
    if name == "background":
        return {"background-color": bare, "background-image": bare} | (
            {"background-clip": bare} if "text" in words(bare) else {}
        )
    if name == "font":
        sizes = (
            token
            for token in bare
            if token.type in ("dimension", "percentage", "number", "function") or _names_size(token)
        )
        return {"font-size": [size] if (size := next((s for s in sizes if not _is_weight(s)), None)) else []}
    if name in ("inset", "margin") and bare:
        four = [bare[index] if index < len(bare) else bare[max(index - 2, 0) % len(bare)] for index in range(4)]
        prefix = "margin-" if name == "margin" else ""
        return {f"{prefix}{side}": [token] for side, token in zip(SIDES, four, strict=True)}
    if name in ("overflow-x", "overflow-y", "overflow-block", "overflow-inline"):
        return {"overflow": bare} if words(bare) != ["visible"] else {}
    names = {"-webkit-background-clip": "background-clip", "-webkit-mask-image": "mask", "mask-image": "mask"}
    names |= {"-webkit-mask": "mask", "-webkit-transform": "transform", "block-size": "height", "inline-size": "width"}
    names |= {"max-block-size": "max-height", "max-inline-size": "max-width", "-webkit-clip-path": "clip-path"}
    names |= {"-webkit-filter": "filter", "inset-inline-start": "left", "inset-block-start": "top"}
    return {names.get(name, name): bare}


def _is_weight(token: Any) -> bool:
    return bool(token.type == "number" and token.value >= 100)


def _names_size(token: Any) -> bool:
    return token.type == "ident" and token.lower_value in ("small", "medium", "large", "smaller", "larger")


def _substituted(tokens: Tokens, variables: Mapping[str, Tokens], depth: int) -> list[Any]:
    result: list[Any] = []
    for token in tokens:
        if token.type == "function" and token.lower_name == "var" and depth:
            name, *rest = split(token.arguments)
            known = variables.get(name[0].value) if name and name[0].type == "ident" else None
            result += _substituted(
                known if known is not None else [one for part in rest for one in part], variables, depth - 1
            )
        elif token.type == "function" and depth and "var(" in token.serialize():
            inner = _substituted(token.arguments, variables, depth - 1)
            result += written(f"{token.name}({tinycss2.serialize(inner)})")
        else:
            result.append(token)
        if len(result) > MOST_TOKENS:
            return []
    return result
