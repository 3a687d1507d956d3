"""Counterfactual edits of a planted paper.

An edit changes the evidence on one criterion of one claim; placebos change only filler.
"""

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
    Paragraph,
    Sentence,
    line_of,
)
from mechaware.planted.papers.phrases import phrases, topic_of, write_statements
from mechaware.planted.papers.plan import PlantedClaim, PlantedPaper, draw_families, shown_families
from mechaware.verdicts.trust.papers import COUNTERFACTUAL, moves_of

PLACEBOS = ("reworded", "reordered", "shortened", "lengthened")  # families that should move nothing
# A result that contradicts the claim may also lower the agreement of the evidence (V3) and what
# rests on it.
_CONTRADICTED = ("V3", "C5", "V4")
_WITH_FILLER = slice(1, 4)  # introduction, background and method
_BACKGROUND = 2  # the index of the section that has only filler


class Edit(NamedTuple):
    """A paper after an edit.

    - `family`: the kind of edit, such as toggled, deleted or reworded.
    - `claim`, `code`: the claim and the criterion that the edit is about; None for a placebo.
    - `paper`: the plan of the paper, with the levels that the edited text supports.
    - `manuscript`: the edited text.
    - `open`: criteria of the edited claim that may change or stay.
    """

    family: str
    claim: int | None
    code: str | None
    paper: PlantedPaper
    manuscript: Manuscript
    open: Sequence[str] = ()


def planted_edits(paper: PlantedPaper, manuscript: Manuscript) -> Iterator[Edit]:
    """All edits of a paper that leave it coherent: on its claims, then placebos.

    Edits on a claim are in the order of the rubric.
    """
    for claim in range(len(paper.claims)):
        for code in CRITERIA:
            yield from _edits_on(paper, manuscript, claim, code)
    for family in PLACEBOS:
        yield Edit(
            family,
            claim=None,
            code=None,
            paper=paper,
            manuscript=_placebo(paper, manuscript, family),
        )


def _edits_on(paper: PlantedPaper, manuscript: Manuscript, claim: int, code: str) -> Iterator[Edit]:
    """The edits of one criterion of one claim: to another level, then without its evidence."""
    moves = moves_of([own.levels for own in paper.claims], claim, code, paper.seed, paper.paper)
    if moves.toggle is not None:
        after = _with_level(paper, claim, code, moves.toggle)
        named = _with_families(paper, after, manuscript, claim, code)
        family, edited = _toggled(after, named, claim, code)
        yield Edit(family, claim, code, after, edited)
    if moves.removable:
        after = _with_level(paper, claim, code, "NO")
        named = _with_families(paper, after, manuscript, claim, code)
        for family, edited in _rewritten(paper, named, claim, code, moves.hard):
            may_change = _CONTRADICTED if family == "negated" else ()
            yield Edit(family, claim, code, after, edited, may_change)


def _with_level(paper: PlantedPaper, claim: int, code: str, level: Status) -> PlantedPaper:
    """The paper's plan with one level changed.

    The families of evidence are drawn anew if `code` is C5, which is about their number, or if the
    new level changes which families the sentences on I1, I2 and C2 show (`shown_families`). With
    another level of C1, the claim is stated in other words.
    """
    before = paper.claims[claim]
    levels = before.levels | {code: level}
    changes: dict[str, object] = {"levels": levels}
    if code == "C5" or shown_families(levels) != shown_families(before.levels):
        changes["evidence_families"] = draw_families(levels, _random(paper, "families", claim))
    if code == "C1":
        statement, *restated = _wordings(paper, before, level)
        changes["statement"] = statement
        changes["restated"] = restated
    claims = list(paper.claims)
    claims[claim] = before.model_copy(update=changes)
    return paper.model_copy(update={"claims": claims})


def _wordings(paper: PlantedPaper, claim: PlantedClaim, level: Status) -> list[str]:
    """The statement of a claim at another level of C1, then its further wordings."""
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
    """The text with the sentence on C5 rewritten, if the edit renames the evidence families."""
    named_before = _lines_of(paper.claims[claim])
    named_after = _lines_of(after.claims[claim])
    # An edit of C5 itself replaces the sentence in any case.
    if code == "C5" or named_before == named_after:
        return manuscript
    sentence = Author(after).sentence(claim, "C5", after.claims[claim].levels["C5"])
    return _replaced(manuscript, claim, "C5", [sentence])


