"""What is measured of one model on the matched pairs: patching, cuts, answers, other words, and a map of the residual.

Everything that the rules read is measured here; the rules and their thresholds touch no model.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from tqdm import tqdm

from mechaware.grounding.answers import answer_table
from mechaware.grounding.data.pairs import Pair
from mechaware.grounding.rules import ROUNDING, PairMeasurements
from mechaware.grounding.rules.grounded import cut_shares
from mechaware.grounding.tokens import exchange, tokenise_pairs
from mechaware.models.families.supported import find_modules
from mechaware.models.patching.kv_cut import cut_pairs
from mechaware.models.patching.residual import PairPatch, map_pairs, patch_pairs
from mechaware.models.patching.runs import TokenPair

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_IDENTITY_TOLERANCE = 1e-3  # share of the larger logit difference; float32 errors over all blocks stay well below
_NEIGHBOURS, _LAST = 2, 2  # tokens after the schema word, and before the end of the prompt, that the map shows
_MAPPED = 6  # pairs in the map by default
_MAPPED_LAYERS = 12  # at most, evenly spaced from the embedding to the last block
POSITIONS = ("schema word", "its type", "next token", "last but one", "final")


def measure_pairs(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    path: Path,
    *,
    mapped: Sequence[Pair] | None = None,
    tokens_per_batch: int,
) -> PairMeasurements:
    """Patch `model` on every pair, and read its answers; `path` is what messages call the pairs' table.

    The tokens in which two prompts differ are patched together (`tokens.exchange`). The map covers the pairs `mapped`,
    by default the first six.

    Raises `UserError` for pairs that the model cannot read (`tokens.tokenise_pairs`), and `RuntimeError` where an
    identity fails: patching the embedding must give the clean run, and cutting all blocks at once must give the run of
    the other prompt.
    """
    tokens = tokenise_pairs(pairs, tokenizer, path, model.config.max_position_embeddings)
    answers = answer_table(model, pairs, tokens, tokens_per_batch=tokens_per_batch)
    exchanges = [exchange(pair, own) for pair, own in zip(pairs, tokens, strict=True)]
    # The third word's prompt takes the place of the clean one, and the clean prompt that of the corrupted one, so that
    # denoising puts the third word's keys and values into the clean run.
    thirds = {
        index: exchange(pair, own, third=True)
        for index, (pair, own) in enumerate(zip(pairs, tokens, strict=True))
        if "third" in own
    }
    chosen = [index for index, pair in enumerate(pairs) if pair in (pairs[:_MAPPED] if mapped is None else mapped)]
    # The bar counts a pair once for each sweep over it: residual states, single blocks, top sets, third word, map.
    patched = 3 * len(pairs) + len(thirds) + len(chosen)
    with tqdm(total=patched, unit="pair", mininterval=5) as bar:
        swept = patch_pairs(model, exchanges, tokens_per_batch=tokens_per_batch, after_batch=bar.update)
        cuts, ranking = _cut_table(model, pairs, exchanges, tokens_per_batch, bar.update)
        return PairMeasurements(
            patching=_patching_table(pairs, swept),
            cuts=cuts,
            answers=answers,
            third_word_effects=_third_table(model, pairs, thirds, ranking, tokens_per_batch, bar.update),
            residual_map=_residual_map(
                model,
                [pairs[index] for index in chosen],
                [exchanges[index] for index in chosen],
                tokens_per_batch,
                bar.update,
            ),
        )


def _patching_table(pairs: Sequence[Pair], swept: PairPatch) -> pd.DataFrame:
    """One row per pair and layer: pair, category, place, layer, clean_diff, corrupted_diff, patched_diff.

    The last three are in logits; clean states are put into the corrupted run (denoising). The prompts differ in one
    word, so patching it at layer 0, the embedding, must reproduce the clean run; raises `RuntimeError` if it does not.
    """
    patched = swept.patched_diff.double().numpy()
    parts = [
        pd.DataFrame(
            {
                "pair": [pair.id for pair in pairs],
                "category": [pair.category for pair in pairs],
                "place": [pair.place for pair in pairs],
                "layer": layer,
                "clean_diff": swept.clean_diff.double().numpy(),
                "corrupted_diff": swept.corrupted_diff.double().numpy(),
                "patched_diff": patched[:, layer],
            }
        )
        for layer in range(patched.shape[1])
    ]
    table = pd.concat(parts, ignore_index=True)
    embedding = table[table["layer"] == 0]
    _check_identity(embedding["patched_diff"], embedding["clean_diff"], embedding, "patching the embedding gives")
    return table


def _cut_table(
    model: "PreTrainedModel",
    pairs: Sequence[Pair],
    tokens: Sequence[TokenPair],
    tokens_per_batch: int,
    after_batch: Callable[[int], object],
) -> tuple[pd.DataFrame, np.ndarray]:
    """The table of cuts, and the blocks of each pair in the order of its ranking (pair x block)."""
    n_blocks = len(find_modules(model).blocks)
    singles = [("single", (block,)) for block in range(1, n_blocks + 1)]
    # Every pair gets `all`, too: the two identities that it must meet cost one more run and catch a wrong mask.
    sets_of_pairs = [[*singles, ("all", tuple(range(1, n_blocks + 1)))] for _ in pairs]
    cuts = _cut(model, pairs, tokens, sets_of_pairs, tokens_per_batch, after_batch)
    all_blocks = cuts[cuts["kind"] == "all"]
    expected = all_blocks["clean_diff"].where(all_blocks["mode"] == "denoise", all_blocks["corrupted_diff"])
    _check_identity(all_blocks["cut_diff"], expected, all_blocks, "the keys and values of all blocks give")
    single_blocks = cuts[cuts["kind"] == "single"]
    # Blocks are ranked by c_b + n_b (rules/grounded.py): a block that only recovers may be one of several copies.
    # A pair without a gap has no shares; zeros keep its rows, in the order of the blocks.
    shares = single_blocks.assign(share=cut_shares(single_blocks).fillna(0), block=single_blocks["blocks"].astype(int))
    shares = shares.pivot_table(index="pair", columns="block", values="share", aggfunc="sum")
    shares = shares.loc[[pair.id for pair in pairs]]
    ranking = 1 + np.argsort(-shares.to_numpy(), axis=1, kind="stable")
    # Sets of the first blocks of the ranking: all 2^L sets of a model of 30 blocks could not be run.
    top = [[("top", tuple(sorted(blocks[:size]))) for size in _set_sizes(n_blocks)] for blocks in ranking.tolist()]
    joint_cuts = _cut(model, pairs, tokens, top, tokens_per_batch, after_batch)
    return pd.concat([cuts, joint_cuts], ignore_index=True), ranking


def _set_sizes(n_blocks: int) -> list[int]:
    """The sizes of top sets: 1 to 4, then doubled (8, 16, ...) up to all blocks; sizes are exact up to 4."""
    return [size for size in range(1, n_blocks + 1) if size <= 4 or size.bit_count() == 1 or size == n_blocks]


def _cut(
    model: "PreTrainedModel",
    pairs: Sequence[Pair],
    tokens: Sequence[TokenPair],
    sets: Sequence[Sequence[tuple[str, tuple[int, ...]]]],
    tokens_per_batch: int,
    after_batch: Callable[[int], object],
) -> pd.DataFrame:
    """One row per pair, mode and set of blocks, each set with its kind."""
    cut = cut_pairs(
        model,
        tokens,
        [[blocks for _, blocks in pair_sets] for pair_sets in sets],
        tokens_per_batch=tokens_per_batch,
        after_batch=after_batch,
    )
    rows = [
        (*common, mode, kind, len(blocks), " ".join(map(str, blocks)), float(diffs[i, j]))
        for mode, diffs in cut.cut_diff.items()
        for i, (pair, pair_sets) in enumerate(zip(pairs, sets, strict=True))
        for common in [(pair.id, pair.category, pair.place, float(cut.clean_diff[i]), float(cut.corrupted_diff[i]))]
        for j, (kind, blocks) in enumerate(pair_sets)
    ]
    names = ["pair", "category", "place", "clean_diff", "corrupted_diff"]
    return pd.DataFrame(rows, columns=[*names, "mode", "kind", "size", "blocks", "cut_diff"])


def _check_identity(measured_diff: pd.Series, expected_diff: pd.Series, cuts: pd.DataFrame, identity: str) -> None:
    """Refuse a patched difference that is not the expected run's, by more than `_IDENTITY_TOLERANCE` of the largest."""
    # Relative to the logits, but never below 1: the schema-blind controls have differences of 0.
    size = 1 + cuts[["clean_diff", "corrupted_diff"]].abs().max(axis=1)
    error = ((measured_diff - expected_diff).abs() / size).max(skipna=False)
    if not error <= _IDENTITY_TOLERANCE:  # a missing number fails, too
        raise RuntimeError(f"{identity} a difference that is off by {error:.1e}")


