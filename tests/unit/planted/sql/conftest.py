"""One small study, which no test changes."""

import pytest

from tests.unit.planted.sql.small_study import Study, make_study


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return make_study(tmp_path_factory.mktemp("study"))
