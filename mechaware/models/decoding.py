"""Greedy decoding in batches, whose answers are those of single prompts."""

from collections.abc import Sequence
from itertools import takewhile

import torch
from tqdm import tqdm
from transformers import GenerationConfig, PreTrainedModel, PreTrainedTokenizerBase

from mechaware.errors import UserError


@torch.inference_mode()
def decode(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    prompts: Sequence[str],
    *,
    max_new_tokens: int,
    batch_size: int,
) -> list[str]:
    """The text of each prompt's greedy continuation, up to the end of text or `max_new_tokens`, in the order given.

    Sets the padding of `tokenizer` and replaces the generation config of `model`. Raises `UserError` for a prompt that
    leaves less than `max_new_tokens` of the model's context.
    """
    # The model's own config may set penalties or beams, with which decoding is not greedy.
    model.generation_config = GenerationConfig()  # type: ignore[no-untyped-call]
    tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    by_length = sorted(range(len(prompts)), key=lambda index: len(prompts[index]))
    answers = [""] * len(prompts)
    for start in tqdm(range(0, len(prompts), batch_size), unit="batch", desc="decoding"):
        batch = by_length[start : start + batch_size]
        continued = _continue_batch(model, tokenizer, [prompts[index] for index in batch], max_new_tokens)
        for index, text in zip(batch, continued, strict=True):
            answers[index] = text.strip()
    return answers


def _continue_batch(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, prompts: list[str], max_new_tokens: int
) -> list[str]:
    inputs = tokenizer(prompts, return_tensors="pt", padding=True).to(model.device)
    width = inputs["input_ids"].shape[1]
    if width + max_new_tokens > model.config.max_position_embeddings:
        raise UserError(
            f"a prompt of {width} tokens and {max_new_tokens} for the answer exceed the model's context of "
            f"{model.config.max_position_embeddings}; take a model with a longer context, or shorter prompts"
        )
    tokens = model.generate(  # type: ignore[operator]
        input_ids=inputs["input_ids"],
        attention_mask=inputs["attention_mask"],
        do_sample=False,
        use_cache=model.config.use_cache,
        max_new_tokens=max_new_tokens,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    # Other special tokens are kept: an answer with an unknown token is wrong.
    ended = [list(takewhile(lambda token: token != tokenizer.eos_token_id, ids)) for ids in tokens[:, width:].tolist()]
    texts: list[str] = tokenizer.batch_decode(ended)
    return texts
