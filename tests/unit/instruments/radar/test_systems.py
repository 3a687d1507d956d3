"""The majority class, which breaks a tie as RADAR's ensemble does."""

from mechaware.instruments.radar.systems import all_systems
from tests.unit.instruments.radar.tables import noise


def test_the_majority_of_a_balanced_set_is_reasoning_as_in_a_tie_of_the_ensemble() -> None:
    systems = {system.name: system for system in all_systems(1)}
    predictions = systems["majority_class"].fit_predict(noise(20, 1), noise(20, 2))
    assert set(predictions["predicted"]) == {"reasoning"}
