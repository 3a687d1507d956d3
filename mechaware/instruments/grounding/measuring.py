"""What is measured of one model on the matched pairs: patching, cuts, answers, other words, and a map of the residual.

Everything that the rules read is measured here; the rules and their thresholds touch no model.
"""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from tqdm import tqdm

from mechaware.instruments.grounding.answers import answer_table
from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.names import POSITIONS
from mechaware.instruments.grounding.readable_pairs import tokenise_pairs
from mechaware.instruments.grounding.rules import ROUNDING, PairMeasurements
from mechaware.instruments.grounding.rules.grounded import cut_shares
from mechaware.instruments.grounding.tokens import exchange
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
# The map shows the schema word, the tokens right after it, and the last tokens of the prompt.
_NEIGHBOURS = 2
_LAST = 2
_MAPPED = 6  # pairs in the map by default
_MAPPED_LAYERS = 12  # at most, evenly spaced from the embedding to the last block
# tokens_per_batch, and after_batch, which counts the pairs that a sweep has passed.
_Batching = Mapping[str, Any]


class _BlockSet(NamedTuple):
    """Blocks, from 1, that are cut together, and the kind of their set: `single`, `all` or `top`."""

    kind: str
    blocks: tuple[int, ...]


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
    """Patch `model` on every pair, and read its answers.

    The tokens in which two prompts differ are patched together (`tokens.exchange`).

    Args:
        model: A model whose keys and values can be cut block by block.
        tokenizer: Of the model.
        pairs: At least one pair.
        path: What messages call the pairs' table.
        mapped: The pairs that the map covers; by default the first six.
        tokens_per_batch: As for `map_pairs`.
        template: The text around each prompt. In a chat a prompt is a user's message, and the answers begin the reply.
        whole_answers: Whether an answer of several tokens counts by all of them (`answers.answer_table`), or by its
            first. With whole answers the clean, the corrupted and the third prompt may differ in length (`TokenPair`),
            if the model allows that (`cuts_unequal`).

    Raises:
        UserError: The model cannot read the pairs (`readable_pairs.tokenise_pairs`), or cannot be patched.
        RuntimeError: An identity fails. Patching the embedding must give the clean run, and cutting all blocks at once
            must give the run of the other prompt, where both have equally many tokens.
    """
    check_cut(model)  # before the long sweeps
    tokens = tokenise_pairs(
        pairs,
        tokenizer,
        path,
        context=context_length(model.config),
        n_embeddings=embedding_rows(model),
        template=template,
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

    exchanges = {}
    thirds = {}
    for pair, tokens_of_pair in zip(pairs, tokens, strict=True):
        exchanges[pair.id] = exchange(pair, tokens_of_pair)
        if "third" in tokens_of_pair:
            # The third word's prompt plays the clean one, and the clean prompt plays the corrupted one, so that
            # denoising puts the third word's keys and values into the clean run.
            thirds[pair.id] = exchange(pair, tokens_of_pair, third=True)
    in_map = pairs[:_MAPPED] if mapped is None else mapped
    shown = {pair.id: exchanges[pair.id] for pair in in_map}

    token_pairs = list(exchanges.values())
    equal_lengths = []
    for pair_id, token_pair in exchanges.items():
        if token_pair.equal_lengths:
            equal_lengths.append(pair_id)

    # The bar counts a pair once for each sweep over it: residual states, single blocks, top sets, third word, map.
    patched = 3 * len(pairs) + len(thirds) + len(shown)
    with tqdm(total=patched, unit="pair", mininterval=5) as bar:
        batching: _Batching = {"tokens_per_batch": tokens_per_batch, "after_batch": bar.update}
        swept = patch_pairs(model, token_pairs, **batching)
        patching = _patching_table(pairs, swept, equal_lengths, _identity_tolerance(model))
        cuts, ranking = _cut_table(model, pairs, token_pairs, equal_lengths, batching)
        third_word_effects = _third_table(model, thirds, ranking, batching)
        residual_map = _residual_map(model, shown, batching)
    return PairMeasurements(patching, cuts, answers, third_word_effects, residual_map)


def _identity_tolerance(model: "PreTrainedModel") -> float:
    """How far the logit differences of two runs that should be equal may differ, as a share (`_check_identity`)."""
    return max(_IDENTITY_TOLERANCE, _ROUNDINGS * torch.finfo(model.dtype).eps)


def _patching_table(
    pairs: Sequence[Pair], swept: PairPatch, equal_lengths: Collection[str], tolerance: float
) -> pd.DataFrame:
    """One row per pair and layer: pair, category, place, layer, clean_diff, corrupted_diff, patched_diff.

    The last three are in logits; clean states are put into the corrupted run (denoising). The prompts differ in one
    word, so patching it at layer 0, the embedding, must reproduce the clean run of the pairs (ids) of `equal_lengths`,
    in which all tokens of the word are patched. Raises `RuntimeError` if it does not.
    """
    patched = swept.patched_diff.double().numpy()
    parts = []
    for layer in range(patched.shape[1]):
        part = pd.DataFrame(
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
        parts.append(part)
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
    token_pairs: Sequence[TokenPair],
    equal_lengths: Collection[str],
    batching: _Batching,
) -> tuple[pd.DataFrame, dict[str, list[int]]]:
    """The table of cuts (`_cut`) in single blocks, all blocks and top sets, and the ranking of blocks, by pair.

    The prompts of the pairs (ids) of `equal_lengths` differ in one word of equally many tokens: cutting all blocks must
    give the other prompt's run. Raises `RuntimeError` if it does not.
    """
    n_blocks = len(find_modules(model).blocks)
    every_block = tuple(range(1, n_blocks + 1))
    # Every pair also gets `all`: the two identities that it must meet cost one more run and catch a wrong mask.
    sets = [_BlockSet("single", (block,)) for block in every_block]
    sets.append(_BlockSet("all", every_block))
    cuts = _cut(model, pairs, token_pairs, [sets] * len(pairs), batching)
    _check_cuts_of_all_blocks(cuts, equal_lengths, _identity_tolerance(model))

    ranking = _rank_blocks(cuts[cuts["kind"] == "single"], [pair.id for pair in pairs])
    # Sets of the first blocks of the ranking: all 2^L sets of a model of 30 blocks could not be run.
    top_sets = []
    for blocks in ranking.values():
        firsts = [blocks[:size] for size in _set_sizes(n_blocks)]
        top_sets.append([_BlockSet("top", tuple(sorted(first))) for first in firsts])
    joint_cuts = _cut(model, pairs, token_pairs, top_sets, batching)
    return pd.concat([cuts, joint_cuts], ignore_index=True), ranking


def _check_cuts_of_all_blocks(
    cuts: pd.DataFrame, equal_lengths: Collection[str], tolerance: float
) -> None:
    """Raise `RuntimeError` unless the cut of all blocks gives the run of the other prompt."""
    all_blocks = cuts[(cuts["kind"] == "all") & cuts["pair"].isin(equal_lengths)]
    is_denoised = all_blocks["mode"] == "denoise"
    _check_identity(
        all_blocks["cut_diff"],
        all_blocks["clean_diff"].where(is_denoised, all_blocks["corrupted_diff"]),
        all_blocks,
        "the keys and values of all blocks give",
        tolerance,
    )


def _rank_blocks(single_blocks: pd.DataFrame, pairs: Sequence[str]) -> dict[str, list[int]]:
    """By pair (id), all blocks in descending order of c_b + n_b; on a tie the earlier block first.

    c_b and n_b are the shares of the gap that block b alone recovers and removes (rules/grounded.py). Ranked by c_b
    alone, a block that is one of several copies would be high.
    """
    # A pair without a gap has no shares; zeros keep its rows, in the order of the blocks.
    shares = single_blocks.assign(
        share=cut_shares(single_blocks).fillna(0), block=single_blocks["blocks"].astype(int)
    )
    by_block = shares.pivot_table(index="pair", columns="block", values="share", aggfunc="sum")
    by_block = by_block.loc[list(pairs)]
    ranking = 1 + np.argsort(-by_block.to_numpy(), axis=1, kind="stable")
    return dict(zip(pairs, ranking.tolist(), strict=True))


def _set_sizes(n_blocks: int) -> list[int]:
    """The sizes of top sets: 1 to 4, then the powers of two, and all blocks; of 12 blocks 1, 2, 3, 4, 8, 12."""
    powers_of_two = [2**power for power in range(n_blocks.bit_length())]
    sizes = {1, 2, 3, 4, *powers_of_two, n_blocks}
    return sorted(size for size in sizes if size <= n_blocks)


def _cut(
    model: "PreTrainedModel",
    pairs: Sequence[Pair],
    token_pairs: Sequence[TokenPair],
    sets: Sequence[Sequence[_BlockSet]],
    batching: _Batching,
) -> pd.DataFrame:
    """The table of cuts (rules/grounded.py): one row per mode, pair and set of the pair, with cut_diff in logits.

    The column `blocks` is text, for instance "1 3".
    """
    blocks_by_pair = []
    for sets_of_pair in sets:
        blocks_by_pair.append([block_set.blocks for block_set in sets_of_pair])
    cut = cut_pairs(model, token_pairs, blocks_by_pair, **batching)
    rows = []
    for mode, diffs in cut.cut_diff.items():
        for index, (pair, sets_of_pair) in enumerate(zip(pairs, sets, strict=True)):
            for block_set, cut_diff in zip(sets_of_pair, diffs[index], strict=True):
                row = {
                    "pair": pair.id,
                    "category": pair.category,
                    "place": pair.place,
                    "clean_diff": float(cut.clean_diff[index]),
                    "corrupted_diff": float(cut.corrupted_diff[index]),
                    "mode": mode,
                    "kind": block_set.kind,
                    "size": len(block_set.blocks),
                    "blocks": " ".join(map(str, block_set.blocks)),
                    "cut_diff": float(cut_diff),
                }
                rows.append(row)
    return pd.DataFrame(rows)


def _check_identity(
    measured_diff: pd.Series,
    expected_diff: pd.Series,
    measurements: pd.DataFrame,
    identity: str,
    tolerance: float,
) -> None:
    """Raise `RuntimeError` if |measured - expected| exceeds `tolerance` * (1 + the larger base difference) in a row.

    The base differences are `clean_diff` and `corrupted_diff` in the same rows of `measurements`, by their size.
    `identity` begins the message.
    """
    if measurements.empty:
        return
    # At least 1, since the schema-blind controls have differences of 0.
    size = 1 + measurements[["clean_diff", "corrupted_diff"]].abs().max(axis=1)
    error = ((measured_diff - expected_diff).abs() / size).max(skipna=False)
    if not error <= tolerance:  # a missing number also fails
        raise RuntimeError(f"{identity} a difference that is off by {error:.1e}")


def _third_table(
    model: "PreTrainedModel",
    thirds: Mapping[str, TokenPair],
    ranking: Mapping[str, Sequence[int]],
    batching: _Batching,
) -> pd.DataFrame:
    """The third word's keys and values in the clean run, in the top sets of each pair that has one.

    One row per pair and size of the set: pair, size, third_diff (logit(third word) - logit(clean word)).
    """
    columns = ["pair", "size", "third_diff"]
    if not thirds:
        return pd.DataFrame(columns=columns)
    sizes = _set_sizes(len(find_modules(model).blocks))
    sets = []
    for pair in thirds:
        sets.append([ranking[pair][:size] for size in sizes])
    cut = cut_pairs(model, list(thirds.values()), sets, directions=("denoise",), **batching)
    rows = []
    for pair, diffs in zip(thirds, cut.cut_diff["denoise"], strict=True):
        for size, diff in zip(sizes, diffs, strict=True):
            rows.append((pair, size, float(diff)))
    return pd.DataFrame(rows, columns=columns)


def _residual_map(
    model: "PreTrainedModel", token_pairs: Mapping[str, TokenPair], batching: _Batching
) -> pd.DataFrame:
    """The share of the gap that denoising recovers at a few positions, by pair, position and layer.

    Columns: pair, position (of `POSITIONS`), layer (0 is the embedding), recovered (missing without a gap). In a short
    prompt two of the positions may be the same token.
    """
    n_blocks = len(find_modules(model).blocks)
    n_layers = min(_MAPPED_LAYERS, n_blocks + 1)
    evenly_spaced = np.linspace(0, n_blocks, n_layers).round().astype(int)
    layers = sorted(set(evenly_spaced.tolist()))

    positions = []
    for pair in token_pairs.values():
        after = pair.position + pair.n_tokens
        end = len(pair.clean)
        neighbours = [min(position, end - 1) for position in range(after, after + _NEIGHBOURS)]
        positions.append([pair.position, *neighbours, *range(end - _LAST, end)])
    mapped = map_pairs(model, list(token_pairs.values()), positions, layers=layers, **batching)
    gap = mapped.clean_diff - mapped.corrupted_diff
    recovered = (mapped.patched_diff - mapped.corrupted_diff[:, None, None]) / gap[:, None, None]
    recovered = recovered.where(gap.abs()[:, None, None] > ROUNDING, torch.nan)

    index = pd.MultiIndex.from_product(
        [list(token_pairs), POSITIONS, layers], names=["pair", "position", "layer"]
    )
    values = recovered.double().flatten().numpy()
    return pd.Series(values, index=index, name="recovered").reset_index()
