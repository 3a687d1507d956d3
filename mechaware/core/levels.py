"""The significance of a test, from the confidence level of its intervals; the fewest groups of an
interval.

Apart from `stats`: checks of a config read these, and every start of Snakemake would load scipy.
"""

MIN_GROUPS = 6  # over fewer no interval is given


def significance_at(confidence_level: float) -> float:
    """The significance level of a test, such as 0.05: 1 - `confidence_level`.

    Rounded: 1 - 0.9 is 0.09999999999999998, by which a p-value of exactly 100 / 1000 would fail.
    """
    return round(1 - confidence_level, 9)
