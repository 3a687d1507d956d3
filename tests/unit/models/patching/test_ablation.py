"""Ablation, attribution and last-token patching against hooks on transformers, for every family, and by hand."""

import pytest
import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedModel

from mechaware.models.patching.ablation import (
    CausalPrompt,
    Effects,
    Means,
    ablate_in_order,
    mean_components,
    measure_effects,
    patch_last_token,
)
from tests.tiny_models import HEADS
from tests.unit.models.patching.naive_ablation import NaiveComponents, random_causal_prompts
from tests.unit.models.patching.naive_patching import LOOSE, N_LAYERS

CLOSE = {"rtol": 0, "atol": 1e-4, "check_dtype": False}  # logits are of the order of 1 to 10
N_COMPONENTS = N_LAYERS * (HEADS + 1)


@pytest.fixture
def prompts(tiny: PreTrainedModel) -> list[CausalPrompt]:
    return random_causal_prompts(tiny.config.vocab_size)


def own_means(model: PreTrainedModel, prompts: list[CausalPrompt]) -> Means:
    return mean_components(model, [prompt.ids for prompt in prompts], tokens_per_batch=LOOSE)


def random_orders(n_prompts: int, n_components: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(2)
    return torch.stack([torch.randperm(n_components, generator=generator) for _ in range(n_prompts)])


def test_exact_effects_equal_a_loop_of_hooks(tiny: PreTrainedModel, prompts: list[CausalPrompt]) -> None:
    effects = measure_effects(tiny, prompts, own_means(tiny, prompts), tokens_per_batch=LOOSE)
    naive = NaiveComponents(tiny)
    means = naive.means(prompts)
    margins = torch.stack([naive.margin(list(prompt.ids), prompt).detach() for prompt in prompts])
    ablated = torch.stack(
        [
            torch.stack([naive.ablated(prompt, [component], means) for component in range(N_COMPONENTS)])
            for prompt in prompts
        ]
    )
    torch.testing.assert_close(effects.margin, margins, **CLOSE)
    torch.testing.assert_close(effects.exact, margins[:, None] - ablated, **CLOSE)
    # Every component does something, or the comparison would prove little.
    assert effects.exact.abs().mean(0).min() > 0.001


def test_attribution_equals_the_gradients_of_transformers(tiny: PreTrainedModel, prompts: list[CausalPrompt]) -> None:
    effects = measure_effects(tiny, prompts, own_means(tiny, prompts), tokens_per_batch=LOOSE)
    naive = NaiveComponents(tiny)
    means = naive.means(prompts)
    theirs = torch.stack([naive.attributed(prompt, means) for prompt in prompts]).detach()
    torch.testing.assert_close(effects.attributed, theirs, **CLOSE)


def test_direct_attributions_sum_to_the_margin(tiny: PreTrainedModel, prompts: list[CausalPrompt]) -> None:
    with torch.no_grad():  # biases and norms too, which are drawn as zeros and ones
        for parameter in tiny.parameters():
            if parameter.ndim == 1:
                parameter.add_(0.3 * torch.randn(len(parameter), generator=torch.Generator().manual_seed(1)))
    effects = measure_effects(tiny, prompts, own_means(tiny, prompts), tokens_per_batch=LOOSE)
    naive = NaiveComponents(tiny)
    margins = torch.stack([naive.margin(list(prompt.ids), prompt).detach() for prompt in prompts])
    torch.testing.assert_close(effects.direct.sum(-1) + effects.remainder, margins, **CLOSE)


def test_each_direct_attribution_is_the_components_share_of_the_final_state(
    tiny: PreTrainedModel, prompts: list[CausalPrompt]
) -> None:
    effects = measure_effects(tiny, prompts, own_means(tiny, prompts), tokens_per_batch=LOOSE)
    naive = NaiveComponents(tiny)
    theirs = torch.stack([naive.direct(prompt) for prompt in prompts])
    torch.testing.assert_close(effects.direct, theirs, **CLOSE)


def test_last_token_patching_equals_a_loop_of_hooks(tiny: PreTrainedModel, prompts: list[CausalPrompt]) -> None:
    transfer = patch_last_token(tiny, prompts, tokens_per_batch=LOOSE)
    naive = NaiveComponents(tiny)
    for index, prompt in enumerate(prompts):
        other = list(prompt.counterfactual_ids)
        states = naive.layers_at_end(other, prompt)
        theirs = torch.stack([naive.patched(prompt, layer, state) for layer, state in enumerate(states)])
        torch.testing.assert_close(transfer.patched[index], theirs, **CLOSE)
        torch.testing.assert_close(transfer.counterfactual[index], naive.margin(other, prompt).detach(), **CLOSE)
    assert torch.equal(transfer.patched[:, -1], transfer.counterfactual)


def test_ablations_in_order_equal_a_loop_of_hooks(tiny: PreTrainedModel, prompts: list[CausalPrompt]) -> None:
    orders = random_orders(len(prompts), N_COMPONENTS)
    ours = ablate_in_order(tiny, prompts, orders, own_means(tiny, prompts), tokens_per_batch=LOOSE)
    naive = NaiveComponents(tiny)
    means = naive.means(prompts)
    for prompt, order, margins in zip(prompts, orders.tolist(), ours, strict=True):
        theirs = [naive.ablated(prompt, order[:n], means) for n in range(1, N_COMPONENTS + 1)]
        torch.testing.assert_close(margins, torch.stack(theirs), **CLOSE)


def test_batches_change_nothing(tiny: PreTrainedModel, prompts: list[CausalPrompt]) -> None:
    orders, ids = random_orders(len(prompts), N_COMPONENTS), [prompt.ids for prompt in prompts]
    results = []
    for size in (LOOSE, 1):
        means = mean_components(tiny, ids, tokens_per_batch=size)
        effects = measure_effects(tiny, prompts, means, tokens_per_batch=size)
        in_order = ablate_in_order(tiny, prompts, orders, means, tokens_per_batch=size)
        results.append([*means, *effects, *patch_last_token(tiny, prompts, tokens_per_batch=size), in_order])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=2e-5)


