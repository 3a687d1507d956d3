"""How alike two claims are: the components that both name, however they are written, and what both say of them."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mechaware.instruments.claims.judges.components import ComponentNames, find_classes
from mechaware.instruments.claims.rubric.records import Claim
from mechaware.instruments.claims.votes.statements import (
    LOCATIONS,
    Statement,
    content_words,
    read_statement,
    shared_stems,
)

NO_ROLE = re.compile(
    r"\b(?:attention|heads?|neurons?|layers?|blocks?|mlps?|units?|circuit|and|the|of|one|two|three|four|five|six|seven|"
    r"eight|nine|ten)\b|[^\w\s-]"
)
MAX_RANGE = 100  # a longer range of MLPs is no range
SURE_LOCATIONS = 2  # two claims with so many heads in common are hardly about different things
SURE_WORDS = 0.25  # the share of words that such components count for


class _Part(NamedTuple):
    """A component: its locations in the model and its role, of which one may be empty."""

    locations: frozenset[str]
    role: str

    @property
    def keys(self) -> frozenset[str]:
        """What it is compared by: the locations, or the role if there are none."""
        return self.locations or frozenset({self.role} - {""})


def _read_part(name: str) -> _Part:
    """The component that a judge names, as "9.9 (Name Mover)" or "L9H9"."""
    lower = name.lower()
    locations = frozenset(
        key for match in LOCATIONS.finditer(lower) for key in _location_keys(match)
    )
    words = NO_ROLE.sub(" ", LOCATIONS.sub(" ", lower)).replace("-", " ").split()
    return _Part(locations, " ".join(word.rstrip("s") for word in words))


def _read_parts(claim: Claim) -> list[_Part]:
    """The components of a claim; if none of them has a role, the first class that the statement names is theirs."""
    parts = [part for part in map(_read_part, claim.components) if part.keys]
    if not parts:
        mentioned = ComponentNames(claim.statement).keys_in(claim.statement)
        parts = [part for part in map(_read_part, sorted(mentioned)) if part.locations]
    if not any(part.role for part in parts):
        named = (
            two_words or one_word for _, _, two_words, one_word in find_classes(claim.statement)
        )
        role = next((_read_part(name).role for name in named), "")
        parts = (
            [part._replace(role=role) for part in parts]
            if parts
            else [_Part(frozenset(), role)] * bool(role)
        )
    return parts


def _locations_of_roles(claims: Iterable[Iterable[_Part]]) -> dict[str, frozenset[str]]:
    """By role, the locations that some claim gives its components of this role."""
    located: dict[str, frozenset[str]] = {}
    for part in (part for parts in claims for part in parts):
        if part.role and part.locations:
            located[part.role] = located.get(part.role, frozenset()) | part.locations
    return located


def _keys_of(parts: Iterable[_Part], located: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The keys of components; a role that `located` knows stands for its locations."""
    return frozenset().union(
        *(part.locations or located.get(part.role) or part.keys for part in parts)
    )


def _location_keys(match: re.Match[str]) -> list[str]:
    """L9H9 as "9 9", an MLP as "mlp 8", a layer as "bare 5"; a range of MLPs as each of them."""
    named = {key: value for key, value in match.groupdict().items() if value}
    if "last" in named and int(named["mlp"]) <= int(named["last"]) < int(named["mlp"]) + MAX_RANGE:
        return [f"mlp {number}" for number in range(int(named["mlp"]), int(named["last"]) + 1)]
    if "mlp" in named:
        return [f"mlp {named['mlp']}"]
    return [f"bare {named['bare']}" if "bare" in named else f"{named['layer']} {named['index']}"]


_Key = tuple[str, tuple[str, ...]]  # statement and components


class _ComparedClaim(NamedTuple):
    """What of a claim is compared: its components, its statement, and the words of the components' roles."""

    parts: list[_Part]
    statement: Statement
    roles: frozenset[str]


