"""Residual patching at one position, all layers: ours against TransformerLens and batched hooks, in one process.

Run `.venv/bin/python -m benchmarks.patching` after `make results`, which makes the models. All sides put the clean
state at position p into the corrupted run after each block 1..L and return logit(correct) - logit(incorrect) at the
last token, per pair and layer, and the same difference for the clean and the corrupted run. TransformerLens is used as
its documentation says: a clean run with a cache (of the patched states only), then `patching.generic_activation_patch`
over all layers. It takes one length and one position a call, so its prompts are batched where they share both. The
hooks are forward hooks on plain transformers: one run of a batch for each layer, of which only the last tokens are
unembedded. The sides must agree, then take turns in five rounds; ratios are medians over the rounds. `operations_ratio`
is how much faster than batched hooks exact patching can be, judged by its operations.
"""

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import nn
from transformer_lens import patching
from transformer_lens.model_bridge import TransformerBridge
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

from benchmarks.random_inputs import random_pairs
from benchmarks.result import print_result
from mechaware.instruments.grounding.data.pairs import read_pairs
from mechaware.instruments.grounding.tokens import exchange, tokenise
from mechaware.models.batching import length_batches, pad_right
from mechaware.models.families.supported import find_modules
from mechaware.models.patching.residual import patch_pairs
from mechaware.models.patching.runs import TokenPair
from mechaware.models.registry import load_model, load_tokenizer, read_manifest

SMOLLM2 = Path("results/models/smollm2-135m-instruct")
STUDY = Path("results/grounding")
STUDY_MODEL = STUDY / "models/schema-s0"
CPU = torch.device("cpu")
ROUNDS = 5
TOKENS_PER_BATCH = 16_384
TOLERANCE = 1e-4  # logits; the errors of float32 over 30 blocks are a fifth of it


class Case(NamedTuple):
    name: str
    # Loads the same weights at each call: TransformerLens rewires its own copy.
    load: Callable[[], PreTrainedModel]
    pairs: list[TokenPair]


class Differences(NamedTuple):
    clean: torch.Tensor  # pair
    corrupted: torch.Tensor
    patched: torch.Tensor  # pair, layer 1..L


class Sides(NamedTuple):
    """Three implementations of the same patching of all layers."""

    ours: Callable[[PreTrainedModel, list[TokenPair]], Differences]
    transformer_lens: Callable[[TransformerBridge, list[TokenPair]], Differences]
    batched_hooks: Callable[[PreTrainedModel, list[TokenPair]], Differences]


def gpt_neo(width: int, heads: int, vocabulary: int) -> PreTrainedModel:
    """Four layers, global and local in turn, as in the TinyStories models; random weights, the same at each call."""
    config = AutoConfig.for_model(
        "gpt_neo",
        hidden_size=width,
        num_layers=4,
        attention_types=[[["global", "local"], 2]],
        num_heads=heads,
        vocab_size=vocabulary,
        window_size=256,
        max_position_embeddings=2048 if width > 128 else 128,
        attn_implementation="eager",
    )
    torch.manual_seed(0)
    return AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()


def smollm2_case() -> Case:
    model = AutoConfig.from_pretrained(SMOLLM2, local_files_only=True)
    return Case(
        "SmolLM2-135M, 16 prompts of 60 tokens, p = 35",
        lambda: load_model(SMOLLM2, CPU),
        random_pairs(model.vocab_size, 16, 60, 35),
    )


def tinystories_case() -> Case:
    return Case(
        "geometry of TinyStories-33M, 16 prompts of 60 tokens, p = 35",
        lambda: gpt_neo(768, 16, 50_257),
        random_pairs(50_257, 16, 60, 35),
    )


def study_pairs() -> Case:
    tokenizer = load_tokenizer(STUDY_MODEL)
    made = read_pairs(STUDY / "pairs.jsonl")
    n_embeddings = read_manifest(STUDY_MODEL).vocab_size
    pairs = [exchange(pair, tokenise(pair, tokenizer, n_embeddings)) for pair in made]
    lengths = [len(pair.clean) for pair in pairs]
    return Case(
        f"the study's {len(pairs)} pairs of {min(lengths)} to {max(lengths)} tokens on its own model",
        lambda: load_model(STUDY_MODEL, CPU),
        pairs,
    )


def batched_pairs() -> Case:
    return Case(
        "4 layers of width 128, 100 pairs of 40 tokens, p = 22",
        lambda: gpt_neo(128, 4, 1200),
        random_pairs(1200, 100, 40, 22),
    )


