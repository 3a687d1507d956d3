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
from mechaware.planted.papers.manuscript import (
    Manuscript,
    Paragraph,
    Section,
    Sentence,
    compose,
)
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
# Hard edits take evidence away and leave in the text what looks like it: evidence that is withdrawn, or that belongs to
# other components, to one component, or to the circuit.
HARD = ("withdrawn", "others", "component", "circuit")
# Families of `HARD` with phrasings of their own, by criterion.
COUNTERFACTUAL = ("others", "component")
# The lowest levels of these criteria in the papers: an intervention has some reach, a quantified ablation a size.
_LOWEST: Levels = {"E1": "PARTIAL", "E4": "PARTIAL"}
# Criteria that rest on an ablation. A paper is silent on those that are unmet, so that only one sentence, the one on
# necessity, reports an ablation.
RESTS_ON_ABLATION: set[str] = set()
for _demand in DEMANDS:
    if _demand.others == ("I1",):
        RESTS_ON_ABLATION.update(_demand.codes)
# Levels are drawn from these, each with the same probability.
_LEVELS: tuple[Status, ...] = ("YES", "YES", "NO", "NO", "PARTIAL")
_EITHER: tuple[Status, ...] = ("YES", "NO")
# Levels of a group's sufficiency (I2): a group by itself can hold less than its circuit.
_GROUP_SUFFICIENCY: tuple[Status, ...] = ("YES", "PARTIAL", "NO", "NO")
_CANDIDATES = 8  # plans that are drawn for a paper, of which one is kept
# The number of claims on which each of `NEEDS` should be tested. Six claims are the fewest that can show a share above
# one half, if all of them succeed; with eleven, one may fail.
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

    A criterion that rests on an ablation can be edited only in a claim that has evidence on it. The ablation itself can
    be taken away only in a claim in which no other evidence rests on it. So of every three papers, the circuit has
    evidence that rests on its ablation in the first, the group in the second, and neither in the third.

    For each paper `_CANDIDATES` plans are drawn. The one is kept that adds most to what the papers before it test, so
    that no criterion is tested on only a handful of claims.
    """
    topics = phrases()["topics"]
    order = Random(derive_seed(seed, "trust topics")).sample(range(len(topics)), len(topics))  # noqa: S311
    tested: Counter[tuple[str, str]] = Counter()
    papers = []
    for index in range(number):
        name = f"trust-{index + 1:02}"
        levels = _choose_levels(name, index, seed, tested)
        tested.update(covered(levels, seed, name))

        topic = topics[order[index % len(order)]]
        papers.append(_plan(name, index, topic, seed, levels))
    return papers


def _choose_levels(
    paper: str, index: int, seed: int, tested: Counter[tuple[str, str]]
) -> list[dict[str, Status]]:
    """Of the candidates for a paper, the levels that leave least untested; the first candidate on a tie.

    `index` is the paper's, from 0; `tested` counts what the papers before it test.
    """
    random = Random(derive_seed(seed, paper, "levels"))  # noqa: S311

    def untested(levels: Sequence[Levels]) -> int:
        """How many claims are missing; the power gives most weight to what is tested on the fewest claims."""
        counts = tested + Counter(covered(levels, seed, paper))
        return sum(max(0, _ENOUGH - counts[need]) ** 5 for need in NEEDS)

    candidates = [_draw_pair(index, random) for _ in range(_CANDIDATES)]
    return min(candidates, key=untested)


def _plan(
    paper: str, index: int, topic: Any, seed: int, levels: Sequence[dict[str, Status]]
) -> PlantedPaper:
    """A paper on a topic, with the levels of its circuit and of a group; its wordings are drawn."""
    random = Random(derive_seed(seed, paper, "plan"))  # noqa: S311
    model = random.choice(phrases()["models"])["model"]
    circuit, groups = draw_subjects(topic, random)
    group = random.choice(groups)
    circuit_levels, group_levels = levels
    claims = [
        make_claim(circuit, circuit_levels, [], topic["task"], model, random),
        make_claim(group, group_levels, [], topic["task"], model, random),
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
        instructs=index % _INSTRUCTING == _INSTRUCTING - 1,
    )


def _draw_pair(index: int, random: Random) -> list[dict[str, Status]]:
    """Levels of a circuit and of a group of its components, in the paper of this index.

    In every other paper the circuit meets the criteria on which C5, V2 and V4 rest (`ground` of `_draw`), in the others
    the group does. The group is no more sufficient and no more necessary than its circuit.
    """
    circuit = _draw(random, ground=index % 2 == 0)
    group = _draw(random, ground=index % 2 == 1)
    group_sufficiency = random.choice(_GROUP_SUFFICIENCY)
    if index % 3 == 0:
        circuit = _rich(circuit, random, sufficiency="YES")
        # Nothing is known of single members, so that the ablation of the group can be taken away.
        circuit |= {"C4": "NO", "M1": "YES"}
        group = _poor(group, random, necessity="YES", sufficiency=group_sufficiency)
        return [circuit, group]

    circuit = _poor(circuit, random, necessity="YES", sufficiency="YES")
    circuit |= {"M1": "YES"}
    if index % 3 == 1:
        return [circuit, _rich(group, random, sufficiency=group_sufficiency)]
    return [circuit, _poor(group, random, necessity="NO", sufficiency="YES")]


def _draw(random: Random, *, ground: bool) -> dict[str, Status]:
    """Levels before they are made coherent.

    With `ground`, C5, V2 and V4 are at YES or NO, and the criteria on which they rest are met.
    """
    levels: dict[str, Status] = {code: random.choice(_LEVELS) for code in CRITERIA}
    if ground:
        levels |= {code: random.choice(_EITHER) for code in ("C5", "V2", "V4")}
        return levels | {"C1": "YES", "C2": "NO", "M6": "YES", "V1": "YES", "V3": "YES"}
    return levels | {code: random.choice(_EITHER) for code in ("C3", "V1", "V3", "V5")}


def _rich(levels: dict[str, Status], random: Random, *, sufficiency: Status) -> dict[str, Status]:
    """Levels with evidence that rests on an ablation: necessity (I1) at YES, and all that rests on it above NO.

    The baseline (M3), on which selectivity (E3) rests, is met; I2 is at `sufficiency`.
    """
    resting: dict[str, Status] = {
        code: random.choice(("YES", "PARTIAL")) for code in sorted(RESTS_ON_ABLATION)
    }
    return make_coherent(
        levels | resting | {"C4": "YES", "I1": "YES", "I2": sufficiency, "M3": "YES"}
    )


def _poor(
    levels: dict[str, Status], random: Random, *, necessity: Status, sufficiency: Status
) -> dict[str, Status]:
    """Levels without evidence that rests on an ablation: I1 at `necessity`, and all that rests on it at NO.

    Only the size of the effect (E4) is above NO: a quantified ablation implies one. I2 is at `sufficiency`.
    """
    size: Status = random.choice(("YES", "PARTIAL"))
    silent: dict[str, Status] = dict.fromkeys(RESTS_ON_ABLATION, "NO")
    return make_coherent(levels | silent | {"E4": size, "I1": necessity, "I2": sufficiency})


def write_trial_paper(paper: PlantedPaper) -> Manuscript:
    """The paper, silent on what rests on an ablation and is unmet."""
    manuscript = compose(paper)
    sections = []
    for section in manuscript.sections:
        paragraphs = []
        for lead, sentences in section.paragraphs:
            kept = [sentence for sentence in sentences if not _is_on_unmet(sentence)]
            if kept:
                paragraphs.append(Paragraph(lead, kept))
        sections.append(Section(section.heading, paragraphs))
    return manuscript._replace(sections=sections)


def _is_on_unmet(sentence: Sentence) -> bool:
    """Whether a sentence is about an unmet criterion that rests on an ablation."""
    return sentence.code in RESTS_ON_ABLATION and sentence.status == "NO"


class Moves(NamedTuple):
    """The edits of a criterion of a claim.

    - `toggle`: the level to which it is toggled; None if no other level is possible.
    - `removable`: whether the criterion is at YES and can be at NO.
    - `hard`: the families of `HARD` by which it can be brought to NO.
    """

    toggle: Status | None
    removable: bool
    hard: list[str]


def moves_of(levels: Sequence[Levels], claim: int, code: str, seed: int, paper: str) -> Moves:
    """The edits of one criterion of one claim of a paper.

    The toggle is to one of `_targets_of`, drawn at random. I1 at YES is toggled to PARTIAL where that is possible,
    since other edits take its evidence away.

    Args:
        levels: The levels of the paper's claims; the first claim is about the circuit, the others about components.
        claim: The index of the claim.
        code: The criterion.
        seed: The seed of the papers.
        paper: The paper's name.
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
        return Moves(toggle, removable=False, hard=[])

    hard = []
    if code in phrases()["withdrawals"]:
        hard.append("withdrawn")
    for family in COUNTERFACTUAL:
        if code in phrases()["counterfactuals"][family]:
            hard.append(family)
    if code in LEAK_PRONE and claim > 0:
        hard.append("circuit")
    return Moves(toggle, removable=True, hard=hard)


def _targets_of(levels: Sequence[Levels], claim: int, code: str) -> list[Status]:
    """The other levels that a criterion of a claim of a coherent paper can be moved to alone."""
    targets = []
    for level in tested_levels(code):
        if level == levels[claim][code]:
            continue
        moved = [dict(claim_levels) for claim_levels in levels]
        moved[claim][code] = level
        circuit, *parts = moved
        parts_belong = all(belongs(part, circuit) for part in parts)
        if parts_belong and make_coherent(moved[claim]) == moved[claim]:
            targets.append(level)
    return targets


def covered(levels: Sequence[Levels], seed: int, paper: str) -> Iterator[tuple[str, str]]:
    """What the texts of a paper, edited ones included, test of a judge; the items of `NEEDS`, for each claim.

    They are (code, "edited") for a criterion that an edit of the claim is about, (code, level) for each level that the
    criterion has in some text, and (family, "hard") for each family of `HARD` among the edits.
    """
    for claim, claim_levels in enumerate(levels):
        families: set[str] = set()
        for code in CRITERIA:
            moves = moves_of(levels, claim, code, seed, paper)
            shown = {claim_levels[code]}
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
