"""Models whose modules do not work as their structure suggests are refused, with what differed.

What needs only their logits, such as likelihoods, is measured all the same.
"""

import gc
import re
import weakref
from typing import Any

import pytest
import torch
from transformers import PreTrainedModel

from mechaware.core.errors import UserError
from mechaware.models.capture import capture
from mechaware.models.context import UNLIMITED, context_length
from mechaware.models.decoding import continue_tokens
from mechaware.models.families.structure import NoInternalsError
from mechaware.models.families.supported import check_causal, family_of
from mechaware.models.patching.kv_cut import cut_pairs
from mechaware.models.patching.residual import patch_pairs
from mechaware.models.patching.runs import TokenPair
from mechaware.models.token_scores import score_tokens
from tests.architectures import tiny_model

PAIR = TokenPair([5, 9, 120, 33, 7], [5, 60, 120, 33, 7], position=1, correct=44, incorrect=171)
TEXTS = [[3, 77, 140, 9], [8, 31, 77, 12, 90, 140, 3], [8, 3]]
MAMBA = {"state_size": 8}


def mistral() -> PreTrainedModel:
    """A model of a family without a file, found by structure."""
    return tiny_model("mistral", {"sliding_window": None})


@torch.inference_mode()
def continue_by_whole_passes(model: PreTrainedModel, ids: list[int], n_tokens: int) -> list[int]:
    """The most likely next tokens, each from a pass over the whole text without a cache."""
    text = list(ids)
    for _ in range(n_tokens):
        logits = model(input_ids=torch.tensor([text]), use_cache=False).logits[0, -1]
        text.append(int(logits.argmax()))
    return text[len(ids) :]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda logits: 1.1 * logits, id="scaled"),
        pytest.param(lambda logits: 3 * torch.tanh(logits / 3), id="capped"),
    ],
)
def test_a_model_whose_logits_are_changed_by_no_known_setting_is_refused(change: Any) -> None:
    model = mistral()
    model.lm_head.register_forward_hook(lambda _head, _arguments, logits: change(logits))
    message = "logits from the states after the last block differ"
    with pytest.raises(UserError, match=message) as raised:
        capture(model, TEXTS, tokens_per_batch=100)
    assert "\n" not in str(raised.value)


def test_a_refused_model_is_freed() -> None:
    model = mistral()
    model.lm_head.register_forward_hook(lambda _head, _arguments, logits: 1.1 * logits)
    for _ in range(2):  # the second refusal is from memory
        with pytest.raises(NoInternalsError):
            family_of(model)
    reference = weakref.ref(model)

    del model
    gc.collect()

    assert reference() is None


def test_capture_gives_the_states_of_eager_attention_and_leaves_the_models_own() -> None:
    fast = mistral()
    fast.set_attn_implementation("sdpa")
    captured = capture(fast, TEXTS, tokens_per_batch=100)
    expected = capture(mistral(), TEXTS, tokens_per_batch=100)
    for name, tensor in expected._asdict().items():
        assert torch.equal(getattr(captured, name), tensor), name
    assert fast.config._attn_implementation == "sdpa"


def test_a_model_without_a_final_norm_is_refused_in_one_line() -> None:
    """The blocks of openai-gpt also return lists."""
    message = (
        r"'openai-gpt': its states cannot be read \(what runs .* besides the head, is nothing,"
    )
    with pytest.raises(UserError, match=message) as raised:
        capture(tiny_model("openai-gpt", {}), TEXTS, tokens_per_batch=100)
    assert "\n" not in str(raised.value)


def test_a_model_whose_blocks_read_more_than_the_residual_stream_is_refused() -> None:
    model = mistral()
    embedded: list[torch.Tensor] = []
    model.model.embed_tokens.register_forward_hook(lambda _m, _a, out: embedded.append(out))
    # The token embeddings are added to the output of the second block's MLP.
    model.model.layers[1].mlp.register_forward_hook(lambda _m, _a, out: out + embedded[-1])
    with pytest.raises(UserError, match=r"states in layer 0 its logits differ .* something else"):
        patch_pairs(model, [PAIR], tokens_per_batch=100)


def test_a_model_that_changes_states_between_its_blocks_is_refused() -> None:
    model = mistral()
    model.model.layers[1].register_forward_pre_hook(
        lambda _block, arguments: (1.5 * arguments[0], *arguments[1:])
    )
    with pytest.raises(UserError, match="block 2 does not read what block 1 gives"):
        patch_pairs(model, [PAIR], tokens_per_batch=100)


def test_a_model_with_more_than_a_norm_before_its_head_is_refused() -> None:
    model = tiny_model("opt", {"ffn_dim": 64, "word_embed_proj_dim": 16})
    message = re.escape(
        "what runs after the last block, besides the head, is model.decoder.final_layer_norm, "
        "model.decoder.project_out, expected one norm"
    )
    with pytest.raises(UserError, match=message):
        family_of(model)


