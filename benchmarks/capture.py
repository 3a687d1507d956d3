"""The speed of RADAR's activation features of 1,000 prompts, against a loop over transformers.

Run `.venv/bin/python -m benchmarks.capture` after `make results`, which makes the model; it runs on
the GPU if there is one. Three sides read the same prompts of mixed length in one process; the first
two compute the same 37 features:

- `ours`: forward passes over padded batches, with a capture of what the features need.
- `peer`: as the documentation of transformers proposes, `output_hidden_states` and
  `output_attentions`, then the logit lens and the singular values layer by layer. It reads one
  prompt at a time (`ratio`), or the same padded batches as ours (`ratio_batched`).
- `bare`: a forward pass of the same model over the same batches that keeps nothing and computes no
  feature. `share_of_bare` is the speed of our capture (states, attention entropies, logit lens) as
  a share of the speed of the bare pass. It depends less on the machine than the ratios do.

The prompts are split into five parts, on each of which all sides take turns; medians over the five
count.
"""

import resource
import statistics
import time
from collections.abc import Callable
from functools import partial
from itertools import chain
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
from mechaware.models.devices import default_device
from mechaware.models.registry import load_model, load_tokenizer, read_manifest
from mechaware.models.summaries import StateSummary
from mechaware.models.tokenisation.token_ids import token_ids

MODEL = Path("results/models/smollm2-135m-instruct")
PROMPTS = sorted(Path("config/prompts").glob("radar_*.csv"))
N_PROMPTS = 1000
PARTS = 5
TURNS_BY_LENGTH = 5
WINDOWS = {19: 120, 60: 60, 200: 24}  # by their length in tokens, how many windows are measured
TOKENS_PER_BATCH = 768
# By the suffix of the peer's results, the tokens of its batches, each of which has at least one
# prompt: with 1 it reads one prompt at a time.
PEERS = {"": 1, "_batched": TOKENS_PER_BATCH}
TAU = 1.5  # nats; an attention head with less entropy is specialised
# Counts and indices jump by whole steps where two layers, or a value and a threshold, are equal to
# within float32's rounding.
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
    """Windows of the study's joined prompts, as token ids; each is as long as some prompt."""
    tokenizer = load_tokenizer(MODEL)
    prompts = [prompt.prompt for path in PROMPTS for prompt in read_prompts(path)]
    ids = token_ids(tokenizer, prompts, read_manifest(MODEL).vocab_size)
    text = list(chain.from_iterable(ids))
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
    """The forward passes that `capture` makes, with the logits of each token and nothing else."""
    for batch in length_batches([len(prompt) for prompt in prompts], TOKENS_PER_BATCH):
        model(pad_right([prompts[i] for i in batch]).to(model.device), use_cache=False)
    wait(model.device)


def share_of_bare(model: PreTrainedModel, prompts: list[list[int]]) -> float:
    """The seconds of the bare pass over the seconds of our capture, each run once."""
    capture_s, _ = timed(lambda: capture(model, prompts, tokens_per_batch=TOKENS_PER_BATCH))
    bare_s, _ = timed(lambda: bare(model, prompts))
    return bare_s / capture_s


