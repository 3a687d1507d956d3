"""What the numbers that the symbolic-mechanistic paper prints imply, worked out from those numbers alone."""

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
from mechaware.instruments.grounding.summaries import REPORTED

READS = {
    "reported": "config/reported/grounding_rules.csv",
    "reported_accuracy": "config/reported/grounding_accuracy.csv",
}
PER_CATEGORY = 20  # pairs; Table 2
TAU = 0.4  # logits; R1 in the results
TEXT, TABLE = "Symbolic Mechanistic Results", "Table 2"
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

    parts = (_signed_gaps, _effects, _correlation, _pass_rates, _tests, _layers)
    return implied_table(
        [*(row for part in parts for row in part(printed)), _accuracy_gap(reported_accuracy)]
    )


def _signed_gaps(printed: Printed) -> Iterator[Implied]:
    """The share of pairs that R1 alone would pass with its sign, as the paper's results take it, and without.

    A mean of n pairs with the half width h of its 95% interval has sd = h sqrt(n) / 1.96; P(gap > tau) follows if
    gaps are normal. In models of known R1 they are far from it (the table grounding_models), so that these are words
    without a number.
    """
    n = PER_CATEGORY * len(CATEGORIES)
    for condition, label in CONDITIONS.items():
        mean, low, high = (
            printed(f"text_delta_{condition}", column=column) for column in ("value", "low", "high")
        )
        deviation = (high - low) / 2 * np.sqrt(n) / norm.ppf(0.975)
        signed = norm.sf(TAU, mean, deviation)
        passed, unsigned = (
            f"{100 * p:.1f}%" for p in (signed, signed + norm.cdf(-TAU, mean, deviation))
        )
        how = f"if gaps are normal, with the printed mean and interval, above {TAU}: no statement rests on this"
        printed_rate = f"{printed(f'pass_{condition}'):.0f}% after R3"
        quantity = f"pairs that pass signed R1 alone, {label}"
        yield Implied(quantity, printed_rate, passed, how, f"{TEXT}; {TABLE}")
        how = "the size of the same gaps, as the method takes it"
        yield Implied(
            f"pairs that pass R1 alone, {label}", printed_rate, unsigned, how, f"{TEXT}; {TABLE}"
        )


def _effects(printed: Printed) -> Iterator[Implied]:
    """The effect of training with schema on the gap, on which the paper's table and text disagree."""
    text, table = printed("text_effect"), printed("effect")
    mean = np.mean([printed("effect", category) for category in CATEGORIES])
    yield Implied(
        "overall effect, table",
        f"{table:+.2f}",
        f"{mean:+.3f}",
        "mean of the categories of Table 2",
        TABLE,
    )
    means = printed("text_delta_schema") - printed("text_delta_no_schema")
    how = f"difference of the two printed means; Table 2 says {table:+.2f}: they contradict each other"
    row = Implied("overall effect, text", f"{text:+.2f}", f"{means:+.2f}", how, TEXT)
    yield row.with_number(abs(text - table))
    remainder = len(CATEGORIES) * text
    for category in CATEGORIES:
        if category == LEFT_OUT:
            continue
        first, second = printed("text_effect", category), printed("effect", category)
        remainder -= first
        if first != second:
            texts = f"{first:+.2f} in the text, {second:+.2f} in Table 2"
            apart = abs(first - second)
            how, place = "the same quantity printed twice", f"{TEXT}; {TABLE}"
            quantity = f"effect, {CATEGORY_LABELS[category]}"
            row = Implied(quantity, texts, f"{apart:.2f} apart", how, place)
            yield row.with_number(apart)
    how = "what the text's overall effect leaves for it beside the text's other four"
    left_out = f"{printed('effect', LEFT_OUT):+.2f} in Table 2"
    yield Implied(f"effect, {CATEGORY_LABELS[LEFT_OUT]}", left_out, f"{remainder:+.2f}", how, TEXT)


