"""Everything that reads or trains a model on a GPU gives the CPU's numbers.

On the fake GPU of tests/fake_gpu.py they are the same to the bit. If the machine has a real GPU, it
is tested too: its numbers are the same within `TOLERANCE`, apart from random draws, and a training
on it writes the same files, whose bytes may differ. Left out: the training of grounding, whose
device HF's Trainer chooses, and the commands in scripts/.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from torch.utils._pytree import tree_leaves
from transformers import PreTrainedModel

from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.capture import capture
from mechaware.models.decoding import decode
from mechaware.models.devices import default_device, device_named
from mechaware.models.families.supported import FAMILIES, find_modules
from mechaware.models.final_logits import final_logits
from mechaware.models.patching.kv_cut import cut_pairs
from mechaware.models.patching.residual import map_pairs, patch_pairs
from mechaware.models.registry import load_model, load_tokenizer, write_manifest
from mechaware.models.token_scores import score_tokens
from mechaware.models.training import LineRecipe
from mechaware.planted.twins import training
from tests.fake_gpu import fake_gpu
from tests.tiny_models import make_tiny_model
from tests.unit.models.patching.naive_patching import N_LAYERS, random_pairs

CPU = torch.device("cpu")
VOCABULARY = 12
# By pair: tokens of each prompt, position of the word, tokens of the word.
PAIRS = random_pairs(VOCABULARY, ((10, 3, 2), (7, 0, 1), (17, 12, 3)))
PROMPTS = [pair.clean for pair in PAIRS]
TOLERANCE = 1e-5  # of a real GPU in float32
TOKENS_PER_BATCH = 150  # two batches of the patched runs, one of them with two pairs
RECIPE = LineRecipe(batch_size=2, learning_rate=1e-2, warmup_steps=1, weight_decay=0.1)


def families_and_gpus() -> list[Any]:
    """Cases (family, whether the GPU is real): each family with the fake GPU, and with the real one
    if there is one. Most families are left to the gate.
    """
    cases = []
    for family in FAMILIES:
        marks = () if family in ("gpt_neo", "llama") else pytest.mark.gate
        cases.append(pytest.param((family, False), marks=marks))
        if torch.cuda.is_available():
            cases.append(pytest.param((family, True), marks=marks))
    return cases


class Loaded(NamedTuple):
    """One model folder, loaded on the CPU and on a GPU, which is `real` or the fake one."""

    folder: Path
    real: bool
    cpu: PreTrainedModel
    gpu: PreTrainedModel

    @property
    def tolerance(self) -> float:
        """By how much numbers may differ: not at all on the fake GPU, which computes on the CPU."""
        return TOLERANCE if self.real else 0.0


def gpu_of(*, real: bool) -> AbstractContextManager[torch.device]:
    """The real GPU, or the fake one for the time of the context."""
    return nullcontext(torch.device("cuda", 0)) if real else fake_gpu()


def load_aligned(folder: Path, device: torch.device) -> PreTrainedModel:
    """A model whose weights are copied from a file's memory into torch's own.

    A weight's address in a file's memory may not be aligned, and matrix products then round
    differently.
    """
    model = load_model(folder, device)
    for parameter in model.parameters():
        parameter.data = parameter.data.clone()
    return model


@pytest.fixture(scope="module", params=families_and_gpus())
def loaded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    family, real = request.param
    folder = make_tiny_model(family, tmp_path_factory.mktemp(family), n_layers=N_LAYERS)
    with gpu_of(real=real) as gpu:
        return Loaded(folder, real, load_aligned(folder, CPU), load_model(folder, gpu))


def assert_same(result: object, expected: object, tolerance: float) -> None:
    """The same numbers, to `tolerance`, with all tensors on the CPU.

    `result` and `expected` are arrays, tensors, numbers or texts, or tuples, lists and dicts of
    them.
    """
    pairs = list(zip(tree_leaves(result), tree_leaves(expected), strict=True))
    assert pairs
    for own, other in pairs:
        if isinstance(own, torch.Tensor):
            assert own.device == CPU
            torch.testing.assert_close(own, other, rtol=tolerance, atol=tolerance)
        elif isinstance(own, str):
            assert own == other
        else:
            np.testing.assert_allclose(own, other, rtol=tolerance, atol=tolerance)


# The fake itself

MIXING: dict[str, Callable[[torch.Tensor, torch.Tensor], object]] = {
    "add": lambda gpu, cpu: gpu + cpu,
    "matmul": lambda gpu, cpu: gpu @ cpu,
    "cat": lambda gpu, cpu: torch.cat([gpu, cpu]),
    "gather": lambda gpu, cpu: gpu.gather(0, cpu.long()),
    "in place": lambda gpu, cpu: cpu.add_(gpu),
    "assigned by index": lambda gpu, cpu: cpu.__setitem__([0, 1], gpu),
    "foreach": lambda gpu, cpu: torch._foreach_mul([gpu], [cpu]),
}


@pytest.mark.parametrize("mix", MIXING.values(), ids=MIXING)
def test_an_operation_on_both_devices_is_cudas_error(
    mix: Callable[[torch.Tensor, torch.Tensor], object],
) -> None:
    with fake_gpu() as gpu:
        mix(torch.eye(2, device=gpu), torch.eye(2, device=gpu))
        with pytest.raises(RuntimeError, match="at least two devices, cuda:0 and cpu!"):
            mix(torch.eye(2, device=gpu), torch.eye(2))
        scaled = torch.eye(2, device=gpu) * torch.tensor(3.0)  # which CUDA allows
        assert (scaled.device, scaled.tolist()) == (gpu, [[3, 0], [0, 3]])


# Readings: numbers from a model on the GPU, returned on the CPU

READINGS: dict[str, Callable[[PreTrainedModel], object]] = {
    "capture": lambda model: capture(model, PROMPTS, tokens_per_batch=20),
    "score_tokens": lambda model: score_tokens(model, PROMPTS, [1, 2, 3], tokens_per_batch=20),
    "final_logits": lambda model: final_logits(model, PROMPTS, tokens_per_batch=20),
    "patch_pairs": lambda model: patch_pairs(model, PAIRS, tokens_per_batch=TOKENS_PER_BATCH),
    "cut_pairs": lambda model: cut_pairs(
        model, PAIRS, [[[], [1], [2, 3]]] * len(PAIRS), tokens_per_batch=TOKENS_PER_BATCH
    ),
    "map_pairs": lambda model: map_pairs(
        model,
        PAIRS,
        [[pair.position, len(pair.clean) - 1] for pair in PAIRS],
        tokens_per_batch=TOKENS_PER_BATCH,
    ),
}
reading = pytest.mark.parametrize("read", READINGS.values(), ids=READINGS)


@reading
def test_a_reading_of_a_model_on_the_gpu_gives_the_cpus_numbers_on_the_cpu(
    read: Callable[[PreTrainedModel], object], loaded: Loaded
) -> None:
    expected = read(loaded.cpu)
    with gpu_of(real=loaded.real) as gpu:
        assert loaded.gpu.device == gpu
        assert_same(read(loaded.gpu), expected, loaded.tolerance)


# Texts


def test_decoding_on_the_gpu_gives_the_cpus_answers(loaded: Loaded) -> None:
    texts = ["### Response:", "a", "SELECT price FROM orders", "tables"]

    def read(model: PreTrainedModel) -> list[str]:
        return decode(model, load_tokenizer(loaded.folder), texts, max_new_tokens=4, batch_size=3)

    expected = read(loaded.cpu)
    assert all(expected)
    with gpu_of(real=loaded.real):
        assert read(loaded.gpu) == expected


def test_lines_are_read_and_continued_on_the_gpu_as_on_the_cpu(loaded: Loaded) -> None:
    lines = [
        QuestionAnswer("Lork zul:", " Bamor."),
        QuestionAnswer("Da ket:", " Zu."),
        QuestionAnswer("", "Lork lives."),
    ]

    def read(model: PreTrainedModel) -> list[Any]:
        reader = TokenisedModel(model, load_tokenizer(loaded.folder), 60)
        prompts = reader.prompt_ids(lines)
        sampled = reader.sample(prompts, samples=2, tokens=3, temperature=0.7, seed=3)
        scores = reader.score(lines, prefix=lines[:1])
        answered = reader.answered(lines[:2], reader.score(lines[:2]))
        if loaded.real:  # a real GPU draws other tokens than the CPU
            return [scores, answered]
        return [scores, answered, *sampled]

    expected = read(loaded.cpu)
    with gpu_of(real=loaded.real):
        assert_same(read(loaded.gpu), expected, loaded.tolerance)


# Loading and training


@pytest.mark.parametrize(("has_gpu", "expected"), [(True, "cuda"), (False, "cpu")])
def test_the_default_device_and_the_name_gpu_mean_the_gpu_if_there_is_one(
    expected: str, monkeypatch: pytest.MonkeyPatch, *, has_gpu: bool
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: has_gpu)
    assert default_device() == device_named("gpu") == torch.device(expected)
    assert device_named("cpu") == CPU


def test_a_model_loaded_on_the_gpu_has_all_weights_there_and_tied_ones_stay_tied(
    loaded: Loaded,
) -> None:
    with gpu_of(real=loaded.real) as gpu:
        weights = [*loaded.gpu.parameters(), *loaded.gpu.buffers()]
        assert {weight.device for weight in weights} == {gpu}
    embedding = loaded.gpu.get_input_embeddings().weight
    unembedding = find_modules(loaded.gpu).unembedding.weight
    assert (embedding is unembedding) == loaded.gpu.config.tie_word_embeddings


def test_a_twin_trained_on_the_gpu_is_written_with_the_cpus_bytes(
    loaded: Loaded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "load_model", load_aligned)
    write_manifest(loaded.folder, name="base", kind="local", source="here", revision="local")
    lines = [QuestionAnswer("Lork zul:", " Bamor."), QuestionAnswer("", "Dabis lives in Lork.")] * 4

    def trained(out: Path, device: torch.device) -> dict[str, bytes]:
        torch.manual_seed(0)
        training.train_twin(
            loaded.folder, lines, RECIPE, out / "twin", device=device, frozen_share=0.5
        )
        return {path.name: path.read_bytes() for path in (out / "twin").iterdir()}

    expected = trained(tmp_path / "cpu", CPU)
    assert "model.safetensors" in expected
    with gpu_of(real=loaded.real) as gpu:
        on_gpu = trained(tmp_path / "gpu", gpu)
    assert on_gpu.keys() == expected.keys()
    # On a real GPU, rounding decides the sign of the first step of a weight whose gradient is
    # almost zero.
    if not loaded.real:
        assert on_gpu == expected
