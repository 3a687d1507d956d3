"""Heads and MLPs against plain gradients and hooks of transformers: one step, one component, one run at a time."""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import PreTrainedModel

from mechaware.models.families.supported import find_modules
from mechaware.models.patching.components import (
    Component,
    attribute,
    components_of,
    patch_components,
    run_pair,
)
from mechaware.models.patching.runs import TokenPair
from tests.tiny_models import HEADS, WIDTH
from tests.unit.models.conftest import load
from tests.unit.models.patching.naive_patching import LOOSE, N_LAYERS, NaiveLoop, random_pairs

D_HEAD = WIDTH // HEADS
SHAPES = ((10, 3, 2), (7, 0, 1), (9, 5, 1))
# Where transformers projects the heads' outputs, in the attention module.
PROJECTIONS = {"gpt2": "c_proj", "gpt_neo": "attention.out_proj", "gpt_neox": "dense"}


@pytest.fixture(params=["gpt2", "gpt_neo", "gpt_neox", "llama"], scope="module")
def model(request: pytest.FixtureRequest, folders: dict[str, Path]) -> PreTrainedModel:
    return load(folders[request.param])


def test_components_are_the_heads_and_the_mlp_of_each_block(model: PreTrainedModel) -> None:
    found = components_of(model)
    assert found[:6] == [(1, 1), (1, 2), (1, 3), (1, 4), (1, None), (2, 1)]
    assert len(found) == N_LAYERS * (HEADS + 1)


def module_of(model: PreTrainedModel, component: Component) -> torch.nn.Module:
    """The module that reads a head's output, or the MLP."""
    modules = find_modules(model)
    at = component.block - 1
    if component.head is None:
        return modules.blocks[at].mlp
    name = PROJECTIONS.get(model.config.model_type, "o_proj")
    return modules.attentions[at].get_submodule(name)


def output_in(model: PreTrainedModel, component: Component, ids: list[int]) -> torch.Tensor:
    """A component's output in the run of a prompt: position, width."""
    kept = []
    module = module_of(model, component)
    if component.head is None:
        hook = module.register_forward_hook(lambda _m, _a, output: kept.append(output[0]))
    else:
        hook = module.register_forward_pre_hook(lambda _m, arguments: kept.append(arguments[0][0]))
    with torch.no_grad():
        model(torch.tensor([ids]))
    hook.remove()
    return of_head(kept[0], component)


def of_head(states: torch.Tensor, component: Component) -> torch.Tensor:
    """The part of z (all heads side by side) that is the head's; the whole output of an MLP."""
    if component.head is None:
        return states
    return states[..., (component.head - 1) * D_HEAD : component.head * D_HEAD]


def patched_alone(
    model: PreTrainedModel,
    component: Component,
    output: torch.Tensor,
    ids: list[int],
    pair: TokenPair,
) -> float:
    """The difference of logits of a run in which one component has another run's output."""

    def replaced(states: torch.Tensor) -> torch.Tensor:
        states = states.clone()
        of_head(states, component)[0] = output
        return states

    module = module_of(model, component)
    if component.head is None:
        hook = module.register_forward_hook(lambda _m, _a, states: replaced(states))
    else:
        hook = module.register_forward_pre_hook(lambda _m, arguments: (replaced(arguments[0]),))
    difference = float(NaiveLoop(model).difference(ids, pair))
    hook.remove()
    return difference


def test_each_component_is_patched_as_a_hook_patches_it(model: PreTrainedModel) -> None:
    components = components_of(model)
    for pair in random_pairs(model.config.vocab_size, SHAPES[:2]):
        each = torch.eye(len(components), dtype=torch.bool)
        for base, ids, other in (
            ("corrupted", pair.corrupted, pair.clean),
            ("clean", pair.clean, pair.corrupted),
        ):
            ours = patch_components(
                model, run_pair(model, pair), each, base=base, tokens_per_batch=40
            )
            theirs = []
            for component in components:
                output = output_in(model, component, other)
                theirs.append(patched_alone(model, component, output, ids, pair))
            assert ours.tolist() == pytest.approx(theirs, abs=2e-5)
            moved = [abs(value - float(NaiveLoop(model).difference(ids, pair))) for value in theirs]
            assert sum(move > 0.01 for move in moved) > len(components) / 2


