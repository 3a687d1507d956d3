"""Plans the papers of the trust study, and finds which of their levels an edit can move.

Each paper has two claims, one about a circuit and one about a group of its components. The level of
a criterion is the status that the claim truly has on it. An edit changes a text and leaves it
coherent.

The file has two parts: the plans (`plan_trial_papers`) and their texts (`write_trial_paper`), then
the possible edits of a criterion (`moves_of`).
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

# By criterion, the level of a claim.
Levels = Mapping[str, Status]
# Hard edits take evidence away and leave in the text what looks like it: evidence that is
# withdrawn, or that belongs to other components, to one component, or to the circuit.
HARD = ("withdrawn", "others", "component", "circuit")
# Families of `HARD` whose sentences are in `counterfactuals` of the phrases.
COUNTERFACTUAL = ("others", "component")
# The lowest levels of these criteria in the papers: every intervention has some reach (E1), and
# every quantified ablation gives the size of its effect (E4).
_LOWEST: Levels = {"E1": "PARTIAL", "E4": "PARTIAL"}
# Criteria that rest on an ablation, which the criterion of necessity (I1) is about. A paper has no
# sentence on an unmet criterion of this set, so that where all are unmet, only its sentence on I1
# reports an ablation.
RESTS_ON_ABLATION: set[str] = set()
# A demand's `codes` may be met only if one of its `others` is.
for _demand in DEMANDS:
    if _demand.others == ("I1",):
        RESTS_ON_ABLATION.update(_demand.codes)
# Levels are drawn from these tuples, each entry with the same probability.
_LEVELS: tuple[Status, ...] = ("YES", "YES", "NO", "NO", "PARTIAL")
_EITHER: tuple[Status, ...] = ("YES", "NO")
# Levels of a group's sufficiency (I2): a group by itself can be less sufficient than its circuit.
_GROUP_SUFFICIENCY: tuple[Status, ...] = ("YES", "PARTIAL", "NO", "NO")
# The number of plans that are drawn for a paper; one of them is kept.
_CANDIDATES = 8
# The number of claims on which each of `NEEDS` should be tested. Six claims are the fewest whose
# 95% Clopper-Pearson interval can lie above one half, if all of them succeed. Of nine to eleven
# claims one may fail, of twelve two.
_ENOUGH = 11
# Every fourth paper tells its judges what to answer.
_INSTRUCTING = 4


def tested_levels(code: str) -> tuple[Status, ...]:
    """The levels of a criterion that occur in the papers and their edits, in rising order."""
    return STATUSES[RANK[_LOWEST.get(code, "NO")] :]


def _needs() -> list[tuple[str, str]]:
    """What the papers should test, as pairs.

    - (criterion, "edited"): the response to an edit of the criterion.
    - (criterion, level): the status where the criterion has this level.
    - (family, "hard"): the response to an edit of this family of `HARD`.
    """
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
    """The plans of `number` papers, named `trust-01`, `trust-02` and so on.

    An edit can change a criterion that rests on an ablation only where the claim reports an
    ablation. The ablation itself can be taken away only in a claim in which no other evidence rests
    on it. So of every three papers, the circuit has evidence that rests on its ablation in the
    first, the group in the second, and neither in the third.

    For each paper `_CANDIDATES` plans are drawn. The plan is kept that adds most to what the papers
    before it test, so that no criterion is tested on only a handful of claims.
    """
    topics = phrases()["topics"]
    random = Random(derive_seed(seed, "trust topics"))  # noqa: S311
    order = random.sample(range(len(topics)), len(topics))
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
    """Of the candidates for a paper, the levels of its two claims that leave least untested.

    On a tie the first candidate is taken. `index` is the index of the paper, from 0; `tested`
    counts, for each of `NEEDS`, the claims of the papers before it that test it.
    """
    random = Random(derive_seed(seed, paper, "levels"))  # noqa: S311

    def untested(levels: Sequence[Levels]) -> int:
        """The sum over `NEEDS` of the fifth power of the number of claims still to test.

        The power gives most weight to what is tested on the fewest claims.
        """
        counts = tested + Counter(covered(levels, seed, paper))
        still_to_test = (max(0, _ENOUGH - counts[need]) for need in NEEDS)
        return sum(n_claims**5 for n_claims in still_to_test)

    candidates = [_draw_pair(index, random) for _ in range(_CANDIDATES)]
    return min(candidates, key=untested)


def _plan(
    paper: str, index: int, topic: Any, seed: int, levels: Sequence[dict[str, Status]]
) -> PlantedPaper:
    """A paper on a topic, with the levels of its circuit and of a group; the wordings are drawn.

    `index` is the index of the paper, from 0.
    """
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
    """Levels of a circuit and of a group of its components, in the paper with this index.

    - The criteria on which C5, V2 and V4 rest (`ground` of `_draw`) are met by the circuit if
      `index` is even, and by the group if it is odd.
    - The circuit has evidence that rests on an ablation (`_rich`, else `_poor`) if `index` % 3 is
      0, and the group if `index` % 3 is 1. Neither has any if `index` % 3 is 2.

    The group is no more sufficient and no more necessary than its circuit.
    """
    circuit = _draw(random, ground=index % 2 == 0)
    group = _draw(random, ground=index % 2 == 1)
    group_sufficiency = random.choice(_GROUP_SUFFICIENCY)
    if index % 3 == 0:
        circuit = _rich(circuit, random, sufficiency="YES")
        # By `belongs`, the group could not lose its ablation if each member of the circuit were
        # ablated (C4), nor report a spread if the circuit's were not reported (M1).
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

    With `ground`, C5, V2 and V4 are at YES or NO, and the criteria on which they rest are met. C2
    is at NO: if the sentences on other criteria showed two families of evidence, C5 could not be at
    NO (`make_coherent`). Without `ground`, C3, V1, V3 and V5 are at YES or NO.
    """
    levels: dict[str, Status] = {code: random.choice(_LEVELS) for code in CRITERIA}
    if ground:
        levels |= {code: random.choice(_EITHER) for code in ("C5", "V2", "V4")}
        return levels | {"C1": "YES", "C2": "NO", "M6": "YES", "V1": "YES", "V3": "YES"}
    return levels | {code: random.choice(_EITHER) for code in ("C3", "V1", "V3", "V5")}


