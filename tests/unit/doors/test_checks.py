"""What the check of a config accepts and refuses beyond its schema, case by case.

The wording that a user sees, of most faults: tests/workflow/test_bad_input.py.
"""

import functools
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from snakemake.utils import update_config

from exhibits.report.results import config_schema, find_results
from mechaware.core.errors import UserError
from mechaware.core.own_folder import VARIABLE
from mechaware.doors.checks import _Catalog, checked_lists
from mechaware.instruments.radar.evidence.evidence import OPTIONAL_FIELDS

REPOSITORY = Path(__file__).resolve().parents[3]


@functools.cache
def declared_schema() -> dict[str, Any]:
    return config_schema(REPOSITORY, find_results(REPOSITORY))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a copy of config/, whose lists and prompt sets a test may change."""
    shutil.copytree(REPOSITORY / "config", tmp_path / "config")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def checked(folder: Path, config: str) -> _Catalog:
    """What the check makes of the smallest run's config with `config` on top."""
    merged: dict[str, Any] = {}
    for text in (
        (folder / "config/config.yaml").read_text(),
        (folder / "config/test.yaml").read_text(),
        config,
    ):
        update_config(merged, yaml.safe_load(text))
    return checked_lists(merged, declared_schema(), folder)


def refusal(folder: Path, config: str) -> str:
    with pytest.raises(UserError) as caught:
        checked(folder, config)
    return str(caught.value)


def add_line(folder: Path, file: str, line: str) -> None:
    path = folder / "config" / file
    path.write_text(f"{path.read_text()}\n{line}\n")


# Models


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            "radar: {memorisation: {pretrained: {models: [gpt3]}}}",
            "config, radar/memorisation/pretrained/models: 'gpt3' is not in config/models.yaml; did you mean 'gpt2'?",
        ),
        (
            "radar: {memorisation: {pretrained: {models: [gpt-neo-sql]}}}",
            "config, radar/memorisation/pretrained/models: 'gpt-neo-sql' has random weights; remove it",
        ),
        (
            "radar: {suspected: {mine: {items: a.csv, model: gpt-neo-sql}}}",
            "config, radar/suspected/mine/model: 'gpt-neo-sql' has random weights; remove it",
        ),
        (
            "radar: {suspected: {mine: {items: a.csv, model: gpt2, reference: gpt3}}}",
            "config, radar/suspected/mine/reference: 'gpt3' is not in config/models.yaml; did you mean 'gpt2'?",
        ),
        (
            "grounding: {base: gpt-neo-sq}",
            "config, grounding/base: 'gpt-neo-sq' is not in config/models.yaml; did you mean 'gpt-neo-sql'?",
        ),
        (
            "grounding: {pretrained: {models: [gpt2, gpt3]}}",
            "config, grounding/pretrained/models: 'gpt3' is not in config/models.yaml; did you mean 'gpt2'?",
        ),
        (
            "grounding: {pairs: {mine: {table: a.csv, model: gpt3}}}",
            "config, grounding/pairs/mine/model: 'gpt3' is not in config/models.yaml; did you mean 'gpt2'?",
        ),
        (
            "grounding: {passages: {mine: {log: a.jsonl, model: gpt3}}}",
            "config, grounding/passages/mine/model: 'gpt3' is not in config/models.yaml; did you mean 'gpt2'?",
        ),
    ],
)
def test_a_model_that_is_not_listed_or_not_trained_is_refused_where_it_is_named(
    folder: Path, config: str, message: str
) -> None:
    assert refusal(folder, config) == message


