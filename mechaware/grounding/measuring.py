"""What is measured of one model on the matched pairs: patching, cuts, answers, other words, and a map of the residual.

Everything that the rules read is measured here; the rules and their thresholds touch no model.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch
from tqdm import tqdm

from mechaware.grounding.answers import answer_table
from mechaware.grounding.data.pairs import Pair, first_of_each_category, tokenise_pairs
from mechaware.grounding.rules import ROUNDING, Measurements
from mechaware.grounding.rules.grounded import cut_shares
from mechaware.models.families.supported import find_modules
from mechaware.models.patching.kv_cut import cut_pairs
from mechaware.models.patching.residual import PairPatch, map_pairs, patch_pairs
from mechaware.models.patching.runs import TokenPair

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_IDENTITY_TOLERANCE = 1e-3  # share of the larger logit difference; float32 errors over all blocks stay well below
_NEIGHBOURS, _LAST = 2, 2  # tokens after the schema word, and before the end of the prompt, that the map shows
_MAPPED_LAYERS = 12  # at most, evenly spaced from the embedding to the last block
POSITIONS = ("schema word", "its type", "next token", "last but one", "final")


def measure_pairs(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    *,
    most_blocks: int,
    mapped_per_category: int,
    tokens_per_batch: int,
) -> Measurements:
    """Measure `model` on `pairs` that are usable with `tokenizer` (`usable_pairs`).

    `most_blocks` bounds the size of the top sets, and the map is made of the first `mapped_per_category` pairs of each
    category.

    Raises `RuntimeError` where an identity fails: patching the embedding must give the clean run, all blocks cut at
    once the other prompt's run.
    """
    tokens = tokenise_pairs(pairs, tokenizer)
    mapped = first_of_each_category(pairs, mapped_per_category)
    # A pair counts each time that it is patched: in its word's states, in single blocks, in top sets, with its third
    # word, and in the map.
    patched = 3 * len(pairs) + sum(bool(pair.third) for pair in pairs) + len(mapped)
    with tqdm(total=patched, unit="pair", mininterval=5) as bar:
        swept = patch_pairs(model, tokens, tokens_per_batch=tokens_per_batch, after_batch=bar.update)
        cuts, ranking = _cut_table(model, pairs, tokens, most_blocks, tokens_per_batch, bar.update)
        return Measurements(
            patching=_patching_table(pairs, swept),
            cuts=cuts,
            answers=answer_table(model, tokenizer, pairs, tokens_per_batch=tokens_per_batch),
            third_word_effects=_third_table(model, tokenizer, pairs, ranking, tokens_per_batch, bar.update),
            residual_map=_residual_map(model, tokenizer, mapped, tokens_per_batch, bar.update),
        )


def _patching_table(pairs: Sequence[Pair], swept: PairPatch) -> pd.DataFrame:
    """One row per pair and layer: pair, category, place, layer, clean_diff, corrupted_diff, patched_diff.

    The last three are in logits; clean states are put into the corrupted run (denoising). Layer 0 is the embedding,
    where the patched word is the whole difference between the prompts, so that patching there must reproduce the clean
    run. Raises `RuntimeError` otherwise.
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
    most_blocks: int,
    tokens_per_batch: int,
    after_batch: Callable[[int], object],
) -> tuple[pd.DataFrame, np.ndarray]:
    """The table of cuts, and the first `most_blocks` blocks of each pair's ranking (pair x block)."""
    n_blocks = len(find_modules(model).blocks)
    singles = [("single", (block,)) for block in range(1, n_blocks + 1)]
    sets = [[*singles, ("all", tuple(range(1, n_blocks + 1)))] for _ in pairs]
    first = _cut(model, pairs, tokens, sets, tokens_per_batch, after_batch)
    whole = first[first["kind"] == "all"]
    expected = whole["clean_diff"].where(whole["mode"] == "denoise", whole["corrupted_diff"])
    _check_identity(whole["cut_diff"], expected, whole, "the keys and values of all blocks give")
    alone = first[first["kind"] == "single"]
    joint = alone.assign(share=cut_shares(alone).fillna(0), block=alone["blocks"].astype(int))
    joint = joint.pivot_table(index="pair", columns="block", values="share", aggfunc="sum")
    joint = joint.loc[[pair.id for pair in pairs]]
    ranking = 1 + np.argsort(-joint.to_numpy(), axis=1, kind="stable")[:, :most_blocks]
    top = [[("top", tuple(sorted(blocks[:size]))) for size in range(1, len(blocks) + 1)] for blocks in ranking.tolist()]
    joint_cuts = _cut(model, pairs, tokens, top, tokens_per_batch, after_batch)
    return pd.concat([first, joint_cuts], ignore_index=True), ranking


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
        [[blocks for _, blocks in of_pair] for of_pair in sets],
        tokens_per_batch=tokens_per_batch,
        after_batch=after_batch,
    )
    rows = [
        (*of_both, mode, kind, len(blocks), " ".join(map(str, blocks)), float(diffs[i, j]))
        for mode, diffs in cut.cut_diff.items()
        for i, (pair, of_pair) in enumerate(zip(pairs, sets, strict=True))
        for of_both in [(pair.id, pair.category, pair.place, float(cut.clean_diff[i]), float(cut.corrupted_diff[i]))]
        for j, (kind, blocks) in enumerate(of_pair)
    ]
    of_pairs = ["pair", "category", "place", "clean_diff", "corrupted_diff"]
    return pd.DataFrame(rows, columns=[*of_pairs, "mode", "kind", "size", "blocks", "cut_diff"])


