"""Colours of CSS as light, and what lies behind and over them."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from tinycss2.color4 import parse_color

from mechaware.claims.reading.web.values.lengths import MATHEMATICS, Tokens, functions, number, split, words, written

Light = Float[np.ndarray, " 3"]
# From CIE XYZ under two white points to linear red, green and blue of sRGB (CSS Color 4, section 17).
FROM_D65 = np.array([[3.2410, -1.5374, -0.4986], [-0.9692, 1.8760, 0.0416], [0.0556, -0.2040, 1.0570]])
FROM_D50 = np.array([[3.1339, -1.6169, -0.4906], [-0.9788, 1.9161, 0.0335], [0.0719, -0.2290, 1.4052]])
NOTATIONS = {
    *("rgb", "rgba", "hsl", "hsla", "hwb", "lab", "lch", "oklab", "oklch", "color", "color-mix", "light-dark"),
}
# The colours of a system in light mode (CSS Color 4, section 6.2, and the older names), as Chromium has them.
_SYSTEM = {
    "#fff": "canvas field background window menu infobackground scrollbar appworkspace buttonhighlight "
    "threedhighlight threedlightshadow inactivecaption",
    "#000": "canvastext buttontext fieldtext menutext windowtext captiontext infotext activeborder inactiveborder "
    "windowframe buttonborder highlighttext marktext selecteditemtext activetext",
    "#efefef": "buttonface threedface activecaption",
    "#808080": "graytext threedshadow threeddarkshadow buttonshadow inactivecaptiontext",
    "#00e": "linktext -webkit-link", "#e00": "-webkit-activelink", "#551a8b": "visitedtext", "#0078d7": "accentcolor",
    "#b5d5ff": "highlight selecteditem", "#ff0": "mark",
}  # fmt: skip
SYSTEM = {name: shade for shade, names in _SYSTEM.items() for name in names.split()}
# Those that differ under `color-scheme: dark`.
_DARK = {
    "#121212": "canvas background window appworkspace",
    "#3b3b3b": "field menu infobackground scrollbar",
    "#fff": "canvastext buttontext fieldtext menutext windowtext captiontext infotext buttonborder",
    "#6b6b6b": "buttonface threedface activecaption",
    "#9e9eff": "linktext -webkit-link", "#d0adf0": "visitedtext",
}  # fmt: skip
DARK = SYSTEM | {name: shade for shade, names in _DARK.items() for name in names.split()}


class Colour(NamedTuple):
    """A colour in linear red, green and blue, and its opacity."""

    rgb: Light
    alpha: float

    def over(self, ground: Light, opacity: float = 1.0) -> Light:
        """The colour on an opaque one. Browsers mix the colours of sRGB as they are written."""
        alpha = self.alpha * opacity
        return linear(alpha * encoded(self.rgb) + (1 - alpha) * encoded(ground))


BLACK = Colour(np.zeros(3), 1.0)


def linear(shades: Light) -> Light:
    """Linear light of sRGB shades, both from 0 to 1."""
    return np.where(shades <= 0.04045, shades / 12.92, ((shades + 0.055) / 1.055) ** 2.4)


def encoded(light: Light) -> Light:
    """The inverse of `linear`."""
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 0) ** (1 / 2.4) - 0.055)


def shade(text: str) -> Light:
    """The light of an opaque colour in hexadecimal digits."""
    return _light(parse_color(text))


def colour(tokens: Tokens, current: Colour, dark: bool = False) -> Colour | None:
    """The colour that one of the tokens is, in a light or a dark scheme; None if none is one that is known."""
    for token in tokens:
        if token.type == "ident" and token.lower_value in SYSTEM:
            token = written((DARK if dark else SYSTEM)[token.lower_value])[0]
        if token.type == "function" and token.lower_name in NOTATIONS and words(token.arguments)[:1] == ["from"]:
            return _relative(token, current, dark)
        parsed = parse_color(_calculated(token))
        if parsed == "currentcolor":
            return current
        if parsed is not None:
            return Colour(np.clip(_light(parsed), 0, 1), float(parsed.alpha))
        if token.type == "function" and token.lower_name in ("color-mix", "light-dark"):
            return _mixed(token, current, dark)
    return None


def _calculated(token: Any) -> Any:
    """A colour with its calculations done, if there are any."""
    if token.type != "function" or token.lower_name not in NOTATIONS:
        return token
    if not any(each.lower_name in MATHEMATICS for each in functions(token.arguments)):
        return token
    parts = []
    for each in token.arguments:
        value = number([each]) if each.type == "function" else None
        parts.append(each.serialize() if value is None else repr(value))
    return written(f"{token.name}({''.join(parts)})")[0]


def _relative(function: Any, current: Colour, dark: bool) -> Colour | None:
    """Another colour with an opacity of its own; None if it is changed in another way."""
    parts, opacity = [*split(function.arguments, "/"), []][:2]
    origin = colour(parts[1:2], current, dark)
    channels = "".join(words(parts[2:]))
    if origin is None or len(parts) != 5 or channels != function.lower_name.removesuffix("a").removeprefix("ok"):
        return None
    alpha = number(opacity) if opacity else origin.alpha
    return None if alpha is None else Colour(origin.rgb, alpha)


def _mixed(function: Any, current: Colour, dark: bool) -> Colour | None:
    """One of two colours by the scheme, or the mixture of two in sRGB, in equal parts if no share is given."""
    parts = [part for part in split(function.arguments) if colour(part, current, dark)]
    mixed = [each for part in parts if (each := colour(part, current, dark))]
    if len(mixed) < 2 or function.lower_name == "light-dark":
        return mixed[-1 if dark else 0] if mixed else None
    shares = [next((share for token in part if (share := _share(token)) is not None), None) for part in parts[:2]]
    first, second = shares
    first = first if first is not None else 0.5 if second is None else 1 - second
    second = second if second is not None else 1 - first
    first, whole = first / max(first + second, 1e-9), min(first + second, 1.0)
    alpha = first * mixed[0].alpha + (1 - first) * mixed[1].alpha
    return Colour(linear(first * encoded(mixed[0].rgb) + (1 - first) * encoded(mixed[1].rgb)), alpha * whole)


def _share(token: Any) -> float | None:
    """A share in a mixture, written as a percentage or calculated."""
    calculated = token.type == "function" and token.lower_name in MATHEMATICS
    return number([token]) if token.type == "percentage" or calculated else None


def _light(parsed: Any) -> Light:
    """A colour of tinycss2 in linear red, green and blue of sRGB; those of wider spaces are taken as sRGB."""
    if parsed.space in ("lab", "lch"):
        return np.asarray(FROM_D50 @ np.array(parsed.to("xyz-d50").coordinates))
    if parsed.space in ("oklab", "oklch"):
        return np.asarray(FROM_D65 @ np.array(parsed.to("xyz-d65").coordinates))
    shades = np.array(
        [part or 0.0 for part in (parsed.to("srgb") if parsed.space in ("hsl", "hwb") else parsed).coordinates]
    )
    if parsed.space.startswith("xyz"):
        return np.asarray((FROM_D50 if parsed.space == "xyz-d50" else FROM_D65) @ shades)
    return shades if parsed.space == "srgb-linear" else linear(np.clip(shades, 0, 1))


def colours_within(tokens: Tokens, current: Colour, dark: bool = False) -> Iterator[Colour]:
    """All colours of the tokens, those of a gradient included."""
    for token in tokens:
        if found := colour([token], current, dark):
            yield found
        elif token.type == "function":
            yield from colours_within(token.arguments, current, dark)


def legacy_colour(text: str) -> str:
    """The colour that HTML's rules for old attributes make of any text (HTML, section 2.4.6)."""
    text = text.strip().lower()[:128]
    if not text or text == "transparent" or parse_color(text) is not None:
        return text
    digits = "".join(one if one in "0123456789abcdef" else "0" for one in text.removeprefix("#")) or "0"
    third = -(-len(digits) // 3)
    parts = [digits.ljust(3 * third, "0")[start : start + third][-8:] for start in (0, third, 2 * third)]
    while len(parts[0]) > 2 and all(part[0] == "0" for part in parts):
        parts = [part[1:] for part in parts]
    return "#" + "".join(part[:2].rjust(2, "0") for part in parts)
