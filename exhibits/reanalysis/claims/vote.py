"""What the printed scores of single runs show about the vote over runs."""

from collections.abc import Iterator

from exhibits.reanalysis.claims.printed import NOT_PRINTED, Printed
from exhibits.reanalysis.implied import Implied


def single_runs(printed: Printed) -> Iterator[Implied]:
    """What the ranges of single runs in Table 4 show about the vote."""
    single = printed.single_run
    lowest_is_exact = single["off_low"] == 0
    all_are_exact = lowest_is_exact & (single["off_high"] == 0)
    n_lowest = int(lowest_is_exact.sum())
    yield Implied(
        quantity="exact tier without the vote",
        printed=f"{printed.number('single_run_exact'):.0f} of {len(single)}",
        implied=f"{int(all_are_exact.sum())} of {len(single)}",
        how=f"right over the whole printed range; taking the lowest run of each, {n_lowest} of {len(single)}",
        place="section 5.2; Table 4",
    )

    differing = single[single["single_low"] < single["single_high"]]
    n_agreeing = len(single) - len(differing)
    is_lowest = differing["single_low"] == printed.main["cvs"].loc[differing.index]
    yield Implied(
        quantity="CVS after the vote",
        printed=NOT_PRINTED,
        implied=f"equal to the lowest run in {int(is_lowest.sum())} of {len(differing)} whose runs differ",
        how=f"a minimum of statuses is at most the lowest run; in the other {n_agreeing} all runs agree",
        place="Tables 3 and 4",
    )

    ranges = (single["single_high"] - single["single_low"]).round(1)
    in_text = printed.number("single_run_largest_range")
    in_figure = printed.number("figure4_range_copy")
    yield Implied(
        quantity="range of single runs",
        printed=f"up to {in_text}; {in_figure} in Figure 4",
        implied=f"{ranges.max()}",
        how=printed.titles(ranges.index[ranges == ranges.max()]),
        place="section 5.2; Table 4, Figure 4",
    )
    yield Implied(
        quantity="spread after the vote",
        printed="variance is eliminated",
        implied="1 value a paper",
        how="one vote a paper has no spread: whether votes vary less is not measured",
        place="section 3.7; Figure 4",
    )
