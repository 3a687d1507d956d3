"""A paper's standing by any rubric, from the statuses that a person has given in a review form."""

from pathlib import Path

from mechaware.instruments.claims.aid.review import read_form
from mechaware.instruments.claims.by_rubric.standing import Standing, standing_of
from mechaware.instruments.claims.rubric.records import Record
from mechaware.instruments.claims.rubric.rubric import Rubric


class ReviewByRubric(Record):
    """A person's review of a paper by a rubric.

    `claim` is what was judged, empty for the paper as a whole. `statuses` are by criterion, None where the person gave
    none. `counts` has the number of criteria at each status, the highest first, and `best` the share of all criteria, 0
    to 1, that are at the highest status.
    """

    rubric: str
    claim: str
    statuses: dict[str, str | None]
    evidence: dict[str, str]
    counts: dict[str, int]
    best: float

    @property
    def standing(self) -> Standing:
        """The standing that a judge with the same statuses would give the paper."""
        return Standing(self.statuses, self.counts, self.best)


def read_review_by_rubric(path: Path, rubric: Rubric) -> ReviewByRubric:
    """The review in a form. Raises `UserError` for a form that cannot be read, as `read_form` does."""
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
