"""Which values hold for an element of a page, in each world: each way in which unknown conditions may turn out."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import tinycss2

from mechaware.claims.reading.web.styles.grammar import WIDE
from mechaware.claims.reading.web.styles.longhands import UNCLEAR, longhands, parts
from mechaware.claims.reading.web.styles.sheets import Conditions, Rule, Setting, Sheets
from mechaware.claims.reading.web.values.lengths import Tokens, number, split, words, written

World = frozenset[str]
Style = Mapping[str, Tokens]
MOST_TOKENS = 1_000  # of a value after its variables are put in
MOST_WORLDS = 64
LONG_TIME = 5.0  # seconds: what an animation keeps hidden for longer is hidden
# What browsers do not show by default, beyond the elements that never hold text of a page, and their own colours.
BROWSER = """
[hidden]:not([hidden=until-found i]), dialog:not([open]), [popover], rp {display: none}
[hidden=until-found i] {content-visibility: hidden}
h1 {font-size: 2em} h2 {font-size: 1.5em} small, sub, sup {font-size: .83em} a[href] {color: linktext}
mark {background-color: #ff0; color: #000} button {color: buttontext; background-color: buttonface}
pre, listing, xmp {white-space: pre; margin-top: 1em; margin-bottom: 1em}
marquee {display: inline-block; overflow: hidden} body {margin: 8px}
p, h1, h2, h3, h4, h5, h6, ul, ol, dl, menu, blockquote, figure {margin-top: 1em; margin-bottom: 1em}
"""
INITIAL = {
    "color": "canvastext", "color-scheme": "normal",
    "-webkit-text-fill-color": "currentcolor", "visibility": "visible", "font-size": "medium",
    "font-size-adjust": "none", "text-indent": "0", "letter-spacing": "normal", "word-spacing": "normal",
    "line-height": "normal", "-webkit-text-stroke-width": "0", "-webkit-text-stroke-color": "currentcolor",
    "-webkit-text-security": "none", "white-space": "normal",
}  # fmt: skip
INHERITED = {name: written(value) for name, value in INITIAL.items()}
HIDING = {"display", "visibility", "content-visibility", "opacity", "height", "max-height", "width", "max-width"}
FIRST_LINE = "::first-line"
OF_FIRST_LINE = {
    *("color", "-webkit-text-fill-color", "font-size", "font-size-adjust", "letter-spacing", "word-spacing"),
    *("background-color", "background-image", "background-size", "line-height", "opacity"),
}


class Entry(NamedTuple):
    """A setting, the rank by which it overrides others, the origin and layer that `revert` leaves out."""

    rank: tuple[Any, ...]
    source: tuple[Any, ...]
    setting: Setting


class Matched(NamedTuple):
    """The rules for an element or its pseudo-element, by their origin."""

    browser: list[Rule]
    author: list[tuple[tuple[int, ...], Rule]]


class Cascade:
    """Resolves the style sheets of a page."""

    def __init__(self, sheets: Sheets) -> None:
        self._sheets = sheets
        doubts = sorted(sheets.doubts, key=lambda each: (len(each), sorted(each)))[:MOST_WORLDS]
        alone = [frozenset(name for name, holds in doubt if holds) for doubt in doubts]
        everything = frozenset(name for doubt in sheets.doubts for name, _ in doubt)
        self.worlds: frozenset[World] = frozenset({frozenset(), everything, frozenset({FIRST_LINE}), *alone})

    def matched(self, element: Any) -> dict[str | None, Matched]:
        """The rules for cssselect2's `element` itself, under None, and for its parts `before` and `after`."""
        result: dict[str | None, Matched] = {}
        result[None] = Matched([rule for *_, rule in _browser().matcher.match(element)], [])
        for specificity, _, pseudo, rule in self._sheets.matcher.match(element):
            if pseudo == "first-line":
                given = [one for one in rule.settings if one.raw or one.name in OF_FIRST_LINE]
                conditions = rule.conditions | {(FIRST_LINE, True)}
                rule, pseudo = rule._replace(conditions=conditions, settings=given), None
            if pseudo in (None, "before", "after"):
                result.setdefault(pseudo, Matched([], [])).author.append((specificity, rule))
        return result

    def shown_elsewhere(self, element: Any, style: Style) -> bool:
        """Whether another medium, or a click, shows cssselect2's `element`, which this style hides."""
        hiding = {name for name in HIDING & style.keys() if _hides(style[name])}
        given = (one for *_, rule in self._sheets.elsewhere.match(element) for one in rule)
        return any(one.name in hiding and not _hides(one.value) for one in given)

    def style(
        self, matched: Matched, presentation: Sequence[Setting], own: Sequence[Setting], world: World, parent: Style
    ) -> Style:
        """The values of the properties set for an element, by their long names, and all its variables.

        `presentation` is what its old attributes stand for, `own` its `style` attribute, `parent` the style of its
        parent.
        """
        entries = [Entry((0,), (0,), one) for rule in matched.browser for one in rule.settings]
        entries += [Entry((1,), (1,), one) for one in presentation]
        for specificity, rule in matched.author:
            if active(rule.conditions, world):
                entries += [_entry(rule, specificity, one) for one in rule.settings]
        entries += [Entry((6,) if one.important else (3,), (1, "own"), one) for one in own]
        entries.sort(key=lambda entry: entry.rank)
        variables = self._variables(entries, parent)
        style = _winners(_put_in(entries, variables))
        style |= self._animated(style, variables)
        return {**variables, **_resolved(style, parent)}

    def _variables(self, entries: Sequence[Entry], parent: Style) -> dict[str, Tokens]:
        result = {name: value for name, (value, _) in self._sheets.initial.items()}
        kept = {name for name, (_, inherits) in self._sheets.initial.items() if not inherits}
        result |= {name: value for name, value in parent.items() if name.startswith("--") and name not in kept}
        given = _winners(entry for entry in entries if entry.setting.name.startswith("--"))
        for name, value in given.items():
            if set(words(value)) & WIDE and len(value) == 1:
                result.pop(name, None) if words(value) == ["initial"] else None
            else:
                result[name] = value
        return result

    def _animated(self, style: Style, variables: Style) -> dict[str, Tokens]:
        """What an animation shows for long, or leaves behind when it ends."""
        short, names = style.get("animation", ()), style.get("animation-name", ())
        frames: dict[str, list[Setting]] = {}
        for token in (*short, *names):
            if token.type in ("ident", "string"):
                frames |= self._sheets.keyframes.get(token.value, {})
        if not frames:
            return {}
        said = {word for name in style if name.startswith("animation") for word in words(style[name])}
        duration, delay = [*(_seconds(token) for token in short if token.type == "dimension"), 0.0, 0.0][:2]
        duration = _seconds(*style.get("animation-duration", ())) or duration
        delay = _seconds(*style.get("animation-delay", ())) or delay
        start, end = _frame(frames, "0%", variables), _frame(frames, "100%", variables)
        if "reverse" in said:
            start, end = end, start
        if "paused" in said or (delay >= LONG_TIME and said & {"backwards", "both"}):
            return start
        if "infinite" in said or duration >= LONG_TIME:
            return {name: value for name, value in end.items() if _same(value, start.get(name))}
        return end if said & {"forwards", "both"} else {}


@cache
def _browser() -> Sheets:
    """The style sheet of the browser itself."""
    sheets = Sheets()
    sheets.add(BROWSER)
    return sheets


def active(conditions: Conditions, world: World) -> bool:
    """Whether conditions hold in a world."""
    return all((name in world) == holds for name, holds in conditions)


def _hides(value: Tokens) -> bool:
    return bool({"none", "hidden"} & set(words(value))) or number(value) == 0


def _entry(rule: Rule, specificity: tuple[int, ...], one: Setting) -> Entry:
    layer = tuple(-part for part in rule.layer) if one.important else rule.layer
    return Entry((5 if one.important else 2, layer, specificity, rule.order), (1, rule.layer), one)


def _put_in(entries: Iterable[Entry], variables: Style) -> Iterable[Entry]:
    """The entries of long properties, variables put in. A value that is then none is unset."""
    for entry in entries:
        name, value, important, raw = entry.setting
        if raw:
            left = [MOST_TOKENS]
            known = _substituted(value, variables, frozenset(), left)
            values = longhands(name, known) if known is not None else {}
            otherwise = UNCLEAR if left[0] < 0 else written("unset")
            for long, part in (values or dict.fromkeys(parts(name), otherwise)).items():
                yield entry._replace(setting=Setting(long, part, important, False))
        elif not name.startswith("--"):
            yield entry


def _winners(entries: Iterable[Entry]) -> dict[str, Tokens]:
    """The last value of each property, `revert` and `revert-layer` followed."""
    stacks: dict[str, list[Entry]] = {}
    for entry in entries:
        stacks.setdefault(entry.setting.name, []).append(entry)
    result = {}
    for name, stack in stacks.items():
        while stack:
            value, source = stack[-1].setting.value, stack[-1].source
            word = words(value)[0] if len(value) == 1 and words(value) else ""
            if word == "revert-layer":
                stack = [entry for entry in stack if entry.source != source]
            elif word == "revert":
                stack = [entry for entry in stack if entry.source == (0,)]
            else:
                result[name] = value
                break
    return result


def _resolved(style: Style, parent: Style) -> dict[str, Tokens]:
    """A style without the keywords that take the parent's or the initial value."""
    result: dict[str, Tokens] = {}
    for name, value in style.items():
        word = words(value)[0] if len(value) == 1 and words(value) else ""
        if word == "inherit" and name not in INHERITED:
            if name in parent:
                result[name] = parent[name]
        elif word == "initial" and name in INHERITED:
            result[name] = INHERITED[name]
        elif word not in WIDE:
            result[name] = value
    return result


def _substituted(tokens: Tokens, variables: Style, within: frozenset[str], left: list[int]) -> list[Any] | None:
    """The tokens with variables put in; None if a variable has no value, holds itself or gets too long."""
    result: list[Any] = []
    for token in tokens:
        left[0] -= 1
        if left[0] < 0:
            return None
        if token.type == "function" and token.lower_name in ("var", "env"):
            name, *rest = split(token.arguments)
            key = name[0].value if name and name[0].type == "ident" else ""
            known = written("0px") if key.startswith("safe-area-inset") else variables.get(key)
            if known is None and rest:
                known = [each for part in rest for each in part]
            inner = _substituted(known, variables, within | {key}, left) if known and key not in within else None
            if inner is None:
                return None
            result += inner
        elif token.type == "function" and any(mark in token.serialize().lower() for mark in ("var(", "env(")):
            inner = _substituted(token.arguments, variables, within, left)
            if inner is None:
                return None
            result += written(f"{token.name}({tinycss2.serialize(inner)})")
        else:
            result.append(token)
    return result


def _frame(frames: Mapping[str, list[Setting]], place: str, variables: Style) -> dict[str, Tokens]:
    return _winners(_put_in([Entry((0,), (0,), one) for one in frames.get(place, [])], variables))


def _same(first: Tokens, second: Tokens | None) -> bool:
    return second is not None and tinycss2.serialize(first) == tinycss2.serialize(second)


def _seconds(*tokens: Any) -> float:
    for token in tokens:
        if token.type == "dimension" and token.lower_unit in ("s", "ms"):
            return float(token.value) / (1000 if token.lower_unit == "ms" else 1)
    return 0.0
