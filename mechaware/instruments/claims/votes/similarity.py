"""How alike two claims are: by the components that both name, in whatever form, and by the words
that their statements share.

The file has two parts:

    _Part, _read_parts, ...                          the components of a claim
    ClaimComparison, _ComparedClaim, _shared_words   the comparison of claims

A class of components is named by words before a noun: "name mover heads". The telling words of a
statement are all but verbs and everyday words (`statements`).
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

# Words and signs in a component's name that do not belong to its role: in "Name Mover heads (two)"
# the role is "name mover".
NO_ROLE = re.compile(
    r"\b(?:attention|heads?|neurons?|layers?|blocks?|mlps?|units?|circuit|and|the|of|one|two|three|four|five|six|seven|"
    r"eight|nine|ten)\b|[^\w\s-]"
)
MAX_RANGE = 100  # MLPs; of a longer range only the first counts
# Claims that are surely alike (`ClaimComparison._surely_alike`): the locations that they share (two
# claims that share this many are hardly about different things), and the least share of words that
# they count as having in common.
SURE_LOCATIONS = 2
SURE_WORDS = 0.25

# Components


class _Part(NamedTuple):
    """A component as it is compared: its locations in the model and its role.

    A component that is written as several, such as "MLPs 8-10", has several locations. It may have
    no location, and `role` may be empty.
    """

    locations: frozenset[str]
    role: str

    @property
    def keys(self) -> frozenset[str]:
        """What the component is compared by: its locations, or its role if it has no location."""
        if self.locations:
            return self.locations
        return frozenset({self.role} if self.role else ())


def _read_part(name: str) -> _Part:
    """The component that a judge names: "9.9 (Name Movers)" is at "9 9" and has
    the role "name mover".
    """
    lower = name.lower()
    locations: set[str] = set()
    for match in LOCATIONS.finditer(lower):
        locations.update(_location_keys(match))

    without_locations = LOCATIONS.sub(" ", lower)
    words = NO_ROLE.sub(" ", without_locations).replace("-", " ").split()
    singular_words = [word.rstrip("s") for word in words]
    return _Part(frozenset(locations), " ".join(singular_words))


def _location_keys(match: re.Match[str]) -> list[str]:
    """The keys of a location: "9 9" for L9H9, "mlp 8" for an MLP, "bare 5" for a layer.

    A range of MLPs has a key for each MLP; a range of more than `MAX_RANGE` MLPs has only the key
    of its first.
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
    """The components that a claim lists, or, if it lists none, those with a location that its
    statement names.

    If no component has a role, all get the first class that the statement names as their role. A
    claim that names nothing but a class has one component, with the class as its role and without a
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
    """By role, the locations of all components with this role, over all claims."""
    located: dict[str, frozenset[str]] = {}
    for parts in claims:
        for part in parts:
            if part.role and part.locations:
                located[part.role] = located.get(part.role, frozenset()) | part.locations
    return located


def _find_locations(part: _Part, located: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The locations of a component; if it has none, those that `located` has for its role."""
    return part.locations or located.get(part.role, frozenset())


# Comparison

# What claims that count as the same have in common: the statement and the list of components.
_Key = tuple[str, tuple[str, ...]]


def _key(claim: Claim) -> _Key:
    return claim.statement, tuple(claim.components)


class _ComparedClaim(NamedTuple):
    """A claim as it is compared: its components, its statement,
    and the stems of the telling words of the components' roles.
    """

    parts: list[_Part]
    statement: Statement
    roles: frozenset[str]


