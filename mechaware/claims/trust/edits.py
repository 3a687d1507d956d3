"""Counterfactual edits of a planted paper: each changes what it says on one criterion of one claim, or on none."""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import NamedTuple

from mechaware.claims.planting.manuscript import LATER, RESULTS, Author, Manuscript, Sentence, line_of
from mechaware.claims.planting.phrases import phrases, topic_of, write_statements
from mechaware.claims.planting.plan import draw_families, shown_families
from mechaware.claims.planting.records import PlantedClaim, PlantedPaper
from mechaware.claims.rubric.criteria import CRITERIA, LEAK_PRONE, Status
from mechaware.claims.trust.papers import is_coherent
from mechaware.seeds import derive_seed

# The kinds of edits, as tables and figures name them; the last four are placebos, which should move nothing.
FAMILIES = {
    "toggled": "evidence toggled",
    "inserted": "evidence inserted",
    "deleted": "evidence deleted",
    "negated": "result negated",
    "withdrawn": "evidence withdrawn later",
    "others": "attributed to other authors",
    "component": "attributed to another component",
    "circuit": "attributed to the circuit",
    "universal": "universal wording",
    "reworded": "filler paraphrased",
    "reordered": "filler reordered",
    "shortened": "filler deleted",
    "lengthened": "filler inserted",
}
PLACEBOS = ("reworded", "reordered", "shortened", "lengthened")
OPPOSITE: Mapping[Status, Status] = {"YES": "NO", "NO": "YES"}
# Where anything was intervened on there is reach, and where an ablation is quantified there is a size: these two can
# move between their upper levels.
UPPER = ("E1", "E4")
OPPOSITE_UPPER: Mapping[Status, Status] = {"YES": "PARTIAL", "PARTIAL": "YES"}

COUNTERFACTUALS = {  # what stands in place of an ablation, by family
    "negated": "negated",
    "others": "attributed to others",
    "component": "attributed to another component",
}
BACKGROUND = 2  # the section of a manuscript that holds filler alone


class Edit(NamedTuple):
    """A paper after an edit, its levels those that the edited text gives; `claim` and `code` are None for a placebo."""

    family: str
    claim: int | None
    code: str | None
    paper: PlantedPaper
    manuscript: Manuscript


Replace = Callable[[Sentence], list[Sentence]]


def planted_edits(paper: PlantedPaper, manuscript: Manuscript) -> Iterator[Edit]:
    """All edits of a paper that leave it coherent, those of its claims in the order of the rubric, then placebos."""
    for claim in range(len(paper.claims)):
        for code in CRITERIA:
            yield from _edits_on(paper, manuscript, claim, code)
    for family in PLACEBOS:
        yield Edit(family, None, None, paper, _placebo(paper, manuscript, family))


def with_level(paper: PlantedPaper, claim: int, code: str, level: Status) -> PlantedPaper | None:
    """The paper's plan with one level changed, or None if its text would contradict itself.

    Families of evidence that are shown no longer give way to others, and those shown anew are counted.
    """
    before = paper.claims[claim]
    levels = before.levels | {code: level}
    changes: dict[str, object] = {"levels": levels}
    if not is_coherent(_with_claim(paper, claim, before.model_copy(update=changes))):
        return None
    if code == "C5" or shown_families(levels) != shown_families(before.levels):
        changes["evidence_families"] = draw_families(levels, _random(paper, "families", claim))
    if code == "C1":
        changes["statement"], *changes["restated"] = _restated(paper, before, level)
    return _with_claim(paper, claim, before.model_copy(update=changes))


def _edits_on(paper: PlantedPaper, manuscript: Manuscript, claim: int, code: str) -> Iterator[Edit]:
    """The edits of one criterion of one claim, between YES and NO."""
    after = _moved(paper, claim, code)
    if after is None:
        return
    level, to = paper.claims[claim].levels[code], after.claims[claim].levels[code]

    def edit(family: str, edited: Manuscript) -> Edit:
        return Edit(family, claim, code, after, edited)

    if code == "C1":
        yield edit("toggled", _restate(after, manuscript, claim))
        return
    if code != "C5" and _families(paper, claim) != _families(after, claim):
        named = Author(after).sentence(claim, "C5", after.claims[claim].levels["C5"])
        manuscript = _replaced(manuscript, claim, "C5", [named])
    sentence = Author(after).sentence(claim, code, to, "edit")
    if not any(_is_on(s, claim, code) for s in manuscript.sentences()):
        yield edit("inserted", _insert(manuscript, claim, code, sentence))
        return
    family = "universal" if code == "V5" and to == "NO" else "toggled"
    yield edit(family, _replaced(manuscript, claim, code, [sentence]))
    if (level, to) == ("YES", "NO"):
        for family, edited in _rewritten(paper, manuscript, claim, code):
            yield edit(family, edited)


def _moved(paper: PlantedPaper, claim: int, code: str) -> PlantedPaper | None:
    """The plan with this level at the other end, or at PARTIAL for those of `UPPER` that cannot reach it."""
    level = paper.claims[claim].levels[code]
    ends = [OPPOSITE.get(level), OPPOSITE_UPPER.get(level) if code in UPPER else None]
    plans = (with_level(paper, claim, code, end) for end in ends if end)
    return next((plan for plan in plans if plan), None)


def _families(paper: PlantedPaper, claim: int) -> list[str]:
    """How the claim's families of evidence are named."""
    planted = paper.claims[claim]
    return [line_of(family, planted.levels) for family in planted.evidence_families]


