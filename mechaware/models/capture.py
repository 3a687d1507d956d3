"""Reads the activations of many prompts, in one forward pass per batch.

Prompts are sorted by length and padded on the right. Attention is causal, so a prompt's own
positions never see the padding, and but for rounding a prompt has the same numbers in any batch. A
prompt set is captured shard by shard.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import torch
from jaxtyping import Bool, Float, Int
from torch import nn
from tqdm import tqdm

from mechaware.core.errors import UserError
from mechaware.core.files import atomic_write
from mechaware.models.activations import (
    Activations,
    Summaries,
    pack,
    save_shard,
    split_prompts,
    summarise,
)
from mechaware.models.batching import (
    length_batches,
    pad_right,
    run_in_halves,
)
from mechaware.models.families.family import Modules
from mechaware.models.families.own_forward import eager_attention, first_tensor
from mechaware.models.families.supported import (
    check_attention,
    family_of,
    find_modules,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Kept = Literal["summaries", "states"]
_LENS_BYTES = 2**27  # of logits held at once: in float32, 682 rows of a vocabulary of 49,152
_SOFTMAX_ROWS = 16  # of logits: these stay in a processor's cache between the passes of a softmax


def capture_shards(
    model: "PreTrainedModel",
    prompts: Sequence[Sequence[int]],
    folder: Path,
    *,
    prompt_ids: Sequence[str],
    description: dict[str, str],
    tokens_per_batch: int,
    shard_bytes: int,
    keep: Kept,
) -> None:
    """Capture prompts into a folder of shards, which is whole or absent. Raises what `capture`
    raises.

    Args:
        model: A model whose states and attention weights can be read.
        prompts: Token ids.
        folder: Of the shards.
        prompt_ids: The names of the prompts, for the metadata of their shards.
        description: Further metadata of each shard.
        tokens_per_batch: As for `capture`.
        shard_bytes: The most bytes of activations that are in memory at once. As many consecutive
            prompts as fit, and at least one, are captured together and written as one shard. Its
            file is smaller if it keeps summaries.
        keep: What a shard's file holds of each prompt: its `states`, or only their `summaries`.
    """
    check_attention(model)
    config = model.config.get_text_config()
    n_layers = len(find_modules(model).blocks)
    sizes = []
    for prompt in prompts:
        size = _tensor_bytes(
            len(prompt),
            n_layers=n_layers,
            d_model=config.hidden_size,
            n_heads=config.num_attention_heads,
        )
        sizes.append(size)
    shards = _shard_ranges(sizes, shard_bytes)

    with atomic_write(folder) as partial, tqdm(total=len(prompts), unit="prompt") as bar:
        partial.mkdir()
        for number, shard in enumerate(shards, start=1):
            part = slice(shard.start, shard.stop)
            captured = capture(
                model, prompts[part], tokens_per_batch=tokens_per_batch, after_batch=bar.update
            )
            kept: Activations | Summaries = captured
            if keep == "summaries":
                kept = pack(map(summarise, split_prompts(captured)))
            # Names sort in the order of the prompts.
            path = partial / f"{number:05}-of-{len(shards):05}.safetensors"
            save_shard(kept._asdict(), path, prompt_ids=prompt_ids[part], description=description)
            # Otherwise two shards' tensors would be in memory while the next shard is captured.
            del captured, kept


@torch.inference_mode()
def capture(
    model: "PreTrainedModel",
    prompts: Sequence[Sequence[int]],
    *,
    tokens_per_batch: int,
    after_batch: Callable[[int], object] = lambda _n_prompts: None,
) -> Activations:
    """Run `model` over token-id `prompts` and return their activations, on the CPU, in the order
    given.

    A batch holds as many prompts as fit `tokens_per_batch` tokens, padding included, and at least
    one; `after_batch` is called with their number.

    Raises `RuntimeError` if a block or an attention module did not run exactly once in a pass, or
    if an attention module gave no weights. Raises `UserError` for a model whose states or attention
    weights cannot be read, or whose weights lie outside the devices, and for a prompt that does not
    fit the GPU's memory.
    """
    check_attention(model)
    modules = find_modules(model)
    config = model.config.get_text_config()
    n_layers = len(modules.blocks)
    counts = torch.tensor([len(prompt) for prompt in prompts])
    starts = counts.cumsum(0) - counts
    total = int(counts.sum())
    result = Activations(
        token_counts=counts,
        hidden_states=torch.empty(total, n_layers, config.hidden_size),
        attention_row_entropy=torch.empty(total, n_layers, config.num_attention_heads),
        confidence=torch.empty(len(prompts), n_layers),
        entropy=torch.empty(len(prompts), n_layers),
    )
    if modules.unembedding.weight.is_meta:
        raise UserError(
            "the weights lie outside the devices (device_map: auto), where activations are not read; choose a smaller "
            "dtype or larger devices"
        )
    space = _space_for_logits(modules)

    def capture_batch(batch: list[int]) -> None:
        """Enter the activations of some prompts. In a batch of the first and the third of prompts
        of 3, 4 and 2 tokens:

        ids           real        rows of the result
        a b c         1 1 1       0 1 2
        d e (pad)     1 1 0       7 8
        """
        ids = pad_right([prompts[index] for index in batch]).to(model.device)
        columns = torch.arange(ids.shape[1])
        real = columns < counts[batch, None]
        rows = (starts[batch, None] + columns)[real]
        last_states = _forward(model, modules, ids, real, rows, result)
        confidence, entropy = _logit_lens(model, last_states, space)
        result.confidence[batch] = confidence
        result.entropy[batch] = entropy
        after_batch(len(batch))

    with eager_attention(model):
        for batch in length_batches(counts.tolist(), tokens_per_batch):
            run_in_halves(batch, capture_batch)
    return result


def _tensor_bytes(n_tokens: int, *, n_layers: int, d_model: int, n_heads: int) -> int:
    """The bytes of a prompt's tensors, which are float32, except for its length, which is int64.

    In each layer a token has d_model states and an attention entropy per head, and a prompt has two
    numbers of the logit lens. The file's header (names, shapes, prompt ids) is not counted.
    """
    return 4 * n_layers * (n_tokens * (d_model + n_heads) + 2) + 8


def _shard_ranges(sizes: Sequence[int], limit: int) -> list[range]:
    """Consecutive prompts, of `sizes` bytes, that together fit `limit` bytes; a larger prompt has a
    range of its own.

    The sizes 3, 4, 9 and 2 with the limit 8 give the ranges 0 to 2, 2 to 3 and 3 to 4.
    """
    starts = []
    filled = limit  # so that the first prompt starts a range
    for index, size in enumerate(sizes):
        if filled + size > limit:
            starts.append(index)
            filled = 0
        filled += size
    return [range(start, end) for start, end in pairwise([*starts, len(sizes)])]


def _logit_lens(
    model: "PreTrainedModel",
    states: Float[torch.Tensor, "batch layer d_model"],
    space: Float[torch.Tensor, "row vocab"],
) -> tuple[Float[torch.Tensor, "batch layer"], Float[torch.Tensor, "batch layer"]]:
    """Confidence (largest probability, 0 to 1) and entropy (nats) of the next token by the logit
    lens.

    That is the softmax of the logits that the model would give if `states` were those after its
    last block. `space` is memory that is overwritten with logits, of as many states at a time as it
    has rows.
    """
    family = family_of(model)
    confidence = []
    entropy = []
    for rows in torch.split(states.flatten(0, 1), len(space)):
        all_logits = family.logits(model, rows, out=space[: len(rows)])
        for part in torch.split(all_logits, _SOFTMAX_ROWS):
            logits = part.float()  # a copy only for half precision
            shifted = logits.sub_(logits.amax(-1, keepdim=True))
            weights = shifted.exp()
            partition = weights.sum(-1)
            confidence.append(partition.reciprocal())
            entropy.append(partition.log() - (weights.mul_(shifted)).sum(-1) / partition)
    shape = states.shape[:2]
    all_confidence = torch.cat(confidence).reshape(shape).cpu()
    all_entropy = torch.cat(entropy).reshape(shape).cpu()
    return all_confidence, all_entropy


def _space_for_logits(modules: Modules) -> Float[torch.Tensor, "row vocab"]:
    """Memory for `_LENS_BYTES` bytes of logits, but at least one row.

    Allocated once for all batches: memory that is new for each product would add 1/8 to the
    product's time.
    """
    weight = modules.unembedding.weight
    n_words = len(weight)
    n_rows = max(1, _LENS_BYTES // (weight.element_size() * n_words))
    return weight.new_empty(n_rows, n_words)


def _forward(
    model: "PreTrainedModel",
    modules: Modules,
    ids: Int[torch.Tensor, "batch pos"],
    real: Bool[torch.Tensor, "batch pos"],
    rows: Int[torch.Tensor, " real_token"],
    result: Activations,
) -> Float[torch.Tensor, "batch layer d_model"]:
    """One pass through the blocks: fills `rows` of `result` layer by layer, and returns the states
    at the last tokens.

    `real` marks the tokens that are not padding; `rows` are their places in the result.
    """
    last = real.sum(-1) - 1
    d_model = result.hidden_states.shape[-1]
    last_states = torch.empty(
        len(ids),
        len(modules.blocks),
        d_model,
        dtype=modules.unembedding.weight.dtype,
        device=modules.unembedding.weight.device,
    )
    batch = torch.arange(len(ids))

    def keep_state(layer: int, output: Any) -> None:
        state = first_tensor(output)
        last_states[:, layer] = state[batch.to(state.device), last.to(state.device)]
        result.hidden_states[rows, layer] = state[real.to(state.device)].float().cpu()

    def keep_row_entropy(layer: int, output: Any) -> None:
        # (batch, head, query, key). Reduced here: the weights of all layers, kept to the end, would
        # fill memory.
        weights = output[1]
        if weights is None:
            raise RuntimeError(
                f"layer {layer + 1} gave no attention weights: load the model with eager attention"
            )
        row_entropy = torch.special.entr(weights.float()).sum(-1).transpose(1, 2)
        result.attention_row_entropy[rows, layer] = row_entropy[real.to(weights.device)].cpu()

    with _on_output(modules.blocks, keep_state), _on_output(modules.attentions, keep_row_entropy):
        # The base model has no head: logits of every token are not needed.
        model.base_model(input_ids=ids, use_cache=False)
    return last_states


@contextmanager
def _on_output(modules: list[nn.Module], keep: Any) -> Iterator[None]:
    """Call `keep(index, output)` after each module's forward;
    `RuntimeError` unless every one ran exactly once.
    """
    fired = [0] * len(modules)

    def hook(index: int) -> Any:
        def call(_module: nn.Module, _arguments: Any, output: Any) -> None:
            fired[index] += 1
            keep(index, output)

        return call

    with ExitStack() as stack:
        for index, module in enumerate(modules):
            stack.callback(module.register_forward_hook(hook(index)).remove)
        yield
    if fired != [1] * len(modules):
        raise RuntimeError(f"modules ran {fired} times in one pass, expected once each")
