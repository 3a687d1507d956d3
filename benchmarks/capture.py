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
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int
from tqdm import tqdm
from transformers import PreTrainedModel

from benchmarks.result import print_result
from mechaware.instruments.radar.feature_extraction.features import (
    FEATURES,
    compute_features,
    summary_table,
)
from mechaware.instruments.radar.feature_extraction.measurements import PromptMeasurements
from mechaware.instruments.radar.prompts import read_prompts
from mechaware.models.activations import split_prompts, summarise
from mechaware.models.batching import length_batches, pad_right
from mechaware.models.capture import capture
from mechaware.models.registry import default_device, load_model, load_tokenizer, read_manifest
from mechaware.models.summaries import StateSummary
from mechaware.models.tokenisation.token_ids import token_ids

MODEL = Path("results/models/smollm2-135m-instruct")
PROMPTS = sorted(Path("config/prompts").glob("radar_*.csv"))
N_PROMPTS = 1000
SHARES = 5
LENGTHS = {19: 120, 60: 60, 200: 24}  # tokens of a prompt: prompts
TOKENS_PER_BATCH = 768
PEERS = {"": 1, "_batched": TOKENS_PER_BATCH}  # tokens of a batch, which holds at least one prompt
TAU = 1.5  # nats; an attention head with less entropy is specialised
# Counts and indices jump by whole steps where two layers or a threshold are equal to within float32's rounding.
COUNTED = [
    "convergence_layer",
    "convergence_speed",
    "oscillation_count",
    "num_specialized_heads",
    "critical_component_count",
]
MEASURED = [name for name in FEATURES if name not in COUNTED]
T = TypeVar("T")


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


# Ours, and a bare pass


def ours(model: PreTrainedModel, prompts: list[list[int]]) -> pd.DataFrame:
    """The features, one row per prompt."""
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


# The peer


class PeerLayer(NamedTuple):
    """What the peer measures of one layer of a batch, under the names of `PromptMeasurements` and `StateSummary`."""

    confidence: Float[torch.Tensor, " prompt"]
    entropy: Float[torch.Tensor, " prompt"]
    head_entropy: Float[torch.Tensor, "prompt head"]
    norm: Float[torch.Tensor, " prompt"]
    variance: Float[torch.Tensor, " prompt"]
    rank: Float[torch.Tensor, " prompt"]


@torch.inference_mode()
def peer(model: PreTrainedModel, prompts: list[list[int]], tokens_per_batch: int) -> pd.DataFrame:
    """The features, one row per prompt."""
    rows: dict[int, dict[str, float]] = {}
    batches = list(length_batches([len(prompt) for prompt in prompts], tokens_per_batch))
    for batch in tqdm(batches, desc="peer", leave=False):
        measured = peer_batch(model, [prompts[i] for i in batch])
        for i, of_prompt in zip(batch, measured, strict=True):
            rows[i] = compute_features(of_prompt)
    return pd.DataFrame([rows[i] for i in range(len(prompts))], columns=list(FEATURES))


def peer_batch(model: PreTrainedModel, prompts: list[list[int]]) -> list[PromptMeasurements]:
    """The measurements of each prompt of a batch that is padded on the right."""
    ids = pad_right(prompts).to(model.device)
    n_tokens = torch.tensor([len(prompt) for prompt in prompts], device=model.device)
    mask = (torch.arange(ids.shape[1], device=model.device) < n_tokens[:, None]).float()

    # The last of the hidden states is normalised: what the last block returns is kept beside them.
    last_block: list[torch.Tensor] = []
    hook = model.model.layers[-1].register_forward_hook(
        lambda _module, _arguments, output: last_block.append(output)
    )
    outputs = model(
        ids,
        attention_mask=mask,
        output_hidden_states=True,
        output_attentions=True,
        use_cache=False,
        logits_to_keep=1,
    )
    hook.remove()
    states = [*outputs.hidden_states[1:-1], last_block[0]]

    layers = []
    for of_layer, attention in zip(states, outputs.attentions, strict=True):
        layers.append(peer_layer(model, of_layer, attention, n_tokens, mask))
    return by_prompt(layers)


def peer_layer(
    model: PreTrainedModel,
    states: Float[torch.Tensor, "prompt pos d_model"],
    attention: Float[torch.Tensor, "prompt head query key"],
    n_tokens: Int[torch.Tensor, " prompt"],
    mask: Float[torch.Tensor, "prompt pos"],
) -> PeerLayer:
    """One layer's measurements; `mask` is 0 where a prompt is padded. Rows of zeros change no singular value."""
    at_last_token = states[range(len(n_tokens)), n_tokens - 1]
    probabilities = model.lm_head(model.model.norm(at_last_token)).softmax(-1)

    entropy_of_rows = torch.special.entr(attention).sum(-1)
    head_entropy = (entropy_of_rows * mask[:, None]).sum(-1)

    unpadded = states * mask[..., None]
    n_values = n_tokens * states.shape[-1]
    mean = unpadded.sum((1, 2)) / n_values
    centred = (unpadded - mean[:, None, None]) * mask[..., None]
    singular_values = torch.linalg.svdvals(unpadded)
    shares = singular_values / singular_values.sum(-1, keepdim=True)
    return PeerLayer(
        confidence=probabilities.max(-1).values,
        entropy=torch.special.entr(probabilities).sum(-1),
        head_entropy=head_entropy,
        norm=unpadded.norm(dim=-1).sum(-1) / n_tokens,
        variance=centred.square().sum((1, 2)) / n_values,
        rank=torch.special.entr(shares).sum(-1).exp(),
    )


