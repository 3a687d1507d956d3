"""A statement's outcome follows from all its tests, and its sentence from the outcome."""

import json
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from exhibits.report.ledger import (
    OUTCOMES,
    Headline,
    read_entries,
    read_ledger,
    write_ledger,
)
from exhibits.report.reported import Reported
from exhibits.report.wording import wording
from mechaware.core.errors import UserError
from mechaware.instruments.grounding.training_conditions import COMPARED_VERDICTS, PRIMARY
from mechaware.instruments.radar.detectors.columns import KIND_READERS

LEDGER = Path(__file__).resolve().parents[3] / "paper/claims.yaml"
CHANCE = 0.5
CONFIDENCE_LEVEL = {"confidence_level": {"value": 0.95}}


def number(
    value: float, low: float | None = None, high: float | None = None, n: int = 8
) -> dict[str, Any]:
    return {"value": value, "low": low, "high": high, "n": n, "file": "results/tables/t.csv"}


def an_entry(
    *tests: dict[str, Any], controls: tuple[dict[str, Any], ...] = (), smallest: float = 0.1
) -> dict[str, Any]:
    return {
        "study": "radar",
        "question": "Does it separate them?",
        "statistic": "AUROC",
        "unit": "a seed",
        "smallest_effect": smallest,
        "fixed": "the bound",
        "tests": list(tests),
        "controls": list(controls),
        "sentences": {
            outcome: f"It is {outcome}: {{{{ value('t/a') | decimals(2) }}}}."
            for outcome in OUTCOMES
        },
    }


def headline_of(folder: Path, entry: dict[str, Any], values: dict[str, Any]) -> Headline:
    """The one headline of a ledger with this entry."""
    path = folder / "claims.yaml"
    path.write_text(yaml.safe_dump({"a-statement": entry}), encoding="utf-8")
    (headline,) = read_ledger(path, values, ["radar", "grounding"])
    return headline


A_TEST = {"cell": "t/a", "bound": CHANCE}


@pytest.mark.parametrize(
    ("low", "value", "high", "outcome"),
    [
        (0.52, 0.63, 0.74, "yes"),
        (0.50, 0.63, 0.74, "undecided"),  # an interval that touches the bound excludes nothing
        (0.28, 0.37, 0.48, "reversed"),
        (0.47, 0.53, 0.59, "no"),  # 0.6 would have been seen
        (0.47, 0.53, 0.60, "undecided"),  # 0.6 would not
    ],
)
def test_one_interval_decides(
    tmp_path: Path, low: float, value: float, high: float, outcome: str
) -> None:
    headline = headline_of(tmp_path, an_entry(A_TEST), {"t/a": number(value, low, high)})
    assert headline.outcome == outcome
    assert headline.sentence == f"It is {outcome}: {value:.2f}."


def test_the_smallest_effect_that_matters_decides_between_no_and_undecided(tmp_path: Path) -> None:
    values = {"t/a": number(0.53, 0.47, 0.59)}
    assert headline_of(tmp_path, an_entry(A_TEST, smallest=0.1), values).outcome == "no"
    assert headline_of(tmp_path, an_entry(A_TEST, smallest=0.05), values).outcome == "undecided"


def test_a_second_test_that_does_not_agree_takes_the_yes_away(tmp_path: Path) -> None:
    values = {
        "t/a": number(0.63, 0.52, 0.74),
        "t/b": number(0.55, 0.41, 0.69),
        "t/c": number(0.66, 0.54, 0.78),
    }
    with_b = an_entry(A_TEST, {"cell": "t/b", "bound": CHANCE})
    with_c = an_entry(A_TEST, {"cell": "t/c", "bound": CHANCE})
    assert headline_of(tmp_path, with_b, values).outcome == "undecided"
    assert headline_of(tmp_path, with_c, values).outcome == "yes"