@pytest.mark.parametrize(
    ("adapter", "message"),
    [
        ("nowhere", "nowhere: no adapter_config.json; give the folder that `save_pretrained` of "),
        ("pickled", "pickled: no adapter_model.safetensors; pickled weights are never loaded: "),
    ],
)
def test_a_model_without_its_adapter_is_refused_where_it_is_named(
    folder: Path, adapter: str, message: str
) -> None:
    hub = "kind: hub, label: Tuned, repo: a/b, revision: " + 40 * "a"
    add_line(folder, "models.yaml", f"tuned: {{{hub}, adapter: {adapter}}}")
    (folder / "pickled").mkdir()
    for name in ("adapter_config.json", "adapter_model.bin"):
        (folder / "pickled" / name).write_text("{}")
    found = refusal(folder, "radar: {models: [tuned]}")

    assert found.startswith(f"config/models.yaml, tuned/adapter: {message}")


@pytest.mark.parametrize("kind", ["wheel", "scratch"])
def test_an_adapter_of_a_model_that_cannot_have_one_is_refused(folder: Path, kind: str) -> None:
    name = {"wheel": "smollm2-135m-instruct", "scratch": "gpt-neo-sql"}[kind]
    path = folder / "config/models.yaml"
    path.write_text(path.read_text().replace(f"\n{name}:\n", f"\n{name}:\n  adapter: there\n"))

    assert "adapter" in refusal(folder, "seed: 1")


ITEMS = "id,question,answer\n" + "".join(f"{name},What is {name}?,It.\n" for name in "abcdef")


@pytest.mark.parametrize(
    "config",
    [
        "radar: {models: [gpt2, mine]}",
        "radar: {memorisation: {pretrained: {models: [gpt2, mine]}}}",
        "radar: {suspected: {bench: {items: items.csv, model: mine, scores_only: true}}}",
        "radar: {suspected: {bench: {items: items.csv, model: gpt2, reference: mine, scores_only: true}}}",
        "grounding: {base: mine}",
        "grounding: {pretrained: {models: [gpt2, mine]}}",
        "grounding: {pairs: {task: {table: pairs.csv, model: mine}}}",
    ],
)
def test_a_local_model_without_a_folder_is_refused_wherever_it_is_named(
    folder: Path, config: str
) -> None:
    add_line(folder, "models.yaml", "mine: {kind: local, label: Mine, folder: nowhere}")
    (folder / "items.csv").write_text(ITEMS)
    shutil.copy(REPOSITORY / "examples/ioi.csv", folder / "pairs.csv")
    message = (
        f"config/models.yaml, mine/folder: no folder nowhere (from {folder}); correct the path"
    )

    assert refusal(folder, config) == message


@pytest.mark.parametrize(
    "config",
    [
        "models: {mine: {kind: local, label: Mine, folder: nowhere}}\nradar: {models: [mine]}",
        "radar: {suspected: {bench: {items: none.csv, model: gpt2, scores_only: true}}}",
        "grounding: {passages: {log: {log: none.jsonl, model: gpt2}}}",
        "claims: {own_paper: none.docx}",
    ],
)
def test_a_file_of_the_users_is_missed_in_the_folder_where_the_command_was_typed(
    folder: Path, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "/home/her/work")
    assert "(from /home/her/work); correct the path" in refusal(folder, config)


def test_a_folder_among_the_results_need_not_be_there_since_a_job_makes_it(folder: Path) -> None:
    add_line(folder, "models.yaml", "mine: {kind: local, label: Mine, folder: results/radar/A}")
    assert "mine" in checked(folder, "radar: {models: [mine]}").models

    add_line(folder, "models.yaml", "other: {kind: local, label: Other, folder: resultsB/radar/A}")
    assert refusal(folder, "radar: {models: [other]}").startswith(
        "config/models.yaml, other/folder"
    )


def test_a_folder_without_a_model_is_refused_with_the_entry_that_names_it(folder: Path) -> None:
    add_line(folder, "models.yaml", "mine: {kind: local, label: Mine, folder: mine}")
    (folder / "mine").mkdir()
    (folder / "mine/model.safetensors").touch()
    (folder / "mine/config.json").write_text("{}")

    assert refusal(folder, "radar: {models: [mine]}") == (
        "config/models.yaml, mine/folder: mine/config.json: no model_type; give the folder that `save_pretrained` "
        "wrote, of a causal language model"
    )

    # Unused, it may stay in the list.
    checked(folder, "radar: {models: [gpt2]}")


