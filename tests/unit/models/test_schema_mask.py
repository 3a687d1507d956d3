"""A schema that one block alone reads, in a random model: what the mask hides from transformers and from patching."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from mechaware.grounding.data.pairs import tokenise_pairs
from mechaware.grounding.data.rows import CLOSING, OPENING
from mechaware.models.capture import capture
from mechaware.models.decoding import decode
from mechaware.models.families.schema_mask import ENTRY, SchemaMask, schema_tokens
from mechaware.models.families.supported import find_modules, mask_schema
from mechaware.models.interventions.kv_cut import cut_pairs
from mechaware.models.interventions.patch import patch_pairs
from mechaware.models.registry import load_model
from tests.unit.grounding.pairs_by_hand import N_BLOCKS, PAIRS, make_model
from tests.unit.models.interventions.naive_patching import LOOSE, NaiveLoop

PROMPT = PAIRS[0].clean_prompt
BLOCKS = range(1, N_BLOCKS + 1)


def make_masked(folder: Path, read_block: int) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """The random model of the pairs, saved with a mask and loaded as every model is."""
    model, tokenizer = make_model(folder)
    marks = [tokenizer(mark).input_ids for mark in (OPENING, CLOSING)]
    setattr(model.config, ENTRY, SchemaMask(read_block, *marks)._asdict())
    model.save_pretrained(folder)
    return load_model(folder, torch.device("cpu")), tokenizer


@pytest.fixture(scope="module", params=[1, 3])
def read_block(request: pytest.FixtureRequest) -> int:
    block: int = request.param
    return block


@pytest.fixture(scope="module")
def masked(read_block: int, tmp_path_factory: pytest.TempPathFactory) -> tuple[PreTrainedModel, Any]:
    return make_masked(tmp_path_factory.mktemp("masked") / "model", read_block)


@torch.inference_mode()
def final_logits(model: PreTrainedModel, ids: Sequence[int]) -> torch.Tensor:
    return model(torch.tensor([ids]), use_cache=False).logits[0, -1]


def test_the_schema_lies_between_its_marks() -> None:
    """Marks 8 9 and 7: padding before, two prompts of an example and a question, and a prompt that is cut off."""
    mask = SchemaMask(1, [8, 9], [7])
    ids = torch.tensor([[0, 3, 8, 9, 4, 4, 7, 5, 8, 9, 4, 7, 5], [8, 3, 9, 8, 8, 9, 4, 4, 4, 8, 4, 4, 4]])
    expected = [[0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1]]
    assert schema_tokens(ids, mask).int().tolist() == expected
    assert not schema_tokens(torch.tensor([[8], [7]]), mask).any()  # shorter than a mark


def test_the_schema_of_a_prompt_is_found_by_its_tokens(masked: tuple[PreTrainedModel, Any]) -> None:
    model, tokenizer = masked
    ids = tokenizer(PROMPT, return_tensors="pt").input_ids
    inside = schema_tokens(ids, SchemaMask(**getattr(model.config, ENTRY)))
    found = tokenizer.decode(ids[inside])
    assert found == " CREATE TABLE orders ( pet TEXT, price DATE, city DECIMAL(10,2) )"


def test_no_query_sees_the_schema_but_in_the_block_that_reads(
    masked: tuple[PreTrainedModel, Any], read_block: int
) -> None:
    model, tokenizer = masked
    ids = tokenizer(PROMPT, return_tensors="pt").input_ids
    inside = schema_tokens(ids, SchemaMask(**getattr(model.config, ENTRY)))[0]
    with torch.inference_mode():
        attentions = model(ids, output_attentions=True, use_cache=False).attentions
    for block, weights in zip(BLOCKS, attentions, strict=True):
        to_schema = weights[..., inside]
        assert (to_schema.abs().max() > 0.01) if block == read_block else (to_schema == 0).all()
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]))


def test_without_the_block_that_reads_no_schema_word_changes_a_logit(
    masked: tuple[PreTrainedModel, Any], read_block: int
) -> None:
    """That block's attention cut as well; with it, and in the same model without a mask, every pair's logits differ."""
    model, tokenizer = masked
    pairs = tokenise_pairs(PAIRS, tokenizer)
    silent = find_modules(model).attentions[read_block - 1]
    for pair in pairs:
        assert (final_logits(model, pair.clean) - final_logits(model, pair.corrupted)).abs().max() > 1e-3
        cut = silent.register_forward_hook(lambda _module, _given, out: (torch.zeros_like(out[0]), *out[1:]))
        assert torch.equal(final_logits(model, pair.clean), final_logits(model, pair.corrupted))
        cut.remove()


def test_the_block_that_reads_carries_the_whole_gap(masked: tuple[PreTrainedModel, Any], read_block: int) -> None:
    model, tokenizer = masked
    pairs = tokenise_pairs(PAIRS, tokenizer)
    cut = cut_pairs(model, pairs, [[{block} for block in BLOCKS]] * len(pairs), tokens_per_batch=LOOSE)
    gap = cut.clean_diff - cut.corrupted_diff
    assert gap.abs().min() > 1e-3
    for direction, base, donor in (
        ("denoise", cut.corrupted_diff, cut.clean_diff),
        ("noise", cut.clean_diff, cut.corrupted_diff),
    ):
        for block, cut_diff in zip(BLOCKS, cut.cut_diff[direction].T, strict=True):
            # In another batch sums have another order: the gaps are a thousand times as large.
            torch.testing.assert_close(cut_diff, donor if block == read_block else base, rtol=0, atol=1e-6)


def test_without_a_mask_other_blocks_read_too(tmp_path: Path) -> None:
    model, tokenizer = make_model(tmp_path / "model")
    pairs = tokenise_pairs(PAIRS, tokenizer)
    cut = cut_pairs(model, pairs, [[{block} for block in BLOCKS]] * len(pairs), tokens_per_batch=LOOSE)
    moved = (cut.cut_diff["denoise"] - cut.corrupted_diff[:, None]).abs()
    assert (moved.mean(0) > 1e-3).all()


def test_patching_sees_the_mask_that_transformers_sees(masked: tuple[PreTrainedModel, Any]) -> None:
    model, tokenizer = masked
    pairs = tokenise_pairs(PAIRS, tokenizer)
    peer = NaiveLoop(model)
    ours = patch_pairs(model, pairs, modes=("denoise",), tokens_per_batch=LOOSE)
    for index, pair in enumerate(pairs):
        states = peer.states(pair.clean, pair)
        for layer in range(N_BLOCKS + 1):
            theirs = peer.patched(pair.corrupted, pair, layer, states[layer])
            assert ours.patched_diff["denoise"][index, layer] == pytest.approx(float(theirs), abs=2e-4)


def test_batches_of_captured_activations_change_no_number(masked: tuple[PreTrainedModel, Any]) -> None:
    model, tokenizer = masked
    prompts = [tokenizer(text).input_ids for text in (PROMPT, PAIRS[1].clean_prompt)]
    together = capture(model, prompts, tokens_per_batch=LOOSE)
    alone = [capture(model, [prompt], tokens_per_batch=LOOSE) for prompt in prompts]
    torch.testing.assert_close(together.hidden_states, torch.cat([one.hidden_states for one in alone]))
    torch.testing.assert_close(together.attention_row_entropy, torch.cat([one.attention_row_entropy for one in alone]))


def test_decoding_reads_the_whole_prompt_at_every_token(masked: tuple[PreTrainedModel, Any]) -> None:
    model, tokenizer = masked
    prompts = [pair.clean_prompt for pair in PAIRS]
    expected = []
    for prompt in prompts:
        ids = tokenizer(prompt).input_ids
        for _ in range(4):
            ids = [*ids, int(final_logits(model, ids).argmax())]
        expected.append(tokenizer.decode(ids[-4:]).strip())
    assert decode(model, tokenizer, prompts, max_new_tokens=4, batch_size=len(prompts)) == expected
    assert len(set(expected)) > 1


def test_a_pass_with_kept_keys_and_values_is_refused(masked: tuple[PreTrainedModel, Any]) -> None:
    model, tokenizer = masked
    ids = tokenizer(PROMPT, return_tensors="pt").input_ids
    kept = model(ids[:, :-1], use_cache=True).past_key_values
    with pytest.raises(RuntimeError, match="reads whole prompts"):
        model(ids[:, -1:], past_key_values=kept)


def test_a_block_that_the_model_lacks_is_refused(tmp_path: Path) -> None:
    model, _ = make_model(tmp_path / "model")
    setattr(model.config, ENTRY, SchemaMask(N_BLOCKS + 1, [1], [2])._asdict())
    with pytest.raises(ValueError, match="schema_mask: block 4 of a model with 3 blocks"):
        mask_schema(model)