def _lines_of(claim: PlantedClaim) -> list[str]:
    """Which lines name the claim's families of evidence (`line_of`)."""
    return [line_of(family, claim.levels) for family in claim.evidence_families]


def _toggled(
    after: PlantedPaper, manuscript: Manuscript, claim: int, code: str
) -> tuple[str, Manuscript]:
    """The family of the edit, and the text with a sentence for the criterion's level in `after`.

    C1 is about the claim itself, which the text states in several wordings: all of them are
    replaced, in order.
    """
    level: Status = after.claims[claim].levels[code]
    if code == "C1":
        wordings = iter([after.claims[claim].statement, *after.claims[claim].restated])

        def restate(sentence: Sentence) -> list[Sentence]:
            if _is_on(sentence, claim, code):
                return [Sentence(next(wordings), claim, code, level)]
            return [sentence]

        return "toggled", _map(manuscript, restate)

    sentence = Author(after).sentence(claim, code, level, "edit")
    has_sentence = any(_is_on(known, claim, code) for known in manuscript.sentences())
    if not has_sentence:
        return "inserted", _insert(manuscript, claim, code, sentence)
    # Where the limits of the claim (V5) are not met, the new sentence claims it for all models.
    family = "universal" if code == "V5" and level == "NO" else "toggled"
    return family, _replaced(manuscript, claim, code, [sentence])


def _rewritten(
    paper: PlantedPaper, manuscript: Manuscript, claim: int, code: str, hard: Sequence[str]
) -> Iterator[tuple[str, Manuscript]]:
    """Each way to take away the evidence on a criterion, as the family of the edit and the text.

    Evidence on necessity (I1) is also deleted and negated. `hard` has the hard families of edits
    (`trust.papers.HARD`) that have a phrasing for the criterion.
    """
    author = Author(paper)
    counterfactuals = phrases()["counterfactuals"]
    if code == "I1":
        yield "deleted", _replaced(manuscript, claim, code, [])

        text = author.evidence_text(counterfactuals["negated"], claim, "negated", claim)
        yield "negated", _replaced(manuscript, claim, code, [Sentence(text, claim, code, "NO")])

    for family in hard:
        if family in COUNTERFACTUAL:
            templates = counterfactuals[family][code]
            text = author.evidence_text(templates, claim, family, claim, code)
            yield family, _replaced(manuscript, claim, code, [Sentence(text, claim, code, "NO")])
        elif family == "withdrawn":
            templates = phrases()["withdrawals"][code]
            text = author.evidence_text(templates, claim, "taken back", claim, code)
            # In the section on limitations, where V5 is, if the claim has a sentence there.
            yield family, _insert(manuscript, claim, "V5", Sentence(text, claim, code, "NO"))
        else:  # the circuit's evidence is offered for its component
            templates = phrases()["leaks"][code]["met"]
            text = author.evidence_text(templates, claim, "leak", claim, code)
            leak = Sentence(text, claim, code, "NO", leak=True)
            yield family, _replaced(manuscript, claim, code, [leak])


def _placebo(paper: PlantedPaper, manuscript: Manuscript, family: str) -> Manuscript:
    """The text after an edit of `PLACEBOS`, which touches only filler.

    *shortened* takes away one sentence, and *lengthened* adds one: in both, the sentence whose
    length is closest to the mean length of sentences on criteria (`_mean_length_of_evidence`).
    """
    if family == "shortened":
        length = _mean_length_of_evidence(manuscript)
        filler = _filler_of(manuscript)
        removed = min(filler, key=lambda sentence: abs(len(sentence.text) - length))
        return _exchange(manuscript, removed, [])

    if family == "lengthened":
        length = _mean_length_of_evidence(manuscript)
        lines = _written(paper, phrases()["filler"]["further"], "further")
        added = Sentence(min(lines, key=lambda line: abs(len(line) - length)))
        return _insert_after(manuscript, _filler_of(manuscript)[-1], added)

    # The background is one paragraph without a run-in heading.
    ((_, background),) = manuscript.sections[_BACKGROUND].paragraphs
    if family == "reworded":
        lines = _written(paper, phrases()["filler"]["reworded background"], "line")
        instructions = phrases()["instructions"]
        kept = [sentence for sentence in background if sentence.text in instructions]
        changed = [*map(Sentence, lines), *kept]
    else:
        changed = _random(paper, family).sample(background, len(background))

    sections = list(manuscript.sections)
    sections[_BACKGROUND] = sections[_BACKGROUND]._replace(paragraphs=[Paragraph("", changed)])
    return manuscript._replace(sections=sections)


