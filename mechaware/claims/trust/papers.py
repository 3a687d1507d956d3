"""Plans the papers of the trust study: each has two claims, one with much evidence and one with little."""

from random import Random
from typing import Any

from mechaware.claims.planting.manuscript import Manuscript, Section, compose
from mechaware.claims.planting.phrases import phrases
from mechaware.claims.planting.plan import DEMANDS, Subject, draw_subjects, make_claim, make_coherent
from mechaware.claims.planting.records import PlantedClaim, PlantedPaper
from mechaware.claims.rubric.criteria import CRITERIA, Status
from mechaware.claims.rubric.scoring import cvs, tier
from mechaware.seeds import derive_seed

# What rests on an ablation: unmet, the paper is silent on it, so that one sentence alone tells of necessity.
RESTS_ON_ABLATION = {demand.code for demand in DEMANDS if "I1" in demand.others}
DEMANDED = {code for demand in DEMANDS for code in (demand.code, *demand.others)} | {"C5"}
FREE = tuple(code for code in CRITERIA if code not in DEMANDED)  # may have any level beside any others
LEVELS: tuple[Status, ...] = ("YES", "YES", "NO", "NO", "PARTIAL")  # of these, drawn alike
EITHER: tuple[Status, ...] = ("YES", "NO")
INSTRUCTING = 3  # every third paper tells its judges what to answer


def plan_trial_papers(number: int, seed: int) -> list[PlantedPaper]:
    """`number` papers, `trust-01` on, each with a claim about a circuit and one about a group of its components.

    One of the two has every criterion that rests on another, the other few: in the first evidence can be taken away, in
    the second it can be added. The remaining criteria have levels at random. Circuit and group take turns.
    """
    topics = phrases()["topics"]
    order = Random(derive_seed(seed, "trust topics")).sample(range(len(topics)), len(topics))  # noqa: S311
    return [_plan(number, topics[order[number % len(order)]], seed) for number in range(number)]


def _plan(number: int, topic: Any, seed: int) -> PlantedPaper:
    paper = f"trust-{number + 1:02}"
    random = Random(derive_seed(seed, paper, "plan"))  # noqa: S311
    model = random.choice(phrases()["models"])["model"]
    circuit, groups = draw_subjects(topic, random)
    drawn = [draw_rich(random), draw_poor(random)]
    rich_first = number % 2 == 0
    subjects: list[Subject] = [circuit, random.choice(groups)]
    pairs = zip(subjects, drawn if rich_first else drawn[::-1], strict=True)
    claims: list[PlantedClaim] = []
    for subject, levels in pairs:
        if subject.system:  # a paper whose circuit has no spread has none at all
            levels["M1"] = "YES"
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


def draw_rich(random: Random) -> dict[str, Status]:
    """Levels with every criterion that rests on another at YES."""
    return {code: random.choice(LEVELS) if code in FREE else "YES" for code in CRITERIA}


def draw_poor(random: Random) -> dict[str, Status]:
    """Levels with sufficiency at YES and, but for that, as little as can be coherent with one more ablation or none."""
    levels: dict[str, Status] = {code: random.choice(LEVELS) if code in FREE else "NO" for code in CRITERIA}
    levels |= {code: random.choice(EITHER) for code in ("C5", "I1", "M3", "V1")}
    return levels | {"I2": "YES", "E1": random.choice(("YES", "PARTIAL"))}


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
    """Whether no sentence of the paper would contradict another (`plan.DEMANDS`), and no part has more spread."""
    circuit, *parts = paper.claims
    if circuit.levels["M1"] == "NO" and any(part.levels["M1"] != "NO" for part in parts):
        return False
    return all(make_coherent(claim.levels) == claim.levels for claim in paper.claims)


def _rests(code: str | None, status: Status | None) -> bool:
    return code in RESTS_ON_ABLATION and status == "NO"
