"""Counterfactual edits of a planted paper: each changes what it says on one criterion of one claim, or on none."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from mechaware.core.seeds import derive_seed
from mechaware.instruments.claims.rubric.criteria import CRITERIA, Status
from mechaware.planted.papers.manuscript import (
    LATER,
    RESULTS,
    Author,
    Manuscript,
    Sentence,
    line_of,
)
from mechaware.planted.papers.phrases import phrases, topic_of, write_statements
from mechaware.planted.papers.plan import PlantedClaim, PlantedPaper, draw_families, shown_families
from mechaware.verdicts.trust.papers import COUNTERFACTUAL, moves_of

PLACEBOS = ("reworded", "reordered", "shortened", "lengthened")  # families that should move nothing
# What a result may also lower that contradicts the claim: the agreement of the evidence, and what rests on it.
_CONTRADICTED = ("V3", "C5", "V4")
_BACKGROUND = 2  # the section of a manuscript that holds filler alone


class Edit(NamedTuple):
    """A paper after an edit, its levels those that the edited text gives; `claim` and `code` are None for a placebo.

    Of the edited claim the criteria `open` may change as well or stay.
    """

    family: str
    claim: int | None
    code: str | None
    paper: PlantedPaper
    manuscript: Manuscript
    open: Sequence[str] = ()


def planted_edits(paper: PlantedPaper, manuscript: Manuscript) -> Iterator[Edit]:
    """All edits of a paper that leave it coherent, those of its claims in the order of the rubric, then placebos."""
    for claim in range(len(paper.claims)):
        for code in CRITERIA:
            yield from _edits_on(paper, manuscript, claim, code)
    for family in PLACEBOS:
        yield Edit(family, None, None, paper, _placebo(paper, manuscript, family))


def _edits_on(paper: PlantedPaper, manuscript: Manuscript, claim: int, code: str) -> Iterator[Edit]:
    """The edits of one criterion of one claim: a toggle to another level, then ways to take its evidence away."""
    moves = moves_of([own.levels for own in paper.claims], claim, code, paper.seed, paper.paper)
    if moves.toggle is not None:
        after = _with_level(paper, claim, code, moves.toggle)
        family, edited = _toggled(
            after, _with_families(paper, after, manuscript, claim, code), claim, code
        )
        yield Edit(family, claim, code, after, edited)
    if moves.removable:
        after = _with_level(paper, claim, code, "NO")
        named = _with_families(paper, after, manuscript, claim, code)
        for family, edited in _rewritten(paper, named, claim, code, moves.hard):
            yield Edit(
                family, claim, code, after, edited, _CONTRADICTED if family == "negated" else ()
            )


def _with_level(paper: PlantedPaper, claim: int, code: str, level: Status) -> PlantedPaper:
    """The paper's plan with one level changed.

    Families of evidence that are shown no longer give way to others, and those shown anew are counted.
    """
    before = paper.claims[claim]
    levels = before.levels | {code: level}
    changes: dict[str, object] = {"levels": levels}
    if code == "C5" or shown_families(levels) != shown_families(before.levels):
        changes["evidence_families"] = draw_families(levels, _random(paper, "families", claim))
    if code == "C1":
        changes["statement"], *changes["restated"] = _restated(paper, before, level)
    claims = list(paper.claims)
    claims[claim] = before.model_copy(update=changes)
    return paper.model_copy(update={"claims": claims})


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


def _with_families(
    paper: PlantedPaper, after: PlantedPaper, manuscript: Manuscript, claim: int, code: str
) -> Manuscript:
    """The text with the claim's families of evidence named as after the edit."""
    before, now = (
        [line_of(family, own.levels) for family in own.evidence_families]
        for own in (paper.claims[claim], after.claims[claim])
    )
    if code == "C5" or before == now:
        return manuscript
    named = Author(after).sentence(claim, "C5", after.claims[claim].levels["C5"])
    return _replaced(manuscript, claim, "C5", [named])


def _toggled(
    after: PlantedPaper, manuscript: Manuscript, claim: int, code: str
) -> tuple[str, Manuscript]:
    """The text with the sentence that gives the claim the level of a criterion that it has in `after`."""
    to: Status = after.claims[claim].levels[code]
    if code == "C1":
        wordings = iter([after.claims[claim].statement, *after.claims[claim].restated])
        return "toggled", _map(
            manuscript,
            lambda s: (
                [Sentence(next(wordings), claim, code, to)] if _is_on(s, claim, code) else [s]
            ),
        )
    sentence = Author(after).sentence(claim, code, to, "edit")
    if not any(_is_on(s, claim, code) for s in manuscript.sentences()):
        return "inserted", _insert(manuscript, claim, code, sentence)
    family = "universal" if code == "V5" and to == "NO" else "toggled"
    return family, _replaced(manuscript, claim, code, [sentence])