def test_models_and_judges_of_the_config_stand_beside_those_of_the_files(folder: Path) -> None:
    hub = (
        "{kind: hub, label: Own, repo: me/own, revision: 0123456789012345678901234567890123456789}"
    )
    catalog = checked(
        folder,
        f"models: {{own: {hub}}}\njudges: {{strict: {{kind: lexical, label: Strict}}}}\n"
        "claims: {judges: [lexical, strict]}\nradar: {models: [own]}",
    )

    assert catalog.models["own"]["repo"] == "me/own"
    assert catalog.models["gpt2"]["repo"] == "openai-community/gpt2"
    assert catalog.judges["strict"] == {"kind": "lexical", "label": "Strict"}
    assert catalog.judges["gpt-5.5"]["kind"] == "provider"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            "models: {mine: {kind: local, label: Mine, folder: nowhere}}\nradar: {models: [mine]}",
            "config, models/mine/folder: no folder nowhere (from ",
        ),
        (
            "models: {mine: {kind: local, label: Mine}}",
            "config, models/mine: key 'folder' is missing; add it",
        ),
        (
            "models: {gpt2: {kind: local, label: Mine, folder: .}}",
            "config, models/gpt2: config/models.yaml has an entry of this name; rename yours",
        ),
        (
            "models: {GPT2: {kind: local, label: Mine, folder: .}}",
            "config/models.yaml or under models of the config: 'gpt2' and 'GPT2' are one folder of results",
        ),
        (
            "models: {mine: {kind: local, label: Mine, folder: .}}\nradar: {models: [mime]}",
            "config, radar/models: 'mime' is not in config/models.yaml or under models of the config; did you mean "
            "'mine'?",
        ),
        (
            "judges: {mine: {kind: embedded, label: Mine, model: gpt2}}\nclaims: {judges: [mine]}",
            "config, judges/mine: 'gpt2' has no GGUF file; name a model of kind wheel",
        ),
        (
            "judges: {mine: {kind: lexical, label: Lexical rules}}\nclaims: {judges: [lexical, mine]}",
            "config, judges/mine/label: 'Lexical rules' is also the label of 'lexical'; change one of the two",
        ),
    ],
)
def test_a_fault_of_an_entry_in_the_config_names_the_config(
    folder: Path, config: str, message: str
) -> None:
    assert refusal(folder, config).startswith(message)


def test_ones_own_list_in_the_working_directory_is_said_not_to_be_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = folder / "elsewhere"
    (elsewhere / "config").mkdir(parents=True)
    monkeypatch.chdir(elsewhere)
    config = "radar: {models: [mine]}"

    assert refusal(folder, config).startswith(
        "config, radar/models: 'mine' is not in ../config/models.yaml; known: smollm2-135m-instruct, "
    )

    shutil.copy(folder / "config/models.yaml", elsewhere / "config")
    add_line(elsewhere, "models.yaml", "mine: {kind: local, label: Mine, folder: .}")

    assert refusal(folder, config).endswith(
        "; config/models.yaml of your folder is not read: put its entries under models of your config"
    )


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("template: chats", "config/models.yaml, mine/template: 'chats'; write none or chat"),
        (
            "dtype: half",
            "config/models.yaml, mine/dtype: 'half'; write float32 or bfloat16 or float16",
        ),
        ("device_map: cuda", "config/models.yaml, mine/device_map: 'cuda'; write none or auto"),
        (
            "attention: flashy",
            "config/models.yaml, mine/attention: 'flashy'; write eager or sdpa or flash",
        ),
    ],
)
def test_a_wrong_value_of_a_models_key_is_refused_with_the_values_that_it_may_have(
    folder: Path, key: str, message: str
) -> None:
    add_line(folder, "models.yaml", f"mine: {{kind: local, label: Mine, folder: ., {key}}}")
    assert refusal(folder, "seed: 1") == message


