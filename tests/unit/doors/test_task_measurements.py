"""The measurements of a task's pairs, each against a plain loop over transformers.

The loops run one prompt at a time and patch by hooks. The model's tokens are bytes.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
import torch

import mechaware as ma
from mechaware.instruments.grounding.data.pairs import read_pairs
from mechaware.instruments.grounding.measuring import measure_pairs
from mechaware.instruments.grounding.rules import PairMeasurements
from mechaware.instruments.grounding.tokens import exchange, tokenise
from mechaware.models.opening import LoadedModel
from mechaware.models.patching.runs import TokenPair
from mechaware.models.settings import Dtype
from tests.tiny_models import make_tiny_model
from tests.unit.doors.task_pairs import (
    LETTERS,
    UNEQUAL,
    WORDS,
    YEARS,
    Row,
    letter_rows,
    unequal_rows,
    word_rows,
    year_rows,
)
from tests.unit.models.patching.naive_patching import N_LAYERS, NaiveCut, NaiveLoop

IN_ONE_BATCH = 10**5  # tokens
WORD_POSITION = 2  # after the two tokens of `x=`


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    """A random model of three blocks, with one token a byte."""
    folder = tmp_path_factory.mktemp("task") / "tiny"
    return ma.load(make_tiny_model("llama", folder, n_layers=N_LAYERS))


def measure(
    model: LoadedModel,
    rows: list[Row],
    *,
    options: Sequence[str] = (),
    whole_answers: bool = False,
) -> PairMeasurements:
    """The measurements of a table's pairs, all in one batch."""
    pairs = read_pairs(Path("mine"), pd.DataFrame(rows), options=options)
    return measure_pairs(
        model.network,
        model.tokenizer,
        pairs,
        Path("mine"),
        tokens_per_batch=IN_ONE_BATCH,
        whole_answers=whole_answers,
    )


@pytest.fixture(scope="module")
def measured(model: LoadedModel) -> PairMeasurements:
    """The measurements of `word_rows`."""
    return measure(model, word_rows())


def ids_of(model: LoadedModel, text: str) -> list[int]:
    ids: list[int] = model.tokenizer(text).input_ids
    return ids


def last_logits(model: LoadedModel, text: str) -> torch.Tensor:
    """The logits of the token after `text`, by transformers."""
    inputs = model.tokenizer(text, return_tensors="pt")
    with torch.inference_mode():
        logits: torch.Tensor = model.network(**inputs).logits
    return logits[0, -1]


def log_probabilities(model: LoadedModel, text: str, answer: str) -> list[float]:
    """The log probability of each token of `answer`, one run of transformers each."""
    of_tokens = []
    for n_before, character in enumerate(answer):
        logits = last_logits(model, text + answer[:n_before]).double()
        (token,) = ids_of(model, character)
        of_tokens.append(float(logits.log_softmax(-1)[token]))
    return of_tokens


def first_difference(one: str, other: str) -> int:
    """The first index, from 0, at which two texts of equal length differ."""
    characters = zip(one, other, strict=True)
    return [a != b for a, b in characters].index(True)


def token_pair(model: LoadedModel, clean: str, corrupted: str) -> TokenPair:
    """The prompts of two words, as in `word_rows`; answers are compared by their first letters."""
    return TokenPair(
        clean=ids_of(model, f"x={clean} y=red x:"),
        corrupted=ids_of(model, f"x={corrupted} y=red x:"),
        position=WORD_POSITION,
        correct=ids_of(model, clean[0])[0],
        incorrect=ids_of(model, corrupted[0])[0],
        n_tokens=len(clean),
    )


def test_patched_layers_equal_a_loop_of_hooks(
    model: LoadedModel, measured: PairMeasurements
) -> None:
    loop = NaiveLoop(model.network)
    patched = measured.patching.set_index(["pair", "layer"])["patched_diff"]

    for name, words in WORDS.items():
        pair = token_pair(model, words.clean, words.corrupted)
        states = loop.states(pair.clean, pair)
        for layer in range(N_LAYERS):
            expected = loop.patched(pair.corrupted, pair, layer, states[layer])
            assert patched[name, layer] == pytest.approx(float(expected), abs=1e-5)

    # There is a difference to patch.
    gaps = measured.patching["clean_diff"] - measured.patching["corrupted_diff"]
    assert gaps.abs().min() > 0.01


