"""What the numbers that the symbolic-mechanistic paper prints imply, from these numbers alone.

The paper trains two models, one with and one without the schema in its prompts, and evaluates both
on the same pairs of prompts. A pair's gap is the change of a logit difference between its two
prompts. R1 to R3 are the paper's rules; a pair that passes R3 passes all of them
(`instruments.grounding.rules.paper`).
"""

from collections.abc import Iterator
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

from exhibits.reanalysis.implied import (
    Implied,
    exact_interval,
    implied_table,
    paired_difference,
)
from exhibits.report.tables import Table
from mechaware.core.stats.intervals import clopper_pearson
from mechaware.instruments.grounding.names import CATEGORIES, CATEGORY_LABELS, CONDITIONS
from mechaware.instruments.grounding.training_conditions import REPORTED

READS = {
    "reported": "config/reported/grounding_rules.csv",
    "reported_accuracy": "config/reported/grounding_accuracy.csv",
}
PER_CATEGORY = 20  # pairs; Table 2
# 100, so that a printed percentage of all pairs is also the number of pairs.
N_PAIRS = PER_CATEGORY * len(CATEGORIES)
TAU = 0.4  # logits: the least gap that passes R1, as in the paper's results
TEXT = "Symbolic Mechanistic Results"
TABLE = "Table 2"
LEFT_OUT = "db_scramble"  # the category whose effect the text does not print


class Printed(NamedTuple):
    """The numbers that the paper prints; the table is indexed by quantity and category."""

    table: pd.DataFrame

    def number(self, quantity: str, category: str = "overall", column: str = "value") -> float:
        """A printed value, or the end `low` or `high` of its printed interval."""
        return float(self.table[column].loc[(quantity, category)])

    def half_width(self, quantity: str) -> float:
        """Half the width of the printed interval of a quantity over all categories."""
        high = self.number(quantity, column="high")
        low = self.number(quantity, column="low")
        return (high - low) / 2


def fill(
    *,
    reported: Annotated[pd.DataFrame, REPORTED],
    reported_accuracy: Annotated[pd.DataFrame, REPORTED],
) -> Table:
    """One row per printed quantity: what is printed, what it implies and how, and its place."""
    printed = Printed(reported.set_index(["quantity", "category"]))
    rows: list[Implied] = []
    rows += _signed_gaps(printed)
    rows += _effects(printed)
    rows.append(_correlation(printed))
    rows += _pass_rates(printed)
    rows += _tests(printed)
    rows += _layers(printed)
    rows.append(_accuracy_gap(reported_accuracy))
    return implied_table(rows)


def _signed_gaps(printed: Printed) -> Iterator[Implied]:
    """The share of pairs that pass R1 alone: with the signed gap, and with the gap's size.

    The paper's results use the signed gap, its method the size. If the mean of n pairs has a 95%
    interval of half width h, the gaps have the standard deviation h sqrt(n) / 1.96. If they are
    normal, P(gap > tau) follows. In models whose share of R1 is known, gaps are far from normal
    (the table grounding_models), so these rows have words and no number.
    """
    for condition, label in CONDITIONS.items():
        gap = f"text_delta_{condition}"
        mean = printed.number(gap)
        deviation = printed.half_width(gap) * np.sqrt(N_PAIRS) / norm.ppf(0.975)
        above = norm.sf(TAU, loc=mean, scale=deviation)
        below = norm.cdf(-TAU, loc=mean, scale=deviation)

        pass_rate = f"{printed.number(f'pass_{condition}'):.0f}% after R3"
        yield Implied(
            quantity=f"pairs that pass signed R1 alone, {label}",
            printed=pass_rate,
            implied=f"{100 * above:.1f}%",
            how=f"if gaps are normal, with the printed mean and interval, above {TAU}: "
            "no statement rests on this",
            place=f"{TEXT}; {TABLE}",
        )
        yield Implied(
            quantity=f"pairs that pass R1 alone, {label}",
            printed=pass_rate,
            implied=f"{100 * (above + below):.1f}%",
            how="the size of the same gaps, as the method takes it",
            place=f"{TEXT}; {TABLE}",
        )


def _effects(printed: Printed) -> Iterator[Implied]:
    """How much larger the mean gap is after training with the schema; table and text disagree."""
    overall_in_text = printed.number("text_effect")
    overall_in_table = printed.number("effect")
    mean_of_categories = np.mean([printed.number("effect", category) for category in CATEGORIES])
    yield Implied(
        quantity="overall effect, table",
        printed=f"{overall_in_table:+.2f}",
        implied=f"{mean_of_categories:+.3f}",
        how="mean of the categories of Table 2",
        place=TABLE,
    )

    mean_schema = printed.number("text_delta_schema")
    mean_no_schema = printed.number("text_delta_no_schema")
    contradiction = f"Table 2 says {overall_in_table:+.2f}: they contradict each other"
    overall = Implied(
        quantity="overall effect, text",
        printed=f"{overall_in_text:+.2f}",
        implied=f"{mean_schema - mean_no_schema:+.2f}",
        how=f"difference of the two printed means; {contradiction}",
        place=TEXT,
    )
    yield overall.with_number(abs(overall_in_text - overall_in_table))

    # The text prints the effects of all categories but one. The overall effect is the mean over
    # the five categories, so what remains of their sum is the effect of that one.
    remainder = len(CATEGORIES) * overall_in_text
    for category in CATEGORIES:
        if category == LEFT_OUT:
            continue
        in_text = printed.number("text_effect", category)
        in_table = printed.number("effect", category)
        remainder -= in_text
        if in_text != in_table:
            apart = abs(in_text - in_table)
            contradicting = Implied(
                quantity=f"effect, {CATEGORY_LABELS[category]}",
                printed=f"{in_text:+.2f} in the text, {in_table:+.2f} in Table 2",
                implied=f"{apart:.2f} apart",
                how="the same quantity printed twice",
                place=f"{TEXT}; {TABLE}",
            )
            yield contradicting.with_number(apart)
    yield Implied(
        quantity=f"effect, {CATEGORY_LABELS[LEFT_OUT]}",
        printed=f"{printed.number('effect', LEFT_OUT):+.2f} in Table 2",
        implied=f"{remainder:+.2f}",
        how="what the text's overall effect leaves for it beside the text's other four",
        place=TEXT,
    )


