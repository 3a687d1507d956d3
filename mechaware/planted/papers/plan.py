"""Plans planted papers: their claims, and the level of every criterion of every claim. Judges are measured against it.

Levels are drawn at random, then lowered until a coherent paper can be written from them (`DEMANDS`); the circuit's
draw is repeated until its CVS lies in the paper's tier. The levels of a component claim are drawn on their own, from
the shares of the next lower tier: some leak-prone criteria are set to NO, and the text offers the circuit's evidence
beside them (section 3.5).
"""

from random import Random
from typing import Any, NamedTuple

from mechaware.core.seeds import derive_seed
from mechaware.instruments.claims.fetching.papers import planted_ids
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    LEAK_PRONE,
    RANK,
    STATUSES,
    TIERS,
    Status,
)
from mechaware.instruments.claims.rubric.records import Claim, Record
from mechaware.instruments.claims.rubric.scoring import cvs, tier
from mechaware.planted.papers.phrases import phrases, write_statements

# The shares of YES and PARTIAL among a circuit's criteria before they are made coherent, by its tier.
SHARES = ((0.15, 0.25), (0.35, 0.3), (0.5, 0.3), (0.7, 0.2), (0.9, 0.08))
# The shares of papers with a table and with an instruction to judges, and of claims whose evidence is withdrawn.
TABLED, INSTRUCTING, WITHDRAWING = 0.5, 0.3, 0.4


class PlantedClaim(Record):
    """A claim as it was planted: `levels` by criterion, with each of its sentences in place.

    `leaks` are criteria at NO beside the circuit's evidence, `withdrawn` criteria at NO whose evidence the text reports
    and later withdraws: the paper's last word counts (our definition).
    """

    statement: str
    restated: list[str]  # the same claim in other words, for later sections
    system: bool
    name: str  # "agreement circuit", "number movers"
    components: list[str]
    description_mode: str
    evidence_families: list[str]
    levels: dict[str, Status]
    leaks: list[str]
    withdrawn: list[str]

    def unjudged(self) -> Claim:
        """The claim as a judge would state it, without its statuses."""
        given = set(Claim.model_fields) & set(PlantedClaim.model_fields)
        return Claim(**self.model_dump(include=given), criteria={})


class PlantedPaper(Record):
    """`{paper}.truth.json`: what the paper was written from. Its first claim is the system-level one.

    Neither the table nor the instruction to judges changes a level.
    """

    paper: str
    title: str
    task: str
    model: str
    seed: int
    tier: str  # of the system-level claim
    claims: list[PlantedClaim]
    tabled: bool = False  # the sizes of effects are in a table
    instructs: bool = False  # a sentence tells its judges what to answer


class _Demand(NamedTuple):
    """A criterion may have `status` or more only where one of `others` has at least `least`."""

    code: str
    status: Status
    others: tuple[str, ...]
    least: Status


CAUSAL = ("I1", "I2")  # tests of necessity and of sufficiency

# Without these, the sentence on one criterion would contradict that on another, or be evidence for it. A criterion
# stands after those that its demands name.
DEMANDS = (
    *(_Demand(code, "PARTIAL", ("I1",), "PARTIAL") for code in ("C4", "I3", "M2", "E2", "E3")),
    *(_Demand(code, "YES", ("I1",), "YES") for code in ("C4", "E2", "E3")),
    *(_Demand(code, "PARTIAL", CAUSAL, "PARTIAL") for code in ("E1", "E4", "E5", "E6", "I4", "V2")),
    *(_Demand(code, "YES", CAUSAL, "PARTIAL") for code in ("I5", "V4")),  # of an effect
    _Demand("E4", "YES", CAUSAL, "YES"),  # a large effect
    _Demand("E4", "YES", ("M3",), "PARTIAL"),  # its reference is the intact model
    _Demand("E3", "PARTIAL", ("M3",), "PARTIAL"),  # neighbours are a baseline, too
    _Demand("E3", "YES", ("M3",), "YES"),  # and matched ones a good baseline
    _Demand("I4", "YES", ("E4",), "PARTIAL"),  # results for each condition are sizes
    *(
        _Demand("E1", "YES", (code,), "PARTIAL") for code in ("I4", "E5")
    ),  # many kinds of inputs, held-out ones included
    _Demand("M2", "PARTIAL", ("M6",), "PARTIAL"),  # several measures are not one
    _Demand("V2", "PARTIAL", ("M6",), "PARTIAL"),  # a step that is tested is measured
    _Demand("V2", "YES", ("M6",), "YES"),
    _Demand("V2", "PARTIAL", ("V1",), "PARTIAL"),  # evidence matches a level that is named
    _Demand("V2", "YES", ("C1",), "YES"),  # the steps that are tested are those of the claim
    _Demand("V2", "YES", ("V3",), "PARTIAL"),  # whose outcomes make one account
    *(
        _Demand(code, "YES", ("V3",), "PARTIAL") for code in ("C5", "V4")
    ),  # one account, which the families agree on
    _Demand("V5", "YES", ("C3",), "PARTIAL"),  # no bounds without a task
)
MODES = {
    True: ("computational", "algorithmic"),
    False: ("algorithmic", "representational", "implementational-functional"),
}


