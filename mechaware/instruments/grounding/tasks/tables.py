"""What is measured of a task's pairs, as tables: verdicts read them without a model, and without torch."""

from typing import NamedTuple

import pandas as pd

from mechaware.instruments.grounding.rules import PairMeasurements
from mechaware.instruments.grounding.rules.grounded import cut_shares


class ComponentTables(NamedTuple):
    """What heads and MLPs do in `n` pairs whose prompts have equally many tokens.

    Numbers in logits are means over the pairs; a share is a mean as a part of `gap`, the mean of clean - corrupted.

    - `scores`: a row per component: block, head (from 1; missing for the block's MLP), attribution (EAP-IG in five
      steps, in logits: `components.attribute`) and patched (the exact change of the corrupted run by the component's
      clean output, in logits; missing but for the ten components of the largest attribution by size).
    - `correlation`: Pearson's, of attribution and patched in these ten; None if one of them does not vary.
    - `faithfulness`: a row per size (1, 2, 4, ...) of the set C of the components with the largest attribution by size:
      alone, without, random_alone and random_without.

    With m(C) the mean logit difference of clean runs in which all components outside of C have the outputs of the
    corrupted run, and M all components, so that m(M) is the clean run's and m of no component the corrupted run's,

        F(C) = (m(C) - m({})) / (m(M) - m({}))

    is the faithfulness of C (Hanna, Pezzelle and Belinkov 2024, arXiv 2403.17806; Marks and others 2024, arXiv
    2403.19647): `alone` is F(C), and `without` is F(M - C), what is left without C, which is near 0 if C is complete.
    Neither is bounded by 0 and 1. `random_alone` and `random_without` are the same for random sets of equal size, one
    drawn for each pair.
    """

    n: int
    gap: float
    scores: pd.DataFrame
    correlation: float | None
    faithfulness: pd.DataFrame


class TaskMeasurements(NamedTuple):
    """The tables of `measure_pairs`, and the tables of heads and MLPs (`measure_components`).

    `unequal`: the ids of the pairs whose words differ in length.
    """

    tables: PairMeasurements
    unequal: tuple[str, ...] = ()
    components: ComponentTables | None = None

    @property
    def notes(self) -> list[str]:
        """A sentence about words of different length; nothing if there are none."""
        if not self.unequal:
            return []
        cuts = self.tables.cuts
        whole = cuts[(cuts["kind"] == "all") & (cuts["mode"] == "denoise")]
        median = cut_shares(whole[whole["pair"].isin(self.unequal)]).median()
        return [
            f"in {len(self.unequal)} of {len(self.tables.pairs)} pairs the words differ in length: states are patched "
            f"at their last tokens; the word's keys and values in all blocks restore {median:.0%} of the gap (median), "
            "and the rest is what the shift of the text behind it changes"
        ]
