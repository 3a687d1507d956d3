"""What is measured of one model on the matched pairs: patching, cuts, answers, other words, and a map of the residual.

Everything that the rules read is measured here; the rules and their thresholds touch no model.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import torch
from tqdm import tqdm

from mechaware.instruments.grounding.answers import answer_table
from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.names import POSITIONS
from mechaware.instruments.grounding.rules import ROUNDING, PairMeasurements
from mechaware.instruments.grounding.rules.grounded import cut_shares
from mechaware.instruments.grounding.tokens import exchange, tokenise_pairs
from mechaware.models.context import context_length
from mechaware.models.families.supported import find_modules
from mechaware.models.patching.kv_cut import check_cut, cut_pairs, cuts_unequal
from mechaware.models.patching.residual import PairPatch, map_pairs, patch_pairs
from mechaware.models.patching.runs import TokenPair
from mechaware.models.tokenisation.chat import Template
from mechaware.models.tokenisation.vocabulary import embedding_rows

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

# A share of the larger logit difference. Errors of float32 over all blocks stay well below.
_IDENTITY_TOLERANCE = 1e-3
# In half precision a single rounding may exceed that share: so many roundings are allowed, a share of 0.125 in bfloat16
# and of 0.016 in float16.
_ROUNDINGS = 16
# Tokens after the schema word, and before the end of the prompt, that the map shows.
_NEIGHBOURS, _LAST = (
    2,
    2,
)
_MAPPED = 6  # pairs in the map by default
_MAPPED_LAYERS = 12  # at most, evenly spaced from the embedding to the last block
# tokens_per_batch, and after_batch, which counts the pairs that a sweep has passed.
_Batching = Mapping[str, Any]


def measure_pairs(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    pairs: Sequence[Pair],
    path: Path,
    *,
    mapped: Sequence[Pair] | None = None,
    tokens_per_batch: int,
    template: Template = "none",
    whole_answers: bool = False,
) -> PairMeasurements:
    """Patch `model` on every pair, and read its answers; `path` is what messages call the pairs' table.

    The tokens in which two prompts differ are patched together (`tokens.exchange`). The map covers the pairs `mapped`,
    by default the first six. With the `template` chat each prompt is a user's message in the tokenizer's chat template,
    and the answers begin the reply. With `whole_answers` an answer of several tokens counts by all of them
    (`answers.answer_table`), else by the first; and clean, corrupted and third prompt may differ in length, if the
    model can be cut then (`TokenPair`).

    Raises `UserError` for pairs that the model cannot read (`tokens.tokenise_pairs`) and for a model that cannot be
    patched, and `RuntimeError` where an identity fails: patching the embedding must give the clean run, and cutting all
    blocks at once must give the run of the other prompt, where both have equally many tokens.
    """
    # Before the long sweeps.
    check_cut(model)
    context, n_embeddings = context_length(model.config), embedding_rows(model)
    tokens = tokenise_pairs(
        pairs,
        tokenizer,
        path,
        context,
        n_embeddings,
        template,
        whole_answers=whole_answers,
        equal_lengths=not (whole_answers and cuts_unequal(model)),
    )
    answers = answer_table(
        model,
        tokenizer,
        pairs,
        tokens,
        tokens_per_batch=tokens_per_batch,
        whole_answers=whole_answers,
    )
    both = list(zip(pairs, tokens, strict=True))
    exchanges = {pair.id: exchange(pair, own) for pair, own in both}
    # The third word's prompt takes the place of the clean one, and the clean prompt that of the corrupted one, so that
    # denoising puts the third word's keys and values into the clean run.
    thirds = {pair.id: exchange(pair, own, third=True) for pair, own in both if "third" in own}
    shown = {
        pair.id: exchanges[pair.id] for pair in (pairs[:_MAPPED] if mapped is None else mapped)
    }
    # The bar counts a pair once for each sweep over it: residual states, single blocks, top sets, third word, map.
    patched = 3 * len(pairs) + len(thirds) + len(shown)
    with tqdm(total=patched, unit="pair", mininterval=5) as bar:
        batching: _Batching = {"tokens_per_batch": tokens_per_batch, "after_batch": bar.update}
        equal_lengths = [pair for pair, both in exchanges.items() if both.equal_lengths]
        swept = patch_pairs(model, list(exchanges.values()), **batching)
        patching = _patching_table(pairs, swept, equal_lengths, _identity_tolerance(model))
        cuts, ranking = _cut_table(model, pairs, list(exchanges.values()), equal_lengths, batching)
        third_word_effects = _third_table(model, thirds, ranking, batching)
        residual_map = _residual_map(model, shown, batching)
    return PairMeasurements(patching, cuts, answers, third_word_effects, residual_map)


def _identity_tolerance(model: "PreTrainedModel") -> float:
    """How far a difference of logits may be from that of an equal run, in the model's precision."""
    return max(_IDENTITY_TOLERANCE, _ROUNDINGS * torch.finfo(model.dtype).eps)


