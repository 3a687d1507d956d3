"""Measurements of a small random model: their rows, sets of blocks, and values.

The values are compared with plain forward passes of transformers, with hooks.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from mechaware.instruments.grounding import measuring
from mechaware.instruments.grounding.data.pairs import Pair, first_of_each_category
from mechaware.instruments.grounding.measuring import POSITIONS, _set_sizes, measure_pairs
from mechaware.instruments.grounding.rules import PairMeasurements
from mechaware.instruments.grounding.rules.registry import judge_pairs
from mechaware.models.patching.kv_cut import PairCut, cut_pairs
from mechaware.models.patching.residual import PairPatch, patch_pairs
from mechaware.models.patching.runs import TokenPair
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS
from tests.unit.instruments.grounding.pairs_by_hand import N_BLOCKS, PAIRS, make_model, tokens_of
from tests.unit.models.patching.naive_patching import NaiveCut, NaiveLoop

BLOCKS = range(1, N_BLOCKS + 1)
LAYERS = range(N_BLOCKS + 1)  # 0 is the embedding, l the residual stream after block l
DIFFERENCES = ["clean_diff", "corrupted_diff"]
IDS = [pair.id for pair in PAIRS]
# The prompt "third" has a third word, neither the clean nor the corrupted one, for the column.
PAIRS_WITH_THIRD = [pair for pair in PAIRS if "third" in pair.prompts]
IDS_WITH_THIRD = ["syn", "sup"]


class Made(NamedTuple):
    """The model, and its measurements on `PAIRS`."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    measured: PairMeasurements


def measure(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, **changed: Any
) -> PairMeasurements:
    settings: dict[str, Any] = {"pairs": PAIRS, "path": Path("hand"), "tokens_per_batch": 10**6}
    return measure_pairs(model, tokenizer, **settings | changed)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    model, tokenizer = make_model(tmp_path_factory.mktemp("hand") / "model")
    return Made(model, tokenizer, measure(model, tokenizer))


def difference(made: Made, text: str, word: str, other: str) -> float:
    """logit(word) - logit(other) after the prompt `text`, by transformers.

    `word` and `other` are one token each, with the space before them.
    """
    with torch.inference_mode():
        logits = made.model(**made.tokenizer(text, return_tensors="pt")).logits[0, -1]
    word_id = made.tokenizer(word).input_ids[0]
    other_id = made.tokenizer(other).input_ids[0]
    return float(logits[word_id] - logits[other_id])


def diffs_by_pair(made: Made) -> dict[str, tuple[float, float]]:
    """The logit differences after the clean and after the corrupted prompt, by pair (id).

    Both compare the same two words, the clean prompt's `wanted` and `against`.
    """
    by_pair = {}
    for pair in PAIRS:
        clean = pair.prompts["clean"]
        corrupted = pair.prompts["corrupted"]
        by_pair[pair.id] = (
            difference(made, clean.text, clean.wanted, clean.against),
            difference(made, corrupted.text, clean.wanted, clean.against),
        )
    return by_pair


def rows_of(table: pd.DataFrame, columns: list[str]) -> list[tuple[Any, ...]]:
    """The values of these columns, a tuple for each row, in the order of the table."""
    return list(table[columns].itertuples(index=False, name=None))


# Rows


def test_patching_has_a_row_for_each_pair_and_layer(made: Made) -> None:
    patching = made.measured.patching

    columns = ["pair", "category", "place", "layer", *DIFFERENCES, "patched_diff"]
    assert list(patching.columns) == columns
    rows = rows_of(patching, ["pair", "layer"])
    assert sorted(rows) == list(product(sorted(IDS), LAYERS))


def test_cuts_have_a_row_for_each_pair_mode_and_set_of_blocks(made: Made) -> None:
    cuts = made.measured.cuts

    set_columns = ["mode", "kind", "size", "blocks", "cut_diff"]
    assert list(cuts.columns) == ["pair", "category", "place", *DIFFERENCES, *set_columns]
    sets = [
        ("all", 3),
        ("single", 1),
        ("single", 1),
        ("single", 1),
        ("top", 1),
        ("top", 2),
        ("top", 3),
    ]
    expected = []
    for pair, mode, (kind, size) in product(sorted(IDS), ("denoise", "noise"), sets):
        expected.append((pair, mode, kind, size))
    assert sorted(rows_of(cuts, ["pair", "mode", "kind", "size"])) == expected