def test_cuts_of_single_blocks_equal_a_loop_of_hooks(
    model: LoadedModel, measured: PairMeasurements
) -> None:
    cut = NaiveCut(model.network)
    single = measured.cuts[measured.cuts["kind"] == "single"]
    cuts = single.set_index(["pair", "mode", "blocks"])["cut_diff"]

    for name, words in WORDS.items():
        pair = token_pair(model, words.clean, words.corrupted)
        for mode in ("denoise", "noise"):
            for block in range(1, N_LAYERS + 1):
                expected = cut.patched(pair, mode, {block})
                assert cuts[name, mode, str(block)] == pytest.approx(float(expected), abs=1e-5)


def test_answers_are_read_in_the_logits_of_transformers(
    model: LoadedModel, measured: PairMeasurements
) -> None:
    """An answer counts by its first token: r for red, t for tan."""
    answers = measured.answers.set_index(["pair", "prompt"])

    for row in word_rows():
        logits = last_logits(model, str(row["text"]))
        by_option = {}
        for option in str(row["options"]).split("|"):
            by_option[option] = float(logits[ids_of(model, option[0])[0]])
        words = WORDS[str(row["pair"])]
        clean = logits[ids_of(model, words.clean[0])[0]]
        corrupted = logits[ids_of(model, words.corrupted[0])[0]]
        red = logits[ids_of(model, "r")[0]]
        tan = logits[ids_of(model, "t")[0]]

        answer = answers.loc[row["pair"], row["prompt"]]
        assert answer["answer"] == max(by_option, key=by_option.__getitem__)
        assert answer["diff"] == pytest.approx(float(clean - corrupted), abs=1e-5)
        # The unasked prompt has tan in place of red.
        assert answer["unasked_diff"] == pytest.approx(float(red - tan), abs=1e-5)


def test_answers_of_several_tokens_count_by_the_sum_of_their_log_probabilities(
    model: LoadedModel,
) -> None:
    """Against a loop over the digits of each answer.

    The difference is taken at the first digit in which two answers differ.
    """
    options = ["1984", "1987", "1935", "1954", "2001"]

    years = measure(model, year_rows(), options=options, whole_answers=True)

    answers = years.answers.set_index(["pair", "prompt"])
    patching_by_pair = years.patching[years.patching["layer"] == 0].set_index("pair")
    for row in year_rows():
        text = str(row["text"])
        wanted = str(row["wanted"])
        against = str(row["against"])
        sums = {option: sum(log_probabilities(model, text, option)) for option in options}
        options_probability = sum(math.exp(score) for score in sums.values())

        answer = answers.loc[(row["pair"], row["prompt"])]
        assert answer["answer"] == max(sums, key=sums.__getitem__)
        assert answer["options_probability"] == pytest.approx(options_probability, rel=1e-4)
        # The difference is of the clean prompt's answers, which the corrupted prompt exchanges.
        if row["prompt"] == "corrupted":
            continue

        digit = first_difference(wanted, against)
        of_wanted = log_probabilities(model, text, wanted)[digit]
        of_against = log_probabilities(model, text, against)[digit]
        assert answer["diff"] == pytest.approx(of_wanted - of_against, abs=1e-5)
        patching = patching_by_pair.loc[row["pair"]]
        assert patching["clean_diff"] == pytest.approx(of_wanted - of_against, abs=1e-5)
        # All digits but the last are shared, so that the difference is that of the sums.
        if row["pair"] == "a":
            assert answer["diff"] == pytest.approx(sums[wanted] - sums[against], abs=1e-5)


