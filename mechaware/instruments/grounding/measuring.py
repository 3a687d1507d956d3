"""The measurements of one model on the matched pairs, from which the rules judge.

`measure_pairs` makes five tables: the answers to all prompts (`answers.answer_table`) and, by the
functions after it, residual states patched layer by layer, keys and values cut in sets of blocks,
the effects of a third word, and a map of the residual stream. The rules and their thresholds touch
no model.

To cut a word in a set of blocks is to replace its keys and values there by those of the other
prompt's word (`kv_cut`).
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

# The largest error of a logit difference in an identity, as a share of its size
# (`_check_identity`). Errors of float32 over all blocks stay well below.
_IDENTITY_TOLERANCE = 1e-3
# In half precision one rounding may exceed that share. The tolerance is then this many roundings:
# a share of 0.125 in bfloat16, and of 0.016 in float16.
_ROUNDINGS = 16
# The map shows the schema word, the next _NEIGHBOURS tokens, and the last _LAST tokens of the
# prompt.
_NEIGHBOURS = 2
_LAST = 2
# How many pairs the map covers by default.
_MAPPED_PAIRS = 6
# The most layers in the map, evenly spaced from the embedding to the last block.
_MAPPED_LAYERS = 12
# Arguments of every sweep: tokens_per_batch, and after_batch, which is called with the number of
# pairs that a batch has passed.
_Batching = Mapping[str, Any]


class _BlockSet(NamedTuple):
    """Blocks, from 1, that are cut together.

    The kind is `single` for one block, `all` for all blocks, and `top` for the first blocks of a
    pair's ranking (`_rank_blocks`).
    """

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
    """Patch `model` on every pair, and read its answers to all prompts of the pairs.

    The tokens in which two prompts differ are patched together (`tokens.exchange`).

    Args:
        model: A model whose keys and values can be cut block by block.
        tokenizer: The model's tokenizer.
        pairs: At least one pair.
        path: The file of the pairs, as error messages name it.
        mapped: The pairs that the map covers; by default the first six.
        tokens_per_batch: As for `map_pairs`.
        template: The text around each prompt. In a chat a prompt is a user's message, and the
            answers begin the reply.
        whole_answers: Whether an answer of several tokens is scored by all of its tokens, rather
            than by its first token alone (`answers.answer_table`). With whole answers, the clean,
            the corrupted and the third prompt may differ in length (`TokenPair`) if the model
            allows that (`cuts_unequal`).

    Raises:
        UserError: The model cannot read the pairs (`readable_pairs.tokenise_pairs`), or cannot be
            patched.
        RuntimeError: An identity fails. In a pair whose prompts have equally many tokens, patching
            the embedding must give the clean run, and cutting all blocks at once must give the run
            of the other prompt.
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

    token_pairs = {}
    third_word_pairs = {}
    for pair, tokens_of_pair in zip(pairs, tokens, strict=True):
        token_pairs[pair.id] = exchange(pair, tokens_of_pair)
        if "third" in tokens_of_pair:
            # In this `TokenPair` the third prompt is `clean`, and the clean prompt is `corrupted`:
            # denoising puts the third word's keys and values into the clean run.
            third_word_pairs[pair.id] = exchange(pair, tokens_of_pair, third=True)
    in_map = pairs[:_MAPPED_PAIRS] if mapped is None else mapped
    mapped_pairs = {pair.id: token_pairs[pair.id] for pair in in_map}

    ids_of_equal_length = []
    for pair_id, token_pair in token_pairs.items():
        if token_pair.equal_lengths:
            ids_of_equal_length.append(pair_id)

    # The bar counts a pair once for each sweep over it: residual states, single blocks, top sets,
    # third word, map.
    n_passed = 3 * len(pairs) + len(third_word_pairs) + len(mapped_pairs)
    with tqdm(total=n_passed, unit="pair", mininterval=5) as bar:
        batching: _Batching = {"tokens_per_batch": tokens_per_batch, "after_batch": bar.update}
        patch = patch_pairs(model, list(token_pairs.values()), **batching)
        patching = _patching_table(pairs, patch, ids_of_equal_length, _identity_tolerance(model))
        cuts, ranking = _cuts_and_ranking(
            model, pairs, list(token_pairs.values()), ids_of_equal_length, batching
        )
        third_word_effects = _third_table(model, third_word_pairs, ranking, batching)
        residual_map = _residual_map(model, mapped_pairs, batching)
    return PairMeasurements(
        patching=patching,
        cuts=cuts,
        answers=answers,
        third_word_effects=third_word_effects,
        residual_map=residual_map,
    )


def _identity_tolerance(model: "PreTrainedModel") -> float:
    """The largest error of a logit difference in an identity, as a share (`_check_identity`)."""
    return max(_IDENTITY_TOLERANCE, _ROUNDINGS * torch.finfo(model.dtype).eps)


