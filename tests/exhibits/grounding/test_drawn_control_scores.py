"""How well the rules rank and judge the drawn controls, from verdicts that are written by hand."""

from typing import NamedTuple

import pandas as pd
import pytest
from scipy.stats import beta

from exhibits.grounding.control_scores import score_drawn
from mechaware.core.stats.intervals import clopper_pearson
from mechaware.core.stats.roc import area_under_roc_interval
from mechaware.instruments.grounding.rules.registry import BASELINES, RULE_SETS, VARIANTS
from mechaware.planted.sql.runs import policy_of


class DrawnControl(NamedTuple):
    """A drawn control with two pairs, a and b.

    - `half`: "developed" or "held_out"
    - `reads`: the pairs in which it reads the requested column, such as "ab"; it grounds if it
      reads the column in both
    - `passes`: the pairs in which it passes G1 to G5
    - `baseline`: the share of pairs that pass `answer_and_gap`, the baseline of `lead`
    """

    half: str
    reads: str
    passes: str
    baseline: float


# The names decide the policies: 03 and 04 copy the first column, 07 copies the last. The tests call
# the controls by their numbers.
DRAWN = {
    "drawn_01": DrawnControl("developed", reads="ab", passes="ab", baseline=1),
    "drawn_02": DrawnControl("held_out", reads="ab", passes="", baseline=1),
    "drawn_03": DrawnControl("developed", reads="", passes="", baseline=0),
    "drawn_04": DrawnControl("held_out", reads="a", passes="a", baseline=0),
    "drawn_05": DrawnControl("developed", reads="ab", passes="b", baseline=1),
    "drawn_07": DrawnControl("developed", reads="a", passes="ab", baseline=0),
}


@pytest.fixture(scope="module")
def scores() -> pd.DataFrame:
    """The scores of `DRAWN`, indexed by rules and half.

    A control is judged to ground if it passes in at least half of the pairs. In the table of
    verdicts every set, variant and baseline has the share of pairs that pass G1 to G5, except
    `answer_and_gap`, whose share is `baseline`. In the table of pairs R1 to R3 pass in all pairs.
    """
    pairs = []
    verdicts = []
    names = (*RULE_SETS, *VARIANTS, *BASELINES)
    for run, control in DRAWN.items():
        for pair in ("a", "b"):
            pairs.append(
                {
                    "run": run,
                    "pair": pair,
                    "held_out": control.half == "held_out",
                    "reads": pair in control.reads,
                    "grounded": pair in control.passes,
                    "paper": True,
                }
            )
        share = len(control.passes) / 2
        row: dict[str, object] = {"run": run}
        for name in names:
            row[name] = share
            row[f"{name}_verdict"] = share >= 0.5
        row["answer_and_gap"] = control.baseline
        verdicts.append(row)

    by_pair = pd.DataFrame(pairs)
    table = score_drawn(
        pd.DataFrame(verdicts),
        judged=by_pair[["run", "pair", "grounded", "paper"]],
        truth=by_pair[["run", "pair", "held_out", "reads"]],
        verdict_share=0.5,
        confidence_level=0.95,
        resamples=200,
        seed=0,
    )
    return table.set_index(["rules", "half"])


def test_each_half_ranks_its_own_controls(scores: pd.DataFrame) -> None:
    developed = scores.loc[("grounded", "developed")]
    held_out = scores.loc[("grounded", "held_out")]

    # 01 and 05 ground and pass in 1 and 1/2 of the pairs; 03 and 07 do not ground and pass in 0 and
    # 1 of the pairs. 01 is above 03 and tied with 07, 05 is above 03 and below 07.
    assert (developed["grounded"], developed["others"]) == (2, 2)
    assert developed["auroc"] == (1 + 1 / 2 + 1 + 0) / 4
    # 02 grounds and passes in no pair; 04 does not ground and passes in one pair.
    assert (held_out["grounded"], held_out["others"]) == (1, 1)
    assert held_out["auroc"] == 0