def test_a_model_of_random_weights_is_asked_by_no_template(folder: Path) -> None:
    entry = "{kind: scratch, label: Mine, n_layers: 1, d_model: 4, n_heads: 1, context_length: 8, template: chat}"
    add_line(folder, "models.yaml", f"mine: {entry}")

    assert refusal(folder, "seed: 1").startswith("config/models.yaml, mine: unknown key 'template'")


# Prompt sets

HEADER = "id,prompt,label,category,source\n"
RECALL = "".join(f"r{n},The capital of country {n} is,recall,c,\n" for n in range(9))
REASONING = "".join(f"s{n},The sum of {n} and 7 is,reasoning,c,\n" for n in range(9))


@pytest.mark.parametrize(
    ("train", "evaluated", "message"),
    [
        (HEADER + RECALL, None, "train.csv: 0 reasoning prompts, but radar/folds is 2; add "),
        (None, HEADER + RECALL, None),  # is predicted, and not cross-validated
        (
            None,
            f"{HEADER}{RECALL}x,The sum of 5 and 6 is,reasoning,c,\n",
            "eval.csv: 1 reasoning prompts, but radar/folds is 2; add reasoning prompts or lower radar/folds in the "
            "config",
        ),
        (
            HEADER + RECALL + REASONING,
            f"{HEADER}x,the  SUM of 3 and 7 is,reasoning,c,\n",
            "eval.csv, row 2: also a training prompt (config/prompts/train.csv, row 14); remove one of them",
        ),
    ],
    ids=[
        *("training on one class", "evaluation of one class", "too few of the other class"),
        "a training prompt",
    ],
)
def test_a_prompt_set_must_fit_its_use(
    folder: Path, train: str | None, evaluated: str | None, message: str | None
) -> None:
    config = {"train": "radar_train", "evaluate": ["radar_test"]}
    if train is not None:
        (folder / "config/prompts/train.csv").write_text(train)
        config["train"] = "train"
    if evaluated is not None:
        (folder / "config/prompts/eval.csv").write_text(evaluated)
        config["evaluate"] = ["eval"]
    text = yaml.safe_dump({"radar": config})
    if message is None:
        checked(folder, text)
    else:
        assert refusal(folder, text).startswith(f"config/prompts/{message}")


def test_an_evaluated_set_named_as_the_training_set_but_for_case_is_refused(folder: Path) -> None:
    assert refusal(folder, "radar: {evaluate: [Radar_Train]}").startswith(
        "config, radar/evaluate: 'radar_train' and 'Radar_Train' are one folder of results"
    )


# Suspected benchmarks


def suspected(folder: Path, *, settings: Mapping[str, Any] | None = None, **files: str) -> str:
    """A config with a benchmark of six items, these files beside it, and further settings of its entry."""
    entry: dict[str, Any] = {"model": "gpt2", **(settings or {})}
    for key, text in {"items": ITEMS, **files}.items():
        (folder / f"{key}.csv").write_text(text)
        entry[key] = f"{key}.csv"
    return yaml.safe_dump({"radar": {"suspected": {"mine": entry}}})


def control(n_items: int) -> str:
    """Items of the length of those of the benchmark, named from k on."""
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


@pytest.mark.parametrize("key", ["unseen", "seen"])
@pytest.mark.parametrize(
    ("name", "place"), [("c", "items.csv, row 4"), ("l", "control.csv, row 3")]
)
def test_a_prefix_with_an_item_of_benchmark_or_control_is_refused(
    folder: Path, key: str, name: str, place: str
) -> None:
    prefixes = {"unseen": "text\nOne.\n", "seen": "text\nTwo.\n"}
    prefixes[key] += f"What is {name}? It.\n"
    said = refusal(folder, suspected(folder, control=control(3), **prefixes))

    assert said == f"{place}: also a text of {key}.csv; remove it from one of them"