def _correlation(printed: Printed) -> Iterator[Implied]:
    """The correlation of the two models' gaps over the same pairs, from the printed intervals.

    Var(a - b) = Var(a) + Var(b) - 2 r sd(a) sd(b), with half widths of intervals for standard deviations.
    """
    # Half-widths are proportional to standard deviations with the same factor, which cancels in r.
    effect, schema, no_schema = (
        (printed(f"text_{name}", column="high") - printed(f"text_{name}", column="low")) / 2
        for name in ("effect", "delta_schema", "delta_no_schema")
    )
    correlation = (schema**2 + no_schema**2 - effect**2) / (2 * schema * no_schema)
    how = (
        "from the widths of the three printed intervals, taken as normal intervals of paired means"
    )
    yield Implied(
        "correlation of the two models' gaps", "not printed", f"{correlation:.2f}", how, TEXT
    )


def _pass_rates(printed: Printed) -> Iterator[Implied]:
    for condition, label in CONDITIONS.items():
        mean = np.mean([printed(f"pass_{condition}", category) for category in CATEGORIES])
        passed, n = round(printed(f"pass_{condition}")), PER_CATEGORY * len(CATEGORIES)
        implied = f"{mean:.0f}%; {exact_interval(passed, n)}"
        how = f"mean of the categories of Table 2; Clopper-Pearson, 95%, {passed} of 100"
        row = Implied(f"pass rate, {label}", f"{passed}%", implied, how, TABLE)
        yield row.with_number(passed / n, clopper_pearson(passed, n), n)


def _tests(printed: Printed) -> Iterator[Implied]:
    """Tests of the difference between the two models' printed pass rates, which are of the same pairs."""
    how = (
        "sign test of the pairs in which one of the two models passes, for every overlap of the counts; "
        "they are of one model a condition"
    )
    for category in (*CATEGORIES, "overall"):
        n = PER_CATEGORY * (len(CATEGORIES) if category == "overall" else 1)
        passed = [
            round(printed(f"pass_{condition}", category) * n / 100) for condition in CONDITIONS
        ]
        first, second = passed
        paired = paired_difference(first, second, n)

        text = f"{first} against {second} of {n}"
        quantity = f"pass rates, {CATEGORY_LABELS[category]}"
        row = Implied(quantity, text, f"p at most {paired.p:.3f}", how, TABLE)
        yield row.with_number((first - second) / n, paired.interval, n)


def _layers(printed: Printed) -> Iterator[Implied]:
    for quantity, condition, counted in (
        ("layers_0_to_2", "schema", "best layer is 0 to 2, with schema"),
        (
            "most_common_layer_no_schema",
            "no_schema",
            "best layer is the most common one, no schema",
        ),
    ):
        percent, passing = round(printed(quantity)), round(printed(f"pass_{condition}"))
        counts = [
            str(count) for count in range(passing + 1) if round(100 * count / passing) == percent
        ]
        implied = f"{' or '.join(counts)} of {passing}"
        yield Implied(counted, f"{percent}%", implied, "the counts that are printed so", TEXT)
    yield Implied(
        "recovery by a patch before the first block",
        "not printed",
        "100% in every pair of every model",
        "the prompts differ in that token alone, so the patch makes them equal: R2 follows from R1 there",
        "Activation Patching Protocol",
    )


def _accuracy_gap(accuracy: pd.DataFrame) -> Implied:
    percent = accuracy.set_index(["metric", "trained_with", "evaluated_with"])["percent"]
    field, exact = (
        percent.loc[(metric, "schema", "schema")] - percent.loc[(metric, "no_schema", "no_schema")]
        for metric in ("field_accuracy", "exact_match")
    )
    return Implied(
        "gap between the models in standard accuracy",
        "5 points",
        f"{field:.1f} points of field accuracy, {exact:.1f} of exact match",
        "Table 1: by exact match the models differ by more than the 17 points of their pass rates",
        "Discussion; Table 1",
    )
