"""Simulates how votes and passes change a judge's errors, from errors of known rates.

No judge is asked. Runs of a judge are made from the planted statuses and errors of known rates. A
vote is taken over the runs, and a pass lowers statuses as the leak audit or the devil's advocate
does. The resulting tier is compared with the planted one. All votes and passes are compared on the
same errors.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, product
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from mechaware.core.seeds import derive_seed
from mechaware.core.stats.intervals import mean_over_groups
from mechaware.instruments.claims.rubric.criteria import (
    CRITERIA,
    DIMENSIONS,
    LEAK_PRONE,
    RANK,
    TIERS,
    Dimension,
    Level,
)
from mechaware.instruments.claims.rubric.scoring import FULL_WEIGHT
from mechaware.planted.papers.plan import PlantedPaper, plan_papers

RUNS = 3  # the paper's number (section 3.7)
VOTES = ("minimum", "median", "one run")
CLAIMS = {"paper": "the paper's", "parts": "parts'"}
HIGHEST = len(RANK) - 1
# The minimum suits a judge whose rate of downward errors is at most this share of its rate of
# upward errors. For papers' tiers without leaks, in the table claims_vote, the minimum and the
# median are right equally often where the share is 1.2% (10% upward errors, 0.12% downward) to 4.4%
# (20% upward, 0.88% downward, half of the errors shared). With 5% upward errors the minimum is
# never ahead there. These shares depend on the mix of statuses that is planted, and on the papers
# that are drawn; for claims about parts they are larger.
MAX_DOWNWARD = 1 / 100

Statuses = Int[np.ndarray, "claim criterion"]


class Errors(NamedTuple):
    """The errors of a judge's runs, each a probability.

    - `up`: a status below YES is called one step higher.
    - `down`: a status above NO is called one step lower.
    - `shared`: a criterion of a claim has the same error in all runs; otherwise each run errs
      independently.
    - `leaked`: a planted leak is credited, with the circuit's status.
    """

    up: float
    down: float
    shared: float = 0.0
    leaked: float = 0.0


class LoweringPass(NamedTuple):
    """A pass after the vote, which lowers statuses of the five leak-prone criteria.

    - `kind`: the leak audit lowers to NO, and only in claims about parts (section 3.5); the devil's
      advocate lowers by one step, and in every claim (section 3.8).
    - `finds`: the probability that a status above the planted one is lowered.
    - `harms`: the probability that any other status above NO is lowered.
    """

    kind: Literal["none", "leak audit", "devil's advocate"]
    finds: float = 0.0
    harms: float = 0.0


NO_PASS = LoweringPass("none")


class PlantedStatuses(NamedTuple):
    """The claims of planted papers. Statuses are ranks: 0 for NO, 1 for PARTIAL, 2 for YES.

    - `truth`: the planted statuses.
    - `offered`: the statuses of the same paper's circuit, with which a leak is credited.
    - `leaks`: where a part's criterion is at NO and the text offers the circuit's evidence.
    - `system`: whether a claim is the paper's own.
    - `paper`: the index of its paper.
    """

    truth: Statuses
    offered: Statuses
    leaks: Bool[np.ndarray, "claim criterion"]
    system: Bool[np.ndarray, " claim"]
    paper: Int[np.ndarray, " claim"]


def planted_statuses(papers: Sequence[PlantedPaper]) -> PlantedStatuses:
    """The statuses of all claims of planted papers."""
    truth = []
    offered = []
    leaks = []
    system = []
    paper_of_claim = []
    for number, paper in enumerate(papers):
        circuit = _ranks(paper.claims[0].levels)
        for claim in paper.claims:
            truth.append(_ranks(claim.levels))
            offered.append(circuit)
            leaks.append([code in claim.leaks for code in CRITERIA])
            system.append(claim.system)
            paper_of_claim.append(number)
    return PlantedStatuses(
        truth=np.array(truth),
        offered=np.array(offered),
        leaks=np.array(leaks),
        system=np.array(system),
        paper=np.array(paper_of_claim),
    )


def _ranks(levels: Mapping[str, Any]) -> list[int]:
    return [RANK[levels[code]] for code in CRITERIA]


def draw_runs(
    planted: PlantedStatuses, errors: Errors, random: np.random.Generator
) -> Int[np.ndarray, "run claim criterion"]:
    """The statuses that `RUNS` runs of a judge with these errors give.

    One number is drawn from [0, 1) for each run, claim and criterion. Below `up`, a status is
    called higher; from 1 - `down` on, lower. A shared error has the same number in all runs.
    """
    size = planted.truth.shape
    own = random.random((RUNS, *size))
    common = random.random(size)
    is_common = random.random(size) < errors.shared
    # `is_common` and `common` have no axis of runs: NumPy repeats them for each run.
    drawn = np.where(is_common, common, own)
    raised = (drawn < errors.up) & (planted.truth < HIGHEST)
    lowered = (drawn >= 1 - errors.down) & (planted.truth > 0)
    judged = planted.truth + raised - lowered

    credited = planted.leaks & (drawn < errors.leaked)
    return np.where(credited, planted.offered, judged)


def vote_over(runs: Int[np.ndarray, "run claim criterion"], vote: str) -> Statuses:
    """The statuses after a vote over an odd number of runs, one of `VOTES`.

    `minimum` and `median` are taken of each criterion; `one run` takes the first run.
    """
    voted: Statuses
    if vote == "one run":
        voted = runs[0]
    elif vote == "minimum":
        voted = runs.min(axis=0)
    else:
        voted = np.sort(runs, axis=0)[len(runs) // 2]
    return voted


def lower_statuses(
    voted: Statuses, planted: PlantedStatuses, lowering: LoweringPass, random: np.random.Generator
) -> Statuses:
    """The voted statuses after a pass, which lowers leak-prone criteria (`LoweringPass`)."""
    if lowering.kind == "none":
        return voted
    drawn = random.random(voted.shape)
    is_too_high = voted > planted.truth
    lowered = drawn < np.where(is_too_high, lowering.finds, lowering.harms)
    lowered &= np.isin(list(CRITERIA), LEAK_PRONE)
    if lowering.kind == "leak audit":
        lowered &= ~planted.system[:, np.newaxis]
        return np.where(lowered, 0, voted)
    return np.where(lowered, np.maximum(voted - 1, 0), voted)


def scores_of(statuses: Statuses) -> Float[np.ndarray, " claim"]:
    """The CVS, 0 to 10, of each claim (sections 3.3 and 3.4), as `scoring.cvs` gives it for one."""
    weighted = np.zeros(len(statuses))
    for dimension in DIMENSIONS:
        weighted += dimension.weight * _dimension_scores(dimension, statuses)
    return 10 * weighted / FULL_WEIGHT


def _dimension_scores(dimension: Dimension, statuses: Statuses) -> Int[np.ndarray, " claim"]:
    """The score of each claim in a dimension: the score of the highest level it meets, 0 to 3."""
    scores = np.zeros(len(statuses), dtype=int)
    for level in dimension.levels:  # the highest first
        is_met = _meets(dimension, level, statuses)
        scores = np.where((scores == 0) & is_met, level.score, scores)
    return scores


def _meets(dimension: Dimension, level: Level, statuses: Statuses) -> Bool[np.ndarray, " claim"]:
    """Which claims meet a level of a dimension: one of its lists of demands, and its least sum.

    The sum is over the dimension's criteria; a YES counts 1, a PARTIAL 1/2 and a NO 0.
    """
    column = {code: statuses[:, index] for index, code in enumerate(CRITERIA)}
    meets_demands = np.zeros(len(statuses), dtype=bool)
    for demands in level.any_of:
        meets_all = np.ones(len(statuses), dtype=bool)
        for code, status in demands.items():
            meets_all &= column[code] >= RANK[status]
        meets_demands |= meets_all

    total = sum(column[code] for code in dimension.criteria) / HIGHEST
    return meets_demands & (total >= level.least_sum)


def tiers_of(statuses: Statuses) -> Int[np.ndarray, " claim"]:
    """The rank of each claim's tier, from 0 for the lowest to 4.

    A CVS on the boundary of two tiers belongs to the higher one.
    """
    boundaries = [tier.boundary for tier in TIERS[1:]]
    return np.searchsorted(boundaries, scores_of(statuses), side="right")


def compare_votes(
    errors: Iterable[Errors],
    passes: Iterable[LoweringPass],
    *,
    papers: int,
    repeats: int,
    seed: int,
    confidence_level: float,
) -> pd.DataFrame:
    """How often the tier is right: a row for each model of errors, pass, kind of claim and vote.

    All votes and passes get the same errors, and all rates the same random numbers.

    Args:
        errors: The models of errors.
        passes: The passes after the vote.
        papers: The number of planted papers.
        repeats: How often the errors of each paper are drawn.
        seed: The seed of the papers and the errors.
        confidence_level: The level of the t interval over papers, such as 0.95.

    Returns:
        Columns: the fields of `Errors`; pass, finds, harms; claims (of `CLAIMS`: the paper's own
        claim, whose tier is the paper's, or those about parts); vote; n, the number of papers;
        exact, too_low and too_high, the shares of the claims whose tier is right, too low and too
        high, 0 to 1; exact_low and exact_high, the interval of exact, None for too few papers.
    """
    planted = _repeated(planted_statuses(plan_papers(papers, seed)), repeats)
    expected = tiers_of(planted.truth)
    passes = list(passes)
    rows = []
    for model in errors:
        runs = draw_runs(planted, model, _generator(seed, "errors"))
        for lowering, vote in product(passes, VOTES):
            voted = vote_over(runs, vote)
            after = lower_statuses(voted, planted, lowering, _generator(seed, "pass"))
            tier_errors = tiers_of(after) - expected
            for claims, chosen in (("paper", planted.system), ("parts", ~planted.system)):
                row: dict[str, Any] = {
                    **model._asdict(),
                    "pass": lowering.kind,
                    "finds": lowering.finds,
                    "harms": lowering.harms,
                    "claims": claims,
                    "vote": vote,
                    "n": papers,
                }
                row |= _rates(tier_errors[chosen], planted.paper[chosen], confidence_level)
                rows.append(row)
    return pd.DataFrame(rows)


def _generator(seed: int, name: str) -> np.random.Generator:
    return np.random.default_rng(derive_seed(seed, "vote errors", name))


def _repeated(planted: PlantedStatuses, repeats: int) -> PlantedStatuses:
    """All claims `repeats` times: [a, b] becomes [a, b, a, b]."""
    return PlantedStatuses(*(np.concatenate([array] * repeats) for array in planted))


def _rates(
    tier_errors: Int[np.ndarray, " claim"],
    paper: Int[np.ndarray, " claim"],
    confidence_level: float,
) -> dict[str, float | None]:
    """The shares of claims whose tier is right, too low and too high.

    `tier_errors` is the resulting tier minus the planted one, in ranks. The share that is right has
    a t interval over papers, cut off at 0 and 1; None for too few papers.
    """
    exact = (tier_errors == 0).astype(float)
    interval = mean_over_groups(exact, [str(number) for number in paper], confidence_level)
    low = None
    high = None
    if interval is not None:
        # A t interval may extend beyond 0 and 1.
        low = max(0.0, interval.low)
        high = min(1.0, interval.high)
    return {
        "exact": float(exact.mean()),
        "exact_low": low,
        "exact_high": high,
        "too_low": float((tier_errors < 0).mean()),
        "too_high": float((tier_errors > 0).mean()),
    }


def break_even(rows: pd.DataFrame) -> float | None:
    """The rate of downward errors above which the median is right more often than the minimum.

    `rows` are rows of `compare_votes` that differ only in `down` and `vote`. Let lead(down) be the
    share that is right by the minimum minus the share by the median. Of two neighbouring rates a
    and b, with lead(a) > 0 >= lead(b), linear interpolation gives

        a + (b - a) lead(a) / (lead(a) - lead(b))

    The first such pair counts. None where the minimum is never ahead, or always.
    """
    exact = rows.pivot(index="down", columns="vote", values="exact").sort_index()
    lead = exact["minimum"] - exact["median"]
    for a, b in pairwise(lead.index):
        if lead[a] > 0 >= lead[b]:
            return float(a + (b - a) * lead[a] / (lead[a] - lead[b]))
    return None
