"""Settings of a model: half precision, other attention, accelerate's devices, a small memory.

Each must give the numbers of the default settings, up to rounding, or one line that names the
fault.
"""

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
    """The model of `folder` on the CPU with these settings."""
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
            weights = output.attentions[layer][0].double()  # (head, query, key)
            # Weight 0, of a key that is not seen, times log 1e-30 is 0.
            entropy = -(weights * weights.clamp(min=1e-30).log()).sum(-1).T  # (query, head)
            # Ours are float32 sums over the same weights, which are rounded to half precision.
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


def test_scores_in_half_precision_are_computed_in_float64_from_the_models_own_logits(
    folder: Path,
) -> None:
    model = loaded(folder, "bfloat16")
    prompt = PROMPTS[2]
    (scores,) = score_tokens(model, [prompt], [1], tokens_per_batch=100)
    with torch.inference_mode():
        logits = model(torch.tensor([prompt])).logits[0].double()
    # The logits themselves are bfloat16.
    assert logits.to(torch.bfloat16).double().equal(logits)
    expected = []
    for position, next_token in enumerate(prompt[1:]):
        expected.append(float(logits[position].log_softmax(-1)[next_token]))
    np.testing.assert_allclose(scores.log_probs, expected, rtol=0, atol=1e-12)


def test_attention_is_eager_where_its_weights_are_read_and_as_chosen_elsewhere(
    folder: Path,
) -> None:
    eager = loaded(folder)
    sdpa = loaded(folder, attention="sdpa")
    expected = capture(eager, PROMPTS, tokens_per_batch=100)
    captured = capture(sdpa, PROMPTS, tokens_per_batch=100)
    for name, tensor in expected._asdict().items():
        assert torch.equal(getattr(captured, name), tensor), name
    assert sdpa.config._attn_implementation == "sdpa"

    for with_eager, with_sdpa in zip(scored(eager), scored(sdpa), strict=True):
        np.testing.assert_allclose(with_eager, with_sdpa, rtol=0, atol=1e-5)


def test_flash_attention_without_its_package_is_refused(folder: Path) -> None:
    with pytest.raises(UserError, match="model: attention: flash or the weights need a package"):
        loaded(folder, attention="flash")


@pytest.mark.parametrize(
    ("model_type", "attention", "message"),
    [
        ("mistral", "flash", r"attention: flash cannot be computed for this model \(.*\); choose"),
        ("mamba", "sdpa", r"attention: sdpa cannot be computed for this model \(.*\); choose"),
    ],
)
def test_attention_that_a_model_of_transformers_cannot_compute_is_refused_in_one_line(
    folder: Path, model_type: str, attention: Attention, message: str
) -> None:
    model = tiny_model(model_type, {"state_size": 8})
    with pytest.raises(UserError, match=message) as raised:
        ma.load((model, load_tokenizer(folder)), attention=attention)
    assert "\n" not in str(raised.value)


def test_the_log_has_the_number_of_parameters_and_their_memory(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand, for a vocabulary of 257 and a width of 32."""
    attention = 2 * 32 * 32 + 2 * 32 * 16  # q and o; k and v, which have half as many heads
    mlp = 3 * 32 * 64
    block = attention + mlp + 2 * 32  # and two norms
    n_parameters = 2 * 257 * 32 + N_LAYERS * block + 32  # and embedding, unembedding, final norm
    loaded(folder, "bfloat16")
    assert f"model: {n_parameters:,} parameters in bfloat16 take 0.0 GB" in capsys.readouterr().err


def test_a_model_that_accelerate_distributes_has_the_numbers_of_one_device(folder: Path) -> None:
    distributed = load_model(folder, CPU, ModelSettings(device_map="auto"))
    expected = capture(loaded(folder), PROMPTS, tokens_per_batch=100)
    captured = capture(distributed, PROMPTS, tokens_per_batch=100)
    for name, tensor in expected._asdict().items():
        assert torch.equal(getattr(captured, name), tensor), name


class SmallMemory:
    """Lets a model run out of GPU memory in each pass over more than `max_texts` texts.

    `batch_sizes` lists the numbers of texts of the passes that fit.
    """

    def __init__(self, model: PreTrainedModel, max_texts: int) -> None:
        self.max_texts = max_texts
        self.batch_sizes: list[int] = []
        model.get_input_embeddings().register_forward_pre_hook(self.allocate)

    def allocate(self, _module: object, arguments: tuple[torch.Tensor, ...]) -> None:
        batch_size = len(arguments[0])
        if batch_size > self.max_texts:
            raise torch.OutOfMemoryError("CUDA out of memory")
        self.batch_sizes.append(batch_size)


# Computations that run a batch in halves if it does not fit, each with its results as a list of
# tensors. `decode` has a test of its own.


def captured_tensors(model: PreTrainedModel) -> list[torch.Tensor]:
    return list(capture(model, PROMPTS, tokens_per_batch=100))


def scored(model: PreTrainedModel) -> list[torch.Tensor]:
    first_scored = [1] * len(PROMPTS)
    texts = score_tokens(model, PROMPTS, first_scored, tokens_per_batch=100)
    return [torch.tensor(text.log_probs) for text in texts]


def logits_at_the_end(model: PreTrainedModel) -> list[torch.Tensor]:
    return list(final_logits(model, PROMPTS, tokens_per_batch=100))


def continued(model: PreTrainedModel) -> list[torch.Tensor]:
    continuations = continue_tokens(model, [[5, 9]] * 3, 4, end=None, tokens_per_batch=100)
    return [torch.tensor(ids) for ids in continuations]


COMPUTATIONS = (captured_tensors, scored, logits_at_the_end, continued)


def test_a_batch_that_does_not_fit_has_the_answers_of_its_prompts_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Five prompts, not in the order of their lengths, where two fit: 5 = 2 + 3, and 3 = 1 + 2."""
    model = loaded(folder)
    tokenizer = load_tokenizer(folder)
    prompts = ["tables and rows", "b", "SELECT price", "### Response:", "four"]

    def decoded(batch_size: int) -> list[str]:
        return decode(model, tokenizer, prompts, max_new_tokens=6, batch_size=batch_size)

    expected = decoded(1)
    # The answers differ, so that answers in another order would be detected.
    assert len(set(expected)) > 3
    memory = SmallMemory(model, max_texts=2)
    capsys.readouterr()
    assert decoded(5) == expected
    log = capsys.readouterr().err
    halved = [size for size in range(1, 6) if f"a batch of {size} texts does not fit" in log]
    assert halved == [3, 5]
    assert max(memory.batch_sizes) == 2

    SmallMemory(model, max_texts=0)
    with pytest.raises(
        UserError, match=r"^one text does not fit in the GPU's memory together with the model"
    ):
        decoded(5)


@pytest.mark.parametrize("compute", COMPUTATIONS)
def test_a_batch_that_does_not_fit_is_run_in_halves_with_the_same_numbers(
    compute: Callable[[PreTrainedModel], list[torch.Tensor]],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    model = loaded(folder)
    expected = compute(model)
    SmallMemory(model, max_texts=2)
    for in_halves, whole in zip(compute(model), expected, strict=True):
        torch.testing.assert_close(in_halves, whole, rtol=0, atol=1e-5)
    assert "texts does not fit the GPU's memory; it is run in halves" in capsys.readouterr().err

    SmallMemory(model, max_texts=0)
    with pytest.raises(
        UserError, match=r"^one text does not fit in the GPU's memory together with the model"
    ):
        compute(model)
