"""Whether answers follow the passage of their prompt: accuracies, their comparison, and the status.

Each item is answered under three conditions: with its own passage (`own`), with another item's
(`exchanged`) and without one (`none`). `decide` is the main function.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float
from scipy import stats

from mechaware.core.levels import significance_at
from mechaware.core.stats.intervals import (
    Interval,
    clopper_pearson,
    jackknife_over_groups,
    mean_over_groups,
    proportion_over_groups,
)

Status = Literal["follows", "not shown", "cannot tell"]
# By condition.
LABELS = {"own": "its own passage", "exchanged": "another item's passage", "none": "no passage"}


class Accuracy(NamedTuple):
    """The mean mark of `n` items, 0 to 1, with its interval.

    `prompt` is a condition, or `logged` for the marks of the log.
    """

    prompt: str
    n: int
    value: float
    low: float
    high: float


class Comparison(NamedTuple):
    """A comparison of the items' marks under `own` and under another condition, `prompt`.

    - `gained`: the number of items that are right only with their own passage.
    - `lost`: the number of items that are right only in the other condition.
    - `p`: the two-sided p-value of the exact sign test over passages. Under the null hypothesis, a
      passage whose items gain more than they lose is as likely as the reverse. With one item per
      passage this is McNemar's exact test.
    - `remaining`: the accuracy in the other condition divided by the accuracy with the own passage;
      None if no item is right with its own passage.
    - `low`, `high`: the jackknife interval of `remaining` over passages; None where it is not
      defined.
    """

    prompt: str
    gained: int
    lost: int
    p: float
    remaining: float | None
    low: float | None
    high: float | None


class Decision(NamedTuple):
    """The status, the reason for it in a sentence, and the numbers from which it follows.

    - `accuracies`: first the accuracy of the logged marks, if the log has marks and all of them are
      from 0 to 1; then one accuracy for each condition.
    - `comparisons`: `own` with `exchanged`, then `own` with `none`.
    - `follows`: 1 - `remaining` for the exchanged passages; None if no item is right with its own
      passage.
    - `logged_p`: the p-value of the sign test of the logged marks against the marks under `own`;
      None if the logged marks have no accuracy.
    """

    status: Status
    reason: str
    accuracies: list[Accuracy]
    comparisons: list[Comparison]
    follows: float | None
    logged_p: float | None


def decide(answers: pd.DataFrame, confidence_level: float) -> Decision:
    """The decision on a table of answers, with intervals of `confidence_level`, such as 0.95.

    `answers` has a row for each item and condition (`answering.answer_questions`). The status is
    the first of these that holds:

    - *cannot tell*: no item is right with its own passage.
    - *follows*: more items are right with their own passage than with another item's, with p of at
      most 1 - `confidence_level`.
    - *not shown*: otherwise.
    """
    items = answers.drop_duplicates("id").set_index("id")
    passages = items["passage"].astype(str).to_numpy()
    right = answers.pivot(index="id", columns="condition", values="right").loc[items.index]
    marks = {condition: right[condition].to_numpy(dtype=bool) for condition in LABELS}

    by_condition = {}
    for condition, marks_of_condition in marks.items():
        by_condition[condition] = _accuracy(
            condition, marks_of_condition, passages, confidence_level
        )
    accuracies = list(by_condition.values())

    logged = items["logged"].to_numpy(dtype=float)
    is_logged = ~np.isnan(logged)
    logged_marks = logged[is_logged]
    logged_p = None
    if len(logged_marks) and ((logged_marks >= 0) & (logged_marks <= 1)).all():
        logged_passages = passages[is_logged]
        accuracies.insert(0, _accuracy("logged", logged_marks, logged_passages, confidence_level))
        logged_p = sign_test(logged_marks - marks["own"][is_logged], logged_passages)

    to_exchanged = compare(
        "exchanged", marks["own"], marks["exchanged"], passages, confidence_level
    )
    to_none = compare("none", marks["own"], marks["none"], passages, confidence_level)
    status, reason = _conclude(by_condition, to_exchanged, to_none, confidence_level)
    follows = None if to_exchanged.remaining is None else 1 - to_exchanged.remaining
    return Decision(
        status=status,
        reason=reason,
        accuracies=accuracies,
        comparisons=[to_exchanged, to_none],
        follows=follows,
        logged_p=logged_p,
    )


def compare(
    prompt: str,
    own: Bool[np.ndarray, " item"],
    other: Bool[np.ndarray, " item"],
    passages: np.ndarray,
    confidence_level: float,
) -> Comparison:
    """Compare the marks of items with their own passage and under the condition `prompt`.

    `own` is whether each item is right with its own passage, `other` whether it is right under
    that condition, and `passages` names each item's own passage.
    """

    def remaining_share(kept: Bool[np.ndarray, " item"]) -> float:
        """right(other) / right(own) among the kept items; NaN if none is right with its passage."""
        n_own = own[kept].sum()
        return float(other[kept].sum() / n_own) if n_own else float("nan")

    remaining = None
    low = None
    high = None
    if own.any():
        all_items = np.ones(len(own), dtype=bool)
        remaining = remaining_share(all_items)
        interval = jackknife_over_groups(remaining_share, passages, confidence_level)
        if interval is not None:
            low = max(0.0, interval.low)
            high = interval.high
    return Comparison(
        prompt=prompt,
        gained=int((own & ~other).sum()),
        lost=int((other & ~own).sum()),
        p=sign_test(own.astype(float) - other, passages),
        remaining=remaining,
        low=low,
        high=high,
    )


def sign_test(difference: Float[np.ndarray, " item"], passages: np.ndarray) -> float:
    """The two-sided p-value of the exact sign test over passages.

    The differences of a passage's items are summed, and the test counts the positive and the
    negative sums. A sum of 0 does not count; p is 1 if no sum counts.
    """
    # Rounded, so that differences such as -0.3, 0.1 and 0.2 sum to 0.
    sums = pd.Series(difference).groupby(passages).sum().round(9)
    above = int((sums > 0).sum())
    below = int((sums < 0).sum())
    if above + below == 0:
        return 1.0
    return float(stats.binomtest(above, above + below).pvalue)


def _accuracy(
    prompt: str,
    marks: Float[np.ndarray, " item"] | Bool[np.ndarray, " item"],
    passages: np.ndarray,
    confidence_level: float,
) -> Accuracy:
    """The mean of the marks, with its interval.

    The interval is exact if no two items share a passage and all marks are 0 or 1; otherwise
    passages are its groups. It is 0 to 1 if there are fewer passages than an interval over groups
    needs, as in a log that marks few items.
    """
    one_item_per_passage = len(set(passages)) == len(passages)
    right_or_wrong = np.isin(marks, (0, 1)).all()
    interval: Interval | None
    if right_or_wrong and one_item_per_passage:
        interval = clopper_pearson(int(marks.sum()), len(marks), confidence_level)
    elif right_or_wrong:
        interval = proportion_over_groups(marks.astype(bool), passages, confidence_level)
    else:
        interval = mean_over_groups(marks, passages, confidence_level)
    ends = interval or Interval(0.0, 1.0)
    return Accuracy(
        prompt=prompt,
        n=len(marks),
        value=float(marks.mean()),
        low=max(0.0, ends.low),
        high=min(1.0, ends.high),
    )


def _conclude(
    by_condition: Mapping[str, Accuracy],
    to_exchanged: Comparison,
    to_none: Comparison,
    confidence_level: float,
) -> tuple[Status, str]:
    """Status and reason (`decide`), from the accuracies by condition and the two comparisons."""
    own = by_condition["own"]
    exchanged = by_condition["exchanged"]
    if to_exchanged.remaining is None or to_none.remaining is None:
        no_score = "there is no score that could follow it"
        return (
            "cannot tell",
            f"none of {own.n} items is right with its own passage, so that {no_score}",
        )

    numbers = (
        f"{_share(own)} of {own.n} items are right with their own passage, "
        f"{_share(exchanged)} with another item's and {_share(by_condition['none'])} without one"
    )
    test = (
        f"{to_exchanged.gained} items only with their own, "
        f"{to_exchanged.lost} only with another's, p = {_p(to_exchanged.p)}"
    )
    without = f"{to_none.remaining:.0%} remains without a passage"
    if to_exchanged.p <= significance_at(confidence_level) and own.value > exchanged.value:
        follows = f"{1 - to_exchanged.remaining:.0%} of the score follows the passage"
        return "follows", f"{follows}: {numbers} ({test}); {without}"
    not_shown = "it is not shown that the score follows the passage"
    return "not shown", f"{not_shown}: {numbers} ({test}); {without}"


def page_values(answers: list[Mapping[str, Any]]) -> dict[str, Any]:
    """The names that the template of the page uses, from the rows of the table of answers.

    - labels: a text for each `prompt` of an accuracy
    - asked: for each item its `id`, and under each condition its row
    """
    items: dict[str, dict[str, Any]] = {}
    for row in answers:
        item = items.setdefault(row["id"], {"id": row["id"]})
        item[row["condition"]] = row
    return {"labels": {"logged": "as logged", **LABELS}, "asked": list(items.values())}


def _share(accuracy: Accuracy) -> str:
    """An accuracy with its interval, in percent, as text."""
    return f"{accuracy.value:.0%} ({accuracy.low:.0%} to {accuracy.high:.0%})"


def _p(p: float) -> str:
    """A p-value as text, with two significant digits."""
    return "less than 0.001" if p < 0.001 else f"{p:.2g}"
