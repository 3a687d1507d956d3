"""The tables of values of the grounding study have the columns that `VALUE_TABLES` declares.

Each table is written here by the function that writes it in the workflow, from a small input.
"""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from exhibits.grounding.control_scores import score_drawn, score_rule_sets
from exhibits.grounding.localisation import score_places
from exhibits.grounding.tables import (
    grounding_accuracy,
    grounding_categories,
    grounding_contrast,
    grounding_drawn,
    grounding_localisation,
    grounding_lookups,
    grounding_models,
    grounding_rule_sets,
    grounding_rules,
    grounding_verdict,
)
from exhibits.grounding.value_tables import VALUE_TABLES
from exhibits.grounding.verdicts import category_table
from exhibits.reanalysis import grounding_implied
from exhibits.report.values import Value, table_values
from mechaware.core.frames import read_csv, write_csv
from mechaware.instruments.grounding.profiles import cut_profile
from mechaware.instruments.grounding.training_conditions import REPORTED
from tests.exhibits.grounding.lookup_answers import SETTINGS, answers
from tests.exhibits.grounding.models import NO_CONTRAST, two_models
from tests.exhibits.grounding.rule_tables import ANSWERS, RULE_TABLE, verdicts
from tests.exhibits.reanalysis.printed import printed_tables
from tests.unit.instruments.grounding.cuts_by_hand import CUTS, DRAWS
from tests.unit.instruments.grounding.gaps_by_hand import compared
from tests.unit.instruments.grounding.scores_by_hand import scored

REPOSITORY = Path(__file__).resolve().parents[3]
PRINTED = REPOSITORY / "config/reported"
MEASURED = REPOSITORY / "docs/measured"
# The verdicts of the pairs with a rule of a config's own, `mine_low`, which every pair passes. The
# name of its column ends as the column of an interval's lower end does.
WITH_FURTHER_RULE = RULE_TABLE.assign(further_mine_low=True)


def write_accuracy() -> pd.DataFrame:
    return grounding_accuracy.fill(
        accuracy=scored().reset_index(),
        reported=read_csv(PRINTED / "grounding_accuracy.csv", REPORTED),
    ).numbers


def write_rules() -> pd.DataFrame:
    return grounding_rules.fill(
        comparison=compared().reset_index(),
        reported=read_csv(PRINTED / "grounding_rules.csv", REPORTED),
    ).numbers


def write_contrast() -> pd.DataFrame:
    return grounding_contrast.fill(
        **two_models(), needed=NO_CONTRAST, confidence_level=0.95
    ).numbers


def write_models() -> pd.DataFrame:
    return grounding_models.fill(**two_models(), tau=0.4).numbers


def write_verdict(rule_table: pd.DataFrame = RULE_TABLE) -> pd.DataFrame:
    return grounding_verdict.fill(verdict=verdicts(rules=rule_table).reset_index()).numbers


def write_categories(rule_table: pd.DataFrame = RULE_TABLE) -> pd.DataFrame:
    return grounding_categories.fill(categories=category_table(rule_table, ANSWERS)).numbers


def write_rule_sets() -> pd.DataFrame:
    scores = score_rule_sets(verdicts().reset_index(), confidence_level=0.95)
    return grounding_rule_sets.fill(rule_sets=scores).numbers


def write_drawn() -> pd.DataFrame:
    """Two drawn controls that are developed and two that are held out; in each half one control
    reads the wanted column. All four have the verdicts of `grounded_2`.
    """
    truth = pd.DataFrame(
        [
            ("drawn_10", "a", False, False),
            ("drawn_11", "a", False, True),
            ("drawn_20", "a", True, False),
            ("drawn_21", "a", True, True),
        ],
        columns=["run", "pair", "held_out", "reads"],
    )
    judged = truth[["run", "pair"]].assign(paper=True, grounded=truth["reads"])
    grounded_2 = verdicts().reset_index().iloc[0].to_dict()
    runs = pd.DataFrame([grounded_2 | {"run": run} for run in truth["run"]])
    scores = score_drawn(
        runs, judged, truth, verdict_share=0.5, confidence_level=0.95, resamples=20, seed=0
    )
    return grounding_drawn.fill(drawn=scores).numbers


