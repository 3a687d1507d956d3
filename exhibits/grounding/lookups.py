"""How many prompts show that a control reads the schema and does not look up the request word.

The look-up is the control `LOOKUP`: it answers the column that the request word names most often in
the data, whatever the schema. A prompt of the data *tells* a control from it if the control gives
another answer than the look-up. A pair of prompts, which have the same request word and different
schemas, tells them apart if the control gives two different answers; the look-up never does.
"""

from math import ceil, log

import numpy as np
import pandas as pd
from scipy import stats

from mechaware.core.stats.intervals import Interval, bootstrap_mean, clopper_pearson
from mechaware.planted.controls.lookups import LOOKUP

POWER = 0.8  # the probability with which the needed prompts tell a control from the look-up
_MOST_PROMPTS = 10_000  # the largest number of prompts that `needed_by_score` tries


def score_lookups(
    answers: pd.DataFrame, *, confidence_level: float, resamples: int, seed: int
) -> pd.DataFrame:
    """One row per control: how often prompts tell it from the look-up, and how many that takes.

    `answers` has a row per control and prompt, with the columns

    - control; read, the share of request words for which it reads the schema
    - source: `data` or `pairs`
    - prompt: its number in the data, or the id of its pair; part: `clean` or `corrupted` in a pair
    - request: the request word; fixed: whether it names a single column in the data
    - wanted: the column that is asked for; answer: the control's answer

    The result has the columns

    - control, read
    - n, n_pairs: the numbers of prompts of the data, and of pairs
    - right: the share of prompts of the data that are answered with the wanted column
    - fixed: the share of prompts of the data whose request word fixes the column
    - differs: the share of prompts of the data that tell; fixed_differs: the same among the prompts
      whose request word fixes the column
    - two_differ: the probability that of two prompts of the data at least one tells
    - moves: the share of pairs that tell
    - prompts_needed, pairs_needed: the least number of prompts of the data, or of pairs, among
      which at least one tells with a probability of `POWER`; missing if none tells
    - by_score: the least number of prompts of the data with which an exact one-sided test at
      1 - `confidence_level` shows, with a probability of `POWER`, that the share of right answers
      is above the look-up's; missing beyond 10,000
    - {name}_low, {name}_high: intervals over request words, for differs, two_differ, moves and the
      two needed numbers
    """
    of_data = answers[answers["source"] == "data"]
    of_pairs = answers[answers["source"] == "pairs"]
    looked_up = of_data[of_data["control"] == LOOKUP].set_index("prompt")
    score_to_beat = _is_right(looked_up).mean()

    rows = []
    for control, prompts in of_data.groupby("control", sort=False):
        row = _score_control(
            prompts.set_index("prompt"),
            _moves(of_pairs[of_pairs["control"] == control]),
            looked_up,
            score_to_beat=score_to_beat,
            confidence_level=confidence_level,
            resamples=resamples,
            seed=seed,
        )
        rows.append({"control": control} | row)

    # Integers that may be missing; as floats they would be printed as 1.0.
    counts = ["by_score"]
    for name in ("prompts_needed", "pairs_needed"):
        counts += [name, f"{name}_low", f"{name}_high"]
    return pd.DataFrame(rows).astype(dict.fromkeys(counts, "Int64"))


def _score_control(
    prompts: pd.DataFrame,
    pairs: pd.DataFrame,
    looked_up: pd.DataFrame,
    *,
    score_to_beat: float,
    confidence_level: float,
    resamples: int,
    seed: int,
) -> dict[str, object]:
    """The row of one control in `score_lookups`, from the column `read` on.

    Args:
        prompts: The control's answers to the prompts of the data, indexed by prompt.
        pairs: The control's pairs (`_moves`).
        looked_up: The look-up's answers to the prompts of the data, indexed by prompt.
        score_to_beat: The look-up's share of right answers to the prompts of the data.
        confidence_level: The level of the intervals.
        resamples: The number of bootstrap resamples.
        seed: The seed of the bootstrap.
    """
    right = _is_right(prompts).mean()
    differs = prompts["answer"] != looked_up["answer"].loc[prompts.index]
    share_of_prompts = differs.mean()
    ends_of_prompts = _interval(
        differs,
        prompts["request"],
        confidence_level=confidence_level,
        resamples=resamples,
        seed=seed,
    )
    share_of_pairs = pairs["moves"].mean()
    ends_of_pairs = _interval(
        pairs["moves"],
        pairs["request"],
        confidence_level=confidence_level,
        resamples=resamples,
        seed=seed,
    )

    row: dict[str, object] = {
        "read": prompts["read"].iloc[0],
        "n": len(prompts),
        "right": right,
        "fixed": prompts["fixed"].mean(),
        "fixed_differs": differs[prompts["fixed"]].mean(),
    }
    row |= _with_ends("differs", share_of_prompts, ends_of_prompts)
    ends_of_two = Interval(_one_of_two(ends_of_prompts.low), _one_of_two(ends_of_prompts.high))
    row |= _with_ends("two_differ", _one_of_two(share_of_prompts), ends_of_two)
    row |= _needed_with_ends("prompts_needed", share_of_prompts, ends_of_prompts)
    row["by_score"] = needed_by_score(score_to_beat, right, significance=1 - confidence_level)
    row["n_pairs"] = len(pairs)
    row |= _with_ends("moves", share_of_pairs, ends_of_pairs)
    row |= _needed_with_ends("pairs_needed", share_of_pairs, ends_of_pairs)
    return row


