"""Finds the parts of a decoder without a file of its own by watching one forward pass, whatever
their names are.

The blocks are the longest list of modules, and each must read the output of the block before it.
Attention is the module of a block that gives attention weights. The final norm is the only module
that runs after the last block, besides the head.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from jaxtyping import Int
from torch import nn

from mechaware.core.errors import UserError
from mechaware.models.families.family import Family
from mechaware.models.families.own_forward import first_tensor, input_states
from mechaware.models.tokenisation.vocabulary import embedding_rows

if TYPE_CHECKING:
    from transformers import PreTrainedModel

# Errors that a model of an unknown architecture may raise when it is called in an unusual way.
FOREIGN_ERRORS = (RuntimeError, TypeError, ValueError, AttributeError, KeyError, IndexError)
_TEXT_LENGTH = 9  # tokens of the short texts
_CHANGED = 3  # the position at which they differ


class NoInternalsError(UserError):
    """The states of a model cannot be read, for the reason in the message. Its likelihoods can."""


class Texts(NamedTuple):
    """Two short texts that differ in the token at `position`,
    which is neither the first nor the last.
    """

    first: list[int]
    second: list[int]
    position: int


def short_texts(model: "PreTrainedModel") -> Texts:
    """Two short texts whose token ids are spread over the model's vocabulary.

    The first text goes in steps of 5/61 of the vocabulary from 7/61 to 47/61: away from its ends,
    where most special tokens are. The other token at `position` is half a vocabulary further on, at
    52.5/61, where no token of the text is.
    """
    n_embeddings = embedding_rows(model)
    first = [(7 + 5 * place) * n_embeddings // 61 for place in range(_TEXT_LENGTH)]
    second = list(first)
    second[_CHANGED] = (first[_CHANGED] + n_embeddings // 2) % n_embeddings
    return Texts(first, second, _CHANGED)


def find_family(model: "PreTrainedModel") -> Family:
    """The family of a model whose architecture has no file of its own.

    The family cannot split a block (`split_block` is None). Its `attention` is empty unless in
    every block a module of the same name gives the weights of all heads. Raises `NoInternalsError`
    for a model that is not a chain of blocks, a final norm and a linear head.
    """
    blocks_name = _longest_list(model)
    blocks = list(model.get_submodule(blocks_name).children())
    passed = _watch(model, blocks)
    config = model.config.get_text_config()
    links = zip(passed.inputs[1:], passed.outputs[:-1], strict=True)
    for number, (read, before) in enumerate(links, start=2):
        if not torch.equal(read, before):
            raise refusal(model, f"block {number} does not read what block {number - 1} gives")
    width = passed.outputs[-1].shape[-1]
    if width != config.hidden_size:
        raise refusal(
            model, f"its states have {width} entries, and its config {config.hidden_size}"
        )
    # State-space models have no heads.
    n_heads = getattr(config, "num_attention_heads", None)
    return Family(
        model_type=model.config.model_type,
        blocks=blocks_name,
        attention=_attention_name(passed, blocks, n_heads),
        final_norm=_final_norm_name(model, blocks_name, passed.order),
    )


def refusal(model: "PreTrainedModel", reason: str, *, what: str = "states") -> NoInternalsError:
    """The error for a model whose states, or something else (`what`), cannot be read."""
    return NoInternalsError(
        f"model type '{model.config.model_type}': its {what} cannot be read ({reason}); choose another model, or "
        "detectors that read likelihoods alone"
    )


class _Pass(NamedTuple):
    """What was observed in one forward pass of a short text.

    - `inputs`, `outputs`: the states before and after each block.
    - `order`: the names of all modules in the order in which their passes ended.
    - `weights`: the attention weights (row, head, query, key) in the outputs of modules.
    """

    inputs: list[torch.Tensor]
    outputs: list[torch.Tensor]
    order: list[str]
    weights: dict[nn.Module, torch.Tensor]


def _longest_list(model: "PreTrainedModel") -> str:
    """The name of the longest outermost `ModuleList`.

    A list inside another list does not count: a block may hold a list of experts.
    """
    lists = {}
    for name, module in model.named_modules():
        if isinstance(module, nn.ModuleList):
            lists[name] = module
    outermost = []
    for name in lists:
        is_inside = any(name.startswith(f"{other}.") for other in lists)
        if not is_inside:
            outermost.append(name)
    if not outermost:
        raise refusal(model, "it has no list of blocks")
    longest: str = max(outermost, key=lambda name: len(lists[name]))
    return longest


@torch.inference_mode()
def _watch(model: "PreTrainedModel", blocks: Sequence[nn.Module]) -> _Pass:
    """Run one short text through the model, and record what its modules read and give."""
    ids: Int[torch.Tensor, "1 pos"] = torch.tensor([short_texts(model).first], device=model.device)
    passed = _Pass([], [], [], {})

    def keep_input(_block: nn.Module, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
        passed.inputs.append(input_states(arguments, named).clone())

    def keep_output(_block: nn.Module, _arguments: Any, output: Any) -> None:
        passed.outputs.append(first_tensor(output).clone())

    def watch(name: str) -> Any:
        def hook(module: nn.Module, _arguments: Any, output: Any) -> None:
            passed.order.append(name)
            if _has_weights(output, ids.shape[1]):
                passed.weights[module] = output[1]

        return hook

    with ExitStack() as stack:
        for block in blocks:
            before = block.register_forward_pre_hook(keep_input, with_kwargs=True)
            stack.callback(before.remove)
            stack.callback(block.register_forward_hook(keep_output).remove)
        for name, module in model.named_modules():
            stack.callback(module.register_forward_hook(watch(name)).remove)
        model(input_ids=ids, use_cache=False)

    if not len(passed.inputs) == len(passed.outputs) == len(blocks):
        raise refusal(model, f"{len(passed.outputs)} passes through {len(blocks)} blocks")
    return passed


def _has_weights(output: Any, n_tokens: int) -> bool:
    """Whether an output's second entry may be attention weights, whose rows sum to 1."""
    if not isinstance(output, tuple) or len(output) < 2 or not isinstance(output[1], torch.Tensor):
        return False
    weights = output[1]
    if weights.ndim != 4 or weights.shape[-2:] != (n_tokens, n_tokens):
        return False
    sums = weights.float().sum(-1)
    return torch.allclose(sums, torch.ones_like(sums), atol=1e-2)