def test_pairs_with_a_third_word_have_a_row_for_each_size_of_a_set(made: Made) -> None:
    effects = made.measured.third_word_effects

    assert list(effects.columns) == ["pair", "size", "third_diff"]
    sizes = [1, 2, 3]
    assert rows_of(effects, ["pair", "size"]) == list(product(IDS_WITH_THIRD, sizes))


def test_the_map_has_a_row_for_each_pair_position_and_layer(made: Made) -> None:
    residual_map = made.measured.residual_map

    assert list(residual_map.columns) == ["pair", "position", "layer", "recovered"]
    rows = rows_of(residual_map, ["pair", "position", "layer"])
    assert rows == list(product(IDS, POSITIONS, LAYERS))


def test_answers_have_a_row_for_each_prompt(made: Made) -> None:
    prompts = []
    for pair in PAIRS:
        prompts += [(pair.id, name) for name in pair.prompts]

    assert rows_of(made.measured.answers, ["pair", "prompt"]) == prompts


@pytest.mark.parametrize("name", ["patching", "cuts", "answers"])
def test_rows_have_the_category_and_the_place_of_their_pair(made: Made, name: str) -> None:
    table = getattr(made.measured, name)

    found = rows_of(table.drop_duplicates("pair"), ["pair", "category", "place"])
    assert found == [(pair.id, pair.category, pair.place) for pair in PAIRS]


def test_patching_cuts_and_answers_have_the_differences_of_the_clean_and_the_corrupted_prompt(
    made: Made,
) -> None:
    expected = diffs_by_pair(made)
    # Equal differences would not show that a table exchanges the two prompts.
    for clean, corrupted in expected.values():
        assert abs(clean - corrupted) > 0.1

    for table in (made.measured.patching, made.measured.cuts):
        for row in table.itertuples():
            clean, corrupted = expected[row.pair]
            assert row.clean_diff == pytest.approx(clean, abs=1e-4)
            assert row.corrupted_diff == pytest.approx(corrupted, abs=1e-4)

    diffs = made.measured.answers.pivot(index="pair", columns="prompt", values="diff")
    for pair, (clean, corrupted) in expected.items():
        assert diffs.loc[pair, "clean"] == pytest.approx(clean, abs=1e-4)
        assert diffs.loc[pair, "corrupted"] == pytest.approx(corrupted, abs=1e-4)


def test_without_third_words_their_table_is_empty_and_the_pairs_are_still_judged(
    made: Made,
) -> None:
    pairs = [pair for pair in PAIRS if "third" not in pair.prompts]

    found = measure(made.model, made.tokenizer, pairs=pairs)

    assert found.third_word_effects.empty
    assert list(found.third_word_effects.columns) == ["pair", "size", "third_diff"]
    assert list(judge_pairs(found, THRESHOLDS)["pair"]) == ["scr", "non"]


# Sets of blocks


def joint_shares(cuts: pd.DataFrame, pair: str) -> dict[int, float]:
    """(recovered + removed) / gap of each block alone, by block."""
    joint = dict.fromkeys(BLOCKS, 0.0)
    for row in cuts[(cuts["pair"] == pair) & (cuts["kind"] == "single")].itertuples():
        recovered = row.cut_diff - row.corrupted_diff
        removed = row.clean_diff - row.cut_diff
        shift = recovered if row.mode == "denoise" else removed
        joint[int(row.blocks)] += shift / (row.clean_diff - row.corrupted_diff)
    return joint


def top_sets(cuts: pd.DataFrame, pair: str, mode: str) -> list[list[int]]:
    """The blocks of the pair's top sets, in ascending order of size."""
    is_top = (cuts["pair"] == pair) & (cuts["kind"] == "top") & (cuts["mode"] == mode)
    rows = cuts[is_top].sort_values("size")
    return [blocks_of(text) for text in rows["blocks"]]


def blocks_of(text: str) -> list[int]:
    """`1 3` -> [1, 3]."""
    return [int(block) for block in text.split()]