def _with_ends(name: str, share: float, ends: Interval) -> dict[str, float]:
    """A share and the ends of its interval, as columns."""
    return {name: share, f"{name}_low": ends.low, f"{name}_high": ends.high}


def _needed_with_ends(name: str, share: float, ends: Interval) -> dict[str, int | None]:
    """The number of prompts that are needed if this share of them tells, with its ends, as columns.

    The larger the share, the fewer prompts are needed: the low end of the number comes from the
    high end of the share.
    """
    return {
        name: needed(share),
        f"{name}_low": needed(ends.high),
        f"{name}_high": needed(ends.low),
    }


def _is_right(prompts: pd.DataFrame) -> pd.Series:
    """Whether each prompt is answered with the wanted column."""
    return prompts["answer"] == prompts["wanted"]


def _moves(prompts: pd.DataFrame) -> pd.DataFrame:
    """A row per pair of one control: its request word, and whether its two answers differ."""
    clean = prompts[prompts["part"] == "clean"].set_index("prompt")
    corrupted = prompts[prompts["part"] == "corrupted"].set_index("prompt")
    differ = clean["answer"] != corrupted["answer"].loc[clean.index]
    return pd.DataFrame({"request": clean["request"], "moves": differ})


def _interval(
    happens: pd.Series, requests: pd.Series, *, confidence_level: float, resamples: int, seed: int
) -> Interval:
    """An interval of a share over request words: a control reads a word in all prompts or in none.

    It is a bootstrap interval that draws whole words. Where all prompts agree, a bootstrap interval
    would have no width; the interval is then Clopper and Pearson's for as many successes, or
    failures, as there are words.
    """
    values = happens.to_numpy(float)
    if values.min() == values.max():
        n_words = requests.nunique()
        return clopper_pearson(int(values[0]) * n_words, n_words, confidence_level)
    return bootstrap_mean(
        values, requests, resamples=resamples, seed=seed, confidence_level=confidence_level
    )


def _one_of_two(share: float) -> float:
    """The probability that of two prompts at least one tells, if a `share` of all prompts tells."""
    return 1 - (1 - share) ** 2


def needed(share: float) -> int | None:
    """How many prompts are needed so that at least one tells, if a `share` of all prompts tells.

    The smallest n with 1 - (1 - share)^n >= POWER; None if no prompt tells.
    """
    if share == 0:
        return None
    if share == 1:
        return 1
    return ceil(log(1 - POWER) / log(1 - share))


def needed_by_score(chance: float, right: float, *, significance: float) -> int | None:
    """The least number of prompts whose score shows that the probability `right` is above `chance`.

    The score is the number of right answers, and the test is the exact binomial one, one-sided. It
    rejects `chance` with a probability of at least `POWER`. None if that takes more than 10,000
    prompts, and if `right` is not above `chance`.
    """
    if right <= chance:
        return None
    n = np.arange(1, _MOST_PROMPTS + 1)
    # `isf` is the least k with P(X > k) <= significance, so the test rejects from k + 1 right
    # answers on.
    critical = stats.binom.isf(significance, n, chance) + 1
    power = stats.binom.sf(critical - 1, n, right)
    reached = np.flatnonzero(power >= POWER)
    return int(n[reached[0]]) if len(reached) else None