def _correlation(printed: Printed) -> Implied:
    """The correlation r of the two models' gaps over the same pairs, from the printed intervals.

    For the gaps a with and b without schema, the effect is a - b, and
    Var(a - b) = Var(a) + Var(b) - 2 r sd(a) sd(b). Half widths of intervals replace the standard
    deviations: they are proportional with the same factor, which cancels in r.
    """
    effect = printed.half_width("text_effect")
    schema = printed.half_width("text_delta_schema")
    no_schema = printed.half_width("text_delta_no_schema")
    correlation = (schema**2 + no_schema**2 - effect**2) / (2 * schema * no_schema)
    return Implied(
        quantity="correlation of the two models' gaps",
        printed="not printed",
        implied=f"{correlation:.2f}",
        how="from the widths of the three printed intervals, "
        "taken as normal intervals of paired means",
        place=TEXT,
    )


def _pass_rates(printed: Printed) -> Iterator[Implied]:
    """The printed pass rates beside the means of the categories, with intervals.

    The paper prints no intervals of these. `n_passing` is the printed percentage (`N_PAIRS`).
    """
    for condition, label in CONDITIONS.items():
        rate = f"pass_{condition}"
        mean = np.mean([printed.number(rate, category) for category in CATEGORIES])
        n_passing = round(printed.number(rate))
        row = Implied(
            quantity=f"pass rate, {label}",
            printed=f"{n_passing}%",
            implied=f"{mean:.0f}%; {exact_interval(n_passing, N_PAIRS)}",
            how="mean of the categories of Table 2; "
            f"Clopper-Pearson, 95%, {n_passing} of {N_PAIRS}",
            place=TABLE,
        )
        interval = clopper_pearson(n_passing, N_PAIRS)
        yield row.with_number(n_passing / N_PAIRS, interval, N_PAIRS)


def _tests(printed: Printed) -> Iterator[Implied]:
    """Tests of the difference between the two models' pass rates, over the same pairs."""
    how = (
        "sign test of the pairs in which one of the two models passes, "
        "for every overlap of the counts; they are of one model a condition"
    )
    n_pairs = dict.fromkeys(CATEGORIES, PER_CATEGORY)
    n_pairs["overall"] = N_PAIRS
    for category, n in n_pairs.items():
        with_schema = round(printed.number("pass_schema", category) * n / 100)
        without = round(printed.number("pass_no_schema", category) * n / 100)
        paired = paired_difference(with_schema, without, n)
        row = Implied(
            quantity=f"pass rates, {CATEGORY_LABELS[category]}",
            printed=f"{with_schema} against {without} of {n}",
            implied=f"p at most {paired.p:.3f}",
            how=how,
            place=TABLE,
        )
        yield row.with_number((with_schema - without) / n, paired.interval, n)


def _layers(printed: Printed) -> Iterator[Implied]:
    """The numbers of pairs behind the printed percentages of best layers, and a note on R2.

    A percentage is of the passing pairs, whose number is the printed pass rate (`N_PAIRS`).
    """
    yield _best_layer(
        "best layer is 0 to 2, with schema",
        percent=round(printed.number("layers_0_to_2")),
        n_passing=round(printed.number("pass_schema")),
    )
    yield _best_layer(
        "best layer is the most common one, no schema",
        percent=round(printed.number("most_common_layer_no_schema")),
        n_passing=round(printed.number("pass_no_schema")),
    )
    yield Implied(
        quantity="recovery by a patch before the first block",
        printed="not printed",
        implied="100% in every pair of every model",
        how="the prompts differ in that token alone, so the patch makes them equal: "
        "R2 follows from R1 there",
        place="Activation Patching Protocol",
    )


def _best_layer(quantity: str, *, percent: int, n_passing: int) -> Implied:
    """Each number of pairs whose share of the `n_passing` pairs rounds to `percent`."""
    counts = []
    for count in range(n_passing + 1):
        if round(100 * count / n_passing) == percent:
            counts.append(str(count))
    return Implied(
        quantity=quantity,
        printed=f"{percent}%",
        implied=f"{' or '.join(counts)} of {n_passing}",
        how="the counts that are printed so",
        place=TEXT,
    )


def _accuracy_gap(accuracy: pd.DataFrame) -> Implied:
    """How far the two models differ in standard accuracy, each on prompts as in its training."""
    percent = accuracy.set_index(["metric", "trained_with", "evaluated_with"])["percent"]
    with_schema = percent.xs(("schema", "schema"), level=("trained_with", "evaluated_with"))
    without = percent.xs(("no_schema", "no_schema"), level=("trained_with", "evaluated_with"))
    gap = with_schema - without
    return Implied(
        quantity="gap between the models in standard accuracy",
        printed="5 points",
        implied=f"{gap['field_accuracy']:.1f} points of field accuracy, "
        f"{gap['exact_match']:.1f} of exact match",
        how="Table 1: "
        "by exact match the models differ by more than the 17 points of their pass rates",
        place="Discussion; Table 1",
    )
