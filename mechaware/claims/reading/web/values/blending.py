"""Modes of mixing and filters of CSS, as functions of light."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mechaware.claims.reading.web.values.colours import Light, encoded, linear

BLENDS: Mapping[str, Callable[[Any, Any], Any]] = {
    "multiply": lambda ground, ink: ground * ink,
    "screen": lambda ground, ink: ground + ink - ground * ink,
    "lighten": np.maximum,
    "darken": np.minimum,
    "difference": lambda ground, ink: np.abs(ground - ink),
    "exclusion": lambda ground, ink: ground + ink - 2 * ground * ink,
    "color-dodge": lambda ground, ink: np.where(ground == 0, 0, np.minimum(1, ground / np.maximum(1 - ink, 1e-6))),
    "color-burn": lambda ground, ink: np.where(ground == 1, 1, 1 - np.minimum(1, (1 - ground) / np.maximum(ink, 1e-6))),
    "overlay": lambda ground, ink: np.where(ground <= 0.5, 2 * ground * ink, 1 - 2 * (1 - ground) * (1 - ink)),
    "hard-light": lambda ground, ink: np.where(ink <= 0.5, 2 * ground * ink, 1 - 2 * (1 - ground) * (1 - ink)),
    "plus-lighter": lambda ground, ink: np.minimum(1, ground + ink),
}
FILTERS: Mapping[str, Callable[[Any, float], Any]] = {  # of sRGB shades, by an amount
    "invert": lambda shade, amount: shade * (1 - 2 * amount) + amount,
    "brightness": lambda shade, amount: shade * amount,
    "contrast": lambda shade, amount: (shade - 0.5) * amount + 0.5,
    "grayscale": lambda shade, amount: shade * (1 - amount) + amount * (shade @ [0.2126, 0.7152, 0.0722]),
}


def filtered(light: Light, filters: tuple[tuple[str, float], ...]) -> Light:
    """Light after filters, from the innermost out."""
    for name, amount in filters:
        light = linear(np.clip(FILTERS[name](encoded(light), amount), 0, 1))
    return light
