"""A fixture for the tests of RADAR's ensemble and of the code that fits it."""

from collections.abc import Iterator
from functools import partial

import pytest

from mechaware.instruments.radar import ensemble


@pytest.fixture(scope="module")
def few_trees() -> Iterator[None]:
    """Ten trees in place of scikit-learn's 100, for tests in which the quality of the
    trees does not matter.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in ("RandomForestClassifier", "GradientBoostingClassifier"):
            patch.setattr(ensemble, name, partial(getattr(ensemble, name), n_estimators=10))
        yield
