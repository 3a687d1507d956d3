"""Suspected benchmarks, with their controls, texts and error rates, that the check of a config accepts and refuses."""

import io
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from mechaware.instruments.radar.evidence.evidence import OPTIONAL_FIELDS
from tests.unit.doors.checks.small_config import (
    REPOSITORY,
    add_line,
    benchmark_csv,
    checked,
    declared_schema,
    refusal,
)

ITEMS = benchmark_csv("abcdef")


def suspected(folder: Path, *, settings: Mapping[str, Any] | None = None, **files: str) -> str:
    """A config with a suspected benchmark: by default the six items of `ITEMS`, asked of gpt2.

    Args:
        folder: Where the files are written.
        settings: Further settings of its entry, such as skip_faulty.
        files: By the key of the entry (items, control, unseen, seen, corpus), the text of the file that it names.
    """
    entry: dict[str, Any] = {"model": "gpt2", **(settings or {})}
    for key, text in ({"items": ITEMS} | files).items():
        (folder / f"{key}.csv").write_text(text)
        entry[key] = f"{key}.csv"
    return yaml.safe_dump({"radar": {"suspected": {"mine": entry}}})


def control(n_items: int) -> str:
    """Items of the length of those of the benchmark, named from k on."""
    return benchmark_csv("klmnop"[:n_items])


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


@pytest.mark.parametrize("key", ["unseen", "seen"])
@pytest.mark.parametrize(
    ("name", "place"), [("c", "items.csv, row 4"), ("l", "control.csv, row 3")]
)
def test_a_prefix_with_an_item_of_benchmark_or_control_is_refused(
    folder: Path, key: str, name: str, place: str
) -> None:
    """Item c is the third of the benchmark, and item l the second of the control, behind a header each."""
    prefixes = {"unseen": "text\nOne.\n", "seen": "text\nTwo.\n"}
    prefixes[key] += f"What is {name}? It.\n"

    message = refusal(folder, suspected(folder, control=control(3), **prefixes))

    assert message == f"{place}: also a text of {key}.csv; remove it from one of them"


def with_control_of(
    folder: Path, n_items: int, *, has_reference: bool, confidence_level: float
) -> str:
    """A config with a control of so many items, and with a reference model or without one."""
    settings = {"reference": "pythia-160m"} if has_reference else {}
    config = suspected(folder, settings=settings, control=control(n_items))
    return f"{config}confidence_level: {confidence_level}\n"


# The benchmark has 6 items. Of 6 + m items, m of them the control's, the smallest p-value of a permutation test is
# 1 / C(6 + m, 6): 1/7, 1/28 and 1/84 for 1, 2 and 3. With a reference there are two tests, each held to half the level.
@pytest.mark.parametrize(
    ("n_items", "has_reference", "confidence_level", "needed"),
    [
        pytest.param(1, False, 0.95, 2, id="1/7 against 0.05"),
        pytest.param(2, True, 0.95, 3, id="1/28 against 0.025"),
        pytest.param(1, True, 0.8, 2, id="1/7 against 0.1"),
    ],
)
def test_a_control_of_so_few_items_that_its_tests_cannot_reach_the_level_is_refused(
    folder: Path, n_items: int, has_reference: bool, confidence_level: float, needed: int
) -> None:
    config = with_control_of(
        folder, n_items, has_reference=has_reference, confidence_level=confidence_level
    )

    assert refusal(folder, config).startswith(
        f"control.csv: {n_items} items; give {needed} or more: against 6 items of the benchmark"
    )


@pytest.mark.parametrize(
    ("n_items", "has_reference", "confidence_level"),
    [
        pytest.param(2, False, 0.95, id="1/28 against 0.05"),
        pytest.param(3, True, 0.95, id="1/84 against 0.025"),
        pytest.param(1, False, 0.8, id="1/7 against 0.2"),
    ],
)
def test_a_control_of_as_many_items_as_its_tests_need_is_accepted(
    folder: Path, n_items: int, has_reference: bool, confidence_level: float
) -> None:
    config = with_control_of(
        folder, n_items, has_reference=has_reference, confidence_level=confidence_level
    )

    checked(folder, config)


def test_each_evidence_that_may_be_left_out_can_be_named() -> None:
    radar = declared_schema()["properties"]["radar"]
    key = radar["properties"]["optional_evidence"]

    assert key["items"]["enum"] == list(OPTIONAL_FIELDS)


def suspected_of_hub_model(folder: Path, adapter: str) -> str:
    """A config whose benchmark is asked of a hub model with a further key, beside a control of two items."""
    entry = f"kind: hub, label: Tuned, repo: a/b, revision: {40 * 'a'}{adapter}"
    add_line(folder, "models.yaml", f"tuned: {{{entry}}}")
    return suspected(folder, settings={"model": "tuned"}, control=control(2))