@pytest.mark.parametrize(
    ("n_items", "reference", "confidence_level", "needed"),
    [
        # Of 6 + m items, m of them the control's, the smallest p-value is 1 / C(6 + m, 6): 1/7, 1/28, 1/84.
        (1, False, 0.95, 2),
        (2, False, 0.95, None),
        # Two tests, with a reference, halve the level that each is held to.
        (2, True, 0.95, 3),
        (3, True, 0.95, None),
        (1, False, 0.8, None),
        (1, True, 0.8, 2),
    ],
)
def test_a_control_needs_so_many_items_that_its_tests_can_reach_the_level(
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


@pytest.mark.parametrize(("file", "row"), [("items", 8), ("control", 5)])
def test_faulty_samples_are_left_out_only_if_the_config_says_so(
    folder: Path, file: str, row: int
) -> None:
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

    truth = "id,question,answer,seen\n" + "".join(
        f"{name},What is {name}?,It.,{name < 'd'}\n" for name in "abcdef"
    )
    checked(folder, suspected(folder, settings={"scores_only": True}))
    checked(folder, suspected(folder, control=control(3)))
    checked(folder, suspected(folder, items=truth))


def test_a_random_order_is_enough_unless_the_file_tells_it(folder: Path) -> None:
    names = ["mole", "ant", "yak", "bee", "rook", "eel", "wren", "carp", "toad", "fox"]
    settings = {"random_order": ["items"]}

    def file(names: list[str]) -> str:
        return "id,question,answer\n" + "".join(f"{name},What is a {name}?,It.\n" for name in names)

    checked(folder, suspected(folder, settings=settings, items=file(names)))
    message = refusal(folder, suspected(folder, settings=settings, items=file(sorted(names))))

    assert message.startswith("items.csv: the items are ordered by alphabet")


def test_a_corpus_without_a_text_is_refused(folder: Path) -> None:
    message = "corpus.csv: no text; write one text a line"
    assert (
        refusal(folder, suspected(folder, settings={"scores_only": True}, corpus="\n  \n"))
        == message
    )


def test_error_rates_of_a_benchmark_are_a_file_or_a_result_that_a_job_makes(folder: Path) -> None:
    (folder / "rates.csv").write_text("level\n")
    for name in ("rates.csv", "results/radar/memorisation/gpt2/calibration.csv"):
        checked(folder, suspected(folder, settings={"calibration": name, "scores_only": True}))
    assert refusal(
        folder, suspected(folder, settings={"calibration": "rate.csv", "scores_only": True})
    ) == (
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


# Tasks and the study of grounding

PAIRS = "pair,prompt,text,wanted,against,options\n" + "".join(
    f"{pair},clean,Bob and Ann met. Bob saw, Ann, Bob, Ann| Bob\n"
    f"{pair},corrupted,Bob and Ann met. Ann saw, Bob, Ann, Ann| Bob\n"
    for pair in ("one", "two")
)


def task(folder: Path, table: str, settings: Mapping[str, Any] | None = None) -> str:
    """A config with a task of these pairs, and further settings of its entry."""
    (folder / "pairs.csv").write_text(table)
    entry = {"table": "pairs.csv", "model": "gpt2", **(settings or {})}
    return yaml.safe_dump({"grounding": {"pairs": {"mine": entry}}})


def test_faulty_pairs_are_left_out_only_if_the_config_says_so(folder: Path) -> None:
    faulty = PAIRS.replace("two,corrupted,", "two,corupted,")
    assert refusal(folder, task(folder, faulty)).startswith(
        "pairs.csv, row 5: pair 'two', prompt 'corupted'; write an id, and one of "
    )

    checked(folder, task(folder, faulty, {"skip_faulty": True}))


def test_a_table_without_options_needs_those_of_the_config(folder: Path) -> None:
    """Without, the options would be `wanted` and `against`: a column that is missing was forgotten."""
    table = PAIRS.replace(",options\n", "\n").replace(", Ann| Bob\n", "\n")
    assert refusal(folder, task(folder, table)) == (
        "pairs.csv, row 1: no column 'options' in 'pair,prompt,text,wanted,against'; write "
        "pair,prompt,text,wanted,against,options, separated by commas"
    )

    checked(folder, task(folder, table, {"options": [" Ann", " Bob"]}))


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            "grounding: {training: {steps: 13}}",
            "config, grounding/training: evaluate_every 6 does not divide steps 13; the last step must be evaluated",
        ),
        (
            "claims: {planted_papers: 0}",
            "config, claims: no papers and no planted_papers; name a paper of config/papers.csv",
        ),
        (
            "claims: {judges: [smollm2], embedded_planted_papers: 0}",
            "config, claims: the embedded judge 'smollm2' has no paper to read; raise embedded_planted_papers or name "
            "a paper of config/papers.csv",
        ),
    ],
)
def test_numbers_of_the_config_that_do_not_fit_together_are_refused(
    folder: Path, config: str, message: str
) -> None:
    assert refusal(folder, config) == message


