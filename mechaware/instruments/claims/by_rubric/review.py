"""Reads a person's review of a paper by any rubric, and counts its criteria at each status."""

from pathlib import Path

from mechaware.instruments.claims.aid.review import read_form
from mechaware.instruments.claims.by_rubric.standing import Standing, standing_of
from mechaware.instruments.claims.rubric.records import Record
from mechaware.instruments.claims.rubric.rubric import Rubric


class ReviewByRubric(Record):
    """A person's review of a paper by a rubric.

    - `rubric`: its name.
    - `claim`: what was judged; empty for the paper as a whole.
    - `statuses`, `evidence`: what the form has for each criterion, by the criterion's code. Where
      the person wrote nothing, a status is None and a text of evidence is empty.
    - `counts`: the number of criteria at each status, the highest status first.
    - `best`: the share of all criteria, 0 to 1, that are at the highest status.
    """

    rubric: str
    claim: str
    statuses: dict[str, str | None]
    evidence: dict[str, str]
    counts: dict[str, int]
    best: float

    @property
    def standing(self) -> Standing:
        """Statuses, counts and share, as a judge with the same statuses would have them."""
        return Standing(self.statuses, self.counts, self.best)


def read_review_by_rubric(path: Path, rubric: Rubric) -> ReviewByRubric:
    """The review in a form that a person has filled in.

    Raises `UserError` for a form that cannot be read (`read_form`).
    """
    form = read_form(path, rubric)
    standing = standing_of(form.statuses, rubric)
    return ReviewByRubric(
        rubric=rubric.name,
        claim=form.claim,
        statuses=dict(form.statuses),
        evidence=dict(form.evidence),
        counts=dict(standing.counts),
        best=standing.best,
    )
