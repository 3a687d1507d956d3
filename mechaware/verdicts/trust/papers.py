"""Plans the papers of the trust study, and which of their levels an edit can move while the text stays true.

Each paper has two claims, one with much evidence and one with little.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from mechaware.core.seeds import derive_seed
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    LEAK_PRONE,
    RANK,
    STATUSES,
    Status,
)
from mechaware.instruments.claims.rubric.scoring import cvs, tier
from mechaware.planted.papers.manuscript import Manuscript, Section, Sentence, compose
from mechaware.planted.papers.phrases import phrases
from mechaware.planted.papers.plan import (
    DEMANDS,
    PlantedPaper,
    belongs,
    draw_subjects,
    make_claim,
    make_coherent,
)

Levels = Mapping[str, Status]
# Ways to take evidence away that leave in the text what is not, or no longer, evidence for the claim.
HARD = ("withdrawn", "others", "component", "circuit")
# Families of `HARD` with phrasings of their own, by criterion.
COUNTERFACTUAL = ("others", "component")
# Where anything was intervened on there is reach, and where an ablation is quantified there is a size.
_LOWEST: Levels = {"E1": "PARTIAL", "E4": "PARTIAL"}
# What rests on an ablation: if unmet, the paper is silent on it, so that a single sentence reports necessity.
RESTS_ON_ABLATION = {demand.code for demand in DEMANDS if demand.others == ("I1",)}
# Levels are drawn from these, each with the same probability.
_LEVELS: tuple[Status, ...] = ("YES", "YES", "NO", "NO", "PARTIAL")
_EITHER: tuple[Status, ...] = ("YES", "NO")
_ALONE: tuple[Status, ...] = (
    "YES",
    "PARTIAL",
    "NO",
    "NO",
)  # a group by itself can hold less than its circuit
_CANDIDATES = 8
# Claims on which each thing should be tested. Six are the fewest that can show a share above one half; of eleven, one
# may fail.
_ENOUGH = 11
_INSTRUCTING = 4  # every fourth paper tells its judges what to answer


def tested_levels(code: str) -> tuple[Status, ...]:
    """The levels of a criterion that the papers and their edits have."""
    return STATUSES[RANK[_LOWEST.get(code, "NO")] :]


def _needs() -> list[tuple[str, str]]:
    """What the papers should test: each criterion edited and at each of its levels, and each family of hard edits."""
    needs = []
    for code in CRITERIA:
        needs.append((code, "edited"))
        for level in tested_levels(code):
            needs.append((code, level))
    for family in HARD:
        needs.append((family, "hard"))
    return needs


NEEDS = _needs()


def plan_trial_papers(number: int, seed: int) -> list[PlantedPaper]:
    """`number` papers, `trust-01` on, each with a claim about a circuit and one about a group of its components.

    Some edits need a claim with an ablation (they take away what rests on it), others one without. So of three papers
    the circuit has an ablation in the first, the group in the second, and neither in the third. For each paper
    `_CANDIDATES` plans are drawn, and the plan is kept that adds most to what the papers before it test: no criterion
    is then tested on a handful of claims.
    """
    topics = phrases()["topics"]
    order = Random(derive_seed(seed, "trust topics")).sample(range(len(topics)), len(topics))  # noqa: S311
    tested: Counter[tuple[str, str]] = Counter()
    papers = []
    for place in range(number):
        name = f"trust-{place + 1:02}"
        levels = _choose_levels(name, place, seed, tested)
        tested.update(covered(levels, seed, name))
        papers.append(_plan(name, place, topics[order[place % len(order)]], seed, levels))
    return papers


def _choose_levels(
    paper: str, place: int, seed: int, tested: Counter[tuple[str, str]]
) -> list[dict[str, Status]]:
    """Of the candidates for a paper, the levels that leave least untested."""
    random = Random(derive_seed(seed, paper, "levels"))  # noqa: S311

    def untested(levels: Sequence[Levels]) -> int:
        """How many claims are missing; the power lets what is tested on fewest claims come first."""
        counts = tested + Counter(covered(levels, seed, paper))
        return sum(max(0, _ENOUGH - counts[need]) ** 5 for need in NEEDS)

    candidates = [_draw_pair(place, random) for _ in range(_CANDIDATES)]
    return min(candidates, key=untested)


def _plan(
    paper: str, place: int, topic: Any, seed: int, levels: Sequence[dict[str, Status]]
) -> PlantedPaper:
    random = Random(derive_seed(seed, paper, "plan"))  # noqa: S311
    model = random.choice(phrases()["models"])["model"]
    circuit, groups = draw_subjects(topic, random)
    group = random.choice(groups)
    of_circuit, of_group = levels
    claims = [
        make_claim(circuit, of_circuit, [], topic["task"], model, random),
        make_claim(group, of_group, [], topic["task"], model, random),
    ]
    return PlantedPaper(
        paper=paper,
        title=random.choice(topic["title"]),
        task=topic["task"],
        model=model,
        seed=seed,
        tier=tier(cvs(claims[0].levels)).name,
        claims=claims,
        tabled=False,
        instructs=place % _INSTRUCTING == _INSTRUCTING - 1,
    )


def _draw_pair(place: int, random: Random) -> list[dict[str, Status]]:
    """Levels of a circuit and of a group of its components, in the paper at this place; one has more ground.

    By itself a part holds no more than its circuit, nor is it needed more.
    """
    circuit = _draw(random, ground=place % 2 == 0)
    group = _draw(random, ground=place % 2 == 1)
    alone = random.choice(_ALONE)
    if place % 3 == 0:
        circuit = _rich(circuit, "YES", random)
        # Nothing is known of single members, so that the ablation of the group can be taken away.
        circuit |= {"C4": "NO", "M1": "YES"}
        return [circuit, _poor(group, "YES", alone, random)]

    circuit = _poor(circuit, "YES", "YES", random)
    circuit |= {"M1": "YES"}
    if place % 3 == 1:
        return [circuit, _rich(group, alone, random)]
    return [circuit, _poor(group, "NO", "YES", random)]


def _draw(random: Random, *, ground: bool) -> dict[str, Status]:
    """Levels before they are made coherent. With `ground` they have what C5, V2 and V4 rest on, at either level."""
    levels: dict[str, Status] = {code: random.choice(_LEVELS) for code in CRITERIA}
    if ground:
        levels |= {code: random.choice(_EITHER) for code in ("C5", "V2", "V4")}
        return levels | {"C1": "YES", "C2": "NO", "M6": "YES", "V1": "YES", "V3": "YES"}
    return levels | {code: random.choice(_EITHER) for code in ("C3", "V1", "V3", "V5")}


def _rich(levels: dict[str, Status], alone: Status, random: Random) -> dict[str, Status]:
    """Necessity at YES, sufficiency as given, and what rests on an ablation above NO: it is unmet elsewhere.

    With a baseline, on which selectivity (E3) rests.
    """
    resting: dict[str, Status] = {
        code: random.choice(("YES", "PARTIAL")) for code in sorted(RESTS_ON_ABLATION)
    }
    return make_coherent(levels | resting | {"C4": "YES", "I1": "YES", "I2": alone, "M3": "YES"})


def _poor(
    levels: dict[str, Status], ablated: Status, alone: Status, random: Random
) -> dict[str, Status]:
    """Necessity and sufficiency as given and nothing that rests on the one but a size, which an ablation may repeat."""
    size: Status = random.choice(("YES", "PARTIAL"))
    silent: dict[str, Status] = dict.fromkeys(RESTS_ON_ABLATION, "NO")
    return make_coherent(levels | silent | {"E4": size, "I1": ablated, "I2": alone})


def write_trial_paper(paper: PlantedPaper) -> Manuscript:
    """The paper, silent on what rests on an ablation and is unmet."""
    manuscript = compose(paper)
    sections = []
    for section in manuscript.sections:
        paragraphs = []
        for lead, sentences in section.paragraphs:
            kept = [sentence for sentence in sentences if not _is_on_unmet(sentence)]
            if kept:
                paragraphs.append((lead, kept))
        sections.append(Section(section.heading, paragraphs))
    return manuscript._replace(sections=sections)


def _is_on_unmet(sentence: Sentence) -> bool:
    """Whether a sentence says that something which rests on an ablation is unmet."""
    return sentence.code in RESTS_ON_ABLATION and sentence.status == "NO"


class _Moves(NamedTuple):
    """What a criterion of a claim can be edited to: the level of its toggle, and families of `HARD`, all to NO."""

    toggle: Status | None
    removable: bool  # it is at YES and can be at NO
    hard: list[str]


def moves_of(levels: Sequence[Levels], claim: int, code: str, seed: int, paper: str) -> _Moves:
    """The edits of one criterion of one claim of a paper; a claim after the first is of a component.

    The toggle is to one of `_targets_of` at random. That of I1 at YES is to PARTIAL where it can be: its evidence is
    taken away in all other ways.
    """
    targets = _targets_of(levels, claim, code)
    removable = levels[claim][code] == "YES" and "NO" in targets
    toggles = targets
    if code == "I1" and removable and "PARTIAL" in targets:
        toggles = ["PARTIAL"]
    seed_of_toggle = derive_seed(derive_seed(seed, paper, "towards"), "toggle", claim, code)
    random = Random(seed_of_toggle)  # noqa: S311
    toggle = random.choice(toggles) if toggles else None
    if not removable:
        return _Moves(toggle, removable=False, hard=[])

    hard = []
    if code in phrases()["withdrawals"]:
        hard.append("withdrawn")
    for family in COUNTERFACTUAL:
        if code in phrases()["counterfactuals"][family]:
            hard.append(family)
    if code in LEAK_PRONE and claim > 0:
        hard.append("circuit")
    return _Moves(toggle, removable=True, hard=hard)


def _targets_of(levels: Sequence[Levels], claim: int, code: str) -> list[Status]:
    """The other levels that a criterion of a claim of a coherent paper can be moved to alone."""
    targets = []
    for level in tested_levels(code):
        if level == levels[claim][code]:
            continue
        moved = [dict(of_claim) for of_claim in levels]
        moved[claim][code] = level
        circuit, *parts = moved
        parts_belong = all(belongs(part, circuit) for part in parts)
        if parts_belong and make_coherent(moved[claim]) == moved[claim]:
            targets.append(level)
    return targets


def covered(levels: Sequence[Levels], seed: int, paper: str) -> Iterator[tuple[str, str]]:
    """What a paper's texts test a judge on, claim by claim.

    A criterion with "edited" if an edit of the claim is about it, and with each level that it has in some text; a
    family of `HARD` with "hard".
    """
    for claim, of_claim in enumerate(levels):
        families: set[str] = set()
        for code in CRITERIA:
            moves = moves_of(levels, claim, code, seed, paper)
            shown = {of_claim[code]}
            if moves.toggle:
                shown.add(moves.toggle)
                yield code, "edited"
            can_be_emptied = moves.hard or (code == "I1" and moves.removable)
            if can_be_emptied:
                shown.add("NO")
            for level in shown:
                yield code, level
            families.update(moves.hard)
        for family in families:
            yield family, "hard"
