"""How alike two claims are: by the components that both name, in whatever form,
and by what both say of these.
"""

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

# What is no part of a component's role: in "Name Mover heads (two)" the role is "name mover".
NO_ROLE = re.compile(
    r"\b(?:attention|heads?|neurons?|layers?|blocks?|mlps?|units?|circuit|and|the|of|one|two|three|four|five|six|seven|"
    r"eight|nine|ten)\b|[^\w\s-]"
)
MAX_RANGE = 100  # MLPs: of a longer range only the first counts
SURE_LOCATIONS = 2  # two claims that share so many locations are hardly about different things
SURE_WORDS = 0.25  # the least share of words in common of two claims that are surely alike


class _Part(NamedTuple):
    """A component: its locations in the model and its role, of which one may be empty."""

    locations: frozenset[str]
    role: str

    @property
    def keys(self) -> frozenset[str]:
        """What a component is compared by: its locations, or its role if it has none."""
        if self.locations:
            return self.locations
        return frozenset({self.role} - {""})


def _read_part(name: str) -> _Part:
    """The component that a judge names: "9.9 (Name Movers)" is at "9 9" and has
    the role "name mover".
    """
    lower = name.lower()
    locations: set[str] = set()
    for match in LOCATIONS.finditer(lower):
        locations.update(_location_keys(match))

    rest = LOCATIONS.sub(" ", lower)
    words = NO_ROLE.sub(" ", rest).replace("-", " ").split()
    return _Part(frozenset(locations), " ".join(word.rstrip("s") for word in words))


def _location_keys(match: re.Match[str]) -> list[str]:
    """The keys of a location: "9 9" for L9H9, "mlp 8" for an MLP, "bare 5" for a layer.

    A range of MLPs has a key for each MLP; a range of more than `MAX_RANGE` has only the key of its
    first.
    """
    if match["last"]:
        first = int(match["mlp"])
        last = int(match["last"])
        if first <= last < first + MAX_RANGE:
            return [f"mlp {number}" for number in range(first, last + 1)]
    if match["mlp"]:
        return [f"mlp {match['mlp']}"]
    if match["bare"]:
        return [f"bare {match['bare']}"]
    return [f"{match['layer']} {match['index']}"]


def _read_parts(claim: Claim) -> list[_Part]:
    """The components that a claim lists, or, if it lists none, those that its statement names.

    If no component has a role, the first class that the statement names is the role of all. A claim
    that names nothing but a class has one component, with the class as its role and without a
    location.
    """
    listed = [_read_part(name) for name in claim.components]
    parts = [part for part in listed if part.keys]
    if not parts:
        mentioned = ComponentNames(claim.statement).keys_in(claim.statement)
        read = [_read_part(name) for name in sorted(mentioned)]
        parts = [part for part in read if part.locations]

    if any(part.role for part in parts):
        return parts
    role = _first_class(claim.statement)
    if parts:
        return [part._replace(role=role) for part in parts]
    return [_Part(frozenset(), role)] if role else []


def _first_class(statement: str) -> str:
    """The first class of components that a statement names, as a role; empty if it names none."""
    for name in find_classes(statement):
        return _read_part(name.two_words or name.one_word).role
    return ""


def _locations_of_roles(claims: Iterable[Iterable[_Part]]) -> dict[str, frozenset[str]]:
    """By role, the locations that some claim gives its components of this role."""
    located: dict[str, frozenset[str]] = {}
    for parts in claims:
        for part in parts:
            if part.role and part.locations:
                located[part.role] = located.get(part.role, frozenset()) | part.locations
    return located


