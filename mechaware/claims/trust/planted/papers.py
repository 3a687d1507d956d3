"""Plans the papers of the trust study: each has two claims, one with much evidence and one with little."""

from collections import Counter
from random import Random
from typing import Any

from mechaware.claims.planting.manuscript import Manuscript, Section, compose
from mechaware.claims.planting.phrases import phrases
from mechaware.claims.planting.plan import (
    DEMANDS,
    PlantedClaim,
    PlantedPaper,
    Subject,
    draw_subjects,
    make_claim,
    make_coherent,
)
from mechaware.claims.rubric.criteria import CRITERIA, Status
from mechaware.claims.rubric.scoring import cvs, tier
from mechaware.claims.trust.planted.moves import HARD, covered, tested_levels, toggle_seed
from mechaware.seeds import derive_seed

# What rests on an ablation: unmet, the paper is silent on it, so that one sentence alone tells of necessity.
RESTS_ON_ABLATION = {demand.code for demand in DEMANDS if demand.others == ("I1",)}
LEVELS: tuple[Status, ...] = ("YES", "YES", "NO", "NO", "PARTIAL")  # of these, drawn alike
EITHER: tuple[Status, ...] = ("YES", "NO")
ALONE: tuple[Status, ...] = ("YES", "PARTIAL", "NO", "NO")  # a group can hold less alone than its circuit
CANDIDATES = 8
ENOUGH = 11  # claims, of what is tested: six at least can show a share above one half, eleven of which one may fail
NEEDS = [
    *((code, need) for code in CRITERIA for need in ("edited", *tested_levels(code))),
    *((family, "hard") for family in HARD),
]
Pair = tuple[dict[str, Status], dict[str, Status]]
INSTRUCTING = 4  # every fourth paper tells its judges what to answer


def plan_trial_papers(number: int, seed: int) -> list[PlantedPaper]:
    """`number` papers, `trust-01` on, each with a claim about a circuit and one about a group of its components.

    What rests on a claim's ablation can be taken away where the claim has it; where it has none, the ablation can. Of
    three papers, the circuit has it in the first, the group in the second and neither in the third. Of `CANDIDATES`
    drawn plans for a paper the one is taken that adds most to what the papers before it test, so that no criterion is
    tested on a handful of claims.
    """
    topics = phrases()["topics"]
    order = Random(derive_seed(seed, "trust topics")).sample(range(len(topics)), len(topics))  # noqa: S311
    tested: Counter[tuple[str, str]] = Counter()
    papers = []
    for place in range(number):
        levels = _choose_levels(place, seed, tested)
        tested.update(covered(levels, toggle_seed(seed, _name(place))))
        papers.append(_plan(place, topics[order[place % len(order)]], seed, levels))
    return papers


def _name(number: int) -> str:
    return f"trust-{number + 1:02}"


def _choose_levels(number: int, seed: int, tested: Counter[tuple[str, str]]) -> Pair:
    """Of the candidates for the paper of this number, the levels that leave least untested."""
    paper = _name(number)
    random = Random(derive_seed(seed, paper, "levels"))  # noqa: S311

    def untested(levels: Pair) -> int:
        counts = Counter(tested)
        counts.update(covered(levels, toggle_seed(seed, paper)))
        return sum(max(0, ENOUGH - counts[need]) ** 5 for need in NEEDS)

    return min((_draw_pair(number, random) for _ in range(CANDIDATES)), key=untested)


def _plan(number: int, topic: Any, seed: int, levels: Pair) -> PlantedPaper:
    paper = _name(number)
    random = Random(derive_seed(seed, paper, "plan"))  # noqa: S311
    model = random.choice(phrases()["models"])["model"]
    circuit, groups = draw_subjects(topic, random)
    subjects: list[Subject] = [circuit, random.choice(groups)]
    claims: list[PlantedClaim] = []
    for subject, own in zip(subjects, levels, strict=True):
        claims.append(make_claim(subject, own, [], topic["task"], model, random))
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


def _draw_pair(number: int, random: Random) -> Pair:
    """Levels of a circuit and of a group of its components, in the paper of this number; one has more ground.

    A part holds no more alone, or is needed no more, than its circuit.
    """
    circuit, group = (_draw(random, ground=ground == number % 2) for ground in range(2))
    alone = random.choice(ALONE)
    if number % 3 == 0:  # nothing is known of single members, so that the ablation of the group can be taken away
        return _rich(circuit, "YES", random) | {"C4": "NO", "M1": "YES"}, _poor(group, "YES", alone, random)
    if number % 3 == 1:
        return _poor(circuit, "YES", "YES", random) | {"M1": "YES"}, _rich(group, alone, random)
    return _poor(circuit, "YES", "YES", random) | {"M1": "YES"}, _poor(group, "NO", "YES", random)


def _draw(random: Random, *, ground: bool) -> dict[str, Status]:
    """Levels before they are made coherent. With `ground` they have what C5, V2 and V4 rest on, at either level."""
    levels: dict[str, Status] = {code: random.choice(LEVELS) for code in CRITERIA}
    if ground:
        levels |= {code: random.choice(EITHER) for code in ("C5", "V2", "V4")}
        return levels | {"C1": "YES", "C2": "NO", "M6": "YES", "V1": "YES", "V3": "YES"}
    return levels | {code: random.choice(EITHER) for code in ("C3", "V1", "V3", "V5")}


def _rich(levels: dict[str, Status], alone: Status, random: Random) -> dict[str, Status]:
    """Necessity at YES, sufficiency as given, and what rests on an ablation above NO: it is unmet elsewhere.

    With a baseline, on which selectivity (E3) rests.
    """
    resting: dict[str, Status] = {code: random.choice(("YES", "PARTIAL")) for code in sorted(RESTS_ON_ABLATION)}
    return make_coherent(levels | resting | {"C4": "YES", "I1": "YES", "I2": alone, "M3": "YES"})


def _poor(levels: dict[str, Status], ablated: Status, alone: Status, random: Random) -> dict[str, Status]:
    """Necessity and sufficiency as given and nothing that rests on the one but a size, which an ablation may repeat."""
    size: Status = random.choice(("YES", "PARTIAL"))
    silent: dict[str, Status] = dict.fromkeys(RESTS_ON_ABLATION, "NO")
    return make_coherent(levels | silent | {"E4": size, "I1": ablated, "I2": alone})


def write_trial_paper(paper: PlantedPaper) -> Manuscript:
    """The paper, silent on what rests on an ablation and is unmet."""
    manuscript = compose(paper)
    sections = [
        Section(heading, [(lead, [s for s in sentences if not _rests(s.code, s.status)]) for lead, sentences in parts])
        for heading, parts, _ in manuscript.sections
    ]
    kept = [Section(heading, [part for part in parts if part[1]]) for heading, parts, _ in sections]
    return manuscript._replace(sections=kept)


def _rests(code: str | None, status: Status | None) -> bool:
    return code in RESTS_ON_ABLATION and status == "NO"
