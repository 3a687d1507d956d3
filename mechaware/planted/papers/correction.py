"""Corrects a judge's share of YES for its error rates on planted papers (Rogan & Gladen, 1978)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from mechaware.core.stats.intervals import Estimate

WIDEST_CORRECTED = 0.5  # the widest interval of a corrected share that still determines it


def corrected_share(
    share: float, n: int, rates: Mapping[str, Any], *, confidence_level: float
) -> Estimate | None:
    """A share of n criteria at YES, corrected for the judge's error rates.

    Let J = sensitivity + specificity - 1 (`informedness`), h the half-width of an interval, and z
    the normal quantile of the confidence level. The share of true criteria is, by the delta method,

        true = (share + specificity - 1) / J
        h(true) = hypot(h(share), (1 - true) h(specificity), true h(sensitivity)) / J
        h(share) = z sqrt(share (1 - share) / n)

    and the ends of its interval stay within 0 and 1.

    Args:
        share: From 0 to 1.
        n: The number of criteria.
        rates: A row of the table claims_planted.
        confidence_level: The level of the interval, such as 0.95.

    Returns:
        The corrected share with its interval. None, "not determined", in each of these cases:

        - an interval of the rates is missing;
        - the interval of J includes 0: the judge may give YES equally often where it is not true;
        - the corrected share is not within 0 and 1, which contradicts the rates;
        - its interval is wider than `WIDEST_CORRECTED`.
    """
    lows = [rates[f"{name}_low"] for name in ("informedness", "sensitivity", "specificity")]
    if any(map(pd.isna, lows)) or rates["informedness_low"] <= 0:
        return None
    informedness = rates["informedness"]
    value = float((share + rates["specificity"] - 1) / informedness)
    if not 0 <= value <= 1:
        return None

    # The three sources of uncertainty, each as a half-width of `share`.
    h_sensitivity = (rates["sensitivity_high"] - rates["sensitivity_low"]) / 2
    h_specificity = (rates["specificity_high"] - rates["specificity_low"]) / 2
    h_share = norm.ppf((1 + confidence_level) / 2) * np.sqrt(share * (1 - share) / n)
    parts = [h_share, (1 - value) * h_specificity, value * h_sensitivity]
    half_width = float(np.linalg.norm(parts) / informedness)
    if 2 * half_width > WIDEST_CORRECTED:
        return None
    return Estimate(value, max(value - half_width, 0.0), min(value + half_width, 1.0))
