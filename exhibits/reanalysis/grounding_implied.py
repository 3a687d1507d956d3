"""What the numbers that the symbolic-mechanistic paper prints imply, derived from nothing but those numbers."""

from collections.abc import Callable, Iterator
from typing import Annotated

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
from mechaware.core.stats import clopper_pearson
from mechaware.instruments.grounding.names import CATEGORIES, CATEGORY_LABELS, CONDITIONS
from mechaware.instruments.grounding.training_conditions import REPORTED

READS = {
    "reported": "config/reported/grounding_rules.csv",
    "reported_accuracy": "config/reported/grounding_accuracy.csv",
}
PER_CATEGORY = 20  # pairs; Table 2
TAU = 0.4  # logits; R1 in the results
TEXT = "Symbolic Mechanistic Results"
TABLE = "Table 2"
LEFT_OUT = "db_scramble"  # the category whose effect the text does not print

Printed = Callable[..., float]  # a quantity of a category; `column` is value, low or high


def fill(
    *,
    reported: Annotated[pd.DataFrame, REPORTED],
    reported_accuracy: Annotated[pd.DataFrame, REPORTED],
) -> Table:
    """One row per printed quantity: what is printed, what it implies, how that follows, and where it is printed."""
    by_name = reported.set_index(["quantity", "category"])

    def printed(quantity: str, category: str = "overall", column: str = "value") -> float:
        return float(by_name[column].loc[(quantity, category)])

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
    """The share of pairs that pass R1 alone: by the signed gap, as in the paper's results, and by the gap's size.

    If the mean of n pairs has a 95% interval of half width h, the gaps have sd = h sqrt(n) / 1.96; if they are normal,
    P(gap > tau) follows. In models of known R1 gaps are far from normal (the table grounding_models), so these rows
    have words and no number.
    """
    n = PER_CATEGORY * len(CATEGORIES)
    for condition, label in CONDITIONS.items():
        gap = f"text_delta_{condition}"
        mean = printed(gap)
        half_width = _half_width(printed, gap)
        deviation = half_width * np.sqrt(n) / norm.ppf(0.975)
        above = norm.sf(TAU, mean, deviation)
        below = norm.cdf(-TAU, mean, deviation)

        pass_rate = f"{printed(f'pass_{condition}'):.0f}% after R3"
        yield Implied(
            quantity=f"pairs that pass signed R1 alone, {label}",
            printed=pass_rate,
            implied=f"{100 * above:.1f}%",
            how=f"if gaps are normal, with the printed mean and interval, above {TAU}: no statement rests on this",
            place=f"{TEXT}; {TABLE}",
        )
        yield Implied(
            quantity=f"pairs that pass R1 alone, {label}",
            printed=pass_rate,
            implied=f"{100 * (above + below):.1f}%",
            how="the size of the same gaps, as the method takes it",
            place=f"{TEXT}; {TABLE}",
        )


def _half_width(printed: Printed, quantity: str) -> float:
    """Half the width of a printed interval."""
    return (printed(quantity, column="high") - printed(quantity, column="low")) / 2


def _effects(printed: Printed) -> Iterator[Implied]:
    """The effect of training with schema on the gap, on which the paper's table and text disagree."""
    in_text = printed("text_effect")
    in_table = printed("effect")
    mean_of_categories = np.mean([printed("effect", category) for category in CATEGORIES])
    yield Implied(
        quantity="overall effect, table",
        printed=f"{in_table:+.2f}",
        implied=f"{mean_of_categories:+.3f}",
        how="mean of the categories of Table 2",
        place=TABLE,
    )

    difference_of_means = printed("text_delta_schema") - printed("text_delta_no_schema")
    contradiction = f"Table 2 says {in_table:+.2f}: they contradict each other"
    overall = Implied(
        quantity="overall effect, text",
        printed=f"{in_text:+.2f}",
        implied=f"{difference_of_means:+.2f}",
        how=f"difference of the two printed means; {contradiction}",
        place=TEXT,
    )
    yield overall.with_number(abs(in_text - in_table))

    # The text prints the effects of all categories but one.
    remainder = len(CATEGORIES) * in_text
    for category in CATEGORIES:
        if category == LEFT_OUT:
            continue
        of_text = printed("text_effect", category)
        of_table = printed("effect", category)
        remainder -= of_text
        if of_text != of_table:
            apart = abs(of_text - of_table)
            twice = Implied(
                quantity=f"effect, {CATEGORY_LABELS[category]}",
                printed=f"{of_text:+.2f} in the text, {of_table:+.2f} in Table 2",
                implied=f"{apart:.2f} apart",
                how="the same quantity printed twice",
                place=f"{TEXT}; {TABLE}",
            )
            yield twice.with_number(apart)
    yield Implied(
        quantity=f"effect, {CATEGORY_LABELS[LEFT_OUT]}",
        printed=f"{printed('effect', LEFT_OUT):+.2f} in Table 2",
        implied=f"{remainder:+.2f}",
        how="what the text's overall effect leaves for it beside the text's other four",
        place=TEXT,
    )


