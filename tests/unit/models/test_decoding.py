"""Batched greedy decoding against single prompts and a plain greedy loop over
transformers' logits.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from mechaware.core.errors import UserError
from mechaware.models.decoding import continue_tokens, decode
from mechaware.models.registry import load_model, load_tokenizer
from tests.architectures import tiny_model
from tests.tiny_models import CONTEXT_LENGTH, WINDOW, make_tiny_model

CPU = torch.device("cpu")
FAMILIES = ("gpt_neo", "gpt2", "llama")
NEW_TOKENS = 12
# Shorter than, as long as and longer than the window of gpt_neo's local layer; not in the order of
# their length.
PROMPTS = (
    "### Response:",
    "a",
    "SELECT price FROM orders and so on, to the end",
    "b",
    "four",
    "tables",
    "a" * 50,
)


class Loaded:
    """A tiny model and its tokenizer, fresh, as a command loads them."""

    def __init__(self, folder: Path) -> None:
        self.model: PreTrainedModel = load_model(folder, CPU)
        self.tokenizer: PreTrainedTokenizerBase = load_tokenizer(folder)

    def decode(
        self, prompts: Sequence[str], batch_size: int, max_new_tokens: int = NEW_TOKENS
    ) -> list[str]:
        return decode(
            self.model,
            self.tokenizer,
            prompts,
            max_new_tokens=max_new_tokens,
            batch_size=batch_size,
        )

    @torch.inference_mode()
    def continue_greedily(self, prompt: str) -> list[int]:
        """The most likely next token, again and again, without a cache, a batch or `generate`."""
        ids = list(self.tokenizer(prompt).input_ids)
        for _ in range(NEW_TOKENS):
            logits = self.model(torch.tensor([ids]), use_cache=False).logits[0, -1]
            ids.append(int(logits.argmax()))
        return ids[-NEW_TOKENS:]

    def answer_greedily(self, prompt: str) -> str:
        """The text of `continue_greedily` up to the end of text."""
        ids = up_to(self.tokenizer.eos_token_id, self.continue_greedily(prompt))
        return self.tokenizer.decode(ids).strip()


def up_to(end: int, ids: list[int]) -> list[int]:
    return ids[: ids.index(end)] if end in ids else ids


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {family: make_tiny_model(family, tmp_path_factory.mktemp(family)) for family in FAMILIES}


@pytest.fixture(params=FAMILIES)
def loaded(request: pytest.FixtureRequest, folders: dict[str, Path]) -> Loaded:
    return Loaded(folders[request.param])


def test_batches_give_what_a_greedy_loop_over_single_prompts_gives_in_the_order_given(
    loaded: Loaded,
) -> None:
    assert len(PROMPTS[0]) > WINDOW
    expected = [loaded.answer_greedily(prompt) for prompt in PROMPTS]
    assert len(set(expected)) > 4  # prompts lead to different answers, or order would not show
    for batch_size in (1, 3, 100):
        assert loaded.decode(PROMPTS, batch_size) == expected
    assert loaded.decode(PROMPTS[::-1], 3) == expected[::-1]


@pytest.mark.parametrize("model_type", ["bloom", "opt", "mamba"])
def test_a_model_without_a_file_answers_in_batches_as_in_a_greedy_loop(
    folders: dict[str, Path], model_type: str
) -> None:
    """Its prompts are never padded: padding may move what it reads."""
    loaded = Loaded(folders["llama"])
    loaded.model = tiny_model(model_type, {"vocab_size": len(loaded.tokenizer), "state_size": 8})
    expected = [loaded.answer_greedily(prompt) for prompt in PROMPTS]
    assert len(set(expected)) > 2
    for batch_size in (1, 3, 100):
        assert loaded.decode(PROMPTS, batch_size) == expected


def test_an_answer_ends_at_the_end_of_text_while_others_of_its_batch_go_on(loaded: Loaded) -> None:
    going_on = {prompt: loaded.continue_greedily(prompt) for prompt in PROMPTS}
    # The third new token of the first prompt becomes the end of text.
    end = going_on[PROMPTS[0]][2]
    loaded.tokenizer.eos_token = loaded.tokenizer.convert_ids_to_tokens(end)
    assert loaded.tokenizer.eos_token_id == end
    cut = {prompt: up_to(end, ids) for prompt, ids in going_on.items()}
    assert {len(ids) for ids in cut.values()} >= {NEW_TOKENS}
    assert min(len(ids) for ids in cut.values()) <= 2
    expected = [loaded.tokenizer.decode(cut[prompt]).strip() for prompt in PROMPTS]
    assert loaded.decode(PROMPTS, len(PROMPTS)) == expected


def test_what_a_model_says_about_generation_does_not_count(folders: dict[str, Path]) -> None:
    # Models of the hub come with a generation_config.json; Qwen2.5-Instruct has a repetition
    # penalty, for one.
    plain = Loaded(folders["gpt2"]).decode(PROMPTS, 4)
    own = {"repetition_penalty": 5.0, "num_beams": 3, "no_repeat_ngram_size": 1, "do_sample": True}
    for name, value in own.items():
        loaded = Loaded(folders["gpt2"])
        setattr(loaded.model.generation_config, name, value)
        assert loaded.decode(PROMPTS, 4) == plain, name


def test_a_continuation_ends_where_the_context_does_and_not_before(loaded: Loaded) -> None:
    """Prompts of 5, 60 and 63 tokens; a text has at most the 64 of the context."""
    lengths = (5, CONTEXT_LENGTH - 4, CONTEXT_LENGTH - 1)
    prompts = [loaded.tokenizer("a" * length).input_ids for length in lengths]
    continued = continue_tokens(loaded.model, prompts, 9, end=None, tokens_per_batch=1000)
    assert list(map(len, continued)) == [9, 4, 1]
    for prompt, tokens in zip(prompts, continued, strict=True):
        read = torch.tensor([[*prompt, *tokens[:-1]]])
        with torch.inference_mode():
            logits = loaded.model(read, use_cache=False).logits[0]
        assert tokens.tolist() == logits[len(prompt) - 1 :].argmax(-1).tolist()


def test_prompts_of_several_lengths_share_a_batch_while_the_context_has_room(
    loaded: Loaded,
) -> None:
    """The prompts of 5, 9 and 12 tokens share three passes.

    The prompt of 62 has room for two tokens, and takes two passes alone.
    """
    prompts = [loaded.tokenizer("a" * length).input_ids for length in (5, 12, 9, 62)]
    rows = []

    def count(_model: object, _arguments: object, options: dict[str, torch.Tensor]) -> None:
        rows.append(len(options["input_ids"]))

    handle = loaded.model.register_forward_pre_hook(count, with_kwargs=True)
    continued = continue_tokens(loaded.model, prompts, 3, end=None, tokens_per_batch=1000)
    handle.remove()
    assert rows == [3, 3, 3, 1, 1]
    assert [len(tokens) for tokens in continued] == [3, 3, 3, 2]


def test_a_model_without_a_cache_reads_at_most_the_tokens_of_a_pass() -> None:
    """Its last pass for 4 new tokens reads 8 tokens of each text: three texts have 24."""
    model = tiny_model("openai-gpt", {})
    sizes = []

    def count(_model: object, _arguments: object, options: dict[str, torch.Tensor]) -> None:
        sizes.append(options["input_ids"].numel())

    model.register_forward_pre_hook(count, with_kwargs=True)
    prompts = [[5, 6, 7, 8, first] for first in range(10, 16)]
    continue_tokens(model, prompts, 4, end=None, tokens_per_batch=24)
    assert sizes == [15, 18, 21, 24] * 2


def test_a_prompt_that_leaves_no_room_for_the_answer_is_refused_before_any_is_read(
    loaded: Loaded,
) -> None:
    fitting = "a" * (CONTEXT_LENGTH - NEW_TOKENS)
    assert loaded.decode([fitting], 1)

    passes = []
    loaded.model.register_forward_pre_hook(lambda *_arguments: passes.append(1))
    with pytest.raises(UserError) as refused:
        loaded.decode(["a", f"{fitting}a"], 1)
    assert not passes
    assert str(refused.value) == (
        "a prompt of 53 tokens and 12 for the answer exceed the model's context of 64; "
        "take a model with a longer context, or shorter prompts"
    )
