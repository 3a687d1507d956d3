"""The speed of residual patching at one position, after every block, against two other ways.

Run `.venv/bin/python -m benchmarks.patching` after `make results`, which makes the models. All
three sides put the clean state at position p into the corrupted run, after one block 1..L at a
time. They return logit(correct) - logit(incorrect) at the last token for each pair and layer, and
the same difference for the clean and the corrupted run. The sides are:

- `ours`: `mechaware.models.patching.residual`.
- `transformer_lens`: as its documentation proposes, a clean run with a cache (of the patched states
  only), then `patching.generic_activation_patch` over all layers. A call takes prompts of one
  length and one position, so prompts are batched where they share both.
- `batched_hooks`: forward hooks on plain transformers. There is one run of a batch for each layer,
  and only the last tokens are unembedded.

`measure` checks that the sides agree, then lets them take turns in five rounds, all in one process.
Ratios are medians over the rounds. `operations_ratio` counts how much faster than batched hooks
exact patching can be at most.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float
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
# In logits; the errors of float32 over 30 blocks are a fifth of it.
TOLERANCE = 1e-4


class Case(NamedTuple):
    """A model and the pairs that are patched in it.

    `load` gives the same weights at each call: TransformerLens rewires its own copy.
    """

    name: str
    load: Callable[[], PreTrainedModel]
    pairs: list[TokenPair]


class Differences(NamedTuple):
    """logit(correct) - logit(incorrect) of each run; `patched` after each of the blocks 1..L."""

    clean: Float[torch.Tensor, " pair"]
    corrupted: Float[torch.Tensor, " pair"]
    patched: Float[torch.Tensor, "pair layer"]


class Sides(NamedTuple):
    """Three implementations of the same patching of all layers."""

    ours: Callable[[PreTrainedModel, list[TokenPair]], Differences]
    transformer_lens: Callable[[TransformerBridge, list[TokenPair]], Differences]
    batched_hooks: Callable[[PreTrainedModel, list[TokenPair]], Differences]


def gpt_neo(*, width: int, heads: int, vocabulary: int, context_length: int) -> PreTrainedModel:
    """A GPT-Neo of four layers, global and local in turn, as in the TinyStories models.

    Its weights are random, but the same at each call.
    """
    config = AutoConfig.for_model(
        "gpt_neo",
        hidden_size=width,
        num_layers=4,
        attention_types=[[["global", "local"], 2]],
        num_heads=heads,
        vocab_size=vocabulary,
        window_size=256,
        max_position_embeddings=context_length,
        attn_implementation="eager",
    )
    torch.manual_seed(0)
    return AutoModelForCausalLM.from_config(config, dtype=torch.float32).eval()


def smollm2_case() -> Case:
    """The pretrained model on prompts of equal length."""
    config = AutoConfig.from_pretrained(SMOLLM2, local_files_only=True)
    return Case(
        "SmolLM2-135M, 16 prompts of 60 tokens, p = 35",
        lambda: load_model(SMOLLM2, CPU),
        random_pairs(config.vocab_size, n_pairs=16, n_tokens=60, position=35),
    )


def tinystories_case() -> Case:
    """The same prompts in few wide blocks with a large vocabulary."""
    return Case(
        "geometry of TinyStories-33M, 16 prompts of 60 tokens, p = 35",
        lambda: gpt_neo(width=768, heads=16, vocabulary=50_257, context_length=2048),
        random_pairs(50_257, n_pairs=16, n_tokens=60, position=35),
    )


def study_case() -> Case:
    """Prompts of many lengths and positions, as the grounding study has them."""
    tokenizer = load_tokenizer(STUDY_MODEL)
    made = read_pairs(STUDY / "pairs.jsonl")
    n_embeddings = read_manifest(STUDY_MODEL).vocab_size
    pairs = [exchange(pair, tokenise(pair, tokenizer, n_embeddings)) for pair in made]
    lengths = [len(pair.clean) for pair in pairs]
    return Case(
        f"the study's {len(pairs)} pairs of {min(lengths)} to {max(lengths)} tokens "
        "on its own model",
        lambda: load_model(STUDY_MODEL, CPU),
        pairs,
    )


def small_model_case() -> Case:
    """Many prompts of equal length in a small model."""
    return Case(
        "4 layers of width 128, 100 pairs of 40 tokens, p = 22",
        lambda: gpt_neo(width=128, heads=4, vocabulary=1200, context_length=128),
        random_pairs(1200, n_pairs=100, n_tokens=40, position=22),
    )


def ours(model: PreTrainedModel, pairs: list[TokenPair]) -> Differences:
    """The differences by exact patching, which computes once what patched runs have in common."""
    layers = range(1, len(find_modules(model).blocks) + 1)
    swept = patch_pairs(model, pairs, layers=layers, tokens_per_batch=TOKENS_PER_BATCH)
    return Differences(swept.clean_diff, swept.corrupted_diff, swept.patched_diff)


def transformer_lens(bridge: TransformerBridge, pairs: list[TokenPair]) -> Differences:
    """The differences by TransformerLens, with one call for pairs that are `alike`."""
    return in_groups(pairs, alike(pairs), lambda group: transformer_lens_group(bridge, group))


def alike(pairs: list[TokenPair]) -> Iterable[list[int]]:
    """The indices of the pairs, in groups of one length and position, as TransformerLens needs."""
    groups: dict[tuple[int, int], list[int]] = {}
    for index, pair in enumerate(pairs):
        groups.setdefault((len(pair.clean), pair.position), []).append(index)
    return groups.values()


def in_groups(
    pairs: list[TokenPair],
    groups: Iterable[Sequence[int]],
    patch_group: Callable[[list[TokenPair]], Differences],
) -> Differences:
    """Patch the pairs group by group; the differences are in the order of the pairs.

    `groups` holds the index of each pair once.
    """
    index_of_row: list[int] = []
    parts = []
    for group in groups:
        index_of_row += group
        parts.append(patch_group([pairs[index] for index in group]))

    # The groups [2, 0] and [1] give rows of the pairs 2, 0, 1; the rows 1, 2, 0 are in order.
    order = torch.tensor(index_of_row).argsort()
    return Differences(
        clean=torch.cat([part.clean for part in parts])[order],
        corrupted=torch.cat([part.corrupted for part in parts])[order],
        patched=torch.cat([part.patched for part in parts])[order],
    )


@torch.inference_mode()
def transformer_lens_group(bridge: TransformerBridge, pairs: list[TokenPair]) -> Differences:
    """The differences of pairs of one length and one position."""
    clean = torch.tensor([pair.clean for pair in pairs])
    corrupted = torch.tensor([pair.corrupted for pair in pairs])
    rows = torch.arange(len(pairs))
    correct = torch.tensor([pair.correct for pair in pairs])
    incorrect = torch.tensor([pair.incorrect for pair in pairs])

    def difference(logits: torch.Tensor) -> torch.Tensor:
        return logits[rows, -1, correct] - logits[rows, -1, incorrect]

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
    """The differences by hooks on the blocks, over batches of pairs."""
    return patch_by_hooks(model, pairs, [[block] for block in find_modules(model).blocks])


def patch_by_hooks(
    model: PreTrainedModel, pairs: list[TokenPair], layers: Sequence[Sequence[nn.Module]]
) -> Differences:
    """Patch what modules return at p; `layers` has the modules that are patched together."""
    batches = length_batches([len(pair.clean) for pair in pairs], TOKENS_PER_BATCH)
    return in_groups(pairs, batches, lambda batch: hooked_batch(model, batch, layers))


@torch.inference_mode()
def hooked_batch(
    model: PreTrainedModel, pairs: list[TokenPair], layers: Sequence[Sequence[nn.Module]]
) -> Differences:
    """The differences of the pairs of one batch, padded on the right.

    One clean run keeps what all modules return at p, one corrupted run is without a patch, and one
    corrupted run for each layer puts the kept states of its modules in place of their own.
    """
    kept = {}  # by module
    rows = torch.arange(len(pairs))
    position = torch.tensor([pair.position for pair in pairs])
    correct = torch.tensor([pair.correct for pair in pairs])
    incorrect = torch.tensor([pair.incorrect for pair in pairs])
    clean = [pair.clean for pair in pairs]
    corrupted = [pair.corrupted for pair in pairs]
    last = torch.tensor([len(ids) - 1 for ids in clean])

    def keep(module: nn.Module, _arguments: Any, output: Any) -> None:
        kept[module] = returned_states(output)[rows, position]

    def put(module: nn.Module, _arguments: Any, output: Any) -> None:
        returned_states(output)[rows, position] = kept[module]

    def difference(
        prompts: list[list[int]], modules: Iterable[nn.Module] = (), hook: Any = None
    ) -> torch.Tensor:
        """Run the prompts with a hook on the modules."""
        handles = [module.register_forward_hook(hook) for module in modules]
        # Padding is on the right, where no real token sees it.
        states = model.base_model(pad_right(prompts), use_cache=False).last_hidden_state
        for handle in handles:
            handle.remove()
        logits = model.get_output_embeddings()(states[rows, last])
        return logits[rows, correct] - logits[rows, incorrect]

    clean_diff = difference(clean, chain.from_iterable(layers), keep)
    corrupted_diff = difference(corrupted)
    patched_diffs = [difference(corrupted, layer, put) for layer in layers]
    return Differences(clean_diff, corrupted_diff, torch.stack(patched_diffs, 1))


def returned_states(output: torch.Tensor | tuple[Any, ...]) -> torch.Tensor:
    """The states that a module returns, alone or as the first of several values."""
    return output[0] if isinstance(output, tuple) else output


def operations_ratio(model: PreTrainedModel, pairs: Sequence[TokenPair]) -> float:
    """How many multiplications hooks need for each one that exact patching cannot avoid.

    Counted are multiplications by weights, over all tokens of all pairs. Hooks run L + 2 whole
    passes and unembed the last token of each. For a pair of T tokens, with the word's n tokens at
    p, and L blocks, exact patching cannot avoid:

    - the clean and the corrupted run, which share the p tokens before the word: 2 T - p tokens in
      each block;
    - for a patch after block l, the T - p - n tokens after the word in the blocks l + 1 to L: the
      tokens before the word read no patch, and the word itself goes on as in the clean run.

    Of these tokens, the last block needs only keys and values, except for the last token of each
    run, the only one whose state is read.

    The products of attention, which grow with T * T, and two rows of logits are left out. For L =
    30, T = 60, p = 35, n = 1 the hooks have 32 * 30 * 60 = 57,600 tokens in blocks, and exact
    patching about 30 * 85 + 435 * 24 = 12,990.
    """
    blocks = find_modules(model).blocks
    n_blocks = len(blocks)
    block_weights = 0
    key_value_weights = 0
    for name, weight in blocks[0].named_parameters():
        block_weights += weight.numel()
        if "k_proj" in name or "v_proj" in name:
            key_value_weights += weight.numel()
    unembedding_weights = model.get_output_embeddings().weight.numel()
    patched_runs = n_blocks - 1  # a patch after the last block changes nothing that is read

    hooks = 0
    least = 0
    for pair in pairs:
        length = len(pair.clean)
        hooks += (n_blocks + 2) * (n_blocks * length * block_weights + unembedding_weights)

        both_runs = 2 * length - pair.position
        after_word = length - pair.position - pair.n_tokens
        # Over the blocks before the last, a patch after block l = 1..L - 1 leaves L - 1 - l blocks.
        patched_blocks = patched_runs * (n_blocks - 2) // 2
        in_earlier_blocks = (n_blocks - 1) * both_runs + patched_blocks * after_word
        in_last_block = both_runs + patched_runs * after_word
        read_last = 2 + patched_runs
        least += (in_earlier_blocks + read_last) * block_weights
        least += (in_last_block - read_last) * key_value_weights
    return hooks / least


def timed(run: Callable[[], Differences]) -> float:
    """The seconds that `run` takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def peak_mib() -> float:
    """The process's peak of resident memory since `reset_peak`, in MiB; Linux alone has it."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024


def reset_peak() -> None:
    """Set the process's peak of resident memory to what it uses now."""
    Path("/proc/self/clear_refs").write_text("5")