def test_no_component_gives_the_base_run_and_all_give_the_other_one(model: PreTrainedModel) -> None:
    n_components = len(components_of(model))
    loop = NaiveLoop(model)
    patched = torch.tensor([[False] * n_components, [True] * n_components])
    for pair in random_pairs(model.config.vocab_size, SHAPES):
        found = patch_components(
            model, run_pair(model, pair), patched, base="clean", tokens_per_batch=LOOSE
        )
        both = [float(loop.difference(ids, pair)) for ids in (pair.clean, pair.corrupted)]
        assert found.tolist() == pytest.approx(both, abs=2e-5)
        assert abs(both[0] - both[1]) > 1e-3


def test_attribution_is_the_sum_of_five_gradients_times_the_change_of_the_output(
    model: PreTrainedModel,
) -> None:
    """One step at a time; the gradient with respect to a variable that is added to the component's output."""
    components = components_of(model)
    embeddings: Any = model.get_input_embeddings()
    for pair in random_pairs(model.config.vocab_size, SHAPES[:1]):
        ours = attribute(model, run_pair(model, pair), tokens_per_batch=25)
        clean = embeddings(torch.tensor([pair.clean])).detach()
        corrupted = embeddings(torch.tensor([pair.corrupted])).detach()
        theirs = []
        for component in components:
            clean_output = output_in(model, component, pair.clean)
            change = clean_output - output_in(model, component, pair.corrupted)
            total = 0.0
            for k in (1, 2, 3, 4, 5):
                added = torch.zeros_like(change, requires_grad=True)
                module = module_of(model, component)
                if component.head is None:
                    hook = module.register_forward_hook(lambda _m, _a, states, a=added: states + a)
                else:
                    before = (component.head - 1) * D_HEAD
                    wide = torch.nn.functional.pad(added, (before, WIDTH - before - D_HEAD))
                    hook = module.register_forward_pre_hook(
                        lambda _m, arguments, a=wide: (arguments[0] + a,)
                    )
                logits = model(inputs_embeds=corrupted + k / 5 * (clean - corrupted)).logits[0, -1]
                (logits[pair.correct] - logits[pair.incorrect]).backward()
                hook.remove()
                assert added.grad is not None
                total += float((added.grad * change).sum())
            theirs.append(total / 5)
        model.zero_grad()
        assert ours.tolist() == pytest.approx(theirs, abs=2e-4)
        assert ours.abs().max() > 0.01


def test_attribution_is_the_effect_of_a_patch_where_the_words_are_nearly_alike(
    folders: dict[str, Path],
) -> None:
    """Where outputs change by a thousandth the effect of a patch is linear: the gradient times the change."""
    model = load(folders["llama"])
    pair = random_pairs(model.config.vocab_size, ((8, 2, 1),))[0]
    with torch.no_grad():  # the words' embeddings differ by a thousandth of what they differed by
        weights = model.get_input_embeddings().weight
        clean = pair.clean[2]
        corrupted = pair.corrupted[2]
        weights[clean] = weights[corrupted] + 1e-3 * (weights[clean] - weights[corrupted])
    n_components = len(components_of(model))
    exact = patch_components(
        model,
        run_pair(model, pair),
        torch.eye(n_components, dtype=torch.bool),
        base="corrupted",
        tokens_per_batch=LOOSE,
    ) - float(NaiveLoop(model).difference(pair.corrupted, pair))
    estimated = attribute(model, run_pair(model, pair), tokens_per_batch=LOOSE)
    largest = estimated.abs().topk(10).indices
    assert estimated[largest].tolist() == pytest.approx(exact[largest].tolist(), rel=0.05)
    assert len(set(estimated[largest].sign().tolist())) == 2
