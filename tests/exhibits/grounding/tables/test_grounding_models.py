"""The table of models has each model's training, exact match and share of pairs by rule."""

from exhibits.grounding.tables import grounding_models
from tests.exhibits.grounding.models import two_models


def test_models_have_their_steps_their_exact_match_and_r1_beside_what_normal_gaps_imply() -> None:
    table = grounding_models.fill(**two_models(met=False), tau=0.4)

    schema, _ = table.shown.to_dict("records")
    # `two_models` has four pairs with the gaps 2, 1, 0 and -1: mean 0.5, variance 5 / 3, deviation
    # 1.29099. Normal gaps of that mean and deviation pass R1, |gap| >= 0.4, with the probability
    # Phi((0.5 - 0.4) / 1.29099) + Phi((-0.4 - 0.5) / 1.29099) = 0.53087 + 0.24286. Three, two and
    # one of the four pairs pass R1, R1 and R2, and R1 to R3.
    assert schema == {
        "Model": "schema, seed 3",
        "Steps, criterion": "1200, not met",
        "Exact match": "96.0",
        "R1": "75.0",
        "R1, normal gaps": "77.4",
        "R1 and R2": "50.0",
        "R1 to R3": "25.0",
        "with the embedding": "0.0",
        "G1 to G5": "0.0",
    }
