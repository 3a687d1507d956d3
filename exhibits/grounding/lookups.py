"""How many prompts of the data, or pairs, tell a control that reads the schema from a look-up of the request word."""

from math import ceil, log

import numpy as np
import pandas as pd
from scipy import stats

from mechaware.core.stats import Interval, bootstrap_mean, clopper_pearson
from mechaware.planted.controls.lookups import LOOKUP

POWER = 0.8  # the probability with which the needed prompts tell the two apart
_MOST_PROMPTS = 10_000  # that are counted up to, for a test by the score


def score_lookups(
    answers: pd.DataFrame, *, confidence_level: float, resamples: int, seed: int
) -> pd.DataFrame:
    """One row per control: how often its answers tell it from the look-up, and how many prompts that takes.

    `answers` has a row per control and prompt: control, read (the share of request words for which it reads the
    schema), source (`data` or `pairs`), prompt (its number, or the id of its pair), part (of a pair: `clean` or
    `corrupted`), request, fixed (whether the request word names a single column in the data), wanted, answer.
    Columns:

    - control, read
    - n, n_pairs: the numbers of prompts of the data, and of pairs
    - right: the share of prompts of the data that are answered with the wanted column
    - fixed: the share of prompts of the data whose request word fixes the column
    - differs: the share of prompts of the data that tell, which means that the answer is not the look-up's;
      fixed_differs: the same among the prompts whose request word fixes the column
    - two_differ: the probability that of two prompts of the data at least one tells
    - moves: the share of pairs that tell, which means that the answers to the two prompts differ. A look-up's never
      do: both prompts have the same request
    - prompts_needed, pairs_needed: how many prompts, or pairs, contain one that tells with a probability of `POWER`;
      missing if none tells
    - by_score: how many prompts of the data an exact one-sided test at 1 - `confidence_level` needs to show, with a
      probability of `POWER`, that the share of right answers is above the look-up's; missing beyond 10,000
    - {name}_low, {name}_high: intervals over request words
    """
    of_data = answers[answers["source"] == "data"]
    looked_up = of_data[of_data["control"] == LOOKUP].set_index("prompt")
    score_to_beat = _is_right(looked_up).mean()

    rows = []
    for control, own in of_data.groupby("control", sort=False):
        own = own.set_index("prompt")
        differs = own["answer"] != looked_up["answer"].loc[own.index]
        right = _is_right(own).mean()
        moves = _moves(answers[(answers["control"] == control) & (answers["source"] == "pairs")])

        share = differs.mean()
        ends = _interval(
            differs,
            own["request"],
            confidence_level=confidence_level,
            resamples=resamples,
            seed=seed,
        )
        share_of_pairs = moves["moves"].mean()
        ends_of_pairs = _interval(
            moves["moves"],
            moves["request"],
            confidence_level=confidence_level,
            resamples=resamples,
            seed=seed,
        )
        row = {
            "control": control,
            "read": own["read"].iloc[0],
            "n": len(own),
            "right": right,
            "fixed": own["fixed"].mean(),
            "fixed_differs": differs[own["fixed"]].mean(),
        }
        row |= _with_ends("differs", share, ends)
        ends_of_two = Interval(_one_of_two(ends.low), _one_of_two(ends.high))
        row |= _with_ends("two_differ", _one_of_two(share), ends_of_two)
        row |= _needed_with_ends("prompts_needed", share, ends)
        row["by_score"] = needed_by_score(score_to_beat, right, significance=1 - confidence_level)
        row["n_pairs"] = len(moves)
        row |= _with_ends("moves", share_of_pairs, ends_of_pairs)
        row |= _needed_with_ends("pairs_needed", share_of_pairs, ends_of_pairs)
        rows.append(row)
    counts = ["by_score"]
    for name in ("prompts_needed", "pairs_needed"):
        counts += [name, f"{name}_low", f"{name}_high"]
    # Integers that may be missing; else they become 1.0.
    return pd.DataFrame(rows).astype(dict.fromkeys(counts, "Int64"))


def _with_ends(name: str, share: float, ends: Interval) -> dict[str, float]:
    """A share and the ends of its interval, as columns."""
    return {name: share, f"{name}_low": ends.low, f"{name}_high": ends.high}


def _needed_with_ends(name: str, share: float, ends: Interval) -> dict[str, int | None]:
    """How many prompts are needed if this share of them tells, and at the ends of its interval, as columns."""
    # The more often an answer tells, the fewer prompts are needed.
    return {
        name: needed(share),
        f"{name}_low": needed(ends.high),
        f"{name}_high": needed(ends.low),
    }


def _is_right(prompts: pd.DataFrame) -> pd.Series:
    """Whether each prompt is answered with the wanted column."""
    return prompts["answer"] == prompts["wanted"]


def _moves(prompts: pd.DataFrame) -> pd.DataFrame:
    """The pairs of one control, with their request and whether the answers to their two prompts differ."""
    clean = prompts[prompts["part"] == "clean"].set_index("prompt")
    corrupted = prompts[prompts["part"] == "corrupted"].set_index("prompt")
    differ = clean["answer"] != corrupted["answer"].loc[clean.index]
    return pd.DataFrame({"request": clean["request"], "moves": differ})


def _interval(
    happens: pd.Series, requests: pd.Series, *, confidence_level: float, resamples: int, seed: int
) -> Interval:
    """An interval of a share over request words, since a control reads a word in all prompts or in none.

    It is a bootstrap interval. Where all prompts agree that would have no width, and it is the exact interval of as
    many successes, or failures, as there are words.
    """
    values = happens.to_numpy(float)
    if values.min() == values.max():
        n_words = requests.nunique()
        return clopper_pearson(int(values[0]) * n_words, n_words, confidence_level)
    return bootstrap_mean(
        values, requests, resamples=resamples, seed=seed, confidence_level=confidence_level
    )


def _one_of_two(share: float) -> float:
    """The probability that of two prompts at least one tells, if a `share` of all prompts does."""
    return 1 - (1 - share) ** 2


def needed(share: float) -> int | None:
    """How many prompts contain one that tells, with a probability of `POWER`, if a `share` of all prompts does.

    The smallest n with 1 - (1 - share)^n >= POWER; None if no prompt tells.
    """
    if share == 0:
        return None
    if share == 1:
        return 1
    return ceil(log(1 - POWER) / log(1 - share))


def needed_by_score(chance: float, right: float, *, significance: float) -> int | None:
    """The fewest prompts of which a share `right` is shown to be above `chance` with a probability of `POWER`.

    The test is the exact binomial one, one-sided. None beyond 10,000 prompts, and if `right` is no larger.
    """
    if right <= chance:
        return None
    n = np.arange(1, _MOST_PROMPTS + 1)
    # The test rejects from this number of right answers on.
    critical = stats.binom.isf(significance, n, chance) + 1
    power = stats.binom.sf(critical - 1, n, right)
    reached = np.flatnonzero(power >= POWER)
    return int(n[reached[0]]) if len(reached) else None