def test_where_some_tests_are_reversed_and_others_show_nothing_the_answer_is_no(
    tmp_path: Path,
) -> None:
    values = {"t/a": number(0.37, 0.28, 0.48), "t/b": number(0.53, 0.47, 0.59)}
    assert (
        headline_of(tmp_path, an_entry(A_TEST, {"cell": "t/b", "bound": CHANCE}), values).outcome
        == "no"
    )


def test_a_control_that_is_not_at_chance_leaves_the_statement_undecided(tmp_path: Path) -> None:
    """A blind reader that separates the two sides as well: our own data gives the effect."""
    control = {"cell": "t/words", "bound": CHANCE}
    at_chance = {"t/a": number(0.63, 0.52, 0.74), "t/words": number(0.51, 0.44, 0.58)}
    off_chance = at_chance | {"t/words": number(0.02, 0.0, 0.05)}
    assert headline_of(tmp_path, an_entry(A_TEST, controls=(control,)), at_chance).outcome == "yes"
    assert (
        headline_of(tmp_path, an_entry(A_TEST, controls=(control,)), off_chance).outcome
        == "undecided"
    )


def test_a_control_without_an_interval_is_not_shown_to_be_at_chance(tmp_path: Path) -> None:
    entry = an_entry(A_TEST, controls=({"cell": "t/words", "bound": CHANCE},))
    values = {"t/a": number(0.63, 0.52, 0.74), "t/words": number(0.51)}
    assert headline_of(tmp_path, entry, values).outcome == "undecided"


@pytest.mark.parametrize(
    ("other", "outcome"),
    [
        (number(0.45, 0.40, 0.51), "yes"),  # 0.52 > 0.51
        (number(0.45, 0.40, 0.53), "undecided"),  # the intervals overlap, and 0.74 > 0.40 + 0.1
        (number(0.85, 0.78, 0.92), "reversed"),  # 0.74 < 0.78
        (number(0.75, 0.70, 0.80), "no"),  # 0.74 < 0.70 + 0.1
    ],
)
def test_a_number_is_compared_with_the_interval_of_another(
    tmp_path: Path, other: dict[str, Any], outcome: str
) -> None:
    entry = an_entry({"cell": "t/a", "bound": "t/other"})
    assert (
        headline_of(tmp_path, entry, {"t/a": number(0.63, 0.52, 0.74), "t/other": other}).outcome
        == outcome
    )


def test_an_auroc_in_reverse_separates_as_well(tmp_path: Path) -> None:
    """0.10 (0.02 to 0.19) in reverse is 0.90 (0.81 to 0.98)."""
    entry = an_entry({"cell": "t/a", "bound": "mirrored t/words"})
    headline = headline_of(
        tmp_path, entry, {"t/a": number(0.63, 0.52, 0.74), "t/words": number(0.10, 0.02, 0.19)}
    )
    assert (headline.tests[0].bound_low, headline.tests[0].bound_high) == pytest.approx(
        (0.81, 0.98)
    )
    assert headline.outcome == "reversed"


def test_a_number_without_an_interval_shows_nothing(tmp_path: Path) -> None:
    """As in a run of one seed."""
    assert headline_of(tmp_path, an_entry(A_TEST), {"t/a": number(0.93)}).outcome == "undecided"
    compared = an_entry({"cell": "t/a", "bound": "t/b"})
    values = {"t/a": number(0.93, 0.9, 0.96), "t/b": number(0.4)}
    assert headline_of(tmp_path, compared, values).outcome == "undecided"


def test_a_cell_with_a_star_is_every_value_of_that_form(tmp_path: Path) -> None:
    values = {
        "t/a": number(0.63, 0.52, 0.74),
        "t/s0/x": number(0.7, 0.6, 0.8),
        "t/s1/x": number(0.4, 0.3, 0.6),
    }
    headline = headline_of(tmp_path, an_entry({"cell": "t/*/x", "bound": CHANCE}), values)
    assert [test.cell for test in headline.tests] == ["t/s0/x", "t/s1/x"]
    assert headline.outcome == "undecided"


