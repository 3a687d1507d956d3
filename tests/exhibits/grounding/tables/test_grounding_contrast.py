"""The table of contrasts compares models with and without the schema, for three sets of models."""

from exhibits.grounding.tables import grounding_contrast
from mechaware.instruments.grounding.training_conditions import contrast_models
from tests.exhibits.grounding.models import NO_CONTRAST, two_models


def test_contrasts_are_in_points_and_the_contrast_of_gaps_in_logits() -> None:
    table = grounding_contrast.fill(
        **two_models(met=False), needed=NO_CONTRAST, confidence_level=0.95
    )

    shown = table.shown.set_index(["Models", "Quantity"])
    # The mean gaps of `two_models` are (2 + 1 + 0 - 1) / 4 with the schema and
    # (0.5 + 0 + 0 + 0.1) / 4 without. One seed has no interval.
    assert shown.loc[("all", "gap (logits)")].to_dict() == {
        "With schema": "+0.50",
        "Without": "+0.15",
        "Difference": "+0.35",
        "Smallest": "",
        "Seeds": "1",
    }
    # One of four pairs passes R3 with the schema, and none without.
    assert shown.loc[("all", "R1 to R3, by the method (primary)")].to_dict() == {
        "With schema": "25.0",
        "Without": "0.0",
        "Difference": "+25.0",
        "Smallest": "",
        "Seeds": "1",
    }
    # No seed met the criterion.
    assert shown.loc[("at the criterion", "exact match")].to_dict() == {
        "With schema": "",
        "Without": "",
        "Difference": "",
        "Smallest": "",
        "Seeds": "0",
    }
    assert set(table.numbers["models"]) == {"all", "criterion"}


def test_models_where_the_schema_is_needed_are_below_the_others() -> None:
    """Of the models where the schema is needed, one contrast is shown: over all of them.

    The contrast over those at their criterion is left out.
    """
    needed = contrast_models(**two_models(met=False), confidence_level=0.95)
    assert list(needed) == list(NO_CONTRAST)

    is_primary = needed["quantity"] == "r3"
    needed.loc[is_primary, ["schema", "no_schema", "difference"]] = (0.75, 0.5, 0.25)

    table = grounding_contrast.fill(**two_models(met=False), needed=needed, confidence_level=0.95)

    assert list(dict.fromkeys(table.numbers["models"])) == ["all", "criterion", "needed"]

    shown = table.shown.set_index(["Models", "Quantity"])
    columns = ["With schema", "Without", "Difference", "Smallest", "Seeds"]
    primary = "R1 to R3, by the method (primary)"

    assert shown.loc[("all", primary), columns].tolist() == ["25.0", "0.0", "+25.0", "", "1"]
    assert shown.loc[("schema needed", primary), columns].tolist() == [
        "75.0",
        "50.0",
        "+25.0",
        "",
        "1",
    ]
