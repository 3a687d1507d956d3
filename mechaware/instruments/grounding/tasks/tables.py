"""The tables that are measured of a task's pairs; verdicts read them without a model or torch."""

from typing import NamedTuple

import pandas as pd

from mechaware.instruments.grounding.rules import PairMeasurements
from mechaware.instruments.grounding.rules.grounded import cut_shares


class ComponentTables(NamedTuple):
    """What heads and MLPs do in `n` pairs whose prompts have equally many tokens.

    - `n`: the number of pairs.
    - `gap`: the mean over the pairs of clean - corrupted, in logits.
    - `scores`: a row per component, with the means over the pairs. Columns: block and head (both
      from 1; head is missing for the block's MLP); attribution, which is EAP-IG in five steps, in
      logits (`components.attribute`); and patched, the exact change of the corrupted run by the
      component's clean output, in logits, for the ten components whose attribution is largest by
      size, missing for the others.
    - `correlation`: Pearson's, of attribution and patched over these ten; None if one of the two
      does not vary.
    - `faithfulness`: a row per size k = 1, 2, 4, ... below the number of components, of the set C
      of the k components whose attribution is largest by size. Columns: size, and the faithfulness
      of four sets: alone (C), without (all components but C), random_alone and random_without (the
      same two for random sets of size k, one drawn for each pair).

    Let m(C) be the mean logit difference of clean runs in which all components outside of C have
    the outputs of the corrupted run, and M the set of all components. So m(M) = clean and
    m({}) = corrupted. The faithfulness of C is

        F(C) = (m(C) - m({})) / (m(M) - m({}))

    (Hanna, Pezzelle and Belinkov 2024, arXiv 2403.17806; Marks and others 2024, arXiv 2403.19647).
    `alone` is F(C). `without` is F(M - C), near 0 if C is complete. Neither is bounded by 0 and 1.
    """

    n: int
    gap: float
    scores: pd.DataFrame
    correlation: float | None
    faithfulness: pd.DataFrame


class TaskMeasurements(NamedTuple):
    """All that is measured of a task's pairs.

    - `tables`: of `measure_pairs`.
    - `unequal`: the ids of the pairs whose words differ in length.
    - `components`: of `measure_components`; None if there is nothing of heads and
      MLPs to measure.
    """

    tables: PairMeasurements
    unequal: tuple[str, ...] = ()
    components: ComponentTables | None = None

    @property
    def notes(self) -> list[str]:
        """A sentence about words of different length; no sentence if there are none."""
        if not self.unequal:
            return []
        cuts = self.tables.cuts
        all_blocks = cuts[(cuts["kind"] == "all") & (cuts["mode"] == "denoise")]
        median = cut_shares(all_blocks[all_blocks["pair"].isin(self.unequal)]).median()
        return [
            f"in {len(self.unequal)} of {len(self.tables.pairs)} pairs the words differ in length: "
            "states are patched at their last tokens; the word's keys and values in all blocks "
            f"restore {median:.0%} of the gap (median), and the rest is what the shift of the text "
            "behind it changes"
        ]
