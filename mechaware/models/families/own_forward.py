"""A model's own forward pass, which keeps or replaces residual states, keys and values.

The model computes everything itself, so this is right for every architecture: mixtures of experts,
parallel blocks, norms after a block, biases and windows. `Block` in family.py is faster, because
its runs share what patches cannot change.

Two indices are used. States are counted by layer: layer 0 is the residual stream before the first
block, layer l the stream after l blocks. Keys and values are counted by block, from 0.

    states            `keeping_states`, `swapping_states`
    keys and values   `KeyValueCache`, which is passed to `last_logits`
"""

import inspect
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import nn
from transformers import DynamicCache

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Rows = Int[torch.Tensor, "row pos"]  # token ids of texts of one length
LayerStates = Float[torch.Tensor, "row pos d_model"]


class StateSwap(NamedTuple):
    """States that replace one row's own at some positions of one layer."""

    row: int
    layer: int
    positions: Sequence[int]
    states: Float[torch.Tensor, "swapped_pos d_model"]


class KeyValueSwap(NamedTuple):
    """Keys and values that replace one row's own at some positions in one block."""

    row: int
    block: int
    positions: Sequence[int]
    keys: Float[torch.Tensor, "head swapped_pos d_head"]
    values: Float[torch.Tensor, "head swapped_pos d_head"]


class KeyValueCache(DynamicCache):
    """A cache that keeps the keys and values of a pass, some of them replaced by `swaps`.

    `kept` holds the keys and values (row, head, pos, d_head) by block, after rope. It lacks blocks
    that do not use the cache, which some architectures have.
    """

    def __init__(self, swaps: Sequence[KeyValueSwap] = ()) -> None:
        super().__init__()
        self.swaps = swaps
        self.kept: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def update(
        self,
        key_states: torch.Tensor,
        value_states: torch.Tensor,
        layer_idx: int,
        *arguments: Any,
        **named: Any,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The keys and values that attention reads in the block `layer_idx`, transformers' name."""
        swaps = [swap for swap in self.swaps if swap.block == layer_idx]
        if swaps:
            key_states = key_states.clone()
            value_states = value_states.clone()
        for swap in swaps:
            key_states[swap.row, :, swap.positions] = swap.keys.to(key_states.device)
            value_states[swap.row, :, swap.positions] = swap.values.to(value_states.device)

        self.kept[layer_idx] = (key_states, value_states)
        return super().update(key_states, value_states, layer_idx, *arguments, **named)


def accepts(model: "PreTrainedModel", argument: str) -> bool:
    """Whether `model.forward` has the argument; architectures differ in this."""
    return argument in inspect.signature(model.forward).parameters


def last_token_options(model: "PreTrainedModel") -> dict[str, Any]:
    """The arguments that limit the logits to those of the last token; none if the model has none.

    In a pass over a long prompt, the logits of all tokens take a fifth of the time.
    """
    return {"logits_to_keep": 1} if accepts(model, "logits_to_keep") else {}


@torch.inference_mode()
def last_logits(
    model: "PreTrainedModel", ids: Rows, cache: KeyValueCache | None = None
) -> Float[torch.Tensor, "row vocab"]:
    """The model's own logits at the last token of each row, in float32."""
    options: dict[str, Any] = {"use_cache": False}
    if cache is not None:
        options = {"use_cache": True, "past_key_values": cache}
    options |= last_token_options(model)
    logits: torch.Tensor = model(input_ids=ids.to(model.device), **options).logits
    return logits[:, -1].float()


@contextmanager
def eager_attention(model: "PreTrainedModel") -> Iterator[None]:
    """Compute attention eagerly in the passes within: only `eager` gives attention weights."""
    original = model.config._attn_implementation
    if original == "eager":
        yield
        return

    model.set_attn_implementation("eager")
    try:
        yield
    finally:
        model.set_attn_implementation(original)


def input_states(arguments: tuple[Any, ...], named: dict[str, Any]) -> LayerStates:
    """The states that a block is called with: its first argument, or `hidden_states` by name."""
    states: torch.Tensor = arguments[0] if arguments else named["hidden_states"]
    return states


def first_tensor(output: Any) -> torch.Tensor:
    """The states in a block's output, which is a tuple or a list in some architectures."""
    states: torch.Tensor = output[0] if isinstance(output, tuple | list) else output
    return states


@contextmanager
def keeping_states(blocks: Sequence[nn.Module]) -> Iterator[list[LayerStates]]:
    """Keep the residual stream of a pass within, layer by layer, from 0 to the number of blocks.

    The list fills while the pass runs; a second pass would be added to it.
    """
    kept: list[LayerStates] = []

    def keep_input(_block: nn.Module, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        kept.append(input_states(arguments, named).clone())

    def keep_output(_block: nn.Module, _arguments: Any, output: Any) -> None:
        # Cloned, because some architectures add to the residual stream in place.
        kept.append(first_tensor(output).clone())

    with ExitStack() as stack:
        handle = blocks[0].register_forward_pre_hook(keep_input, with_kwargs=True)
        stack.callback(handle.remove)
        for block in blocks:
            handle = block.register_forward_hook(keep_output)
            stack.callback(handle.remove)
        yield kept


@contextmanager
def swapping_states(blocks: Sequence[nn.Module], swaps: Sequence[StateSwap]) -> Iterator[None]:
    """Replace states of the residual stream in the passes within.

    A hook on the input of the first block replaces layer 0, a hook on the output of block l - 1
    (blocks from 0) layer l.
    """
    by_layer: dict[int, list[StateSwap]] = {}
    for swap in swaps:
        by_layer.setdefault(swap.layer, []).append(swap)

    def swapped(states: LayerStates, layer: int) -> LayerStates:
        states = states.clone()
        for swap in by_layer[layer]:
            states[swap.row, swap.positions] = swap.states.to(states.device)
        return states

    def on_input(
        _block: nn.Module, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        states = swapped(input_states(arguments, named), 0)
        if arguments:
            return (states, *arguments[1:]), named
        return arguments, {**named, "hidden_states": states}

    def on_output(layer: int) -> Any:
        def hook(_block: nn.Module, _arguments: Any, output: Any) -> Any:
            states = swapped(first_tensor(output), layer)
            if isinstance(output, tuple | list):
                return type(output)((states, *output[1:]))
            return states

        return hook

    with ExitStack() as stack:
        for layer in by_layer:
            if layer == 0:
                handle = blocks[0].register_forward_pre_hook(on_input, with_kwargs=True)
            else:
                handle = blocks[layer - 1].register_forward_hook(on_output(layer))
            stack.callback(handle.remove)
        yield