def _patching_table(
    pairs: Sequence[Pair],
    patch: PairPatch,
    ids_of_equal_length: Collection[str],
    tolerance: float,
) -> pd.DataFrame:
    """A row per pair and layer: the clean state is put into the corrupted run (denoising).

    Columns: pair, category, place, layer, clean_diff, corrupted_diff and patched_diff, the last
    three in logits.

    The prompts differ in one word. So patching the word at layer 0, the embedding, must reproduce
    the clean run in the pairs of `ids_of_equal_length`, where all tokens of the word are patched.
    Raises `RuntimeError` if it does not.
    """
    patched = patch.patched_diff.double().numpy()
    parts = []
    for layer in range(patched.shape[1]):
        part = pd.DataFrame(
            {
                "pair": [pair.id for pair in pairs],
                "category": [pair.category for pair in pairs],
                "place": [pair.place for pair in pairs],
                "layer": layer,
                "clean_diff": patch.clean_diff.double().numpy(),
                "corrupted_diff": patch.corrupted_diff.double().numpy(),
                "patched_diff": patched[:, layer],
            }
        )
        parts.append(part)
    table = pd.concat(parts, ignore_index=True)

    embedding = table[(table["layer"] == 0) & table["pair"].isin(ids_of_equal_length)]
    _check_identity(
        embedding,
        measured_diff=embedding["patched_diff"],
        expected_diff=embedding["clean_diff"],
        identity="patching the embedding gives",
        tolerance=tolerance,
    )
    return table


def _cuts_and_ranking(
    model: "PreTrainedModel",
    pairs: Sequence[Pair],
    token_pairs: Sequence[TokenPair],
    ids_of_equal_length: Collection[str],
    batching: _Batching,
) -> tuple[pd.DataFrame, dict[str, list[int]]]:
    """The table of cuts in single blocks, all blocks and top sets, and all blocks in ranked order.

    `_cut_table` describes the table. The ranking is by pair id (`_rank_blocks`).

    Raises `RuntimeError` unless cutting all blocks gives the other prompt's run in the pairs of
    `ids_of_equal_length`, whose prompts differ in one word of equally many tokens.
    """
    n_blocks = len(find_modules(model).blocks)
    every_block = tuple(range(1, n_blocks + 1))
    # The set of all blocks costs one more run in each direction. If the words have equally many
    # tokens, it must give the clean run when denoised and the corrupted run when noised; a wrong
    # mask would not.
    sets = [_BlockSet("single", (block,)) for block in every_block]
    sets.append(_BlockSet("all", every_block))
    cuts = _cut_table(model, pairs, token_pairs, [sets] * len(pairs), batching)
    _check_cuts_of_all_blocks(cuts, ids_of_equal_length, _identity_tolerance(model))

    ranking = _rank_blocks(cuts[cuts["kind"] == "single"], [pair.id for pair in pairs])
    # Joint cuts are of the first blocks of a ranking only: L blocks have 2^L sets, too many to run.
    top_sets = []
    for blocks in ranking.values():
        sets_of_pair = []
        for size in _set_sizes(n_blocks):
            sets_of_pair.append(_BlockSet("top", tuple(sorted(blocks[:size]))))
        top_sets.append(sets_of_pair)
    joint_cuts = _cut_table(model, pairs, token_pairs, top_sets, batching)
    return pd.concat([cuts, joint_cuts], ignore_index=True), ranking


def _check_cuts_of_all_blocks(
    cuts: pd.DataFrame, ids_of_equal_length: Collection[str], tolerance: float
) -> None:
    """Raise `RuntimeError` unless the cut of all blocks gives the run of the other prompt."""
    all_blocks = cuts[(cuts["kind"] == "all") & cuts["pair"].isin(ids_of_equal_length)]
    is_denoised = all_blocks["mode"] == "denoise"
    _check_identity(
        all_blocks,
        measured_diff=all_blocks["cut_diff"],
        expected_diff=all_blocks["clean_diff"].where(is_denoised, all_blocks["corrupted_diff"]),
        identity="the keys and values of all blocks give",
        tolerance=tolerance,
    )


def _rank_blocks(single_blocks: pd.DataFrame, pair_ids: Sequence[str]) -> dict[str, list[int]]:
    """By pair id, all blocks in descending order of c_b + n_b; on a tie the earlier block first.

    c_b and n_b are the shares of the gap that block b alone recovers and removes
    (rules/grounded.py). c_b alone would give a high rank to a block that recovers the gap but can
    be replaced by another block: removing it changes little.

    If c_b + n_b is 0.2, 1.1, 0.2 in the blocks 1, 2, 3, the ranking is 2, 1, 3.
    """
    # A pair without a gap has no shares. Shares of zero keep its blocks in their order.
    shares = single_blocks.assign(
        share=cut_shares(single_blocks).fillna(0), block=single_blocks["blocks"].astype(int)
    )
    # Each block of a pair has two rows, denoised and noised; their sum is c_b + n_b.
    sums = shares.pivot_table(index="pair", columns="block", values="share", aggfunc="sum")
    sums = sums.loc[list(pair_ids)]
    ranking = 1 + np.argsort(-sums.to_numpy(), axis=1, kind="stable")
    return dict(zip(pair_ids, ranking.tolist(), strict=True))


