"""What the paper's statements rest on: the tests, controls and sentences of paper/claims.yaml.

Each statement is an entry of this ledger. Most tests here compute its outcome from values that are
written by hand.
"""

import re
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

from exhibits.report.ledger import read_entries
from exhibits.report.values import Value
from mechaware.instruments.grounding.training_conditions import COMPARED_VERDICTS, PRIMARY
from mechaware.instruments.radar.detectors.columns import KIND_READERS
from tests.exhibits.report.headlines_by_hand import CHANCE, headline_of, run_value

REPOSITORY = Path(__file__).resolve().parents[3]
# Detectors of question and answer that read no model: on planted items they can be right only if
# the plant itself gives away which items were seen.
BLIND_READERS = ("length", "zlib_bytes", "bag_of_words")


def entry_of(name: str) -> dict[str, Any]:
    """The entry of a statement in the paper's ledger."""
    return dict(read_entries(REPOSITORY / "paper/claims.yaml")[name])


def cells_of_tests(entry: dict[str, Any]) -> set[str]:
    """The values that an entry compares with bounds."""
    return {test["cell"] for test in entry["tests"]}


def controls_of(entry: dict[str, Any]) -> set[tuple[str, float]]:
    """The cell and the bound of each control of an entry."""
    return {(control["cell"], control["bound"]) for control in entry["controls"]}


def controls_at_chance(entry: dict[str, Any]) -> dict[str, Value]:
    """A value for each control of an entry, at chance without an error."""
    return {control["cell"]: run_value(0.5, 0.5, 0.5) for control in entry["controls"]}


def auroc_of(reader: str, cell: str) -> str:
    """The AUROC of a reader on the items of another detector's AUROC.

    For the reader length, memorisation_detectors/radar/recall/all/0/auroc becomes
    memorisation_detectors/length/recall/all/0/auroc.
    """
    table, _detector, *items = cell.split("/")
    return "/".join([table, reader, *items])


@pytest.mark.parametrize(
    "name", ["radar-training-reasoning", "radar-training-recall", "radar-weaker-than-loss"]
)
def test_a_statement_on_training_has_each_blind_reader_of_its_items_as_a_control(name: str) -> None:
    entry = entry_of(name)
    expected = set()
    for cell in cells_of_tests(entry):
        expected |= {(auroc_of(reader, cell), CHANCE) for reader in BLIND_READERS}

    assert controls_of(entry) == expected


def test_a_mean_at_chance_over_a_rise_and_a_fall_is_not_called_no_effect(tmp_path: Path) -> None:
    """The probability of recall rises for items that were read 16 times, and falls for items that
    were read 64 times.
    """
    entry = entry_of("radar-training-recall")
    radar = "memorisation_detectors/radar/recall"
    risen = run_value(0.58, 0.54, 0.62)
    fallen = run_value(0.38, 0.3, 0.46)
    values = {
        f"{radar}/all/0/auroc": run_value(0.51, 0.48, 0.54),
        f"{radar}/verbatim/16/auroc": risen,
        f"{radar}/paraphrase/16/auroc": risen,
        f"{radar}/verbatim/64/auroc": fallen,
        f"{radar}/paraphrase/64/auroc": fallen,
        f"{radar}/contradicted/64/auroc": fallen,
    }
    assert cells_of_tests(entry) == set(values)
    values |= controls_at_chance(entry)

    headline = headline_of(tmp_path, entry, values)

    assert headline.outcome == "undecided"
    numbers = "0.51 over all items, 0.58 (verbatim) and 0.58 (reworded) after 16 readings"
    assert numbers in headline.sentence

    # Without the rise no test would show that training raises the probability.
    values[f"{radar}/verbatim/16/auroc"] = fallen
    values[f"{radar}/paraphrase/16/auroc"] = fallen
    assert headline_of(tmp_path, entry, values).outcome == "no"


def loss_and_radar() -> dict[str, Value]:
    """Values by which the question's loss separates seen from unseen items better than RADAR, with
    all controls of the statement at chance.
    """
    loss = "memorisation_detectors/question_loss"
    radar = "memorisation_detectors/radar"
    return {
        f"{loss}/reasoning/all/0/auroc": run_value(0.75, 0.72, 0.78),
        f"{radar}/reasoning/all/0/auroc": run_value(0.53, 0.49, 0.57),
        f"{loss}/recall/all/0/auroc": run_value(0.75, 0.72, 0.78),
        f"{radar}/recall/all/0/auroc": run_value(0.48, 0.44, 0.52),
    } | controls_at_chance(entry_of("radar-weaker-than-loss"))


def test_the_loss_is_a_stronger_sign_of_training_where_blind_readers_are_at_chance(
    tmp_path: Path,
) -> None:
    headline = headline_of(tmp_path, entry_of("radar-weaker-than-loss"), loss_and_radar())

    assert headline.sentence == (
        "The question's loss ranks seen above unseen items with AUROC 0.75 (reasoning) and 0.75 (recall); "
        "RADAR has 0.53 and 0.48."
    )


