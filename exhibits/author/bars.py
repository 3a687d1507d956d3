"""The bar for a judge on the author's audits: what rules that read nothing,
or only count words, get right.
"""

import pandas as pd

from exhibits.author.agreement import (
    count_pairs,
    exact,
    kappa,
    measure,
    quadratic_kappa_within,
)
from mechaware.instruments.claims.items.labelled import COLUMNS, LabelledItem
from mechaware.instruments.claims.rubric.criteria import STATUSES
from mechaware.verdicts.judge_cards.blind import RULES, held_out

MEASURES = {"exact": exact, "kappa": kappa, "quadratic_kappa_within": quadratic_kappa_within}


def bars(
    items: pd.DataFrame, *, resamples: int, seed: int, confidence_level: float
) -> pd.DataFrame:
    """A row for each rule of a judge's card: the share of labels that it gets right, its kappas,
    and their intervals.

    Args:
        items: The items of `audit_items`. A rule is fitted to papers (`group`) other than the
            item's.
        resamples: The number of resamples of the bootstrap over papers.
        seed: The seed of the bootstrap.
        confidence_level: The level of the intervals, such as 0.95.

    Returns:
        Columns: rule; n, the number of items; papers, the number of papers; and each of `MEASURES`
        with the ends of its interval (`_low`, `_high`).
    """
    # The fields of `LabelledItem` in their order; the last one, the status that a second person
    # gave, is empty.
    cells = items[list(COLUMNS)].assign(second="")
    labelled = [LabelledItem(*row) for row in cells.itertuples(index=False)]
    ranks = items["label"].map(STATUSES.index).to_numpy()

    rows = []
    for rule in RULES:
        predicted = [STATUSES[rank] for rank in held_out(rule, labelled, ranks)]
        # `count_pairs` compares an audit of May with one of August, by claim. Here May is the rule,
        # and a claim is a paper, so that the bootstrap draws whole papers.
        pairs = pd.DataFrame(
            {
                "claim": items["group"],
                "criterion": items["criterion"],
                "may": predicted,
                "august": items["label"],
            }
        )
        counts = count_pairs(pairs)
        measured = measure(
            counts, MEASURES, resamples=resamples, seed=seed, confidence_level=confidence_level
        )
        rows.append({"rule": rule, "n": len(items), "papers": len(counts)} | measured)
    return pd.DataFrame(rows)
