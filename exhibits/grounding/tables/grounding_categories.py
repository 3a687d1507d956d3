"""Pass rates of the rules, and right answers, of the trained models by category of pairs."""

import pandas as pd

from exhibits.report.tables import Table, percent, signed
from mechaware.instruments.grounding.names import CATEGORY_LABELS, CONDITIONS, condition_of
from mechaware.instruments.grounding.rules.registry import RULE_SETS

READS = {"categories": "results/grounding/categories.parquet"}


def fill(*, categories: pd.DataFrame) -> Table:
    """Means over seeds by model and category, of `categories`, the table of `category_table`.

    A `model` is all runs that differ only in their seed (`condition_of`), or a run without a seed.
    The numbers have every column of `categories`, the number of seeds, and the lowest and the
    highest seed of `absent` and `grounded`. The cells show only the trained models. Of our rules
    they show G1, G4 and G5, whose pass rates differ by category.
    """
    models = categories["run"].map(condition_of)
    by_model = [models.rename("model"), "category"]
    groups = categories.drop(columns="run").groupby(by_model, sort=False)
    columns: list[pd.Series | pd.DataFrame] = [groups.size().rename("seeds"), groups.mean()]
    for name in ("absent", "grounded"):
        columns.append(groups[name].min().rename(f"{name}_lowest"))
        columns.append(groups[name].max().rename(f"{name}_highest"))
    numbers = pd.concat(columns, axis=1).reset_index()
    trained = numbers[numbers["model"].isin(list(CONDITIONS))]
    shown = pd.DataFrame(
        {
            "Trained with": trained["model"].map(CONDITIONS),
            "Category": trained["category"].map(CATEGORY_LABELS),
            "Gap": trained["delta"].map(signed),
            "Right": trained["right"].map(percent),
            "Absent word": trained["absent"].map(percent),
            **{name.upper(): trained[name].map(percent) for name in ("g1", "g4", "g5")},
            RULE_SETS["grounded"]: trained["grounded"].map(percent),
        }
    )
    return Table(numbers, shown)
