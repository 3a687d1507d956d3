"""The trials of a judge: planted papers and passages, all of them or a few edits of the first."""

from collections.abc import Sequence
from pathlib import Path

from mechaware.claims.trust.passages import read_passages
from mechaware.claims.trust.planted.papers import plan_trial_papers
from mechaware.claims.trust.trials import Trial, planted_trial, shortened


def plan_trials(papers: int, passages: Sequence[Path], *, edits: int | None, seed: int) -> list[Trial]:
    """The trials of `papers` planted papers, then of the passages.

    With `edits` there is one trial: the first paper's first claim with so many of its edits.
    Raises `UserError` for a passage that cannot be used.
    """
    if edits is not None:
        (first,) = plan_trial_papers(1, seed)
        return [shortened(planted_trial(first), edits, seed)]
    return [*(planted_trial(paper) for paper in plan_trial_papers(papers, seed)), *read_passages(list(passages))]