def test_auroc_by_share_counts_a_control_as_grounding_from_half_of_the_pairs_on(
    scores: pd.DataFrame,
) -> None:
    """04 and 07 read the column in one of two pairs, so they ground, too; 03 alone does not."""
    by_share = scores.loc["grounded", "auroc_by_share"]

    # 01, 05 and 07 are above 03.
    assert by_share["developed"] == 1
    # 02 ties with 03; 01, 04, 05 and 07 are above it.
    assert by_share["all"] == (4 + 1 / 2) / 5
    # All controls of the held-out half ground.
    assert pd.isna(by_share["held_out"])


def test_each_half_judges_its_own_controls(scores: pd.DataFrame) -> None:
    developed = scores.loc[("grounded", "developed")]
    held_out = scores.loc[("grounded", "held_out")]

    # 01, 05 and 07 pass in at least half of the pairs and are judged to ground, 07 wrongly; 03 is
    # judged not to ground.
    assert (developed["sensitivity"], developed["specificity"]) == (1, 0.5)
    # Both are judged wrongly: 02 not to ground, and 04 to ground.
    assert (held_out["sensitivity"], held_out["specificity"]) == (0, 0)


def test_intervals_of_drawn_controls_count_policies(scores: pd.DataFrame) -> None:
    assert policy_of("drawn_03") == policy_of("drawn_04")
    assert policy_of("drawn_07") != policy_of("drawn_03")

    on_all = scores.loc[("grounded", "all")]

    # Of 03, 04 and 07, which do not ground, 03 alone is refused: one of three controls.
    assert (on_all["specificity"], on_all["specificity_n"]) == (pytest.approx(1 / 3), 3)

    # The three have two policies, and 1/3 of 2 is k = 2/3. With k of n = 2 successes, Clopper and
    # Pearson's ends are the quantiles of Beta(k, n - k + 1) and of Beta(k + 1, n - k).
    low = on_all["specificity_low"]
    high = on_all["specificity_high"]
    assert low == pytest.approx(beta.ppf(0.025, 2 / 3, 7 / 3))
    assert high == pytest.approx(beta.ppf(0.975, 5 / 3, 4 / 3))

    of_three = clopper_pearson(1, 3, 0.95)
    assert high - low > of_three.high - of_three.low

    # The interval of the area counts the three controls that ground, and two policies.
    assert (on_all["low"], on_all["high"]) == area_under_roc_interval(on_all["auroc"], 3, 2, 0.95)


def test_pairs_are_right_where_a_set_passes_exactly_where_the_column_is_read(
    scores: pd.DataFrame,
) -> None:
    # Right are both pairs of 01 and of 03, one pair of 05 and of 07; no pair of 02, both of 04.
    assert scores.loc[("grounded", "developed"), "pairs_right"] == (2 + 2 + 1 + 1) / 8
    assert scores.loc[("grounded", "held_out"), "pairs_right"] == (0 + 2) / 4
    # R1 to R3 pass in all pairs, of which five are read: both of 01 and of 05, and one of 07.
    assert scores.loc[("paper", "developed"), "pairs_right"] == 5 / 8
    # A baseline is no set of rules.
    assert pd.isna(scores.loc[("answer", "developed"), "pairs_right"])


def test_the_lead_is_the_area_minus_the_baselines_area(scores: pd.DataFrame) -> None:
    """The baseline passes in all pairs of controls that ground and in no pair of the others.

    So its area is 1.
    """
    lead = scores.loc["grounded", "lead"]

    assert lead["developed"] == 2.5 / 4 - 1
    assert lead["held_out"] == 0 - 1
    # Over 03, 04 and 07: 01 is above 03 and 04 and tied with 07 (2.5); 02 is tied with 03 (0.5);
    # 05 is above 03 and tied with 04 (1.5).
    assert lead["all"] == (2.5 + 0.5 + 1.5) / 9 - 1

    # One control of each kind: every resample is the half itself.
    held_out = scores.loc[("grounded", "held_out")]
    assert (held_out["lead_low"], held_out["lead_high"]) == (-1, -1)
