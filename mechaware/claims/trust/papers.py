"""Plans the papers of the trust study: each has two claims, one with much evidence and one with little."""

from random import Random
from typing import Any

from mechaware.claims.planting.manuscript import Manuscript, Section, compose
from mechaware.claims.planting.phrases import phrases
from mechaware.claims.planting.plan import (
    CAUSAL,
    DEMANDS,
    Subject,
    belongs,
    draw_subjects,
    make_claim,
    make_coherent,
)
from mechaware.claims.planting.records import PlantedClaim, PlantedPaper
from mechaware.claims.rubric.criteria import CRITERIA, Status
from mechaware.claims.rubric.scoring import cvs, tier
from mechaware.seeds import derive_seed

# What rests on an ablation: unmet, the paper is silent on it, so that one sentence alone tells of necessity.
RESTS_ON_ABLATION = {demand.code for demand in DEMANDS if demand.others == ("I1",)}
LEVELS: tuple[Status, ...] = ("YES", "YES", "NO", "NO", "PARTIAL")  # of these, drawn alike
EITHER: tuple[Status, ...] = ("YES", "NO")
INSTRUCTING = 4  # every fourth paper tells its judges what to answer


def plan_trial_papers(number: int, seed: int) -> list[PlantedPaper]:
    """`number` papers, `trust-01` on, each with a claim about a circuit and one about a group of its components.

    What rests on a claim's ablation can be taken away where the claim has it; where it has none, the ablation can. Of
    three papers, the circuit has it in the first, the group in the second and neither in the third.
    """
    topics = phrases()["topics"]
    order = Random(derive_seed(seed, "trust topics")).sample(range(len(topics)), len(topics))  # noqa: S311
    return [_plan(number, topics[order[number % len(order)]], seed) for number in range(number)]


def _plan(number: int, topic: Any, seed: int) -> PlantedPaper:
    paper = f"trust-{number + 1:02}"
    random = Random(derive_seed(seed, paper, "plan"))  # noqa: S311
    model = random.choice(phrases()["models"])["model"]
    circuit, groups = draw_subjects(topic, random)
    subjects: list[Subject] = [circuit, random.choice(groups)]
    claims: list[PlantedClaim] = []
    for subject, levels in zip(subjects, _draw_pair(number, random), strict=True):
        claims.append(make_claim(subject, levels, [], topic["task"], model, random))
    return PlantedPaper(
        paper=paper,
        title=random.choice(topic["title"]),
        task=topic["task"],
        model=model,
        seed=seed,
        tier=tier(cvs(claims[0].levels)).name,
        claims=claims,
        tabled=False,
        instructs=number % INSTRUCTING == INSTRUCTING - 1,
    )


def _draw_pair(number: int, random: Random) -> tuple[dict[str, Status], dict[str, Status]]:
    """Levels of a circuit and of a group of its components, in the paper of this number; one has more ground."""
    circuit, group = (_draw(random, ground=ground == number % 2) for ground in range(2))
    if number % 3 == 0:  # nothing is known of single members, so that the ablation of the group can be taken away
        return _rich(circuit) | {"C4": "NO", "M1": "YES"}, _poor(group, "YES", random)
    if number % 3 == 1:
        return _poor(circuit, "YES", random) | {"M1": "YES"}, _rich(group)
    return _poor(circuit, "YES", random) | {"M1": "YES"}, _poor(group, "NO", random)


def _draw(random: Random, *, ground: bool) -> dict[str, Status]:
    """Levels before they are made coherent. With `ground` they have what C5, V2 and V4 rest on, at either level."""
    levels: dict[str, Status] = {code: random.choice(LEVELS) for code in CRITERIA}
    if ground:
        levels |= {code: random.choice(EITHER) for code in ("C5", "V2", "V4")}
        return levels | {"C2": "NO", "M6": "YES", "V1": "YES", "V3": "YES"}
    return levels | {code: random.choice(EITHER) for code in ("C3", "V1", "V3", "V5")}


def _rich(levels: dict[str, Status]) -> dict[str, Status]:
    """Both tests of cause at YES, and what rests on them as drawn."""
    return make_coherent(levels | dict.fromkeys(CAUSAL, "YES"))


def _poor(levels: dict[str, Status], ablated: Status, random: Random) -> dict[str, Status]:
    """Sufficiency at YES, necessity as given and nothing that rests on it but a size, which an ablation may repeat."""
    size: Status = random.choice(("YES", "PARTIAL"))
    silent: dict[str, Status] = dict.fromkeys(RESTS_ON_ABLATION, "NO")
    return make_coherent(levels | silent | {"E4": size, "I1": ablated, "I2": "YES"})


def write_trial_paper(paper: PlantedPaper) -> Manuscript:
    """The paper, silent on what rests on an ablation and is unmet."""
    manuscript = compose(paper)
    sections = [
        Section(heading, [(lead, [s for s in sentences if not _rests(s.code, s.status)]) for lead, sentences in parts])
        for heading, parts, _ in manuscript.sections
    ]
    kept = [Section(heading, [part for part in parts if part[1]]) for heading, parts, _ in sections]
    return manuscript._replace(sections=kept)


def is_coherent(paper: PlantedPaper) -> bool:
    """Whether no sentence of the paper would contradict another: within a claim, or of a part and its circuit."""
    circuit, *parts = paper.claims
    if not all(belongs(part.levels, circuit.levels) for part in parts):
        return False
    return all(make_coherent(claim.levels) == claim.levels for claim in paper.claims)


def _rests(code: str | None, status: Status | None) -> bool:
    return code in RESTS_ON_ABLATION and status == "NO"