def _correlation(printed: Printed) -> Implied:
    """The correlation of the two models' gaps over the same pairs, from the printed intervals.

    Var(a - b) = Var(a) + Var(b) - 2 r sd(a) sd(b). Half widths of intervals replace the standard deviations: they are
    proportional with the same factor, which cancels in r.
    """
    effect = _half_width(printed, "text_effect")
    schema = _half_width(printed, "text_delta_schema")
    no_schema = _half_width(printed, "text_delta_no_schema")
    correlation = (schema**2 + no_schema**2 - effect**2) / (2 * schema * no_schema)
    return Implied(
        quantity="correlation of the two models' gaps",
        printed="not printed",
        implied=f"{correlation:.2f}",
        how="from the widths of the three printed intervals, taken as normal intervals of paired means",
        place=TEXT,
    )


def _pass_rates(printed: Printed) -> Iterator[Implied]:
    """The printed pass rates and the mean of the categories, with the intervals that are not printed."""
    n = PER_CATEGORY * len(CATEGORIES)
    for condition, label in CONDITIONS.items():
        rate = f"pass_{condition}"
        mean = np.mean([printed(rate, category) for category in CATEGORIES])
        passed = round(printed(rate))
        row = Implied(
            quantity=f"pass rate, {label}",
            printed=f"{passed}%",
            implied=f"{mean:.0f}%; {exact_interval(passed, n)}",
            how=f"mean of the categories of Table 2; Clopper-Pearson, 95%, {passed} of {n}",
            place=TABLE,
        )
        yield row.with_number(passed / n, clopper_pearson(passed, n), n)


def _tests(printed: Printed) -> Iterator[Implied]:
    """Tests of the difference between the two models' printed pass rates, which are of the same pairs."""
    how = (
        "sign test of the pairs in which one of the two models passes, for every overlap of the counts; "
        "they are of one model a condition"
    )
    n_pairs = dict.fromkeys(CATEGORIES, PER_CATEGORY)
    n_pairs["overall"] = PER_CATEGORY * len(CATEGORIES)
    for category, n in n_pairs.items():
        with_schema = round(printed("pass_schema", category) * n / 100)
        without = round(printed("pass_no_schema", category) * n / 100)
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
    """The counts of pairs behind the printed shares of best layers; the shares are of the pairs that pass."""
    yield _best_layer(
        "best layer is 0 to 2, with schema",
        percent=round(printed("layers_0_to_2")),
        n_passing=round(printed("pass_schema")),
    )
    yield _best_layer(
        "best layer is the most common one, no schema",
        percent=round(printed("most_common_layer_no_schema")),
        n_passing=round(printed("pass_no_schema")),
    )
    yield Implied(
        quantity="recovery by a patch before the first block",
        printed="not printed",
        implied="100% in every pair of every model",
        how="the prompts differ in that token alone, so the patch makes them equal: R2 follows from R1 there",
        place="Activation Patching Protocol",
    )


def _best_layer(quantity: str, *, percent: int, n_passing: int) -> Implied:
    """The numbers of passing pairs that are printed as `percent`."""
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
    """How far the two models differ in standard accuracy, each on the prompts that it was trained for."""
    percent = accuracy.set_index(["metric", "trained_with", "evaluated_with"])["percent"]
    with_schema = percent.xs(("schema", "schema"), level=("trained_with", "evaluated_with"))
    without = percent.xs(("no_schema", "no_schema"), level=("trained_with", "evaluated_with"))
    gap = with_schema - without
    return Implied(
        quantity="gap between the models in standard accuracy",
        printed="5 points",
        implied=f"{gap['field_accuracy']:.1f} points of field accuracy, {gap['exact_match']:.1f} of exact match",
        how="Table 1: by exact match the models differ by more than the 17 points of their pass rates",
        place="Discussion; Table 1",
    )
