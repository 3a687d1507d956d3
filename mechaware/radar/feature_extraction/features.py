"""RADAR's features (its appendix D): their names, kinds and order, and their values for one prompt.

A feature is a function of surface.py or mechanistic.py. Everything here is made from those functions.
"""

from mechaware.radar.feature_extraction.measurements import Measurements
from mechaware.radar.feature_extraction.mechanistic import mechanistic_feature
from mechaware.radar.feature_extraction.register import Register
from mechaware.radar.feature_extraction.surface import surface_feature

_REGISTERS: dict[str, Register] = {"surface": surface_feature, "mechanistic": mechanistic_feature}

SURFACE = tuple(surface_feature)
MECHANISTIC = tuple(mechanistic_feature)
FEATURES = SURFACE + MECHANISTIC
FEATURE_KIND = {name: kind for kind, register in _REGISTERS.items() for name in register}


def compute_features(prompt: Measurements) -> dict[str, float]:
    """The value of every feature by name, in the order of `FEATURES`."""
    return {name: feature(prompt) for register in _REGISTERS.values() for name, feature in register.items()}
