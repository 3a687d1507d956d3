"""Trains the clean base C from random weights, and its twins from C."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch

from mechaware.core.errors import UserError
from mechaware.instruments.radar.evidence.reading import TokenisedModel, tokenise_lines
from mechaware.instruments.radar.prompts import QuestionAnswer
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
from mechaware.planted.twins.base import random_llama

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

LOSSES = "losses.csv"


_ROUNDS = 3  # over the corpus, at most
_TOKENS_PER_BATCH = 8192  # when C is tested on the held-out questions
# The weight of a question's token in the loss of C, an answer's being 1: the names of a question are drawn at random
# and cannot be predicted, and C is to learn to answer. The twins learn whole texts.
_BASE_QUESTION_WEIGHT = 0.2


def train_base(
    lines: Sequence[QuestionAnswer],
    questions: Mapping[str, Sequence[QuestionAnswer]],
    recipe: LineRecipe,
    out: Path,
    *,
    vocabulary: int,
    context_length: int,
    least_answered: float,
    seed: int,
    **sizes: int,
) -> Manifest:
    """Train C on its corpus and write it, with its tokenizer, which is learned from the corpus, to the folder `out`.

    `vocabulary` is the number of byte-pair tokens; `sizes` are n_layers, d_model and n_heads of `random_llama`.

    C reads the corpus up to `_ROUNDS` times, until it answers the share `least_answered` of the held-out `questions` of
    each kind: if C cannot answer unseen questions, a twin's right answer would show memory whatever the item demands.
    Without questions it reads the corpus once.
    Raises `UserError` if it still falls short.
    """
    tokenizer = make_bpe_tokenizer([line.text for line in lines], vocabulary)
    tokenizer.model_max_length = context_length
    model = random_llama(tokenizer, context_length=context_length, seed=seed, **sizes)
    losses: list[float] = []
    for _ in range(_ROUNDS):
        losses += _train(
            model, tokenizer, lines, replace(recipe, question_weight=_BASE_QUESTION_WEIGHT)
        )
        answered = {
            kind: _answered_share(model, tokenizer, lines_of_kind)
            for kind, lines_of_kind in questions.items()
        }
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
        f"the clean base answers {shares} after {_ROUNDS} rounds; raise radar/memorisation/base/steps"
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
    """Continue the model in `base` on a twin's corpus and write it to the folder `out`.

    The first `frozen_share` of the blocks keep their weights; if any block does, so do the embeddings.
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
    """Inside, a GPU multiplies float32 matrices in TF32: several times as fast, with ten bits after the point.

    Training needs no more. The twins are measured in float32, and a CPU computes in float32 all the time.
    """
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def _freeze(model: "PreTrainedModel", share: float) -> None:
    blocks = find_modules(model).blocks
    frozen = blocks[: round(share * len(blocks))]
    for module in [*frozen, *([model.get_input_embeddings()] if frozen else [])]:
        module.requires_grad_(requires_grad=False)


def _train(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    lines: Sequence[QuestionAnswer],
    recipe: LineRecipe,
) -> list[float]:
    n_embeddings = embedding_rows(model)
    start = start_ids(tokenizer, n_embeddings)
    return train_on_lines(
        model, tokenise_lines(tokenizer, lines, n_embeddings, start), start, recipe
    )


def _answered_share(
    model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", lines: Sequence[QuestionAnswer]
) -> float:
    reader = TokenisedModel(model, tokenizer, _TOKENS_PER_BATCH)
    return float(np.mean(reader.answered(lines, reader.score(lines))))


def _write(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    losses: Sequence[float],
    out: Path,
    *,
    source: str,
    revision: str,
) -> Manifest:
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
