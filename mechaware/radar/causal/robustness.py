"""Ablation of components one after the other: their orders, and what the resulting margins say.

`margins` has a row for each prompt and a column for each number 1..n of components ablated; `clean` is the margin with
none. All results are NaN for prompts that the model answers wrongly, clean <= 0. A margin flips where it is 0 or less.
"""

import numpy as np
from jaxtyping import Float, Int

Margins = Float[np.ndarray, "prompt step"]
Clean = Float[np.ndarray, " prompt"]

DECIMALS = 5  # of an effect, in logits: below is float32 noise, which must not decide the order of equal effects


def order_by_effect(
    exact: Float[np.ndarray, "prompt component"], *, greatest_first: bool
) -> Int[np.ndarray, "prompt component"]:
    """The indices of the components by absolute effect; components of equal effects keep their order."""
    size = np.abs(exact).round(DECIMALS)
    order: np.ndarray = np.argsort(-size if greatest_first else size, axis=1, kind="stable")
    return order


def ablation_robustness(clean: Clean, margins: Margins) -> Clean:
    """The share of components ablated before the margin flips, 0 to 1; 1 if it never flips."""
    n_components = margins.shape[1]
    return _of_right_answers(clean, np.minimum(_first_flip(margins) - 1, n_components) / n_components)


def critical_component_count(clean: Clean, margins: Margins) -> Clean:
    """The number of components at which the margin flips; n + 1 if it never flips."""
    return _of_right_answers(clean, _first_flip(margins).astype(float))


def performance_degradation_slope(clean: Clean, margins: Margins) -> Clean:
    """The least-squares slope of margin / clean on the share of components ablated, from 0 to 1 in steps of 1 / n."""
    curve = np.column_stack([clean, margins]) / np.where(clean > 0, clean, np.nan)[:, None]
    share = np.linspace(0, 1, curve.shape[1])
    centred = share - share.mean()
    slope: np.ndarray = curve @ centred / (centred @ centred)
    return slope


def _first_flip(margins: Margins) -> Int[np.ndarray, " prompt"]:
    """The number of components ablated when the margin is first 0 or less; n + 1 if it never is."""
    flipped = np.column_stack([margins <= 0, np.ones(len(margins), bool)])
    first: np.ndarray = flipped.argmax(axis=1) + 1
    return first


def _of_right_answers(clean: Clean, values: Clean) -> Clean:
    return np.where(clean > 0, values, np.nan)