def write_localisation() -> pd.DataFrame:
    """Two controls: the set of the first has a block that does not read, the set of the second is
    right.
    """
    places = pd.DataFrame(
        {
            "run": ["matched_01", "matched_02"],
            "group": "matched",
            "route": "one block",
            "n_blocks": 4,
            "known_blocks": ["2", "3"],
            "instrument": "cut_set",
            "blocks": ["2 4", "3"],
        }
    )
    scores = score_places(places, confidence_level=0.95, resamples=20, seed=0)
    return grounding_localisation.fill(localisation=scores).numbers


def write_lookups() -> pd.DataFrame:
    return grounding_lookups.fill(answers=answers(), **SETTINGS).numbers


def write_implied() -> pd.DataFrame:
    return grounding_implied.fill(**printed_tables(grounding_implied)).numbers


def write_reading() -> pd.DataFrame:
    return cut_profile(CUTS, tau=0.4, confidence_level=0.95, **DRAWS)


def read_variants() -> pd.DataFrame:
    """The committed table, which no rule of the workflow writes."""
    return pd.read_csv(MEASURED / "grounding_variants.csv")


WRITERS: dict[str, Callable[[], pd.DataFrame]] = {
    "grounding_accuracy": write_accuracy,
    "grounding_rules": write_rules,
    "grounding_contrast": write_contrast,
    "grounding_models": write_models,
    "grounding_verdict": write_verdict,
    "grounding_categories": write_categories,
    "grounding_rule_sets": write_rule_sets,
    "grounding_drawn": write_drawn,
    "grounding_localisation": write_localisation,
    "grounding_lookups": write_lookups,
    "grounding_implied": write_implied,
    "reading": write_reading,
    "grounding_variants": read_variants,
}


@pytest.mark.parametrize("name", VALUE_TABLES)
def test_a_table_has_the_columns_that_are_declared(name: str) -> None:
    written = WRITERS[name]()

    assert sorted(written.columns) == sorted(VALUE_TABLES[name].columns)


def values_in_csv(name: str, table: pd.DataFrame, folder: Path) -> dict[str, Value]:
    """The values of a table that is written to `folder` as CSV."""
    file = folder / f"{name}.csv"
    write_csv(table, file)
    return table_values(file, VALUE_TABLES[name])


def test_the_columns_of_a_configs_own_rule_are_values_whatever_its_name(tmp_path: Path) -> None:
    verdict = values_in_csv("grounding_verdict", write_verdict(WITH_FURTHER_RULE), tmp_path)
    by_category = values_in_csv(
        "grounding_categories", write_categories(WITH_FURTHER_RULE), tmp_path
    )

    # All four pairs of grounded_2 pass the rule.
    share = verdict["grounding_verdict/grounded_2/further_mine_low"]
    assert (share["value"], share["low"], share["n"]) == (1, None, 4)
    assert verdict["grounding_verdict/grounded_2/further_mine_low_verdict"]["value"] is True
    assert by_category["grounding_categories/schema/db_synonyms/further_mine_low"]["value"] == 1


def test_the_share_of_a_set_of_rules_has_an_interval_and_shares_of_its_parts_have_none(
    tmp_path: Path,
) -> None:
    values = values_in_csv("grounding_verdict", write_verdict(), tmp_path)

    # One of the three pairs of schema-s0 passes R1 to R3, the set `paper`.
    # Clopper-Pearson: (1 - low)^3 = 0.975, and (1 - high)^3 + 3 high (1 - high)^2 = 0.025.
    paper = values["grounding_verdict/schema-s0/paper"]
    high = paper["high"]
    assert (paper["value"], paper["n"]) == (pytest.approx(1 / 3), 3)
    assert paper["low"] == pytest.approx(1 - 0.975 ** (1 / 3))
    assert (1 - high) ** 3 + 3 * high * (1 - high) ** 2 == pytest.approx(0.025)

    # No pair passes G1 to G4, so none passes the set `grounded` without G5.
    without_g5 = values["grounding_verdict/schema-s0/grounded_but_g5"]
    assert (without_g5["value"], without_g5["low"], without_g5["high"]) == (0, None, None)

    # The wanted column is first in none of the three pairs, so that all three count here.
    elsewhere = values["grounding_verdict/schema-s0/paper_elsewhere"]
    assert elsewhere["value"] == pytest.approx(1 / 3)
    assert (elsewhere["low"], elsewhere["high"]) == (None, None)