def _patching_table(
    pairs: Sequence[Pair], swept: PairPatch, equal_lengths: Collection[str], tolerance: float
) -> pd.DataFrame:
    """One row per pair and layer: pair, category, place, layer, clean_diff, corrupted_diff, patched_diff.

    The last three are in logits; clean states are put into the corrupted run (denoising). The prompts differ in one
    word, so patching it at layer 0, the embedding, must reproduce the clean run of the pairs (ids) of `equal_lengths`,
    where all of its tokens are patched; raises `RuntimeError` if it does not.
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
    embedding = table[(table["layer"] == 0) & table["pair"].isin(equal_lengths)]
    _check_identity(
        embedding["patched_diff"],
        embedding["clean_diff"],
        embedding,
        "patching the embedding gives",
        tolerance,
    )
    return table


def _cut_table(
    model: "PreTrainedModel",
    pairs: Sequence[Pair],
    tokens: Sequence[TokenPair],
    equal_lengths: Collection[str],
    batching: _Batching,
) -> tuple[pd.DataFrame, dict[str, list[int]]]:
    """The table of cuts, and the blocks of each pair in the order of its ranking, by its id."""
    n_blocks = len(find_modules(model).blocks)
    singles = [("single", (block,)) for block in range(1, n_blocks + 1)]
    # Every pair gets `all`, too: the two identities that it must meet cost one more run and catch a wrong mask.
    sets_of_pairs = [[*singles, ("all", tuple(range(1, n_blocks + 1)))] for _ in pairs]
    cuts = _cut(model, pairs, tokens, sets_of_pairs, batching)
    all_blocks = cuts[(cuts["kind"] == "all") & cuts["pair"].isin(equal_lengths)]
    expected = all_blocks["clean_diff"].where(
        all_blocks["mode"] == "denoise", all_blocks["corrupted_diff"]
    )
    _check_identity(
        all_blocks["cut_diff"],
        expected,
        all_blocks,
        "the keys and values of all blocks give",
        _identity_tolerance(model),
    )
    single_blocks = cuts[cuts["kind"] == "single"]
    # Blocks are ranked by c_b + n_b (rules/grounded.py): a block that only recovers may be one of several copies.
    # A pair without a gap has no shares; zeros keep its rows, in the order of the blocks.
    shares = single_blocks.assign(
        share=cut_shares(single_blocks).fillna(0), block=single_blocks["blocks"].astype(int)
    )
    shares = shares.pivot_table(index="pair", columns="block", values="share", aggfunc="sum")
    shares = shares.loc[[pair.id for pair in pairs]]
    ranking = (1 + np.argsort(-shares.to_numpy(), axis=1, kind="stable")).tolist()
    # Sets of the first blocks of the ranking: all 2^L sets of a model of 30 blocks could not be run.
    top = [
        [("top", tuple(sorted(blocks[:size]))) for size in _set_sizes(n_blocks)]
        for blocks in ranking
    ]
    joint_cuts = _cut(model, pairs, tokens, top, batching)
    return pd.concat([cuts, joint_cuts], ignore_index=True), dict(
        zip(shares.index, ranking, strict=True)
    )


def _set_sizes(n_blocks: int) -> list[int]:
    """The sizes of top sets: 1 to 4, then doubled (8, 16, ...) up to all blocks; sizes are exact up to 4."""
    return [
        size
        for size in range(1, n_blocks + 1)
        if size <= 4 or size.bit_count() == 1 or size == n_blocks
    ]


def _cut(
    model: "PreTrainedModel",
    pairs: Sequence[Pair],
    tokens: Sequence[TokenPair],
    sets: Sequence[Sequence[tuple[str, tuple[int, ...]]]],
    batching: _Batching,
) -> pd.DataFrame:
    """One row per pair, mode and set of blocks, each set with its kind."""
    cut = cut_pairs(
        model, tokens, [[blocks for _, blocks in pair_sets] for pair_sets in sets], **batching
    )
    rows = [
        (*common, mode, kind, len(blocks), " ".join(map(str, blocks)), float(diffs[i, j]))
        for mode, diffs in cut.cut_diff.items()
        for i, (pair, pair_sets) in enumerate(zip(pairs, sets, strict=True))
        for common in [
            (
                pair.id,
                pair.category,
                pair.place,
                float(cut.clean_diff[i]),
                float(cut.corrupted_diff[i]),
            )
        ]
        for j, (kind, blocks) in enumerate(pair_sets)
    ]
    names = ["pair", "category", "place", "clean_diff", "corrupted_diff"]
    return pd.DataFrame(rows, columns=[*names, "mode", "kind", "size", "blocks", "cut_diff"])


def _check_identity(
    measured_diff: pd.Series,
    expected_diff: pd.Series,
    cuts: pd.DataFrame,
    identity: str,
    tolerance: float,
) -> None:
    """Refuse a patched difference that is not the expected run's, by more than `tolerance` of the largest."""
    if cuts.empty:
        return
    # Relative to the logits, but never below 1: the schema-blind controls have differences of 0.
    size = 1 + cuts[["clean_diff", "corrupted_diff"]].abs().max(axis=1)
    error = ((measured_diff - expected_diff).abs() / size).max(skipna=False)
    if not error <= tolerance:  # a missing number fails, too
        raise RuntimeError(f"{identity} a difference that is off by {error:.1e}")