def _filler_of(manuscript: Manuscript) -> list[Sentence]:
    """The sentences on no criterion in `_WITH_FILLER`, without instructions to judges."""
    instructions = phrases()["instructions"]
    filler = []
    for section in manuscript.sections[_WITH_FILLER]:
        for _, sentences in section.paragraphs:
            for sentence in sentences:
                if not sentence.code and sentence.text not in instructions:
                    filler.append(sentence)
    return filler


def _mean_length_of_evidence(manuscript: Manuscript) -> int:
    """The mean length, in characters, of sentences on criteria other than C1 (the claim)."""
    lengths = []
    for sentence in manuscript.sentences():
        if sentence.code not in (None, "C1"):
            lengths.append(len(sentence.text))
    return round(sum(lengths) / len(lengths))


def _written(paper: PlantedPaper, templates: Sequence[str], name: str) -> list[str]:
    """A line from each template; `name` and the template identify the draw."""
    author = Author(paper)
    return [author.filler_text([template], 0, name, template) for template in templates]


def _replaced(manuscript: Manuscript, claim: int, code: str, by: list[Sentence]) -> Manuscript:
    """The text with other sentences in place of each sentence on a criterion of a claim."""

    def replace(sentence: Sentence) -> list[Sentence]:
        return by if _is_on(sentence, claim, code) else [sentence]

    return _map(manuscript, replace)


def _insert(manuscript: Manuscript, claim: int, code: str, added: Sentence) -> Manuscript:
    """The text with a sentence inserted after the claim's last sentence in the section of `code`.

    If this section has no sentence on the claim, the sentence is inserted after the claim's last
    sentence in the text.
    """
    codes_of_sections = [*RESULTS]
    for _, codes in LATER.values():
        codes_of_sections.append(codes)
    same_section = next(codes for codes in codes_of_sections if code in codes)
    on_claim = [sentence for sentence in manuscript.sentences() if sentence.claim == claim]
    in_section = [sentence for sentence in on_claim if sentence.code in same_section]
    last = (in_section or on_claim)[-1]
    return _insert_after(manuscript, last, added)


def _insert_after(manuscript: Manuscript, last: Sentence, added: Sentence) -> Manuscript:
    """The text with a sentence inserted after the object `last`; not after one that equals it."""
    return _exchange(manuscript, last, [last, added])


def _exchange(manuscript: Manuscript, old: Sentence, by: list[Sentence]) -> Manuscript:
    """The text with other sentences in place of the object `old`; an equal sentence stays."""

    def replace(sentence: Sentence) -> list[Sentence]:
        return by if sentence is old else [sentence]

    return _map(manuscript, replace)


def _map(manuscript: Manuscript, replace: Callable[[Sentence], list[Sentence]]) -> Manuscript:
    """The text with each sentence replaced by the sentences that `replace` returns for it.

    With the sentences a, b, c, and `replace` returning [], [x, y] and [c], the paragraph
    becomes x, y, c.
    """
    sections = []
    for section in manuscript.sections:
        paragraphs = []
        for lead, sentences in section.paragraphs:
            replaced: list[Sentence] = []
            for sentence in sentences:
                replaced += replace(sentence)
            paragraphs.append(Paragraph(lead, replaced))
        sections.append(section._replace(paragraphs=paragraphs))
    return manuscript._replace(sections=sections)


def _is_on(sentence: Sentence, claim: int, code: str) -> bool:
    return (sentence.claim, sentence.code) == (claim, code)


def _random(paper: PlantedPaper, *names: str | int) -> Random:
    return Random(derive_seed(paper.seed, paper.paper, "edit", *names))  # noqa: S311
