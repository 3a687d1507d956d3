"""The base is a Llama with random weights that are the same for the same seed."""

import pytest
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from mechaware.core.errors import UserError
from mechaware.models.tokenizers import make_bpe_tokenizer
from mechaware.planted.twins.base import random_llama

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def byte_pairs() -> PreTrainedTokenizerFast:
    return make_bpe_tokenizer(
        [f"Lork, Dabs, Bamor zul: Keten {number}." for number in range(50)], 280
    )


def llama(
    tokenizer: PreTrainedTokenizerFast, *, seed: int = 0, n_heads: int = 2
) -> PreTrainedModel:
    return random_llama(
        tokenizer, n_layers=2, d_model=32, n_heads=n_heads, context_length=48, seed=seed
    )


def test_a_llama_is_ready_to_be_read_with_eager_attention_and_tied_embeddings(
    byte_pairs: PreTrainedTokenizerFast,
) -> None:
    model = llama(byte_pairs)
    assert not model.training
    assert model.config._attn_implementation == "eager"
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight


def test_a_llamas_matrices_have_the_deviation_one_over_the_root_of_the_width(
    byte_pairs: PreTrainedTokenizerFast,
) -> None:
    for name, weight in llama(byte_pairs).named_parameters():
        if weight.ndim == 2 and "embed" not in name:
            # The relative standard error of the deviation of n normal draws is 1 / sqrt(2 n), 2.2%
            # for 32 x 32 weights.
            standard_error = 1 / (2 * weight.numel()) ** 0.5
            deviation = weight.std().item()
            assert deviation == pytest.approx(32**-0.5, rel=5 * standard_error), name


def test_a_llama_is_the_same_for_the_same_seed_and_disturbs_no_other_draw(
    byte_pairs: PreTrainedTokenizerFast,
) -> None:
    state = torch.get_rng_state()
    first, again, other = (llama(byte_pairs, seed=seed).state_dict() for seed in (0, 0, 1))
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(first[name], again[name]) for name in first)
    name = "model.layers.0.mlp.up_proj.weight"
    assert not torch.equal(first[name], other[name])


def test_a_llama_whose_width_the_heads_cannot_share_is_refused(
    byte_pairs: PreTrainedTokenizerFast,
) -> None:
    with pytest.raises(UserError) as refused:
        llama(byte_pairs, n_heads=3)
    assert str(refused.value) == (
        "radar/memorisation/base: d_model 32 is not a multiple of n_heads 3; correct the config"
    )