def _attention_name(passed: _Pass, blocks: Sequence[nn.Module], n_heads: int | None) -> str:
    """The name, the same in every block, of the module that gives the weights of all heads.

    If a block has several such modules, the one with the shortest name counts: of nested modules
    the outermost. "" if a block has none, or if the names differ between blocks.
    """
    names = set()
    for block in blocks:
        own = []
        for name, module in block.named_modules():
            weights = passed.weights.get(module)
            if name and weights is not None and weights.shape[1] == n_heads:
                own.append(name)
        names.add(min(own, key=len, default=""))
    return names.pop() if len(names) == 1 else ""


def _final_norm_name(model: "PreTrainedModel", blocks_name: str, order: Sequence[str]) -> str:
    """The name of the only module that runs after the last block, besides the head."""
    head = model.get_output_embeddings()  # type: ignore[no-untyped-call]
    if not isinstance(head, nn.Linear):
        raise refusal(model, "it has no linear head")
    (head_name,) = (name for name, module in model.named_modules() if module is head)
    last_block = max(place for place, name in enumerate(order) if _is_inside(name, blocks_name))

    # Modules that contain the blocks or the head also end there; they are no parts of the chain.
    after_blocks = []
    for name in order[last_block + 1 :]:
        holds_blocks = _is_inside(blocks_name, name)
        holds_head = _is_inside(head_name, name)
        if not holds_blocks and not holds_head:
            after_blocks.append(name)
    outermost = []
    for name in after_blocks:
        if not any(other != name and _is_inside(name, other) for other in after_blocks):
            outermost.append(name)
    if len(outermost) != 1:
        found = ", ".join(outermost) or "nothing"
        raise refusal(
            model,
            f"what runs after the last block, besides the head, is {found}, expected one norm",
        )
    return outermost[0]


def _is_inside(name: str, other: str) -> bool:
    """Whether the module `name` is `other` or a part of it;
    every module is a part of the model, whose name is ''.
    """
    return not other or name == other or name.startswith(f"{other}.")