def _rewritten(
    paper: PlantedPaper, manuscript: Manuscript, claim: int, code: str, hard: Sequence[str]
) -> Iterator[tuple[str, Manuscript]]:
    """Further ways to take evidence away: necessity by every way, other criteria where a phrasing exists."""
    author, other = Author(paper), phrases()["counterfactuals"]
    if code == "I1":
        yield "deleted", _replaced(manuscript, claim, code, [])
        text = author.evidence(other["negated"], claim, "negated", claim)
        yield "negated", _replaced(manuscript, claim, code, [Sentence(text, claim, code, "NO")])
    for family in hard:
        if family in COUNTERFACTUAL:
            text = author.evidence(other[family][code], claim, family, claim, code)
            yield family, _replaced(manuscript, claim, code, [Sentence(text, claim, code, "NO")])
        elif family == "withdrawn":
            text = author.evidence(phrases()["withdrawals"][code], claim, "taken back", claim, code)
            yield family, _insert(manuscript, claim, "V5", Sentence(text, claim, code, "NO"))
        else:
            text = author.evidence(phrases()["leaks"][code]["met"], claim, "leak", claim, code)
            yield (
                family,
                _replaced(manuscript, claim, code, [Sentence(text, claim, code, "NO", leak=True)]),
            )


def _placebo(paper: PlantedPaper, manuscript: Manuscript, family: str) -> Manuscript:
    author = Author(paper)
    instructions = phrases()["instructions"]
    parts = [part for section in manuscript.sections[1:4] for _, part in section.paragraphs]
    filler = [s for part in parts for s in part if not s.code and s.text not in instructions]
    evidence = [len(s.text) for s in manuscript.sentences() if s.code not in (None, "C1")]
    length = round(sum(evidence) / len(evidence))
    if family == "shortened":
        gone = min(filler, key=lambda sentence: abs(len(sentence.text) - length))
        return _map(manuscript, lambda sentence: [] if sentence is gone else [sentence])
    if family == "lengthened":
        lines = [
            author.from_template([line], 0, "further", line)
            for line in phrases()["filler"]["further"]
        ]
        added = Sentence(min(lines, key=lambda line: abs(len(line) - length)))
        last = filler[-1]
        return _map(
            manuscript, lambda sentence: [sentence, added] if sentence is last else [sentence]
        )
    ((_, background),) = manuscript.sections[_BACKGROUND].paragraphs
    if family == "reworded":
        lines = [
            author.from_template([line], 0, "line", line)
            for line in phrases()["filler"]["reworded background"]
        ]
        kept = [sentence for sentence in background if sentence.text in instructions]
        changed = [*map(Sentence, lines), *kept]
    else:
        changed = _random(paper, family).sample(background, len(background))
    sections = list(manuscript.sections)
    sections[_BACKGROUND] = sections[_BACKGROUND]._replace(paragraphs=[("", changed)])
    return manuscript._replace(sections=sections)


def _replaced(manuscript: Manuscript, claim: int, code: str, by: list[Sentence]) -> Manuscript:
    return _map(manuscript, lambda sentence: by if _is_on(sentence, claim, code) else [sentence])


def _insert(manuscript: Manuscript, claim: int, code: str, added: Sentence) -> Manuscript:
    """A sentence after the last one of the claim's on the criteria of the same section, or else after its last one."""
    together = next(
        codes for codes in (*RESULTS, *(codes for _, codes in LATER.values())) if code in codes
    )
    own = [sentence for sentence in manuscript.sentences() if sentence.claim == claim]
    anchor = next((s for s in reversed(own) if s.code in together), own[-1])
    return _map(
        manuscript, lambda sentence: [sentence, added] if sentence is anchor else [sentence]
    )


def _map(manuscript: Manuscript, replace: Callable[[Sentence], list[Sentence]]) -> Manuscript:
    sections = [
        section._replace(
            paragraphs=[
                (lead, [new for old in part for new in replace(old)])
                for lead, part in section.paragraphs
            ]
        )
        for section in manuscript.sections
    ]
    return manuscript._replace(sections=sections)


def _is_on(sentence: Sentence, claim: int, code: str) -> bool:
    return (sentence.claim, sentence.code) == (claim, code)


def _random(paper: PlantedPaper, *names: str | int) -> Random:
    return Random(derive_seed(paper.seed, paper.paper, "edit", *names))  # noqa: S311
