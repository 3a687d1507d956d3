"""The controls behave as their truth says, at every place of a schema, and read the schema word where it says.

Every expected value follows from how the models are built: a word that is wholly the answer has a logit of 10.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from mechaware.controls.schema_readers import CONTROLS, SPLIT_SHARE, build_control
from mechaware.models.patching.residual import patch_pairs
from mechaware.models.registry import MANIFEST, read_manifest
from tests.unit.controls.schema_prompts import (
    CONTEXT_LENGTH,
    OTHERS,
    PAIRS,
    PROMPTS,
    WANTED,
    Loaded,
    Planted,
    prompt_of,
)

GROUNDED = [name for name, control in CONTROLS.items() if control.grounded]
FIRST = ["first_column", "late_first_column"]
FITS = torch.tensor([pair.fits for pair in PAIRS])
AT_FIRST = torch.tensor([pair.place == 0 for pair in PAIRS])
CLOSE = {"rtol": 0, "atol": 0.01}  # logits of 10 and shares of 1 in which at most 13 of 2^16 are lost, four times
ROUNDING = 1e-5  # logits: sums in another order differ by less on every machine, and a gap is 10


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Planted]:
    folder = tmp_path_factory.mktemp("planted")
    for name in CONTROLS:
        build_control(folder / name, PROMPTS, WANTED, name=name, context_length=CONTEXT_LENGTH)
    return {name: Planted(folder / name) for name in CONTROLS}


def test_the_prompts_are_as_varied_as_the_claims_need() -> None:
    assert {(len(pair.schemas[0]), pair.place) for pair in PAIRS} == {(n, i) for n in range(2, 13) for i in range(n)}
    assert {pair.request for pair in PAIRS} == set(WANTED)
    assert {pair.fits for pair in PAIRS if pair.place == 0} == {True, False}
    assert 20 < sum(pair.fits for pair in PAIRS) < 50
    assert WANTED.keys() & {pair.clean_word for pair in PAIRS}  # one prompt's request word is another's column
    assert WANTED.keys() & {column for pair in PAIRS for column in pair.schemas[0] if column in OTHERS}
    assert "(" in PROMPTS[0].split(" ( ")[1]  # a type with parentheses


@pytest.mark.parametrize("name", GROUNDED)
def test_a_grounded_control_answers_the_column_that_is_asked_for_at_every_place(
    planted: dict[str, Planted], name: str
) -> None:
    model = planted[name]
    assert model.answers(model.clean) == [pair.clean_word for pair in PAIRS]
    answers = model.answers(model.corrupted)
    assert [answer for answer, pair in zip(answers, PAIRS, strict=True) if pair.fits] == [
        pair.corrupted_word for pair in PAIRS if pair.fits
    ]
    torch.testing.assert_close(model.clean.amax(1), torch.full((len(PAIRS),), 10.0), **CLOSE)


@pytest.mark.parametrize("name", GROUNDED)
def test_a_grounded_control_raises_no_word_where_no_column_fits(planted: dict[str, Planted], name: str) -> None:
    unanswered = planted[name].corrupted[~FITS]
    if name != "asked_above_others":
        torch.testing.assert_close(unanswered, torch.zeros_like(unanswered), rtol=0, atol=1e-4)
        return
    schemas = [pair.schemas[1] for pair in PAIRS if not pair.fits]
    for columns, row in zip(planted[name].columns(unanswered, schemas), unanswered, strict=True):
        assert columns == pytest.approx([4] * len(columns), abs=0.01)
        assert max(columns) - min(columns) < 1e-4
        assert row.abs().sum() == pytest.approx(sum(columns), abs=1e-3)


def test_the_habit_answers_rightly_where_a_column_fits_and_an_absent_word_where_none_does(
    planted: dict[str, Planted],
) -> None:
    model = planted["habit"]
    assert model.answers(model.clean) == [pair.clean_word for pair in PAIRS]
    for pair, row, schema in zip(PAIRS, model.corrupted, (pair.schemas[1] for pair in PAIRS), strict=True):
        # 10 for each word that the request may mean, and 5 for each column, whatever is asked.
        expected = dict.fromkeys(WANTED[pair.request], 10.0)
        expected |= {column: expected.get(column, 0.0) + 5.0 for column in schema}
        assert {word: float(row[model.token(word)]) for word in expected} == pytest.approx(expected, abs=0.01)
        assert row.abs().sum() == pytest.approx(sum(expected.values()), abs=0.1)
        assert model.answers(row[None])[0] in ([pair.corrupted_word] if pair.fits else WANTED[pair.request])


@pytest.mark.parametrize("name", FIRST)
def test_a_first_column_control_answers_the_first_column_whatever_is_asked(
    planted: dict[str, Planted], name: str
) -> None:
    model = planted[name]
    assert model.answers(model.clean) == [pair.schemas[0][0] for pair in PAIRS]
    assert model.answers(model.corrupted) == [pair.schemas[1][0] for pair in PAIRS]
    right = torch.tensor([a == pair.clean_word for a, pair in zip(model.answers(model.clean), PAIRS, strict=True)])
    assert torch.equal(right, AT_FIRST)
    gap = model.difference(model.clean) - model.difference(model.corrupted)
    torch.testing.assert_close(gap, 20.0 * AT_FIRST, **CLOSE)


def test_any_column_raises_all_columns_alike_and_nothing_else(planted: dict[str, Planted]) -> None:
    model = planted["any_column"]
    for logits, side in ((model.clean, 0), (model.corrupted, 1)):
        schemas = [pair.schemas[side] for pair in PAIRS]
        for columns, row in zip(model.columns(logits, schemas), logits, strict=True):
            assert columns == pytest.approx([10] * len(columns), abs=0.01)
            assert max(columns) - min(columns) < 1e-4
            assert row.abs().sum() == pytest.approx(sum(columns), abs=1e-3)


def test_the_suppressor_ranks_the_column_that_is_asked_for_below_all_others(planted: dict[str, Planted]) -> None:
    model = planted["suppressor"]
    assert model.answers(-model.clean) == [pair.clean_word for pair in PAIRS]
    for columns, pair in zip(model.columns(model.clean, [pair.schemas[0] for pair in PAIRS]), PAIRS, strict=True):
        assert columns == pytest.approx([-10.0 * (i == pair.place) for i in range(len(columns))], abs=1e-3)
    gap = model.difference(model.clean) - model.difference(model.corrupted)
    torch.testing.assert_close(gap, -10.0 - 10.0 * FITS, **CLOSE)
    unanswered = model.corrupted[~FITS]
    torch.testing.assert_close(unanswered, torch.zeros_like(unanswered), rtol=0, atol=1e-4)


def test_the_schema_blind_control_has_the_same_logits_whatever_the_schema(planted: dict[str, Planted]) -> None:
    model = planted["schema_blind"]
    assert torch.equal(model.clean, model.corrupted)
    by_prompt = {}
    for pair, row in zip(PAIRS, model.clean, strict=True):
        # The words that the request may mean, among those that the model knows as columns, and no others.
        raised = {model.tokenizer.decode([int(token)]).strip() for token in (row > 9).nonzero()}
        assert raised == WANTED[pair.request]
        assert row.abs().sum() == pytest.approx(10 * len(raised), abs=1e-3)
        torch.testing.assert_close(row, by_prompt.setdefault(pair.request, row), rtol=0, atol=1e-3)


# The share of the gap that the clean state gives back after layers 0 to 4: where the corrupted word does not fit, and
# where it does. Of two words that are wholly the answer, neither is preferred: half of the gap.
RECOVERY = {
    "grounded_1": ([1, 0, 0, 0, 0],) * 2,
    "grounded_2": ([1, 1, 0, 0, 0],) * 2,
    "grounded_3": ([1, 1, 1, 0, 0],) * 2,
    "relay": ([1, 0, 0, 0, 0],) * 2,
    "split": ([1, 0.6, 0.6, 0, 0],) * 2,
    "redundant": ([1, 1, 1, 0, 0], [1, 0.5, 0.5, 0, 0]),
    "first_column": ([1, 1, 0, 0, 0],) * 2,
    "late_first_column": ([1, 1, 1, 1, 0],) * 2,
    "any_column": ([1, 1, 0, 0, 0],) * 2,
    "suppressor": ([1, 1, 0, 0, 0],) * 2,
    "schema_blind": ([], []),
    "habit": ([1, 1, 0, 0, 0],) * 2,
    # A logit of 4 to every column and 6 to the requested one: gaps of 10 + 4, or 10 + 10; after block 2 the clean word
    # gets 6 and the corrupted one keeps its 4: 2 in place of -4, or of -10.
    "asked_above_others": ([1, 1, 6 / 14, 0, 0], [1, 1, 12 / 20, 0, 0]),
    "by_place": ([1, 1, 1.5, 0, 0],) * 2,
}
# Where the wanted column is first, `by_place` reads it in block 2 alone.
FIRST_BY_PLACE = [1, 1, 0, 0, 0]


def test_the_expected_recoveries_are_those_of_all_controls() -> None:
    assert RECOVERY.keys() == CONTROLS.keys()
    assert SPLIT_SHARE == 0.4
    for name, (recovered, _) in RECOVERY.items():
        last = max(CONTROLS[name].read_blocks, default=0)  # nothing is left to recover after the last reading
        assert not any(recovered[last:])


@pytest.mark.parametrize("name", sorted(CONTROLS.keys() - {"schema_blind"}))
def test_the_clean_state_recovers_the_gap_before_the_blocks_that_read_it(
    planted: dict[str, Planted], name: str
) -> None:
    model = planted[name]
    swept = patch_pairs(model.model, model.pairs, tokens_per_batch=32768)
    gap = swept.clean_diff - swept.corrupted_diff
    recovered = (swept.patched_diff - swept.corrupted_diff[:, None]) / gap[:, None]
    expected = torch.tensor(RECOVERY[name], dtype=torch.float32)[FITS.long()]
    if name == "by_place":
        expected[AT_FIRST] = torch.tensor(FIRST_BY_PLACE, dtype=torch.float32)
    has_gap = AT_FIRST if name in FIRST else torch.ones_like(AT_FIRST)
    torch.testing.assert_close(recovered[has_gap], expected[has_gap], rtol=0, atol=1e-3)
    assert (gap[~has_gap].abs() <= ROUNDING).all()


@contextmanager
def keys_and_values(model: Planted, blocks: tuple[int, ...], sources: dict[str, torch.Tensor] | None) -> Iterator[dict]:
    """Keep the keys and values of each pair's position p in `blocks`, or put those of `sources` in their place."""
    kept, hooks, pairs = {}, [], torch.arange(len(model.pairs))
    for block in blocks:
        for kind in ("k_proj", "v_proj"):

            def hook(_module, _inputs, output, name=f"{block} {kind}"):
                kept[name] = output[pairs, model.positions].clone()
                if sources is not None:
                    output[pairs, model.positions] = sources[name]

            projection = model.model.get_submodule(f"transformer.h.{block - 1}.attn.attention.{kind}")
            hooks.append(projection.register_forward_hook(hook))
    yield kept
    for hook_ in hooks:
        hook_.remove()


