"""Patching and attribution of heads and MLPs against hooks and gradients in transformers' own pass.

The references take one component, one run and one step of integrated gradients at a time.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
# Of a pair: tokens of each prompt, position of the word, tokens of the word.
SHAPES = ((10, 3, 2), (7, 0, 1), (9, 5, 1))
# In the attention module, the output projection, whose input is z: the outputs of all heads.
OUTPUT_PROJECTIONS = {
    "gpt2": "c_proj",
    "gpt_neo": "attention.out_proj",
    "gpt_neox": "dense",
    "llama": "o_proj",
}


@pytest.fixture(params=OUTPUT_PROJECTIONS, scope="module")
def model(request: pytest.FixtureRequest, folders: dict[str, Path]) -> PreTrainedModel:
    return load(folders[request.param])


def test_components_are_the_heads_and_the_mlp_of_each_block(model: PreTrainedModel) -> None:
    components = components_of(model)
    assert components[:6] == [(1, 1), (1, 2), (1, 3), (1, 4), (1, None), (2, 1)]
    assert len(components) == N_LAYERS * (HEADS + 1)


@contextmanager
def changed_output(
    model: PreTrainedModel,
    component: Component,
    change: Callable[[torch.Tensor], torch.Tensor | None],
) -> Iterator[None]:
    """In a `with` block, put what `change` returns in place of a component's output, unless None.

    `change` gets z (row, position, all heads side by side), or the output of the MLP.
    """
    modules = find_modules(model)
    index = component.block - 1
    if component.head is None:
        handle = modules.blocks[index].mlp.register_forward_hook(
            lambda _mlp, _arguments, output: change(output)
        )
    else:
        projection = modules.attentions[index].get_submodule(
            OUTPUT_PROJECTIONS[model.config.model_type]
        )
        handle = projection.register_forward_pre_hook(
            lambda _projection, arguments: change(arguments[0])
        )
    try:
        yield
    finally:
        handle.remove()


def of_component(states: torch.Tensor, component: Component) -> torch.Tensor:
    """The part of z that is the head's; the whole output of an MLP."""
    if component.head is None:
        return states
    return states[..., (component.head - 1) * D_HEAD : component.head * D_HEAD]


def output_in_run(model: PreTrainedModel, component: Component, ids: list[int]) -> torch.Tensor:
    """A component's output in the run of a prompt: position, width of the component."""
    kept = []
    with torch.no_grad(), changed_output(model, component, kept.append):
        model(torch.tensor([ids]))
    return of_component(kept[0][0], component)


def patched_by_hand(
    model: PreTrainedModel,
    component: Component,
    output: torch.Tensor,
    ids: list[int],
    pair: TokenPair,
) -> float:
    """The logit difference in the run of `ids` in which one component has another run's output."""

    def replace(states: torch.Tensor) -> torch.Tensor:
        states = states.clone()
        of_component(states, component)[0] = output
        return states

    with changed_output(model, component, replace):
        return float(NaiveLoop(model).difference(ids, pair))


@pytest.mark.parametrize(("base", "donor"), [("corrupted", "clean"), ("clean", "corrupted")])
def test_each_component_is_patched_as_by_a_hook(
    model: PreTrainedModel, base: str, donor: str
) -> None:
    components = components_of(model)
    one_at_a_time = torch.eye(len(components), dtype=torch.bool)
    for pair in random_pairs(model.config.vocab_size, SHAPES[:2]):
        base_ids = getattr(pair, base)
        donor_ids = getattr(pair, donor)
        ours = patch_components(
            model, run_pair(model, pair), one_at_a_time, base=base, tokens_per_batch=40
        )
        theirs = []
        for component in components:
            output = output_in_run(model, component, donor_ids)
            theirs.append(patched_by_hand(model, component, output, base_ids, pair))
        assert ours.tolist() == pytest.approx(theirs, abs=2e-5)

        # Most patches have an effect.
        base_diff = float(NaiveLoop(model).difference(base_ids, pair))
        effects = [abs(patched_diff - base_diff) for patched_diff in theirs]
        assert sum(effect > 0.01 for effect in effects) > len(components) / 2


