"""From a file of rows to the measurements of a model, with words of several tokens."""

import json
from typing import NamedTuple

import pytest
import torch
from transformers import PreTrainedTokenizerFast

from mechaware.instruments.grounding.data.importing import import_rows
from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.data.rows import tokenizer_texts
from mechaware.instruments.grounding.measuring import measure_pairs
from mechaware.instruments.grounding.names import CATEGORIES
from mechaware.instruments.grounding.readable_pairs import usable_pairs, word_tokens
from mechaware.instruments.grounding.rules import PairMeasurements
from mechaware.models.initialisation import initialise_gpt_neo
from mechaware.models.registry import load_model
from mechaware.planted.sql.matching import make_pairs
from mechaware.planted.sql.pair_source import read_source
from tests.unit.instruments.grounding.data.written_rows import write_rows
from tests.unit.instruments.grounding.pairs_by_hand import tokens_of, with_contrast
from tests.unit.instruments.grounding.pieces import make_piece_tokenizer, pieces_by_hand

PER_CATEGORY = 4


class Study(NamedTuple):
    """Pairs that are made of rows in TinySQL's form, and a random model measured on them."""

    pairs: list[Pair]
    tokenizer: PreTrainedTokenizerFast
    measured: PairMeasurements


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("pieces")
    lines = []
    for row in write_rows(800):
        record = {
            "english_prompt": row.english_prompt,
            "create_statement": row.create_statement,
            "sql_statement": row.sql_statement,
        }
        lines.append(json.dumps(record) + "\n")
    (folder / "rows.jsonl").write_text("".join(lines))
    rows = import_rows(folder / "rows.jsonl", "train", {"train": 800, "valid": 0, "test": 0})
    tokenizer = make_piece_tokenizer(tokenizer_texts(rows, []))
    source = read_source(rows, lambda word: word_tokens(tokenizer, word))
    pairs = make_pairs(source, per_category=PER_CATEGORY, seed=1)
    initialise_gpt_neo(
        folder / "model",
        tokenizer,
        name="spans",
        seed=7,
        n_layers=2,
        d_model=16,
        n_heads=2,
        context_length=256,
    )
    # With their initial weights, heads attend almost evenly (`pairs_by_hand.DEVIATION`).
    model = with_contrast(load_model(folder / "model", torch.device("cpu")))
    measured = measure_pairs(model, tokenizer, pairs, folder, mapped=pairs, tokens_per_batch=10**5)
    return Study(pairs, tokenizer, measured)


def test_every_category_has_its_number_of_pairs(study: Study) -> None:
    categories = [pair.category for pair in study.pairs]

    assert categories == sorted(categories, key=CATEGORIES.index)
    for category in CATEGORIES:
        assert categories.count(category) == PER_CATEGORY


def test_every_pair_that_is_made_is_usable(study: Study) -> None:
    usable = usable_pairs(study.pairs, study.tokenizer, 256, len(study.tokenizer))
    assert {pair.id for pair in usable} == {pair.id for pair in study.pairs}


def test_there_are_words_of_one_and_of_two_tokens_and_phrases_and_underscores(study: Study) -> None:
    lengths = {pair.n_tokens for pair in tokens_of(study.pairs, study.tokenizer)}
    assert {1, 2} <= lengths, lengths

    clean = [pair.prompts["clean"] for pair in study.pairs]
    assert any(" " in prompt.request for prompt in clean)
    assert any("_" in prompt.wanted for prompt in clean)
    # Only requests have phrases: a column is one word.
    assert not any(" " in option.strip() for prompt in clean for option in prompt.options)


def test_words_that_take_each_others_place_have_equally_many_tokens_by_hand(study: Study) -> None:
    for pair in study.pairs:
        words = [pair.prompts["clean"].wanted, pair.prompts["clean"].against]
        if "third" in pair.prompts:
            words.append(pair.prompts["third"].wanted)
        assert len({len(pieces_by_hand(word.strip())) for word in words}) == 1, pair
        assert len({len(pieces_by_hand(word.strip())) for word in pair.exchanged}) == 1, pair


def test_prompts_that_differ_in_one_word_have_equally_many_tokens(study: Study) -> None:
    for pair in study.pairs:
        lengths = set()
        for name in ("clean", "corrupted", "third", "unasked"):
            if name in pair.prompts:
                lengths.add(len(study.tokenizer(pair.prompts[name].text).input_ids))
        assert len(lengths) == 1, pair


def test_the_options_of_a_prompt_begin_with_different_tokens_by_hand(study: Study) -> None:
    for pair in study.pairs:
        for prompt in pair.prompts.values():
            first_pieces = [pieces_by_hand(option.strip())[0] for option in prompt.options]
            assert len(set(first_pieces)) == len(first_pieces), prompt


def test_patching_the_embedding_of_whole_words_gives_the_clean_run(study: Study) -> None:
    patching = study.measured.patching
    embedding = patching[patching["layer"] == 0]

    assert (embedding["patched_diff"] - embedding["clean_diff"]).abs().max() < 1e-4


def test_cutting_whole_words_in_all_blocks_gives_the_run_of_the_other_prompt(study: Study) -> None:
    cuts = study.measured.cuts[study.measured.cuts["kind"] == "all"]

    other = cuts["clean_diff"].where(cuts["mode"] == "denoise", cuts["corrupted_diff"])
    assert (cuts["cut_diff"] - other).abs().max() < 1e-4
    # The runs of the two prompts differ by far more.
    assert (cuts["clean_diff"] - cuts["corrupted_diff"]).abs().median() > 0.05


def test_the_map_recovers_the_whole_gap_at_the_embedding_of_the_word(study: Study) -> None:
    patching = study.measured.patching
    embedding = patching[patching["layer"] == 0]
    # Shares of gaps of the size of rounding errors would be inexact.
    gap = (embedding["clean_diff"] - embedding["corrupted_diff"]).abs()
    pairs_with_gap = embedding.loc[gap > 0.05, "pair"]

    at_word = study.measured.residual_map.query("position == 'schema word' and layer == 0")
    at_word = at_word[at_word["pair"].isin(pairs_with_gap)]

    assert len(at_word) > 5
    assert at_word["recovered"].tolist() == pytest.approx([1.0] * len(at_word), abs=1e-2)