@pytest.mark.parametrize(
    "items",
    ["length/reasoning", "length/recall", "bag_of_words/recall"],
)
def test_the_loss_is_no_stronger_sign_of_training_where_a_blind_reader_sees_it_too(
    tmp_path: Path, items: str
) -> None:
    cell = f"memorisation_detectors/{items}/all/0/auroc"
    values = loss_and_radar()
    assert cell in values
    values[cell] = run_value(0.61, 0.51, 0.71)

    headline = headline_of(tmp_path, entry_of("radar-weaker-than-loss"), values)

    assert headline.outcome == "undecided"
    assert headline.sentence == (
        "Whether the question's loss is a stronger sign of training than RADAR is open."
    )


@pytest.mark.parametrize("table", ["variant_leads", "variant_leads_by_method"])
def test_the_sentence_on_variants_prints_the_lead_of_each_measured_variant(table: str) -> None:
    measured = pd.read_csv(REPOSITORY / "docs/measured/grounding_variants.csv")
    # A lead compares models that were trained with the schema with models trained without.
    has_lead = measured["run"].str.startswith("no_schema")
    variants = set(measured.loc[has_lead, "variant"])
    sentence = entry_of("printed-order-in-other-models")["sentences"]["undecided"]

    printed = set(re.findall(rf"{table}/(\w+)", sentence))

    assert printed == variants
    assert len(printed) == 7


def lead_of_inside(dose: int) -> str:
    """The lead of surface features over the output alone, for reasoning items that were read in
    other words `dose` times.
    """
    return f"memorisation_inside/output_with_surface/reasoning/paraphrase/{dose}/confirming/lead"


def blind_cell_of_inside(reader: str, dose: int) -> str:
    """The AUROC of a blind reader on the items of `lead_of_inside`."""
    return f"memorisation_detectors/{reader}/reasoning/paraphrase/{dose}/auroc"


def values_of_inside() -> dict[str, Value]:
    """Values by which surface features add to the output at every number of readings, in eleven
    seeds that had not been looked at.
    """
    values = {
        lead_of_inside(4): run_value(0.041, 0.031, 0.051, n=11),
        lead_of_inside(16): run_value(0.052, 0.042, 0.062, n=11),
        lead_of_inside(64): run_value(0.063, 0.053, 0.073, n=11),
    }
    looked_at = lead_of_inside(16).replace("/lead", "/looked_at")
    values[looked_at] = run_value(0)
    for dose in (4, 16, 64):
        for reader in BLIND_READERS:
            values[blind_cell_of_inside(reader, dose)] = run_value(0.5, 0.5, 0.5)
    return values


def test_the_inside_adds_to_the_output_if_it_does_at_every_number_of_readings(
    tmp_path: Path,
) -> None:
    entry = entry_of("inside-beyond-output")
    assert cells_of_tests(entry) == {lead_of_inside(4), lead_of_inside(16), lead_of_inside(64)}

    headline = headline_of(tmp_path, entry, values_of_inside())

    assert headline.outcome == "yes"
    # Three blind readers at three numbers of readings.
    assert len(headline.controls) == 3 * 3


def test_the_inside_is_undecided_if_it_adds_nothing_at_one_number_of_readings(
    tmp_path: Path,
) -> None:
    values = values_of_inside()
    values[lead_of_inside(4)] = run_value(0.001, -0.03, 0.032, n=11)

    headline = headline_of(tmp_path, entry_of("inside-beyond-output"), values)

    assert headline.outcome == "undecided"


@pytest.mark.parametrize("lead_at_4", [0.041, 0.001], ids=["yes", "undecided"])
def test_the_sentence_on_the_inside_prints_the_leads_and_the_seeds(
    tmp_path: Path, lead_at_4: float
) -> None:
    values = values_of_inside()
    values[lead_of_inside(4)] = run_value(lead_at_4, lead_at_4 - 0.01, lead_at_4 + 0.01, n=11)

    sentence = headline_of(tmp_path, entry_of("inside-beyond-output"), values).sentence

    assert (
        "adds 0.052 (0.042 to 0.062) to the AUROC of items read 16 times, the number that was fixed beforehand, "
    ) in sentence
    assert "and 0.063 (0.053 to 0.073) at 64 (11 seeds that had not been looked at)." in sentence


def test_the_inside_is_undecided_if_a_blind_reader_finds_the_items_of_one_dose(
    tmp_path: Path,
) -> None:
    values = values_of_inside()
    values[blind_cell_of_inside("bag_of_words", 64)] = run_value(0.7, 0.6, 0.8)

    headline = headline_of(tmp_path, entry_of("inside-beyond-output"), values)

    assert headline.outcome == "undecided"


class KindStatement(NamedTuple):
    """A statement on whether RADAR tells recall from reasoning questions.

    Attributes:
        name: The name of its entry.
        prefix: The beginning of the names of its values.
        set_by_design: The readers of the question whose AUROC its plant sets, and which are
            therefore no controls.
    """

    name: str
    prefix: str
    set_by_design: frozenset[str] = frozenset()


