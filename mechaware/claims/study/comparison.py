"""What each judge of ours reached and used: its result on IOI, its agreement with the labels, its calls and cost."""

import pandas as pd

from mechaware.claims.rubric.criteria import tier_index
from mechaware.claims.study.agreement import tier_agreement

IOI = "ioi"  # the only paper of the printed comparison, Table 6
COUNTED = ("quoted", "quotes_found", "failed_audits", "calls", "prompt_tokens", "completion_tokens")


def judge_comparison(papers: pd.DataFrame, usage: pd.DataFrame, judge: str, *, level: float) -> dict[str, object]:
    """The row of one judge from the summary tables of papers and of usage; what is unknown is absent, None or NaN.

    `cvs`, `tier` and `off_by` are those of IOI; the agreement is over all papers with a tier and a label. The cost is
    unknown if that of any paper is. `quoted` counts the quotes in the evidence of all runs, `quotes_found` those whose
    place in the paper is known.
    """
    judged, used = papers[papers["judge"] == judge], usage[usage["judge"] == judge]
    asked = used["n_criteria"].sum()
    row: dict[str, object] = {
        "papers": len(judged),
        "n_claims": judged["n_claims"].mean(),
        "unscored": used["unscored"].sum() / asked if asked else None,
        **{name: used[name].sum() for name in COUNTED},
        "cost": used["cost"].sum(min_count=len(used)) if len(used) else None,
    }
    for paper in judged[judged["paper"] == IOI].itertuples():
        row |= {"cvs": paper.cvs, "tier": paper.tier, "off_by": paper.off_by}
    known = judged[(judged["tier"] != "") & (judged["expected_tier"] != "")]
    if known.empty:
        return row
    predicted, expected = (list(map(tier_index, known[name])) for name in ("tier", "expected_tier"))
    agreement = tier_agreement(predicted, expected, level=level)
    return row | {
        "exact": agreement.exact,
        "exact_low": agreement.exact_low,
        "exact_high": agreement.exact_high,
        "within_one": agreement.within_one,
        "labelled": agreement.n,
        "mean_off_by": known["off_by"].mean(),
    }