def plan_papers(number: int, seed: int) -> list[PlantedPaper]:
    """`number` papers, `planted-01` on, over the five tiers as evenly as possible, in random order."""
    random = Random(derive_seed(seed, "papers"))  # noqa: S311
    tiers = _deal(len(TIERS), number, random)
    topics = _deal(len(phrases()["topics"]), number, random)
    drawn = zip(planted_ids(number), tiers, topics, strict=True)
    return [_plan(paper, rank, phrases()["topics"][topic], seed) for paper, rank, topic in drawn]


def _deal(choices: int, number: int, random: Random) -> list[int]:
    """`number` integers below `choices` in random order, whose counts differ by one at most."""
    order: list[int] = []
    while len(order) < number:
        order += random.sample(range(choices), choices)
    dealt = order[:number]
    random.shuffle(dealt)
    return dealt


class _Subject(NamedTuple):
    """The subject of a claim: the circuit or one of its groups of components, with its operation."""

    system: bool
    name: str
    components: list[str]
    operation: str


def _plan(paper: str, rank: int, topic: Any, seed: int) -> PlantedPaper:
    random = Random(derive_seed(seed, paper, "plan"))  # noqa: S311
    task, model = topic["task"], random.choice(phrases()["models"])["model"]
    circuit, groups = draw_subjects(topic, random)
    levels = _draw_system(rank, random)
    drawn: list[tuple[_Subject, dict[str, Status], list[str]]] = [(circuit, levels, [])]
    for group in sorted(random.sample(groups, random.randint(2, 4)), key=groups.index):
        drawn.append((group, *_draw_component(levels, rank, random)))
    claims = [make_claim(*parts, task, model, random) for parts in drawn]
    return PlantedPaper(
        paper=paper,
        title=random.choice(topic["title"]),
        task=task,
        model=model,
        seed=seed,
        tier=TIERS[rank].name,
        claims=[
            claim.model_copy(update={"withdrawn": _draw_withdrawn(claim, random)})
            for claim in claims
        ],
        tabled=random.random() < TABLED,
        instructs=random.random() < INSTRUCTING,
    )


def _draw_withdrawn(claim: PlantedClaim, random: Random) -> list[str]:
    """At most one criterion at NO, no leak, whose evidence the paper reports and withdraws."""
    unmet = [
        code
        for code in phrases()["withdrawals"]
        if claim.levels[code] == "NO" and code not in claim.leaks
    ]
    if claim.levels["I2"] == "NO":  # a paper that only observes reports no ablation
        unmet = [code for code in unmet if code != "I1"]
    return random.sample(unmet, 1) if unmet and random.random() < WITHDRAWING else []


def draw_subjects(topic: Any, random: Random) -> tuple[_Subject, list[_Subject]]:
    """The circuit of a topic and its groups of components."""
    groups = [
        _Subject(False, group["name"], _draw_components(group, random), group["operation"])
        for group in topic["groups"]
    ]
    everything = sorted(
        {component for group in groups for component in group.components}, key=_layer_and_index
    )
    return _Subject(
        True, topic["circuit"].removeprefix("the "), everything, topic["algorithm"]
    ), groups


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


def _layer_and_index(component: str) -> list[int]:
    """The layer of a component, and its index there."""
    return [int(number) for number in component.removeprefix("MLP ").split(".")]