@pytest.mark.parametrize(
    "statement",
    [
        KindStatement("radar-kind-beyond-words", "memorisation_kinds/"),
        KindStatement(
            "radar-kind-crossed-words",
            "memorisation_kinds/crossed/",
            set_by_design=frozenset({"question_frequency"}),
        ),
        KindStatement("radar-kind-names-as-answers", "memorisation_kinds/names/"),
    ],
    ids=lambda statement: statement.name,
)
def test_a_statement_on_kinds_has_each_blind_reader_of_the_question_as_a_control(
    statement: KindStatement,
) -> None:
    readers = {reader for reader in KIND_READERS if reader.startswith("question_")}
    # A rival where the frequencies of the kinds differ; where they do not, it has nothing to learn.
    readers.remove("question_frequency_fitted")
    expected = set()
    for reader in readers - statement.set_by_design:
        expected.add((f"{statement.prefix}{reader}/auroc", CHANCE))

    assert controls_of(entry_of(statement.name)) == expected


@pytest.mark.parametrize(
    ("frequency", "outcome"),
    [
        # A clean base that has read 7,392 questions for facts and 12,544 for the rule.
        pytest.param(run_value(0.001, 0.0, 0.002), "undecided", id="unequal frequencies"),
        # A base in whose texts the words of both kinds are equally frequent.
        pytest.param(run_value(0.51, 0.46, 0.56), "yes", id="equal frequencies"),
    ],
)
def test_radar_is_not_said_to_tell_kinds_where_the_frequency_of_their_words_tells_them(
    tmp_path: Path, frequency: Value, outcome: str
) -> None:
    entry = entry_of("radar-kind-beyond-words")
    values = {control["cell"]: run_value(0.5, 0.45, 0.55) for control in entry["controls"]}
    values["memorisation_kinds/radar/auroc"] = run_value(0.997, 0.99, 1.0)
    values["memorisation_kinds/question_frequency/auroc"] = frequency

    assert headline_of(tmp_path, entry, values).outcome == outcome


def values_of_lookups(*, two_prompts_of_quarter: Value) -> dict[str, Value]:
    """Shares of pairs that tell a reader of the schema from a look-up, beside the probability that
    two prompts do, for controls that read the schema for all words, for half or for a quarter.
    """
    table = "grounding_lookups"
    return {
        f"{table}/reads_all/moves": run_value(0.8, 0.7, 0.9),
        f"{table}/reads_all/two_differ": run_value(0.2, 0.1, 0.3),
        f"{table}/reads_half/moves": run_value(0.8, 0.7, 0.9),
        f"{table}/reads_half/two_differ": run_value(0.2, 0.1, 0.3),
        f"{table}/reads_quarter/moves": run_value(0.27, 0.15, 0.39),
        f"{table}/reads_quarter/two_differ": two_prompts_of_quarter,
        f"{table}/reads_quarter/prompts_needed": run_value(47.0, 26.0, 137.0),
        f"{table}/reads_quarter/pairs_needed": run_value(6.0, 4.0, 10.0),
        "lookup_power": run_value(0.9),
    }


def test_pairs_tell_readers_if_they_do_at_every_share_of_words(tmp_path: Path) -> None:
    values = values_of_lookups(two_prompts_of_quarter=run_value(0.07, 0.02, 0.12))
    headline = headline_of(tmp_path, entry_of("pairs-tell-readers"), values)

    assert headline.outcome == "yes"
    assert headline.sentence.endswith(
        "6 pairs (4 to 10) do what takes 47 prompts (26 to 137), at power 90%."
    )


def test_whether_pairs_tell_readers_is_open_if_the_intervals_overlap_at_one_share_of_words(
    tmp_path: Path,
) -> None:
    """For a quarter of the words the interval of pairs is 0.15 to 0.39."""
    values = values_of_lookups(two_prompts_of_quarter=run_value(0.2, 0.1, 0.3))

    assert headline_of(tmp_path, entry_of("pairs-tell-readers"), values).outcome == "undecided"


OTHER_READINGS = {name for name in COMPARED_VERDICTS if name.startswith("r3")} - {PRIMARY}


@pytest.mark.parametrize(
    ("name", "readings"),
    [
        ("printed-order-reproduced", {PRIMARY}),
        ("printed-order-in-other-readings", OTHER_READINGS),
    ],
)
def test_every_reading_of_r1_to_r3_is_tested_for_the_printed_order(
    name: str, readings: set[str]
) -> None:
    """The paper does not print which reading of its rules it took.

    The reading by its method has a statement of its own, and all others have a statement together.
    """
    entry = entry_of(name)

    assert cells_of_tests(entry) == {
        f"grounding_contrast/all/{reading}/difference" for reading in readings
    }
    assert {test["bound"] for test in entry["tests"]} == {0}


@pytest.mark.parametrize("name", ["text-and-table-differ", "printed-order-in-other-models"])
def test_counts_of_effects_and_variants_are_computed_and_not_written_out(name: str) -> None:
    for sentence in entry_of(name)["sentences"].values():
        written_out = re.sub(r"\{[{%].*?[%}]\}", "", sentence, flags=re.DOTALL)
        assert not re.findall(r"\b(?:two|three|four|five|six|seven|eight)\b", written_out)
