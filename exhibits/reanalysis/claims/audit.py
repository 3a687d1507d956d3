"""What the leak audit of IOI can have changed, and over how many claims it was measured.

`leak_audit` gives rows of the table of implied numbers. `counts_printed_as` finds the totals that
round to a printed mean.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from exhibits.reanalysis.claims.printed import Printed
from exhibits.reanalysis.implied import Implied
from mechaware.instruments.claims.rubric.criteria import CRITERIA


class PrintedAudit(NamedTuple):
    """The four numbers that section 5.3 prints about the leak audit of IOI, and how many claims.

    - `n_claims`: the number of claims to which the four numbers apply, as section 5.3 prints it.
    - `share_*`: the percentages of judgements that agree with the reference.
    - `error_*`: the mean absolute errors.
    """

    n_claims: int
    share_before: str
    share_after: str
    error_before: str
    error_after: str


class AuditTotals(NamedTuple):
    """The totals over `n` judgements that round to the four numbers of section 5.3.

    - `n`: a number of judgements.
    - `agreeing_*`: numbers of judgements that agree with the reference, before and after the audit.
    - `error_*`: sums of absolute errors, before and after. A sum is a multiple of 0.5, the distance
      of PARTIAL from NO and from YES.

    Each list is in ascending order, and is empty if no total rounds to the printed number.
    """

    n: int
    agreeing_before: list[float]
    agreeing_after: list[float]
    error_before: list[float]
    error_after: list[float]

    @property
    def fits(self) -> bool:
        """Whether all four printed numbers have a total."""
        return bool(
            self.agreeing_before and self.agreeing_after and self.error_before and self.error_after
        )


def leak_audit(printed: Printed) -> Iterator[Implied]:
    """What section 5.3 prints about the leak audit of IOI, and for which numbers of claims its four
    numbers are possible.
    """
    before = printed.number("audit_cvs_before")
    after = printed.number("audit_cvs_after")
    yield Implied(
        quantity="leak audit, IOI's main claim",
        printed=f"{before} to {after}",
        implied="no change is possible",
        how="it never lowers a system-level claim (section 3.5); the two runs had different prompts too (v11, v14d)",
        place="section 5.3",
    )

    audit = PrintedAudit(
        n_claims=int(printed.number("reference_claims")),
        share_before=f"{printed.number('audit_exact_before'):.1f}",
        share_after=f"{printed.number('audit_exact_after'):.1f}",
        error_before=f"{printed.number('audit_mae_before'):.3f}",
        error_after=f"{printed.number('audit_mae_after'):.3f}",
    )
    totals = {}
    for n_claims in range(1, audit.n_claims + 1):
        totals[n_claims] = _audit_totals(audit, n_claims)
    fitting = [n_claims for n_claims in totals if totals[n_claims].fits]

    others = [n_claims for n_claims in fitting if n_claims != audit.n_claims]
    for n_claims in (audit.n_claims, *others):
        yield from _totals_over(n_claims, totals[n_claims], audit)

    n_listed = printed.per_paper["n_claims"]["ioi"]
    all_four = f"of 1 to {audit.n_claims}, those for which all four numbers have counts"
    yield Implied(
        quantity="claims behind these four numbers",
        printed=f"{audit.n_claims}",
        implied=", ".join(map(str, fitting)),
        how=f"{all_four}; Table 5 has {n_listed} claims of IOI",
        place="section 5.3",
    )
    yield _downgrades(printed, [totals[n_claims] for n_claims in fitting])


def _audit_totals(audit: PrintedAudit, n_claims: int) -> AuditTotals:
    """The totals that round to the printed numbers, for `n_claims` claims with 27 criteria each."""
    n = n_claims * len(CRITERIA)
    return AuditTotals(
        n=n,
        agreeing_before=counts_printed_as(audit.share_before, n, scale=100.0),
        agreeing_after=counts_printed_as(audit.share_after, n, scale=100.0),
        error_before=counts_printed_as(audit.error_before, n, step=0.5),
        error_after=counts_printed_as(audit.error_after, n, step=0.5),
    )


def _totals_over(n_claims: int, totals: AuditTotals, audit: PrintedAudit) -> Iterator[Implied]:
    """Two rows on the totals for `n_claims` claims: those of the printed shares, then those of the
    printed errors.
    """
    agreeing = f"{_either(totals.agreeing_before)} and {_either(totals.agreeing_after)}"
    yield Implied(
        quantity=f"agreement before and after, {n_claims} claims",
        printed=f"about {audit.share_before}% and {audit.share_after}%",
        implied=f"{agreeing} of {totals.n}",
        how="counts that are printed so",
        place="section 5.3",
    )
    errors = f"{_either(totals.error_before)} and {_either(totals.error_after)}"
    yield Implied(
        quantity=f"mean absolute error before and after, {n_claims} claims",
        printed=f"{audit.error_before} and {audit.error_after}",
        implied=f"{errors} over {totals.n}",
        how="sums, in half steps, whose means are printed so",
        place="section 5.3",
    )


def _downgrades(printed: Printed, possible: Sequence[AuditTotals]) -> Implied:
    """How many more judgements agree after the audit than before, at least.

    The least gain over all `possible` totals: for each, the smallest total that agrees after the
    audit minus the largest that agrees before.
    """
    gains = []
    for totals in possible:
        smallest_after = totals.agreeing_after[0]
        largest_before = totals.agreeing_before[-1]
        gains.append(int(smallest_after - largest_before))
    fewest = printed.number("audit_downgrades", "low")
    most = printed.number("audit_downgrades", "high")
    return Implied(
        quantity="downgrades by the audit",
        printed=f"{fewest:.0f} to {most:.0f} a paper",
        implied=f"at least {min(gains)} in IOI",
        how="so many more judgements agree after it; a downgrade changes one, so the prompts made a "
        "difference or more fell",
        place="section 5.3",
    )


def _either(totals: list[float]) -> str:
    """Totals in words: "22", "98 or 99", or "no count" if there are none."""
    return " or ".join(f"{total:g}" for total in totals) or "no count"


def counts_printed_as(text: str, n: int, *, step: float = 1.0, scale: float = 1.0) -> list[float]:
    """The totals over `n` units whose mean is printed as `text`: scale * total / n, rounded.

    Args:
        text: The mean as printed, such as "33.3"; the mean is rounded to its number of decimals.
        n: The number of units.
        step: Totals are multiples of `step`, from 0 to n.
        scale: What the mean is multiplied by before it is printed; 100 for percentages.

    Returns:
        The totals in ascending order. For 3 units "33.3" percent is a total of 1.
    """
    decimals = len(text.partition(".")[2])
    fitting = []
    for count in range(int(n / step) + 1):
        total = step * count
        if f"{scale * total / n:.{decimals}f}" == text:
            fitting.append(total)
    return fitting