def ours(model: PreTrainedModel, pairs: list[TokenPair]) -> Differences:
    layers = range(1, len(find_modules(model).blocks) + 1)
    swept = patch_pairs(model, pairs, layers=layers, tokens_per_batch=TOKENS_PER_BATCH)
    return Differences(swept.clean_diff, swept.corrupted_diff, swept.patched_diff)


def transformer_lens(bridge: TransformerBridge, pairs: list[TokenPair]) -> Differences:
    return in_groups(pairs, alike(pairs), lambda group: transformer_lens_group(bridge, group))


def alike(pairs: list[TokenPair]) -> Iterable[list[int]]:
    """TransformerLens takes one length and one position at a time: pairs that share both go together."""
    groups: dict[tuple[int, int], list[int]] = {}
    for index, pair in enumerate(pairs):
        groups.setdefault((len(pair.clean), pair.position), []).append(index)
    return groups.values()


def in_groups(
    pairs: list[TokenPair],
    groups: Iterable[Sequence[int]],
    patch_group: Callable[[list[TokenPair]], Differences],
) -> Differences:
    """The differences of all pairs, in their order."""
    members = list(groups)
    parts = []
    for group in members:
        parts.append(patch_group([pairs[index] for index in group]))

    order = torch.tensor(list(chain.from_iterable(members))).argsort()
    in_order = [torch.cat(values)[order] for values in zip(*parts, strict=True)]
    return Differences(*in_order)


@torch.inference_mode()
def transformer_lens_group(bridge: TransformerBridge, pairs: list[TokenPair]) -> Differences:
    clean = torch.tensor([pair.clean for pair in pairs])
    corrupted = torch.tensor([pair.corrupted for pair in pairs])
    everyone = torch.arange(len(pairs))
    correct, incorrect = torch.tensor([(pair.correct, pair.incorrect) for pair in pairs]).T

    def difference(logits: torch.Tensor) -> torch.Tensor:
        return logits[everyone, -1, correct] - logits[everyone, -1, incorrect]

    logits, cache = bridge.run_with_cache(
        clean, names_filter=lambda name: name.endswith("hook_resid_post")
    )
    clean_diff = difference(logits)
    del logits
    cells = [(layer, pairs[0].position) for layer in range(bridge.cfg.n_layers)]
    result = patching.generic_activation_patch(
        bridge,
        corrupted,
        cache,
        difference,
        patching.layer_pos_patch_setter,
        "resid_post",
        index_df=pd.DataFrame(cells, columns=["layer", "pos"]),
        reduce="none",
        baseline=True,
    )
    return Differences(clean_diff, result.baseline, result.values.T)


def batched_hooks(model: PreTrainedModel, pairs: list[TokenPair]) -> Differences:
    return patch_by_hooks(model, pairs, [[block] for block in find_modules(model).blocks])


def patch_by_hooks(
    model: PreTrainedModel, pairs: list[TokenPair], layers: Sequence[Sequence[nn.Module]]
) -> Differences:
    """Patch what the modules of one layer at a time return at p."""
    batches = length_batches([len(pair.clean) for pair in pairs], TOKENS_PER_BATCH)
    return in_groups(pairs, batches, lambda batch: hooked_batch(model, batch, layers))


@torch.inference_mode()
def hooked_batch(
    model: PreTrainedModel, pairs: list[TokenPair], layers: Sequence[Sequence[nn.Module]]
) -> Differences:
    kept = {}
    everyone = torch.arange(len(pairs))
    position, correct, incorrect = torch.tensor(
        [(pair.position, pair.correct, pair.incorrect) for pair in pairs]
    ).T
    clean = [pair.clean for pair in pairs]
    corrupted = [pair.corrupted for pair in pairs]
    last = torch.tensor([len(ids) - 1 for ids in clean])

    def keep(module: nn.Module, _arguments: Any, output: Any) -> None:
        kept[module] = (output[0] if isinstance(output, tuple) else output)[everyone, position]

    def put(module: nn.Module, _arguments: Any, output: Any) -> None:
        (output[0] if isinstance(output, tuple) else output)[everyone, position] = kept[module]

    def difference(
        prompts: list[list[int]], modules: Iterable[nn.Module] = (), hook: Any = None
    ) -> torch.Tensor:
        handles = [module.register_forward_hook(hook) for module in modules]
        # What is padded on the right is seen by no token before it.
        states = model.base_model(pad_right(prompts), use_cache=False).last_hidden_state[
            everyone, last
        ]
        for handle in handles:
            handle.remove()
        logits = model.get_output_embeddings()(states)
        return logits[everyone, correct] - logits[everyone, incorrect]

    clean_diff = difference(clean, chain.from_iterable(layers), keep)
    return Differences(
        clean_diff,
        difference(corrupted),
        torch.stack([difference(corrupted, layer, put) for layer in layers], 1),
    )