def test_no_component_gives_the_base_run_and_all_give_the_other_one(model: PreTrainedModel) -> None:
    n_components = len(components_of(model))
    loop = NaiveLoop(model)
    none_and_all = torch.tensor([[False] * n_components, [True] * n_components])
    for pair in random_pairs(model.config.vocab_size, SHAPES):
        patched = patch_components(
            model, run_pair(model, pair), none_and_all, base="clean", tokens_per_batch=LOOSE
        )
        clean_diff = float(loop.difference(pair.clean, pair))
        corrupted_diff = float(loop.difference(pair.corrupted, pair))
        assert patched.tolist() == pytest.approx([clean_diff, corrupted_diff], abs=2e-5)
        assert abs(clean_diff - corrupted_diff) > 1e-3


def gradient_by_hand(
    model: PreTrainedModel, component: Component, embedded: torch.Tensor, pair: TokenPair
) -> torch.Tensor:
    """d(logit difference)/d(output of the component) in a run from given embeddings.

    `embedded` is (1, position, d_model). The result is the gradient with respect to a variable of
    zeros that is added to the output.
    """
    width = WIDTH if component.head is None else D_HEAD
    variable = torch.zeros(embedded.shape[1], width, requires_grad=True)

    def add(states: torch.Tensor) -> torch.Tensor:
        states = states.clone()
        of_component(states, component)[0] += variable
        return states

    with changed_output(model, component, add):
        logits = model(inputs_embeds=embedded).logits[0, -1]
    (gradient,) = torch.autograd.grad(logits[pair.correct] - logits[pair.incorrect], variable)
    return gradient


def test_attribution_is_the_mean_of_five_gradients_times_the_change_of_the_output(
    model: PreTrainedModel,
) -> None:
    """score = 1/5 sum_{k=1..5} (a - a') . dm/da at e' + k/5 (e - e'), as in `attribute`."""
    embeddings: Any = model.get_input_embeddings()
    (pair,) = random_pairs(model.config.vocab_size, SHAPES[:1])
    ours = attribute(model, run_pair(model, pair), tokens_per_batch=25)
    clean = embeddings(torch.tensor([pair.clean])).detach()
    corrupted = embeddings(torch.tensor([pair.corrupted])).detach()
    theirs = []
    for component in components_of(model):
        clean_output = output_in_run(model, component, pair.clean)
        change = clean_output - output_in_run(model, component, pair.corrupted)
        products = []
        for k in (1, 2, 3, 4, 5):
            embedded = corrupted + k / 5 * (clean - corrupted)
            gradient = gradient_by_hand(model, component, embedded, pair)
            products.append(float((gradient * change).sum()))
        theirs.append(sum(products) / 5)
    assert ours.tolist() == pytest.approx(theirs, abs=2e-4)
    assert ours.abs().max() > 0.01


def test_attribution_is_the_effect_of_a_patch_if_the_words_are_nearly_alike(
    folders: dict[str, Path],
) -> None:
    """If outputs change by a thousandth, the effect of a patch is the gradient times the change."""
    model = load(folders["llama"])
    (pair,) = random_pairs(model.config.vocab_size, ((8, 2, 1),))
    # Move the clean word's embedding to a thousandth of its distance from the corrupted word's.
    with torch.no_grad():
        weights = model.get_input_embeddings().weight
        clean = pair.clean[pair.position]
        corrupted = pair.corrupted[pair.position]
        weights[clean] = weights[corrupted] + 1e-3 * (weights[clean] - weights[corrupted])

    runs = run_pair(model, pair)
    one_at_a_time = torch.eye(len(components_of(model)), dtype=torch.bool)
    patched = patch_components(model, runs, one_at_a_time, base="corrupted", tokens_per_batch=LOOSE)
    effects = patched - float(NaiveLoop(model).difference(pair.corrupted, pair))
    estimates = attribute(model, runs, tokens_per_batch=LOOSE)
    largest = estimates.abs().topk(10).indices
    assert estimates[largest].tolist() == pytest.approx(effects[largest].tolist(), rel=0.05)
    # Effects of both signs are among them.
    assert len(set(estimates[largest].sign().tolist())) == 2
