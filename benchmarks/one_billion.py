"""What 1.5 billion parameters take on one CPU: a Llama of Llama 3.2's 1B shape with random weights,
in bfloat16.

Run `.venv/bin/python -m benchmarks.one_billion`. It reads no file, and takes 4 GB of memory and a
few minutes. It captures two prompts. It scores two items, and for each a row of other random tokens
that stands in for its lower-case text. It patches one pair, and cuts it in every block. Only
processor seconds and memory count, since results of random weights mean nothing.
"""

import resource
import time
from collections.abc import Callable

import torch
from transformers import AutoModelForCausalLM, PreTrainedModel
from transformers.initialization import no_init_weights

from benchmarks.random_inputs import llama_config, random_pairs
from benchmarks.result import print_result
from mechaware.instruments.radar.detectors.registry import score_items
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.models.capture import capture
from mechaware.models.patching.kv_cut import cut_pairs
from mechaware.models.patching.residual import patch_pairs
from mechaware.models.token_scores import score_tokens

N_PROMPTS = 2
N_ITEMS = 2
TOKENS = 16
PAIR_TOKENS = 12
POSITION = 9  # where the two texts of a pair differ
TOKENS_PER_BATCH = 768


def llama_1b() -> PreTrainedModel:
    """Llama 3.2 1B's shape with an output head of its own; the same random weights at each call."""
    config = llama_config(
        vocabulary=128_256, width=2048, mlp_width=8192, blocks=16, heads=32, kv_heads=8, tied=False
    )
    # Drawing them from a normal distribution takes longer than all the rest.
    with no_init_weights():
        model = AutoModelForCausalLM.from_config(
            config, dtype=torch.bfloat16, attn_implementation="eager"
        )
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.ndim == 1:
                weight.fill_(1)
            else:
                weight.uniform_(-0.03, 0.03, generator=generator)
    return model.eval()


def random_texts(model: PreTrainedModel, n_texts: int, n_tokens: int, seed: int) -> list[list[int]]:
    """Token ids, evenly drawn."""
    generator = torch.Generator().manual_seed(seed)
    vocabulary = model.config.vocab_size
    return torch.randint(vocabulary, (n_texts, n_tokens), generator=generator).tolist()


def seconds_of(run: Callable[[], object]) -> float:
    """Processor seconds of `run`, summed over its threads;
    the work of other programs does not count.
    """
    started = time.process_time()
    run()
    return round(time.process_time() - started, 1)


def peak_gb() -> float:
    """The most memory that the process has had."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9, 1)


def main() -> None:
    """Time each kind of measurement once and print it with the peak of memory so far."""
    started = time.process_time()
    model = llama_1b()
    print(f"made in {time.process_time() - started:.0f} s, {peak_gb()} GB", flush=True)

    prompts = random_texts(model, N_PROMPTS, TOKENS, seed=1)
    capture_s = seconds_of(lambda: capture(model, prompts, tokens_per_batch=TOKENS_PER_BATCH))
    print(f"capture {capture_s} s, {peak_gb()} GB", flush=True)

    items = random_texts(model, N_ITEMS, TOKENS, seed=2)
    lowercase_items = random_texts(model, N_ITEMS, TOKENS, seed=3)
    first = [1] * N_ITEMS  # all tokens but the first are scored
    texts = [" ".join(map(str, ids)) for ids in items]
    groups = [str(row) for row in range(N_ITEMS)]

    def score() -> None:
        scores = score_tokens(model, items, first, tokens_per_batch=TOKENS_PER_BATCH)
        lowercase = score_tokens(model, lowercase_items, first, tokens_per_batch=TOKENS_PER_BATCH)
        score_items(Evidence(texts, groups, scores, lowercase=lowercase), seed=0)

    items_s = seconds_of(score)
    print(f"items {items_s} s, {peak_gb()} GB", flush=True)

    pairs = random_pairs(model.config.vocab_size, 1, PAIR_TOKENS, POSITION)
    # Of the one pair: each block alone.
    cuts = [[(block,) for block in range(1, model.config.num_hidden_layers + 1)]]
    patch_s = seconds_of(lambda: patch_pairs(model, pairs, tokens_per_batch=TOKENS_PER_BATCH))
    cut_s = seconds_of(lambda: cut_pairs(model, pairs, cuts, tokens_per_batch=TOKENS_PER_BATCH))
    print_result(
        "one_billion",
        parameters=sum(weight.numel() for weight in model.parameters()),
        capture_s=capture_s,
        items_s=items_s,
        patch_pair_s=patch_s,
        cut_pair_s=cut_s,
        peak_gb=peak_gb(),
    )


if __name__ == "__main__":
    main()