def wait(device: torch.device) -> None:
    """Wait until the device has finished its work, which a GPU does after the call has returned."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


# The peer


class PeerLayer(NamedTuple):
    """What the peer measures of one layer of a batch.

    `PromptMeasurements` and `StateSummary` define the fields.
    """

    confidence: Float[torch.Tensor, " prompt"]
    entropy: Float[torch.Tensor, " prompt"]
    head_entropy: Float[torch.Tensor, "prompt head"]
    norm: Float[torch.Tensor, " prompt"]
    variance: Float[torch.Tensor, " prompt"]
    rank: Float[torch.Tensor, " prompt"]


@torch.inference_mode()
def peer(model: PreTrainedModel, prompts: list[list[int]], tokens_per_batch: int) -> pd.DataFrame:
    """The features, one row per prompt, by the states and attention that transformers returns."""
    rows: dict[int, dict[str, float]] = {}
    batches = list(length_batches([len(prompt) for prompt in prompts], tokens_per_batch))
    for batch in tqdm(batches, desc="peer", leave=False):
        measurements = peer_batch(model, [prompts[i] for i in batch])
        for i, measured in zip(batch, measurements, strict=True):
            rows[i] = compute_features(measured)
    return pd.DataFrame([rows[i] for i in range(len(prompts))], columns=list(FEATURES))


def peer_batch(model: PreTrainedModel, prompts: list[list[int]]) -> list[PromptMeasurements]:
    """The measurements of each prompt of a batch that is padded on the right."""
    ids = pad_right(prompts).to(model.device)
    n_tokens = torch.tensor([len(prompt) for prompt in prompts], device=model.device)
    mask = (torch.arange(ids.shape[1], device=model.device) < n_tokens[:, None]).float()

    # The last of the returned hidden states is normalised: a hook keeps what the last block
    # returns.
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
    for layer_states, attention in zip(states, outputs.attentions, strict=True):
        layers.append(peer_layer(model, layer_states, attention, n_tokens, mask))
    return by_prompt(layers)


def peer_layer(
    model: PreTrainedModel,
    states: Float[torch.Tensor, "prompt pos d_model"],
    attention: Float[torch.Tensor, "prompt head query key"],
    n_tokens: Int[torch.Tensor, " prompt"],
    mask: Float[torch.Tensor, "prompt pos"],
) -> PeerLayer:
    """One layer's measurements; `mask` is 0 where a prompt is padded, else 1."""
    at_last_token = states[range(len(n_tokens)), n_tokens - 1]
    probabilities = model.lm_head(model.model.norm(at_last_token)).softmax(-1)

    entropy_of_rows = torch.special.entr(attention).sum(-1)
    head_entropy = (entropy_of_rows * mask[:, None]).sum(-1)

    unpadded = states * mask[..., None]
    n_values = n_tokens * states.shape[-1]
    mean = unpadded.sum((1, 2)) / n_values
    centred = (unpadded - mean[:, None, None]) * mask[..., None]
    # The rows of padding are zeros, which change no singular value.
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
    # Each field of all layers: `confidence`, for example, goes from L tensors (prompt) to one
    # array (prompt, layer).
    by_field = {}
    for field in PeerLayer._fields:
        of_layers = [getattr(layer, field) for layer in layers]
        by_field[field] = torch.stack(of_layers, dim=1).double().cpu().numpy()

    prompts = []
    for i in range(len(by_field["confidence"])):
        states = StateSummary(
            norm=by_field["norm"][i], variance=by_field["variance"][i], rank=by_field["rank"][i]
        )
        measured = PromptMeasurements(
            confidence=by_field["confidence"][i],
            entropy=by_field["entropy"][i],
            head_entropy=by_field["head_entropy"][i],
            states=states,
            specialised_head_entropy=TAU,
        )
        prompts.append(measured)
    return prompts


# The comparison


class Turns(NamedTuple):
    """What the sides' turns on the parts of the prompts gave.

    - `ours_s`: our seconds on each part.
    - `peer_s`: by the keys of `PEERS`, the peer's seconds on each part.
    - `shares_of_bare`: `share_of_bare` on each part.
    - `differences`: `largest_difference` on each part, with each of `PEERS`.
    - `other_counts`: the sum of `prompts_with_another_count` over parts and `PEERS`.
    """

    ours_s: list[float]
    peer_s: dict[str, list[float]]
    shares_of_bare: list[float]
    differences: list[float]
    other_counts: int


def take_turns(model: PreTrainedModel, prompts: list[list[int]]) -> Turns:
    """Time all sides on each of the `PARTS` parts of the prompts, and compare their features."""
    ours_s = []
    peer_s: dict[str, list[float]] = {name: [] for name in PEERS}
    shares_of_bare = []
    differences = []
    other_counts = 0
    for start in range(PARTS):
        part = prompts[start::PARTS]
        seconds, our_table = timed(partial(ours, model, part))
        ours_s.append(seconds)
        shares_of_bare.append(share_of_bare(model, part))
        for name, tokens_per_batch in PEERS.items():
            seconds, peer_table = timed(partial(peer, model, part, tokens_per_batch))
            peer_s[name].append(seconds)
            differences.append(largest_difference(our_table, peer_table))
            other_counts += prompts_with_another_count(our_table, peer_table)
    return Turns(
        ours_s=ours_s,
        peer_s=peer_s,
        shares_of_bare=shares_of_bare,
        differences=differences,
        other_counts=other_counts,
    )


