"""What the tests of patching share: random pairs,
and naive loops over the hooks of transformers.
"""

import random
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import nn
from transformers import PreTrainedModel

from mechaware.models.families.supported import find_modules
from mechaware.models.patching.runs import TokenPair
from tests.tiny_models import CONTEXT_LENGTH

N_LAYERS = 3
ALL_LAYERS = range(N_LAYERS + 1)
LOOSE = 10**9  # tokens per batch: all pairs in one
# By pair: (tokens of each prompt, position of the word, tokens of the word). Words have one to
# four tokens.
SHAPES = (
    (10, 3, 2),
    (7, 0, 1),  # at the first position
    (20, 12, 3),
    (20, 18, 1),  # at the last but one
    (9, 3, 1),  # a prefix as long as the first pair's
    (33, 20, 2),
    (2, 0, 1),
    (CONTEXT_LENGTH, 40, 1),  # the whole context
    (55, 50, 4),  # its suffix, padded to the longest, would leave the context
    (12, 5, 1),  # a suffix as long as the first pair's
)


def random_pairs(
    vocabulary: int, shapes: Sequence[tuple[int, int, int]] = SHAPES, seed: int = 3
) -> list[TokenPair]:
    """Pairs whose words differ in their first, third, fifth, ... tokens."""
    draw = random.Random(seed)  # noqa: S311 - not a secret
    pairs = []
    for length, position, n_tokens in shapes:
        clean = draw.choices(range(vocabulary), k=length)
        other_tokens = [token for token in range(vocabulary) if token != clean[position]]
        other, correct, incorrect = draw.sample(other_tokens, 3)
        corrupted = [*clean[:position], other, *clean[position + 1 :]]
        for at in range(position + 2, position + n_tokens, 2):
            corrupted[at] = (clean[at] + 1) % vocabulary
        pairs.append(TokenPair(clean, corrupted, position, correct, incorrect, n_tokens))
    return pairs


def word_of(pair: TokenPair) -> slice:
    """The positions of the pair's word."""
    return slice(pair.position, pair.position + pair.n_tokens)


def replaced(states: torch.Tensor, positions: slice, new: torch.Tensor) -> torch.Tensor:
    """A copy of the states (1, pos, width) of one prompt with those at `positions` replaced."""
    states = states.clone()
    states[0, positions] = new
    return states


class NaiveLoop:
    """One prompt and one layer at a time: hooks on transformers' blocks,
    logits over the whole vocabulary.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        self.model = model
        self.blocks = find_modules(model).blocks

    @torch.inference_mode()
    def difference(self, ids: list[int], pair: TokenPair) -> torch.Tensor:
        """logit(correct) - logit(incorrect) at the last token of the prompt `ids`."""
        logits = self.model(torch.tensor([ids]), use_cache=False).logits[0, -1].double()
        return logits[pair.correct] - logits[pair.incorrect]

    def states(self, ids: list[int], pair: TokenPair) -> torch.Tensor:
        """The states of the pair's word in the prompt `ids`:
        layer 0..L, token of the word, d_model.
        """
        kept: list[torch.Tensor] = []

        def keep_input(_block: nn.Module, arguments: Any) -> None:
            kept.append(arguments[0])

        def keep_output(_block: nn.Module, _arguments: Any, output: Any) -> None:
            kept.append(first(output))

        hooks = [self.blocks[0].register_forward_pre_hook(keep_input)]
        hooks += [block.register_forward_hook(keep_output) for block in self.blocks]
        self.difference(ids, pair)
        for hook in hooks:
            hook.remove()
        return torch.stack([states[0, word_of(pair)] for states in kept])

    def patched(
        self, ids: list[int], pair: TokenPair, layer: int, state: torch.Tensor
    ) -> torch.Tensor:
        """The difference in a run of `ids` in which the word has `state` after block `layer`
        (0: before block 1).
        """

        def on_input(_module: Any, arguments: Any) -> Any:
            return (replaced(arguments[0], word_of(pair), state), *arguments[1:])

        def on_output(_module: Any, _arguments: Any, out: Any) -> Any:
            states = replaced(first(out), word_of(pair), state)
            return (states, *out[1:]) if isinstance(out, tuple) else states

        if layer == 0:
            hook = self.blocks[0].register_forward_pre_hook(on_input)
        else:
            hook = self.blocks[layer - 1].register_forward_hook(on_output)
        difference = self.difference(ids, pair)
        hook.remove()
        return difference


def first(output: Any) -> torch.Tensor:
    """The states in a block's output, which is a tuple in some families."""
    return output[0] if isinstance(output, tuple) else output


BASE_AND_DONOR = {"denoise": ("corrupted", "clean"), "noise": ("clean", "corrupted")}
# A module, and the columns of its output that are keys or values.
Projection = tuple[nn.Module, list[int]]


def key_value_columns(model: PreTrainedModel) -> list[list[Projection]]:
    """By block, where transformers computes the keys and values."""
    family = model.config.model_type
    by_block = []
    for attention in find_modules(model).attentions:
        width = model.config.hidden_size
        if family == "gpt2":  # columns: all queries, all keys, all values
            by_block.append([(attention.c_attn, list(range(width, 3 * width)))])
        elif family == "gpt_neox":
            # Columns: query, key and value of the first head, of the second, ...
            columns = [column for column in range(3 * width) if column // attention.head_size % 3]
            by_block.append([(attention.query_key_value, columns)])
        else:
            parts = attention.attention if family == "gpt_neo" else attention
            modules = (parts.k_proj, parts.v_proj)
            by_block.append([(module, list(range(module.out_features))) for module in modules])
    return by_block


class NaiveCut:
    """One pair, one direction and one set of blocks at a time:
    hooks on the projections of keys and values.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        self.loop = NaiveLoop(model)
        self.columns = key_value_columns(model)

    def patched(self, pair: TokenPair, direction: str, blocks: Iterable[int]) -> torch.Tensor:
        """The difference in the base run with the donor run's keys and values of the word
        in `blocks` (from 1).
        """
        base_name, donor_name = BASE_AND_DONOR[direction]
        base = getattr(pair, base_name)
        donor = getattr(pair, donor_name)
        kept: dict[nn.Module, torch.Tensor] = {}

        def keep(module: nn.Module, _arguments: Any, output: torch.Tensor) -> None:
            kept[module] = output[0, word_of(pair)].clone()

        def put(columns: list[int]) -> Any:
            def hook(module: nn.Module, _arguments: Any, output: torch.Tensor) -> torch.Tensor:
                word = output[0, word_of(pair)].clone()
                word[:, columns] = kept[module][:, columns]
                return replaced(output, word_of(pair), word)

            return hook

        projections: list[Projection] = []
        for block in blocks:
            projections += self.columns[block - 1]
        self.hooked(donor, pair, [(module, keep) for module, _ in projections])
        return self.hooked(base, pair, [(module, put(columns)) for module, columns in projections])

    def hooked(
        self, ids: list[int], pair: TokenPair, hooks: list[tuple[nn.Module, Any]]
    ) -> torch.Tensor:
        """The difference in a run of the prompt `ids`,
        with a hook on the output of each of some modules.
        """
        handles = [module.register_forward_hook(hook) for module, hook in hooks]
        difference = self.loop.difference(ids, pair)
        for handle in handles:
            handle.remove()
        return difference