@pytest.mark.parametrize("pair", IDS)
@pytest.mark.parametrize("mode", ["denoise", "noise"])
def test_top_sets_are_the_blocks_of_the_largest_joint_shares(
    made: Made, pair: str, mode: str
) -> None:
    joint = joint_shares(made.measured.cuts, pair)
    first, second, _ = sorted(BLOCKS, key=lambda block: -joint[block])

    expected = [[first], sorted([first, second]), [1, 2, 3]]
    assert top_sets(made.measured.cuts, pair, mode) == expected


@pytest.mark.parametrize(
    ("n_blocks", "sizes"),
    [
        (1, [1]),
        (4, [1, 2, 3, 4]),
        (6, [1, 2, 3, 4, 6]),
        (30, [1, 2, 3, 4, 8, 16, 30]),
    ],
)
def test_top_sets_have_one_to_four_blocks_then_powers_of_two_and_last_all(
    n_blocks: int, sizes: list[int]
) -> None:
    assert _set_sizes(n_blocks) == sizes


@pytest.mark.parametrize(
    ("denoise", "noise"),
    [
        # Recovered + removed: 1, 0 and 1. The tie goes to the earlier block.
        pytest.param((0.5, 0.0, 0.5), (0.5, 0.0, 0.5), id="a tie goes to the earlier block"),
        # Recovered + removed: 0.75, 0.5 and 0.75. By one mode alone block 2 would be second.
        pytest.param((0.75, 0.25, 0.0), (0.0, 0.25, 0.75), id="both modes count"),
        # Recovered + removed: 0.75, 0.5 and 0.75. The larger of the two is 0.5 for every block.
        pytest.param((0.25, 0.5, 0.25), (0.5, 0.0, 0.5), id="the larger alone does not count"),
    ],
)
def test_blocks_are_ranked_by_what_they_recover_and_remove_together(
    made: Made,
    monkeypatch: pytest.MonkeyPatch,
    denoise: tuple[float, ...],
    noise: tuple[float, ...],
) -> None:
    """`denoise` and `noise` are the shares of the gap that blocks 1 to 3 recover and remove.

    They replace the model's cuts: the gap is 4 logits, from -2 to 2, and a set of blocks recovers
    or removes the sum of its blocks' shares. In each mode the shares sum to 1, since the cut of all
    blocks must give the other prompt's run.
    """

    def sum_over_sets(shares: tuple[float, ...], sets: Any) -> torch.Tensor:
        """The sum of the shares of the blocks in each set: pair x set."""
        by_pair = []
        for sets_of_pair in sets:
            sums = []
            for blocks in sets_of_pair:
                sums.append(sum(shares[block - 1] for block in blocks))
            by_pair.append(sums)
        return torch.tensor(by_pair)

    def cut_by_hand(_model: object, pairs: Sequence[TokenPair], sets: Any, **_: object) -> PairCut:
        clean_diff = torch.full((len(pairs),), 2.0)
        cut_diff = {
            "denoise": -2 + 4 * sum_over_sets(denoise, sets),
            "noise": 2 - 4 * sum_over_sets(noise, sets),
        }
        return PairCut(clean_diff, corrupted_diff=-clean_diff, cut_diff=cut_diff)

    monkeypatch.setattr(measuring, "cut_pairs", cut_by_hand)

    cuts = measure(made.model, made.tokenizer).cuts

    assert top_sets(cuts, IDS[0], "noise") == [[1], [1, 3], [1, 2, 3]]


def test_sets_are_cut_as_a_plain_forward_pass_with_hooks_does(made: Made) -> None:
    naive = NaiveCut(made.model)
    tokens = dict(zip(IDS, tokens_of(PAIRS, made.tokenizer), strict=True))

    for row in made.measured.cuts.itertuples():
        expected = naive.patched(tokens[row.pair], row.mode, blocks_of(row.blocks))
        where = (row.pair, row.mode, row.blocks)
        assert row.cut_diff == pytest.approx(float(expected), abs=1e-3), where