def _check_identity(found: pd.Series, expected: pd.Series, differences: pd.DataFrame, what: str) -> None:
    """Refuse a patched difference that is not the expected run's, by more than `_IDENTITY_TOLERANCE` of the largest."""
    size = 1 + differences[["clean_diff", "corrupted_diff"]].abs().max(axis=1)
    off = ((found - expected).abs() / size).max(skipna=False)
    if not off <= _IDENTITY_TOLERANCE:  # a missing number fails, too
        raise RuntimeError(f"{what} a difference that is off by {off:.1e}")


def _third_table(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    ranking: np.ndarray,
    tokens_per_batch: int,
    after_batch: Callable[[int], object],
) -> pd.DataFrame:
    """The third word's keys and values in the clean run, in the top 1, 2, ... blocks of each pair that has one."""
    having = [index for index, pair in enumerate(pairs) if pair.third]
    columns = ["pair", "place", "size", "third_diff"]
    if not having:
        return pd.DataFrame(columns=columns)
    thirds = [
        pairs[index]._replace(
            clean=pairs[index].third,
            clean_prompt=pairs[index].third_prompt,
            corrupted=pairs[index].clean,
            corrupted_prompt=pairs[index].clean_prompt,
        )
        for index in having
    ]
    sizes = range(1, ranking.shape[1] + 1)
    sets = [[ranking[index, :size].tolist() for size in sizes] for index in having]
    cut = cut_pairs(
        model,
        tokenise_pairs(thirds, tokenizer),
        sets,
        directions=("denoise",),
        tokens_per_batch=tokens_per_batch,
        after_batch=after_batch,
    )
    rows = [
        (pair.id, pair.place, size, float(diff))
        for pair, diffs in zip(thirds, cut.cut_diff["denoise"], strict=True)
        for size, diff in zip(sizes, diffs, strict=True)
    ]
    return pd.DataFrame(rows, columns=columns)


def _residual_map(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    tokens_per_batch: int,
    after_batch: Callable[[int], object],
) -> pd.DataFrame:
    """The share of the gap that denoising recovers at a few positions, by pair, its place, position and layer."""
    tokens, n_blocks = tokenise_pairs(pairs, tokenizer), len(find_modules(model).blocks)
    layers = sorted(set(np.linspace(0, n_blocks, min(_MAPPED_LAYERS, n_blocks + 1)).round().astype(int).tolist()))
    positions = []
    for pair in tokens:
        after, end = pair.position + pair.n_tokens, len(pair.clean)
        positions.append([pair.position, *range(after, after + _NEIGHBOURS), *range(end - _LAST, end)])
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
