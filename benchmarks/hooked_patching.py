"""Compare two ways of patching: whole passes with hooks, and parts of passes.

Parts of passes need a file for the architecture; hooks serve architectures without such a file.

Run `.venv/bin/python -m benchmarks.hooked_patching`; it needs no weights. A Llama of SmolLM2-135M's
shape with random weights is patched in both ways on the same pairs, at one position in all layers.
Both must agree; seconds are processor time.
"""

import time

import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

from benchmarks.random_inputs import llama_config, random_pairs
from benchmarks.result import print_result
from mechaware.models.patching.by_hooks import map_pair
from mechaware.models.patching.residual import patch_pairs

N_PAIRS = 4
TOKENS = 32
POSITION = 16
TOKENS_PER_BATCH = 16_384
TOLERANCE = 1e-3  # logits


def smollm2_shape() -> PreTrainedModel:
    """The same random weights at each call, in float32."""
    config = llama_config(
        vocabulary=49_152, width=576, mlp_width=1536, blocks=30, heads=9, kv_heads=3, tied=True
    )
    torch.manual_seed(0)
    return AutoModelForCausalLM.from_config(
        config, dtype=torch.float32, attn_implementation="eager"
    ).eval()


def main() -> None:
    """Patch in both ways and print how long each took."""
    model = smollm2_shape()
    pairs = random_pairs(model.config.vocab_size, N_PAIRS, TOKENS, POSITION)
    layers = range(model.config.num_hidden_layers + 1)

    started = time.process_time()
    in_parts = patch_pairs(model, pairs, tokens_per_batch=TOKENS_PER_BATCH).patched_diff
    between = time.process_time()
    whole = [map_pair(model, pair, [POSITION], layers, TOKENS_PER_BATCH) for pair in pairs]
    ended = time.process_time()

    by_hooks = torch.cat([mapped.patched_diff for mapped in whole])
    torch.testing.assert_close(by_hooks, in_parts, rtol=0, atol=TOLERANCE)
    print_result(
        "hooked_patching",
        pairs=N_PAIRS,
        in_parts_s=round(between - started, 2),
        by_hooks_s=round(ended - between, 2),
        ratio=round((ended - between) / (between - started), 1),
    )


if __name__ == "__main__":
    main()
