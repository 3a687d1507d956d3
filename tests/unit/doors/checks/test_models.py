"""A model that a config names is refused if it is not listed, not trained or has no weights.

A faulty entry of config/models.yaml is always refused.

The fixture `folder` is a working directory with a copy of config/.
"""

import shutil
from pathlib import Path

import pytest

from tests.unit.doors.checks.checked_configs import ITEMS, REPOSITORY, add_line, checked, refusal


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            "radar: {memorisation: {pretrained: {models: [gpt3]}}}",
            "config, radar/memorisation/pretrained/models: "
            "'gpt3' is not in config/models.yaml; did you mean 'gpt2'?",
        ),
        (
            "radar: {memorisation: {pretrained: {models: [gpt-neo-sql]}}}",
            "config, radar/memorisation/pretrained/models: "
            "'gpt-neo-sql' has random weights; remove it",
        ),
        (
            "radar: {suspected: {mine: {items: a.csv, model: gpt-neo-sql}}}",
            "config, radar/suspected/mine/model: 'gpt-neo-sql' has random weights; remove it",
        ),
        (
            "radar: {suspected: {mine: {items: a.csv, model: gpt2, reference: gpt3}}}",
            "config, radar/suspected/mine/reference: "
            "'gpt3' is not in config/models.yaml; did you mean 'gpt2'?",
        ),
        (
            "grounding: {base: gpt-neo-sq}",
            "config, grounding/base: "
            "'gpt-neo-sq' is not in config/models.yaml; did you mean 'gpt-neo-sql'?",
        ),
        (
            "grounding: {pretrained: {models: [gpt2, gpt3]}}",
            "config, grounding/pretrained/models: "
            "'gpt3' is not in config/models.yaml; did you mean 'gpt2'?",
        ),
        (
            "grounding: {pairs: {mine: {table: a.csv, model: gpt3}}}",
            "config, grounding/pairs/mine/model: "
            "'gpt3' is not in config/models.yaml; did you mean 'gpt2'?",
        ),
        (
            "grounding: {passages: {mine: {log: a.jsonl, model: gpt3}}}",
            "config, grounding/passages/mine/model: "
            "'gpt3' is not in config/models.yaml; did you mean 'gpt2'?",
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
    refused = refusal(folder, "radar: {models: [tuned]}")
    assert refused.startswith(f"config/models.yaml, tuned/adapter: {message}")


@pytest.mark.parametrize("kind", ["wheel", "scratch"])
def test_an_adapter_of_a_model_that_cannot_have_one_is_refused(folder: Path, kind: str) -> None:
    name = {"wheel": "smollm2-135m-instruct", "scratch": "gpt-neo-sql"}[kind]
    path = folder / "config/models.yaml"
    path.write_text(path.read_text().replace(f"\n{name}:\n", f"\n{name}:\n  adapter: there\n"))

    message = refusal(folder, "seed: 1")

    assert message.startswith(f"config/models.yaml, {name}: unknown key 'adapter'")


@pytest.mark.parametrize(
    "config",
    [
        "radar: {models: [gpt2, mine]}",
        "radar: {memorisation: {pretrained: {models: [gpt2, mine]}}}",
        "radar: {suspected: {bench: {items: items.csv, model: mine, scores_only: true}}}",
        "radar: {suspected: {bench: "
        "{items: items.csv, model: gpt2, reference: mine, scores_only: true}}}",
        "grounding: {base: mine}",
        "grounding: {pretrained: {models: [gpt2, mine]}}",
        "grounding: {pairs: {task: {table: pairs.csv, model: mine}}}",
        "grounding: {passages: {mine: {log: log.jsonl, model: mine}}}",
    ],
)
def test_a_local_model_without_a_folder_is_refused_wherever_it_is_named(
    folder: Path, config: str
) -> None:
    add_line(folder, "models.yaml", "mine: {kind: local, label: Mine, folder: nowhere}")
    (folder / "items.csv").write_text(ITEMS)
    shutil.copy(REPOSITORY / "examples/ioi.csv", folder / "pairs.csv")
    shutil.copy(REPOSITORY / "examples/passages.jsonl", folder / "log.jsonl")
    message = (
        f"config/models.yaml, mine/folder: no folder nowhere (from {folder}); correct the path"
    )
    assert refusal(folder, config) == message


def test_a_folder_among_the_results_need_not_be_there_since_a_job_makes_it(folder: Path) -> None:
    add_line(folder, "models.yaml", "mine: {kind: local, label: Mine, folder: results/radar/A}")

    assert "mine" in checked(folder, "radar: {models: [mine]}").models


def test_a_folder_whose_name_only_begins_like_the_results_has_to_be_there(folder: Path) -> None:
    add_line(folder, "models.yaml", "mine: {kind: local, label: Mine, folder: resultsB/radar/A}")

    message = refusal(folder, "radar: {models: [mine]}")

    assert message.startswith("config/models.yaml, mine/folder: no folder resultsB/radar/A ")


def test_a_folder_whose_config_names_no_model_type_is_refused_only_if_the_model_is_named(
    folder: Path,
) -> None:
    add_line(folder, "models.yaml", "mine: {kind: local, label: Mine, folder: mine}")
    (folder / "mine").mkdir()
    (folder / "mine/model.safetensors").touch()
    (folder / "mine/config.json").write_text("{}")
    assert refusal(folder, "radar: {models: [mine]}") == (
        "config/models.yaml, mine/folder: mine/config.json: no model_type; give the folder that "
        "`save_pretrained` wrote, of a causal language model"
    )
    # A config that does not name the model passes.
    checked(folder, "radar: {models: [gpt2]}")


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


def test_a_model_of_random_weights_cannot_have_a_template(folder: Path) -> None:
    sizes = "n_layers: 1, d_model: 4, n_heads: 1, context_length: 8"
    entry = f"{{kind: scratch, label: Mine, {sizes}, template: chat}}"
    add_line(folder, "models.yaml", f"mine: {entry}")
    assert refusal(folder, "seed: 1").startswith("config/models.yaml, mine: unknown key 'template'")