@pytest.mark.parametrize("kind", ["tables", "fields"])
def test_more_words_than_the_vocabulary_has_are_refused(folder: Path, kind: str) -> None:
    vocabulary = yaml.safe_load((folder / "config/sql/vocabulary.yaml").read_text())
    assert refusal(folder, f"grounding: {{data: {{{kind}: 900}}}}") == (
        f"config/sql/vocabulary.yaml: {len(vocabulary[kind])} {kind}, but grounding/data/{kind} asks for 900; add some "
        "or ask for fewer"
    )


def test_a_listed_paper_whose_file_is_missing_is_refused_where_it_is_used(folder: Path) -> None:
    add_line(folder, "papers.csv", "own,file,papers/own.pdf,A paper,,")
    assert refusal(folder, "claims: {papers: [own]}") == (
        f"config/papers.csv, own: no file papers/own.pdf (from {folder}); correct its location"
    )

    # Unused, it may stay in the list.
    checked(folder, "claims: {papers: [ioi]}")


# Rules, judges and papers


def test_a_rule_of_no_package_is_refused(folder: Path) -> None:
    assert refusal(folder, "grounding: {rules: [nowhere.a.B]}").startswith(
        f"config, grounding/rules: no package 'nowhere' (from {folder})"
    )


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (
            "mine: {kind: nowhere.a.B, label: Mine}",
            "config/judges.yaml, mine: no package 'nowhere' (from ",
        ),
        (
            "mine: {kind: lexical, label: Lexical rules}",
            "config/judges.yaml, mine/label: 'Lexical rules' is also the label of 'lexical'; change one of the two",
        ),
        (
            "mine: {kind: embedded, label: Mine, model: gpt3}",
            "config/judges.yaml, mine: 'gpt3' is not in config/models.yaml; did you mean 'gpt2'?",
        ),
        (
            "mine: {kind: embedded, label: Mine, model: gpt2}",
            "config/judges.yaml, mine: 'gpt2' has no GGUF file; name a model of kind wheel",
        ),
    ],
)
def test_a_judge_that_is_used_and_cannot_judge_is_refused(
    folder: Path, judge: str, message: str
) -> None:
    add_line(folder, "judges.yaml", judge)
    assert refusal(folder, "claims: {judges: [lexical, mine]}").startswith(message)

    # It may stay in the list, unused.
    checked(folder, "claims: {judges: [lexical]}")


@pytest.mark.parametrize(
    "config",
    [
        "claims: {planted_papers: 0, papers: [ioi]}",
        "claims: {planted_papers: 0, own_paper: own.html}",
        "claims: {planted_papers: 2}",
        "claims: {judges: [smollm2], embedded_planted_papers: 1}",
        "claims: {judges: [smollm2], embedded_planted_papers: 0, papers: [ioi]}",
        "claims: {judges: [smollm2], embedded_planted_papers: 0, own_paper: own.html}",
        "claims: {judges: [lexical], embedded_planted_papers: 0}",
    ],
)
def test_papers_of_one_kind_are_enough(folder: Path, config: str) -> None:
    (folder / "own.html").write_text("<p>Head 3.1 moves the subject.</p>")
    checked(folder, config)


