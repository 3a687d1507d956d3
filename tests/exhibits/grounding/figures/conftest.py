"""Figures are closed after each test of this folder."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def closed_figures() -> Iterator[None]:
    """Close all figures after a test."""
    yield
    plt.close("all")