def test_beside_a_headline_is_what_the_reported_run_says_of_it(tmp_path: Path) -> None:
    headline = headline_of(tmp_path, an_entry(A_TEST), {"t/a": number(0.63, 0.52, 0.74)})
    reported = {"a-statement": Reported("undecided", "It is open.", 1.0, "0123abc", "2 CPU cores")}
    for rows, expected in (
        ({}, None),
        ({"another": reported["a-statement"]}, None),
        (reported, {"outcome": "undecided", "sentence": "It is open."}),
    ):
        write_ledger([headline], CONFIDENCE_LEVEL, rows, tmp_path / "headlines.json")
        record = json.loads((tmp_path / "headlines.json").read_text(encoding="utf-8"))
        beside = record["a-statement"]["reported"]
        assert record["a-statement"]["outcome"] == "yes"
        assert (beside and {key: beside[key] for key in ("outcome", "sentence")}) == expected


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tests": [{"cell": "t/gone", "bound": 0.5}]}, "the run has no value 't/gone'"),
        ({"tests": [{"cell": "t/a", "bound": "t/gone"}]}, "the run has no value 't/gone'"),
        ({"tests": []}, "no test; write one or more"),
        ({"unit": None}, "no 'unit'"),
        ({"remark": "?"}, "'remark' is not a key of an entry"),
        ({"sentences": {"yes": "Yes."}}, "no sentence for the outcome 'reversed'"),
        ({"sentences": dict.fromkeys(OUTCOMES, "{{ value('t/gone') }}")}, "no value 't/gone'"),
    ],
)
def test_a_build_stops_at_an_entry_that_does_not_fit_the_run(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    entry = an_entry(A_TEST) | change
    entry = {key: value for key, value in entry.items() if value is not None}
    values = {"t/a": number(0.63, 0.52, 0.74)}
    with pytest.raises(UserError, match=rf"^claims.yaml, a-statement.*{message}"):
        headline_of(tmp_path, entry, values)


def test_entries_of_a_study_that_is_left_out_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text(yaml.safe_dump({"a-statement": an_entry(A_TEST)}), encoding="utf-8")
    assert read_ledger(path, {}, ["grounding"]) == []


@pytest.mark.parametrize(("needed", "kept"), [("t/b", 0), ("t/a", 1)])
def test_an_entry_that_needs_a_value_of_a_larger_run_is_left_out_of_a_smaller_one(
    tmp_path: Path, needed: str, kept: int
) -> None:
    path = tmp_path / "claims.yaml"
    entry = an_entry({"cell": needed, "bound": CHANCE}) | {"needs": needed}
    path.write_text(yaml.safe_dump({"a-statement": entry}), encoding="utf-8")
    assert len(read_ledger(path, {"t/a": number(0.63, 0.52, 0.74)}, ["radar"])) == kept


def test_the_ledger_in_files_has_each_test_with_its_numbers(tmp_path: Path) -> None:
    headline = headline_of(tmp_path, an_entry(A_TEST), {"t/a": number(0.63, 0.52, 0.74, n=11)})
    write_ledger([headline], CONFIDENCE_LEVEL, {}, tmp_path / "headlines.json")
    record = json.loads((tmp_path / "headlines.json").read_text(encoding="utf-8"))["a-statement"]
    assert (record["outcome"], record["sentence"]) == ("yes", "It is yes: 0.63.")
    # The lower half of the interval, 0.11, may be 0.13 / 0.11 times as long:
    # 2 * (1 - Phi(1.96 * 1.18)).
    assert record["p"] == record["p_holm"] == pytest.approx(0.0205, abs=1e-4)
    assert record["tests"] == [
        {
            "cell": "t/a",
            "value": 0.63,
            "low": 0.52,
            "high": 0.74,
            "bound_low": 0.5,
            "bound_high": 0.5,
        }
        | {"bound": "0.5", "n": 11}
    ]


BLIND_READERS = ("length", "zlib_bytes", "bag_of_words")
TRAINING = ("radar-training-reasoning", "radar-training-recall", "radar-weaker-than-loss")


def blind_cell(reader: str, cell: str) -> str:
    """The name of a blind reader's AUROC on the items of another detector's `cell`."""
    study, _, *items = cell.split("/")
    return "/".join([study, reader, *items])


@pytest.mark.parametrize("name", TRAINING)
def test_a_statement_on_training_has_each_blind_reader_of_its_items_as_a_control(name: str) -> None:
    """A blind reader sees question and answer, and no model:
    on planted items it can be right only by our own doing.
    """
    entry = read_entries(LEDGER)[name]
    controls = {(control["cell"], control["bound"]) for control in entry["controls"]}
    cells = [test["cell"] for test in entry["tests"]]
    assert controls == {
        (blind_cell(blind, cell), CHANCE) for blind in BLIND_READERS for cell in cells
    }


def test_a_mean_at_chance_that_hides_a_rise_and_a_fall_is_not_no_effect(tmp_path: Path) -> None:
    """Without the items read 16 times every test would say that training does not raise the
    probability of recall.
    """
    entry = dict(read_entries(LEDGER)["radar-training-recall"])
    radar = "memorisation_detectors/radar/recall"
    fell = number(0.38, 0.3, 0.46)
    rose = number(0.58, 0.54, 0.62)
    values = {
        f"{radar}/all/0/auroc": number(0.51, 0.48, 0.54),
        f"{radar}/verbatim/16/auroc": rose,
        f"{radar}/paraphrase/16/auroc": rose,
        f"{radar}/verbatim/64/auroc": fell,
        f"{radar}/paraphrase/64/auroc": fell,
        f"{radar}/contradicted/64/auroc": fell,
    }
    assert {test["cell"] for test in entry["tests"]} == set(values)
    values |= {control["cell"]: number(0.5, 0.5, 0.5) for control in entry["controls"]}

    stated = headline_of(tmp_path, entry, values)
    assert stated.outcome == "undecided"
    assert "0.51 over all items, 0.58 (verbatim) and 0.58 (reworded) after 16 readings" in (
        stated.sentence
    )

    values[f"{radar}/verbatim/16/auroc"] = values[f"{radar}/paraphrase/16/auroc"] = fell
    assert headline_of(tmp_path, entry, values).outcome == "no"


@pytest.mark.parametrize("lifted", [0, 3, 5])
def test_the_loss_is_no_stronger_sign_of_training_where_a_blind_reader_sees_it_too(
    tmp_path: Path, lifted: int
) -> None:
    entry = dict(read_entries(LEDGER)["radar-weaker-than-loss"])
    values = {}
    for test in entry["tests"]:
        values[test["cell"]] = number(0.75, 0.72, 0.78)
        values[test["bound"]] = number(0.53, 0.49, 0.57)
    values[entry["tests"][1]["bound"]] = number(0.48, 0.44, 0.52)
    controls = [control["cell"] for control in entry["controls"]]
    values |= {control: number(0.5, 0.5, 0.5) for control in controls}
    sentence = (
        "The question's loss ranks seen above unseen items with AUROC 0.75 (reasoning) and 0.75 (recall); "
        "RADAR has 0.53 and 0.48."
    )
    assert headline_of(tmp_path, entry, values).sentence == sentence

    values[controls[lifted]] = number(0.61, 0.51, 0.71)
    turned = headline_of(tmp_path, entry, values)
    assert turned.outcome == "undecided"
    assert (
        turned.sentence
        == "Whether the question's loss is a stronger sign of training than RADAR is open."
    )


def test_the_sentence_on_variants_prints_the_leads_of_all_that_were_measured() -> None:
    measured = pd.read_csv(LEDGER.parents[1] / "docs/measured/grounding_variants.csv")
    sentence = read_entries(LEDGER)["printed-order-in-other-models"]["sentences"]["undecided"]
    compared = measured[measured["run"].str.startswith("no_schema")]
    for reading in ("variant_leads", "variant_leads_by_method"):
        printed = set(re.findall(rf"{reading}/(\w+)", sentence))
        assert printed == set(compared["variant"])
        assert len(printed) == 7


def inside_cell(dose: int, quantity: str) -> str:
    """The value on the surface features beside the output,
    for reasoning items that were paraphrased.
    """
    return (
        f"memorisation_inside/output_with_surface/reasoning/paraphrase/{dose}/confirming/{quantity}"
    )


@pytest.mark.parametrize(
    ("lead_at_4", "outcome"),
    [
        (number(0.041, 0.031, 0.051, n=11), "yes"),
        # No test for itself: it takes the statement away from the two that agree.
        (number(0.001, -0.03, 0.032, n=11), "undecided"),
    ],
)
def test_the_inside_adds_to_the_output_only_if_it_does_at_every_number_of_readings(
    tmp_path: Path, lead_at_4: dict[str, Any], outcome: str
) -> None:
    entry = dict(read_entries(LEDGER)["inside-beyond-output"])
    leads = {
        4: lead_at_4,
        16: number(0.052, 0.042, 0.062, n=11),
        64: number(0.063, 0.053, 0.073, n=11),
    }
    values = {inside_cell(dose, "lead"): lead for dose, lead in leads.items()}
    assert {test["cell"] for test in entry["tests"]} == set(values)

    values[inside_cell(16, "looked_at")] = number(0, None, None)
    for dose in leads:
        for blind in BLIND_READERS:
            cell = f"memorisation_detectors/{blind}/reasoning/paraphrase/{dose}/auroc"
            values[cell] = number(0.5, 0.5, 0.5)
    stated = headline_of(tmp_path, entry, values)
    assert stated.outcome == outcome
    assert len(stated.controls) == 3 * 3
    assert (
        "adds 0.052 (0.042 to 0.062) to the AUROC of items read 16 times, the number that was fixed beforehand, "
    ) in stated.sentence
    assert "and 0.063 (0.053 to 0.073) at 64 (11 seeds that had not been looked at)." in (
        stated.sentence
    )

    # A blind reader that finds the items of one dose takes the statement away.
    values["memorisation_detectors/bag_of_words/reasoning/paraphrase/64/auroc"] = number(
        0.7, 0.6, 0.8
    )
    assert headline_of(tmp_path, entry, values).outcome == "undecided"


# What each design sets, and so no control of it.
KIND_STATEMENTS = {
    "radar-kind-beyond-words": ("memorisation_kinds/", set()),
    "radar-kind-crossed-words": ("memorisation_kinds/crossed/", {"question_frequency"}),
    "radar-kind-names-as-answers": ("memorisation_kinds/names/", set()),
}


@pytest.mark.parametrize("name", KIND_STATEMENTS)
def test_a_statement_on_kinds_has_each_blind_reader_of_the_question_as_a_control(name: str) -> None:
    prefix, is_set = KIND_STATEMENTS[name]
    fitted = {
        "question_frequency_fitted"
    }  # a rival where frequencies differ, and nothing where they do not
    readers = {reader for reader in KIND_READERS if reader.startswith("question_")} - fitted
    controls = {
        (control["cell"], control["bound"]) for control in read_entries(LEDGER)[name]["controls"]
    }
    assert controls == {(f"{prefix}{reader}/auroc", CHANCE) for reader in readers - is_set}


@pytest.mark.parametrize(
    ("frequency", "outcome"),
    [((0.001, 0.0, 0.002), "undecided"), ((0.51, 0.46, 0.56), "yes")],
)
def test_radar_tells_no_kinds_where_the_frequency_of_their_words_tells_them(
    tmp_path: Path, frequency: tuple[float, float, float], outcome: str
) -> None:
    """The numbers of a base that read 7,392 questions for facts and 12,544 for the rule,
    and of a balanced one.
    """
    entry = dict(read_entries(LEDGER)["radar-kind-beyond-words"])
    values = {test["cell"]: number(0.5, 0.45, 0.55) for test in entry["controls"]}
    values |= {
        "memorisation_kinds/radar/auroc": number(0.997, 0.99, 1.0),
        "memorisation_kinds/question_frequency/auroc": number(*frequency),
    }
    assert headline_of(tmp_path, entry, values).outcome == outcome


@pytest.mark.parametrize(
    ("two_prompts", "outcome"), [((0.07, 0.02, 0.12), "yes"), ((0.2, 0.1, 0.3), "undecided")]
)
def test_pairs_tell_readers_only_if_they_do_at_every_share_of_words(
    tmp_path: Path, two_prompts: tuple[float, float, float], outcome: str
) -> None:
    """Where a quarter of the words is read, the interval of pairs, 0.15 to 0.39,
    may overlap that of two prompts.
    """
    entry = dict(read_entries(LEDGER)["pairs-tell-readers"])
    values = {}
    for control in ("all", "half"):
        values[f"grounding_lookups/reads_{control}/moves"] = number(0.8, 0.7, 0.9)
        values[f"grounding_lookups/reads_{control}/two_differ"] = number(0.2, 0.1, 0.3)
    quarter = "grounding_lookups/reads_quarter"
    values[f"{quarter}/moves"] = number(0.27, 0.15, 0.39)
    values[f"{quarter}/two_differ"] = number(*two_prompts)
    values[f"{quarter}/prompts_needed"] = number(47.0, 26.0, 137.0)
    values[f"{quarter}/pairs_needed"] = number(6.0, 4.0, 10.0)
    values["lookup_power"] = number(0.9)
    headline = headline_of(tmp_path, entry, values)
    assert headline.outcome == outcome
    if outcome == "yes":
        assert headline.sentence.endswith(
            "6 pairs (4 to 10) do what takes 47 prompts (26 to 137), at power 90%."
        )


def test_every_reading_of_the_three_rules_bears_on_the_printed_order() -> None:
    """The paper does not print which reading of R1 to R3 it took:
    one has an entry, the others have one together.
    """
    entries = read_entries(LEDGER)
    others = {name for name in COMPARED_VERDICTS if name.startswith("r3")} - {PRIMARY}
    for entry, names in (
        ("printed-order-reproduced", {PRIMARY}),
        ("printed-order-in-other-readings", others),
    ):
        tests = entries[entry]["tests"]
        cells = {f"grounding_contrast/all/{name}/difference" for name in names}
        assert {test["cell"] for test in tests} == cells
        assert {test["bound"] for test in tests} == {0}


def test_counts_in_sentences_follow_the_values_and_are_words_up_to_ten() -> None:
    values = {f"leads/{name}": number(0.1) for name in ("a", "b", "c")}
    values |= {"other/a": number(0.1), "leads/without": number(0.1) | {"value": None}}
    sentences = wording(values)
    assert sentences.from_string('{{ count("leads/*") | in_words }}').render() == "three"
    assert sentences.from_string('{{ count("*/a") | in_words }}').render() == "two"
    assert (
        sentences.from_string("{{ 10 | in_words }} and {{ 11 | in_words }}").render()
        == "ten and 11"
    )


def test_the_ledger_types_no_count_of_variants_or_effects() -> None:
    entries = read_entries(LEDGER)
    for name in ("text-and-table-differ", "printed-order-in-other-models"):
        for sentence in entries[name]["sentences"].values():
            typed = re.sub(r"\{[{%].*?[%}]\}", "", sentence, flags=re.DOTALL)
            assert not re.findall(r"\b(?:two|three|four|five|six|seven|eight)\b", typed)
