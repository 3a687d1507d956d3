"""The columns that the grounding study declares for its values are the columns
that its writers write.
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
from exhibits.report.values import _table_values
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
FURTHER = RULE_TABLE.assign(further_mine_low=True)


# What each table's writer writes of a few rows.


def accuracy() -> pd.DataFrame:
    return grounding_accuracy.fill(
        accuracy=scored().reset_index(),
        reported=read_csv(PRINTED / "grounding_accuracy.csv", REPORTED),
    ).numbers


def rules() -> pd.DataFrame:
    return grounding_rules.fill(
        comparison=compared().reset_index(),
        reported=read_csv(PRINTED / "grounding_rules.csv", REPORTED),
    ).numbers


def verdict() -> pd.DataFrame:
    return grounding_verdict.fill(verdict=verdicts().reset_index()).numbers


def categories(table: pd.DataFrame = RULE_TABLE) -> pd.DataFrame:
    return grounding_categories.fill(categories=category_table(table, ANSWERS)).numbers


def rule_sets() -> pd.DataFrame:
    scores = score_rule_sets(verdicts().reset_index(), confidence_level=0.95)
    return grounding_rule_sets.fill(rule_sets=scores).numbers


def drawn() -> pd.DataFrame:
    """Of two controls in each half one reads the wanted column;
    all have the verdicts of grounded_2.
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


def localisation() -> pd.DataFrame:
    """Two controls: the first one's set holds a block that does not read,
    the second one's set is right.
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


def lookups() -> pd.DataFrame:
    return grounding_lookups.fill(answers=answers(), **SETTINGS).numbers


WRITTEN: dict[str, Callable[[], pd.DataFrame]] = {
    "grounding_accuracy": accuracy,
    "grounding_rules": rules,
    "grounding_contrast": lambda: (
        grounding_contrast.fill(**two_models(), needed=NO_CONTRAST, confidence_level=0.95).numbers
    ),
    "grounding_models": lambda: grounding_models.fill(**two_models(), tau=0.4).numbers,
    "grounding_verdict": verdict,
    "grounding_categories": categories,
    "grounding_rule_sets": rule_sets,
    "grounding_drawn": drawn,
    "grounding_localisation": localisation,
    "grounding_lookups": lookups,
    "grounding_implied": lambda: (
        grounding_implied.fill(**printed_tables(grounding_implied)).numbers
    ),
    "reading": lambda: cut_profile(CUTS, tau=0.4, confidence_level=0.95, **DRAWS),
    "grounding_variants": lambda: pd.read_csv(MEASURED / "grounding_variants.csv"),
}


@pytest.mark.parametrize("name", VALUE_TABLES)
def test_a_table_has_the_columns_that_are_declared(name: str) -> None:
    assert sorted(WRITTEN[name]()) == sorted(VALUE_TABLES[name].columns)


def test_the_columns_of_a_rule_of_ones_own_are_values_whatever_its_name(tmp_path: Path) -> None:
    tables = {
        "grounding_verdict": verdicts(rules=FURTHER).reset_index(),
        "grounding_categories": categories(FURTHER),
    }
    values = {}
    for name, table in tables.items():
        file = tmp_path / f"{name}.csv"
        write_csv(table, file)
        values |= _table_values(file, VALUE_TABLES[name])

    share = values["grounding_verdict/grounded_2/further_mine_low"]
    assert (share["value"], share["low"], share["n"]) == (1, None, 4)
    assert values["grounding_verdict/grounded_2/further_mine_low_verdict"]["value"] is True
    assert values["grounding_categories/schema/db_synonyms/further_mine_low"]["value"] == 1


def test_a_set_of_rules_has_its_interval_and_its_neighbours_have_none(tmp_path: Path) -> None:
    file = tmp_path / "grounding_verdict.csv"
    write_csv(verdict(), file)
    values = _table_values(file, VALUE_TABLES["grounding_verdict"])

    # Of three pairs, in none of which the wanted column is first, one passes R1 to R3.
    # Clopper-Pearson: (1 - low)^3 = 0.975, and (1 - high)^3 + 3 high (1 - high)^2 = 0.025.
    paper = values["grounding_verdict/schema-s0/paper"]
    assert (paper["value"], paper["n"]) == (pytest.approx(1 / 3), 3)
    assert paper["low"] == pytest.approx(1 - 0.975 ** (1 / 3))
    assert (1 - paper["high"]) ** 3 + 3 * paper["high"] * (1 - paper["high"]) ** 2 == pytest.approx(
        0.025
    )

    for name, share in (("grounded_but_g5", 0), ("paper_elsewhere", 1 / 3)):
        beside = values[f"grounding_verdict/schema-s0/{name}"]
        assert beside["value"] == pytest.approx(share)
        assert (beside["low"], beside["high"]) == (None, None)
