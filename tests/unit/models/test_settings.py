"""A model in half precision, with other attention, on the devices of accelerate, and in batches that do not fit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, PreTrainedModel

import mechaware as ma
from mechaware.core.errors import UserError
from mechaware.models.activations import split_prompts
from mechaware.models.capture import capture
from mechaware.models.decoding import continue_tokens, decode
from mechaware.models.final_logits import final_logits
from mechaware.models.registry import load_model, load_tokenizer
from mechaware.models.settings import Attention, Dtype, ModelSettings
from mechaware.models.token_scores import score_tokens
from tests.architectures import tiny_model
from tests.tiny_models import make_tiny_model

CPU = torch.device("cpu")
PROMPTS = [[5, 9, 70, 31], [4, 4, 8], [120, 7, 7, 60, 13], [9, 33]]
N_LAYERS = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model("llama", tmp_path_factory.mktemp("tiny") / "model", n_layers=N_LAYERS)


def loaded(folder: Path, dtype: Dtype = "float32", attention: Attention = "eager") -> Any:
    return load_model(folder, CPU, ModelSettings(dtype=dtype, attention=attention))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_activations_in_half_precision_are_those_of_transformers_in_half_precision(
    folder: Path, dtype: Dtype
) -> None:
    model = loaded(folder, dtype)
    peer = AutoModelForCausalLM.from_pretrained(
        folder, dtype=getattr(torch, dtype), attn_implementation="eager"
    ).eval()
    captured = capture(model, PROMPTS, tokens_per_batch=1)
    for prompt, ours in zip(PROMPTS, split_prompts(captured), strict=True):
        with torch.inference_mode():
            output = peer(torch.tensor([prompt]), output_hidden_states=True, output_attentions=True)

        for layer in range(N_LAYERS):
            weights = output.attentions[layer][0].double()
            entropy = -(weights * weights.clamp(min=1e-30).log()).sum(-1).T
            # float32 sums of weights that are rounded to half precision.
            torch.testing.assert_close(
                ours.attention_row_entropy[:, layer].double(), entropy, rtol=0, atol=1e-5
            )

        # The last state of transformers has the final norm applied.
        for layer in range(N_LAYERS - 1):
            state = output.hidden_states[layer + 1][0]
            torch.testing.assert_close(ours.hidden_states[:, layer], state.float(), rtol=0, atol=0)

        probabilities = output.logits[0, -1].double().softmax(-1)
        largest = float(probabilities.max())
        assert ours.confidence[-1].item() == pytest.approx(largest, abs=1e-2)


def test_scores_in_half_precision_are_exact_sums_of_the_models_own_logits(folder: Path) -> None:
    model = loaded(folder, "bfloat16")
    (scores,) = score_tokens(model, [PROMPTS[2]], [1], tokens_per_batch=100)
    with torch.inference_mode():
        logits = model(torch.tensor([PROMPTS[2]])).logits[0].double()
    assert logits.to(torch.bfloat16).double().equal(logits)
    expected = []
    for place, token in enumerate(PROMPTS[2][1:]):
        expected.append(float(logits[place].log_softmax(-1)[token]))
    np.testing.assert_allclose(scores.log_probs, expected, rtol=0, atol=1e-12)


def test_attention_is_eager_where_its_weights_are_read_and_as_chosen_elsewhere(
    folder: Path,
) -> None:
    eager = loaded(folder)
    fast = loaded(folder, attention="sdpa")
    expected = capture(eager, PROMPTS, tokens_per_batch=100)
    captured = capture(fast, PROMPTS, tokens_per_batch=100)
    for name, tensor in expected._asdict().items():
        assert torch.equal(getattr(captured, name), tensor), name
    assert fast.config._attn_implementation == "sdpa"

    by_eager = score_tokens(eager, PROMPTS, [1] * 4, tokens_per_batch=100)
    by_fast = score_tokens(fast, PROMPTS, [1] * 4, tokens_per_batch=100)
    for text, other in zip(by_eager, by_fast, strict=True):
        np.testing.assert_allclose(text.log_probs, other.log_probs, rtol=0, atol=1e-5)


def test_flash_attention_without_its_package_is_one_line(folder: Path) -> None:
    with pytest.raises(UserError, match="model: attention: flash or the weights need a package"):
        loaded(folder, attention="flash")


@pytest.mark.parametrize(
    ("model_type", "attention", "message"),
    [
        ("mistral", "flash", r"attention: flash cannot be computed for this model \(.*\); choose"),
        ("mamba", "sdpa", r"attention: sdpa cannot be computed for this model \(.*\); choose"),
    ],
)
def test_attention_that_a_model_of_transformers_cannot_compute_is_one_line(
    folder: Path, model_type: str, attention: Attention, message: str
) -> None:
    model = tiny_model(model_type, {"state_size": 8})
    with pytest.raises(UserError, match=message) as raised:
        ma.load((model, load_tokenizer(folder)), attention=attention)
    assert "\n" not in str(raised.value)


def test_what_a_model_needs_is_said_before_it_is_loaded(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand: 257 embeddings in and out; in a block q, o (32 x 32), k, v (32 x 16), an MLP of 64 and two norms."""
    block = 2 * 32 * 32 + 2 * 32 * 16 + 3 * 32 * 64 + 2 * 32
    n_parameters = 2 * 257 * 32 + N_LAYERS * block + 32
    loaded(folder, "bfloat16")
    assert f"model: {n_parameters:,} parameters in bfloat16 take 0.0 GB" in capsys.readouterr().err