class ClaimComparison:
    """Compares the claims of one paper with each other.

    "Name Mover" in one claim and "9.9" in another are the same component if any claim of the paper
    names "9.9 (Name Mover)".

    Known faults: two claims may count as the same claim although their components exchange roles,
    or although one has two telling words that the other lacks.
    """

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._compared = {_key(claim): _compare(claim) for claim in claims}
        self._contradictions: dict[tuple[_Key, _Key], bool] = {}
        self._located = _locations_of_roles(compared.parts for compared in self._compared.values())

    def similarity(self, first: Claim, second: Claim) -> float:
        """How alike two claims are. Our definition: the claim-validity paper has none.

        With w the share of words in common (`_shared_words`) and c the Jaccard index of the
        components:

            sqrt(w c)         claims about components
            w                 claims about components that cannot be compared (`_shared_parts`)
            sqrt(max(w, c))   claims about the whole system, whose lists of components vary

        w is at least `SURE_WORDS` if the claims are surely alike for other reasons
        (`_surely_alike`).

        Returns:
            From 0 to 1. It is 0 between a system-level and a component claim, if one claim only
            raises what the other only lowers, and if the claims contradict each other. It is 1 for
            the same level, statement and list of components.
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
        """Whether two claims cannot be one claim in other words. Our definition.

        It is symmetric for claims of the same level: both system-level, or both not.

        They contradict each other

        - if one of them is a denial and the other is not; or
        - if they are component claims about the same single location, such as a head or an MLP,
          each has exactly one telling word that the other lacks, and they share at least one: "the
          number of the subject", "the gender of the subject". Two words that the other lacks are
          not evidence enough: a paraphrase also has them.

        Opposites in other words and exchanged roles are not detected.
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
        """Whether two claims are surely alike for other reasons than their words.

        Either of these is enough:

        - The claims have the same direction, which is not 0; one of them has no telling word; and
          their components can be compared.
        - The claims share `SURE_LOCATIONS` locations or more, and they have the same direction,
          which may be 0, or one of them has no telling word.
        """
        same_direction = ours.statement.direction == theirs.statement.direction
        one_has_no_words = not ours.statement.words or not theirs.statement.words

        same_effect = same_direction and ours.statement.direction != 0
        can_be_compared = part_share is not None
        if same_effect and one_has_no_words and can_be_compared:
            return True

        shared = self._locations(ours) & self._locations(theirs)
        return len(shared) >= SURE_LOCATIONS and (same_direction or one_has_no_words)

    def _are_opposed(self, first: Claim, second: Claim) -> bool:
        """Whether two claims with different statements contradict each other (`contradict`)."""
        ours = self._compared[_key(first)]
        theirs = self._compared[_key(second)]
        if ours.statement.denied != theirs.statement.denied:
            return True

        locations = self._locations(ours)
        about_one_location = len(locations) == 1 and locations == self._locations(theirs)
        if first.system or not about_one_location:
            return False
        each_lacks_one_word = (
            len(_unshared_words(ours, theirs)) == 1 and len(_unshared_words(theirs, ours)) == 1
        )
        # Then all further words are shared.
        have_further_words = len(ours.statement.words) > 1 and len(theirs.statement.words) > 1
        return each_lacks_one_word and have_further_words

    def _shared_parts(self, ours: _ComparedClaim, theirs: _ComparedClaim) -> float | None:
        """The Jaccard index of the components, by their keys.

        None if they cannot be compared: a claim names no component, or only one of the two has
        locations.
        """
        our_keys = self._keys(ours)
        their_keys = self._keys(theirs)
        if not our_keys or not their_keys:
            return None
        if bool(self._locations(ours)) != bool(self._locations(theirs)):
            return None
        return len(our_keys & their_keys) / len(our_keys | their_keys)

    def _locations(self, compared: _ComparedClaim) -> frozenset[str]:
        """The locations of a claim's components.

        A component that has only a role has the locations that other claims give to this role.
        """
        locations: set[str] = set()
        for part in compared.parts:
            locations |= _find_locations(part, self._located)

        # Known fault: "(9, 9)" is read as the role "9 9", not as a location. "9 9" is also the key
        # of L9H9, so a claim that lists both has no location "9 9".
        roles = {part.role for part in compared.parts}
        return frozenset(locations - roles)

    def _keys(self, compared: _ComparedClaim) -> frozenset[str]:
        """The keys of a claim's components: their locations, or the role of a component to which no
        claim gives a location.
        """
        keys: set[str] = set()
        for part in compared.parts:
            keys |= _find_locations(part, self._located) or part.keys
        return frozenset(keys)


def _compare(claim: Claim) -> _ComparedClaim:
    """The claim as it is compared."""
    parts = _read_parts(claim)
    roles = content_words(" ".join(part.role for part in parts))
    statement = read_statement(claim.statement, _without_classes(claim.statement))
    return _ComparedClaim(parts, statement, roles)


def _without_classes(statement: str) -> str:
    """A statement in which each class of components that it names is replaced by spaces."""
    characters = list(statement)
    for name in find_classes(statement):
        characters[name.start : name.end] = " " * (name.end - name.start)
    return "".join(characters)


def _unshared_words(ours: _ComparedClaim, theirs: _ComparedClaim) -> frozenset[str]:
    """The telling words of the first claim that the second has neither in its
    statement nor in a role.
    """
    words = ours.statement.words
    return words - shared_stems(words, theirs.statement.words | theirs.roles)


def _shared_words(ours: _ComparedClaim, theirs: _ComparedClaim) -> float:
    """The number of telling words that two claims share, divided by the number of telling words in
    the shorter statement.

    A word is shared if both statements have it, or if one statement has it and the other claim has
    it in a role that the first claim does not have. The result is at most 1, and 0 if a statement
    has no telling words.
    """
    our_words = ours.statement.words
    their_words = theirs.statement.words
    fewest = min(len(our_words), len(their_words))
    if fewest == 0:
        return 0.0

    in_theirs = shared_stems(our_words, their_words | (theirs.roles - ours.roles))
    in_ours = shared_stems(ours.roles - theirs.roles, their_words)
    return min(1.0, len(in_theirs | in_ours) / fewest)
