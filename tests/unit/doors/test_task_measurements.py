"""The measurements of a task's pairs against plain loops over transformers: one prompt a run, one hook a number."""

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
WORD_AT = 2  # `x=` is two tokens


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    """A random model of three blocks."""
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


def token_pair(model: LoadedModel, clean: str, corrupted: str) -> TokenPair:
    """The prompts of two words of `word_rows`, whose answers are compared by their first letters."""
    return TokenPair(
        clean=ids_of(model, f"x={clean} y=red x:"),
        corrupted=ids_of(model, f"x={corrupted} y=red x:"),
        position=WORD_AT,
        correct=ids_of(model, clean[0])[0],
        incorrect=ids_of(model, corrupted[0])[0],
        n_tokens=len(clean),
    )


def test_layers_and_blocks_are_those_of_a_loop_of_hooks(
    model: LoadedModel, measured: PairMeasurements
) -> None:
    loop = NaiveLoop(model.network)
    cut = NaiveCut(model.network)
    patched = measured.patching.set_index(["pair", "layer"])["patched_diff"]
    single = measured.cuts[measured.cuts["kind"] == "single"]
    cuts = single.set_index(["pair", "mode", "blocks"])["cut_diff"]

    for name, words in WORDS.items():
        pair = token_pair(model, words.clean, words.corrupted)
        states = loop.states(pair.clean, pair)
        for layer in range(N_LAYERS):
            expected = loop.patched(pair.corrupted, pair, layer, states[layer])
            assert patched[name, layer] == pytest.approx(float(expected), abs=1e-5)
        for mode in ("denoise", "noise"):
            for block in range(1, N_LAYERS + 1):
                expected = cut.patched(pair, mode, {block})
                assert cuts[name, mode, str(block)] == pytest.approx(float(expected), abs=1e-5)

    # There is a difference to patch.
    gaps = measured.patching.eval("clean_diff - corrupted_diff").abs()
    assert gaps.min() > 0.01


def test_answers_are_read_in_the_logits_of_transformers(
    model: LoadedModel, measured: PairMeasurements
) -> None:
    answers = measured.answers.set_index(["pair", "prompt"])

    assert answers.loc[[("a", "clean"), ("a", "corrupted")], "unasked_diff"].notna().all()
    for row in word_rows():
        logits = last_logits(model, str(row["text"]))
        by_option = {}
        for option in str(row["options"]).split("|"):
            by_option[option] = float(logits[ids_of(model, option[0])[0]])
        words = WORDS[str(row["pair"])]
        clean = logits[ids_of(model, words.clean[0])[0]]
        corrupted = logits[ids_of(model, words.corrupted[0])[0]]

        found = answers.loc[row["pair"], row["prompt"]]
        assert found["answer"] == max(by_option, key=lambda option: by_option[option])
        assert found["diff"] == pytest.approx(float(clean - corrupted), abs=1e-5)


def log_probabilities(model: LoadedModel, text: str, answer: str) -> list[float]:
    """The log probability of each token of `answer`, one run of transformers each."""
    found = []
    for n, character in enumerate(answer):
        logits = last_logits(model, text + answer[:n]).double()
        (token,) = ids_of(model, character)
        found.append(float(logits.log_softmax(-1)[token]))
    return found


