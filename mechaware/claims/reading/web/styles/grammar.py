"""Which values of CSS properties browsers accept, drop, or may accept if they are newer than this grammar."""

from typing import Any, Literal, NamedTuple

from tinycss2.color4 import parse_color

from mechaware.claims.reading.web.values.colours import BLACK, NOTATIONS, SYSTEM, colour
from mechaware.claims.reading.web.values.lengths import (
    ANGLES,
    MATHEMATICS,
    Tokens,
    functions,
    number,
    scale_of,
    split,
    words,
)
from mechaware.claims.reading.web.values.transforms import TRANSFORMS, transformation

Verdict = Literal["valid", "invalid", "unclear"]
WIDE = {"initial", "inherit", "unset", "revert", "revert-layer"}
SIZES = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0,
    "xx-large": 32.0, "xxx-large": 48.0,
}  # fmt: skip
IMAGES = {
    *("url", "src", "image", "image-set", "-webkit-image-set", "cross-fade", "-webkit-cross-fade", "element", "paint"),
    *("linear-gradient", "radial-gradient", "conic-gradient", "repeating-linear-gradient", "-webkit-linear-gradient"),
    *("repeating-radial-gradient", "repeating-conic-gradient", "-webkit-radial-gradient", "-webkit-gradient"),
}
BLENDS = "normal multiply screen overlay darken lighten color-dodge color-burn hard-light soft-light difference "
FILTERS = "blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia url"
SHAPES = "inset circle ellipse polygon path rect xywh shape url"
OTHERS = ("-moz-", "-ms-", "-o-", "-khtml-", "progid", "expression")  # of other and of former browsers
DISPLAYS = (
    "none block inline inline-block flow flow-root flex inline-flex grid inline-grid table inline-table table-row "
    "table-cell table-row-group table-header-group table-footer-group table-column table-column-group table-caption "
    "list-item contents run-in ruby ruby-base ruby-text block-ruby math -webkit-box -webkit-inline-box -webkit-flex "
    "-webkit-inline-flex"
)


class Grammar(NamedTuple):
    """Keywords, kinds of values by their letters, functions, and how many may follow each other.

    l: length, p: percentage, n: number, a: angle, c: colour, i: image; + no negative value; other letters are marks.
    """

    words: str = ""
    kinds: str = ""
    functions: str = ""
    most: int = 1


_AROUND = Grammar("auto", "lp")
_SIDES = ("top", "right", "bottom", "left")
_SIZE = Grammar(
    "auto none min-content max-content fit-content stretch intrinsic min-intrinsic -webkit-fill-available "
    "-webkit-min-content -webkit-max-content -webkit-fit-content",
    "lp+",
    "fit-content",
)
_OVERFLOW = Grammar("visible hidden clip auto scroll overlay")
GRAMMARS: dict[str, Grammar] = {
    "display": Grammar(DISPLAYS, most=3),
    "visibility": Grammar("visible hidden collapse"),
    "content-visibility": Grammar("visible auto hidden"),
    "opacity": Grammar("", "np"),
    "color": Grammar("", "c"),
    "-webkit-text-fill-color": Grammar("", "c"),
    "-webkit-text-stroke-color": Grammar("", "c"),
    "-webkit-text-stroke-width": Grammar("thin medium thick", "l+"),
    "-webkit-text-security": Grammar("none disc circle square"),
    "background-color": Grammar("", "c"),
    "background-image": Grammar("none", "i,", most=99),
    "background-clip": Grammar("border-box padding-box content-box text border-area", ",", most=99),
    "background-size": Grammar("auto cover contain", "lp,", most=99),
    "font-size": Grammar(" ".join([*SIZES, "smaller", "larger", "math"]), "lp+"),
    "font-size-adjust": Grammar("none from-font ex-height cap-height ch-width ic-width ic-height", "n+", most=2),
    "zoom": Grammar("normal reset", "np+"),
    "text-indent": Grammar("hanging each-line", "lp", most=3),
    "letter-spacing": Grammar("normal", "lp"),
    "word-spacing": Grammar("normal", "lp"),
    "line-height": Grammar("normal", "lpn+"),
    "position": Grammar("static relative absolute fixed sticky -webkit-sticky"),
    "z-index": Grammar("auto", "n"),
    "vertical-align": Grammar("baseline sub super top text-top middle bottom text-bottom", "lp"),
    **{f"border-{side}-width": Grammar("thin medium thick", "l+") for side in _SIDES},
    **{f"border-{side}-color": Grammar("", "c") for side in _SIDES},
    "box-shadow": Grammar("none inset", "lc,", most=99),
    **dict.fromkeys(_SIDES, _AROUND),
    **{f"margin-{side}": _AROUND for side in _SIDES},
    **{f"padding-{side}": Grammar("", "lp+") for side in _SIDES},
    **{f"{bound}{side}": _SIZE for bound in ("", "min-", "max-") for side in ("width", "height")},
    "aspect-ratio": Grammar("auto", "n/+", most=4),
    "box-sizing": Grammar("content-box border-box"),
    "overflow-x": _OVERFLOW,
    "overflow-y": _OVERFLOW,
    "contain": Grammar("none strict content size inline-size layout style paint", most=5),
    "clip": Grammar("auto", "", "rect"),
    "clip-path": Grammar(
        "none border-box padding-box content-box margin-box fill-box stroke-box view-box", "", SHAPES, 2
    ),
    "mask-image": Grammar("none", "i,", most=99),
    "mask-size": Grammar("auto cover contain", "lp,", most=99),
    "filter": Grammar("none", "", FILTERS, 99),
    "backdrop-filter": Grammar("none", "", FILTERS, 99),
    "mix-blend-mode": Grammar(BLENDS + "exclusion hue saturation color luminosity plus-lighter plus-darker"),
    "isolation": Grammar("auto isolate"),
    "transform": Grammar("none", "", " ".join(TRANSFORMS), 99),
    "translate": Grammar("none", "lp", most=3),
    "rotate": Grammar("none x y z", "an", most=4),
    "scale": Grammar("none", "np", most=3),
    "offset-path": Grammar("none", "", "path ray url circle ellipse inset polygon rect xywh shape", 2),
    "float": Grammar("none left right inline-start inline-end"),
    "white-space": Grammar("normal nowrap pre pre-wrap pre-line break-spaces collapse preserve wrap balance", most=3),
    "flex-grow": Grammar("", "n+"),
    "flex-basis": Grammar("auto content min-content max-content fit-content", "lp+"),
    "text-decoration-line": Grammar(
        "none underline overline line-through blink spelling-error grammar-error", "", "", 4
    ),
    "text-decoration-thickness": Grammar("auto from-font", "lp"),
}
# Taken as they are: whatever they hold, what is read of them is read where it is used.
FREE = {
    "color-scheme",
    "flex-direction",
    "order",
    "grid-auto-flow",
    "grid-template-areas",
    "grid",
    "columns",
    "column-count",
    "writing-mode",
    "scrollbar-width",
    "text-overflow",
    "-webkit-line-clamp",
    "backface-visibility",
    "transform-style",
    "anchor-name",
    "position-anchor",
    "position-area",
    "table-layout",
    *("animation", "animation-name", "animation-duration", "animation-delay", "animation-fill-mode", "transition"),
    *("animation-iteration-count", "animation-direction", "animation-play-state", "content", "grid-area", "grid-row"),
    *("grid-column", "grid-template-rows", "grid-template-columns", "container-type", "transition-property"),
}
KNOWN_FUNCTIONS = {
    *IMAGES, *NOTATIONS, *MATHEMATICS, *TRANSFORMS, *FILTERS.split(), *SHAPES.split(), "alpha", "minmax", "repeat",
}  # fmt: skip


