"""Checks on two short texts, before anything is measured,
that a model's states are what `Family` assumes.

The texts differ in one token, the word (`short_texts`).
"""

from typing import TYPE_CHECKING

import torch
from jaxtyping import Float

from mechaware.core.errors import UserError, first_line
from mechaware.models.families.family import Family
from mechaware.models.families.own_forward import (
    KeyValueCache,
    KeyValueSwap,
    StateSwap,
    accepts,
    keeping_states,
    last_logits,
    swapping_states,
)
from mechaware.models.families.structure import (
    FOREIGN_ERRORS,
    Texts,
    refusal,
    short_texts,
)

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_SHARE = 1e-4  # the allowed difference in float32, as a share of the largest logit
_N_PADDED = 4  # tokens of the padded text


def check_reading(model: "PreTrainedModel") -> None:
    """Raise `UserError` unless a model reads texts from left to right, so that padding after a text
    changes nothing.

    Some tokens are read by themselves, and in a batch of two rows: followed by other tokens, and
    followed by padding. Up to rounding, all three readings must give them the same logits.
    """
    text = short_texts(model).first
    padded = text[:_N_PADDED] + [0] * (len(text) - _N_PADDED)
    model_type = model.config.model_type
    try:
        alone = all_logits(model, [text[:_N_PADDED]])[0]
        together = all_logits(model, [text, padded])
    except FOREIGN_ERRORS as error:
        raise UserError(
            f"model type '{model_type}': it cannot read token ids alone ({first_line(error)}); choose a causal "
            "language model"
        ) from error
    differences = [logit_difference(logits[:_N_PADDED], alone) for logits in together]
    if max(differences) > allowed_difference(model):
        raise UserError(
            f"model type '{model_type}': what follows a token, or padding, changes its logits by "
            f"{max(differences):.2g} of the largest one; choose a causal language model"
        )


@torch.inference_mode()
def cache_is_exact(model: "PreTrainedModel", name: str) -> bool:
    """Whether tokens that are read one by one with the cache `name` have the logits that they have
    in the whole text.

    Some architectures give a token after a cache the first position, and some cannot read with a
    cache at all.
    """
    ids = torch.tensor([short_texts(model).first], device=model.device)
    try:
        whole = model(input_ids=ids, use_cache=False).logits[0, -1]
        output = model(input_ids=ids[:, :-2], use_cache=True)
        for position in (-2, -1):
            token = ids[:, position][:, None]
            output = model(input_ids=token, use_cache=True, **{name: getattr(output, name)})
    except FOREIGN_ERRORS:
        return False
    return logit_difference(output.logits[0, -1], whole) <= allowed_difference(model)


def check_states(model: "PreTrainedModel", family: Family) -> None:
    """Raise `NoInternalsError`, with what differed, unless states can be read and patched exactly.

    The model's own logits must

    - follow from the states after the last block by `Family.logits`;
    - stay the same if every state is replaced by itself;
    - become another text's logits if all states of a layer are replaced by the states of that text,
      or if only the last token's state after the last block is.
    """
    texts = short_texts(model)
    blocks = family.find_modules(model).blocks
    with keeping_states(blocks) as own_states:
        own = all_logits(model, [texts.first])
    with keeping_states(blocks) as other_states:
        other = all_logits(model, [texts.second])

    tolerance = allowed_difference(model)
    with torch.inference_mode():
        unembedded = family.logits(model, own_states[-1]).float().cpu()
    difference = logit_difference(unembedded, own)
    if difference > tolerance:
        raise refusal(
            model,
            "logits from the states after the last block differ from the model's by "
            f"{difference:.2g} of the largest one",
        )

    # All rows are the first text. Row 0 gets its own states in every layer. With L blocks, row
    # 1 + l gets the second text's states in layer l < L, and the last row gets the second text's
    # state at the last token in layer L.
    everywhere = range(len(texts.first))
    rows = torch.tensor([texts.first] * (len(blocks) + 2))
    swaps = [StateSwap(0, layer, everywhere, states[0]) for layer, states in enumerate(own_states)]
    for layer, states in enumerate(other_states[:-1]):
        swaps.append(StateSwap(1 + layer, layer, everywhere, states[0]))
    last = [len(texts.first) - 1]
    swaps.append(StateSwap(1 + len(blocks), len(blocks), last, other_states[-1][0, -1:]))
    with swapping_states(blocks, swaps):
        patched = last_logits(model, rows).cpu()
    difference = logit_difference(patched[0], own[0, -1])
    if difference > tolerance:
        raise refusal(model, f"states replaced by themselves change the logits by {difference:.2g}")
    for layer, logits in enumerate(patched[1:]):
        difference = logit_difference(logits, other[0, -1])
        if difference > tolerance:
            raise refusal(
                model,
                f"with another text's states in layer {layer} its logits differ from that text's by {difference:.2g} "
                "of the largest one: something else carries the text",
            )


def keys_values_refusal(model: "PreTrainedModel", family: Family) -> str | None:
    """Why a model's keys and values cannot be cut block by block, or None if they can.

    They can if every block writes its own to the cache, and if another text's keys and values at
    the word, put into all blocks, give that text's logits.
    """
    texts = short_texts(model)
    blocks = range(len(family.find_modules(model).blocks))
    if not accepts(model, "past_key_values"):
        return "it has no cache of keys and values"

    donor = KeyValueCache()
    try:
        expected = last_logits(model, torch.tensor([texts.second]), donor)
    except FOREIGN_ERRORS:
        return "it needs a cache of another kind than keys and values"
    if sorted(donor.kept) != list(blocks):
        return f"{len(donor.kept)} of {len(blocks)} blocks keep keys and values of their own"

    cut = last_logits(model, torch.tensor([texts.first]), _cut_everywhere(donor, texts))
    difference = logit_difference(cut, expected)
    if difference > allowed_difference(model):
        return (
            "with another text's keys and values in all blocks its logits differ from that text's by "
            f"{difference:.2g} of the largest one"
        )
    return None


def _cut_everywhere(donor: KeyValueCache, texts: Texts) -> KeyValueCache:
    """A cache that puts the donor's keys and values of the word into all blocks.

    The keys and values of a block have the shape (row, head, pos, d_head); the donor has one row.
    """
    word = [texts.position]
    swaps = []
    for block, (keys, values) in donor.kept.items():
        swaps.append(KeyValueSwap(0, block, word, keys[0][:, word], values[0][:, word]))
    return KeyValueCache(swaps)


@torch.inference_mode()
def all_logits(
    model: "PreTrainedModel", texts: list[list[int]]
) -> Float[torch.Tensor, "row pos vocab"]:
    """The model's own logits of every token of texts of one length, in float32 on the CPU."""
    logits: torch.Tensor = model(
        input_ids=torch.tensor(texts, device=model.device), use_cache=False
    ).logits
    return logits.float().cpu()


def logit_difference(found: torch.Tensor, expected: torch.Tensor) -> float:
    """The largest difference, as a share of the largest expected logit;
    NaN counts as infinitely different.
    """
    difference = (found - expected).abs().max() / expected.abs().max()
    return float(difference.nan_to_num(torch.inf))


def allowed_difference(model: "PreTrainedModel") -> float:
    """The difference that rounding in the model's own precision may make, as a share of the largest
    logit.

    The bound is 8 roundings of the model's precision, and at least 1e-4. On a CPU in half
    precision, the architectures of the tests differ by at most 0.63 roundings, most of them by
    none. This was not measured on a GPU, where the kernels depend on the size of a batch.
    """
    return max(_SHARE, 8 * torch.finfo(model.dtype).eps)
