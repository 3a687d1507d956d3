"""Capture against transformers' own outputs, one prompt at a time, for every family and the real model.

The scores of tokens against a float64 loop over the model's own logits.
"""

import math
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from transformers import PreTrainedModel

from mechaware.core.errors import UserError
from mechaware.models.activations import Activations, PromptActivations, save_shard, split_prompts
from mechaware.models.batching import length_batches
from mechaware.models.capture import capture, encode_prompts, score_tokens
from mechaware.models.families.supported import FAMILIES, find_modules
from mechaware.models.registry import load_model, load_tokenizer, write_manifest
from mechaware.models.summaries import TokenScores
from tests.tiny_models import make_tiny_model
from tests.unit.models.tiny_llama import tiny_llama, with_start

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
LENGTHS = (3, 17, 1, 9, 9, 30, 2)
MANY = 10_000


def random_prompts(vocabulary: int) -> list[list[int]]:
    generator = torch.Generator().manual_seed(5)
    return [
        torch.randint(vocabulary, (length,), generator=generator).tolist() for length in LENGTHS
    ]


def relative_error(mine: torch.Tensor, theirs: torch.Tensor) -> torch.Tensor:
    """The length of the difference of two vectors over the length of the second, for every token and layer.

    Single entries of the real model's states reach 20,000 next to others near 0: float32 holds the vector to 1e-5, not
    each of its entries.
    """
    return (mine - theirs).norm(dim=-1) / theirs.norm(dim=-1)


@torch.inference_mode()
def one_at_a_time(model: PreTrainedModel, ids: list[int]) -> PromptActivations:
    """The same quantities from transformers' documented outputs and a hook on the last block, for one prompt alone."""
    modules = find_modules(model)
    outputs_of_the_last_block = []

    def keep_output(_module: object, _arguments: object, output: Any) -> None:
        outputs_of_the_last_block.append(output[0] if isinstance(output, tuple) else output)

    hook = modules.blocks[-1].register_forward_hook(keep_output)
    out = model(
        torch.tensor([ids]), output_hidden_states=True, output_attentions=True, use_cache=False
    )
    hook.remove()

    # transformers' last entry has the final norm applied; all others are the raw outputs of the blocks.
    (last,) = outputs_of_the_last_block
    assert relative_error(modules.final_norm(last), out.hidden_states[-1]).max() < 1e-5
    states = [*out.hidden_states[1:-1], last]

    # The logit lens at the last token.
    unembedding = model.get_output_embeddings()
    logits = [unembedding(modules.final_norm(state[0, -1])) for state in states]
    assert relative_error(logits[-1], out.logits[0, -1]) < 1e-5
    log_probabilities = torch.stack(logits).double().log_softmax(-1)
    probabilities = log_probabilities.exp()

    attentions = torch.stack(out.attentions)[:, 0].double()  # layer, head, query, key
    row_entropy = -(attentions * attentions.clamp_min(1e-300).log()).sum(-1)
    return PromptActivations(
        hidden_states=torch.stack(states)[:, 0].transpose(0, 1),
        attention_row_entropy=row_entropy.permute(2, 0, 1).float(),
        confidence=probabilities.amax(-1).float(),
        entropy=-(probabilities * log_probabilities).sum(-1).float(),
    )


def assert_same(ours: Activations, model: PreTrainedModel, prompts: list[list[int]]) -> None:
    for mine, ids in zip(split_prompts(ours), prompts, strict=True):
        theirs = one_at_a_time(model, ids)
        assert relative_error(mine.hidden_states, theirs.hidden_states).max() < 1e-5
        for name in ("attention_row_entropy", "confidence", "entropy"):
            named = partial("{}: {}".format, name)
            torch.testing.assert_close(
                getattr(mine, name), getattr(theirs, name), **CLOSE, msg=named
            )