def test_the_base_of_a_model_with_an_adapter_counts_as_its_reference(folder: Path) -> None:
    """Two items of a control are enough for one test, and the two tests with a reference need three."""
    (folder / "there").mkdir()
    for name in ("adapter_config.json", "adapter_model.safetensors"):
        (folder / "there" / name).write_text("{}")
    config = suspected_of_hub_model(folder, adapter=", adapter: there")

    assert refusal(folder, config).startswith("control.csv: 2 items; give 3 or more: ")


def test_a_model_without_an_adapter_has_no_reference_of_its_own(folder: Path) -> None:
    checked(folder, suspected_of_hub_model(folder, adapter=""))


@pytest.mark.parametrize(("file", "row"), [("items", 8), ("control", 5)])
def test_faulty_samples_are_left_out_only_if_the_config_says_so(
    folder: Path, file: str, row: int
) -> None:
    """The item z, without a text, is the last row of its file, after the header and six or three items."""
    files = {"items": ITEMS, "control": control(3)}
    files[file] += "z,,\n"

    assert refusal(folder, suspected(folder, **files)).startswith(f"{file}.csv, row {row}: ")

    checked(folder, suspected(folder, settings={"skip_faulty": True}, **files))


def test_a_benchmark_on_which_no_verdict_could_rest_is_refused_with_what_to_bring(
    folder: Path,
) -> None:
    message = refusal(folder, suspected(folder))
    assert message.startswith(
        "config, radar/suspected/mine: no control, so that no verdict can follow"
    )

    for remedy in ("newer", "rewrites", "split", "random_order", "scores_only: true"):
        assert remedy in message


def test_a_control_the_truth_or_no_wish_for_a_verdict_is_enough(folder: Path) -> None:
    with_truth = pd.read_csv(io.StringIO(ITEMS)).assign(
        seen=[True, True, True, False, False, False]
    )

    checked(folder, suspected(folder, settings={"scores_only": True}))
    checked(folder, suspected(folder, control=control(3)))
    checked(folder, suspected(folder, items=with_truth.to_csv(index=False)))


ANIMALS = ["mole", "ant", "yak", "bee", "rook", "eel", "wren", "carp", "toad", "fox"]


def in_random_order(folder: Path, names: list[str]) -> str:
    """A config of a benchmark without a control whose items are said to be in a random order."""
    rows = [f"{name},What is a {name}?,It." for name in names]
    items = "\n".join(["id,question,answer", *rows]) + "\n"
    return suspected(folder, settings={"random_order": ["items"]}, items=items)


def test_a_random_order_is_enough(folder: Path) -> None:
    checked(folder, in_random_order(folder, ANIMALS))


def test_an_order_that_follows_from_the_file_is_not_random(folder: Path) -> None:
    message = refusal(folder, in_random_order(folder, sorted(ANIMALS)))

    assert message.startswith("items.csv: the items are ordered by alphabet")


def test_a_corpus_without_a_text_is_refused(folder: Path) -> None:
    config = suspected(folder, settings={"scores_only": True}, corpus="\n  \n")

    assert refusal(folder, config) == "corpus.csv: no text; write one text a line"


def test_error_rates_of_a_benchmark_are_a_file_or_a_result_that_a_job_makes(folder: Path) -> None:
    (folder / "rates.csv").write_text("level\n")

    def with_rates(name: str) -> str:
        return suspected(folder, settings={"calibration": name, "scores_only": True})

    checked(folder, with_rates("rates.csv"))
    checked(folder, with_rates("results/radar/memorisation/gpt2/calibration.csv"))
    assert refusal(folder, with_rates("rate.csv")) == (
        f"config, radar/suspected/mine/calibration: no file rate.csv (from {folder}); correct the path"
    )


def test_files_in_the_home_folder_are_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = folder / "home"
    monkeypatch.setenv("HOME", str(home))
    (home / "model").mkdir(parents=True)
    (home / "items.csv").write_text(ITEMS)
    (home / "rates.csv").write_text("level\n")
    (home / "paper.txt").write_text("Head 3.1 moves the subject.")
    shutil.copy(REPOSITORY / "examples/ioi.csv", home / "pairs.csv")
    add_line(folder, "papers.csv", "own,file,~/paper.txt,A paper,,")
    checked(
        folder,
        "radar: {suspected: {mine: {items: ~/items.csv, model: gpt2, calibration: ~/rates.csv, scores_only: true}}}\n"
        "grounding: {pairs: {task: {table: ~/pairs.csv, model: gpt2}}}\n"
        "claims: {papers: [own], measured: [~/rates.csv]}\n",
    )
    add_line(folder, "models.yaml", "mine: {kind: local, label: Mine, folder: ~/model}")
    # It is found, and has no weights.
    refused = refusal(folder, "radar: {models: [mine]}")

    assert refused.startswith(f"config/models.yaml, mine/folder: {home}/model: ")