def first_difference(one: str, other: str) -> int:
    """The first place, from 0, at which two texts of equal length differ."""
    places = [n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    return places[0]


def test_answers_of_several_tokens_count_by_the_sum_of_their_log_probabilities(
    model: LoadedModel,
) -> None:
    """Against a loop over the digits of each answer. The difference is taken at the first digit that differs."""
    options = ["1984", "1987", "1935", "1954", "2001"]

    found = measure(model, year_rows(), options=options, whole_answers=True)

    answers = found.answers.set_index(["pair", "prompt"])
    unpatched = found.patching[found.patching["layer"] == 0].set_index("pair")
    for row in year_rows():
        text = str(row["text"])
        wanted = str(row["wanted"])
        against = str(row["against"])
        sums = {option: sum(log_probabilities(model, text, option)) for option in options}
        held = sum(math.exp(score) for score in sums.values())

        of_prompt = answers.loc[(row["pair"], row["prompt"])]
        assert of_prompt["answer"] == max(sums, key=lambda option: sums[option])
        assert of_prompt["options_probability"] == pytest.approx(held, rel=1e-4)
        if row["prompt"] == "corrupted":
            continue

        at = first_difference(wanted, against)
        of_wanted = log_probabilities(model, text, wanted)[at]
        of_against = log_probabilities(model, text, against)[at]
        assert of_prompt["diff"] == pytest.approx(of_wanted - of_against, abs=1e-5)
        of_pair = unpatched.loc[row["pair"]]
        assert of_pair["clean_diff"] == pytest.approx(of_wanted - of_against, abs=1e-5)
        if row["pair"] == "a":  # all but the last digit are shared
            assert of_prompt["diff"] == pytest.approx(sums[wanted] - sums[against], abs=1e-5)


def test_the_shared_start_of_two_answers_stands_behind_both_prompts(model: LoadedModel) -> None:
    pairs = read_pairs(Path("mine"), pd.DataFrame(year_rows()))
    of_b = pairs[1]

    tokens = tokenise(of_b, model.tokenizer, IN_ONE_BATCH)

    # 1935 and 1954 share 19: the words in the prompts differ from the fifth byte on, in two digits each.
    clean, corrupted = YEARS["b"]
    three, five = ids_of(model, "35")
    assert exchange(of_b, tokens) == TokenPair(
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
    found = measure(model, unequal_rows(), whole_answers=True)

    loop = NaiveLoop(model.network)
    patched = found.patching.set_index(["pair", "layer"])["patched_diff"]
    for name, (clean, corrupted, _) in UNEQUAL.items():
        pair = token_pair(model, clean, corrupted)
        at_clean_end = pair._replace(position=WORD_AT + len(clean) - 1, n_tokens=1)
        at_corrupted_end = pair._replace(position=WORD_AT + len(corrupted) - 1, n_tokens=1)

        states = loop.states(pair.clean, at_clean_end)
        for layer in range(N_LAYERS):
            expected = loop.patched(pair.corrupted, at_corrupted_end, layer, states[layer])
            assert patched[name, layer] == pytest.approx(float(expected), abs=1e-5)
        # A patch changes something.
        unpatched = float(loop.difference(pair.corrupted, pair))
        assert abs(patched[name, 1] - unpatched) > 0.01
    # The third word, of three bytes, takes the place of the clean one, of three or seven.
    assert found.third_word_effects["third_diff"].notna().all()


def test_answers_that_a_model_would_not_give_are_no_verdict(model: LoadedModel) -> None:
    """A random model gives all 257 tokens about the same probability."""
    verdict = ma.patch(model, letter_rows(), name="mine")

    assert verdict.status == "cannot tell"
    answers = {row["pair"]: row for row in verdict.evidence.answers if row["prompt"] == "clean"}
    assert list(answers) == list(LETTERS)
    for row in letter_rows():
        if row["prompt"] != "clean":
            continue
        answer = answers[row["pair"]]
        logits = last_logits(model, str(row["text"])).double()
        options = ids_of(model, f"{LETTERS[str(row['pair'])].clean}r")
        held = float(logits.softmax(-1)[options].sum())
        assert answer["options_probability"] == pytest.approx(held, rel=1e-4)
        assert answer["likeliest"] == model.tokenizer.decode([int(logits.argmax())])


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_model_in_half_precision_is_patched_with_the_float32_shares_up_to_its_rounding(
    tmp_path: Path, dtype: Dtype
) -> None:
    folder = make_tiny_model("llama", tmp_path / "tiny", n_layers=N_LAYERS)

    exact = ma.patch(ma.load(folder), word_rows(), name="mine").evidence.residual_map
    half = ma.patch(ma.load(folder, dtype=dtype), word_rows(), name="mine").evidence.residual_map

    # Shares are quotients of differences with 8 or 11 bits.
    for row, other in zip(half, exact, strict=True):
        assert row["recovered"] == pytest.approx(other["recovered"], abs=0.1)
