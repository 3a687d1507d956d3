"""Plans planted papers: their claims, and each claim's level on every criterion.

The plan is the truth against which judges are measured. The first claim of a paper is system-level:
it is about a circuit. The others are component claims, each about a part of the circuit: one of its
groups of components. A level is a status: YES, PARTIAL or NO.

Levels are drawn at random. Some are then raised and others lowered, so that a coherent paper can be
written from them (`make_coherent`). The draw for the circuit is repeated until its CVS lies in the
paper's tier. The levels of a part are drawn separately, from the shares of the next lower tier (the
lowest tier has its own). Some of its leak-prone criteria are set to NO, and the text offers the
circuit's evidence for them (section 3.5 of the paper on Claim Validity Scores).

`plan_papers` plans all papers, and `_plan` plans one.
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

# By tier, from the lowest: the shares of YES and of PARTIAL among the drawn levels, before these
# are made coherent.
SHARES = ((0.15, 0.25), (0.35, 0.3), (0.5, 0.3), (0.7, 0.2), (0.9, 0.08))
TABLED = 0.5  # the share of papers with a table
INSTRUCTING = 0.3  # the share of papers with an instruction to judges
WITHDRAWING = 0.4  # the share of claims with withdrawn evidence, among those that can have some
HEADS = 12  # in a layer of GPT-2 small; all other models of the papers have more


class PlantedClaim(Record):
    """A claim as it was planted.

    - `levels`: by criterion, the level that the whole text supports.
    - `system`: whether it is system-level, about the circuit.
    - `leaks`: criteria at NO for which the text offers the circuit's evidence.
    - `withdrawn`: criteria at NO for which the text reports evidence and later withdraws it. The
      paper's last word counts (our definition).
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
    """`{paper}.truth.json`: what the paper was written from. Its first claim is system-level.

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
    instructs: bool = False  # a sentence instructs judges what to answer


class _Demand(NamedTuple):
    """Each of `codes` may have `status` or more only if one of `others` has `least` or more."""

    codes: tuple[str, ...]
    status: Status
    others: tuple[str, ...]
    least: Status


CAUSAL = ("I1", "I2")  # tests of necessity and of sufficiency

# Without these demands, the sentence on one criterion would contradict the sentence on another, or
# be evidence for it. A demand on `codes` comes after the demands on its `others`, so that one pass
# is enough.
DEMANDS = (
    # Minimality (C4), specificity (I3), invariance (M2), graded response (E2) and selectivity (E3)
    # are measured by ablations (I1).
    _Demand(("C4", "I3", "M2", "E2", "E3"), "PARTIAL", ("I1",), "PARTIAL"),
    _Demand(("C4", "E2", "E3"), "YES", ("I1",), "YES"),
    # An effect's reach (E1), its size (E4), and its repetition on new samples (I4), on other
    # distributions (E5) or in another architecture (E6) need a causal test, and so does a test of
    # each step (V2).
    _Demand(("E1", "E4", "E5", "E6", "I4", "V2"), "PARTIAL", CAUSAL, "PARTIAL"),
    # What a confound (I5) or a rival explanation (V4) might explain instead is an effect, so a
    # causal test must have shown one.
    _Demand(("I5", "V4"), "YES", CAUSAL, "PARTIAL"),
    # A large effect (E4) is a clear outcome of a causal test, and its size is compared with the
    # intact model, a baseline (M3).
    _Demand(("E4",), "YES", CAUSAL, "YES"),
    _Demand(("E4",), "YES", ("M3",), "PARTIAL"),
    # Other components under the same test (E3) are a baseline as well, and matched ones a good
    # baseline.
    _Demand(("E3",), "PARTIAL", ("M3",), "PARTIAL"),
    _Demand(("E3",), "YES", ("M3",), "YES"),
    # The results of each repetition (I4) are sizes of the effect.
    _Demand(("I4",), "YES", ("E4",), "PARTIAL"),
    # Full reach (E1) includes other samples of inputs (I4) and other distributions (E5).
    _Demand(("E1",), "YES", ("I4",), "PARTIAL"),
    _Demand(("E1",), "YES", ("E5",), "PARTIAL"),
    # M6 at NO means that one proxy stands for all steps; with several measures (M2) none does.
    _Demand(("M2",), "PARTIAL", ("M6",), "PARTIAL"),
    # A test of a step (V2) measures the step (M6), at a level of description that is declared (V1).
    _Demand(("V2",), "PARTIAL", ("M6",), "PARTIAL"),
    _Demand(("V2",), "YES", ("M6",), "YES"),
    _Demand(("V2",), "PARTIAL", ("V1",), "PARTIAL"),
    # The tested steps are those that the claim names (C1), and their outcomes make one account
    # (V3).
    _Demand(("V2",), "YES", ("C1",), "YES"),
    _Demand(("V2",), "YES", ("V3",), "PARTIAL"),
    # Families of evidence agree (C5) on one account, which is the one that beats its rivals (V4).
    _Demand(("C5", "V4"), "YES", ("V3",), "PARTIAL"),
    # A claim is bounded (V5) to a task, which must be named (C3).
    _Demand(("V5",), "YES", ("C3",), "PARTIAL"),
)

# The description modes of a system-level claim (True) and of a component claim (False).
MODES = {
    True: ("computational", "algorithmic"),
    False: ("algorithmic", "representational", "implementational-functional"),
}


def plan_papers(number: int, seed: int) -> list[PlantedPaper]:
    """`number` papers from `planted-01` on, spread evenly over the five tiers and over the topics.

    The number of papers in two tiers, or on two topics, differs by at most one; the order is
    random.
    """
    random = Random(derive_seed(seed, "papers"))  # noqa: S311
    tiers = _deal(len(TIERS), number, random)
    topics = _deal(len(phrases()["topics"]), number, random)
    papers = []
    for paper, rank, topic in zip(planted_ids(number), tiers, topics, strict=True):
        papers.append(_plan(paper, rank, phrases()["topics"][topic], seed))
    return papers


def _deal(choices: int, number: int, random: Random) -> list[int]:
    """`number` integers below `choices` in random order; their counts differ by at most one."""
    order: list[int] = []
    while len(order) < number:
        order += random.sample(range(choices), choices)
    dealt = order[:number]
    random.shuffle(dealt)
    return dealt


class Subject(NamedTuple):
    """What a claim is about: the circuit or one of its groups of components, with its operation."""

    system: bool
    name: str
    components: list[str]
    operation: str


def _plan(paper: str, rank: int, topic: Any, seed: int) -> PlantedPaper:
    """A paper on a topic, with a circuit in the tier of this rank, 0 to 4.

    Its content depends on the order of the draws.
    """
    random = Random(derive_seed(seed, paper, "plan"))  # noqa: S311
    task = topic["task"]
    model = random.choice(phrases()["models"])["model"]
    circuit, groups = draw_subjects(topic, random)
    circuit_levels = _draw_circuit_levels(rank, random)
    n_parts = random.randint(2, 4)
    parts = sorted(random.sample(groups, n_parts), key=groups.index)
    levels_and_leaks = [_draw_part_levels(circuit_levels, rank, random) for _ in parts]

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
    """The criterion whose evidence the paper reports and withdraws, or none.

    It has withdrawals in phrases.yaml, is at NO and is no leak.
    """
    candidates = []
    for code in phrases()["withdrawals"]:
        if claim.levels[code] != "NO" or code in claim.leaks:
            continue
        # With I2 at NO as well, the paper only observes, so it reports no ablation (I1).
        if code == "I1" and claim.levels["I2"] == "NO":
            continue
        candidates.append(code)
    if candidates and random.random() < WITHDRAWING:
        return random.sample(candidates, 1)
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
    """Two MLP blocks ("MLP 9"), or two or three heads ("7.3") or neurons ("4.1180"), in order.

    All are in the layers of the group.
    """
    low, high = group["layers"]
    if group["kind"] == "mlp":
        return [f"MLP {layer}" for layer in sorted(random.sample(range(low, high + 1), 2))]

    # Neurons begin at 100: the number of digits distinguishes them from heads
    # (`phrases.list_components`).
    indices = range(HEADS) if group["kind"] == "head" else range(100, 3000)
    drawn: set[tuple[int, int]] = set()
    while len(drawn) < 2 or (len(drawn) < 3 and random.random() < 0.5):
        drawn.add((random.randint(low, high), random.choice(indices)))
    return [f"{layer}.{index}" for layer, index in sorted(drawn)]


def _layer_and_index(component: str) -> list[int]:
    """The layer of a component and, for a head or a neuron, its index in the layer."""
    return [int(number) for number in component.removeprefix("MLP ").split(".")]


def _draw_circuit_levels(rank: int, random: Random) -> dict[str, Status]:
    """Levels of a circuit in the tier of this rank, at least two leak-prone criteria above NO."""
    while True:
        levels = make_coherent(_draw_levels(rank, random))
        could_leak = sum(levels[code] != "NO" for code in LEAK_PRONE)
        if tier(cvs(levels)) == TIERS[rank] and could_leak >= 2:
            return levels


def _draw_part_levels(
    circuit: dict[str, Status], rank: int, random: Random
) -> tuple[dict[str, Status], list[str]]:
    """The levels of a part in a paper whose tier has this rank, and its leaks.

    A part has one to three leaks. A criterion can leak only if the circuit has evidence on it. No
    part scores above the circuit.
    """
    can_leak = [code for code in LEAK_PRONE if circuit[code] != "NO"]
    leaks = random.sample(can_leak, random.randint(1, min(3, len(can_leak))))
    # A paper that reports no spread for its circuit (M1) reports none for the part (`belongs`).
    set_to_no = [*leaks, "M1"] if circuit["M1"] == "NO" else leaks
    next_lower = max(rank - 1, 0)
    while True:
        drawn = _draw_levels(next_lower, random)
        for code in set_to_no:
            drawn[code] = "NO"
        levels = make_coherent(drawn)
        if cvs(levels) <= cvs(circuit) and belongs(levels, circuit):
            return levels, sorted(leaks, key=LEAK_PRONE.index)


def _draw_levels(rank: int, random: Random) -> dict[str, Status]:
    """A level of each criterion, by the shares of the tier of this rank; not yet coherent."""
    yes, partial = SHARES[rank]
    weights = (1 - yes - partial, partial, yes)
    return {code: random.choices(STATUSES, weights)[0] for code in CRITERIA}


def belongs(part: dict[str, Status], circuit: dict[str, Status]) -> bool:
    """Whether the levels of a part agree with those of its circuit.

    - A paper that reports no spread for its circuit (M1) reports none for the part.
    - Where each member of the circuit was removed in turn (C4), so were the members of the part
      (I1).
    - A part has at most the level of its circuit on necessity (I1) and on sufficiency (I2). If
      removing the part has an effect, so has removing the circuit; if the part alone is enough, so
      is the circuit.
    """
    if circuit["M1"] == "NO" and part["M1"] != "NO":
        return False
    if circuit["C4"] == "YES" and part["I1"] == "NO":
        return False
    return all(RANK[part[code]] <= RANK[circuit[code]] for code in CAUSAL)


def make_coherent(levels: dict[str, Status]) -> dict[str, Status]:
    """The levels, some raised from NO to PARTIAL, then lowered to what the demands allow.

    The demands are `DEMANDS`, in their order. A criterion is raised where the sentences on other
    criteria are evidence for it:

    - C5 (families of evidence): the sentences show two families, causal and structural.
    - E1 (reach): there is an intervention, which always has some reach.
    - E4 (size of the effect): an ablation is reported with the size of its effect (I1 at YES).
    """
    coherent = dict(levels)
    shown = shown_families(levels)
    has_evidence = {"C5": len(shown) == 2, "E1": "causal" in shown, "E4": levels["I1"] == "YES"}
    for code, is_shown in has_evidence.items():
        if is_shown and levels[code] == "NO":
            coherent[code] = "PARTIAL"

    for demand in DEMANDS:
        is_met = any(RANK[coherent[other]] >= RANK[demand.least] for other in demand.others)
        if is_met:
            continue
        next_lower = STATUSES[RANK[demand.status] - 1]
        for code in demand.codes:
            if RANK[coherent[code]] >= RANK[demand.status]:
                coherent[code] = next_lower
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

    The families that the sentences on I1, I2 and C2 show (`shown_families`) come first. Without any
    of these, only the three other families are left.
    """
    shown = shown_families(levels)
    others = ["representational", "behavioral", "information-theoretic"]
    most = 4 if shown else len(others)
    # Drawn at every level of C5, so that later draws do not shift.
    several = random.randint(3, most)
    count = {"NO": 1, "PARTIAL": 2, "YES": several}[levels["C5"]]
    return shown + random.sample(others, count - len(shown))


def make_claim(
    subject: Subject,
    levels: dict[str, Status],
    leaks: list[str],
    task: str,
    model: str,
    random: Random,
) -> PlantedClaim:
    """A claim about a subject at these coherent levels.

    Its wordings, description mode and families of evidence are drawn.
    """
    statement, *restated = write_statements(
        levels["C1"],
        task=task,
        model=model,
        name=subject.name,
        components=subject.components,
        operation=subject.operation,
        system=subject.system,
        seed=random.getrandbits(32),
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
