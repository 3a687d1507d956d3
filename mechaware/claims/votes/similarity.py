"""How alike two claims are: the components that both name, and what both say of them."""

from collections.abc import Iterable
from typing import NamedTuple

from mechaware.claims.judges.components import find_classes
from mechaware.claims.rubric.records import Claim
from mechaware.claims.votes.named_parts import Part, keys_of, locations_of_roles, read_parts
from mechaware.claims.votes.wording import Wording, read_wording, shared

SURE_LOCATIONS = 2  # two claims with so many heads in common are hardly about different things
SURE_WORDS = 0.25  # the share of words that such components count for


class _Reading(NamedTuple):
    """What of a claim is compared: its components, the wording of its statement, and the words of the roles."""

    parts: list[Part]
    wording: Wording
    roles: frozenset[str]


class ClaimComparison:
    """Compares the claims of one paper with each other.

    "Name Mover" in one claim and "9.9" in another are the same if any of the claims says so: "9.9 (Name Mover)".
    """

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._readings = {_key(claim): _read(claim) for claim in claims}
        self._located = locations_of_roles(reading.parts for reading in self._readings.values())

    def similarity(self, first: Claim, second: Claim) -> float:
        """0 to 1. Our definition; the paper does not say how claims are matched.

        Of claims about components: the geometric mean of shared components (Jaccard) and shared words, by words alone
        if either names no component or only one of them has locations. Of claims about the whole system, whose lists
        of components vary: the root of the larger of the two. 0 between a system and a component, and if one claim
        says that something is raised and the other that it is lowered.
        """
        ours, theirs = self._readings[_key(first)], self._readings[_key(second)]
        if bool(first.system) != bool(second.system) or ours.wording.contradicts(theirs.wording):
            return 0.0
        if _key(first) == _key(second):
            return 1.0
        words, parts = _shared_words(ours, theirs), self._shared_parts(ours, theirs)
        if len(self._locations(ours) & self._locations(theirs)) >= SURE_LOCATIONS:
            words = max(words, SURE_WORDS)
        if first.system:
            return float(max(words, parts or 0.0) ** 0.5)
        return words if parts is None else float((words * parts) ** 0.5)

    def _shared_parts(self, ours: _Reading, theirs: _Reading) -> float | None:
        """The Jaccard index of the components; None if they cannot be compared."""
        mine, other = keys_of(ours.parts, self._located), keys_of(theirs.parts, self._located)
        if not mine or not other or bool(self._locations(ours)) != bool(self._locations(theirs)):
            return None
        return len(mine & other) / len(mine | other)

    def _locations(self, reading: _Reading) -> frozenset[str]:
        return keys_of(reading.parts, self._located) - {part.role for part in reading.parts}


def _read(claim: Claim) -> _Reading:
    parts = read_parts(claim)
    statement = list(claim.statement)
    for start, end, _, _ in find_classes(claim.statement):
        statement[start:end] = " " * (end - start)
    wording = read_wording("".join(statement))
    roles = read_wording(" ".join(part.role for part in parts))
    return _Reading(parts, wording, roles.words)


def _shared_words(ours: _Reading, theirs: _Reading) -> float:
    """The share of the shorter statement's words that the other has, in its statement or in a role of its own."""
    mine, other = ours.wording.words, theirs.wording.words
    both = shared(mine, other | (theirs.roles - ours.roles)) | shared(ours.roles - theirs.roles, other)
    fewest = min(len(mine), len(other))
    return min(1.0, len(both) / fewest) if fewest else 0.0


def _key(claim: Claim) -> tuple[str, tuple[str, ...]]:
    return claim.statement, tuple(claim.components)