def operations_ratio(model: PreTrainedModel, pairs: Sequence[TokenPair]) -> float:
    """The weights by which hooks multiply, over all tokens, as a multiple of those by which exact patching has to.

    Hooks run L + 2 whole passes and make the logits of all words. For a pair of T tokens, the word's n tokens at p, and
    L blocks no exact patching avoids

    - the clean and the corrupted run, which share the p tokens before the word: 2 T - p tokens in each block;
    - behind a patch after block l, the T - p - n tokens behind the word in the blocks l + 1 to L: those before it read
      no patch, and the word itself goes on as in the clean run;
    - of these, in the last block, keys and values alone but for the last token, which is the only one that is read.

    The products of attention, which grow with T * T, and two rows of logits are left out. For L = 30, T = 60, p = 35,
    n = 1 the hooks have 32 * 30 * 60 = 57,600 tokens in blocks, and exact patching about 30 * 85 + 435 * 24 = 12,990.
    """
    blocks = find_modules(model).blocks
    n_blocks = len(blocks)
    block = sum(weight.numel() for weight in blocks[0].parameters())
    named = blocks[0].named_parameters()
    keys_values = sum(
        weight.numel() for name, weight in named if "k_proj" in name or "v_proj" in name
    )
    logits = model.get_output_embeddings().weight.numel()

    hooks = least = 0
    for pair in pairs:
        length = len(pair.clean)
        hooks += (n_blocks + 2) * (n_blocks * length * block + logits)

        both_runs = 2 * length - pair.position
        behind = length - pair.position - pair.n_tokens
        patched_runs = n_blocks - 1  # a patch after the last block changes nothing that is read
        in_full = (n_blocks - 1) * both_runs + behind * patched_runs * (n_blocks - 2) // 2
        in_last = both_runs + patched_runs * behind
        read_last = 2 + patched_runs
        least += (in_full + read_last) * block + (in_last - read_last) * keys_values
    return hooks / least


def timed(run: Callable[[], Differences]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def peak_mib() -> float:
    """The process's peak since `reset_peak`."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024


def reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def largest_difference(one: Differences, other: Differences) -> float:
    return max(float((mine - theirs).abs().max()) for mine, theirs in zip(one, other, strict=True))


def measure(case: Case, sides: Sides) -> dict[str, Any]:
    model = case.load()
    pairs = case.pairs
    sides.ours(model, pairs)
    reset_peak()
    mine = sides.ours(model, pairs)
    peak = peak_mib()
    # Any tokenizer will do: the prompts are token ids.
    tokenizer = load_tokenizer(SMOLLM2)
    bridge = TransformerBridge.boot_transformers(
        case.name, hf_model=case.load(), tokenizer=tokenizer, device="cpu"
    )
    runs: list[Callable[[], Differences]] = [
        lambda: sides.ours(model, pairs),
        lambda: sides.transformer_lens(bridge, pairs),
        lambda: sides.batched_hooks(model, pairs),
    ]
    # Before any time counts: the sides agree.
    difference = max(largest_difference(mine, run()) for run in runs[1:])
    if not difference <= TOLERANCE:
        raise SystemExit(f"{case.name}: the sides differ by {difference:.1e} logits")

    # Side by side in each round: what else the machine does slows all of them.
    seconds: list[list[float]] = [[] for _ in runs]
    for _ in range(ROUNDS):
        for run, of_side in zip(runs, seconds, strict=True):
            of_side.append(timed(run))
    ours_s, peer_s, batched_s = map(statistics.median, seconds)

    own, peer, batched = map(np.array, seconds)
    of_rounds = ", ".join(f"{ratio:.2f}" for ratio in peer / own)
    print(f"{case.name}: ratio per round {of_rounds}")
    return {
        "case": case.name,
        "ratio": round(float(np.median(peer / own)), 2),
        "operations_ratio": round(operations_ratio(model, pairs), 2),
        "batched_ratio": round(float(np.median(batched / own)), 2),
        "ours_s": round(ours_s, 3),
        "peer_s": round(peer_s, 3),
        "batched_s": round(batched_s, 3),
        "max_abs_difference": difference,
        "peak_mib": round(peak),
    }


RESIDUAL = Sides(ours, transformer_lens, batched_hooks)
CASES = (smollm2_case, tinystories_case, study_pairs, batched_pairs)


def main() -> None:
    print_result("patching", cases=[measure(case(), RESIDUAL) for case in CASES])


if __name__ == "__main__":
    main()