def _third_table(
    model: "PreTrainedModel",
    pairs: Sequence[Pair],
    thirds: Mapping[int, TokenPair],
    ranking: np.ndarray,
    tokens_per_batch: int,
    after_batch: Callable[[int], object],
) -> pd.DataFrame:
    """The third word's keys and values in the clean run, in the top sets of each pair that has one."""
    columns = ["pair", "place", "size", "third_diff"]
    if not thirds:
        return pd.DataFrame(columns=columns)
    sizes = _set_sizes(ranking.shape[1])
    cut = cut_pairs(
        model,
        list(thirds.values()),
        [[ranking[index, :size].tolist() for size in sizes] for index in thirds],
        directions=("denoise",),
        tokens_per_batch=tokens_per_batch,
        after_batch=after_batch,
    )
    rows = [
        (pairs[index].id, pairs[index].place, size, float(diff))
        for index, diffs in zip(thirds, cut.cut_diff["denoise"], strict=True)
        for size, diff in zip(sizes, diffs, strict=True)
    ]
    return pd.DataFrame(rows, columns=columns)


def _residual_map(
    model: "PreTrainedModel",
    pairs: Sequence[Pair],
    tokens: Sequence[TokenPair],
    tokens_per_batch: int,
    after_batch: Callable[[int], object],
) -> pd.DataFrame:
    """The share of the gap that denoising recovers at a few positions, by pair, its place, position and layer."""
    n_blocks = len(find_modules(model).blocks)
    layers = sorted(set(np.linspace(0, n_blocks, min(_MAPPED_LAYERS, n_blocks + 1)).round().astype(int).tolist()))
    positions = []
    for pair in tokens:
        after, end = pair.position + pair.n_tokens, len(pair.clean)
        neighbours = [min(at, end - 1) for at in range(after, after + _NEIGHBOURS)]
        positions.append([pair.position, *neighbours, *range(end - _LAST, end)])
    mapped = map_pairs(
        model, tokens, positions, layers=layers, tokens_per_batch=tokens_per_batch, after_batch=after_batch
    )
    gap = mapped.clean_diff - mapped.corrupted_diff
    recovered = (mapped.patched_diff - mapped.corrupted_diff[:, None, None]) / gap[:, None, None]
    index = pd.MultiIndex.from_product(
        [[pair.id for pair in pairs], POSITIONS, layers], names=["pair", "position", "layer"]
    )
    values = recovered.where(gap.abs()[:, None, None] > ROUNDING, torch.nan).double().flatten().numpy()
    table = pd.Series(values, index=index, name="recovered").reset_index()
    return table.assign(place=table["pair"].map({pair.id: pair.place for pair in pairs}))