def test_an_unembedding_with_a_bias_counts_it(gpt2: PreTrainedModel) -> None:
    gpt2.lm_head.bias = nn.Parameter(torch.arange(gpt2.config.vocab_size) / 10.0)
    prompts = random_causal_prompts(gpt2.config.vocab_size)
    effects = measure_effects(gpt2, prompts, own_means(gpt2, prompts), tokens_per_batch=LOOSE)
    naive = NaiveComponents(gpt2)
    margins = torch.stack([naive.margin(list(prompt.ids), prompt).detach() for prompt in prompts])
    torch.testing.assert_close(effects.direct.sum(-1) + effects.remainder, margins, **CLOSE)


def test_attribution_and_direct_attribution_of_a_linear_model_by_hand() -> None:
    """One block whose two heads attend evenly and copy one dimension pair each; its MLP writes nothing.

    Token 0 is (1, -1, 0, 0), token 1 is (0, 0, 2, -2). In the prompts [0, 1] and [0], head 1's z is (1, -1) at both
    first positions and (1/2, -1/2) at the last of [0, 1]: its mean over the three positions is 5/6 of (1, -1). Head 2's
    z is 0 at both first positions and (1, -1) at the last of [0, 1]: its mean is 1/3 of (1, -1). The difference
    W_U[answer] - W_U[foil] is (3, 0, 5, 0).

    [0, 1]: m = 3 (0 + 1/2) + 5 (2 + 1) = 33/2; ablating head 1 changes its 1/2 to 5/6, an effect of
    3 (1/2 - 5/6) = -1, and head 2's 1 to 1/3, an effect of 10/3. [0]: m = 3 (1 + 1) = 6; the effects are
    3 (1 - 5/6) = 1/2 and 5 (0 - 1/3) = -5/3.
    """
    model = linear_model()
    prompts = [CausalPrompt([0, 1], [0], 2, 3), CausalPrompt([0], [1], 2, 3)]
    effects = measure_effects(model, prompts, own_means(model, prompts), tokens_per_batch=LOOSE)
    by_hand = Effects(
        margin=torch.tensor([33 / 2, 6]),
        exact=torch.tensor([[-1, 10 / 3, 0], [1 / 2, -5 / 3, 0]]),
        attributed=torch.tensor([[-1, 10 / 3, 0], [1 / 2, -5 / 3, 0]]),
        direct=torch.tensor([[3 / 2, 5, 0], [3, 0, 0]]),
        remainder=torch.tensor([10.0, 3]),
    )
    for ours, theirs in zip(effects, by_hand, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)
    # Greatest effect first: head 2, head 1, MLP for both prompts.
    orders = torch.tensor([[1, 0, 2], [1, 0, 2]])
    margins = ablate_in_order(model, prompts, orders, own_means(model, prompts), tokens_per_batch=LOOSE)
    expected = torch.tensor([[33 / 2 - 10 / 3, 33 / 2 - 7 / 3, 33 / 2 - 7 / 3], [6 + 5 / 3, 6 + 7 / 6, 6 + 7 / 6]])
    torch.testing.assert_close(margins, expected, rtol=0, atol=1e-5)


def linear_model() -> GPT2LMHeadModel:
    """A GPT-2 in which a huge epsilon turns every layer norm into the subtraction of the mean."""
    epsilon = 1e8
    config = GPT2Config(
        vocab_size=4, n_embd=4, n_layer=1, n_head=2, n_positions=4, layer_norm_epsilon=epsilon,
        tie_word_embeddings=False, attn_implementation="eager",
    )  # fmt: skip
    model = GPT2LMHeadModel(config).eval()
    block, identity = model.transformer.h[0], torch.eye(4)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        for norm in (block.ln_1, block.ln_2, model.transformer.ln_f):
            norm.weight.fill_(epsilon**0.5)
        model.transformer.wte.weight[:2] = torch.tensor([[1.0, -1, 0, 0], [0, 0, 2, -2]])
        block.attn.c_attn.weight[:, 8:] = identity  # values; queries and keys are zero, so attention is even
        block.attn.c_proj.weight.copy_(identity)
        model.lm_head.weight[2:] = torch.tensor([[3.0, 0, 5, 0], [0, 0, 0, 0]])
    return model.requires_grad_(False)  # components have gradients even if no weight has
