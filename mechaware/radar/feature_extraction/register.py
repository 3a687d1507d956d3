"""Registers of features: a function under a register's decorator is a feature, its name that of the column."""

from collections.abc import Callable

from mechaware.radar.feature_extraction.measurements import Measurements

Feature = Callable[[Measurements], float]


class Register(dict[str, Feature]):
    """The features of one kind by name, in the order of their definition.

    The register is itself the decorator; it returns the function unchanged, so that one feature may call another.
    """

    def __call__(self, feature: Feature) -> Feature:
        """Add `feature`."""
        self[feature.__name__] = feature
        return feature