def _third_table(
    model: "PreTrainedModel",
    thirds: Mapping[str, TokenPair],
    ranking: Mapping[str, Sequence[int]],
    batching: _Batching,
) -> pd.DataFrame:
    """The third word's keys and values in the clean run, in the top sets of each pair that has one."""
    columns = ["pair", "size", "third_diff"]
    if not thirds:
        return pd.DataFrame(columns=columns)
    sizes = _set_sizes(len(find_modules(model).blocks))
    sets = [[ranking[pair][:size] for size in sizes] for pair in thirds]
    cut = cut_pairs(model, list(thirds.values()), sets, directions=("denoise",), **batching)
    rows = [
        (pair, size, float(diff))
        for pair, diffs in zip(thirds, cut.cut_diff["denoise"], strict=True)
        for size, diff in zip(sizes, diffs, strict=True)
    ]
    return pd.DataFrame(rows, columns=columns)


def _residual_map(
    model: "PreTrainedModel", tokens: Mapping[str, TokenPair], batching: _Batching
) -> pd.DataFrame:
    """The share of the gap that denoising recovers at a few positions, by pair, position and layer."""
    n_blocks = len(find_modules(model).blocks)
    layers = sorted(
        set(
            np.linspace(0, n_blocks, min(_MAPPED_LAYERS, n_blocks + 1)).round().astype(int).tolist()
        )
    )
    positions = []
    for pair in tokens.values():
        after, end = pair.position + pair.n_tokens, len(pair.clean)
        neighbours = [min(at, end - 1) for at in range(after, after + _NEIGHBOURS)]
        positions.append([pair.position, *neighbours, *range(end - _LAST, end)])
    mapped = map_pairs(model, list(tokens.values()), positions, layers=layers, **batching)
    gap = mapped.clean_diff - mapped.corrupted_diff
    recovered = (mapped.patched_diff - mapped.corrupted_diff[:, None, None]) / gap[:, None, None]
    index = pd.MultiIndex.from_product(
        [list(tokens), POSITIONS, layers], names=["pair", "position", "layer"]
    )
    values = (
        recovered.where(gap.abs()[:, None, None] > ROUNDING, torch.nan).double().flatten().numpy()
    )
    return pd.Series(values, index=index, name="recovered").reset_index()
