"""Which levels of a paper's claims can be moved while the rest of its text stays true, and where to."""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from mechaware.claims.planting.phrases import phrases, topic_of, write_statements
from mechaware.claims.planting.plan import (
    PlantedClaim,
    PlantedPaper,
    belongs,
    draw_families,
    make_coherent,
    shown_families,
)
from mechaware.claims.rubric.criteria import CRITERIA, LEAK_PRONE, RANK, STATUSES, Status
from mechaware.seeds import derive_seed

Levels = Mapping[str, Status]
# Where anything was intervened on there is reach, and where an ablation is quantified there is a size.
LOWEST: Mapping[str, Status] = {"E1": "PARTIAL", "E4": "PARTIAL"}
# Ways to take evidence away that leave in the text what is not, or no longer, evidence for the claim.
HARD = ("withdrawn", "others", "component", "circuit")
COUNTERFACTUAL = ("others", "component")  # families of `HARD` with phrasings of their own, by criterion


def tested_levels(code: str) -> tuple[Status, ...]:
    """The levels of a criterion that the papers and their edits have."""
    return STATUSES[RANK[LOWEST.get(code, "NO")] :]


def targets_of(levels: Sequence[Levels], claim: int, code: str) -> list[Status]:
    """The other levels that a criterion of a claim of a coherent paper can be moved to alone."""
    found = []
    for level in tested_levels(code):
        own = {**levels[claim], code: level}
        circuit, *parts = (own if number == claim else dict(kept) for number, kept in enumerate(levels))
        agrees = all(belongs(part, circuit) for part in parts)
        if level != levels[claim][code] and agrees and make_coherent(own) == own:
            found.append(level)
    return found


class Moves(NamedTuple):
    """What a criterion of a claim can be edited to: the level of its toggle, and families of `HARD`, all to NO."""

    toggle: Status | None
    removable: bool  # it is at YES and can be at NO
    hard: list[str]


def moves_of(levels: Sequence[Levels], claim: int, code: str, seed: int) -> Moves:
    """The edits of one criterion of one claim; a claim after the first is of a component.

    The toggle is to one of `targets_of` at random. That of I1 at YES is to PARTIAL where it can be: its evidence is
    taken away in all other ways.
    """
    targets = targets_of(levels, claim, code)
    removable = levels[claim][code] == "YES" and "NO" in targets
    toggles: list[Status] = ["PARTIAL"] if code == "I1" and removable and "PARTIAL" in targets else targets
    toggle = Random(derive_seed(seed, "toggle", claim, code)).choice(toggles) if toggles else None  # noqa: S311
    if not removable:
        return Moves(toggle, False, [])
    hard = ["withdrawn"] if code in phrases()["withdrawals"] else []
    hard += [family for family in COUNTERFACTUAL if code in phrases()["counterfactuals"][family]]
    return Moves(toggle, True, hard + ["circuit"] * (code in LEAK_PRONE and claim > 0))


def covered(levels: Sequence[Levels], seed: int) -> Iterator[tuple[str, str]]:
    """What a paper's texts test a judge on, claim by claim.

    A criterion with "edited" if an edit of the claim is about it, and with each level that it has in some text; a
    family of `HARD` with "hard".
    """
    for claim, own in enumerate(levels):
        families: set[str] = set()
        for code in CRITERIA:
            moves = moves_of(levels, claim, code, seed)
            emptied = moves.hard or (code == "I1" and moves.removable)
            yield from ((code, level) for level in {own[code], moves.toggle, *(["NO"] if emptied else [])} if level)
            if moves.toggle:
                yield code, "edited"
            families.update(moves.hard)
        yield from ((family, "hard") for family in families)


def with_level(paper: PlantedPaper, claim: int, code: str, level: Status) -> PlantedPaper:
    """The paper's plan with one level changed, to one of `targets_of`.

    Families of evidence that are shown no longer give way to others, and those shown anew are counted.
    """
    before = paper.claims[claim]
    levels = before.levels | {code: level}
    changes: dict[str, object] = {"levels": levels}
    if code == "C5" or shown_families(levels) != shown_families(before.levels):
        random = Random(derive_seed(paper.seed, paper.paper, "edit", "families", claim))  # noqa: S311
        changes["evidence_families"] = draw_families(levels, random)
    if code == "C1":
        changes["statement"], *changes["restated"] = _restated(paper, before, level)
    claims = list(paper.claims)
    claims[claim] = before.model_copy(update=changes)
    return paper.model_copy(update={"claims": claims})


def levels_of(paper: PlantedPaper) -> list[dict[str, Status]]:
    """The levels of each claim."""
    return [claim.levels for claim in paper.claims]


def toggle_seed(seed: int, paper: str) -> int:
    """The seed of a paper's toggles."""
    return derive_seed(seed, paper, "towards")


def _restated(paper: PlantedPaper, claim: PlantedClaim, level: Status) -> list[str]:
    """The wordings of a claim at another level of C1."""
    topic = topic_of(paper.task)
    operations = {group["name"]: group["operation"] for group in topic["groups"]}
    return write_statements(
        level,
        task=paper.task,
        model=paper.model,
        name=claim.name,
        components=claim.components,
        operation=operations.get(claim.name, topic["algorithm"]),
        system=claim.system,
        seed=derive_seed(paper.seed, paper.paper, "restated", claim.name),
    )