def test_a_model_that_accelerate_places_has_the_numbers_of_one_device(folder: Path) -> None:
    placed = load_model(folder, CPU, ModelSettings(device_map="auto"))
    expected = capture(loaded(folder), PROMPTS, tokens_per_batch=100)
    captured = capture(placed, PROMPTS, tokens_per_batch=100)
    for name, tensor in expected._asdict().items():
        assert torch.equal(getattr(captured, name), tensor), name


class SmallMemory:
    """A model on a GPU that holds `rows` rows: a pass over more of them runs out of memory.

    `read` lists the rows of the passes that fit.
    """

    def __init__(self, model: PreTrainedModel, rows: int) -> None:
        self.rows = rows
        self.read: list[int] = []
        model.get_input_embeddings().register_forward_pre_hook(self.allocate)

    def allocate(self, _module: object, arguments: tuple[torch.Tensor, ...]) -> None:
        if len(arguments[0]) > self.rows:
            raise torch.OutOfMemoryError("CUDA out of memory")
        self.read.append(len(arguments[0]))


def scored(model: PreTrainedModel) -> list[torch.Tensor]:
    texts = score_tokens(model, PROMPTS, [1] * 4, tokens_per_batch=100)
    return [torch.tensor(text.log_probs) for text in texts]


def continued(model: PreTrainedModel) -> list[torch.Tensor]:
    rows = continue_tokens(model, [[5, 9]] * 3, 4, end=None, tokens_per_batch=100)
    return [torch.tensor(ids) for ids in rows]


READERS: dict[str, Callable[[PreTrainedModel], list[torch.Tensor]]] = {
    "capture": lambda model: list(capture(model, PROMPTS, tokens_per_batch=100)),
    "score": scored,
    "final logits": lambda model: list(final_logits(model, PROMPTS, tokens_per_batch=100)),
    "continue": continued,
}


def test_answers_of_batches_that_do_not_fit_are_those_of_batches_that_do(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Five prompts of unequal lengths, not sorted by them: in halves of two and three, and the three in halves."""
    model = loaded(folder)
    tokenizer = load_tokenizer(folder)
    prompts = ["tables and rows", "b", "SELECT price", "### Response:", "four"]

    def decoded(batch_size: int) -> list[str]:
        return decode(model, tokenizer, prompts, max_new_tokens=6, batch_size=batch_size)

    expected = decoded(1)
    assert len(set(expected)) > 3  # or the order would not show
    rows = SmallMemory(model, rows=2).read
    capsys.readouterr()
    assert decoded(5) == expected
    # A whole batch of 5 fails, and of its halves of 2 and 3 the second.
    log = capsys.readouterr().err
    cut = [n for n in range(1, 6) if f"a batch of {n} texts does not fit" in log]
    assert cut == [3, 5]
    assert max(rows) == 2
    SmallMemory(model, rows=0)
    with pytest.raises(
        UserError, match=r"^one text does not fit in the GPU's memory together with the model"
    ):
        decoded(5)


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_batch_that_does_not_fit_is_read_in_halves_with_the_same_numbers(
    read: Callable[[PreTrainedModel], list[torch.Tensor]],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = loaded(folder)
    expected = read(model)
    SmallMemory(model, rows=2)
    for tensor, whole in zip(read(model), expected, strict=True):
        torch.testing.assert_close(tensor, whole, rtol=0, atol=1e-5)
    assert "texts does not fit the GPU's memory; it is run in halves" in capsys.readouterr().err
    SmallMemory(model, rows=0)
    with pytest.raises(
        UserError, match=r"^one text does not fit in the GPU's memory together with the model"
    ):
        read(model)
