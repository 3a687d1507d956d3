"""Residual patching at one position, all layers: ours against TransformerLens and a loop of hooks, in one process.

Run `.venv/bin/python -m benchmarks.patching` after `make results`, which makes the models. All sides put the clean
state at position p into the corrupted run after each block 1..L and return logit(correct) - logit(incorrect) at the
last token, per pair and layer, and the same difference for the clean and the corrupted run. TransformerLens is used as
its documentation says: a clean run with a cache (of the patched states only), then `patching.generic_activation_patch`
over all layers. It takes one length and one position a call, so its prompts are batched where they share both. The
loop takes one pair at a time; its time is linear in the pairs, so a share of them is run and the time scaled. The sides
take turns in five rounds; ratios are medians over the rounds.
"""

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import torch
from transformer_lens import patching
from transformer_lens.model_bridge import TransformerBridge
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel

from benchmarks.result import print_result
from mechaware.grounding.data.pairs import read_pairs
from mechaware.grounding.tokens import exchange, tokenise
from mechaware.models.families.supported import find_modules
from mechaware.models.patching.residual import patch_pairs
from mechaware.models.patching.runs import TokenPair
from mechaware.models.registry import load_model, load_tokenizer

SMOLLM2 = Path("results/models/smollm2-135m-instruct")
STUDY = Path("results/grounding")
STUDY_MODEL = STUDY / "models/schema-s0"
CPU = torch.device("cpu")
ROUNDS, TOKENS_PER_BATCH = 5, 16_384


class Case(NamedTuple):
    name: str
    load: Callable[[], PreTrainedModel]  # loads the same weights at each call: TransformerLens rewires its own copy
    pairs: list[TokenPair]
    naive_pairs: int


class Differences(NamedTuple):
    clean: torch.Tensor  # pair
    corrupted: torch.Tensor
    patched: torch.Tensor  # pair, layer 1..L


class Sides(NamedTuple):
    """Three implementations of the same patching of all layers."""

    ours: Callable[[PreTrainedModel, list[TokenPair]], Differences]
    transformer_lens: Callable[[TransformerBridge, list[TokenPair]], Differences]
    naive: Callable[[PreTrainedModel, list[TokenPair]], Differences]


def random_pairs(vocabulary: int, n_pairs: int, n_tokens: int, position: int) -> list[TokenPair]:
    generator = torch.Generator().manual_seed(0)
    pairs = []
    for ids in torch.randint(vocabulary, (n_pairs, n_tokens + 2), generator=generator).tolist():
        *clean, correct, incorrect = ids
        corrupted = [*clean[:position], (clean[position] + 1) % vocabulary, *clean[position + 1 :]]
        pairs.append(TokenPair(clean, corrupted, position, correct, incorrect))
    return pairs


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
        naive_pairs=1,
    )


def tinystories_case() -> Case:
    return Case(
        "geometry of TinyStories-33M, 16 prompts of 60 tokens, p = 35",
        lambda: gpt_neo(768, 16, 50_257),
        random_pairs(50_257, 16, 60, 35),
        naive_pairs=4,
    )


def study_pairs() -> Case:
    tokenizer = load_tokenizer(STUDY_MODEL)
    pairs = [exchange(pair, tokenise(pair, tokenizer)) for pair in read_pairs(STUDY / "pairs.jsonl")]
    lengths = [len(pair.clean) for pair in pairs]
    return Case(
        f"the study's {len(pairs)} pairs of {min(lengths)} to {max(lengths)} tokens on its own model",
        lambda: load_model(STUDY_MODEL, CPU),
        pairs,
        naive_pairs=20,
    )


def batched_pairs() -> Case:
    return Case(
        "4 layers of width 128, 100 pairs of 40 tokens, p = 22",
        lambda: gpt_neo(128, 4, 1200),
        random_pairs(1200, 100, 40, 22),
        naive_pairs=20,
    )


def ours(model: PreTrainedModel, pairs: list[TokenPair]) -> Differences:
    layers = range(1, len(find_modules(model).blocks) + 1)
    swept = patch_pairs(model, pairs, layers=layers, tokens_per_batch=TOKENS_PER_BATCH)
    return Differences(swept.clean_diff, swept.corrupted_diff, swept.patched_diff)


def transformer_lens(bridge: TransformerBridge, pairs: list[TokenPair]) -> Differences:
    return in_groups(bridge, pairs, transformer_lens_group)


def in_groups(
    bridge: TransformerBridge,
    pairs: list[TokenPair],
    patch_group: Callable[[TransformerBridge, list[TokenPair]], Differences],
) -> Differences:
    """TransformerLens takes one length and one position at a time: pairs that share both go together."""
    n_layers = bridge.cfg.n_layers
    result = Differences(torch.empty(len(pairs)), torch.empty(len(pairs)), torch.empty(len(pairs), n_layers))
    groups: dict[tuple[int, int], list[int]] = {}
    for index, pair in enumerate(pairs):
        groups.setdefault((len(pair.clean), pair.position), []).append(index)
    for members in groups.values():
        found = patch_group(bridge, [pairs[index] for index in members])
        for whole, part in zip(result, found, strict=True):
            whole[members] = part
    return result