class ClaimComparison:
    """Compares the claims of one paper with each other.

    "Name Mover" in one claim and "9.9" in another are the same if any of the claims says so: "9.9 (Name Mover)".
    Two claims whose components exchange roles, or of which one has two words that the other lacks, are taken for one.
    """

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._compared = {_key(claim): _compare(claim) for claim in claims}
        self._contradictions: dict[tuple[_Key, _Key], bool] = {}
        self._located = _locations_of_roles(compared.parts for compared in self._compared.values())

    def similarity(self, first: Claim, second: Claim) -> float:
        """0 to 1. Our definition; the paper does not say how claims are matched.

        Of claims about components: the geometric mean of shared components (Jaccard) and shared words, by words alone
        if either names no component or only one of them has locations. Of claims about the whole system, whose lists
        of components vary: the root of the larger of the two. 0 between a system and a component, if one claim says
        that something is raised and the other that it is lowered, and if they contradict each other.
        """
        ours, theirs = self._compared[_key(first)], self._compared[_key(second)]
        if bool(first.system) != bool(second.system):
            return 0.0
        if _key(first) == _key(second):
            return 1.0
        if ours.statement.has_opposite_effect(theirs.statement) or self.contradict(first, second):
            return 0.0
        words, parts = _shared_words(ours, theirs), self._shared_parts(ours, theirs)
        one_direction = ours.statement.direction == theirs.statement.direction
        # Both say that something is raised, or both that it is lowered, and one of them no more.
        silent = not (ours.statement.words and theirs.statement.words)
        same_effect = one_direction and ours.statement.direction and silent
        # They share so many locations, and have one direction or one of them says nothing of its own.
        shared = self._locations(ours) & self._locations(theirs)
        same_heads = len(shared) >= SURE_LOCATIONS and (one_direction or silent)
        if (parts is not None and same_effect) or same_heads:
            words = max(words, SURE_WORDS)
        if first.system:
            return float(max(words, parts or 0.0) ** 0.5)
        return words if parts is None else float((words * parts) ** 0.5)

    def contradict(self, first: Claim, second: Claim) -> bool:
        """Whether two claims cannot be one claim in other words.

        One of them denies what the other does not. Claims about one head or MLP also if each has exactly one word that
        the other lacks, and they share at least one: "the number of the subject", "the gender of the subject". Further
        words are not evidence enough: a paraphrase has them, too. Neither claim comes first. Our definition; opposites
        in other words and exchanged roles are undetected.
        """
        pair = _key(first), _key(second)
        if pair not in self._contradictions:
            self._contradictions[pair] = first.statement != second.statement and self._are_opposed(
                first, second
            )
        return self._contradictions[pair]

    def _are_opposed(self, first: Claim, second: Claim) -> bool:
        ours, theirs = self._compared[_key(first)], self._compared[_key(second)]
        if ours.statement.denied != theirs.statement.denied:
            return True
        if (
            first.system
            or len(self._locations(ours)) != 1
            or self._locations(ours) != self._locations(theirs)
        ):
            return False
        each_has_one_of_its_own = len(_rest(ours, theirs)) == len(_rest(theirs, ours)) == 1
        have_a_word_in_common = min(len(ours.statement.words), len(theirs.statement.words)) > 1
        return each_has_one_of_its_own and have_a_word_in_common

    def _shared_parts(self, ours: _ComparedClaim, theirs: _ComparedClaim) -> float | None:
        """The Jaccard index of the components; None if they cannot be compared."""
        mine, other = _keys_of(ours.parts, self._located), _keys_of(theirs.parts, self._located)
        if not mine or not other or bool(self._locations(ours)) != bool(self._locations(theirs)):
            return None
        return len(mine & other) / len(mine | other)

    def _locations(self, compared: _ComparedClaim) -> frozenset[str]:
        return _keys_of(compared.parts, self._located) - {part.role for part in compared.parts}


def _compare(claim: Claim) -> _ComparedClaim:
    parts = _read_parts(claim)
    statement = list(claim.statement)
    for start, end, _, _ in find_classes(claim.statement):
        statement[start:end] = " " * (end - start)
    roles = content_words(" ".join(part.role for part in parts))
    return _ComparedClaim(parts, read_statement(claim.statement, "".join(statement)), roles)


def _rest(ours: _ComparedClaim, theirs: _ComparedClaim) -> frozenset[str]:
    """The words that tell the first claim from others and that the second has neither in its statement nor a role."""
    words = ours.statement.words
    return words - shared_stems(words, theirs.statement.words | theirs.roles)


def _shared_words(ours: _ComparedClaim, theirs: _ComparedClaim) -> float:
    """The share of the shorter statement's words that the other has, in its statement or in a role of its own."""
    mine, other = ours.statement.words, theirs.statement.words
    both = shared_stems(mine, other | (theirs.roles - ours.roles)) | shared_stems(
        ours.roles - theirs.roles, other
    )
    fewest = min(len(mine), len(other))
    return min(1.0, len(both) / fewest) if fewest else 0.0


def _key(claim: Claim) -> _Key:
    return claim.statement, tuple(claim.components)
