"""A low-rank adapter is merged into the weights as computed by hand, or refused in one line.

The first tests need the package peft, which no lock file has; without it they are skipped.
"""

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

import mechaware as ma
from mechaware.core.errors import UserError
from mechaware.instruments.radar.evidence.evidence import read_evidence
from mechaware.models.adapters import CONFIG, WEIGHTS, check_adapter, merge_adapter
from mechaware.models.capture import capture
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.settings import ModelSettings
from mechaware.models.sources import link_local_model
from scripts.radar import measure_suspected
from tests.tiny_models import make_tiny_model

# peft reads an attribute of transformers that a later version will drop.
pytestmark = pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing. is deprecated")

REPOSITORY = Path(__file__).resolve().parents[3]
CPU = torch.device("cpu")
PROMPTS = [[5, 9, 70, 31], [4, 4, 8]]
RANK = 2
ALPHA = 6
SCALE = ALPHA / RANK  # of B A, by default
SETTINGS: dict[str, Any] = {"peft_type": "LORA", "r": RANK, "lora_alpha": ALPHA, "bias": "none"}
N_BLOCKS = 3  # of a tiny model


class Family(NamedTuple):
    """What an adapter changes in a family of models."""

    modules: tuple[str, ...]  # the changed modules of a block
    is_transposed: bool  # weights are (in, out) instead of (out, in)
    inner: str  # the name, in the causal language model, of the model without its head


FAMILIES = {
    "llama": Family(
        modules=("self_attn.q_proj", "self_attn.v_proj", "mlp.down_proj"),
        is_transposed=False,
        inner="model",
    ),
    "gpt2": Family(modules=("attn.c_attn", "mlp.c_proj"), is_transposed=True, inner="transformer"),
}


def make_adapter(base: Path, folder: Path, family_name: str, **settings: Any) -> Path:
    """Write an adapter in the form of peft, of random A (rank, in) and B (out, rank)."""
    family = FAMILIES[family_name]
    changed_weights = tuple(f"{module}.weight" for module in family.modules)
    generator = torch.Generator().manual_seed(1)
    tensors = {}
    for name, weight in load_file(base / "model.safetensors").items():
        if not name.endswith(changed_weights):
            continue
        n_out, n_in = weight.T.shape if family.is_transposed else weight.shape
        module = f"base_model.model.{_name_in_model(name, family).removesuffix('.weight')}"
        tensors[f"{module}.lora_A.weight"] = torch.randn(RANK, n_in, generator=generator)
        tensors[f"{module}.lora_B.weight"] = torch.randn(n_out, RANK, generator=generator)
    n_matrices = 2  # A and B
    assert len(tensors) == n_matrices * N_BLOCKS * len(family.modules)

    folder.mkdir()
    save_file(tensors, folder / WEIGHTS)
    # A pattern with the last two names: c_proj alone would also match GPT-2's attn.c_proj.
    pattern = rf".*\.({'|'.join(re.escape(module) for module in family.modules)})"
    layout = {"target_modules": pattern, "fan_in_fan_out": family.is_transposed}
    (folder / CONFIG).write_text(json.dumps(SETTINGS | layout | settings))
    return folder


def _name_in_model(name: str, family: Family) -> str:
    """The name in the model of a weight in its file: GPT-2's file has h.0 for transformer.h.0."""
    return name if name.startswith(family.inner) else f"{family.inner}.{name}"


def merged_by_hand(base: Path, adapter: Path, family_name: str, scale: float) -> Any:
    """The base model with scale * B A added to each changed weight."""
    family = FAMILIES[family_name]
    model = AutoModelForCausalLM.from_pretrained(base, attn_implementation="eager").eval()
    tensors = load_file(adapter / WEIGHTS)
    with torch.no_grad():
        for name, matrix_a in tensors.items():
            if not name.endswith("lora_A.weight"):
                continue
            matrix_b = tensors[name.replace("lora_A", "lora_B")]
            module = name.removeprefix("base_model.model.").removesuffix(".lora_A.weight")
            change = scale * matrix_b @ matrix_a
            model.get_submodule(module).weight += change.T if family.is_transposed else change
    return model


