"""What the tests of RADAR's ensemble and of what is made of it share."""

from collections.abc import Iterator
from functools import partial

import pytest

from mechaware.instruments.radar import ensemble


@pytest.fixture(scope="module")
def few_trees() -> Iterator[None]:
    """Ten trees in place of scikit-learn's 100: for tests of what an ensemble is given and asked, not of its trees."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("RandomForestClassifier", "GradientBoostingClassifier"):
            patch.setattr(ensemble, name, partial(getattr(ensemble, name), n_estimators=10))
        yield
