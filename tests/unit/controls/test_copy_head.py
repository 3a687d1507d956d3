"""The planted models do what their construction says, by plain forward passes and a hook that swaps one state.

Every expected value follows from how the models are built: 1 before the block that reads, 0 from there on.
"""

import random
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
import torch
from torch import nn

from mechaware.controls.copy_head import N_BLOCKS, build_copy_head, build_schema_blind
from mechaware.errors import UserError
from mechaware.models.registry import MANIFEST, load_model, load_tokenizer, read_manifest

CONTEXT_LENGTH = 64
REQUESTS = (
    "Show me {word} from {table}",
    "{word} of every row in {table} please",
    "List, for all of our {table}, the {word}",
    "What is the {word}?",
    "I would like to see what {table} say about {word} and nothing else, sorted by nothing",
    "From {table}: {word}",
)
# `price` is asked for by `fee` and asks for `amount`; `name` answers `label`, and asks for `title`.
ANSWERS = {"fee": "price", "price": "amount", "label": "name", "name": "title", "maker": "brand", "moment": "date"}
OTHERS = ("cost", "rat", "city", "weight", "colour", "status")
TYPES = ("TEXT", "INTEGER", "REAL")


class Pair(NamedTuple):
    clean: str
    corrupted: str
    clean_word: str
    corrupted_word: str
    columns: list[str]


class Run(NamedTuple):
    """Logits at the final position, and the states (position, d_model) after each block."""

    logits: torch.Tensor
    states: list[torch.Tensor]


def prompt_of(request: str, columns: list[str], table: str) -> str:
    schema = " , ".join(f"{column} {TYPES[i % 3]}" for i, column in enumerate(columns)).replace(" ,", ",")
    return f"### Instruction: {request} ### Context: CREATE TABLE {table} ( {schema} ) ### Response: SELECT"