@torch.inference_mode()
def test_a_projection_in_place_of_the_norm_is_followed() -> None:
    """OPT-350M norms after each sublayer, and projects the last states to its embedding's width."""
    settings = {"ffn_dim": 64, "word_embed_proj_dim": 16, "do_layer_norm_before": False}
    model = tiny_model("opt", settings)
    captured = capture(model, TEXTS, tokens_per_batch=100)
    for ids, confidence in zip(TEXTS, captured.confidence[:, -1], strict=True):
        probabilities = model(torch.tensor([ids]), use_cache=False).logits[0, -1].softmax(-1)
        torch.testing.assert_close(confidence, probabilities.amax(), rtol=1e-5, atol=1e-6)


def test_a_model_that_reads_the_whole_text_at_once_is_refused() -> None:
    bert = tiny_model("bert", {})
    message = "model type 'bert': what follows a token, or padding, changes"
    with pytest.raises(UserError, match=message):
        check_causal(bert)


@torch.inference_mode()
def test_a_state_space_model_gives_likelihoods_answers_and_patched_states() -> None:
    model = tiny_model("mamba", MAMBA)
    check_causal(model)
    assert context_length(model.config) == UNLIMITED
    scored = score_tokens(model, TEXTS, [1] * 3, tokens_per_batch=100)
    for ids, text in zip(TEXTS, scored, strict=True):
        logits = model(torch.tensor([ids]), use_cache=False).logits[0].double()
        # Row i has the distribution of token i + 1.
        expected = logits.log_softmax(-1)[range(len(ids) - 1), ids[1:]]
        torch.testing.assert_close(torch.from_numpy(text.log_probs), expected, rtol=1e-5, atol=1e-5)

    continued = continue_tokens(model, TEXTS, 3, end=None, tokens_per_batch=100)
    for ids, continuation in zip(TEXTS, continued, strict=True):
        assert continuation.tolist() == continue_by_whole_passes(model, ids, 3)

    # A patch at layer 0 restores the clean run, which differs from the corrupted one.
    patched = patch_pairs(model, [PAIR], tokens_per_batch=100)
    torch.testing.assert_close(patched.patched_diff[:, 0], patched.clean_diff, rtol=0, atol=1e-5)
    assert (patched.clean_diff - patched.corrupted_diff).abs().item() > 1e-4


def test_a_state_space_model_is_refused_in_one_line_where_attention_is_needed() -> None:
    model = tiny_model("mamba", MAMBA)
    with pytest.raises(UserError, match="model type 'mamba'") as raised:
        capture(model, TEXTS, tokens_per_batch=100)
    assert "\n" not in str(raised.value)

    with pytest.raises(UserError, match="model type 'mamba'") as raised:
        cut_pairs(model, [PAIR], [[{1}]], tokens_per_batch=100)
    assert "\n" not in str(raised.value)


BAMBA = {
    "attn_layer_indices": [0, 2],
    "mamba_n_heads": 4,
    "mamba_d_head": 16,
    "mamba_d_state": 8,
    "mamba_n_groups": 1,
}


@pytest.mark.parametrize(
    ("model_type", "settings"),
    [
        # Gives every token after a cache the first position of the text.
        ("bamba", BAMBA),
        # Cannot read further tokens after its cache.
        ("jamba", {"num_experts": 2, "num_experts_per_tok": 1}),
    ],
)
def test_a_model_whose_cache_changes_its_logits_continues_a_text_by_whole_passes(
    model_type: str, settings: dict[str, Any]
) -> None:
    model = tiny_model(model_type, settings)
    continued = continue_tokens(model, TEXTS, 6, end=None, tokens_per_batch=100)
    for ids, continuation in zip(TEXTS, continued, strict=True):
        assert continuation.tolist() == continue_by_whole_passes(model, ids, 6)


def test_attention_weights_that_do_not_sum_to_one_are_refused_but_states_are_patched() -> None:
    """The weights that gpt-oss returns lack the weights of its sinks."""
    model = tiny_model("gpt_oss", {"num_local_experts": 4, "num_experts_per_tok": 2})
    message = r"its attention weights cannot be read \(not every block has one module .* sum to 1\)"
    with pytest.raises(UserError, match=message):
        capture(model, TEXTS, tokens_per_batch=100)

    # A patch at layer 0 restores the clean run.
    patched = patch_pairs(model, [PAIR], tokens_per_batch=100)
    torch.testing.assert_close(patched.patched_diff[:, 0], patched.clean_diff, rtol=0, atol=1e-4)
