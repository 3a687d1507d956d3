"""What the printed numbers of the symbolic-mechanistic paper imply, derived from these numbers alone."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from scipy.stats import fisher_exact

from mechaware.grounding.names import CATEGORIES, CATEGORY_LABELS, CONDITIONS
from mechaware.report.implied import Implied
from mechaware.stats import clopper_pearson

PER_CATEGORY = 20  # pairs; Table 2
TEXT, TABLE = "Symbolic Mechanistic Results", "Table 2"


Printed = Callable[..., float]  # a quantity of a category; `column` is value, low or high


def implied_numbers(reported: pd.DataFrame, accuracy: pd.DataFrame) -> pd.DataFrame:
    """The table quantity | printed | implied | how | place, from config/reported/grounding_{rules,accuracy}.csv."""
    by_name = reported.set_index(["quantity", "category"])

    def printed(quantity: str, category: str = "overall", column: str = "value") -> float:
        return float(by_name[column].loc[(quantity, category)])

    parts = [_effects(printed), _spread(printed), _pass_rates(printed), _tests(printed), _layers(printed)]
    return pd.DataFrame([row for part in parts for row in part] + [_accuracy_gap(accuracy)])


def _effects(printed: Printed) -> list[Implied]:
    """The effect of training with schema on the gap, on which the paper's table and text disagree."""
    mean = np.mean([printed("effect", category) for category in CATEGORIES])
    text, table = printed("text_effect"), printed("effect")
    means = printed("text_delta_schema") - printed("text_delta_no_schema")
    stated = [category for category in CATEGORIES if category != "db_scramble"]
    rest = len(CATEGORIES) * text - sum(printed("text_effect", category) for category in stated)
    twice = [
        Implied(
            f"effect, {CATEGORY_LABELS[category]}",
            f"{printed('text_effect', category):+.2f} in the text, {printed('effect', category):+.2f} in Table 2",
            f"{abs(printed('text_effect', category) - printed('effect', category)):.2f} apart",
            "the same quantity printed twice",
            f"{TEXT}; {TABLE}",
        )
        for category in stated
        if printed("text_effect", category) != printed("effect", category)
    ]
    return [
        Implied("overall effect, table", f"{table:+.2f}", f"{mean:+.3f}", "mean of the categories of Table 2", TABLE),
        Implied(
            "overall effect, text",
            f"{text:+.2f}",
            f"{means:+.2f}",
            f"difference of the two printed means; Table 2 says {table:+.2f}: they contradict each other",
            TEXT,
        ),
        *twice,
        Implied(
            f"effect, {CATEGORY_LABELS['db_scramble']}",
            f"{printed('effect', 'db_scramble'):+.2f} in Table 2",
            f"{rest:+.2f}",
            "what the text's overall effect leaves for it beside the text's other four",
            TEXT,
        ),
    ]


def _spread(printed: Printed) -> list[Implied]:
    """The correlation of the two models' gaps over the same pairs, from the printed intervals."""
    half = {
        name: (printed(f"text_{name}", column="high") - printed(f"text_{name}", column="low")) / 2
        for name in ("effect", "delta_schema", "delta_no_schema")
    }
    both = half["delta_schema"] ** 2 + half["delta_no_schema"] ** 2
    correlation = (both - half["effect"] ** 2) / (2 * half["delta_schema"] * half["delta_no_schema"])
    return [
        Implied(
            "correlation of the two models' gaps",
            "not printed",
            f"{correlation:.2f}",
            "from the widths of the three printed intervals, taken as normal intervals of paired means",
            TEXT,
        )
    ]


def _pass_rates(printed: Printed) -> list[Implied]:
    rows = []
    for condition, label in CONDITIONS.items():
        mean = np.mean([printed(f"pass_{condition}", category) for category in CATEGORIES])
        passed = round(printed(f"pass_{condition}"))
        interval = clopper_pearson(passed, PER_CATEGORY * len(CATEGORIES))
        rows.append(
            Implied(
                f"pass rate, {label}",
                f"{passed}%",
                f"{mean:.0f}%; {100 * interval.low:.1f}% to {100 * interval.high:.1f}%",
                f"mean of the categories of Table 2; Clopper-Pearson, 95%, {passed} of 100",
                TABLE,
            )
        )
    return rows


def _tests(printed: Printed) -> list[Implied]:
    """Tests of the difference between the two models' printed pass rates."""
    rows = []
    for category in (*CATEGORIES, "overall"):
        n = PER_CATEGORY * (len(CATEGORIES) if category == "overall" else 1)
        passed = [round(printed(f"pass_{condition}", category) * n / 100) for condition in CONDITIONS]
        p = fisher_exact(np.array([[count, n - count] for count in passed])).pvalue
        rows.append(
            Implied(
                f"pass rates, {CATEGORY_LABELS[category]}",
                f"{passed[0]} against {passed[1]} of {n}",
                f"p = {p:.3f}",
                "Fisher's exact test, two-sided; the joint counts that a paired test needs are not printed",
                TABLE,
            )
        )
    return rows


def _layers(printed: Printed) -> list[Implied]:
    rows = []
    for quantity, condition, what in (
        ("layers_0_to_2", "schema", "best layer is 0 to 2, with schema"),
        ("most_common_layer_no_schema", "no_schema", "best layer is the most common one, no schema"),
    ):
        percent, passing = round(printed(quantity)), round(printed(f"pass_{condition}"))
        counts = [str(count) for count in range(passing + 1) if round(100 * count / passing) == percent]
        implied = f"{' or '.join(counts)} of {passing}"
        rows.append(Implied(what, f"{percent}%", implied, "the counts that are printed so", TEXT))
    by_construction = Implied(
        "recovery by a patch before the first block",
        "not printed",
        "100% in every pair of every model",
        "the prompts differ in that token alone, so the patch makes them equal: R2 follows from R1 there",
        "Activation Patching Protocol",
    )
    return [*rows, by_construction]


def _accuracy_gap(accuracy: pd.DataFrame) -> Implied:
    percent = accuracy.set_index(["metric", "trained_with", "evaluated_with"])["percent"]
    gaps = {
        metric: float(percent.loc[(metric, "schema", "schema")] - percent.loc[(metric, "no_schema", "no_schema")])
        for metric in ("field_accuracy", "exact_match")
    }
    return Implied(
        "gap between the models in standard accuracy",
        "5 points",
        f"{gaps['field_accuracy']:.1f} points of field accuracy, {gaps['exact_match']:.1f} of exact match",
        "Table 1: by exact match the models differ by more than the 17 points of their pass rates",
        "Discussion; Table 1",
    )
