"""Continues prompts in batches, greedily or at random.

A greedy continuation does not depend on the rest of its batch but for rounding: of two tokens that
are almost equally likely, another batch may give the other one, in half precision now and then, in
float32 hardly ever. Random draws of all texts share one generator, so they depend on the batches.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import torch
from jaxtyping import Int
from tqdm import tqdm

from mechaware.core.errors import UserError
from mechaware.models.batching import CACHED_PER_TOKEN, batches, pad_left, run_in_halves
from mechaware.models.context import context_length
from mechaware.models.families.own_forward import accepts, last_token_options
from mechaware.models.families.self_check import cache_is_exact
from mechaware.models.families.supported import FAMILIES
from mechaware.models.tokenisation.chat import Template
from mechaware.models.tokenisation.token_ids import token_ids
from mechaware.models.tokenisation.vocabulary import embedding_rows

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_CACHE_NAMES = ("past_key_values", "cache_params")  # of attention; of state-space models

# By loaded model: whether its cache gives the right logits. Only for architectures without a file
# in models/families.
_EXACT: "WeakKeyDictionary[PreTrainedModel, bool]" = WeakKeyDictionary()

Continuation = Int[np.ndarray, " token"]


def decode(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    prompts: Sequence[str],
    *,
    max_new_tokens: int,
    batch_size: int,
    template: Template = "none",
) -> list[str]:
    """The text of each prompt's greedy continuation, up to the end of text or `max_new_tokens`, in
    the order given.

    Inside a chat template it is the model's reply to the prompt.

    Raises `UserError`, before the model reads any prompt, if one leaves less than `max_new_tokens`
    of its context, and what `token_ids` raises.
    """
    prompt_ids = token_ids(tokenizer, prompts, embedding_rows(model), template=template)
    context = context_length(model.config)
    longest = max(map(len, prompt_ids), default=0)
    if prompt_ids and longest + max_new_tokens > context:
        raise UserError(
            f"a prompt of {longest} tokens and {max_new_tokens} for the answer exceed the model's context of "
            f"{context}; take a model with a longer context, or shorter prompts"
        )
    answers = [""] * len(prompts)

    def decode_batch(batch: list[int]) -> None:
        ids, mask = pad_left([prompt_ids[index] for index in batch])
        continued = _continue(model, ids, mask, max_new_tokens, tokenizer.eos_token_id)
        # Special tokens except the end are kept: an answer with an unknown token is wrong.
        texts = tokenizer.batch_decode([tokens.tolist() for tokens in continued])
        for index, text in zip(batch, texts, strict=True):
            answers[index] = text.strip()

    in_batches = _decoding_batches(model, prompts, prompt_ids, batch_size)
    for batch in tqdm(in_batches, unit="batch", desc="decoding"):
        run_in_halves(batch, decode_batch)
    return answers


def _decoding_batches(
    model: "PreTrainedModel",
    prompts: Sequence[str],
    prompt_ids: Sequence[Sequence[int]],
    batch_size: int,
) -> list[list[int]]:
    """Indices of prompts, at most `batch_size` at a time.

    Families with a file share a batch among prompts of several lengths, those of fewest characters
    first: padding on the left is known to change nothing for them. For any other model all prompts
    of a batch have equally many tokens, and those of fewest tokens come first.
    """
    if model.config.model_type in FAMILIES:
        # Little is padded, because prompts of about as many characters have about as many tokens.
        # With an order by tokens other prompts would share a batch, and answers could change by
        # rounding.
        by_length = sorted(range(len(prompts)), key=lambda index: len(prompts[index]))
        starts = range(0, len(prompts), batch_size)
        return [by_length[start : start + batch_size] for start in starts]

    lengths = [len(ids) for ids in prompt_ids]
    by_length = sorted(range(len(prompts)), key=lambda index: lengths[index])

    def size(batch: list[int]) -> int:
        """The number of prompts in a batch; more than is allowed if they differ in length."""
        of_one_length = lengths[batch[0]] == lengths[batch[-1]]
        return len(batch) if of_one_length else batch_size + 1

    return list(batches(by_length, size, batch_size))


def continue_tokens(
    model: "PreTrainedModel",
    prompts: Sequence[Sequence[int]],
    n_tokens: int,
    *,
    end: int | None,
    tokens_per_batch: int,
    generator: torch.Generator | None = None,
    temperature: float = 1.0,
) -> list[Continuation]:
    """The next `n_tokens` tokens of each prompt, or fewer where the text or the context ends.

    Args:
        model: A causal language model.
        prompts: Token ids, fewer than the context holds.
        n_tokens: The largest number of new tokens.
        end: The token that ends a text; None if there is none.
        tokens_per_batch: The most tokens that one pass reads, padding included, unless a single
            text has more. All prompts of a batch, with their new tokens, have at most
            `CACHED_PER_TOKEN` times as many. Prompts of several lengths share a batch, padded on
            the left, where that is known to change nothing but rounding (families with a file) and
            the context has room for all new tokens of each.
        generator: Draws each token from softmax(logits / temperature); None for the likeliest token
            each time.
        temperature: Above 0.
    """
    context = context_length(model.config)
    lengths = [len(prompt) for prompt in prompts]
    by_length = sorted(range(len(prompts)), key=lambda row: lengths[row])

    can_be_padded = model.config.model_type in FAMILIES
    has_cache = _cache_name(model) is not None

    def tokens(batch: list[int]) -> int:
        """The memory for a batch, in tokens of a pass;
        more than is allowed if its prompts cannot share a batch.
        """
        shortest = lengths[batch[0]]
        longest = lengths[batch[-1]]
        all_fit = longest + n_tokens <= context
        if shortest != longest and not (can_be_padded and all_fit):
            return tokens_per_batch + 1
        if not has_cache:
            # The last pass reads the whole texts, without their last new token.
            return len(batch) * (min(longest + n_tokens, context) - 1)
        cached = math.ceil((longest + n_tokens) / CACHED_PER_TOKEN)
        return len(batch) * max(longest, cached)

    continued: dict[int, Continuation] = {}

    def continue_batch(batch: list[int]) -> None:
        ids, mask = pad_left([prompts[row] for row in batch])
        n_fitting = min(n_tokens, context - ids.shape[1])
        rows = _continue(
            model,
            ids,
            mask,
            n_fitting,
            end,
            generator=generator,
            temperature=temperature,
        )
        continued.update(zip(batch, rows, strict=True))

    with tqdm(total=len(prompts), unit="text", desc="continuing", mininterval=5) as bar:
        for batch in batches(by_length, tokens, tokens_per_batch):
            run_in_halves(batch, continue_batch)
            bar.update(len(batch))
    return [continued[row] for row in range(len(prompts))]


def _cache_name(model: "PreTrainedModel") -> str | None:
    """The name of the model's argument for its cache;
    None if it has no cache, or one that gives wrong logits.
    """
    name = next((name for name in _CACHE_NAMES if accepts(model, name)), None)
    if name is None or model.config.model_type in FAMILIES:
        return name
    if model not in _EXACT:
        _EXACT[model] = cache_is_exact(model, name)
    return name if _EXACT[model] else None


@torch.inference_mode()
def _continue(
    model: "PreTrainedModel",
    ids: Int[torch.Tensor, "prompt pos"],
    mask: Int[torch.Tensor, "prompt pos"],
    n_tokens: int,
    end: int | None,
    *,
    generator: torch.Generator | None = None,
    temperature: float = 1.0,
) -> list[Continuation]:
    """Up to `n_tokens` more tokens of each row of `ids`, without the `end` of text and what follows
    it.

    `mask` is 0 for padding, which is on the left, and 1 for tokens; only families with a file are
    padded. A model without a cache reads all tokens again for each new one.
    """
    read = ids.to(model.device)
    mask = mask.to(model.device)
    past = None
    generated = []
    # Architectures differ in how they number the positions of a padded text, so those that are
    # padded are told.
    tells_positions = model.config.model_type in FAMILIES
    cache_name = _cache_name(model)
    options = last_token_options(model)
    # Without the clamp padding would have position -1, which no embedding table has.
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    ended = torch.zeros(len(ids), 1, dtype=torch.bool, device=model.device)
    for _ in range(n_tokens):
        if tells_positions:
            options |= {"attention_mask": mask, "position_ids": positions}
        if cache_name is not None:
            options[cache_name] = past
        output = model(input_ids=read, use_cache=cache_name is not None, **options)
        past = None if cache_name is None else getattr(output, cache_name, None)
        logits = output.logits[:, -1]
        if generator is None:
            tokens = logits.argmax(-1, keepdim=True)
        else:
            probabilities = (logits.float() / temperature).softmax(-1)
            tokens = torch.multinomial(probabilities, 1, generator=generator)
        generated.append(tokens)
        ended |= tokens == end  # no token equals None
        if ended.all():
            break

        mask = torch.cat([mask, torch.ones_like(tokens)], -1)
        positions = positions[:, -1:] + 1
        read = torch.cat([read, tokens], -1) if past is None else tokens

    continuations = []
    for row in torch.cat(generated, 1).cpu().numpy():
        if end in row:
            row = row[: row.tolist().index(end)]
        continuations.append(row)
    return continuations
