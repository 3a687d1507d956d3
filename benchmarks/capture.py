"""Activation features of 1,000 prompts of mixed length: ours against a loop over transformers, in one process.

Run `.venv/bin/python -m benchmarks.capture` after `make results`, which makes the model; it runs on the GPU if there is
one. All sides compute the same 37 features of the same prompts. The peer follows the documentation of transformers:
`output_hidden_states` and `output_attentions`, the logit lens and the singular values layer by layer. It reads one
prompt at a time (`ratio`), or the same padded batches as ours (`ratio_batched`). Ratios depend on the machine more than
`share_of_bare` does: the speed of our capture (states, attention entropies, logit lens) as a share of that of a forward
pass of the same model over the same batches which keeps nothing. All sides take turns on five shares of the prompts;
medians over the five count.
"""

import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
import torch
from tqdm import tqdm
from transformers import PreTrainedModel

from benchmarks.result import print_result
from mechaware.instruments.radar.feature_extraction.features import (
    FEATURES,
    compute_features,
    summary_table,
)
from mechaware.instruments.radar.feature_extraction.measurements import (
    PromptMeasurements,
    StateSummary,
)
from mechaware.instruments.radar.prompts import read_prompts
from mechaware.models.activations import split_prompts, summarise
from mechaware.models.batching import length_batches, pad_right
from mechaware.models.capture import capture
from mechaware.models.registry import default_device, load_model, load_tokenizer, read_manifest
from mechaware.models.tokenisation.token_ids import token_ids

MODEL = Path("results/models/smollm2-135m-instruct")
PROMPTS = sorted(Path("config/prompts").glob("radar_*.csv"))
# Counts and indices jump by whole steps where two layers or a threshold are equal to within float32's rounding.
COUNTED = (
    "convergence_layer",
    "convergence_speed",
    "oscillation_count",
    "num_specialized_heads",
    "critical_component_count",
)
MEASURED = [name for name in FEATURES if name not in COUNTED]
T = TypeVar("T")
LENGTHS = {19: 120, 60: 60, 200: 24}  # tokens of a prompt: prompts
N_PROMPTS = 1000
SHARES = 5
TOKENS_PER_BATCH = 768
TAU = 1.5
PEERS = {"": 1, "_batched": TOKENS_PER_BATCH}  # tokens of a batch, which holds at least one prompt


def mixed_prompts() -> list[list[int]]:
    """Windows of the study's own text, as long as the study's own prompts are."""
    tokenizer = load_tokenizer(MODEL)
    prompts = [prompt.prompt for path in PROMPTS for prompt in read_prompts(path)]
    ids = token_ids(tokenizer, prompts, read_manifest(MODEL).vocab_size)
    text = [token for prompt in ids for token in prompt]
    generator = np.random.default_rng(0)
    lengths = generator.choice([len(prompt) for prompt in ids], N_PROMPTS)
    starts = generator.integers(0, len(text) - lengths)
    return [text[start : start + length] for start, length in zip(starts, lengths, strict=True)]


def ours(model: PreTrainedModel, prompts: list[list[int]]) -> pd.DataFrame:
    activations = capture(model, prompts, tokens_per_batch=TOKENS_PER_BATCH)
    return summary_table(
        map(summarise, split_prompts(activations)), reduction="sum", specialised_head_entropy=TAU
    )


@torch.inference_mode()
def bare(model: PreTrainedModel, prompts: list[list[int]]) -> None:
    """The passes that `capture` makes, with the model's own logits of each token and nothing else."""
    for batch in length_batches([len(prompt) for prompt in prompts], TOKENS_PER_BATCH):
        model(pad_right([prompts[i] for i in batch]).to(model.device), use_cache=False)
    wait(model.device)


def share_of_bare(model: PreTrainedModel, prompts: list[list[int]]) -> float:
    """The bare pass's time over the capture's, in one turn."""
    capture_s, _ = timed(lambda: capture(model, prompts, tokens_per_batch=TOKENS_PER_BATCH))
    bare_s, _ = timed(lambda: bare(model, prompts))
    return bare_s / capture_s