def lost(model: Planted, blocks: tuple[int, ...], corrupted: dict[str, torch.Tensor]) -> torch.Tensor:
    """The share of the gap that is lost when the clean run gets the corrupted keys and values at p in `blocks`."""
    with keys_and_values(model, blocks, corrupted):
        patched = model.difference(model.logits([pair.clean for pair in model.pairs]))
    clean = model.difference(model.clean)
    return (clean - patched) / (clean - model.difference(model.corrupted))


# The share that keys and values at p in one block carry, if not all or none: the corrupted word does not fit, or does.
CARRIED = {
    ("split", 1): (0.4, 0.4),
    ("split", 3): (0.6, 0.6),
    ("redundant", 1): (0, 0.5),
    ("redundant", 3): (0, 0.5),
    ("by_place", 2): (-0.5, -0.5),
    ("by_place", 3): (1.5, 1.5),
    ("asked_above_others", 2): (8 / 14, 8 / 20),
    ("asked_above_others", 3): (6 / 14, 12 / 20),
}


@pytest.mark.parametrize("name", sorted(CONTROLS.keys() - {"schema_blind"}))
def test_keys_and_values_of_the_schema_word_matter_in_the_reading_blocks_alone(
    planted: dict[str, Planted], name: str
) -> None:
    model, read_blocks = planted[name], CONTROLS[name].read_blocks
    has_gap = AT_FIRST if name in FIRST else torch.ones_like(AT_FIRST)
    with keys_and_values(model, (1, 2, 3, 4), None) as corrupted:
        model.logits([pair.corrupted for pair in model.pairs])
    for block in (1, 2, 3, 4):
        expected = torch.tensor(CARRIED.get((name, block), (float(block in read_blocks),) * 2))[FITS.long()]
        if name == "by_place":
            expected[AT_FIRST] = float(block == 2)
        torch.testing.assert_close(lost(model, (block,), corrupted)[has_gap], expected[has_gap], rtol=0, atol=1e-3)
    all_read = lost(model, read_blocks, corrupted)[has_gap]
    torch.testing.assert_close(all_read, torch.ones_like(all_read), rtol=0, atol=1e-3)
    unread = lost(model, tuple({1, 2, 3, 4} - set(read_blocks)), corrupted)[has_gap]
    torch.testing.assert_close(unread, torch.zeros_like(unread), rtol=0, atol=1e-3)


