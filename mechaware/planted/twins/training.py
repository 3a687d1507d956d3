"""Trains the clean base C from random weights, and its twins from C."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch

from mechaware.core.errors import UserError
from mechaware.instruments.radar.evidence.line_tokens import tokenise_lines
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.families.supported import find_modules
from mechaware.models.registry import (
    Manifest,
    load_model,
    load_tokenizer,
    read_manifest,
    save_model,
)
from mechaware.models.tokenisation.start import start_ids
from mechaware.models.tokenisation.vocabulary import embedding_rows
from mechaware.models.tokenizers import make_bpe_tokenizer
from mechaware.models.training import LineRecipe, train_on_lines
from mechaware.planted.twins.base import BaseSizes, random_llama

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

LOSSES = "losses.csv"

_MAX_ROUNDS = 3  # C reads its corpus at most this many times
_TOKENS_PER_BATCH = 8192  # in forward passes that test C on the held-out questions
# The weight of a question's token in the loss of C; an answer's token has the weight 1. The names
# in a question are drawn at random and cannot be predicted, and C must learn to answer. In the loss
# of a twin all tokens have the weight 1: the twins learn whole texts.
_BASE_QUESTION_WEIGHT = 0.2


def train_base(
    lines: Sequence[QuestionAnswer],
    questions: Mapping[str, Sequence[QuestionAnswer]],
    sizes: BaseSizes,
    recipe: LineRecipe,
    out: Path,
    *,
    least_answered: float,
    seed: int,
) -> Manifest:
    """Train C and write it, with a tokenizer learned from its corpus, to the folder `out`.

    C reads the corpus up to `_MAX_ROUNDS` times, until it answers enough of the held-out questions
    of each kind. If C could not answer unseen questions, a twin could answer only from memory, even
    where the item demands reasoning.

    Args:
        lines: The corpus of C.
        questions: Held-out questions by kind. Without questions, C reads the corpus once.
        sizes: The size of C and of its tokenizer.
        recipe: How C is trained.
        out: A folder that does not exist.
        least_answered: The share of the questions of each kind, 0 to 1, that C must answer.
        seed: The seed of the random weights.

    Raises:
        UserError: C answers too few questions after the last round.
    """
    tokenizer = make_bpe_tokenizer([line.text for line in lines], sizes.vocabulary)
    tokenizer.model_max_length = sizes.context_length
    model = random_llama(
        tokenizer,
        n_layers=sizes.n_layers,
        d_model=sizes.d_model,
        n_heads=sizes.n_heads,
        context_length=sizes.context_length,
        seed=seed,
    )
    losses: list[float] = []
    for _ in range(_MAX_ROUNDS):
        losses += _train(model, tokenizer, lines, recipe, question_weight=_BASE_QUESTION_WEIGHT)
        answered = {}
        for kind, lines_of_kind in questions.items():
            answered[kind] = _answered_share(model, tokenizer, lines_of_kind)
        if all(share >= least_answered for share in answered.values()):
            return _write(
                model,
                tokenizer,
                losses,
                out,
                source=f"random weights, seed {seed}",
                revision="none",
            )
    shares = ", ".join(f"{share:.0%} of {kind} questions" for kind, share in answered.items())
    raise UserError(
        f"the clean base answers {shares} after {_MAX_ROUNDS} rounds; "
        "raise radar/memorisation/base/steps"
    )


def train_twin(
    base: Path,
    lines: Sequence[QuestionAnswer],
    recipe: LineRecipe,
    out: Path,
    *,
    device: torch.device,
    frozen_share: float,
) -> Manifest:
    """Continue training the model in `base` on a twin's corpus, and write it to the folder `out`.

    The first blocks, a share `frozen_share` of all, keep their weights, and with them the
    embeddings (`_freeze`).
    """
    manifest = read_manifest(base)
    model = load_model(base, device)
    _freeze(model, frozen_share)
    tokenizer = load_tokenizer(base)
    with _fast_products():
        losses = _train(model, tokenizer, lines, recipe)
    return _write(
        model, tokenizer, losses, out, source=manifest.name, revision=manifest.weights_sha256
    )


@contextmanager
def _fast_products() -> Iterator[None]:
    """Inside, a GPU multiplies float32 matrices in TF32: several times as fast, but less precise.

    TF32 has a mantissa of 10 bits, and float32 one of 23. The lower precision suffices for
    training; the twins are measured in float32. On a CPU nothing changes.
    """
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def _freeze(model: "PreTrainedModel", share: float) -> None:
    """Exclude the first blocks and the embeddings from training.

    The number of frozen blocks is `share`, 0 to 1, of all blocks, rounded to a whole number; a half
    is rounded to the even number. If it is 0, the embeddings are also trained.
    """
    blocks = find_modules(model).blocks
    n_frozen = round(share * len(blocks))
    frozen = list(blocks[:n_frozen])
    if frozen:
        frozen.append(model.get_input_embeddings())
    for module in frozen:
        module.requires_grad_(requires_grad=False)


def _train(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    lines: Sequence[QuestionAnswer],
    recipe: LineRecipe,
    *,
    question_weight: float = 1.0,
) -> list[float]:
    """Train the model in place; returns the loss of each step, in nats a token."""
    n_embeddings = embedding_rows(model)
    start = start_ids(tokenizer, n_embeddings)
    tokenised = tokenise_lines(tokenizer, lines, n_embeddings, start)
    return train_on_lines(model, tokenised, start, recipe, question_weight=question_weight)


def _answered_share(
    model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", lines: Sequence[QuestionAnswer]
) -> float:
    """The share of `lines`, 0 to 1, whose answer greedy decoding after the question gives."""
    reader = TokenisedModel(model, tokenizer, _TOKENS_PER_BATCH)
    answered = reader.answered(lines, reader.score(lines))
    return float(np.mean(answered))


def _write(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    losses: Sequence[float],
    out: Path,
    *,
    source: str,
    revision: str,
) -> Manifest:
    """Write a trained model and the loss of each of its steps to the folder `out`."""
    table = pd.DataFrame({"step": range(1, len(losses) + 1), "loss": losses})
    return save_model(
        out,
        model.cpu(),
        tokenizer,
        name=out.name,
        kind="trained",
        source=source,
        revision=revision,
        tables={LOSSES: table},
    )