@pytest.fixture(scope="module", params=FAMILIES)
def tiny(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> PreTrainedModel:
    folder = make_tiny_model(request.param, tmp_path_factory.mktemp(request.param))
    return load_model(folder, torch.device("cpu"))


@pytest.mark.parametrize("tokens_per_batch", [1, 40, 10_000])
def test_capture_equals_transformers_one_prompt_at_a_time(
    tiny: PreTrainedModel, tokens_per_batch: int
) -> None:
    prompts = random_prompts(tiny.config.vocab_size)
    hooks = [list(module._forward_hooks) for module in tiny.modules()]
    captured = capture(tiny, prompts, tokens_per_batch=tokens_per_batch)
    assert [list(module._forward_hooks) for module in tiny.modules()] == hooks
    assert_same(captured, tiny, prompts)
    # Were attention uniform, the row entropies of any two models would agree, and the comparison would prove nothing.
    uniform = torch.arange(1, 31).log()[:, None, None]
    longest = list(split_prompts(captured))[5]
    assert (uniform - longest.attention_row_entropy).abs().max() > 0.1


def test_logits_that_do_not_fit_their_space_are_read_in_parts_with_the_bias_of_the_unembedding(
    tiny: PreTrainedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    bias = nn.Parameter(torch.linspace(-5, 5, tiny.config.vocab_size))
    monkeypatch.setitem(find_modules(tiny).unembedding._parameters, "bias", bias)
    monkeypatch.setattr("mechaware.models.capture._LENS_BYTES", 5 * 4 * tiny.config.vocab_size)
    monkeypatch.setattr("mechaware.models.capture._SOFTMAX_ROWS", 2)
    prompts = random_prompts(tiny.config.vocab_size)
    assert_same(capture(tiny, prompts, tokens_per_batch=40), tiny, prompts)


def test_a_block_that_does_not_run_is_an_error(tmp_path: Path) -> None:
    model = load_model(make_tiny_model("gpt2", tmp_path / "m"), torch.device("cpu"))
    skipped = model.transformer.h[1].attn
    model.transformer.h[1].forward = lambda hidden_states, *_, **__: hidden_states
    with pytest.raises(RuntimeError, match=r"ran \[1, 0, 1\] times"):
        capture(model, [[1, 2, 3]], tokens_per_batch=10)
    assert not skipped._forward_hooks


def test_a_prompt_longer_than_the_context_is_refused_by_its_name(tmp_path: Path) -> None:
    folder = make_tiny_model("gpt2", tmp_path / "m")
    manifest = write_manifest(folder, name="tiny", kind="local", source="here", revision="local")
    tokenizer = load_tokenizer(folder)  # one token for each byte
    longest = "a" * manifest.context_length
    about = {
        "model": "tiny",
        "context_length": manifest.context_length,
        "n_embeddings": manifest.vocab_size,
    }
    token_ids = encode_prompts([longest, "b"], ["x", "y"], tokenizer, **about)
    assert [len(ids) for ids in token_ids] == [64, 1]

    with pytest.raises(
        UserError, match=r"^y: 65 tokens, but tiny reads at most 64; shorten the prompt or choose"
    ):
        encode_prompts([longest, longest + "a"], ["x", "y"], tokenizer, **about)


def test_batches_hold_every_prompt_once_and_keep_to_their_tokens() -> None:
    counts = np.random.default_rng(0).integers(1, 40, size=200).tolist()
    held = []
    for batch in length_batches(counts, 100):
        longest = max(counts[index] for index in batch)
        assert len(batch) * longest <= 100
        held += batch
    assert sorted(held) == list(range(200))

    # A longer prompt is a batch of its own.
    assert list(length_batches([500], 100)) == [[0]]
    # 2 x 50 tokens are all that fit.
    assert list(length_batches([50, 30, 20, 50], 100)) == [[2, 1], [0, 3]]
    assert list(length_batches([51, 30, 20, 50], 100)) == [[2, 1], [3], [0]]


def test_activations_written_twice_are_the_same_bytes(
    tmp_path: Path, tiny: PreTrainedModel
) -> None:
    """Ten times, since keys in a random order could agree: eight keys in one order of 8! would, ten times, never."""
    activations = capture(tiny, random_prompts(tiny.config.vocab_size)[:2], tokens_per_batch=99)
    description = {f"key {number}": "value" for number in range(8)}
    for number in range(10):
        save_shard(
            activations._asdict(),
            tmp_path / f"{number}",
            prompt_ids=["a", "b"],
            description=description,
        )
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1


# Scores of tokens

TEXTS = [[0, 5, 9, 3], [0, 7, 7, 8, 70, 90, 2, 11, 4], [0, 250], [0, 31, 32, 33, 34, 35, 36]]


@pytest.fixture(scope="module")
def llama() -> PreTrainedModel:
    return tiny_llama(with_start(["some text"]))


def naive_scores(
    model: PreTrainedModel, ids: list[int], first: int
) -> list[tuple[float, float, float, float]]:
    """Log-probability, mean, deviation and best of each token, by their definitions, one text and token at a time."""
    with torch.inference_mode():
        logits = model(torch.tensor([ids])).logits[0].double().numpy()
    rows = []
    for place in range(first, len(ids)):
        shifted = logits[place - 1] - max(logits[place - 1])
        log_sum = math.log(sum(math.exp(value) for value in shifted))
        log_probs = [float(value - log_sum) for value in shifted]

        mean = sum(math.exp(value) * value for value in log_probs)
        variance = sum(math.exp(value) * (value - mean) ** 2 for value in log_probs)
        rows.append((log_probs[ids[place]], mean, math.sqrt(variance), max(log_probs)))
    return rows


def columns(scores: TokenScores) -> np.ndarray:
    return np.column_stack([scores.log_probs, scores.means, scores.deviations, scores.best])


class MadeLogits:
    """A model whose logits are given, the same at every position."""

    device = torch.device("cpu")

    def __init__(self, logits: list[float]) -> None:
        self.logits = torch.tensor(logits)

    def __call__(self, *, input_ids: torch.Tensor, **_settings: bool) -> SimpleNamespace:
        return SimpleNamespace(logits=self.logits.expand(*input_ids.shape, len(self.logits)))


@pytest.mark.parametrize("logit", [0.0, 0.3, -1.7])
def test_constant_logits_give_a_deviation_of_exactly_zero(logit: float) -> None:
    (scores,) = score_tokens(MadeLogits([logit] * 1000), [[0, 1, 2]], [1], tokens_per_batch=MANY)
    assert scores.deviations.tolist() == [0.0, 0.0]
    assert scores.means.tolist() == scores.log_probs.tolist() == scores.best.tolist()
    np.testing.assert_allclose(scores.log_probs, -math.log(1000), rtol=1e-12)


def test_a_nearly_certain_token_has_the_deviation_of_its_rare_alternative() -> None:
    # p = exp(-40) of another token: the mean square less the squared mean would be 0 or negative.
    (scores,) = score_tokens(MadeLogits([40.0, 0.0]), [[0, 0]], [1], tokens_per_batch=MANY)
    np.testing.assert_allclose(scores.deviations, [40 * math.exp(-20)], rtol=1e-9)


@pytest.mark.parametrize("tokens_per_batch", [1, 14, MANY])
def test_the_scores_are_those_of_a_loop_in_float64_and_padding_changes_nothing(
    llama: PreTrainedModel, tokens_per_batch: int
) -> None:
    together = score_tokens(llama, TEXTS, [1] * len(TEXTS), tokens_per_batch=tokens_per_batch)
    for ids, scores in zip(TEXTS, together, strict=True):
        (alone,) = score_tokens(llama, [ids], [1], tokens_per_batch=MANY)
        np.testing.assert_allclose(
            columns(alone), naive_scores(llama, ids, 1), rtol=1e-9, atol=1e-9
        )
        assert scores.ids.tolist() == alone.ids.tolist() == ids[1:]
        # Another batch adds float32 numbers of up to 6 in another order; there a unit of the last place is 5e-7.
        np.testing.assert_allclose(columns(scores), columns(alone), rtol=0, atol=5e-6)


def test_what_all_texts_begin_with_is_read_once(llama: PreTrainedModel) -> None:
    """A beginning of 20 tokens and texts of 3, 5 and 2 more; the beginning's last token is read with each."""
    beginning = list(range(1, 21))
    texts = [[*beginning, 4, 7, 9], [*beginning, 4, 7, 2, 8, 3], [*beginning, 6, 1]]
    n_read = []

    def count(_model: object, _arguments: object, options: dict[str, torch.Tensor]) -> None:
        n_read.append(options["input_ids"].numel())

    handle = llama.register_forward_pre_hook(count, with_kwargs=True)
    score_tokens(llama, texts, [20, 20, 20], tokens_per_batch=MANY)
    handle.remove()
    assert n_read == [19, 3 * 6]


def test_tokens_before_the_first_are_context_alone(llama: PreTrainedModel) -> None:
    first = [2, 5, 1, 6]
    whole = score_tokens(llama, TEXTS, [1] * len(TEXTS), tokens_per_batch=MANY)
    later = score_tokens(llama, TEXTS, first, tokens_per_batch=MANY)
    for ids, start, part, all_tokens in zip(TEXTS, first, later, whole, strict=True):
        assert part.ids.tolist() == ids[start:]
        np.testing.assert_array_equal(columns(part), columns(all_tokens)[start - 1 :])