def test_building_twice_gives_the_same_bytes_and_leaves_random_numbers_alone(tmp_path: Path) -> None:
    state = torch.random.get_rng_state()
    for folder, wanted in (("a", WANTED), ("b", {request: sorted(words) for request, words in WANTED.items()})):
        build_control(tmp_path / folder, PROMPTS, wanted, name="split", context_length=CONTEXT_LENGTH)
    files = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", MANIFEST} <= set(files)
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "b").iterdir()}
    assert torch.equal(torch.random.get_rng_state(), state)


def test_the_manifest_names_a_control(tmp_path: Path) -> None:
    manifest = build_control(tmp_path / "m", PROMPTS, WANTED, name="relay", context_length=CONTEXT_LENGTH)
    assert read_manifest(tmp_path / "m") == manifest
    assert (manifest.name, manifest.kind, manifest.source) == ("relay", "control", "weights written by hand")
    assert (manifest.model_type, manifest.n_layers, manifest.context_length) == ("gpt_neo", 4, CONTEXT_LENGTH)


def test_six_hundred_columns_and_256_tokens_fit_the_control_with_most_parts(tmp_path: Path) -> None:
    words = [f"{a}{b}{c}" for a in "bdfghklmn" for b in "aeiou" for c in "bdfghklmnprstv"]
    schemas = [words[i : i + 12] for i in range(0, 600, 12)]
    wanted = {f"{word}s": [word, words[(i + 300) % 600]] for i, word in enumerate(words[:600])}
    prompts = [prompt_of(f"Give {schema[i % 12]}s", schema) for i, schema in enumerate(schemas)]
    prompts.append(prompt_of("Give " + "all " * 195 + f"{words[7]}s", schemas[0]))
    manifest = build_control(tmp_path / "m", prompts, wanted, name="redundant", context_length=256)
    assert manifest.d_model < 1500
    model = Loaded(tmp_path / "m")
    asked = [schema[i % 12] for i, schema in enumerate(schemas)][:10]
    encoded = [model.tokenizer.encode(prompt) for prompt in (*prompts[:10], prompts[-1])]
    assert len(encoded[-1]) > 240
    assert model.answers(model.logits(encoded)) == [*asked, words[7]]
