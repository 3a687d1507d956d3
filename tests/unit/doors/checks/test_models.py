"""Models that the check of a config refuses, and where its messages look for the fault."""

import shutil
from pathlib import Path

import pytest

from mechaware.core.own_folder import VARIABLE
from tests.unit.doors.checks.small_config import (
    REPOSITORY,
    add_line,
    benchmark_csv,
    checked,
    refusal,
)


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


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("smollm2-135m-instruct", id="wheel"),
        pytest.param("gpt-neo-sql", id="random weights"),
    ],
)
def test_an_adapter_of_a_model_that_cannot_have_one_is_refused(folder: Path, name: str) -> None:
    path = folder / "config/models.yaml"
    entry = f"\n{name}:\n"
    assert path.read_text().count(entry) == 1
    path.write_text(path.read_text().replace(entry, f"{entry}  adapter: there\n"))

    message = refusal(folder, "seed: 1")

    assert message.startswith(f"config/models.yaml, {name}: unknown key 'adapter'; ")


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
    (folder / "items.csv").write_text(benchmark_csv("abcdef"))
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