# Judge cards


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("", "config, claims/judge_cards/mine: name either a judge, or a file of replies"),
        (
            "judge: lexical, replies: replies.csv",
            "config, claims/judge_cards/mine: name either a judge, or a file of replies",
        ),
        (
            "judge: lexica",
            "config, claims/judge_cards/mine/judge: 'lexica' is not in config/judges.yaml; did you mean 'lexical'?",
        ),
        (
            "judge: openai/",
            "config, claims/judge_cards/mine/judge: 'openai/' is no address; write ollama/MODEL, vllm/MODEL, "
            "llamacpp/MODEL, openai/MODEL@URL or PROVIDER/MODEL",
        ),
        (
            "judge: lexical, items: none.csv",
            "config, claims/judge_cards/mine/items: no file none.csv (from FOLDER); correct the path",
        ),
        ("replies: wrong.csv", "wrong.csv, row 2: no item 'nobody'; remove the reply, or correct its id"),
        (
            "judge: lexical, rubric: other.yaml",
            "items.csv, row 2: criterion 'names' is not in the rubric; it has speed",
        ),
    ],
)  # fmt: skip
def test_a_judge_card_that_cannot_be_drawn_is_refused(
    folder: Path, entry: str, message: str
) -> None:
    shutil.copy(REPOSITORY / "examples/review_items.csv", folder / "items.csv")
    shutil.copy(REPOSITORY / "examples/review_rubric.yaml", folder / "rubric.yaml")
    shutil.copy(REPOSITORY / "examples/review_replies.csv", folder / "replies.csv")
    (folder / "wrong.csv").write_text("id,status\nnobody,good\n")
    (folder / "other.yaml").write_text(
        "name: Speed\nstatuses: [bad, needs work, good]\n"
        "criteria: [{code: speed, name: Speed, definition: Is it fast?}]\n"
    )
    card: dict[str, Any] = {"items": "items.csv", "rubric": "rubric.yaml"}
    card |= yaml.safe_load(f"{{{entry}}}")
    said = refusal(folder, yaml.safe_dump({"claims": {"judge_cards": {"mine": card}}}))

    assert said.splitlines()[0] == message.replace("FOLDER", str(folder))


def test_the_judge_of_a_card_may_be_an_address_which_needs_no_entry(folder: Path) -> None:
    shutil.copy(REPOSITORY / "examples/review_items.csv", folder / "items.csv")
    shutil.copy(REPOSITORY / "examples/review_rubric.yaml", folder / "rubric.yaml")
    card = {"items": "items.csv", "rubric": "rubric.yaml", "judge": "ollama/llama3.2"}
    catalog = checked(folder, yaml.safe_dump({"claims": {"judge_cards": {"mine": card}}}))

    assert catalog.judges["ollama-llama3.2"]["model"] == "ollama_chat/llama3.2"


def test_two_addresses_with_one_name_and_different_servers_are_refused(folder: Path) -> None:
    shutil.copy(REPOSITORY / "examples/review_items.csv", folder / "items.csv")
    shutil.copy(REPOSITORY / "examples/review_rubric.yaml", folder / "rubric.yaml")
    plain = {"items": "items.csv", "rubric": "rubric.yaml", "judge": "openai/m@http://here:8000/v1"}
    encrypted = plain | {"judge": "openai/m@https://here:8000/v1"}

    same_judge_twice = {"claims": {"judge_cards": {"mine": plain, "other": plain}}}
    checked(folder, yaml.safe_dump(same_judge_twice))

    two_judges = {"claims": {"judge_cards": {"mine": plain, "other": encrypted}}}
    assert refusal(folder, yaml.safe_dump(two_judges)).startswith(
        "config, claims/judge_cards/other/judge: 'openai/m@https://here:8000/v1' has the name 'openai-m-here-8000-v1' "
        "of another judge; enter it in "
    )


