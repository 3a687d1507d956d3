"""One small draw of everything planted, which no test changes."""

import random

import pytest

from mechaware.planted.twins.planting import Planted
from mechaware.planted.twins.world import World, draw_world
from tests.unit.planted.twins.small_plan import plant_little


@pytest.fixture(scope="session")
def planted() -> Planted:
    return plant_little(seed=0)


@pytest.fixture(scope="session")
def world() -> World:
    return draw_world(36, random.Random(0))  # noqa: S311