def verdict(name: str, tokens: Tokens) -> Verdict:
    """Whether browsers accept a value, without white space, for a long property that is read here."""
    if not tokens:
        return "invalid"
    if name in FREE or (len(tokens) == 1 and set(words(tokens)) & WIDE):
        return "valid"
    grammar = GRAMMARS[name]
    values = [token for token in tokens if not (token.type == "literal" and token.value in grammar.kinds)]
    verdicts = {accepted(token, grammar) for token in values} or {"invalid"}
    if "invalid" in verdicts or len(values) > grammar.most:
        return "invalid"
    return "unclear" if "unclear" in verdicts else "valid"


def accepted(token: Any, grammar: Grammar) -> Verdict:
    """Whether browsers accept one token of a value."""
    kinds = grammar.kinds
    if token.type == "function":
        return _function(token, grammar)
    if token.type == "ident":
        fits = token.lower_value in grammar.words.split()
        fits = fits or ("c" in kinds and (token.lower_value in SYSTEM or parse_color(token) is not None))
    elif token.type == "hash":
        fits = "c" in kinds and parse_color(token) is not None
    elif token.type == "number":
        fits = "n" in kinds or (token.value == 0 and ("l" in kinds or "a" in kinds))
    elif token.type == "percentage":
        fits = "p" in kinds
    elif token.type == "dimension":
        fits = ("a" if token.lower_unit in ANGLES else "l") in kinds and scale_of(token.lower_unit, 16) is not None
    else:
        fits = token.type == "url" and ("i" in kinds or "url" in grammar.functions.split())
    negative = "+" in kinds and token.type in ("number", "percentage", "dimension") and token.value < 0
    return "valid" if fits and not negative else "invalid"


def _function(token: Any, grammar: Grammar) -> Verdict:
    name = token.lower_name
    if name.startswith(OTHERS):
        return "invalid"
    if name in grammar.functions.split():
        return _transform(token) if name in TRANSFORMS else "valid"
    if name in MATHEMATICS and set(grammar.kinds) & set("lpna"):
        return "valid" if number([token]) is not None else "unclear"
    if name in NOTATIONS and "c" in grammar.kinds:
        if colour([token], BLACK) is not None:
            return "valid"
        unclear = "from" in words(token.arguments) or any(
            each.lower_name not in NOTATIONS for each in functions(token.arguments)
        )
        return "unclear" if unclear else "invalid"
    if "i" in grammar.kinds and name in IMAGES:
        return "valid"
    if name == "alpha" and "c" in grammar.kinds:
        return "unclear"
    return "invalid" if name in KNOWN_FUNCTIONS else "unclear"


def _transform(token: Any) -> Verdict:
    if transformation(token, 16.0, (100.0, 100.0)) is not None:
        return "valid"
    return "unclear" if any(functions(part) for part in split(token.arguments)) else "invalid"
