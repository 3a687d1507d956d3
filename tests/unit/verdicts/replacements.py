"""What is put in the place of a function or constant that decides,
to see whether a procedure notices.
"""

from typing import Any, NamedTuple

import pytest


class Replacement(NamedTuple):
    """Another function or constant in the place of one that decides.

    - `place`: the module or the class that it belongs to. `attribute`: its name there.
    - `other`: what takes its place.
    - `decides`: the sets of rules whose decisions it changes; empty for what belongs to no set.
    """

    place: Any
    attribute: str
    other: Any
    decides: frozenset[str] = frozenset()

    def make(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Put the other one in its place."""
        monkeypatch.setattr(self.place, self.attribute, self.other)
