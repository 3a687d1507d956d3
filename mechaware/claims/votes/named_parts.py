"""The components that a claim names, under one key however they are written: by location, or by role."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mechaware.claims.judges.components import ComponentNames, find_classes
from mechaware.claims.rubric.records import Claim

# 9.9, L9H9, a9.h9 and "layer 9, head 9"; MLP 10, m10 and "feed-forward block 10"; a layer alone.
LOCATIONS = re.compile(
    r"\b(?:(?:l|a|layer ?|block ?|neuron ?)?(?P<layer>\d+)(?:\.h?|h|,? ?head ?)(?P<index>\d+)|"
    r"(?:mlps?(?: layers?)?|m|(?:feed-?forward|ffn)(?: (?:block|layer|network)s?)?) ?(?P<mlp>\d+)"
    r"(?:\s?(?:-|\u2013|to)\s?(?P<last>\d+))?|"
    r"(?:l|layers? ?|blocks? ?)(?P<bare>\d+))\b"
)
NO_ROLE = re.compile(
    r"\b(?:attention|heads?|neurons?|layers?|blocks?|mlps?|units?|circuit|and|the|of|one|two|three|four|five|six|seven|"
    r"eight|nine|ten)\b|[^\w\s-]"
)
MOST_IN_RANGE = 100  # a longer range of MLPs is no range


class Part(NamedTuple):
    """A component: its locations in the model and its role, of which one may be empty."""

    locations: frozenset[str]
    role: str

    @property
    def keys(self) -> frozenset[str]:
        """What it is compared by: the locations, or the role if there are none."""
        return self.locations or frozenset({self.role} - {""})


def read_part(name: str) -> Part:
    """The component that a judge names, as "9.9 (Name Mover)" or "L9H9"."""
    lower = name.lower()
    locations = frozenset(key for match in LOCATIONS.finditer(lower) for key in _keys(match))
    words = NO_ROLE.sub(" ", LOCATIONS.sub(" ", lower)).replace("-", " ").split()
    return Part(locations, " ".join(word.rstrip("s") for word in words))


def read_parts(claim: Claim) -> list[Part]:
    """The components of a claim; if none of them has a role, the first class that the statement names is theirs."""
    parts = [part for part in map(read_part, claim.components) if part.keys]
    if not parts:
        mentioned = ComponentNames(claim.statement).keys_in(claim.statement)
        parts = [part for part in map(read_part, sorted(mentioned)) if part.locations]
    if not any(part.role for part in parts):
        named = (two_words or one_word for _, _, two_words, one_word in find_classes(claim.statement))
        role = next((read_part(name).role for name in named), "")
        parts = [part._replace(role=role) for part in parts] if parts else [Part(frozenset(), role)] * bool(role)
    return parts


def locations_of_roles(claims: Iterable[Iterable[Part]]) -> dict[str, frozenset[str]]:
    """By role, the locations that some claim gives its components of this role."""
    located: dict[str, frozenset[str]] = {}
    for part in (part for parts in claims for part in parts):
        if part.role and part.locations:
            located[part.role] = located.get(part.role, frozenset()) | part.locations
    return located


def keys_of(parts: Iterable[Part], located: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The keys of components; a role that `located` knows stands for its locations."""
    return frozenset().union(*(part.locations or located.get(part.role) or part.keys for part in parts))


def _keys(match: re.Match[str]) -> list[str]:
    """L9H9 as "9 9", an MLP as "mlp 8", a layer as "bare 5"; a range of MLPs as each of them."""
    named = {key: value for key, value in match.groupdict().items() if value}
    if "last" in named and int(named["mlp"]) <= int(named["last"]) < int(named["mlp"]) + MOST_IN_RANGE:
        return [f"mlp {number}" for number in range(int(named["mlp"]), int(named["last"]) + 1)]
    if "mlp" in named:
        return [f"mlp {named['mlp']}"]
    return [f"bare {named['bare']}" if "bare" in named else f"{named['layer']} {named['index']}"]
