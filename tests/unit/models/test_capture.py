"""Capture against transformers' own outputs, one prompt at a time, for every family."""

from functools import partial
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


def relative_error(mine: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
    """The length of the difference of two vectors over the length of the second, for every token and layer.

    Single entries of the real model's states reach 20,000 next to others near 0: float32 holds the vector to 1e-5, not
    each of its entries.
    """
    return (mine - theirs).norm(dim=-1) / theirs.norm(dim=-1)


@torch.inference_mode()
def one_at_a_time(model: PreTrainedModel, ids: list[int]) -> PromptActivations:
    """The same quantities from transformers' documented outputs and a hook on the last block, for one prompt alone."""
    modules = find_modules(model)
    outputs_of_the_last_block = []

    def keep_output(_module: object, _arguments: object, output: Any) -> None:
        outputs_of_the_last_block.append(output[0] if isinstance(output, tuple) else output)

    hook = modules.blocks[-1].register_forward_hook(keep_output)
    out = model(
        torch.tensor([ids]), output_hidden_states=True, output_attentions=True, use_cache=False
    )
    hook.remove()

    # transformers' last entry has the final norm applied; all others are the raw outputs of the blocks.
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


def assert_same(ours: Activations, model: PreTrainedModel, prompts: list[list[int]]) -> None:
    for mine, ids in zip(split_prompts(ours), prompts, strict=True):
        theirs = one_at_a_time(model, ids)
        assert relative_error(mine.hidden_states, theirs.hidden_states).max() < 1e-5
        for name in ("attention_row_entropy", "confidence", "entropy"):
            named = partial("{}: {}".format, name)
            torch.testing.assert_close(
                getattr(mine, name), getattr(theirs, name), **CLOSE, msg=named
            )


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
    hooks = [list(module._forward_hooks) for module in tiny.modules()]
    captured = capture(tiny, prompts, tokens_per_batch=tokens_per_batch)
    assert [list(module._forward_hooks) for module in tiny.modules()] == hooks
    assert_same(captured, tiny, prompts)
    # Were attention uniform, the row entropies of any two models would agree, and the comparison would prove nothing.
    uniform = torch.arange(1, 31).log()[:, None, None]
    longest = list(split_prompts(captured))[5]
    assert (uniform - longest.attention_row_entropy).abs().max() > 0.1


def test_logits_that_do_not_fit_their_space_are_read_in_parts_with_the_bias_of_the_unembedding(
    tiny: PreTrainedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    bias = nn.Parameter(torch.linspace(-5, 5, tiny.config.vocab_size))
    monkeypatch.setitem(find_modules(tiny).unembedding._parameters, "bias", bias)
    monkeypatch.setattr("mechaware.models.capture._LENS_BYTES", 5 * 4 * tiny.config.vocab_size)
    monkeypatch.setattr("mechaware.models.capture._SOFTMAX_ROWS", 2)
    prompts = random_prompts(tiny.config.vocab_size)
    assert_same(capture(tiny, prompts, tokens_per_batch=40), tiny, prompts)


def test_a_block_that_does_not_run_is_an_error(tmp_path: Path) -> None:
    model = load_model(make_tiny_model("gpt2", tmp_path / "m"), torch.device("cpu"))
    skipped = model.transformer.h[1].attn
    model.transformer.h[1].forward = lambda hidden_states, *_, **__: hidden_states
    with pytest.raises(RuntimeError, match=r"ran \[1, 0, 1\] times"):
        capture(model, [[1, 2, 3]], tokens_per_batch=10)
    assert not skipped._forward_hooks


def test_activations_written_twice_are_the_same_bytes(
    tmp_path: Path, tiny: PreTrainedModel
) -> None:
    """Ten times, since keys in a random order could agree: eight keys in one order of 8! would, ten times, never."""
    activations = capture(tiny, random_prompts(tiny.config.vocab_size)[:2], tokens_per_batch=99)
    description = {f"key {number}": "value" for number in range(8)}
    for number in range(10):
        save_shard(
            activations._asdict(),
            tmp_path / f"{number}",
            prompt_ids=["a", "b"],
            description=description,
        )
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1