def logits_of(model: Any) -> torch.Tensor:
    """The logits (1, pos, vocab) after the first prompt."""
    with torch.inference_mode():
        return model(torch.tensor(PROMPTS[:1])).logits


@pytest.fixture
def peft() -> Any:
    return pytest.importorskip("peft")


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return make_tiny_model("llama", tmp_path / "base")


@pytest.fixture
def adapter(tmp_path: Path, base: Path) -> Path:
    return make_adapter(base, tmp_path / "adapter", "llama")


# With peft


@pytest.mark.usefixtures("peft")
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    ("settings", "scale"),
    [
        ({}, 3.0),  # alpha / rank = 6 / 2
        ({"use_rslora": True}, 6 / 2**0.5),  # alpha / sqrt(rank)
        ({"lora_alpha": 1}, 0.5),  # 1 / 2
    ],
)
def test_a_linked_adapter_is_added_to_the_weights(
    family: str, settings: dict[str, Any], scale: float, tmp_path: Path
) -> None:
    base = make_tiny_model(family, tmp_path / "base")
    adapter = make_adapter(base, tmp_path / "adapter", family, **settings)
    linked = tmp_path / "linked"
    link_local_model(base, linked, name="mine", adapter=adapter)

    expected = merged_by_hand(base, adapter, family, scale)
    model = load_model(linked, CPU)
    torch.testing.assert_close(logits_of(model), logits_of(expected), rtol=1e-4, atol=1e-4)
    states = capture(model, PROMPTS, tokens_per_batch=100)
    by_hand = capture(expected, PROMPTS, tokens_per_batch=100)
    for name, tensor in by_hand._asdict().items():
        torch.testing.assert_close(getattr(states, name), tensor, rtol=1e-3, atol=1e-3, msg=name)

    base_model = AutoModelForCausalLM.from_pretrained(base).eval()
    without = load_model(linked, CPU, with_adapter=False)
    torch.testing.assert_close(logits_of(without), logits_of(base_model), rtol=0, atol=1e-5)
    # The adapter changes the logits by far more than the tolerances above.
    assert (logits_of(model) - logits_of(base_model)).abs().max() > 1


@pytest.mark.usefixtures("peft")
def test_a_merged_model_has_the_modules_and_the_trainable_weights_of_its_base(
    base: Path, adapter: Path
) -> None:
    base_model = load_model(base, CPU)
    merged = merge_adapter(load_model(base, CPU), adapter)
    assert type(merged) is type(base_model)

    def shapes(model: Any) -> dict[str, torch.Size]:
        return {name: weight.shape for name, weight in model.named_parameters()}

    assert shapes(merged) == shapes(base_model)
    assert all(weight.requires_grad for weight in base_model.parameters())
    assert all(weight.requires_grad for weight in merged.parameters())