def _draw_system(rank: int, random: Random) -> dict[str, Status]:
    """Levels of a circuit's claim in the tier of rank 0 to 4, with evidence on two leak-prone criteria or more."""
    while True:
        levels = make_coherent(_draw(rank, random))
        if (
            tier(cvs(levels)) == TIERS[rank]
            and sum(levels[code] != "NO" for code in LEAK_PRONE) >= 2
        ):
            return levels


def _draw_component(
    circuit: dict[str, Status], rank: int, random: Random
) -> tuple[dict[str, Status], list[str]]:
    """Levels of a component claim in a paper whose tier has this rank, and the one to three leaks among its criteria.

    A criterion can leak only if the circuit has evidence on it. No component claim scores above the circuit.
    """
    offered = [code for code in LEAK_PRONE if circuit[code] != "NO"]
    leaks = random.sample(offered, random.randint(1, min(3, len(offered))))
    absent = [*leaks, "M1"] if circuit["M1"] == "NO" else leaks
    while True:
        levels = make_coherent(_draw(max(rank - 1, 0), random) | dict.fromkeys(absent, "NO"))
        if cvs(levels) <= cvs(circuit) and belongs(levels, circuit):
            return levels, sorted(leaks, key=LEAK_PRONE.index)


def _draw(rank: int, random: Random) -> dict[str, Status]:
    yes, partial = SHARES[rank]
    weights = (1 - yes - partial, partial, yes)
    return {code: random.choices(STATUSES, weights)[0] for code in CRITERIA}


def belongs(part: dict[str, Status], circuit: dict[str, Status]) -> bool:
    """Whether levels of a part agree with those of its circuit.

    A paper that reports no spread for its circuit reports none at all. What holds without a part, or with the part
    alone, holds without the circuit, or with it alone. Where each member of the circuit was removed, those of the part
    were.
    """
    if circuit["M1"] == "NO" and part["M1"] != "NO":
        return False
    if circuit["C4"] == "YES" and part["I1"] == "NO":
        return False
    return all(RANK[part[code]] <= RANK[circuit[code]] for code in CAUSAL)


def make_coherent(levels: dict[str, Status]) -> dict[str, Status]:
    """The levels, raised to PARTIAL where the text shows so much, then lowered to what `DEMANDS` allow, in their order.

    The text shows two families of evidence by its sentences on others (C5), a reach wherever there is an intervention
    (E1), and a size where an ablation is quantified (E4).
    """
    coherent, shown = dict(levels), shown_families(levels)
    raised = {"C5": len(shown) == 2, "E1": "causal" in shown, "E4": levels["I1"] == "YES"}
    coherent |= {
        code: "PARTIAL" for code, reached in raised.items() if reached and levels[code] == "NO"
    }
    for code, status, others, least in DEMANDS:
        if RANK[coherent[code]] >= RANK[status] and all(
            RANK[coherent[other]] < RANK[least] for other in others
        ):
            coherent[code] = STATUSES[RANK[status] - 1]
    return coherent


def shown_families(levels: dict[str, Status]) -> list[str]:
    """The families of evidence that the sentences on I1, I2 and C2 show."""
    causal = levels["I1"] != "NO" or levels["I2"] != "NO"
    return ["causal"] * causal + ["structural"] * (levels["C2"] != "NO")


def draw_families(levels: dict[str, Status], random: Random) -> list[str]:
    """One family for C5 at NO, two at PARTIAL, three or four at YES: first those that are shown anyway."""
    shown = shown_families(levels)
    count = {"NO": 1, "PARTIAL": 2, "YES": random.randint(3, 3 + bool(shown))}[levels["C5"]]
    others = ["representational", "behavioral", "information-theoretic"]
    return shown + random.sample(others, count - len(shown))


def make_claim(
    subject: _Subject,
    levels: dict[str, Status],
    leaks: list[str],
    task: str,
    model: str,
    random: Random,
) -> PlantedClaim:
    """A claim about a subject at these coherent levels, its wordings and families of evidence drawn."""
    statement, *restated = write_statements(
        levels["C1"], **subject._asdict(), task=task, model=model, seed=random.getrandbits(32)
    )
    return PlantedClaim(
        statement=statement,
        restated=restated,
        system=subject.system,
        name=subject.name,
        components=subject.components,
        description_mode=random.choice(MODES[subject.system]),
        evidence_families=draw_families(levels, random),
        levels=levels,
        leaks=leaks,
        withdrawn=[],
    )