def by_prompt(layers: list[PeerLayer]) -> list[PromptMeasurements]:
    """The layers' measurements of a batch, prompt by prompt."""
    stacked = []
    for of_all_layers in zip(*layers, strict=True):
        stacked.append(torch.stack(of_all_layers, dim=1).double().cpu().numpy())
    confidence, entropy, head_entropy, norm, variance, rank = stacked  # prompt, layer

    prompts = []
    for i in range(len(confidence)):
        states = StateSummary(norm[i], variance[i], rank[i])
        prompts.append(PromptMeasurements(confidence[i], entropy[i], head_entropy[i], states, TAU))
    return prompts


# The comparison


def timed(run: Callable[[], T]) -> tuple[float, T]:
    """How many seconds `run` takes, and what it returns."""
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def peak_mib(device: torch.device) -> float:
    """Of the device's memory on a GPU, else of the process's."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def largest_difference(our_table: pd.DataFrame, peer_table: pd.DataFrame) -> float:
    """Of the measured features; relative to the peer's where that exceeds 1."""
    mine = our_table[MEASURED].to_numpy()
    theirs = peer_table[MEASURED].to_numpy()
    return float((np.abs(mine - theirs) / np.maximum(1, np.abs(theirs))).max())


def prompts_with_another_count(our_table: pd.DataFrame, peer_table: pd.DataFrame) -> int:
    """How many prompts differ in a counted feature."""
    differs = our_table[COUNTED].to_numpy() != peer_table[COUNTED].to_numpy()
    return int(differs.any(axis=1).sum())


def shares_of_bare_by_length(model: PreTrainedModel, prompts: list[list[int]]) -> dict[int, float]:
    """By the number of tokens of a prompt, the median share for windows of that many tokens of the prompts' text."""
    text = [token for prompt in prompts for token in prompt]
    shares = {}
    for length, n_windows in LENGTHS.items():
        windows = [text[i * length : (i + 1) * length] for i in range(n_windows)]
        turns = [share_of_bare(model, windows) for _ in range(SHARES)]
        shares[length] = round(statistics.median(turns), 2)
    return shares


def main() -> None:
    """Run all sides in turns and print how they compare."""
    device = default_device()
    model = load_model(MODEL, device)
    prompts = mixed_prompts()

    # What only a first run does is no side's time.
    ours(model, prompts[:20])
    for tokens_per_batch in PEERS.values():
        peer(model, prompts[:20], tokens_per_batch)
    bare(model, prompts[:20])

    loaded_mib = peak_mib(device)
    whole_s, _ = timed(lambda: ours(model, prompts))
    whole_mib = peak_mib(device)

    ours_s = []
    peer_s: dict[str, list[float]] = {name: [] for name in PEERS}
    shares = []
    differences = []
    other_counts = 0
    for start in range(SHARES):
        part = prompts[start::SHARES]
        seconds, our_table = timed(partial(ours, model, part))
        ours_s.append(seconds)
        shares.append(share_of_bare(model, part))
        for name, tokens_per_batch in PEERS.items():
            seconds, peer_table = timed(partial(peer, model, part, tokens_per_batch))
            peer_s[name].append(seconds)
            differences.append(largest_difference(our_table, peer_table))
            other_counts += prompts_with_another_count(our_table, peer_table)
    by_length = shares_of_bare_by_length(model, prompts)

    mean_length = np.mean([len(prompt) for prompt in prompts])
    print(
        f"{N_PROMPTS} prompts, {mean_length:.1f} tokens on average, {torch.get_num_threads()} threads"
    )
    print(f"ours {N_PROMPTS / sum(ours_s):.1f} prompts/s")
    ratios = {}
    medians_s = {}
    for name, seconds_of_peer in peer_s.items():
        of_shares = np.array(seconds_of_peer) / np.array(ours_s)
        ratios[f"ratio{name}"] = round(float(np.median(of_shares)), 2)
        medians_s[f"peer{name}_s"] = round(statistics.median(seconds_of_peer), 2)
        print(
            f"peer{name} {N_PROMPTS / sum(seconds_of_peer):.1f} prompts/s; "
            f"ratio per share: {of_shares.round(2).tolist()}"
        )
    listed = ", ".join(f"{share:.2f}" for share in shares)
    print(f"capture's share of a bare pass's speed: {listed}")
    print_result(
        "capture",
        device=device,
        **ratios,
        share_of_bare=round(statistics.median(shares), 2),
        share_of_bare_by_tokens=by_length,
        ours_s=round(statistics.median(ours_s), 2),
        **medians_s,
        max_abs_difference=float(np.max(differences)),
        prompts_with_another_count=other_counts,
        peak_mib=round(whole_mib),
        peak_before_mib=round(loaded_mib),
        all_at_once_s=round(whole_s, 2),
    )


if __name__ == "__main__":
    main()
