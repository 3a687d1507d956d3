"""The numbers that the claim-validity paper prints."""

from collections.abc import Iterable
from typing import NamedTuple

import pandas as pd

from mechaware.instruments.claims.rubric.criteria import tier_index
from mechaware.instruments.claims.rubric.scoring import printed_score

NOT_PRINTED = "not printed"


class Printed(NamedTuple):
    """The printed tables, indexed by paper if they have a row for each, and the numbers of the text (`statements`)."""

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
        """The CVS of every paper of Table 3 before rounding."""
        return [printed_score(value) for value in self.main["cvs"]]

    @property
    def expected(self) -> list[int]:
        """The ranks of the labels in Table 3, 0 to 4."""
        return list(map(tier_index, self.main["expected_tier"]))

    @property
    def predicted(self) -> list[int]:
        """The ranks of the tiers in Table 3, 0 to 4."""
        return list(map(tier_index, self.main["tier"]))

    def number(self, quantity: str, column: str = "value") -> float:
        """A number that the text prints."""
        return float(self.statements[column].loc[quantity])

    def named(self, quantity: str) -> str:
        """The titles of the papers that the text names."""
        return self.titles(str(self.statements["papers"].loc[quantity]).split())

    def titles(self, papers: Iterable[str]) -> str:
        """The titles of papers, sorted."""
        return ", ".join(sorted(self.papers["title"].loc[list(papers)]))