def make_pairs(count: int = 48) -> list[Pair]:
    draw = random.Random(3)  # noqa: S311
    pairs = []
    for i in range(count):
        word, clean = list(ANSWERS.items())[i % len(ANSWERS)]
        free = sorted({*ANSWERS, *ANSWERS.values(), *OTHERS} - {clean})
        corrupted, *others = draw.sample(free, draw.randint(1, 6))
        # In every third prompt the request word is a column, too, so that a reader of the schema has it before it.
        others = [*others, word] if i % 3 == 0 and word not in (corrupted, *others) else others
        request = REQUESTS[i // 2 % len(REQUESTS)].format(word=word, table=draw.choice(("purchases", "people")))
        table = draw.choice(("orders", "users"))
        prompts = [prompt_of(request, [first, *others], table) for first in (clean, corrupted)]
        pairs.append(Pair(*prompts, clean, corrupted, [clean, *others]))
    return pairs


PAIRS = make_pairs()
PROMPTS = [prompt for pair in PAIRS for prompt in (pair.clean, pair.corrupted)]


def build(folder: Path, name: str, *, prompts: list[str] = PROMPTS, answers: Mapping[str, str] = ANSWERS, seed=11):
    if name == "blind":
        return build_schema_blind(folder, prompts, answers, name=name, context_length=CONTEXT_LENGTH, seed=seed)
    block = int(name.removeprefix("copy"))
    return build_copy_head(folder, prompts, name=name, reading_block=block, context_length=CONTEXT_LENGTH, seed=seed)


class Planted:
    """A model from its folder and the numbers that the claims are about."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer, self.model = load_tokenizer(folder), load_model(folder, torch.device("cpu"))
        self.runs: dict[str, Run] = {}
        self.ids: dict[str, list[int]] = {}

    @torch.inference_mode()
    def run(self, prompt: str) -> Run:
        """A forward pass without any intervention. Several tests ask for the same prompts: each is run once."""
        if prompt not in self.runs:
            states = []
            hooks = [
                block.register_forward_hook(lambda _module, _arguments, output: states.append(output[0][0].clone()))
                for block in self.model.transformer.h
            ]
            logits = self.logits(prompt)[0]
            for hook in hooks:
                hook.remove()
            self.runs[prompt] = Run(logits, states)
        return self.runs[prompt]

    @torch.inference_mode()
    def logits(self, prompt: str, *, copies: int = 1) -> torch.Tensor:
        """Logits (copy, word) at the final position, under the hooks that are set."""
        return self.model(torch.tensor([self.encode(prompt)] * copies)).logits[:, -1]

    def encode(self, prompt: str) -> list[int]:
        if prompt not in self.ids:
            self.ids[prompt] = self.tokenizer.encode(prompt)
        return self.ids[prompt]

    def answer(self, prompt: str) -> str:
        return self.tokenizer.decode([int(self.run(prompt).logits.argmax())])

    def logit_difference(self, pair: Pair, prompt: str) -> float:
        return float(self.difference(pair, self.run(prompt).logits))

    def difference(self, pair: Pair, logits: torch.Tensor) -> torch.Tensor:
        clean, corrupted = (self.token(word) for word in (pair.clean_word, pair.corrupted_word))
        return logits[..., clean] - logits[..., corrupted]

    def gap(self, pair: Pair) -> float:
        return self.logit_difference(pair, pair.clean) - self.logit_difference(pair, pair.corrupted)

    def token(self, word: str) -> int:
        (token,) = self.encode(f" {word}")
        return token

    def position(self, pair: Pair) -> int:
        ids = [self.encode(prompt) for prompt in (pair.clean, pair.corrupted)]
        (position,) = (i for i, (a, b) in enumerate(zip(*ids, strict=True)) if a != b)
        return position

    def recoveries(self, pair: Pair) -> list[float]:
        """The fraction of the gap that patching the schema word's state after block 1, 2, ... gives back."""
        states, position = self.run(pair.clean).states, self.position(pair)
        with ExitStack() as hooks:  # one copy of the corrupted prompt for each block, patched there alone
            for copy, (block, state) in enumerate(zip(self.model.transformer.h, states, strict=True)):
                hooks.enter_context(swapped(block, position, state[position], copy))
            patched = self.difference(pair, self.logits(pair.corrupted, copies=len(states)))
        return ((patched - self.logit_difference(pair, pair.corrupted)) / self.gap(pair)).tolist()


@contextmanager
def swapped(block: nn.Module, position: int, state: torch.Tensor, copy: int = 0) -> Iterator[None]:
    """Put `state` in place of what the block gives at `position` of one copy of the prompt."""

    def swap(_module, _arguments, output):
        states = output[0] if isinstance(output, tuple) else output
        states[copy, position] = state
        return output

    hook = block.register_forward_hook(swap)
    yield
    hook.remove()


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Planted]:
    folder = tmp_path_factory.mktemp("planted")
    names = ("copy2", "copy3", "copy4", "blind")
    for name in names:
        build(folder / name, name)
    return {name: Planted(folder / name) for name in names}


def test_the_prompts_are_as_varied_as_the_claims_need() -> None:
    assert len({len(pair.columns) for pair in PAIRS}) >= 4
    assert len({len(pair.clean.split(" ###")[0].split()) for pair in PAIRS}) >= 5
    requested = {word for pair in PAIRS for word in ANSWERS if ANSWERS[word] == pair.clean_word}
    assert requested & {pair.clean_word for pair in PAIRS}  # one prompt's request word is another's schema word
    asked = {answer: word for word, answer in ANSWERS.items()}
    assert sum(asked[pair.clean_word] in pair.columns for pair in PAIRS) >= 10  # its own request word is a column
    assert any(asked[pair.clean_word] == pair.corrupted_word for pair in PAIRS)


@pytest.mark.parametrize("name", ["copy2", "copy3", "copy4", "blind"])
def test_the_most_likely_word_is_the_clean_one_on_clean_prompts(planted: dict[str, Planted], name: str) -> None:
    assert [planted[name].answer(pair.clean) for pair in PAIRS] == [f" {pair.clean_word}" for pair in PAIRS]


@pytest.mark.parametrize("name", ["copy2", "copy3", "copy4"])
def test_a_copy_head_answers_the_corrupted_word_on_corrupted_prompts(planted: dict[str, Planted], name: str) -> None:
    assert [planted[name].answer(pair.corrupted) for pair in PAIRS] == [f" {pair.corrupted_word}" for pair in PAIRS]


def test_the_blind_twin_keeps_the_clean_answer_and_its_very_logits(planted: dict[str, Planted]) -> None:
    blind = planted["blind"]
    for pair in PAIRS:
        assert blind.answer(pair.corrupted) == f" {pair.clean_word}"
        assert torch.equal(blind.run(pair.clean).logits, blind.run(pair.corrupted).logits)
        assert blind.gap(pair) == 0


