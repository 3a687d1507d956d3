"""Capture against transformers' own outputs, one prompt at a time, for every family."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from transformers import PreTrainedModel

from mechaware.models.activations import Activations, PromptActivations, save_shard, split_prompts
from mechaware.models.capture import capture
from mechaware.models.families.supported import FAMILIES, find_modules
from mechaware.models.registry import load_model
from tests.tiny_models import make_tiny_model

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
LENGTHS = (3, 17, 1, 9, 9, 30, 2)


def random_prompts(vocabulary: int) -> list[list[int]]:
    generator = torch.Generator().manual_seed(5)
    return [
        torch.randint(vocabulary, (length,), generator=generator).tolist() for length in LENGTHS
    ]


def relative_error(ours: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
    """|ours - theirs| / |theirs|, where |x| is the L2 norm over the last axis.

    Entries of one state may differ by orders of magnitude: float32 holds the vector to 1e-5 of its
    norm, but not each entry to 1e-5 of itself.
    """
    return (ours - theirs).norm(dim=-1) / theirs.norm(dim=-1)


@torch.inference_mode()
def activations_of_one_prompt(model: PreTrainedModel, ids: list[int]) -> PromptActivations:
    """What `capture` returns, by transformers' own outputs and a hook on the last block."""
    modules = find_modules(model)
    outputs_of_the_last_block = []

    def keep_output(_module: object, _arguments: object, output: Any) -> None:
        outputs_of_the_last_block.append(output[0] if isinstance(output, tuple) else output)

    hook = modules.blocks[-1].register_forward_hook(keep_output)
    out = model(
        torch.tensor([ids]), output_hidden_states=True, output_attentions=True, use_cache=False
    )
    hook.remove()

    # hidden_states holds the embeddings, the outputs of all blocks but the last, and the output of
    # the last block after the final norm. The hook gives that output before the norm.
    (last,) = outputs_of_the_last_block
    assert relative_error(modules.final_norm(last), out.hidden_states[-1]).max() < 1e-5
    states = [*out.hidden_states[1:-1], last]

    # The logit lens at the last token.
    unembedding = model.get_output_embeddings()
    logits = [unembedding(modules.final_norm(state[0, -1])) for state in states]
    assert relative_error(logits[-1], out.logits[0, -1]) < 1e-5
    log_probabilities = torch.stack(logits).double().log_softmax(-1)
    probabilities = log_probabilities.exp()

    attentions = torch.stack(out.attentions)[:, 0].double()  # layer, head, query, key
    row_entropy = -(attentions * attentions.clamp_min(1e-300).log()).sum(-1)
    return PromptActivations(
        hidden_states=torch.stack(states)[:, 0].transpose(0, 1),
        attention_row_entropy=row_entropy.permute(2, 0, 1).float(),
        confidence=probabilities.amax(-1).float(),
        entropy=-(probabilities * log_probabilities).sum(-1).float(),
    )


def assert_captured(
    captured: Activations, model: PreTrainedModel, prompts: list[list[int]]
) -> None:
    """The captured activations are those of each prompt alone."""
    for ours, ids in zip(split_prompts(captured), prompts, strict=True):
        theirs = activations_of_one_prompt(model, ids)
        assert relative_error(ours.hidden_states, theirs.hidden_states).max() < 1e-5
        torch.testing.assert_close(
            ours.attention_row_entropy, theirs.attention_row_entropy, **CLOSE
        )
        torch.testing.assert_close(ours.confidence, theirs.confidence, **CLOSE)
        torch.testing.assert_close(ours.entropy, theirs.entropy, **CLOSE)


@pytest.fixture(scope="module", params=FAMILIES)
def tiny(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> PreTrainedModel:
    folder = make_tiny_model(request.param, tmp_path_factory.mktemp(request.param))
    return load_model(folder, torch.device("cpu"))


@pytest.mark.parametrize("tokens_per_batch", [1, 40, 10_000])
def test_capture_equals_transformers_one_prompt_at_a_time(
    tiny: PreTrainedModel, tokens_per_batch: int
) -> None:
    prompts = random_prompts(tiny.config.vocab_size)
    hooks_before = [list(module._forward_hooks) for module in tiny.modules()]
    captured = capture(tiny, prompts, tokens_per_batch=tokens_per_batch)
    hooks_after = [list(module._forward_hooks) for module in tiny.modules()]
    assert hooks_after == hooks_before
    assert_captured(captured, tiny, prompts)


def test_attention_of_the_tiny_model_is_not_uniform(tiny: PreTrainedModel) -> None:
    """Uniform attention has the same row entropies, log(1), log(2), ..., in every model.

    The comparison of row entropies would then pass for any weights.
    """
    longest = random_prompts(tiny.config.vocab_size)[LENGTHS.index(30)]
    captured = capture(tiny, [longest], tokens_per_batch=40)
    (ours,) = split_prompts(captured)
    uniform = torch.arange(1, 30 + 1).log()[:, None, None]
    assert (uniform - ours.attention_row_entropy).abs().max() > 0.1


def test_logits_that_exceed_their_memory_are_computed_in_parts_with_the_bias_of_the_unembedding(
    tiny: PreTrainedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    bias = nn.Parameter(torch.linspace(-5, 5, tiny.config.vocab_size))
    monkeypatch.setitem(find_modules(tiny).unembedding._parameters, "bias", bias)
    # Memory for 5 rows of float32 logits; the softmax takes 2 rows at a time.
    monkeypatch.setattr("mechaware.models.capture._LENS_BYTES", 5 * 4 * tiny.config.vocab_size)
    monkeypatch.setattr("mechaware.models.capture._SOFTMAX_ROWS", 2)
    prompts = random_prompts(tiny.config.vocab_size)
    captured = capture(tiny, prompts, tokens_per_batch=40)
    assert_captured(captured, tiny, prompts)


def test_a_block_that_does_not_run_is_an_error(tmp_path: Path) -> None:
    model = load_model(make_tiny_model("gpt2", tmp_path / "m"), torch.device("cpu"))
    attention = model.transformer.h[1].attn
    model.transformer.h[1].forward = lambda hidden_states, *_, **__: hidden_states
    with pytest.raises(RuntimeError, match=r"ran \[1, 0, 1\] times"):
        capture(model, [[1, 2, 3]], tokens_per_batch=10)
    assert not attention._forward_hooks


def test_ten_files_of_the_same_activations_are_the_same_bytes(
    tmp_path: Path, tiny: PreTrainedModel
) -> None:
    """Keys written in a random order would agree in all ten files with probability (1 / 8!)^9."""
    prompts = random_prompts(tiny.config.vocab_size)[:2]
    activations = capture(tiny, prompts, tokens_per_batch=99)
    description = {f"key {number}": "value" for number in range(8)}
    for number in range(10):
        save_shard(
            activations._asdict(),
            tmp_path / f"{number}",
            prompt_ids=["a", "b"],
            description=description,
        )
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1
