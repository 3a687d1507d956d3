"""What the claim-validity paper's worked example implies (section 3.9)."""

from collections.abc import Iterator
from itertools import product

from mechaware.claims.rubric.criteria import DIMENSIONS, LEAK_PRONE
from mechaware.claims.rubric.scoring import printed_score, weighted_score
from mechaware.claims.study.printed import Printed
from mechaware.report.implied import Implied


def worked_example(printed: Printed) -> Iterator[Implied]:
    """Whether the example's scores follow from its five levels, and the levels from its statuses."""
    scores = {dimension.code: int(printed.number(f"worked_{dimension.code}")) for dimension in DIMENSIONS}
    yield from _final_score(printed, scores)
    yield from _external(printed, scores)


def _final_score(printed: Printed, scores: dict[str, int]) -> Iterator[Implied]:
    cvs, final = weighted_score(scores), printed.number("worked_final")
    raw, text = _raw(cvs), f"raw {printed.number('worked_raw')}, CVS {printed.number('worked_cvs')}"
    yield Implied("worked example, CVS", text, f"raw {raw:.1f}, CVS {cvs:.2f}", "weights of Table 1", "section 3.9")
    needed = _raw(printed_score(final))
    lower = [dict(zip(scores, below, strict=True)) for below in product(*(range(top + 1) for top in scores.values()))]
    ways = [below for below in lower if f"{weighted_score(below):.1f}" == f"{final:.1f}"]
    text = f"{final} after lower internal validity"
    internal = f"{weighted_score({**scores, 'I': scores['I'] - 1}):.1f} with Internal {scores['I'] - 1}"
    how = f"{final} is raw {needed:.1f}, {raw - needed:.1f} less; {len(ways)} ways to lower the five scores give that"
    yield Implied("worked example, final CVS", text, internal, how, "section 3.9")
    single = [(code, to) for code, top in scores.items() for to in reversed(range(top))]
    listed = "; ".join(
        f"{code} {scores[code]} to {to}: {weighted_score({**scores, code: to}):.1f}" for code, to in single
    )
    how = "every lowering of one dimension; the smallest step is a weight, 1.0 or 1.5"
    yield Implied("worked example, what can follow", f"{final}", listed, how, "section 3.9")


def _external(printed: Printed, scores: dict[str, int]) -> Iterator[Implied]:
    """An ablation (I1 = YES) is a causal intervention, for which section 3.3 gives External 1."""
    raised = scores | {"E": 1}
    implied = f"at least {raised['E']}: raw {_raw(weighted_score(raised)):.1f}, CVS {weighted_score(raised):.1f}"
    how = "an ablation is a causal intervention, which External 1 asks for"
    yield Implied("worked example, External", f"I1 = YES, External {scores['E']}", implied, how, "sections 3.3 and 3.9")
    lowered = raised | {"I": scores["I"] - 1}
    implied = f"{weighted_score(lowered):.1f} with Internal {lowered['I']}"
    how = f"but no pass lowers I1, which is YES: the audit sees {', '.join(LEAK_PRONE)} alone"
    text = f"{printed.number('worked_final')} after lower internal validity"
    yield Implied("worked example, final CVS with External 1", text, implied, how, "sections 3.3, 3.5 and 3.9")


def _raw(score: float) -> float:
    """The weighted sum of dimension scores behind a CVS."""
    return score / 10 * sum(3 * dimension.weight for dimension in DIMENSIONS)
