"""Suspected benchmarks of a config: their files, and what a verdict can rest on."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from mechaware.instruments.radar.evidence.evidence import OPTIONAL_FIELDS
from tests.unit.doors.checks.checked_configs import (
    ITEMS,
    add_line,
    checked,
    declared_schema,
    refusal,
)


def suspected(folder: Path, *, settings: Mapping[str, Any] | None = None, **files: str) -> str:
    """A config with the benchmark `mine`, whose files are written to `folder`.

    The benchmark has six items (`ITEMS`) unless `files` gives other `items`. `files` are the texts
    of its CSV files by key, `settings` further keys of its entry.
    """
    entry: dict[str, Any] = {"model": "gpt2", **(settings or {})}
    for key, text in {"items": ITEMS, **files}.items():
        (folder / f"{key}.csv").write_text(text)
        entry[key] = f"{key}.csv"
    return yaml.safe_dump({"radar": {"suspected": {"mine": entry}}})


def control(n_items: int) -> str:
    """A control of up to six items, as long as those of the benchmark; the ids are k to p."""
    names = "klmnop"[:n_items]
    return "id,question,answer\n" + "".join(f"{name},What is {name}?,It.\n" for name in names)


@pytest.mark.parametrize("key", ["items", "control", "unseen", "seen", "corpus"])
def test_a_missing_file_of_a_benchmark_is_refused(folder: Path, key: str) -> None:
    config = suspected(
        folder,
        control=control(3),
        unseen="text\nOne.\n",
        seen="text\nTwo.\n",
        corpus="Three.\n",
    )
    checked(folder, config)
    (folder / f"{key}.csv").unlink()
    message = (
        f"config, radar/suspected/mine/{key}: no file {key}.csv (from {folder}); correct the path"
    )
    assert refusal(folder, config) == message


# The header is row 1: item c of the benchmark is in row 4, and item l of the control in row 3.
@pytest.mark.parametrize("key", ["unseen", "seen"])
@pytest.mark.parametrize(
    ("name", "place"), [("c", "items.csv, row 4"), ("l", "control.csv, row 3")]
)
def test_a_prefix_with_an_item_of_benchmark_or_control_is_refused(
    folder: Path, key: str, name: str, place: str
) -> None:
    prefixes = {"unseen": "text\nOne.\n", "seen": "text\nTwo.\n"}
    prefixes[key] += f"What is {name}? It.\n"
    refused = refusal(folder, suspected(folder, control=control(3), **prefixes))
    assert refused == f"{place}: also a text of {key}.csv; remove it from one of them"


@pytest.mark.parametrize(
    ("n_items", "reference", "confidence_level", "needed"),
    [
        # The benchmark has 6 items. With 1, 2 and 3 items of a control the smallest p-value is
        # 1 / C(7, 6) = 1/7, 1 / C(8, 6) = 1/28 and 1 / C(9, 6) = 1/84. It must not exceed 1 minus
        # the confidence level.
        (1, False, 0.95, 2),
        (2, False, 0.95, None),
        # The only test is of the detector `loss`. With a reference the detector `reference` is also
        # tested, and Holm's correction doubles the smallest p-value.
        (2, True, 0.95, 3),
        (3, True, 0.95, None),
        (1, False, 0.8, None),
        (1, True, 0.8, 2),
    ],
)
def test_a_control_with_too_few_items_for_its_tests_to_be_significant_is_refused(
    folder: Path, n_items: int, reference: bool, confidence_level: float, needed: int | None
) -> None:
    settings = {"reference": "pythia-160m"} if reference else {}
    config = suspected(folder, settings=settings, control=control(n_items))
    config += f"confidence_level: {confidence_level}\n"
    if needed is None:
        checked(folder, config)
    else:
        assert refusal(folder, config).startswith(
            f"control.csv: {n_items} items; give {needed} or more: against 6 items of the benchmark"
        )


def test_each_evidence_that_may_be_left_out_can_be_named() -> None:
    radar = declared_schema()["properties"]["radar"]
    key = radar["properties"]["optional_evidence"]
    assert key["items"]["enum"] == list(OPTIONAL_FIELDS)


@pytest.mark.parametrize("tuned", [False, True])
def test_the_base_of_a_model_with_an_adapter_counts_as_its_reference(
    folder: Path, *, tuned: bool
) -> None:
    """Two items of a control are enough for one test, and two tests need three."""
    hub = "kind: hub, label: Tuned, repo: a/b, revision: " + 40 * "a"
    adapter = ", adapter: there" if tuned else ""
    add_line(folder, "models.yaml", f"tuned: {{{hub}{adapter}}}")
    (folder / "there").mkdir()
    for name in ("adapter_config.json", "adapter_model.safetensors"):
        (folder / "there" / name).write_text("{}")
    config = suspected(folder, settings={"model": "tuned"}, control=control(2))
    if tuned:
        assert refusal(folder, config).startswith("control.csv: 2 items; give 3 or more: ")
    else:
        checked(folder, config)


# The faulty sample comes after the header and six items, or after the header and three controls.
@pytest.mark.parametrize(("file", "row"), [("items", 8), ("control", 5)])
def test_faulty_samples_are_left_out_only_if_the_config_says_so(
    folder: Path, file: str, row: int
) -> None:
    files = {"items": ITEMS, "control": control(3)}
    files[file] += "z,,\n"
    assert refusal(folder, suspected(folder, **files)).startswith(f"{file}.csv, row {row}: ")
    checked(folder, suspected(folder, settings={"skip_faulty": True}, **files))


def test_a_benchmark_without_anything_a_verdict_could_rest_on_is_refused_with_remedies(
    folder: Path,
) -> None:
    message = refusal(folder, suspected(folder))
    assert message.startswith(
        "config, radar/suspected/mine: no control, so that no verdict can follow"
    )
    for remedy in ("newer", "rewrites", "split", "random_order", "scores_only: true"):
        assert remedy in message


def test_a_control_or_a_known_truth_or_scores_only_is_enough(folder: Path) -> None:
    rows = [f"{name},What is {name}?,It.,{name < 'd'}\n" for name in "abcdef"]
    with_truth = "id,question,answer,seen\n" + "".join(rows)

    checked(folder, suspected(folder, control=control(3)))
    checked(folder, suspected(folder, items=with_truth))
    checked(folder, suspected(folder, settings={"scores_only": True}))


def test_a_random_order_is_enough_unless_the_items_are_in_alphabetical_order(folder: Path) -> None:
    shuffled = ["mole", "ant", "yak", "bee", "rook", "eel", "wren", "carp", "toad", "fox"]
    settings = {"random_order": ["items"]}

    def table(names: list[str]) -> str:
        rows = [f"{name},What is a {name}?,It.\n" for name in names]
        return "id,question,answer\n" + "".join(rows)

    checked(folder, suspected(folder, settings=settings, items=table(shuffled)))

    message = refusal(folder, suspected(folder, settings=settings, items=table(sorted(shuffled))))
    assert message.startswith("items.csv: the items are ordered by alphabet")


def test_a_corpus_without_a_text_is_refused(folder: Path) -> None:
    config = suspected(folder, settings={"scores_only": True}, corpus="\n  \n")
    assert refusal(folder, config) == "corpus.csv: no text; write one text a line"


def test_error_rates_of_a_benchmark_are_a_file_or_a_result_that_a_job_makes(folder: Path) -> None:
    (folder / "rates.csv").write_text("level\n")
    for name in ("rates.csv", "results/radar/memorisation/gpt2/calibration.csv"):
        checked(folder, suspected(folder, settings={"calibration": name, "scores_only": True}))

    missing = suspected(folder, settings={"calibration": "rate.csv", "scores_only": True})
    assert refusal(folder, missing) == (
        f"config, radar/suspected/mine/calibration: no file rate.csv (from {folder}); correct the path"
    )
