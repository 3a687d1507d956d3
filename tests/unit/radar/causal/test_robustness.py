"""Orders of ablation and what the margins say, by hand."""

import numpy as np
import pytest

from mechaware.radar.causal.robustness import (
    ablation_robustness,
    critical_component_count,
    order_by_effect,
    performance_degradation_slope,
)

CLEAN = np.array([4.0, 4.0, 4.0, -1.0])
# Four components; the third prompt never flips, the last is answered wrongly.
MARGINS = np.array([[3.0, 1.0, -1.0, 2.0], [0.0, 1.0, 2.0, 3.0], [4.0, 3.0, 2.0, 1.0], [1.0, -1.0, 1.0, -1.0]])


def test_components_are_ordered_by_absolute_effect() -> None:
    effects = np.array([[0.5, -3.0, 0.1, 1.0]])
    assert order_by_effect(effects, greatest_first=True).tolist() == [[1, 3, 0, 2]]
    assert order_by_effect(effects, greatest_first=False).tolist() == [[2, 0, 3, 1]]


def test_components_of_equal_effects_keep_their_order() -> None:
    effects = np.array([[2.0, 1e-7, -2.0, -2e-7, 0.0]])
    assert order_by_effect(effects, greatest_first=True).tolist() == [[0, 2, 1, 3, 4]]
    assert order_by_effect(effects, greatest_first=False).tolist() == [[1, 3, 4, 0, 2]]


def test_robustness_is_the_share_ablated_before_the_flip() -> None:
    # Two of four before the third flips it; none before the first, where 0 counts as flipped; all four; no answer.
    np.testing.assert_array_equal(ablation_robustness(CLEAN, MARGINS), [2 / 4, 0, 1, np.nan])


def test_the_critical_set_ends_with_the_component_that_flips() -> None:
    np.testing.assert_array_equal(critical_component_count(CLEAN, MARGINS), [3, 1, 5, np.nan])


def test_the_slope_of_degradation_is_by_share_and_relative_to_the_clean_margin() -> None:
    # Shares 0, 1/4 ... 1 have the mean 1/2 and squares about it that sum to 5/8. The third prompt's curve is 1, 1, 3/4,
    # 1/2, 1/4: -1/2 * 1 - 1/4 * 1 + 1/4 * 1/2 + 1/2 * 1/4 = -1/2, and the slope is -1/2 over 5/8 = -4/5. The first's is
    # 1, 3/4, 1/4, -1/4, 1/2: -1/2 - 3/16 - 1/16 + 1/4 = -1/2 again. The second's is 1, 0, 1/4, 1/2, 3/4:
    # -1/2 + 1/8 + 3/8 = 0.
    slopes = performance_degradation_slope(CLEAN, MARGINS)
    assert slopes[:3] == pytest.approx([-4 / 5, 0, -4 / 5])
    assert np.isnan(slopes[3])
