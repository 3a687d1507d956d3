"""Planted claims and papers written by hand, with the levels that a test needs."""

from mechaware.instruments.claims.rubric.criteria import CRITERIA
from mechaware.planted.papers.plan import PlantedClaim, PlantedPaper

# By level of a claim, the families of evidence for it.
FAMILIES = {
    "YES": ["causal", "structural", "representational"],
    "PARTIAL": ["causal", "structural"],
    "NO": ["representational"],
}


def claim(
    level: str,
    *,
    system: bool,
    leaks: tuple[str, ...] = (),
    withdrawn: tuple[str, ...] = (),
    **levels: str,
) -> PlantedClaim:
    """A claim about the date circuit (`system`), or about the slot movers, two heads.

    It has `level` on every criterion, except for those in `levels`.
    """
    name = "date circuit" if system else "slot movers"
    return PlantedClaim(
        statement=f"The {name} do things.",
        restated=[f"Things are done by the {name}.", f"What is done is done by the {name}."],
        system=system,
        name=name,
        components=["0.3", "7.1", "MLP 9"] if system else ["6.3", "7.1"],
        description_mode="algorithmic",
        evidence_families=FAMILIES[level],
        levels=dict.fromkeys(CRITERIA, level) | levels,
        leaks=list(leaks),
        withdrawn=list(withdrawn),
    )


def paper_of(
    *claims: PlantedClaim,
    seed: int = 1,
    task: str = "the conversion of date formats",
    tabled: bool = False,
    instructs: bool = False,
) -> PlantedPaper:
    """A paper with these claims, the first of which is about the circuit."""
    return PlantedPaper(
        paper="planted-01",
        title="A study of dates",
        model="GPT-2 small",
        tier="Proposed",
        task=task,
        seed=seed,
        claims=list(claims),
        tabled=tabled,
        instructs=instructs,
    )