def wait(device: torch.device) -> None:
    """Until the device has done what it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


@torch.inference_mode()
def peer(model: PreTrainedModel, prompts: list[list[int]], tokens_per_batch: int) -> pd.DataFrame:
    """Padding is masked; as rows of zeros it changes no singular value."""
    rows: dict[int, dict[str, float]] = {}
    lengths = torch.tensor([len(prompt) for prompt in prompts], device=model.device)
    for batch in tqdm(
        list(length_batches(lengths.tolist(), tokens_per_batch)), desc="peer", leave=False
    ):
        ids = pad_right([prompts[i] for i in batch]).to(model.device)
        n = lengths[batch]
        mask = (torch.arange(ids.shape[1], device=model.device) < n[:, None]).float()
        last_block: list[torch.Tensor] = []
        hook = model.model.layers[-1].register_forward_hook(
            lambda _m, _a, out, kept=last_block: kept.append(out)
        )
        asked = {
            "output_hidden_states": True,
            "output_attentions": True,
            "use_cache": False,
            "logits_to_keep": 1,
        }
        out = model(ids, attention_mask=mask, **asked)
        hook.remove()
        by_layer = []
        for state, attention in zip(
            [*out.hidden_states[1:-1], last_block[0]], out.attentions, strict=True
        ):
            probabilities = model.lm_head(
                model.model.norm(state[range(len(batch)), n - 1])
            ).softmax(-1)
            states = state * mask[..., None]
            values = n * state.shape[-1]
            centred = (states - (states.sum((1, 2)) / values)[:, None, None]) * mask[..., None]
            singular = torch.linalg.svdvals(states)
            shares = singular / singular.sum(-1, keepdim=True)
            heads = (torch.special.entr(attention).sum(-1) * mask[:, None]).sum(-1)
            confidence = probabilities.max(-1).values
            entropy = torch.special.entr(probabilities).sum(-1)
            norm = states.norm(dim=-1).sum(-1) / n
            rank = torch.special.entr(shares).sum(-1).exp()
            by_layer.append(
                (confidence, entropy, heads, norm, centred.square().sum((1, 2)) / values, rank)
            )
        measured = [
            torch.stack(layers, dim=1).double().cpu().numpy()
            for layers in zip(*by_layer, strict=True)
        ]
        for i, confidence, entropy, heads, *states in zip(batch, *measured, strict=True):
            rows[i] = compute_features(
                PromptMeasurements(confidence, entropy, heads, StateSummary(*states), TAU)
            )
    return pd.DataFrame([rows[i] for i in range(len(prompts))], columns=list(FEATURES))


def timed(run: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def peak_mib(device: torch.device) -> float:
    """Of the device's memory on a GPU, else of the process's."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    device = default_device()
    model = load_model(MODEL, device)
    prompts = mixed_prompts()
    ours(model, prompts[:20])
    for tokens in PEERS.values():
        peer(model, prompts[:20], tokens)
    bare(model, prompts[:20])
    loaded_mib = peak_mib(device)
    whole_s, _ = timed(lambda: ours(model, prompts))
    whole_mib = peak_mib(device)
    ours_s = []
    shares = []
    difference = 0.0
    jumps = 0
    peer_s: dict[str, list[float]] = {name: [] for name in PEERS}
    for share in range(SHARES):
        part = prompts[share::SHARES]
        seconds, mine = timed(lambda part=part: ours(model, part))
        ours_s.append(seconds)
        shares.append(share_of_bare(model, part))
        for name, tokens in PEERS.items():
            seconds, theirs = timed(lambda part=part, tokens=tokens: peer(model, part, tokens))
            peer_s[name].append(seconds)
            one = mine[MEASURED].to_numpy()
            other = theirs[MEASURED].to_numpy()
            difference = max(
                difference, float((np.abs(one - other) / np.maximum(1, np.abs(other))).max())
            )
            counted = list(COUNTED)
            jumps += int((mine[counted].to_numpy() != theirs[counted].to_numpy()).any(axis=1).sum())
    text = [token for prompt in prompts for token in prompt]
    by_length = {}
    for length, n in LENGTHS.items():
        windows = [text[i * length : (i + 1) * length] for i in range(n)]
        by_length[length] = round(
            statistics.median(share_of_bare(model, windows) for _ in range(SHARES)), 2
        )
    ratios = {name: np.array(seconds) / np.array(ours_s) for name, seconds in peer_s.items()}
    print(
        f"{N_PROMPTS} prompts, {np.mean([len(prompt) for prompt in prompts]):.1f} tokens on average, "
        f"{torch.get_num_threads()} threads"
    )
    print(f"ours {N_PROMPTS / sum(ours_s):.1f} prompts/s")
    for name, seconds in peer_s.items():
        print(
            f"peer{name} {N_PROMPTS / sum(seconds):.1f} prompts/s; ratio per share: {ratios[name].round(2).tolist()}"
        )
    print(
        f"capture's share of a bare pass's speed: {', '.join(f'{share:.2f}' for share in shares)}"
    )
    print_result(
        "capture",
        device=device,
        **{f"ratio{name}": round(float(np.median(values)), 2) for name, values in ratios.items()},
        share_of_bare=round(statistics.median(shares), 2),
        share_of_bare_by_tokens=by_length,
        ours_s=round(statistics.median(ours_s), 2),
        **{
            f"peer{name}_s": round(statistics.median(seconds), 2)
            for name, seconds in peer_s.items()
        },
        max_abs_difference=difference,  # of the measured features; relative where one exceeds 1
        prompts_with_another_count=jumps,
        peak_mib=round(whole_mib),
        peak_before_mib=round(loaded_mib),
        all_at_once_s=round(whole_s, 2),
    )


if __name__ == "__main__":
    main()