def timed(run: Callable[[], T]) -> tuple[float, T]:
    """The seconds that `run` takes, and what it returns."""
    start = time.perf_counter()
    result = run()
    return time.perf_counter() - start, result


def peak_mib(device: torch.device) -> float:
    """The peak in MiB of the GPU's memory, or without a GPU of the process's resident memory."""
    if device.type == "cuda":
        return torch.cuda.max_memory_allocated(device) / 2**20
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak_kib / 1024


def largest_difference(our_table: pd.DataFrame, peer_table: pd.DataFrame) -> float:
    """The largest |ours - peer's| / max(1, |peer's|) of the features in `MEASURED`."""
    mine = our_table[MEASURED].to_numpy()
    theirs = peer_table[MEASURED].to_numpy()
    return float((np.abs(mine - theirs) / np.maximum(1, np.abs(theirs))).max())


def prompts_with_another_count(our_table: pd.DataFrame, peer_table: pd.DataFrame) -> int:
    """How many prompts differ in a feature of `COUNTED`."""
    differs = our_table[COUNTED].to_numpy() != peer_table[COUNTED].to_numpy()
    return int(differs.any(axis=1).sum())


def shares_of_bare_by_length(model: PreTrainedModel, prompts: list[list[int]]) -> dict[int, float]:
    """The median of `share_of_bare` on windows of equal length, by their length in tokens.

    The windows of `WINDOWS` follow each other in the joined text of the prompts.
    """
    text = list(chain.from_iterable(prompts))
    medians = {}
    for length, n_windows in WINDOWS.items():
        windows = [text[i * length : (i + 1) * length] for i in range(n_windows)]
        shares = [share_of_bare(model, windows) for _ in range(TURNS_BY_LENGTH)]
        medians[length] = round(statistics.median(shares), 2)
    return medians


def main() -> None:
    """Let all sides take turns, and print how they compare.

    The seconds `ours_s` and `peer_s` are medians over the parts. `all_at_once_s` are our seconds on
    all prompts in one call, which raises the peak of memory from `peak_before_mib` to `peak_mib`.
    """
    device = default_device()
    model = load_model(MODEL, device)
    prompts = mixed_prompts()

    # A first run also allocates and loads what later runs reuse: it is not timed.
    ours(model, prompts[:20])
    for tokens_per_batch in PEERS.values():
        peer(model, prompts[:20], tokens_per_batch)
    bare(model, prompts[:20])

    loaded_mib = peak_mib(device)
    whole_s, _ = timed(lambda: ours(model, prompts))
    whole_mib = peak_mib(device)

    turns = take_turns(model, prompts)
    by_length = shares_of_bare_by_length(model, prompts)

    mean_length = np.mean([len(prompt) for prompt in prompts])
    n_threads = torch.get_num_threads()
    print(f"{N_PROMPTS} prompts, {mean_length:.1f} tokens on average, {n_threads} threads")
    print(f"ours {N_PROMPTS / sum(turns.ours_s):.1f} prompts/s")
    ratios = {}
    medians_s = {}
    for name, peer_s in turns.peer_s.items():
        ratio_of_parts = np.array(peer_s) / np.array(turns.ours_s)
        ratios[f"ratio{name}"] = round(float(np.median(ratio_of_parts)), 2)
        medians_s[f"peer{name}_s"] = round(statistics.median(peer_s), 2)
        print(
            f"peer{name} {N_PROMPTS / sum(peer_s):.1f} prompts/s; "
            f"ratio per part: {ratio_of_parts.round(2).tolist()}"
        )
    listed = ", ".join(f"{share:.2f}" for share in turns.shares_of_bare)
    print(f"capture's share of a bare pass's speed: {listed}")
    print_result(
        "capture",
        device=device,
        **ratios,
        share_of_bare=round(statistics.median(turns.shares_of_bare), 2),
        share_of_bare_by_tokens=by_length,
        ours_s=round(statistics.median(turns.ours_s), 2),
        **medians_s,
        max_abs_difference=float(np.max(turns.differences)),
        prompts_with_another_count=turns.other_counts,
        peak_mib=round(whole_mib),
        peak_before_mib=round(loaded_mib),
        all_at_once_s=round(whole_s, 2),
    )


if __name__ == "__main__":
    main()