def _rewritten(paper: PlantedPaper, manuscript: Manuscript, claim: int, code: str) -> Iterator[tuple[str, Manuscript]]:
    """Further ways to take evidence away: necessity by every way, other criteria where a phrasing exists."""
    author = Author(paper)
    if code == "I1":
        yield "deleted", _replaced(manuscript, claim, code, [])
        for family, name in COUNTERFACTUALS.items():
            if family == "negated" and paper.claims[claim].levels["V3"] != "NO":
                continue  # the result contradicts the claim
            text = author.evidence(phrases()["counterfactuals"][name], claim, family, claim)
            yield family, _replaced(manuscript, claim, code, [Sentence(text, claim, code, "NO")])
    if code in phrases()["withdrawals"]:
        text = author.evidence(phrases()["withdrawals"][code], claim, "taken back", claim, code)
        yield "withdrawn", _insert(manuscript, claim, "V5", Sentence(text, claim, code, "NO"))
    if code in LEAK_PRONE and not paper.claims[claim].system:
        text = author.evidence(phrases()["leaks"][code]["met"], claim, "leak", claim, code)
        yield "circuit", _replaced(manuscript, claim, code, [Sentence(text, claim, code, "NO", leak=True)])


def _placebo(paper: PlantedPaper, manuscript: Manuscript, family: str) -> Manuscript:
    random, author = _random(paper, family), Author(paper)
    instructions = phrases()["instructions"]
    parts = [part for section in manuscript.sections[1:4] for _, part in section.paragraphs]
    filler = [s for part in parts for s in part if not s.code and s.text not in instructions]
    evidence = [len(s.text) for s in manuscript.sentences() if s.code not in (None, "C1")]
    length = round(sum(evidence) / len(evidence))
    if family == "shortened":
        gone = min(filler, key=lambda sentence: abs(len(sentence.text) - length))
        return _map(manuscript, lambda sentence: [] if sentence is gone else [sentence])
    if family == "lengthened":
        lines = [author.from_template([line], 0, "further", line) for line in phrases()["filler"]["further"]]
        added = Sentence(min(lines, key=lambda line: abs(len(line) - length)))
        last = filler[-1]
        return _map(manuscript, lambda sentence: [sentence, added] if sentence is last else [sentence])
    ((_, background),) = manuscript.sections[BACKGROUND].paragraphs
    if family == "reworded":
        lines = [author.from_template([line], 0, "line", line) for line in phrases()["filler"]["reworded background"]]
        kept = [sentence for sentence in background if sentence.text in instructions]
        return _with_background(manuscript, [*map(Sentence, lines), *kept])
    return _with_background(manuscript, random.sample(background, len(background)))


def _restated(paper: PlantedPaper, claim: PlantedClaim, level: Status) -> list[str]:
    """The wordings of a claim at another level of C1."""
    topic = topic_of(paper.task)
    operations = {group["name"]: group["operation"] for group in topic["groups"]}
    return write_statements(
        level,
        task=paper.task,
        model=paper.model,
        name=claim.name,
        components=claim.components,
        operation=operations.get(claim.name, topic["algorithm"]),
        system=claim.system,
        seed=derive_seed(paper.seed, paper.paper, "restated", claim.name),
    )


def _restate(after: PlantedPaper, manuscript: Manuscript, claim: int) -> Manuscript:
    """The claim's statements in wordings of another level, which `after` has."""
    planted = after.claims[claim]
    wordings = iter([planted.statement, *planted.restated])
    return _map(
        manuscript,
        lambda s: [Sentence(next(wordings), claim, "C1", planted.levels["C1"])] if _is_on(s, claim, "C1") else [s],
    )


def _replaced(manuscript: Manuscript, claim: int, code: str, by: list[Sentence]) -> Manuscript:
    return _map(manuscript, lambda sentence: by if _is_on(sentence, claim, code) else [sentence])


def _insert(manuscript: Manuscript, claim: int, code: str, added: Sentence) -> Manuscript:
    """A sentence after the last one of the claim's on the criteria of the same section, or else after its last one."""
    together = next(codes for codes in (*RESULTS, *(codes for _, codes in LATER.values())) if code in codes)
    own = [sentence for sentence in manuscript.sentences() if sentence.claim == claim]
    anchor = next((s for s in reversed(own) if s.code in together), own[-1])
    return _map(manuscript, lambda sentence: [sentence, added] if sentence is anchor else [sentence])


def _map(manuscript: Manuscript, replace: Replace) -> Manuscript:
    sections = [
        section._replace(
            paragraphs=[(lead, [new for old in part for new in replace(old)]) for lead, part in section.paragraphs]
        )
        for section in manuscript.sections
    ]
    return manuscript._replace(sections=sections)


def _with_background(manuscript: Manuscript, sentences: list[Sentence]) -> Manuscript:
    sections = list(manuscript.sections)
    sections[BACKGROUND] = sections[BACKGROUND]._replace(paragraphs=[("", sentences)])
    return manuscript._replace(sections=sections)


def _with_claim(paper: PlantedPaper, index: int, claim: PlantedClaim) -> PlantedPaper:
    claims = [claim if number == index else other for number, other in enumerate(paper.claims)]
    return paper.model_copy(update={"claims": claims})


def _is_on(sentence: Sentence, claim: int, code: str) -> bool:
    return (sentence.claim, sentence.code) == (claim, code)


def _random(paper: PlantedPaper, *names: str | int) -> Random:
    return Random(derive_seed(paper.seed, paper.paper, "edit", *names))  # noqa: S311
