"""The numbers that the claim-validity paper prints: its tables, and the single numbers of its text."""

from collections.abc import Mapping

import pandas as pd

from mechaware.claims.rubric.criteria import tier_index
from mechaware.claims.rubric.scoring import printed_score


class Printed:
    """The printed tables by name (config/reported/claims_{name}.csv), and the single numbers of the text."""

    def __init__(self, tables: Mapping[str, pd.DataFrame]) -> None:
        self.tables = {name: table.set_index("paper") if "paper" in table else table for name, table in tables.items()}
        self.statements = tables["statements"].set_index("quantity")
        self.titles = dict(zip(tables["papers"]["paper"], tables["papers"]["title"], strict=True))
        main = self.tables["main"]
        self.scores = [printed_score(value) for value in main["cvs"]]
        self.expected = list(map(tier_index, main["expected_tier"]))
        self.predicted = list(map(tier_index, main["tier"]))

    def number(self, quantity: str, column: str = "value") -> float:
        """A number that the text prints."""
        return float(self.statements[column].loc[quantity])

    def named(self, quantity: str) -> list[str]:
        """The titles of the papers that the text names."""
        return self.names(str(self.statements["papers"].loc[quantity]).split())

    def names(self, papers: list[str]) -> list[str]:
        """The titles of papers, in the order of their names."""
        return sorted(self.titles[paper] for paper in papers)