def test_the_shared_start_of_two_answers_is_appended_to_both_prompts(model: LoadedModel) -> None:
    pairs = read_pairs(Path("mine"), pd.DataFrame(year_rows()))
    pair_b = pairs[1]

    tokens = tokenise(pair_b, model.tokenizer, IN_ONE_BATCH)

    # The answers 1935 and 1954 share 19. Then they continue with 3 and 5. In the prompts the years
    # differ from the fifth byte on, in two digits each.
    clean, corrupted = YEARS["b"]
    three, five = ids_of(model, "35")
    assert exchange(pair_b, tokens) == TokenPair(
        clean=ids_of(model, f"x={clean} y=2001 x:19"),
        corrupted=ids_of(model, f"x={corrupted} y=2001 x:19"),
        position=len("x=19"),
        correct=three,
        incorrect=five,
        n_tokens=2,
    )


def test_pairs_of_different_length_are_patched_at_the_ends_of_their_words(
    model: LoadedModel,
) -> None:
    """The state of the last byte of the clean word is put at the last byte of the corrupted one."""
    unequal = measure(model, unequal_rows(), whole_answers=True)

    loop = NaiveLoop(model.network)
    patched = unequal.patching.set_index(["pair", "layer"])["patched_diff"]
    for name, words in UNEQUAL.items():
        pair = token_pair(model, words.clean, words.corrupted)
        clean_end = WORD_POSITION + len(words.clean) - 1
        corrupted_end = WORD_POSITION + len(words.corrupted) - 1
        at_clean_end = pair._replace(position=clean_end, n_tokens=1)
        at_corrupted_end = pair._replace(position=corrupted_end, n_tokens=1)

        states = loop.states(pair.clean, at_clean_end)
        for layer in range(N_LAYERS):
            expected = loop.patched(pair.corrupted, at_corrupted_end, layer, states[layer])
            assert patched[name, layer] == pytest.approx(float(expected), abs=1e-5)
        # A patch changes something.
        unpatched = float(loop.difference(pair.corrupted, pair))
        assert abs(patched[name, 1] - unpatched) > 0.01


def test_a_third_word_is_put_in_place_of_a_clean_word_of_another_length(
    model: LoadedModel,
) -> None:
    """The third words have three bytes, the clean words three or seven."""
    unequal = measure(model, unequal_rows(), whole_answers=True)

    effects = unequal.third_word_effects
    assert set(effects["pair"]) == {"a", "d", "e"}
    assert effects["third_diff"].notna().all()


def test_answers_that_a_model_would_not_give_allow_no_verdict(model: LoadedModel) -> None:
    """A random model gives all 257 tokens about the same probability, the two options 2 in 257."""
    verdict = ma.patch(model, letter_rows(), name="mine")

    assert verdict.status == "cannot tell"
    answers = {row["pair"]: row for row in verdict.evidence.answers if row["prompt"] == "clean"}
    assert list(answers) == list(LETTERS)
    for row in letter_rows():
        if row["prompt"] != "clean":
            continue
        answer = answers[row["pair"]]
        logits = last_logits(model, str(row["text"])).double()
        letter, r = str(row["options"]).split("|")
        options = ids_of(model, letter + r)
        options_probability = float(logits.softmax(-1)[options].sum())
        assert answer["options_probability"] == pytest.approx(options_probability, rel=1e-4)
        assert answer["likeliest"] == model.tokenizer.decode([int(logits.argmax())])


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_model_in_half_precision_is_patched_with_the_float32_shares_up_to_its_rounding(
    tmp_path: Path, dtype: Dtype
) -> None:
    folder = make_tiny_model("llama", tmp_path / "tiny", n_layers=N_LAYERS)

    exact = ma.patch(ma.load(folder), word_rows(), name="mine").evidence.residual_map
    half = ma.patch(ma.load(folder, dtype=dtype), word_rows(), name="mine").evidence.residual_map

    # Shares are quotients of differences of logits, of 8 bits in bfloat16 and 11 in float16.
    for row, other in zip(half, exact, strict=True):
        assert row["recovered"] == pytest.approx(other["recovered"], abs=0.1)
