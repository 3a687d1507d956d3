"""Plans planted papers: the level of every criterion of every claim, the known truth that judges are measured against.

The criteria are drawn at random and then lowered until a coherent paper can be written from them (`DEMANDS`); the
circuit's draw is repeated until its CVS lies in the wanted tier. A component claim is drawn for itself, from the next
lower tier's shares, and inherits nothing: some of the leak-prone criteria are set to NO while the text offers the
circuit's evidence beside it (section 3.5).
"""

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from mechaware.claims.fetching.papers import planted_ids
from mechaware.claims.planting.paper_phrases import bank, write_statement
from mechaware.claims.planting.papers import PaperClaim, PaperFacts, compose, print_pdf, typeset
from mechaware.claims.rubric.criteria import CRITERIA, LEAK_PRONE, STATUSES, TIERS, Status
from mechaware.claims.rubric.records import Record, write_record
from mechaware.claims.rubric.scoring import cvs, tier
from mechaware.files import replacing
from mechaware.seeds import derive_seed

# The shares of YES and PARTIAL among a circuit's criteria before they are made coherent, by its tier.
SHARES = ((0.15, 0.25), (0.35, 0.3), (0.5, 0.3), (0.7, 0.2), (0.9, 0.08))


class Demand(NamedTuple):
    """A criterion may have `status` or more only where one of `others` has at least `least`."""

    code: str
    status: Status
    others: tuple[str, ...]
    least: Status


# What a reader of the one criterion's sentence would otherwise learn of the other.
DEMANDS = (
    *(Demand(code, "PARTIAL", ("I1",), "PARTIAL") for code in ("C4", "I3", "M2", "E2", "E3")),
    *(Demand(code, "YES", ("I1",), "YES") for code in ("C4", "E2", "E3", "E4")),
    *(Demand(code, "PARTIAL", ("I1", "I2"), "PARTIAL") for code in ("E1", "E4")),
    *(Demand("E3", status, ("M3",), "PARTIAL") for status in ("PARTIAL", "YES")),  # neighbours are a baseline, too
    Demand("V2", "PARTIAL", ("I1", "I2", "C2"), "PARTIAL"),
    Demand("V2", "PARTIAL", ("V1",), "PARTIAL"),  # evidence matches a level that is named
)
MODES = {
    True: ("computational", "algorithmic"),
    False: ("algorithmic", "representational", "implementational-functional"),
}


class PlantedClaim(Record):
    """A claim as it was planted. `leaks`: criteria at NO that have the circuit's evidence standing near."""

    statement: str
    system: bool
    name: str
    components: list[str]
    description_mode: str
    evidence_families: list[str]
    levels: dict[str, Status]
    leaks: list[str]


class PlantedPaper(Record):
    """`{paper}.truth.json`: what the paper was written from. Its first claim is the system-level one."""

    paper: str
    title: str
    task: str
    model: str
    seed: int
    tier: str  # of the system-level claim
    claims: list[PlantedClaim]


def plan_papers(number: int, seed: int) -> list[PlantedPaper]:
    """`number` papers, `planted-01` on, over the five tiers as evenly as possible; five or more have them all."""
    random = Random(derive_seed(seed, "papers"))  # noqa: S311
    tiers = _deal(len(TIERS), number, random)
    topics = _deal(len(bank()["topics"]), number, random)
    drawn = zip(planted_ids(number), tiers, topics, strict=True)
    return [_plan(paper, wanted, bank()["topics"][topic], seed) for paper, wanted, topic in drawn]


def _deal(kinds: int, number: int, random: Random) -> list[int]:
    """`number` of the first `kinds` integers, all equally often but for one, in random order."""
    order: list[int] = []
    while len(order) < number:
        order += random.sample(range(kinds), kinds)
    dealt = order[:number]
    random.shuffle(dealt)
    return dealt


class _Subject(NamedTuple):
    """What a claim is about: the circuit or one of its groups, and what it does."""

    system: bool
    name: str
    components: list[str]
    operation: str


def _plan(paper: str, wanted: int, topic: Any, seed: int) -> PlantedPaper:
    random = Random(derive_seed(seed, paper, "plan"))  # noqa: S311
    task, model = topic["task"], random.choice(bank()["models"])["model"]
    groups = [
        _Subject(False, group["name"], _draw_components(group, random), group["operation"]) for group in topic["groups"]
    ]
    everything = sorted({component for group in groups for component in group.components}, key=_place)
    circuit = _Subject(True, topic["circuit"].removeprefix("the "), everything, topic["algorithm"])
    levels = draw_system(wanted, random)
    drawn: list[tuple[_Subject, dict[str, Status], list[str]]] = [(circuit, levels, [])]
    for group in sorted(random.sample(groups, random.randint(2, 4)), key=groups.index):
        drawn.append((group, *draw_component(levels, wanted, random)))
    claims = [_claim(*parts, task, model, random) for parts in drawn]
    title, name_of_tier = random.choice(topic["title"]), TIERS[wanted].name
    return PlantedPaper(paper=paper, title=title, task=task, model=model, seed=seed, tier=name_of_tier, claims=claims)