@torch.inference_mode()
def transformer_lens_group(bridge: TransformerBridge, pairs: list[TokenPair]) -> Differences:
    clean, corrupted = torch.tensor([pair.clean for pair in pairs]), torch.tensor([pair.corrupted for pair in pairs])
    everyone = torch.arange(len(pairs))
    correct, incorrect = torch.tensor([(pair.correct, pair.incorrect) for pair in pairs]).T

    def difference(logits: torch.Tensor) -> torch.Tensor:
        return logits[everyone, -1, correct] - logits[everyone, -1, incorrect]

    logits, cache = bridge.run_with_cache(clean, names_filter=lambda name: name.endswith("hook_resid_post"))
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


@torch.inference_mode()
def naive(model: PreTrainedModel, pairs: list[TokenPair]) -> Differences:
    rows = [naive_pair(model, pair) for pair in pairs]
    return Differences(*(torch.tensor(column) for column in zip(*rows, strict=True)))


def naive_pair(model: PreTrainedModel, pair: TokenPair) -> tuple[float, float, list[float]]:
    blocks, kept = find_modules(model).blocks, []

    def difference(ids: list[int]) -> float:
        logits = model(torch.tensor([ids]), use_cache=False).logits[0, -1]
        return (logits[pair.correct] - logits[pair.incorrect]).item()

    def keep(_module: Any, _arguments: Any, output: Any) -> None:
        kept.append((output[0] if isinstance(output, tuple) else output)[0, pair.position].clone())

    hooks = [block.register_forward_hook(keep) for block in blocks]
    clean_diff = difference(pair.clean)
    for hook in hooks:
        hook.remove()
    patched = []
    for block, state in zip(blocks, kept, strict=True):

        def put(_module: Any, _arguments: Any, output: Any, state: torch.Tensor = state) -> None:
            (output[0] if isinstance(output, tuple) else output)[0, pair.position] = state

        hook = block.register_forward_hook(put)
        patched.append(difference(pair.corrupted))
        hook.remove()
    return clean_diff, difference(pair.corrupted), patched


def timed(run: Callable[[], Differences]) -> tuple[float, Differences]:
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def peak_mib() -> float:
    """The process's peak since `reset_peak`."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024


def reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def largest_difference(one: Differences, other: Differences) -> float:
    return max(float((mine - theirs).abs().max()) for mine, theirs in zip(one, other, strict=True))


def measure(case: Case, sides: Sides) -> dict[str, Any]:
    model, pairs, some = case.load(), case.pairs, case.pairs[: case.naive_pairs]
    sides.ours(model, pairs)
    sides.naive(model, some[:1])
    reset_peak()
    sides.ours(model, pairs)
    peak = peak_mib()
    # Any tokenizer will do: the prompts are token ids.
    tokenizer = load_tokenizer(SMOLLM2)
    bridge = TransformerBridge.boot_transformers(case.name, hf_model=case.load(), tokenizer=tokenizer, device="cpu")
    sides.transformer_lens(bridge, pairs)
    ours_s, peer_s, naive_s, difference = [], [], [], 0.0
    for _ in range(ROUNDS):
        seconds, mine = timed(lambda: sides.ours(model, pairs))
        peer_seconds, theirs = timed(lambda: sides.transformer_lens(bridge, pairs))
        naive_seconds, plain = timed(lambda: sides.naive(model, some))
        ours_s.append(seconds)
        peer_s.append(peer_seconds)
        naive_s.append(naive_seconds * len(pairs) / len(some))
        mine_of_some = Differences(*(values[: len(some)] for values in mine))
        difference = max(difference, largest_difference(mine, theirs), largest_difference(mine_of_some, plain))
    ratios = [peer / own for peer, own in zip(peer_s, ours_s, strict=True)]
    naive_ratios = [loop / own for loop, own in zip(naive_s, ours_s, strict=True)]
    print(f"{case.name}: ratio per round {', '.join(f'{ratio:.2f}' for ratio in ratios)}")
    return {
        "case": case.name,
        "ratio": round(statistics.median(ratios), 2),
        "naive_ratio": round(statistics.median(naive_ratios), 2),
        "ours_s": round(statistics.median(ours_s), 3),
        "naive_s": round(statistics.median(naive_s), 3),
        "peer_s": round(statistics.median(peer_s), 3),
        "max_abs_difference": difference,
        "peak_mib": round(peak),
    }


RESIDUAL = Sides(ours, transformer_lens, naive)
CASES = (smollm2_case, tinystories_case, study_pairs, batched_pairs)


def main() -> None:
    print_result("patching", cases=[measure(case(), RESIDUAL) for case in CASES])


if __name__ == "__main__":
    main()