def _keys_of(parts: Iterable[_Part], located: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The keys of components; a role that `located` knows is replaced by its locations."""
    keys: set[str] = set()
    for part in parts:
        keys |= part.locations or located.get(part.role) or part.keys
    return frozenset(keys)


_Key = tuple[str, tuple[str, ...]]  # statement and components


class _ComparedClaim(NamedTuple):
    """A claim as it is compared: its components, its statement,
    and the words of the components' roles.
    """

    parts: list[_Part]
    statement: Statement
    roles: frozenset[str]


class ClaimComparison:
    """Compares the claims of one paper with each other.

    "Name Mover" in one claim and "9.9" in another are the same if any of the claims says so: "9.9
    (Name Mover)". Known to be wrong: two claims whose components exchange roles, or of which one
    has two words that the other lacks, count as the same claim.
    """

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._compared = {_key(claim): _compare(claim) for claim in claims}
        self._contradictions: dict[tuple[_Key, _Key], bool] = {}
        self._located = _locations_of_roles(compared.parts for compared in self._compared.values())

    def similarity(self, first: Claim, second: Claim) -> float:
        """How alike two claims are. Our definition; the paper does not say how claims are matched.

        With w the share of words in common (`_shared_words`) and c the Jaccard index of the
        components:

            sqrt(w c)         claims about components
            w                 claims about components that cannot be compared (`_shared_parts`)
            sqrt(max(w, c))   claims about the whole system, whose lists of components vary

        w is at least `SURE_WORDS` if the claims are surely alike for other reasons
        (`_surely_alike`).

        Returns:
            From 0 to 1. 0 between a system-level and a component claim, if one claim only raises
            what the other only lowers, and if they contradict each other. 1 for the same statement
            and list of components.
        """
        ours = self._compared[_key(first)]
        theirs = self._compared[_key(second)]
        if bool(first.system) != bool(second.system):
            return 0.0
        if _key(first) == _key(second):
            return 1.0
        if ours.statement.has_opposite_effect(theirs.statement) or self.contradict(first, second):
            return 0.0

        word_share = _shared_words(ours, theirs)  # w
        part_share = self._shared_parts(ours, theirs)  # c
        if self._surely_alike(ours, theirs, part_share):
            word_share = max(word_share, SURE_WORDS)
        if first.system:
            return float(max(word_share, part_share or 0.0) ** 0.5)
        if part_share is None:
            return word_share
        return float((word_share * part_share) ** 0.5)

    def contradict(self, first: Claim, second: Claim) -> bool:
        """Whether two claims cannot be one claim in other words. Symmetric; our definition.

        They contradict each other

        - if one of them is a denial and the other is not; or
        - if both are about the same single head or MLP, each has exactly one word that the other
          lacks, and they share at least one: "the number of the subject", "the gender of the
          subject". Two further words are not evidence enough: a paraphrase also has them.

        Undetected are opposites in other words, and exchanged roles.
        """
        pair = (_key(first), _key(second))
        if pair not in self._contradictions:
            same_statement = first.statement == second.statement
            opposed = not same_statement and self._are_opposed(first, second)
            self._contradictions[pair] = opposed
        return self._contradictions[pair]

    def _surely_alike(
        self, ours: _ComparedClaim, theirs: _ComparedClaim, part_share: float | None
    ) -> bool:
        """Whether two claims are surely alike for other reasons than their words. Either of these
        is enough:

        - Both claims raise something, or both lower something; one of them has no telling word; and
          their components can be compared.
        - The claims share `SURE_LOCATIONS` locations, and they have the same direction or one of
          them has no telling word.
        """
        one_direction = ours.statement.direction == theirs.statement.direction
        either_is_silent = not ours.statement.words or not theirs.statement.words

        same_effect = one_direction and ours.statement.direction != 0 and either_is_silent
        if same_effect and part_share is not None:
            return True

        shared = self._locations(ours) & self._locations(theirs)
        return len(shared) >= SURE_LOCATIONS and (one_direction or either_is_silent)

    def _are_opposed(self, first: Claim, second: Claim) -> bool:
        """Whether two different statements contradict each other (`contradict`)."""
        ours = self._compared[_key(first)]
        theirs = self._compared[_key(second)]
        if ours.statement.denied != theirs.statement.denied:
            return True

        locations = self._locations(ours)
        about_one_component = len(locations) == 1 and locations == self._locations(theirs)
        if first.system or not about_one_component:
            return False
        each_has_one_of_its_own = len(_rest(ours, theirs)) == len(_rest(theirs, ours)) == 1
        have_a_word_in_common = min(len(ours.statement.words), len(theirs.statement.words)) > 1
        return each_has_one_of_its_own and have_a_word_in_common

    def _shared_parts(self, ours: _ComparedClaim, theirs: _ComparedClaim) -> float | None:
        """The Jaccard index of the components.

        None if they cannot be compared: a claim names no component, or only one of the two has
        locations.
        """
        our_keys = _keys_of(ours.parts, self._located)
        their_keys = _keys_of(theirs.parts, self._located)
        if not our_keys or not their_keys:
            return None
        if bool(self._locations(ours)) != bool(self._locations(theirs)):
            return None
        return len(our_keys & their_keys) / len(our_keys | their_keys)

    def _locations(self, compared: _ComparedClaim) -> frozenset[str]:
        """The locations of a claim's components; of a role without a location,
        those that other claims give it.
        """
        roles = {part.role for part in compared.parts}
        return _keys_of(compared.parts, self._located) - roles


def _compare(claim: Claim) -> _ComparedClaim:
    """The claim as it is compared."""
    parts = _read_parts(claim)
    roles = content_words(" ".join(part.role for part in parts))
    statement = read_statement(claim.statement, _without_classes(claim.statement))
    return _ComparedClaim(parts, statement, roles)


def _without_classes(statement: str) -> str:
    """A statement with spaces in the place of each class of components that it names."""
    characters = list(statement)
    for name in find_classes(statement):
        characters[name.start : name.end] = " " * (name.end - name.start)
    return "".join(characters)


def _rest(ours: _ComparedClaim, theirs: _ComparedClaim) -> frozenset[str]:
    """The telling words of the first claim that the second has neither in its
    statement nor in a role.
    """
    words = ours.statement.words
    return words - shared_stems(words, theirs.statement.words | theirs.roles)


def _shared_words(ours: _ComparedClaim, theirs: _ComparedClaim) -> float:
    """The share of the shorter statement's words that the other has, in its statement or in a role
    of its own.

    From 0 to 1; 0 if one of the statements has no words that tell it from others.
    """
    our_words = ours.statement.words
    their_words = theirs.statement.words
    fewest = min(len(our_words), len(their_words))
    if fewest == 0:
        return 0.0

    in_theirs = shared_stems(our_words, their_words | (theirs.roles - ours.roles))
    in_ours = shared_stems(ours.roles - theirs.roles, their_words)
    return min(1.0, len(in_theirs | in_ours) / fewest)


def _key(claim: Claim) -> _Key:
    """What claims that count as the same have in common:
    the statement and the list of components.
    """
    return claim.statement, tuple(claim.components)