def test_zeros_for_the_schema_word_do_not_change_what_the_blind_twin_says(planted: dict[str, Planted]) -> None:
    blind = planted["blind"]
    for pair in PAIRS:
        position, expected = blind.position(pair), blind.run(pair.clean).logits
        for module in (blind.model.transformer.drop, *blind.model.transformer.h):
            with swapped(module, position, torch.zeros(())):
                assert torch.equal(blind.logits(pair.clean)[0], expected)


@pytest.mark.parametrize("name", ["copy2", "copy3", "copy4", "blind"])
def test_clean_logit_differences_are_of_order_ten(planted: dict[str, Planted], name: str) -> None:
    # The answer has a logit of 10, another word one of 10 times the agreement of 96 random bits: 0, deviation 1.
    differences = [planted[name].logit_difference(pair, pair.clean) for pair in PAIRS]
    assert min(differences) > 5
    assert max(differences) < 15
    logits, _ = planted[name].run(PAIRS[0].clean)
    assert logits.max() == pytest.approx(10, rel=1e-4)


@pytest.mark.parametrize(
    ("reading_block", "expected"), [(2, [1, 0, 0, 0]), (3, [1, 1, 0, 0]), (4, [1, 1, 1, 0])], ids=["2", "3", "4"]
)
def test_recovery_is_whole_before_the_reading_block_and_none_after(
    planted: dict[str, Planted], reading_block: int, expected: list[int]
) -> None:
    # With reading block 2, layer 1 is so the only one above a threshold of 0.9.
    for pair in PAIRS:
        assert planted[f"copy{reading_block}"].recoveries(pair) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("reading_block", [2, 3, 4])
def test_the_schema_word_is_at_its_own_position_only_until_the_final_one_reads_it(
    planted: dict[str, Planted], reading_block: int
) -> None:
    model = planted[f"copy{reading_block}"]
    for pair in PAIRS:
        states = zip(model.run(pair.clean).states, model.run(pair.corrupted).states, strict=True)
        schema, final = model.position(pair), len(model.encode(pair.clean)) - 1
        for layer, (clean, corrupted) in enumerate(states, start=1):
            # The next position copies the flag of this one, which the layer norm rounds by the word: 6e-8.
            differing = ((clean - corrupted).abs().amax(-1) > 1e-6).nonzero().flatten().tolist()
            assert differing == ([schema] if layer < reading_block else [schema, final])


@pytest.mark.parametrize("name", ["copy2", "copy3", "copy4", "blind"])
def test_idle_blocks_and_all_mlps_add_nothing(planted: dict[str, Planted], name: str) -> None:
    busy = {1, 2 if name == "blind" else int(name[-1])}
    _, states = planted[name].run(PAIRS[0].clean)
    for layer in set(range(2, N_BLOCKS + 1)) - busy:
        assert torch.equal(states[layer - 1], states[layer - 2])
    for block in planted[name].model.transformer.h:
        assert not any(parameter.any() for parameter in block.mlp.parameters())


@pytest.mark.parametrize("name", ["copy2", "copy4", "blind"])
def test_a_busy_head_attends_to_one_position_and_to_no_other_at_all(planted: dict[str, Planted], name: str) -> None:
    for pair in PAIRS:
        ids = torch.tensor([planted[name].encode(pair.clean)])
        attentions = planted[name].model(ids, output_attentions=True).attentions
        for block in (1, 2 if name == "blind" else int(name[-1])):
            assert set(attentions[block - 1].unique().tolist()) == {0.0, 1.0}


@pytest.mark.parametrize("name", ["copy3", "blind"])
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(tmp_path: Path, name: str) -> None:
    for folder, seed in (("a", 1), ("b", 1), ("c", 2)):
        build(tmp_path / folder, name, seed=seed)
    files = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", MANIFEST} <= set(files)
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "b").iterdir()}
    assert files["model.safetensors"] != (tmp_path / "c/model.safetensors").read_bytes()


def test_building_leaves_the_callers_random_numbers_alone(tmp_path: Path) -> None:
    state = torch.random.get_rng_state()
    build(tmp_path / "m", "copy2")
    assert torch.equal(torch.random.get_rng_state(), state)


