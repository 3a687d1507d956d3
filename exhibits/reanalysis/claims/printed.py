"""The numbers that the claim-validity paper prints."""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from mechaware.instruments.claims.rubric.criteria import tier_index
from mechaware.instruments.claims.rubric.scoring import printed_score

NOT_PRINTED = "not printed"


class Printed(NamedTuple):
    """The printed tables, and the numbers of the text (`statements`).

    A table that has a row for each paper is indexed by paper, `statements` by quantity.
    """

    papers: pd.DataFrame
    main: pd.DataFrame
    single_run: pd.DataFrame
    per_paper: pd.DataFrame
    claims: pd.DataFrame
    judges: pd.DataFrame
    boundaries: pd.DataFrame
    statements: pd.DataFrame
    references: pd.DataFrame

    @property
    def scores(self) -> list[float]:
        """For every paper of Table 3, the attainable CVS that rounds to the printed one."""
        return [printed_score(value) for value in self.main["cvs"]]

    @property
    def expected(self) -> list[int]:
        """For every paper of Table 3, the rank of its label's tier, 0 to 4."""
        return list(map(tier_index, self.main["expected_tier"]))

    @property
    def predicted(self) -> list[int]:
        """For every paper of Table 3, the rank of its printed tier, 0 to 4."""
        return list(map(tier_index, self.main["tier"]))

    def number(self, quantity: str, column: str = "value") -> float:
        """The number that the text prints for a quantity."""
        return float(self.statements[column].loc[quantity])

    def named(self, quantity: str) -> str:
        """The titles of the papers that the text names for a quantity, as one string."""
        return self.titles(str(self.statements["papers"].loc[quantity]).split())

    def titles(self, papers: Iterable[str]) -> str:
        """The titles of papers, sorted and joined by commas."""
        return ", ".join(sorted(self.papers["title"].loc[list(papers)]))