def _draw_components(group: Any, random: Random) -> list[str]:
    """Two or three heads ("7.3"), neurons ("4.1180") or MLP blocks ("MLP 9") of the group's layers, in order."""
    low, high = group["layers"]
    if group["kind"] == "mlp":
        return [f"MLP {layer}" for layer in sorted(random.sample(range(low, high + 1), 2))]
    indices = range(12) if group["kind"] == "head" else range(100, 3000)
    drawn: set[tuple[int, int]] = set()
    while len(drawn) < 2 or (len(drawn) < 3 and random.random() < 0.5):
        drawn.add((random.randint(low, high), random.choice(indices)))
    return [f"{layer}.{index}" for layer, index in sorted(drawn)]


def _place(component: str) -> list[int]:
    """The layer of a component, and its index there."""
    return [int(number) for number in component.removeprefix("MLP ").split(".")]


def draw_system(wanted: int, random: Random) -> dict[str, Status]:
    """Levels of a circuit's claim in tier `wanted`, 0 to 4, with evidence on two or more criteria that can leak."""
    while True:
        levels = make_coherent(_draw(wanted, random))
        if tier(cvs(levels)) == TIERS[wanted] and sum(levels[code] != "NO" for code in LEAK_PRONE) >= 2:
            return levels


def draw_component(circuit: dict[str, Status], wanted: int, random: Random) -> tuple[dict[str, Status], list[str]]:
    """Levels of a part's claim in a paper of tier `wanted`, and the one to three leaks among its criteria.

    Only what the circuit has can leak. A paper that reports no spread for its circuit reports none at all. No part
    scores above the circuit.
    """
    offered = [code for code in LEAK_PRONE if circuit[code] != "NO"]
    leaks = random.sample(offered, random.randint(1, min(3, len(offered))))
    absent = [*leaks, "M1"] if circuit["M1"] == "NO" else leaks
    while True:
        levels = make_coherent(_draw(max(wanted - 1, 0), random) | dict.fromkeys(absent, "NO"))
        if cvs(levels) <= cvs(circuit):
            return levels, sorted(leaks, key=LEAK_PRONE.index)


def _draw(strength: int, random: Random) -> dict[str, Status]:
    yes, partial = SHARES[strength]
    weights = (1 - yes - partial, partial, yes)
    return {code: random.choices(STATUSES, weights)[0] for code in CRITERIA}


def make_coherent(levels: dict[str, Status]) -> dict[str, Status]:
    """The levels, lowered to what `DEMANDS` allow.

    C5 is raised where the text must show more families of evidence, E1 where it shows an intervention.
    """
    rank = STATUSES.index
    coherent = dict(levels)
    for code, status, others, least in DEMANDS:
        if rank(coherent[code]) >= rank(status) and all(rank(coherent[other]) < rank(least) for other in others):
            coherent[code] = STATUSES[rank(status) - 1]
    if coherent["C5"] == "NO" and len(shown_families(coherent)) == 2:
        coherent["C5"] = "PARTIAL"
    if coherent["E1"] == "NO" and "causal" in shown_families(coherent):
        coherent["E1"] = "PARTIAL"
    return coherent


def shown_families(levels: dict[str, Status]) -> list[str]:
    """The families of evidence that a reader sees in the sentences on I1, I2 and C2."""
    causal = levels["I1"] != "NO" or levels["I2"] != "NO"
    return ["causal"] * causal + ["structural"] * (levels["C2"] != "NO")


def _draw_families(levels: dict[str, Status], random: Random) -> list[str]:
    """One family for C5 at NO, two at PARTIAL, three or four at YES; others join those that are shown anyway."""
    shown = shown_families(levels)
    count = {"NO": 1, "PARTIAL": 2, "YES": random.randint(3, 3 + bool(shown))}[levels["C5"]]
    others = ["representational", "behavioral", "information-theoretic"]
    return shown + random.sample(others, count - len(shown))


def _claim(
    subject: _Subject, levels: dict[str, Status], leaks: list[str], task: str, model: str, random: Random
) -> PlantedClaim:
    return PlantedClaim(
        statement=write_statement(
            levels["C1"], **subject._asdict(), task=task, model=model, seed=random.getrandbits(32)
        ),
        system=subject.system,
        name=subject.name,
        components=subject.components,
        description_mode=random.choice(MODES[subject.system]),
        evidence_families=_draw_families(levels, random),
        levels=levels,
        leaks=leaks,
    )


def paper_facts(plan: PlantedPaper) -> PaperFacts:
    """What the writer of the paper is told."""
    claims = (
        PaperClaim(
            claim.statement,
            claim.system,
            claim.name,
            tuple(claim.components),
            claim.description_mode,
            tuple(claim.evidence_families),
            claim.levels,
            tuple(claim.leaks),
        )
        for claim in plan.claims
    )
    return PaperFacts(plan.paper, plan.title, plan.task, plan.model, tuple(claims))


def write_papers(plan: Sequence[PlantedPaper], folder: Path) -> None:
    """Write `{paper}/document.pdf` and the truth `{paper}.truth.json` of every paper into `folder`."""
    for paper in plan:
        pdf = print_pdf(typeset(compose(paper_facts(paper), paper.seed)))
        with replacing(folder / paper.paper / "document.pdf") as partial:
            partial.write_bytes(pdf)
        write_record(paper, folder / f"{paper.paper}.truth.json")