def test_a_table_of_the_results_may_be_missing_since_a_job_makes_it(folder: Path) -> None:
    checked(folder, "claims: {measured: [results/tables/claims_planted.csv]}")
    assert refusal(folder, "claims: {measured: [tables/claims_planted.csv]}") == (
        f"config, claims/measured: no file tables/claims_planted.csv (from {folder}); correct the path"
    )


@pytest.mark.parametrize(
    ("name", "is_renamed"), [("ioi", True), ("Lexical", True), ("other", False)]
)
def test_an_own_paper_with_the_name_of_a_listed_paper_or_a_judge_gets_another_id(
    folder: Path, name: str, is_renamed: bool
) -> None:
    (folder / f"{name}.html").write_text("<p>Head 3.1 moves the subject.</p>")
    catalog = checked(folder, f"claims: {{own_paper: {name}.html}}")

    assert catalog.own_paper is not None
    assert catalog.own_paper.id.startswith(f"my-{name}-") == is_renamed
    assert (catalog.own_paper.id == name) == (not is_renamed)
    assert catalog.papers[catalog.own_paper.id] == catalog.own_paper


def test_a_folder_of_prompts_without_a_file_is_refused(folder: Path) -> None:
    (folder / "config/judge_prompts/empty").mkdir()
    message = "config, claims/prompts: no config/judge_prompts/empty; name a folder of config/judge_prompts"

    assert refusal(folder, "claims: {prompts: empty}") == message


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ("{own_rubric: none.yaml}", "config, claims/own_rubric: no file none.yaml (from FOLDER)"),
        ("{own_rubric: cut.yaml}", "cut.yaml: key 'statuses' is missing; add it"),
        (
            "{own_claim: Head 3.1 detects it, own_judges: [ollama/llama3.2]}",
            "config, claims/own_claim: only own_rubric judges it; name a rubric",
        ),
    ],
)
def test_a_rubric_by_which_an_own_paper_cannot_be_read_is_refused(
    folder: Path, claims: str, message: str
) -> None:
    whole = (REPOSITORY / "examples/review_rubric.yaml").read_text()
    (folder / "whole.yaml").write_text(whole)
    (folder / "cut.yaml").write_text(whole.replace("statuses: [", "stati: ["))
    said = refusal(folder, f"claims: {claims}")

    assert said.startswith(message.replace("FOLDER", str(Path.cwd())))

    judged = "claims: {own_rubric: whole.yaml, own_claim: It works, own_judges: [ollama/llama3.2]}"
    assert checked(folder, judged).own_judges == ["ollama-llama3.2"]


def test_the_judges_of_an_own_paper_are_entries_or_addresses_of_models(folder: Path) -> None:
    address = "openai/my-model@http://localhost:8000/v1"
    catalog = checked(folder, f"claims: {{own_judges: [smollm2, '{address}', ollama/llama3.2]}}")
    names = ["smollm2", "openai-my-model-localhost-8000-v1", "ollama-llama3.2"]

    assert catalog.own_judges == names
    assert catalog.judges[names[1]]["api_base"] == "http://localhost:8000/v1"
    assert catalog.judges[names[2]]["model"] == "ollama_chat/llama3.2"
    assert checked(folder, "{}").own_judges == []


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        (
            "lexical",
            "'lexical' is keyword rules, which judge no paper; leave it out for passages to read,",
        ),
        (
            "smolm2",
            "'smolm2' is not in config/judges.yaml, and is no address of a model such as ollama/llama3.2 or "
            "openai/my-model@http://localhost:8000/v1; did you mean 'smollm2'?",
        ),
        (
            "my/claude",
            "'my/claude' would be named 'my-claude', which is a judge in config/judges.yaml;",
        ),
    ],
)
def test_a_judge_that_cannot_judge_an_own_paper_is_refused(
    folder: Path, judge: str, message: str
) -> None:
    add_line(folder, "judges.yaml", "my-claude: {kind: provider, label: C, model: anthropic/c}")
    told = refusal(folder, f"claims: {{own_judges: [{judge}]}}")

    assert told.startswith(f"config, claims/own_judges: {message}")