def largest_difference(one: Differences, other: Differences) -> float:
    """The largest absolute difference of all runs and pairs, in logits; NaN if any value is NaN."""
    apart = [(mine - theirs).abs().max().item() for mine, theirs in zip(one, other, strict=True)]
    return float(np.max(apart))


def measure(case: Case, sides: Sides) -> dict[str, Any]:
    """Time the sides on a case, after a check that they agree.

    Returns the name of the `case` and:

    - `ratio`, `batched_ratio`: the seconds of TransformerLens and of batched hooks over ours.
    - `operations_ratio`: the most that `batched_ratio` can be by the count of operations.
    - `ours_s`, `peer_s`, `batched_s`: the seconds of ours, of TransformerLens and of batched hooks.
    - `max_abs_difference`: the largest difference of another side from ours, in logits.
    - `peak_mib`: the process's peak of memory during our second run.
    """
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
    # The first runs of the other sides, before any time counts.
    difference = float(np.max([largest_difference(mine, run()) for run in runs[1:]]))
    if not difference <= TOLERANCE:
        raise SystemExit(f"{case.name}: the sides differ by {difference:.1e} logits")

    # All sides in each round: what else the machine does slows all of them.
    rounds = []
    for _ in range(ROUNDS):
        rounds.append([timed(run) for run in runs])
    ours_s, peer_s, batched_s = np.array(rounds).T  # each by round
    ratios = peer_s / ours_s
    listed = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"{case.name}: ratio per round {listed}")
    return {
        "case": case.name,
        "ratio": round(float(np.median(ratios)), 2),
        "operations_ratio": round(operations_ratio(model, pairs), 2),
        "batched_ratio": round(float(np.median(batched_s / ours_s)), 2),
        "ours_s": round(float(np.median(ours_s)), 3),
        "peer_s": round(float(np.median(peer_s)), 3),
        "batched_s": round(float(np.median(batched_s)), 3),
        "max_abs_difference": difference,
        "peak_mib": round(peak),
    }


RESIDUAL = Sides(
    ours=ours,
    transformer_lens=transformer_lens,
    batched_hooks=batched_hooks,
)
CASES = (smollm2_case, tinystories_case, study_case, small_model_case)


def main() -> None:
    """Print the results of all cases."""
    print_result("patching", cases=[measure(case(), RESIDUAL) for case in CASES])


if __name__ == "__main__":
    main()