@pytest.mark.parametrize("pair", PAIRS_WITH_THIRD, ids=IDS_WITH_THIRD)
def test_the_third_words_keys_and_values_are_put_into_the_clean_run(made: Made, pair: Pair) -> None:
    clean = made.tokenizer(pair.prompts["clean"].text).input_ids
    third = made.tokenizer(pair.prompts["third"].text).input_ids
    assert len(clean) == len(third)
    (position,) = [index for index in range(len(clean)) if clean[index] != third[index]]
    # Denoising puts keys and values of the prompt called clean into the run of the other prompt.
    token_pair = TokenPair(
        clean=third,
        corrupted=clean,
        position=position,
        correct=third[position],
        incorrect=clean[position],
    )
    naive = NaiveCut(made.model)
    # A pair's top sets are the same in both modes.
    sets = top_sets(made.measured.cuts, pair.id, "noise")
    expected = [float(naive.patched(token_pair, "denoise", blocks)) for blocks in sets]

    effects = made.measured.third_word_effects
    found = effects.loc[effects["pair"] == pair.id, "third_diff"].tolist()

    assert found == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("pair", PAIRS_WITH_THIRD, ids=IDS_WITH_THIRD)
def test_a_third_word_in_all_blocks_turns_the_clean_run_into_the_third_prompts_run(
    made: Made, pair: Pair
) -> None:
    third = pair.prompts["third"]
    expected = difference(made, third.text, third.wanted, pair.prompts["clean"].wanted)

    effects = made.measured.third_word_effects
    in_all_blocks = (effects["pair"] == pair.id) & (effects["size"] == N_BLOCKS)

    assert effects.loc[in_all_blocks, "third_diff"].item() == pytest.approx(expected, abs=1e-3)


# The map of the residual stream


def test_the_map_is_what_a_hook_at_each_position_and_layer_recovers(made: Made) -> None:
    naive = NaiveLoop(made.model)
    found = made.measured.residual_map.set_index(["pair", "position", "layer"])["recovered"]

    for pair, tokens in zip(PAIRS, tokens_of(PAIRS, made.tokenizer), strict=True):
        clean = float(naive.difference(tokens.clean, tokens))
        corrupted = float(naive.difference(tokens.corrupted, tokens))

        words = made.tokenizer.convert_ids_to_tokens(tokens.clean)
        # In the vocabulary of a byte-level tokenizer, Ġ is the space before a word.
        schema_word = words.index(pair.prompts["clean"].wanted.replace(" ", "Ġ"))
        type_of_column = schema_word + 1
        assert words[type_of_column].strip("Ġ,") in {"TEXT", "DATE", "DECIMAL(10,2)"}
        last = len(words) - 1
        # Schema word, its type, next token, last but one, final.
        positions = (schema_word, type_of_column, schema_word + 2, last - 1, last)

        for name, position in zip(POSITIONS, positions, strict=True):
            token_pair = tokens._replace(position=position)
            states = naive.states(tokens.clean, token_pair)
            for layer in LAYERS:
                patched = float(naive.patched(tokens.corrupted, token_pair, layer, states[layer]))
                expected = (patched - corrupted) / (clean - corrupted)
                cell = (pair.id, name, layer)
                assert found[cell] == pytest.approx(expected, abs=5e-3), cell

        assert found[(pair.id, "schema word", 0)] == pytest.approx(1, abs=1e-3)
        assert found[(pair.id, "final", N_BLOCKS)] == pytest.approx(1, abs=1e-3)


# Each of PAIRS has its own category, and shares it here with one other pair.
SECOND_PAIRS = [pair._replace(id=f"{pair.id} again") for pair in PAIRS]


@pytest.mark.parametrize(
    ("count", "mapped"),
    [
        pytest.param(1, PAIRS, id="the first pair of each category"),
        pytest.param(2, [*PAIRS, *SECOND_PAIRS], id="the first two"),
    ],
)
def test_the_map_has_only_the_pairs_to_be_mapped(
    made: Made, count: int, mapped: list[Pair]
) -> None:
    pairs = [*PAIRS, *SECOND_PAIRS]

    found = measure(
        made.model, made.tokenizer, pairs=pairs, mapped=first_of_each_category(pairs, count)
    )

    assert list(found.residual_map["pair"].unique()) == [pair.id for pair in mapped]
    assert found.patching["pair"].nunique() == len(pairs)