def _rich(levels: dict[str, Status], random: Random, *, sufficiency: Status) -> dict[str, Status]:
    """Levels with evidence that rests on an ablation, made coherent.

    Before they are made coherent, necessity (I1) and minimality (C4) are at YES, and the other
    criteria of `RESTS_ON_ABLATION` are above NO. The baseline (M3), on which selectivity (E3)
    rests, is met; I2 is at `sufficiency`.
    """
    resting: dict[str, Status] = {}
    for code in sorted(RESTS_ON_ABLATION):
        resting[code] = random.choice(("YES", "PARTIAL"))
    return make_coherent(
        levels | resting | {"C4": "YES", "I1": "YES", "I2": sufficiency, "M3": "YES"}
    )


def _poor(
    levels: dict[str, Status], random: Random, *, necessity: Status, sufficiency: Status
) -> dict[str, Status]:
    """Levels without evidence that rests on an ablation, made coherent.

    Before they are made coherent, necessity (I1) is at `necessity`, I2 at `sufficiency`, and the
    criteria of `RESTS_ON_ABLATION` are at NO. The size of the effect (E4) is above NO: a quantified
    ablation gives the size of its effect.
    """
    size: Status = random.choice(("YES", "PARTIAL"))
    silent: dict[str, Status] = dict.fromkeys(RESTS_ON_ABLATION, "NO")
    return make_coherent(levels | silent | {"E4": size, "I1": necessity, "I2": sufficiency})


def write_trial_paper(paper: PlantedPaper) -> Manuscript:
    """The text of a paper, without sentences on unmet criteria of `RESTS_ON_ABLATION`."""
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
    - `hard`: the families of `HARD` by which the criterion can be brought to NO.
    """

    toggle: Status | None
    removable: bool
    hard: list[str]


def moves_of(levels: Sequence[Levels], claim: int, code: str, seed: int, paper: str) -> Moves:
    """The edits of one criterion of one claim of a paper.

    The toggle is to one of `_targets_of`, drawn at random. I1 at YES is toggled to PARTIAL where
    that is possible, since other edits bring it to NO.

    Args:
        levels: The levels of the paper's claims; the first claim is about the circuit, the others
            are about components.
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
    # The seed is derived from a derived one, which keeps the published draws.
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
    """The other levels that a criterion of a claim can have while all other criteria keep theirs.

    A level is possible if the moved claim is coherent and the claims still belong together.
    """
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
    """For each claim, the items of `NEEDS` that its texts test, edited ones included.

    They are (code, "edited") for each criterion with a toggle, (code, level) for each level that
    the criterion has in some text, and (family, "hard") for each family of `HARD` among the edits.
    """
    for claim, claim_levels in enumerate(levels):
        families: set[str] = set()
        for code in CRITERIA:
            moves = moves_of(levels, claim, code, seed, paper)
            shown = {claim_levels[code]}
            if moves.toggle:
                shown.add(moves.toggle)
                yield code, "edited"
            # Hard edits bring a criterion to NO. I1 is also brought to NO by deletion and negation.
            can_be_at_no = moves.hard or (code == "I1" and moves.removable)
            if can_be_at_no:
                shown.add("NO")
            for level in shown:
                yield code, level
            families.update(moves.hard)
        for family in families:
            yield family, "hard"