def test_the_manifest_names_a_control(tmp_path: Path) -> None:
    manifest = build(tmp_path / "m", "copy2")
    assert read_manifest(tmp_path / "m") == manifest
    assert (manifest.kind, manifest.source, manifest.revision) == ("control", "weights written by hand", "none")
    assert (manifest.model_type, manifest.n_layers, manifest.n_heads) == ("gpt_neo", N_BLOCKS, 1)
    assert manifest.context_length == CONTEXT_LENGTH


def test_fifteen_hundred_words_and_a_long_context_stay_small(tmp_path: Path) -> None:
    words = [f"{a}{b}{c}" for a in "bdfghklmnprst" for b in "aeiou" for c in "bdfghklmnprstvwxyzaeiouq"]
    clean = [prompt_of(f"Give {word}s", [word, other], "t") for word, other in pairwise(words)]
    prompts = [*clean, prompt_of("Give all " * 200, ["x"], "t")]
    build_copy_head(tmp_path / "m", prompts, name="m", reading_block=2, context_length=512, seed=0)
    assert len(load_tokenizer(tmp_path / "m")) > 1500
    assert (tmp_path / "m/model.safetensors").stat().st_size < 60e6
    model = Planted(tmp_path / "m")
    assert [model.answer(prompt) for prompt in clean[:300:10]] == [f" {word}" for word in words[:300:10]]
    assert model.answer(prompts[-1]) == " x"


LONG = prompt_of("Show me fee " + "and so on " * 30, ["price"], "orders")
GOOD = PAIRS[0].clean
FORM = r"not of the form 'request Context: ... \( ... SELECT' with each of .* once; write it so"


@pytest.mark.parametrize("name", ["copy2", "blind"])
@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        (LONG, r"prompt '### Instruction: Show .*': 11\d tokens, the context holds 64; raise context_length to 11"),
        (GOOD + " price", FORM),
        (GOOD.replace("Show", "Show ( now )"), FORM),
        (GOOD.replace(" (", ""), FORM),
        (GOOD.replace("Show", "Show Context of"), FORM),
        (GOOD.replace("Show", "Please SELECT"), FORM),
    ],
)
def test_a_prompt_that_the_heads_cannot_read_is_refused(tmp_path: Path, name: str, prompt: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        build(tmp_path / "m", name, prompts=[*PROMPTS, prompt])
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("request_", "count"), [("Show me everything", 0), ("Show me fee and label", 2), ("fee", 0)])
def test_a_request_without_exactly_one_request_word_is_refused(tmp_path: Path, request_: str, count: int) -> None:
    prompt = prompt_of(request_, ["price", "fee"], "orders").removeprefix("### Instruction:")
    message = f"{request_}.*': {count} request words between the first token and ' Context'; name exactly one word"
    with pytest.raises(UserError, match=message):
        build(tmp_path / "m", "blind", prompts=[*PROMPTS, prompt])


@pytest.mark.parametrize("answers", [{"fee": "unit_price"}, {"sale_fee": "price"}])
def test_an_answer_of_several_tokens_is_refused(tmp_path: Path, answers: dict[str, str]) -> None:
    with pytest.raises(UserError, match=r"' (unit_price|sale_fee)': not one token of the prompts and answers; use a"):
        build(tmp_path / "m", "blind", answers=ANSWERS | answers)


@pytest.mark.parametrize("reading_block", [1, 5])
def test_a_reading_block_that_cannot_see_the_mark_is_an_error(tmp_path: Path, reading_block: int) -> None:
    with pytest.raises(ValueError, match=rf"reading_block {reading_block}: block 1 marks .*, 2 to 4 can read it"):
        build(tmp_path / "m", f"copy{reading_block}")


def test_no_prompts_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="' Context': not one token of the prompts"):
        build(tmp_path / "m", "copy2", prompts=[])


@pytest.mark.parametrize("name", ["copy2", "blind"])
def test_a_failure_while_saving_leaves_no_folder(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments, **_options):
        raise OSError("disk full")

    monkeypatch.setattr("mechaware.controls.copy_head.write_manifest", fail)
    with pytest.raises(OSError, match="disk full"):
        build(tmp_path / "m", name)
    assert not list(tmp_path.iterdir())