def test_the_map_of_a_deep_model_has_twelve_layers_evenly_spaced(tmp_path: Path) -> None:
    model, tokenizer = make_model(tmp_path / "model", n_blocks=15)

    found = measure(model, tokenizer, pairs=PAIRS[:1])

    # 15 / 11 = 1.364 apart:
    # 0, 1.36, 2.73, 4.09, 5.45, 6.82, 8.18, 9.55, 10.91, 12.27, 13.64, 15
    layers = [0, 1, 3, 4, 5, 7, 8, 10, 11, 12, 14, 15]
    recovered_in_map = found.residual_map.set_index(["position", "layer"])["recovered"]
    for position in POSITIONS:
        assert list(recovered_in_map[position].index) == layers

    # The map at the schema word has the shares that follow from the patching table.
    patching = found.patching.set_index("layer").loc[layers]
    recovered = patching["patched_diff"] - patching["corrupted_diff"]
    gap = patching["clean_diff"] - patching["corrupted_diff"]
    shares = recovered / gap
    assert recovered_in_map["schema word"].tolist() == pytest.approx(shares.tolist(), abs=1e-2)


def test_in_a_short_prompt_the_positions_after_the_word_end_at_the_last_token(made: Made) -> None:
    # The word is the last token but one, so that its type and the next token are the last token.
    prompts = {}
    for name, word in (("clean", "price"), ("corrupted", "team")):
        text = f"### Instruction: Show the fee of all {word} SELECT"
        prompts[name] = PAIRS[1].prompts[name]._replace(text=text)

    found = measure(made.model, made.tokenizer, pairs=[Pair("short", prompts)]).residual_map

    # Before block 1 only the word differs, and after the last block only the last token is read.
    layers = found.set_index(["layer", "position"])["recovered"]
    embedding = layers[0].loc[list(POSITIONS)].tolist()
    assert embedding == pytest.approx([1, 0, 0, 1, 0], abs=1e-3)
    last_layer = layers[N_BLOCKS].loc[list(POSITIONS)].tolist()
    assert last_layer == pytest.approx([0, 1, 1, 0, 1], abs=1e-3)


def test_a_pair_without_a_gap_has_no_share_in_the_map(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    map_pairs = measuring.map_pairs

    def without_gap_in_second_pair(*arguments: Any, **settings: Any) -> Any:
        mapped = map_pairs(*arguments, **settings)
        mapped.corrupted_diff[1] = mapped.clean_diff[1]
        return mapped

    monkeypatch.setattr(measuring, "map_pairs", without_gap_in_second_pair)

    found = measure(made.model, made.tokenizer).residual_map

    missing = found[found["recovered"].isna()]
    assert set(missing["pair"]) == {IDS[1]}
    assert len(missing) == len(POSITIONS) * len(LAYERS)
    assert np.isfinite(found.loc[found["pair"] != IDS[1], "recovered"]).all()


# Identities and errors


def test_a_patched_embedding_that_does_not_give_the_clean_run_is_an_error(
    made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    def patch_with_error(
        model: PreTrainedModel, pairs: Sequence[TokenPair], **settings: Any
    ) -> PairPatch:
        patch = patch_pairs(model, pairs, **settings)
        pair_index = 2
        embedding = 0
        patch.patched_diff[pair_index, embedding] += 0.5
        return patch

    monkeypatch.setattr(measuring, "patch_pairs", patch_with_error)

    message = "patching the embedding gives a difference that is off by"
    with pytest.raises(RuntimeError, match=message):
        measure(made.model, made.tokenizer)


@pytest.mark.parametrize("mode", ["denoise", "noise"])
def test_cuts_of_all_blocks_that_do_not_give_the_other_run_are_an_error(
    made: Made, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    def cut_with_error(
        model: PreTrainedModel, pairs: Sequence[TokenPair], sets: Any, **settings: Any
    ) -> PairCut:
        cut = cut_pairs(model, pairs, sets, **settings)
        pair_index = 2
        all_blocks = N_BLOCKS  # the index of the set after the single blocks
        cut.cut_diff[mode][pair_index, all_blocks] += 0.5
        return cut

    monkeypatch.setattr(measuring, "cut_pairs", cut_with_error)

    message = "the keys and values of all blocks give a difference that is off by"
    with pytest.raises(RuntimeError, match=message):
        measure(made.model, made.tokenizer)
