"""Plans planted papers: their claims, and the level of every criterion of every claim. Judges are measured against it.

Levels are drawn at random, then lowered until a coherent paper can be written from them (`DEMANDS`). The draw for the
circuit is repeated until its CVS lies in the paper's tier. The levels of a component claim are drawn separately, from
the shares of the next lower tier. Some of its leak-prone criteria are set to NO, and the text offers the circuit's
evidence for them (section 3.5).
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

# By tier of the circuit, the shares of YES and of PARTIAL among its criteria before they are made coherent.
SHARES = ((0.15, 0.25), (0.35, 0.3), (0.5, 0.3), (0.7, 0.2), (0.9, 0.08))
TABLED = 0.5  # the share of papers with a table
INSTRUCTING = 0.3  # the share of papers with an instruction to judges
WITHDRAWING = 0.4  # the share of claims with withdrawn evidence, among those that can have some


class PlantedClaim(Record):
    """A claim as it was planted.

    - `levels`: by criterion, the level that the whole text supports.
    - `leaks`: criteria at NO for which the text offers the circuit's evidence.
    - `withdrawn`: criteria at NO whose evidence the text reports and later withdraws. The paper's last word counts (our
      definition).
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
        """The claim as a judge would state it, without statuses."""
        common_fields = set(Claim.model_fields) & set(PlantedClaim.model_fields)
        return Claim(**self.model_dump(include=common_fields), criteria={})


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
    """The criterion `code` may have `status` or more only where one of the criteria `others` has at least `least`."""

    code: str
    status: Status
    others: tuple[str, ...]
    least: Status


CAUSAL = ("I1", "I2")  # tests of necessity and of sufficiency

# Each row makes a `_Demand` for each of its criteria. Without these demands, the sentence on one criterion would
# contradict the sentence on another, or be evidence for it. The demands on a criterion come after those on the criteria
# that they name.
_DEMANDS: tuple[tuple[tuple[str, ...], Status, tuple[str, ...], Status], ...] = (
    # Minimality, specificity, invariance, graded response and selectivity (C4 to E3) are measured by ablations (I1).
    (("C4", "I3", "M2", "E2", "E3"), "PARTIAL", ("I1",), "PARTIAL"),
    (("C4", "E2", "E3"), "YES", ("I1",), "YES"),
    # The reach, the size and the repetition of an effect need a causal test, and so does a test of each step (V2).
    (("E1", "E4", "E5", "E6", "I4", "V2"), "PARTIAL", CAUSAL, "PARTIAL"),
    # A confound (I5) or a rival explanation (V4) is excluded for an effect.
    (("I5", "V4"), "YES", CAUSAL, "PARTIAL"),
    # A large effect (E4) meets a causal test, and its size is compared with the intact model, a baseline (M3).
    (("E4",), "YES", CAUSAL, "YES"),
    (("E4",), "YES", ("M3",), "PARTIAL"),
    # Other components under the same test (E3) are a baseline as well, and matched ones a good baseline.
    (("E3",), "PARTIAL", ("M3",), "PARTIAL"),
    (("E3",), "YES", ("M3",), "YES"),
    # The results of each repetition (I4) are sizes of the effect.
    (("I4",), "YES", ("E4",), "PARTIAL"),
    # Full reach (E1) includes other samples of inputs (I4) and other distributions (E5).
    (("E1",), "YES", ("I4",), "PARTIAL"),
    (("E1",), "YES", ("E5",), "PARTIAL"),
    # Several measures (M2) are more than one proxy for all steps (M6).
    (("M2",), "PARTIAL", ("M6",), "PARTIAL"),
    # A test of a step (V2) measures the step (M6), at a level of description that is declared (V1).
    (("V2",), "PARTIAL", ("M6",), "PARTIAL"),
    (("V2",), "YES", ("M6",), "YES"),
    (("V2",), "PARTIAL", ("V1",), "PARTIAL"),
    # The tested steps are those that the claim names (C1), and their outcomes make one account (V3).
    (("V2",), "YES", ("C1",), "YES"),
    (("V2",), "YES", ("V3",), "PARTIAL"),
    # Families of evidence agree (C5) on one account, which is the one that beats its rivals (V4).
    (("C5", "V4"), "YES", ("V3",), "PARTIAL"),
    # A claim is bounded (V5) to a task, which must be named (C3).
    (("V5",), "YES", ("C3",), "PARTIAL"),
)
DEMANDS: list[_Demand] = []
for _codes, _status, _others, _least in _DEMANDS:
    DEMANDS += [_Demand(code, _status, _others, _least) for code in _codes]
