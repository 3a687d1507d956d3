"""How alike two claims are: the components that both name, and what both say of them."""

from collections.abc import Iterable
from typing import NamedTuple

from mechaware.claims.judges.components import find_classes
from mechaware.claims.rubric.records import Claim
from mechaware.claims.votes.contradictions import Statement, exclude, read_statement
from mechaware.claims.votes.named_parts import Part, keys_of, locations_of_roles, read_parts
from mechaware.claims.votes.wording import Wording, measures, read_wording, shared

SURE_LOCATIONS = 2  # two claims with so many heads in common are hardly about different things
SURE_WORDS = 0.25  # the share of words that such components count for

_Key = tuple[str, tuple[str, ...]]  # statement and components


class _Reading(NamedTuple):
    """What of a claim is compared: its components, the wording of its statement, and the words of the roles."""

    parts: list[Part]
    wording: Wording
    roles: frozenset[str]
    statement: Statement


class ClaimComparison:
    """Compares the claims of one paper with each other.

    "Name Mover" in one claim and "9.9" in another are the same if any of the claims says so: "9.9 (Name Mover)".
    """

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._readings = {_key(claim): _read(claim) for claim in claims}
        self._contradictions: dict[tuple[_Key, _Key], bool] = {}
        self._located = locations_of_roles(reading.parts for reading in self._readings.values())

    def similarity(self, first: Claim, second: Claim) -> float:
        """0 to 1. Our definition; the paper does not say how claims are matched.

        Of claims about components: the geometric mean of shared components (Jaccard) and shared words, by words alone
        if either names no component or only one of them has locations. Of claims about the whole system, whose lists
        of components vary: the root of the larger of the two. 0 between a system and a component, if one claim says
        that something is raised and the other that it is lowered, and if they contradict each other.
        """
        ours, theirs = self._readings[_key(first)], self._readings[_key(second)]
        if bool(first.system) != bool(second.system):
            return 0.0
        if _key(first) == _key(second):
            return 1.0
        if ours.wording.contradicts(theirs.wording) or self.contradict(first, second):
            return 0.0
        words, parts = _shared_words(ours, theirs), self._shared_parts(ours, theirs)
        if (parts is not None and _is_same_effect(ours, theirs)) or (
            self._surely_same(ours, theirs) and _may_be_same(ours, theirs)
        ):
            words = max(words, SURE_WORDS)
        if first.system:
            return float(max(words, parts or 0.0) ** 0.5)
        return words if parts is None else float((words * parts) ** 0.5)

    def contradict(self, first: Claim, second: Claim) -> bool:
        """Whether two claims cannot be one claim in other words.

        By `exclude`; and claims about one head or MLP by what is left of each beside the words that both have. If that
        is one word for each, or one and two where they share one alone, they are about different things.
        """
        pair = _key(first), _key(second)
        if pair not in self._contradictions:
            self._contradictions[pair] = first.statement != second.statement and self._exclude(first, second)
        return self._contradictions[pair]

    def _exclude(self, first: Claim, second: Claim) -> bool:
        ours, theirs = self._readings[_key(first)], self._readings[_key(second)]
        if exclude(ours.statement, theirs.statement):
            return True
        if first.system or len(self._locations(ours)) != 1 or self._locations(ours) != self._locations(theirs):
            return False
        rest = sorted((_rest(ours, theirs), _rest(theirs, ours)), key=len)
        common = min(len(ours.wording.words) - len(rest[0]), len(theirs.wording.words) - len(rest[1]))
        left = len(rest[0]), len(rest[1])
        return common >= 1 and (left == (1, 1) or (left == (1, 2) and common == 1))

    def _surely_same(self, ours: _Reading, theirs: _Reading) -> bool:
        return len(self._locations(ours) & self._locations(theirs)) >= SURE_LOCATIONS

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
    return _Reading(parts, wording, roles.words, read_statement(claim.statement))


def _rest(ours: _Reading, theirs: _Reading) -> frozenset[str]:
    """The words that tell the first claim from others and that the second has neither in its statement nor a role."""
    words = ours.wording.words - measures()
    return words - shared(words, theirs.wording.words | theirs.roles)


def _is_same_effect(ours: _Reading, theirs: _Reading) -> bool:
    """Whether two claims both say that something is raised, or both that it is lowered, and one of them no more."""
    bare = not (ours.wording.words - measures() and theirs.wording.words - measures())
    return bare and ours.wording.direction == theirs.wording.direction != 0


def _may_be_same(ours: _Reading, theirs: _Reading) -> bool:
    """Whether two claims about the same components have one direction, or one of them says nothing of its own."""
    return ours.wording.direction == theirs.wording.direction or not (ours.wording.words and theirs.wording.words)


def _shared_words(ours: _Reading, theirs: _Reading) -> float:
    """The share of the shorter statement's words that the other has, in its statement or in a role of its own."""
    mine, other = ours.wording.words, theirs.wording.words
    both = shared(mine, other | (theirs.roles - ours.roles)) | shared(ours.roles - theirs.roles, other)
    fewest = min(len(mine), len(other))
    return min(1.0, len(both) / fewest) if fewest else 0.0


def _key(claim: Claim) -> _Key:
    return claim.statement, tuple(claim.components)
