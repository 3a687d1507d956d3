"""The logits of the next token after each of many prompts, in one forward pass per batch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from jaxtyping import Float

from mechaware.models.batching import length_batches, pad_right, run_in_halves
from mechaware.models.families.supported import FAMILIES

if TYPE_CHECKING:
    from transformers import PreTrainedModel


@torch.inference_mode()
def final_logits(
    model: "PreTrainedModel", prompts: Sequence[Sequence[int]], *, tokens_per_batch: int
) -> Float[torch.Tensor, "prompt vocabulary"]:
    """The logits at the last token of each prompt, in the order given, on the CPU."""
    family = FAMILIES.get(model.config.model_type)
    counts = [len(prompt) for prompt in prompts]
    by_prompt: dict[int, torch.Tensor] = {}

    def read_batch(batch: list[int]) -> None:
        """Enter the logits of the prompts with the indices `batch` in `by_prompt`."""
        ids = pad_right([prompts[index] for index in batch]).to(model.device)
        rows = torch.arange(len(batch))
        last = torch.tensor([counts[index] - 1 for index in batch], device=model.device)
        if family is None:
            logits = model(input_ids=ids, use_cache=False).logits[rows, last]
        else:
            states = model.base_model(input_ids=ids, use_cache=False).last_hidden_state
            # Unembed the last tokens only: the logits of all tokens would take most of the memory
            # of a batch.
            logits = family.logits(model, states[rows, last], normed=True)
        by_prompt.update(zip(batch, logits.float().cpu(), strict=True))

    for batch in length_batches(counts, tokens_per_batch):
        run_in_halves(batch, read_batch)
    return torch.stack([by_prompt[index] for index in range(len(prompts))])
