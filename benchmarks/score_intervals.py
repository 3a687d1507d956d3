"""How often a paper's true score lies in its interval, for judges whose mistakes are simulated.

Run `.venv/bin/python -m benchmarks.score_intervals` (a minute); it writes docs/measured/score_interval_coverage.csv.
A judge gives each true status a random one, by fixed probabilities. Its mistakes are counted on the texts of the trust
study, from as many papers as the default run has; then it judges the circuit's claim of each planted paper, and
`cvs_interval` has the counts and its statuses.
The papers' seeds are not those of any reported result, nor those that `UPWARDS` was chosen on. `uneven` is strict on
every second paper and generous on the others: its mistakes are not those that were counted.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from mechaware.claims.planting.plan import PlantedPaper, plan_papers
from mechaware.claims.rubric.criteria import STATUSES
from mechaware.claims.rubric.scoring import cvs, tier
from mechaware.claims.trust.measures.intervals import cvs_interval
from mechaware.claims.trust.measures.responses import CODES
from mechaware.claims.trust.planted.edits import planted_edits
from mechaware.claims.trust.planted.papers import plan_trial_papers, write_trial_paper
from mechaware.frames import write_csv

OUT = Path("docs/measured/score_interval_coverage.csv")
TRIAL_PAPERS, TRIAL_SEED = 12, 901
SEEDS, PAPERS, DRAWS, LEVEL = range(842, 852), 20, 200, 0.95

Rates = Float[np.ndarray, "truth status"]
STRICT = np.array([[0.95, 0.03, 0.02], [0.35, 0.6, 0.05], [0.15, 0.25, 0.6]])
GENEROUS = STRICT[::-1, ::-1]
# The probabilities of each reported status (columns) given the true one, in turn for one paper after another.
JUDGES: dict[str, tuple[Rates, ...]] = {
    "90% right": (np.full((3, 3), 0.05) + 0.85 * np.eye(3),),
    "65% right": (np.full((3, 3), 0.175) + 0.475 * np.eye(3),),
    "generous": (GENEROUS,),
    "strict": (STRICT,),
    "uneven": (STRICT, GENEROUS),
}


def counted_statuses(papers: Iterable[PlantedPaper]) -> Iterator[tuple[int, int, int]]:
    """Paper, criterion and true status of what is counted in the trust study: all of a base text, an edit's own."""
    for number, paper in enumerate(papers):
        for claim in paper.claims:
            for place, code in enumerate(CODES):
                yield number, place, STATUSES.index(claim.levels[code])
        for edit in planted_edits(paper, write_trial_paper(paper)):
            if edit.claim is not None and edit.code is not None:
                yield number, CODES.index(edit.code), STATUSES.index(edit.paper.claims[edit.claim].levels[edit.code])


def report(rates: Rates, truth: Int[np.ndarray, " n"], generator: np.random.Generator) -> Int[np.ndarray, " n"]:
    """A judge's statuses of these true ones."""
    return np.asarray((rates[truth].cumsum(axis=-1)[:, :2] < generator.random((len(truth), 1))).sum(axis=-1))


def covered(
    papers: Iterable[PlantedPaper],
    judge: tuple[Rates, ...],
    counted: Int[np.ndarray, "status three"],
    generator: np.random.Generator,
    draws: int,
) -> pd.DataFrame:
    """A row for each paper: its tier, whether its score is in the interval, and the interval's width in points."""
    rows = []
    for number, paper in enumerate(papers):
        counts = np.zeros((len(CODES), 3, 3), dtype=int)
        for turn, rates in enumerate(judge):
            of_turn = counted[counted[:, 0] % len(judge) == turn]
            np.add.at(counts, (of_turn[:, 1], of_turn[:, 2], report(rates, of_turn[:, 2], generator)), 1)
        levels = paper.claims[0].levels
        truth = np.array([STATUSES.index(levels[code]) for code in CODES])
        given = report(judge[number % len(judge)], truth, generator)
        statuses = {code: STATUSES[rank] for code, rank in zip(CODES, given, strict=True)}
        low, high = cvs_interval(statuses, counts, draws=draws, level=LEVEL, seed=number)
        score = cvs(levels)
        rows.append((tier(score).name, low - 1e-9 <= score <= high + 1e-9, high - low))
    return pd.DataFrame(rows, columns=["tier", "covered", "width"])


def main() -> None:
    """Write a row for each judge and tier, and for all tiers."""
    counted = np.array(list(counted_statuses(plan_trial_papers(TRIAL_PAPERS, TRIAL_SEED))))
    papers = [paper for seed in SEEDS for paper in plan_papers(PAPERS, seed)]
    rows = []
    for name, judge in JUDGES.items():
        found = covered(papers, judge, counted, np.random.default_rng(1), DRAWS)
        for group, own in [("all", found), *found.groupby("tier")]:
            rows.append((name, group, len(own), own["covered"].mean(), own["width"].mean()))
    write_csv(pd.DataFrame(rows, columns=["judge", "tier", "papers", "coverage", "width"]), OUT)


if __name__ == "__main__":
    main()
