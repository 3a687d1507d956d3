"""Reads style sheets: their rules, in the order of their layers, and under which conditions each holds."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import unquote_to_bytes

import cssselect2
import tinycss2

from mechaware.claims.reading.web.styles.grammar import FREE, GRAMMARS
from mechaware.claims.reading.web.styles.longhands import longhands
from mechaware.claims.reading.web.styles.media import combined, media_matches
from mechaware.claims.reading.web.styles.scopes import scoped
from mechaware.claims.reading.web.styles.selectors import ALWAYS, at_commas, names, readings, unreadable
from mechaware.claims.reading.web.values.lengths import Tokens, written

DEEPEST = 40  # rules in rules
UNLAYERED = 1e9  # comes after all layers
NO_STYLE = {  # at-rules that set no style of an element
    *("font-face", "page", "counter-style", "font-feature-values", "font-palette-values", "view-transition"),
    *("position-try", "starting-style", "charset", "function", "color-profile", "-ms-viewport", "viewport", "document"),
    *("-moz-document", "property", "namespace", "import"),
}
STATE = re.compile(r":(?:hover|focus|focus-within|focus-visible|active|checked|target)(?![\w-])", re.I)
Conditions = frozenset[tuple[str, bool]]
Layer = tuple[float, ...]


class Setting(NamedTuple):
    """A value for a property: a long one, a variable, or, if `raw`, any, with variables still to be put in."""

    name: str
    value: Tokens
    important: bool
    raw: bool


class Rule(NamedTuple):
    """The settings of a rule, the layer and the place that it ranks by, and the conditions whose truth is not known."""

    layer: Layer
    order: int
    conditions: Conditions
    settings: list[Setting]


class Place(NamedTuple):
    """Where a rule stands in its sheet: inside of which selectors, layers, conditions, how deep."""

    parent: str = ""
    layers: tuple[str, ...] = ()
    conditions: Conditions = frozenset()
    depth: int = 0
    scope: str = ""  # the number of its shadow tree
    elsewhere: bool = False  # in a medium that is not the screen of the reader


class Sheets:
    """The rules of some style sheets for a page. Linked sheets are not fetched."""

    def __init__(self, present: set[str] | None = None, *, quirks: bool = False, contained: bool = False) -> None:
        """For a page with these tags, classes and identifiers (None: any), in quirks mode, with containers to query."""
        self.matcher = cssselect2.Matcher()
        self.elsewhere = cssselect2.Matcher()
        self.keyframes: dict[str, dict[str, list[Setting]]] = {}
        self.initial: dict[str, tuple[Tokens, bool]] = {}
        self.doubts: set[Conditions] = set()
        self._present, self._quirks, self._contained = present, quirks, contained
        self._layers: dict[tuple[str, ...], float] = {}
        self._namespaces: dict[str | None, str] = {}
        self._order = 0

    def add(self, text: str, media: str = "", scope: str = "") -> None:
        """Read one more sheet, of the page or of the shadow tree with this number."""
        place = self._under(Place(scope=scope), f"@media {media}", media_matches(media))
        if place:
            self._add(tinycss2.parse_stylesheet(text, True, True), place)

    def _under(self, place: Place, condition: str, holds: bool | None) -> Place | None:
        """The place inside of a condition; None if the condition holds on no medium."""
        if holds is False:
            return place._replace(elsewhere=True, depth=place.depth + 1) if condition.startswith("@media") else None
        doubt = {(" ".join(condition.split()), True)} if holds is None else set()
        return place._replace(conditions=place.conditions | doubt, depth=place.depth + 1)

    def _add(self, nodes: Sequence[Any], place: Place) -> None:
        declarations = [node for node in nodes if node.type == "declaration"]
        if declarations and place.parent:
            self._add_rule(place, settings(declarations))
        for node in nodes:
            if node.type == "qualified-rule":
                inner = tinycss2.parse_blocks_contents(node.content, True, True)
                within = place._replace(parent=_nested(place.parent, node.prelude), depth=place.depth + 1)
                if place.depth > DEEPEST:
                    within = within._replace(parent="*", conditions=unreadable(within.parent).conditions)
                if place.depth <= DEEPEST + 1:
                    self._add(inner, within)
            elif node.type == "at-rule":
                self._add_at_rule(node, place)

    def _add_at_rule(self, node: Any, place: Place) -> None:
        name, prelude = node.lower_at_keyword, tinycss2.serialize(node.prelude).strip()
        if name == "layer" and node.content is None:
            for part in prelude.split(","):
                self._layer((*place.layers, *part.strip().split(".")))
        elif name == "import":
            self._import(prelude, place)
        elif name == "namespace":
            self._declare_namespace(node.prelude)
        elif node.content is None or name in ("property", "keyframes", "-webkit-keyframes"):
            self._remember(name, prelude, node)
        elif name not in NO_STYLE and (within := self._within(name, prelude, place)):
            parse = tinycss2.parse_blocks_contents if place.parent or name == "scope" else tinycss2.parse_rule_list
            self._add(parse(node.content, True, True), within)

    def _within(self, name: str, prelude: str, place: Place) -> Place | None:
        if name == "layer":
            inner = (*place.layers, *(prelude.split(".") if prelude else [f"without a name {len(self._layers)}"]))
            self._layer(inner)
            return place._replace(layers=inner, depth=place.depth + 1)
        if name == "scope":
            match = re.match(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)(.*)", prelude, re.S)
            holds = None if match is None or match[2].strip() else True
            within = self._under(place, f"@scope {prelude}", True if not prelude else holds)
            root = match[1] if match else ":root"
            return within._replace(parent=f":is({root}), :is({root}) *") if within and prelude else within
        tests: dict[str, Callable[[str], bool | None]] = {
            "media": media_matches,
            "supports": lambda text: combined(text, _supported),
        }
        holds = tests[name](prelude) if name in tests else None
        if name == "container" and not self._contained and "style(" not in prelude.lower():
            holds = False
        return self._under(place, f"@{name} {prelude}", holds)

    def _layer(self, path: tuple[str, ...]) -> Layer:
        """The rank of a layer, which is set when its name is first met, and those of the layers around it."""
        for depth in range(1, len(path) + 1):
            self._layers.setdefault(path[:depth], float(len(self._layers)))
        return (*(self._layers[path[:depth]] for depth in range(1, len(path) + 1)), UNLAYERED)

    def _import(self, prelude: str, place: Place) -> None:
        match = re.match(r"(?:url\(\s*)?[\"']?data:([^,]*),(.*?)[\"']?\s*\)?\s*([^\"')]*)$", prelude, re.S)
        if match and (within := self._under(place, f"@import {match[3]}", media_matches(match[3]))):
            self._add(tinycss2.parse_stylesheet(data_text(match[1], match[2]), True, True), within)

    def _declare_namespace(self, prelude: Tokens) -> None:
        prefix = next((token.value for token in prelude if token.type == "ident"), None)
        for token in prelude:
            if prefix is not None and token.type in ("url", "string"):
                self._namespaces[prefix] = token.value

    def _remember(self, name: str, prelude: str, node: Any) -> None:
        """A registered variable, or the frames of an animation."""
        if name == "property":
            given = {each.lower_name: each.value for each in _declared(node.content)}
            inherits = tinycss2.serialize(given.get("inherits", [])).strip().lower() != "false"
            self.initial[prelude] = given.get("initial-value", []), inherits
        elif node.content is not None:
            frames: dict[str, list[Setting]] = {}
            for frame in tinycss2.parse_rule_list(node.content, True, True):
                if frame.type == "qualified-rule":
                    for part in at_commas(frame.prelude):
                        place = {"from": "0%", "to": "100%"}.get(text := tinycss2.serialize(part).strip().lower(), text)
                        frames.setdefault(place, []).extend(settings(_declared(frame.content)))
            self.keyframes[prelude.strip("\"'")] = frames

    def _add_rule(self, place: Place, given: list[Setting]) -> None:
        self._order += 1
        if place.scope:
            place = place._replace(parent=scoped(place.parent, place.scope))
        if place.elsewhere or STATE.search(place.parent):
            self._add_elsewhere(STATE.sub(ALWAYS, place.parent), given)
        if place.elsewhere:
            return
        for text, conditions in readings(place.parent):
            rule = Rule(self._layer(place.layers), self._order, place.conditions | conditions, given)
            try:
                self._add_selectors(text.lower() if self._quirks else text, rule)
            except (SyntaxError, RecursionError, NotImplementedError):
                doubt = unreadable(text)
                self._add_selectors(doubt.text, rule._replace(conditions=rule.conditions | doubt.conditions))
            except cssselect2.SelectorError:
                return  # as browsers do: a rule with a selector that is an error does not apply

    def _add_elsewhere(self, selectors: str, given: list[Setting]) -> None:
        """Remember a rule of another medium, or of the page after a click."""
        for text, _ in readings(selectors):
            with suppress(SyntaxError, RecursionError, NotImplementedError, cssselect2.SelectorError):
                for selector in cssselect2.compile_selector_list(text, self._namespaces):
                    self.elsewhere.add_selector(selector, given)

    def _add_selectors(self, text: str, rule: Rule) -> None:
        wanted = names(text, self._namespaces)
        if self._present is not None and not wanted <= self._present:
            return
        for selector in cssselect2.compile_selector_list(text, self._namespaces):
            self.matcher.add_selector(selector, rule)
        self.doubts.add(rule.conditions)


def settings(declarations: Sequence[Any]) -> list[Setting]:
    """The settings of the declarations that browsers do not drop."""
    result: list[Setting] = []
    for one in declarations:
        if one.name.startswith("--"):
            result.append(Setting(one.name, one.value, one.important, False))
        elif re.search(r"\b(?:var|env)\(", tinycss2.serialize(one.value), re.I):
            result.append(Setting(one.lower_name, one.value, one.important, True))
        else:
            values = longhands(one.lower_name, one.value)
            result += [Setting(name, value, one.important, False) for name, value in values.items()]
    return result


def inline(text: str) -> list[Setting]:
    """The settings of a `style` attribute."""
    return settings(_declared(written(text))) if text else []


def data_text(kind: str, data: str) -> str:
    """The text of a data address."""
    import base64

    raw = unquote_to_bytes(data)
    return (base64.b64decode(raw + b"==") if kind.strip().endswith("base64") else raw).decode(errors="replace")


def _declared(content: Tokens) -> list[Any]:
    nodes = tinycss2.parse_blocks_contents(content, True, True)
    return [node for node in nodes if node.type == "declaration"]


def _nested(parent: str, prelude: Tokens) -> str:
    """The selectors of a rule inside of another one."""
    if not parent:
        return str(tinycss2.serialize(prelude)).strip()
    result = []
    for part in at_commas(prelude):
        text = tinycss2.serialize(part).strip()
        result.append(text.replace("&", f":is({parent})") if "&" in text else f":is({parent}) {text}")
    return ", ".join(result)


def _supported(condition: str) -> bool | None:
    """Whether browsers know a property with this value; None where it is not known."""
    match = re.fullmatch(r"\(\s*([\w-]+)\s*:(.*)\)", condition.strip(), re.S)
    if not match:
        return None
    name, value = match[1].lower(), written(match[2])
    if name.startswith("--"):
        return True
    values = longhands(name, value)
    if name in GRAMMARS or name in FREE:
        return bool(values) and (None if any(each[0].serialize() == "-unclear-" for each in values.values()) else True)
    return True if values else None
