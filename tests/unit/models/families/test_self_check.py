"""Models that are not what structure takes them for are refused with what differed; likelihoods are read anyway."""

import re
from typing import Any

import pytest
import torch
from transformers import PreTrainedModel

from mechaware.core.errors import UserError
from mechaware.models.capture import capture
from mechaware.models.context import UNLIMITED, context_length
from mechaware.models.decoding import continue_tokens
from mechaware.models.families.supported import check_causal, family_of
from mechaware.models.patching.kv_cut import cut_pairs
from mechaware.models.patching.residual import patch_pairs
from mechaware.models.patching.runs import TokenPair
from mechaware.models.token_scores import score_tokens
from tests.architectures import tiny_model

PAIR = TokenPair([5, 9, 120, 33, 7], [5, 60, 120, 33, 7], 1, 44, 171)
TEXTS = [[3, 77, 140, 9], [8, 31, 77, 12, 90, 140, 3], [8, 3]]
MAMBA = {"state_size": 8}


def mistral() -> PreTrainedModel:
    return tiny_model("mistral", {"sliding_window": None})


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (lambda logits: 1.1 * logits, "logits from the states after the last block differ"),
        (lambda logits: 3 * torch.tanh(logits / 3), "logits from the states after the last block"),
    ],
)
def test_a_model_whose_logits_are_changed_by_no_known_setting_is_refused(
    changed: Any, message: str
) -> None:
    model = mistral()
    model.lm_head.register_forward_hook(lambda _head, _arguments, logits: changed(logits))
    with pytest.raises(UserError, match=message) as raised:
        capture(model, TEXTS, tokens_per_batch=100)
    assert "\n" not in str(raised.value)


def test_a_model_without_a_file_has_the_same_states_whatever_its_attention_and_keeps_it() -> None:
    fast = mistral()
    fast.set_attn_implementation("sdpa")
    captured = capture(fast, TEXTS, tokens_per_batch=100)
    expected = capture(mistral(), TEXTS, tokens_per_batch=100)
    for name, tensor in expected._asdict().items():
        assert torch.equal(getattr(captured, name), tensor), name
    assert fast.config._attn_implementation == "sdpa"


def test_a_model_whose_blocks_return_lists_and_that_has_no_final_norm_is_refused_in_one_line() -> (
    None
):
    with pytest.raises(
        UserError,
        match=r"'openai-gpt': its states cannot be read \(what runs .* besides the head, is nothing,",
    ) as raised:
        capture(tiny_model("openai-gpt", {}), TEXTS, tokens_per_batch=100)
    assert "\n" not in str(raised.value)


def test_a_model_whose_blocks_read_more_than_the_residual_stream_is_refused() -> None:
    model = mistral()
    embedded: list[torch.Tensor] = []
    model.model.embed_tokens.register_forward_hook(lambda _m, _a, out: embedded.append(out))
    # The second block's MLP also reads the tokens themselves.
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
    found = re.escape(
        "model.decoder.final_layer_norm, model.decoder.project_out, expected one norm"
    )
    with pytest.raises(
        UserError, match=f"what runs after the last block, besides the head, is {found}"
    ):
        family_of(model)


@torch.inference_mode()
def test_a_projection_in_place_of_the_norm_is_followed() -> None:
    """OPT-350M norms after each sublayer, and projects the last states to the width of its embedding."""
    settings = {"ffn_dim": 64, "word_embed_proj_dim": 16, "do_layer_norm_before": False}
    model = tiny_model("opt", settings)
    captured = capture(model, TEXTS, tokens_per_batch=100)
    for ids, confidence in zip(TEXTS, captured.confidence[:, -1], strict=True):
        probabilities = model(torch.tensor([ids]), use_cache=False).logits[0, -1].softmax(-1)
        torch.testing.assert_close(confidence, probabilities.amax(), rtol=1e-5, atol=1e-6)


def test_a_model_that_reads_the_whole_text_at_once_is_refused() -> None:
    bert = tiny_model("bert", {})
    with pytest.raises(
        UserError, match=r"model type 'bert': what follows a token, or padding, changes"
    ):
        check_causal(bert)


@torch.inference_mode()
def test_a_state_space_model_gives_likelihoods_answers_and_patched_states() -> None:
    model = tiny_model("mamba", MAMBA)
    check_causal(model)
    assert context_length(model.config) == UNLIMITED
    scored = score_tokens(model, TEXTS, [1] * 3, tokens_per_batch=100)
    for ids, text in zip(TEXTS, scored, strict=True):
        own = model(torch.tensor([ids]), use_cache=False).logits[0].double().log_softmax(-1)
        expected = own[range(len(ids) - 1), ids[1:]]
        torch.testing.assert_close(torch.from_numpy(text.log_probs), expected, rtol=1e-5, atol=1e-5)

    continued = continue_tokens(model, TEXTS, 3, end=None, tokens_per_batch=100)
    for ids, continuation in zip(TEXTS, continued, strict=True):
        read = list(ids)
        for _ in range(3):
            read.append(int(model(torch.tensor([read]), use_cache=False).logits[0, -1].argmax()))
        assert continuation.tolist() == read[len(ids) :]

    patched = patch_pairs(model, [PAIR], tokens_per_batch=100)
    torch.testing.assert_close(patched.patched_diff[:, 0], patched.clean_diff, rtol=0, atol=1e-5)
    assert (patched.clean_diff - patched.corrupted_diff).abs().item() > 1e-4


def test_what_needs_attention_is_refused_of_a_state_space_model_in_one_line() -> None:
    model = tiny_model("mamba", MAMBA)
    for measure in (
        lambda: capture(model, TEXTS, tokens_per_batch=100),
        lambda: cut_pairs(model, [PAIR], [[{1}]], tokens_per_batch=100),
    ):
        with pytest.raises(UserError, match="model type 'mamba'") as raised:
            measure()
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
        ("bamba", BAMBA),  # gives each token after a cache the first position of the text
        ("jamba", {"num_experts": 2, "num_experts_per_tok": 1}),  # cannot read after its cache
    ],
)
def test_a_continuation_is_that_of_whole_passes_where_a_cache_gives_others(
    model_type: str, settings: dict[str, Any]
) -> None:
    model = tiny_model(model_type, settings)
    continued = continue_tokens(model, TEXTS, 6, end=None, tokens_per_batch=100)
    for text, found in zip(TEXTS, continued, strict=True):
        ids = list(text)
        with torch.inference_mode():
            for _ in range(6):
                logits = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0, -1]
                ids.append(int(logits.argmax()))
        assert found.tolist() == ids[len(text) :]


def test_attention_weights_that_do_not_sum_to_one_are_not_measured() -> None:
    """The weights that gpt-oss returns lack the weights of its sinks; its states are patched."""
    model = tiny_model("gpt_oss", {"num_local_experts": 4, "num_experts_per_tok": 2})
    with pytest.raises(
        UserError,
        match=r"its attention weights cannot be read \(not every block has one module .* sum to 1\)",
    ):
        capture(model, TEXTS, tokens_per_batch=100)
    patched = patch_pairs(model, [PAIR], tokens_per_batch=100)
    torch.testing.assert_close(patched.patched_diff[:, 0], patched.clean_diff, rtol=0, atol=1e-4)