def _set_sizes(n_blocks: int) -> list[int]:
    """The sizes of top sets: 1 to 4, the powers of two, and all blocks.

    Of 12 blocks: 1, 2, 3, 4, 8, 12.
    """
    powers_of_two = [2**power for power in range(n_blocks.bit_length())]
    sizes = {1, 2, 3, 4, *powers_of_two, n_blocks}
    return sorted(size for size in sizes if size <= n_blocks)


def _cut_table(
    model: "PreTrainedModel",
    pairs: Sequence[Pair],
    token_pairs: Sequence[TokenPair],
    sets: Sequence[Sequence[_BlockSet]],
    batching: _Batching,
) -> pd.DataFrame:
    """The table of cuts (rules/grounded.py), with a row per mode, pair and set of the pair.

    `sets[i]` are the sets of pair i. Columns: pair, category, place, clean_diff, corrupted_diff,
    mode (`denoise` or `noise`), kind, size, blocks (text, for instance "1 3") and cut_diff; the
    three differences are in logits.
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
    measurements: pd.DataFrame,
    *,
    measured_diff: pd.Series,
    expected_diff: pd.Series,
    identity: str,
    tolerance: float,
) -> None:
    """Raise `RuntimeError` unless the two differences agree in every row of `measurements`:

        |measured_diff - expected_diff| <= tolerance * (1 + max(|clean_diff|, |corrupted_diff|))

    `identity` is the first part of the error message.
    """
    if measurements.empty:
        return
    # 1 is added because the schema-blind controls have differences of 0.
    size = 1 + measurements[["clean_diff", "corrupted_diff"]].abs().max(axis=1)
    error = ((measured_diff - expected_diff).abs() / size).max(skipna=False)
    if not error <= tolerance:  # a missing number also fails
        raise RuntimeError(f"{identity} a difference that is off by {error:.1e}")


def _third_table(
    model: "PreTrainedModel",
    third_word_pairs: Mapping[str, TokenPair],
    ranking: Mapping[str, Sequence[int]],
    batching: _Batching,
) -> pd.DataFrame:
    """The effect of the third word's keys and values in the clean run, for each pair's top sets.

    A row per pair of `third_word_pairs` and size of the set: pair (id), size and third_diff, which
    is logit(third word) - logit(clean word).
    """
    columns = ["pair", "size", "third_diff"]
    if not third_word_pairs:
        return pd.DataFrame(columns=columns)

    sizes = _set_sizes(len(find_modules(model).blocks))
    sets = []
    for pair_id in third_word_pairs:
        sets.append([ranking[pair_id][:size] for size in sizes])
    token_pairs = list(third_word_pairs.values())
    cut = cut_pairs(model, token_pairs, sets, directions=("denoise",), **batching)

    rows = []
    for pair_id, diffs in zip(third_word_pairs, cut.cut_diff["denoise"], strict=True):
        for size, diff in zip(sizes, diffs, strict=True):
            rows.append((pair_id, size, float(diff)))
    return pd.DataFrame(rows, columns=columns)


def _residual_map(
    model: "PreTrainedModel", mapped_pairs: Mapping[str, TokenPair], batching: _Batching
) -> pd.DataFrame:
    """The share of the gap that denoising recovers at a few positions, by pair, position and layer.

    Columns: pair (id), position (a name of `POSITIONS`), layer (0 is the embedding) and recovered
    (missing without a gap).

    The positions in a clean prompt of 20 tokens whose word has the tokens 8 and 9 are

        8, 10, 11, 18, 19

    In a short prompt two of the positions may be the same token.
    """
    n_blocks = len(find_modules(model).blocks)
    n_layers = min(_MAPPED_LAYERS, n_blocks + 1)
    evenly_spaced = np.linspace(0, n_blocks, n_layers).round().astype(int)
    layers = sorted(set(evenly_spaced.tolist()))

    positions = []
    for token_pair in mapped_pairs.values():
        after = token_pair.position + token_pair.n_tokens
        end = len(token_pair.clean)
        neighbours = [min(position, end - 1) for position in range(after, after + _NEIGHBOURS)]
        positions.append([token_pair.position, *neighbours, *range(end - _LAST, end)])
    patch = map_pairs(model, list(mapped_pairs.values()), positions, layers=layers, **batching)
    gap = patch.clean_diff - patch.corrupted_diff
    recovered = (patch.patched_diff - patch.corrupted_diff[:, None, None]) / gap[:, None, None]
    recovered = recovered.where(gap.abs()[:, None, None] > ROUNDING, torch.nan)

    index = pd.MultiIndex.from_product(
        [list(mapped_pairs), POSITIONS, layers], names=["pair", "position", "layer"]
    )
    values = recovered.double().flatten().numpy()
    return pd.Series(values, index=index, name="recovered").reset_index()