@pytest.mark.usefixtures("peft")
def test_a_notebook_gives_the_adapter_with_a_folder_or_with_a_pair(
    base: Path, adapter: Path
) -> None:
    expected = logits_of(merged_by_hand(base, adapter, "llama", SCALE))
    opened = ma.load(base, adapter=adapter)
    pair = (AutoModelForCausalLM.from_pretrained(base), load_tokenizer(base))
    for model in (opened, ma.load(pair, adapter=str(adapter))):
        torch.testing.assert_close(logits_of(model.network), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.usefixtures("peft")
def test_an_adapter_in_half_precision_is_merged_up_to_its_rounding(
    base: Path, adapter: Path
) -> None:
    model = merge_adapter(load_model(base, CPU, ModelSettings(dtype="bfloat16")), adapter)
    assert {weight.dtype for weight in model.parameters()} == {torch.bfloat16}
    by_hand = merged_by_hand(base, adapter, "llama", SCALE)
    name = "model.layers.1.self_attn.q_proj.weight"
    exact = dict(by_hand.named_parameters())[name]
    # Two roundings to 8 bits: of the base weight, and of the sum.
    torch.testing.assert_close(
        dict(model.named_parameters())[name].float(), exact, rtol=2**-7, atol=2**-7
    )


@pytest.mark.usefixtures("peft")
def test_an_adapter_of_a_wider_deeper_or_shallower_model_is_refused(
    tmp_path: Path, base: Path, adapter: Path
) -> None:
    tensors = load_file(adapter / WEIGHTS)
    wider = {name: matrix.repeat(1, 2) for name, matrix in tensors.items()}
    deeper = dict(tensors)
    shallower = dict(tensors)
    for name, matrix in tensors.items():
        if "layers.2" in name:  # the last of the three blocks
            deeper[name.replace("layers.2", "layers.3")] = matrix.clone()
            del shallower[name]

    misfits = {"wider": wider, "deeper": deeper, "shallower": shallower}
    for case, misfit in misfits.items():
        folder = shutil.copytree(adapter, tmp_path / case)
        save_file({name: matrix.contiguous() for name, matrix in misfit.items()}, folder / WEIGHTS)
        message = f"{case}: the adapter does not fit the model .*; give the base model that it was"
        with pytest.raises(UserError, match=message) as raised:
            merge_adapter(load_model(base, CPU), folder)
        assert "\n" not in str(raised.value)


@pytest.mark.usefixtures("peft")
def test_an_adapter_that_changes_no_weights_is_refused(base: Path, adapter: Path) -> None:
    config = {"peft_type": "PROMPT_TUNING", "task_type": "CAUSAL_LM", "num_virtual_tokens": 4}
    (adapter / CONFIG).write_text(json.dumps(config))
    with pytest.raises(UserError, match="an adapter of kind PROMPT_TUNING, which changes no"):
        merge_adapter(load_model(base, CPU), adapter)


@pytest.mark.filterwarnings("ignore:.*tie_word_embeddings", "ignore:.*embedding layers")
def test_an_adapter_of_a_head_that_is_tied_to_the_embedding_is_refused(
    tmp_path: Path, peft: Any
) -> None:
    """Merged into the shared weight, it would change the embedding too; unmerged, only the head."""
    base = make_tiny_model("gpt2", tmp_path / "base")
    network = AutoModelForCausalLM.from_pretrained(base)
    assert network.config.tie_word_embeddings
    wrapped = peft.get_peft_model(network, peft.LoraConfig(r=RANK, target_modules=["lm_head"]))
    with torch.no_grad():
        wrapped.base_model.model.lm_head.lora_B["default"].weight.fill_(0.1)
    wrapped.save_pretrained(tmp_path / "tied")
    with pytest.raises(UserError, match=r"tied: merged into .* differ by .*tie_word_embeddings"):
        merge_adapter(load_model(base, CPU), tmp_path / "tied")


def test_a_model_that_peft_wraps_is_refused_with_the_call_that_unwraps_it(
    base: Path, peft: Any
) -> None:
    network = AutoModelForCausalLM.from_pretrained(base)
    wrapped = peft.get_peft_model(network, peft.LoraConfig(target_modules=["q_proj"]))
    with pytest.raises(UserError, match=r"has wrapped; give model\.merge_and_unload\(\)$"):
        ma.load((wrapped, load_tokenizer(base)))


@pytest.mark.usefixtures("peft")
def test_with_its_own_folder_as_reference_an_adapter_is_compared_with_its_base(
    tmp_path: Path, base: Path, adapter: Path
) -> None:
    """The rule gives the model's own folder as reference; the script loads it without adapter."""
    linked = tmp_path / "linked"
    link_local_model(base, linked, name="mine", adapter=adapter)
    (tmp_path / "items.csv").write_text("id,question,answer\n1,Who?,Ann\n2,When?,In May\n")
    measure_suspected.main(
        questions=tmp_path / "items.csv",
        control=[],
        model=linked,
        reference=[linked],
        unseen=[],
        seen=[],
        prompts=REPOSITORY / "config/prompts/radar_train.csv",
        attention_entropy_reduction="sum",
        specialised_head_entropy=1.5,
        optional_evidence=[],
        detector_samples=1,
        tokens_per_batch=768,
        start_token="auto",
        skip_faulty=False,
        seed=1,
        evidence=tmp_path / "evidence.parquet",
        notes=tmp_path / "notes.txt",
    )

    evidence = read_evidence(tmp_path / "evidence.parquet")
    # The first item. The tokenizer puts no start token before it, so its first token has no score.
    ids = torch.tensor([load_tokenizer(base)("Who? Ann").input_ids])
    targets = ids[0, 1:]
    by_hand = merged_by_hand(base, adapter, "llama", SCALE)
    base_model = AutoModelForCausalLM.from_pretrained(base).eval()
    for scores, model in (
        (evidence.scores[0], by_hand),
        (evidence.reference[0], base_model),
    ):
        with torch.inference_mode():
            log_probs = model(ids).logits[0].double().log_softmax(-1)
        expected = log_probs[range(len(targets)), targets]
        np.testing.assert_allclose(scores.log_probs, expected, rtol=0, atol=1e-3)
    notes = (tmp_path / "notes.txt").read_text().splitlines()
    assert "the reference model is the model without its adapter" in notes


# Without peft


def test_without_peft_the_message_says_what_to_install(
    base: Path, adapter: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(UserError, match=r"needs the package peft .*: pip install peft$") as raised:
        ma.load(base, adapter=adapter)
    assert "\n" not in str(raised.value)


def test_an_adapter_changes_the_identity_of_its_model(
    tmp_path: Path, base: Path, adapter: Path
) -> None:
    without = link_local_model(base, tmp_path / "without", name="mine")
    linked = link_local_model(base, tmp_path / "linked", name="mine", adapter=adapter)

    config = json.loads((adapter / CONFIG).read_text())
    (adapter / CONFIG).write_text(json.dumps(config | {"lora_alpha": ALPHA + 1}))
    stronger = link_local_model(base, tmp_path / "stronger", name="mine", adapter=adapter)

    trained_on = {name: matrix + 1 for name, matrix in load_file(adapter / WEIGHTS).items()}
    save_file(trained_on, adapter / WEIGHTS)
    retrained = link_local_model(base, tmp_path / "retrained", name="mine", adapter=adapter)

    hashes = {manifest.weights_sha256 for manifest in (without, linked, stronger, retrained)}
    assert len(hashes) == 4


def test_a_folder_without_an_adapter_is_refused(tmp_path: Path, base: Path, adapter: Path) -> None:
    with pytest.raises(UserError, match=r"base: no adapter_config\.json; give the folder that"):
        link_local_model(base, tmp_path / "linked", name="mine", adapter=base)
    assert not (tmp_path / "linked").exists()
    (adapter / WEIGHTS).rename(adapter / "adapter_model.bin")
    with pytest.raises(UserError, match=r"adapter: no adapter_model\.safetensors; pickled weights"):
        check_adapter(adapter)


def test_an_adapter_in_place_of_a_model_or_beside_one_is_refused(base: Path, adapter: Path) -> None:
    message = r"an adapter \(adapter_config.json\) instead of a model, or next to one; give the fol"
    with pytest.raises(UserError, match=f"adapter: {message}"):
        ma.load(adapter)
    shutil.copy(adapter / CONFIG, base)
    with pytest.raises(UserError, match=f"base: {message}"):
        load_model(base, CPU)
