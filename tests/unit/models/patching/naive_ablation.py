"""Components of transformers' own modules: a naive loop of hooks, one prompt and one component at a time."""

import random
from contextlib import ExitStack
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedModel

from mechaware.models.families.supported import find_modules
from mechaware.models.patching.ablation import CausalPrompt
from mechaware.models.patching.runs import TokenPair
from tests.tiny_models import CONTEXT_LENGTH, HEADS
from tests.unit.models.patching.naive_patching import NaiveLoop

OUTPUT = {"gpt2": "c_proj", "gpt_neo": "attention.out_proj", "gpt_neox": "dense"}  # in the attention module; or o_proj
# (tokens, tokens of the counterfactual): equal and unequal lengths, one token, a whole context.
LENGTHS = ((9, 9), (5, 12), (17, 3), (1, 4), (CONTEXT_LENGTH, 20), (12, 1), (30, 31))


def random_causal_prompts(vocabulary: int, lengths: tuple[tuple[int, int], ...] = LENGTHS) -> list[CausalPrompt]:
    draw = random.Random(11)  # noqa: S311 - not a secret
    tokens = range(vocabulary)
    return [
        CausalPrompt(draw.choices(tokens, k=own), draw.choices(tokens, k=other), *draw.sample(tokens, 2))
        for own, other in lengths
    ]


class NaiveComponents:
    """Components in the order block 1's heads, block 1's MLP, block 2's heads ..."""

    def __init__(self, model: PreTrainedModel) -> None:
        self.model, self.loop, modules = model, NaiveLoop(model), find_modules(model)
        name = OUTPUT.get(model.config.model_type, "o_proj")
        self.blocks, self.final_norm = modules.blocks, modules.final_norm
        self.projections = [attention.get_submodule(name) for attention in modules.attentions]
        self.mlps: list[Any] = [block.mlp for block in modules.blocks]
        self.n_components = len(self.blocks) * (HEADS + 1)

    def margin(self, ids: list[int], prompt: CausalPrompt) -> torch.Tensor:
        logits = self.model(torch.tensor([ids]), use_cache=False).logits[0, -1].double()
        return logits[prompt.answer_id] - logits[prompt.foil_id]

    def outputs(self, prompt: CausalPrompt) -> tuple[list[torch.Tensor], torch.Tensor]:
        """Every component's output (pos, width), a part of the graph of the margin, which comes with it."""
        kept: dict[int, torch.Tensor] = {}

        def keep_z(block: int) -> Any:
            def hook(_module: nn.Module, arguments: Any) -> Any:
                heads = [head.clone() for head in arguments[0][0].chunk(HEADS, -1)]
                kept.update({block * (HEADS + 1) + index: head for index, head in enumerate(heads)})
                return (torch.cat(heads, -1)[None],)

            return hook

        def keep_mlp(block: int) -> Any:
            def hook(_module: nn.Module, _arguments: Any, output: torch.Tensor) -> Any:
                kept[block * (HEADS + 1) + HEADS] = output[0].clone()
                return kept[block * (HEADS + 1) + HEADS][None]

            return hook

        with ExitStack() as hooks:
            for block, (projection, mlp) in enumerate(zip(self.projections, self.mlps, strict=True)):
                hooks.callback(projection.register_forward_pre_hook(keep_z(block)).remove)
                hooks.callback(mlp.register_forward_hook(keep_mlp(block)).remove)
            margin = self.margin(list(prompt.ids), prompt)
        return [kept[index] for index in range(self.n_components)], margin

    def means(self, prompts: list[CausalPrompt]) -> list[torch.Tensor]:
        by_prompt = [self.outputs(prompt)[0] for prompt in prompts]
        return [torch.cat(states).detach().double().mean(0).float() for states in zip(*by_prompt, strict=True)]

    @torch.no_grad()
    def ablated(self, prompt: CausalPrompt, components: list[int], means: list[torch.Tensor]) -> torch.Tensor:
        def put_head(head: int, mean: torch.Tensor) -> Any:
            def hook(_module: nn.Module, arguments: Any) -> Any:
                heads = list(arguments[0].chunk(HEADS, -1))
                heads[head] = mean.expand_as(heads[head])
                return (torch.cat(heads, -1),)

            return hook

        with ExitStack() as hooks:
            for component in components:
                block, place = divmod(component, HEADS + 1)
                mean = means[component]
                if place == HEADS:
                    put = self.mlps[block].register_forward_hook(lambda _m, _a, out, mean=mean: mean.expand_as(out))
                else:
                    put = self.projections[block].register_forward_pre_hook(put_head(place, mean))
                hooks.callback(put.remove)
            return self.margin(list(prompt.ids), prompt)

    def attributed(self, prompt: CausalPrompt, means: list[torch.Tensor]) -> torch.Tensor:
        states, margin = self.outputs(prompt)
        gradients = torch.autograd.grad(margin, states)
        return torch.stack(
            [((s - mean) * gradient).sum() for s, mean, gradient in zip(states, means, gradients, strict=True)]
        )

    @torch.no_grad()
    def direct(self, prompt: CausalPrompt) -> torch.Tensor:
        """Every component's share of the final state, normed as a part of it, times W_U[answer] - W_U[foil]."""
        final, norm = self.layers_at_end(list(prompt.ids), prompt)[-1], self.final_norm
        layer_norm = getattr(norm, "bias", None) is not None
        scale = torch.sqrt(final.var(correction=0) + norm.eps if layer_norm else final.square().mean() + 1e-6)
        weight = self.model.get_output_embeddings().weight
        shares = []
        for index, state in enumerate(self.outputs(prompt)[0]):
            block, place = divmod(index, HEADS + 1)
            share = state[-1]
            if place < HEADS:
                z = torch.zeros(HEADS, len(share))
                without = self.projections[block](z.flatten()[None])
                z[place] = share
                share = (self.projections[block](z.flatten()[None]) - without)[0]
            normed = norm.weight * (share - share.mean() if layer_norm else share) / scale
            shares.append(normed @ weight[prompt.answer_id] - normed @ weight[prompt.foil_id])
        return torch.stack(shares)

    def layers_at_end(self, ids: list[int], prompt: CausalPrompt) -> torch.Tensor:
        """The residual stream at the last token: before block 1, and after each block."""
        return self.loop.states(ids, at_last_token(ids, prompt))[:, 0]

    def patched(self, prompt: CausalPrompt, layer: int, state: torch.Tensor) -> torch.Tensor:
        ids = list(prompt.ids)
        return self.loop.patched(ids, at_last_token(ids, prompt), layer, state)


def at_last_token(ids: list[int], prompt: CausalPrompt) -> TokenPair:
    return TokenPair(ids, ids, len(ids) - 1, prompt.answer_id, prompt.foil_id)