MODES = {
    True: ("computational", "algorithmic"),
    False: ("algorithmic", "representational", "implementational-functional"),
}


def plan_papers(number: int, seed: int) -> list[PlantedPaper]:
    """`number` papers, `planted-01` on, over the five tiers as evenly as possible, in random order."""
    random = Random(derive_seed(seed, "papers"))  # noqa: S311
    tiers = _deal(len(TIERS), number, random)
    topics = _deal(len(phrases()["topics"]), number, random)
    papers = []
    for paper, rank, topic in zip(planted_ids(number), tiers, topics, strict=True):
        papers.append(_plan(paper, rank, phrases()["topics"][topic], seed))
    return papers


def _deal(choices: int, number: int, random: Random) -> list[int]:
    """`number` integers below `choices` in random order; no integer comes more than once more often than another."""
    order: list[int] = []
    while len(order) < number:
        order += random.sample(range(choices), choices)
    dealt = order[:number]
    random.shuffle(dealt)
    return dealt


class Subject(NamedTuple):
    """The subject of a claim: the circuit or one of its groups of components, with its operation."""

    system: bool
    name: str
    components: list[str]
    operation: str


def _plan(paper: str, rank: int, topic: Any, seed: int) -> PlantedPaper:
    """A paper on a topic with a circuit in the tier of this rank. Its content depends on the order of the draws."""
    random = Random(derive_seed(seed, paper, "plan"))  # noqa: S311
    task = topic["task"]
    model = random.choice(phrases()["models"])["model"]
    circuit, groups = draw_subjects(topic, random)
    circuit_levels = _draw_system(rank, random)
    number = random.randint(2, 4)
    parts = sorted(random.sample(groups, number), key=groups.index)
    levels_and_leaks = [_draw_component(circuit_levels, rank, random) for _ in parts]

    # All levels are drawn before the first claim is worded.
    claims = [make_claim(circuit, circuit_levels, [], task, model, random)]
    for part, (levels, leaks) in zip(parts, levels_and_leaks, strict=True):
        claims.append(make_claim(part, levels, leaks, task, model, random))

    title = random.choice(topic["title"])
    with_withdrawals = []
    for claim in claims:
        withdrawn = _draw_withdrawn(claim, random)
        with_withdrawals.append(claim.model_copy(update={"withdrawn": withdrawn}))
    return PlantedPaper(
        paper=paper,
        title=title,
        task=task,
        model=model,
        seed=seed,
        tier=TIERS[rank].name,
        claims=with_withdrawals,
        tabled=random.random() < TABLED,
        instructs=random.random() < INSTRUCTING,
    )


def _draw_withdrawn(claim: PlantedClaim, random: Random) -> list[str]:
    """At most one criterion at NO that is not a leak; the paper reports evidence on it and withdraws this evidence."""
    only_observes = claim.levels["I2"] == "NO"
    unmet = []
    for code in phrases()["withdrawals"]:
        if claim.levels[code] != "NO" or code in claim.leaks:
            continue
        # A paper that only observes reports no ablation.
        if code == "I1" and only_observes:
            continue
        unmet.append(code)
    if unmet and random.random() < WITHDRAWING:
        return random.sample(unmet, 1)
    return []


def draw_subjects(topic: Any, random: Random) -> tuple[Subject, list[Subject]]:
    """The circuit of a topic and its groups of components."""
    groups = []
    members: set[str] = set()
    for group in topic["groups"]:
        components = _draw_components(group, random)
        subject = Subject(
            system=False,
            name=group["name"],
            components=components,
            operation=group["operation"],
        )
        groups.append(subject)
        members.update(components)

    name = topic["circuit"].removeprefix("the ")
    circuit = Subject(
        system=True,
        name=name,
        components=sorted(members, key=_layer_and_index),
        operation=topic["algorithm"],
    )
    return circuit, groups


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
        could_leak = sum(levels[code] != "NO" for code in LEAK_PRONE)
        if tier(cvs(levels)) == TIERS[rank] and could_leak >= 2:
            return levels


