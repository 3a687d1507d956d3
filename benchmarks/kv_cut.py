"""The speed of patching keys and values at one position, block by block, against two other ways.

Run `.venv/bin/python -m benchmarks.kv_cut` after `make results`, which makes the models. All three
sides put the clean keys and values of position p into the corrupted run, in one block 1..L at a
time. The sides, cases, rounds and ratios are as in `benchmarks/patching.py`, except that ours is
`mechaware.models.patching.kv_cut`, and that TransformerLens patches `attn.k.hook_out` and
`attn.v.hook_out` of the block from a cache of the clean run. `patched` of the `Differences` is then
the difference with the cut of each block. `operations_ratio` is that of residual patching. Cuts
need more operations, so that for cuts it is an upper bound that is not tight.
"""

from itertools import chain
from typing import Any

import torch
from torch import nn
from transformer_lens.model_bridge import TransformerBridge
from transformers import PreTrainedModel

from benchmarks.patching import (
    CASES,
    TOKENS_PER_BATCH,
    Differences,
    Sides,
    alike,
    in_groups,
    measure,
    patch_by_hooks,
)
from benchmarks.result import print_result
from mechaware.models.families.supported import find_modules
from mechaware.models.patching.kv_cut import cut_pairs
from mechaware.models.patching.runs import TokenPair


def ours(model: PreTrainedModel, pairs: list[TokenPair]) -> Differences:
    """The differences by our cuts, of each block alone."""
    blocks = [[block] for block in range(1, len(find_modules(model).blocks) + 1)]
    cut = cut_pairs(
        model,
        pairs,
        [blocks] * len(pairs),
        directions=("denoise",),
        tokens_per_batch=TOKENS_PER_BATCH,
    )
    return Differences(cut.clean_diff, cut.corrupted_diff, cut.cut_diff["denoise"])


def transformer_lens(bridge: TransformerBridge, pairs: list[TokenPair]) -> Differences:
    """The differences by TransformerLens, with one call for pairs that are `alike`."""
    return in_groups(pairs, alike(pairs), lambda group: transformer_lens_group(bridge, group))


@torch.inference_mode()
def transformer_lens_group(bridge: TransformerBridge, pairs: list[TokenPair]) -> Differences:
    """The differences of pairs of one length and one position."""
    clean = torch.tensor([pair.clean for pair in pairs])
    corrupted = torch.tensor([pair.corrupted for pair in pairs])
    rows = torch.arange(len(pairs))
    position = pairs[0].position
    correct = torch.tensor([pair.correct for pair in pairs])
    incorrect = torch.tensor([pair.incorrect for pair in pairs])

    def difference(logits: torch.Tensor) -> torch.Tensor:
        return logits[rows, -1, correct] - logits[rows, -1, incorrect]

    hooks_by_layer = []
    for layer in range(bridge.cfg.n_layers):
        attention = f"blocks.{layer}.attn"
        hooks_by_layer.append((f"{attention}.k.hook_out", f"{attention}.v.hook_out"))
    names = set(chain.from_iterable(hooks_by_layer))
    logits, cache = bridge.run_with_cache(clean, names_filter=lambda name: name in names)
    clean_diff = difference(logits)
    del logits

    def put(states: torch.Tensor, hook: Any) -> torch.Tensor:
        """Replace the states at p by those of the clean run."""
        states[:, position] = cache[hook.name][:, position]
        return states

    cut_diffs = []
    for keys, values in hooks_by_layer:
        cut_logits = bridge.run_with_hooks(corrupted, fwd_hooks=[(keys, put), (values, put)])
        cut_diffs.append(difference(cut_logits))
    corrupted_diff = difference(bridge(corrupted))
    return Differences(clean_diff, corrupted_diff, torch.stack(cut_diffs, 1))


def batched_hooks(model: PreTrainedModel, pairs: list[TokenPair]) -> Differences:
    """The differences by hooks on the projections to keys and values, over batches of pairs."""
    return patch_by_hooks(model, pairs, key_value_projections(model))


def key_value_projections(model: PreTrainedModel) -> list[tuple[nn.Module, nn.Module]]:
    """The modules that compute keys and values, block by block.

    The models of all cases have one module for keys and one for values.
    """
    projections = []
    for module in find_modules(model).attentions:
        # GPT-Neo has its projections in a further module, `attention`.
        attention = getattr(module, "attention", module)
        projections.append((attention.k_proj, attention.v_proj))
    return projections


KV_CUT = Sides(
    ours=ours,
    transformer_lens=transformer_lens,
    batched_hooks=batched_hooks,
)


def main() -> None:
    """Print the results of all cases."""
    print_result("kv_cut", cases=[measure(case(), KV_CUT) for case in CASES])


if __name__ == "__main__":
    main()
