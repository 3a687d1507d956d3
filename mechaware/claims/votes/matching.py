"""Matches the claims of independent runs: which of them are the same claim."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

from mechaware.claims.rubric.records import Claim

# 9.9, L9H9, a9.h9 and "layer 9, head 9"; MLP 10 and m10; a layer without a head.
LOCATIONS = re.compile(
    r"\b(?:(?:l|a|layer ?|block ?)?(?P<layer>\d+)(?:\.h?|h|,? ?head ?)(?P<index>\d+)|(?:mlp|m) ?(?P<mlp>\d+)|"
    r"(?:l|layer ?|block ?)(?P<bare>\d+))\b"
)
NO_ROLE = re.compile(r"\b(?:attention|heads?|neurons?|layers?|blocks?|mlps?|and|the)\b|[^\w\s-]")


def similarity(first: Claim, second: Claim) -> float:
    """0 to 1: the mean of shared components (Jaccard) and shared words (Dice's coefficient).

    The words alone count if either claim names no components. Our definition.
    """
    words = _shared_words(first.statement, second.statement)
    ours, theirs = ([_component(name) for name in claim.components] for claim in (first, second))
    if not ours or not theirs:
        return words
    shared = min(
        sum(any(map(component.same, others)) for component in components)
        for components, others in ((ours, theirs), (theirs, ours))
    )
    return (words + shared / (len(ours) + len(theirs) - shared)) / 2


def match_claims(runs: Sequence[Sequence[Claim]], *, least_similarity: float) -> list[list[int | None]]:
    """Groups of matching claims: for each group, the claim's index in every run, or None where the run lacks it.

    The run that agrees most with the others is the reference. The claims of every other run are assigned to its claims
    one to one (Hungarian method); pairs less similar than `least_similarity` are dropped. The remaining claims are
    matched again in the same way. The groups do not depend on the order of the runs: ties are broken by content. They
    are ordered by the mean index of their claims. Our definition: the paper does not say how claims are matched.
    """
    left = {run: _by_content(claims) for run, claims in enumerate(runs)}
    groups: list[dict[int, int]] = []
    while any(left.values()):
        reference = _reference(runs, left)
        matched = {index: {reference: index} for index in left[reference]}
        for run in left:
            if run != reference:
                for mine, theirs in _assign(runs, left, reference, run, least_similarity):
                    matched[mine][run] = theirs
        groups += matched.values()
        used = {claim for group in matched.values() for claim in group.items()}
        left = {run: [index for index in indices if (run, index) not in used] for run, indices in left.items()}
    ordered = sorted(groups, key=lambda group: (np.mean(list(group.values())), _members(runs, group)))
    return [[group.get(run) for run in range(len(runs))] for group in ordered]


def central(claims: Sequence[Claim]) -> Claim:
    """The claim with the greatest total similarity to the others; ties are broken by content."""
    return max(
        claims,
        key=lambda claim: (sum(similarity(claim, other) for other in claims), _content(claim)),
    )


class _Component(NamedTuple):
    """A component as a judge names it, "9.9 (Name Mover)" or "L9H9": its locations in the model, and its role."""

    locations: frozenset[str]
    role: str

    def same(self, other: "_Component") -> bool:
        """Whether both name the same component: by location, or by role if either has no location."""
        if self.locations and other.locations:
            return bool(self.locations & other.locations)
        return self.role == other.role != ""


def _component(name: str) -> _Component:
    lower = name.lower()
    matches = ({key: value for key, value in match.groupdict().items() if value} for match in LOCATIONS.finditer(lower))
    locations = frozenset(
        " ".join([*(key for key in match if key in ("mlp", "bare")), *match.values()]) for match in matches
    )
    role = " ".join(word.rstrip("s") for word in NO_ROLE.sub(" ", LOCATIONS.sub(" ", lower)).split())
    return _Component(locations, role)


def _shared_words(first: str, second: str) -> float:
    """Dice's coefficient of the words with four letters or more and of the numbers; 0 if neither text has any."""
    ours, theirs = (
        {word for word in re.findall(r"\w+(?:[.-]\w+)*", text.lower()) if len(word) > 3 or any(map(str.isdigit, word))}
        for text in (first, second)
    )
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours or theirs else 0.0


def _reference(runs: Sequence[Sequence[Claim]], left: dict[int, list[int]]) -> int:
    """The run whose remaining claims agree most with those of the other runs."""

    def agreement(run: int) -> tuple[float, list[str]]:
        others = (other for other in left if other != run)
        total = sum(
            (
                similarity(runs[run][mine], runs[other][theirs])
                for other in others
                for mine, theirs in _assign(runs, left, run, other, 0.0)
            ),
            0.0,
        )
        return round(total, 9), [_content(runs[run][index]) for index in left[run]]

    return max((run for run, indices in left.items() if indices), key=agreement)


def _assign(
    runs: Sequence[Sequence[Claim]], left: dict[int, list[int]], first: int, second: int, least: float
) -> list[tuple[int, int]]:
    """The one-to-one assignment of the remaining claims of two runs with the greatest total similarity."""
    if not left[first] or not left[second]:
        return []
    likeness = np.array([[similarity(runs[first][i], runs[second][j]) for j in left[second]] for i in left[first]])
    rows, columns = linear_sum_assignment(likeness, maximize=True)
    return [(left[first][i], left[second][j]) for i, j in zip(rows, columns, strict=True) if likeness[i, j] >= least]


def _members(runs: Sequence[Sequence[Claim]], group: dict[int, int]) -> list[str]:
    return sorted(_content(runs[run][index]) for run, index in group.items())


def _by_content(claims: Sequence[Claim]) -> list[int]:
    return sorted(range(len(claims)), key=lambda index: _content(claims[index]))


def _content(claim: Claim) -> str:
    return claim.model_dump_json()
