"""Patching of keys and values, one block at a time: ours against TransformerLens and batched hooks, in one process.

Run `.venv/bin/python -m benchmarks.kv_cut` after `make results`, which makes the models. All sides put the clean keys
and values of position p into the corrupted run, in one block 1..L at a time. Cases, rounds and ratios are as in
`benchmarks/patching.py`. TransformerLens patches `attn.k.hook_out` and `attn.v.hook_out` of the block from a
cache of the clean run.
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
    return in_groups(pairs, alike(pairs), lambda group: transformer_lens_group(bridge, group))


@torch.inference_mode()
def transformer_lens_group(bridge: TransformerBridge, pairs: list[TokenPair]) -> Differences:
    clean = torch.tensor([pair.clean for pair in pairs])
    corrupted = torch.tensor([pair.corrupted for pair in pairs])
    prompts = torch.arange(len(pairs))
    position = pairs[0].position
    correct, incorrect = torch.tensor([(pair.correct, pair.incorrect) for pair in pairs]).T

    def difference(logits: torch.Tensor) -> torch.Tensor:
        return logits[prompts, -1, correct] - logits[prompts, -1, incorrect]

    names_by_layer = []
    for layer in range(bridge.cfg.n_layers):
        names_by_layer.append([f"blocks.{layer}.attn.{part}.hook_out" for part in ("k", "v")])
    names = set(chain.from_iterable(names_by_layer))
    logits, cache = bridge.run_with_cache(clean, names_filter=lambda name: name in names)
    clean_diff = difference(logits)
    del logits

    def put(states: torch.Tensor, hook: Any) -> torch.Tensor:
        """Replace the states at p by those of the clean run."""
        states[:, position] = cache[hook.name][:, position]
        return states

    cut = []
    for names_of_layer in names_by_layer:
        hooks = [(name, put) for name in names_of_layer]
        cut.append(difference(bridge.run_with_hooks(corrupted, fwd_hooks=hooks)))
    return Differences(clean_diff, difference(bridge(corrupted)), torch.stack(cut, 1))


def batched_hooks(model: PreTrainedModel, pairs: list[TokenPair]) -> Differences:
    return patch_by_hooks(model, pairs, key_value_projections(model))


def key_value_projections(model: PreTrainedModel) -> list[tuple[nn.Module, nn.Module]]:
    """The modules that compute keys and values, block by block; the cases' models have one for each."""
    projections = []
    for module in find_modules(model).attentions:
        # GPT-Neo has its projections in a further module, `attention`.
        attention = getattr(module, "attention", module)
        projections.append((attention.k_proj, attention.v_proj))
    return projections


KV_CUT = Sides(ours, transformer_lens, batched_hooks)


def main() -> None:
    print_result("kv_cut", cases=[measure(case(), KV_CUT) for case in CASES])


if __name__ == "__main__":
    main()