def _draw_component(
    circuit: dict[str, Status], rank: int, random: Random
) -> tuple[dict[str, Status], list[str]]:
    """The levels of a component claim in a paper whose tier has this rank, and its leaks: one to three criteria.

    A criterion can leak only if the circuit has evidence on it. No component claim scores above the circuit.
    """
    offered = [code for code in LEAK_PRONE if circuit[code] != "NO"]
    leaks = random.sample(offered, random.randint(1, min(3, len(offered))))
    unmet = [*leaks, "M1"] if circuit["M1"] == "NO" else leaks
    next_lower = max(rank - 1, 0)
    while True:
        drawn = _draw(next_lower, random)
        for code in unmet:
            drawn[code] = "NO"
        levels = make_coherent(drawn)
        if cvs(levels) <= cvs(circuit) and belongs(levels, circuit):
            return levels, sorted(leaks, key=LEAK_PRONE.index)


def _draw(rank: int, random: Random) -> dict[str, Status]:
    """Levels before they are made coherent, by the shares of the tier of this rank."""
    yes, partial = SHARES[rank]
    weights = (1 - yes - partial, partial, yes)
    return {code: random.choices(STATUSES, weights)[0] for code in CRITERIA}


def belongs(part: dict[str, Status], circuit: dict[str, Status]) -> bool:
    """Whether the levels of a part agree with those of its circuit.

    - A paper that reports no spread for its circuit (M1) reports none for the part.
    - Where each member of the circuit was removed in turn (C4), so were the members of the part (I1).
    - A part has no more evidence on necessity (I1) and sufficiency (I2) than its circuit: an effect of removing the
      part, or of keeping nothing else, is also one of the circuit.
    """
    if circuit["M1"] == "NO" and part["M1"] != "NO":
        return False
    if circuit["C4"] == "YES" and part["I1"] == "NO":
        return False
    return all(RANK[part[code]] <= RANK[circuit[code]] for code in CAUSAL)


def make_coherent(levels: dict[str, Status]) -> dict[str, Status]:
    """The levels, some raised from NO to PARTIAL, then lowered to what `DEMANDS` allow, in their order.

    A criterion is raised where the sentences on other criteria are evidence for it: two families of evidence for C5, an
    intervention, which always has some reach, for E1, and an ablation with the size of its effect for E4.
    """
    coherent = dict(levels)
    shown = shown_families(levels)
    has_evidence = {"C5": len(shown) == 2, "E1": "causal" in shown, "E4": levels["I1"] == "YES"}
    for code, is_shown in has_evidence.items():
        if is_shown and levels[code] == "NO":
            coherent[code] = "PARTIAL"

    for demand in DEMANDS:
        applies = RANK[coherent[demand.code]] >= RANK[demand.status]
        is_met = any(RANK[coherent[other]] >= RANK[demand.least] for other in demand.others)
        if applies and not is_met:
            next_lower = RANK[demand.status] - 1
            coherent[demand.code] = STATUSES[next_lower]
    return coherent


def shown_families(levels: dict[str, Status]) -> list[str]:
    """The families of evidence in the sentences on I1, I2 and C2."""
    shown = []
    if levels["I1"] != "NO" or levels["I2"] != "NO":
        shown.append("causal")
    if levels["C2"] != "NO":
        shown.append("structural")
    return shown


def draw_families(levels: dict[str, Status], random: Random) -> list[str]:
    """A claim's families of evidence: one for C5 at NO, two at PARTIAL, three or four at YES.

    Those that the sentences on other criteria show (`shown_families`) come first.
    """
    shown = shown_families(levels)
    most = 4 if shown else 3
    # Drawn at every level of C5, so that later draws do not shift.
    several = random.randint(3, most)
    count = {"NO": 1, "PARTIAL": 2, "YES": several}[levels["C5"]]
    others = ["representational", "behavioral", "information-theoretic"]
    return shown + random.sample(others, count - len(shown))


def make_claim(
    subject: Subject,
    levels: dict[str, Status],
    leaks: list[str],
    task: str,
    model: str,
    random: Random,
) -> PlantedClaim:
    """A claim about a subject at these coherent levels; its wordings and families of evidence are drawn."""
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
