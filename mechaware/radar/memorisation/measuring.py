"""Measures items under a model: everything that detectors ask for, from a few passes that they share."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import torch

from mechaware.errors import UserError
from mechaware.models.activations import split_prompts
from mechaware.models.capture import capture
from mechaware.models.score_tokens import score_tokens
from mechaware.models.token_scores import TokenScores
from mechaware.radar.detectors.evidence import Evidence, Samples
from mechaware.radar.ensemble.classifier import Ensemble
from mechaware.radar.features.extraction import feature_table
from mechaware.radar.features.features import FEATURES
from mechaware.radar.features.measurements import Reduction
from mechaware.radar.memorisation.items import Line

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


@dataclass(frozen=True)
class Measuring:
    """How items are measured: RADAR's settings, sampling for CDD, and the size of a batch in tokens."""

    reduction: Reduction
    specialised_head_entropy: float
    samples: int
    sampled_tokens: int
    temperature: float
    tokens_per_batch: int
    seed: int


class TokenisedModel:
    """A model, its tokenizer, and how they read lines."""

    def __init__(self, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", settings: Measuring) -> None:
        self.model, self.tokenizer, self.settings = model, tokenizer, settings

    def prompt_ids(self, lines: Sequence[Line]) -> list[list[int]]:
        """The questions as RADAR reads them: the tokenizer's own special tokens, then the text."""
        return [self.tokenizer(line.question or line.answer, verbose=False).input_ids for line in lines]

    def answer_ids(self, lines: Sequence[Line]) -> list[list[int]]:
        """The answers that follow the questions; empty for a line without a question, which is all prompt."""
        return [
            self.tokenizer(line.answer, add_special_tokens=False).input_ids if line.question else [] for line in lines
        ]

    def text_ids(self, lines: Sequence[Line]) -> list[list[int]]:
        """Whole lines."""
        return [
            [*prompt, *answer] for prompt, answer in zip(self.prompt_ids(lines), self.answer_ids(lines), strict=True)
        ]

    def score(self, lines: Sequence[Line], prefix: Sequence[Line] = ()) -> list[TokenScores]:
        """Every token of the lines but the first of each; with a prefix, the same tokens behind its texts.

        The lines of the prefix are separated as in training, by the end of text, and the line itself then does not
        begin with a second start token. Raises `UserError` for a text that does not fit the model's context.
        """
        texts = self.text_ids(lines)
        first = [1] * len(texts)
        if prefix:
            before = self._joined(prefix)
            starts = len(self.prompt_ids([Line("", "")])[0])  # special tokens at the start of every text
            # Without a start token the first token of a text has no context of its own, and is not scored behind a prefix.
            first = [len(before) + (0 if starts else 1)] * len(texts)
            texts = [[*before, *ids[starts:]] for ids in texts]
        self._check_context(max(map(len, texts)))
        return score_tokens(self.model, texts, first, tokens_per_batch=self.settings.tokens_per_batch)

    def lowercased(self, lines: Sequence[Line]) -> list[TokenScores]:
        """The tokens of the lines in lower case."""
        return self.score([Line(line.question.lower(), line.answer.lower()) for line in lines])

    def states_and_features(self, lines: Sequence[Line]) -> tuple[np.ndarray, pd.DataFrame]:
        """The residual stream at the last token of each question, row x layer x d_model, and RADAR's features."""
        activations = capture(self.model, self.prompt_ids(lines), tokens_per_batch=self.settings.tokens_per_batch)
        last = activations.token_counts.cumsum(0) - 1
        features = feature_table(
            split_prompts(activations),
            reduction=self.settings.reduction,
            specialised_head_entropy=self.settings.specialised_head_entropy,
        )
        return activations.hidden_states[last].numpy(), features

    def sample(self, lines: Sequence[Line]) -> list[Samples]:
        """The greedy continuation of each question, and several at random, as many tokens long as configured.

        Of a line without an answer, the first half of its tokens is the question.
        """
        prompts = [
            ids if answer else ids[: max(1, len(ids) // 2)]
            for ids, answer in zip(self.prompt_ids(lines), self.answer_ids(lines), strict=True)
        ]
        greedy = self._continue(prompts, None)
        generator = torch.Generator(self.model.device).manual_seed(self.settings.seed)
        drawn = [self._continue(prompts, generator) for _ in range(self.settings.samples)]
        return [Samples(own, [draw[row] for draw in drawn]) for row, own in enumerate(greedy)]

    @torch.inference_mode()
    def _continue(self, prompts: Sequence[Sequence[int]], generator: torch.Generator | None) -> list[np.ndarray]:
        """`sampled_tokens` more tokens of each prompt, the likeliest or, with a generator, drawn at the temperature."""
        continued: list[np.ndarray] = [np.empty(0, dtype=int)] * len(prompts)
        self._check_context(max(map(len, prompts)) + self.settings.sampled_tokens)
        for length in sorted({len(ids) for ids in prompts}):  # equal lengths need no padding
            rows = [row for row, ids in enumerate(prompts) if len(ids) == length]
            ids = torch.tensor([list(prompts[row]) for row in rows], device=self.model.device)
            past = None
            new = ids
            made = []
            for _ in range(self.settings.sampled_tokens):
                output = self.model(input_ids=new, past_key_values=past, use_cache=True)
                past, logits = output.past_key_values, output.logits[:, -1]
                if generator is None:
                    new = logits.argmax(-1, keepdim=True)
                else:
                    chances = (logits / self.settings.temperature).softmax(-1)
                    new = torch.multinomial(chances, 1, generator=generator)
                made.append(new)
            for row, tokens in zip(rows, torch.cat(made, 1).cpu().numpy(), strict=True):
                continued[row] = tokens
        return continued

    def _joined(self, lines: Sequence[Line]) -> list[int]:
        """Lines one behind the other as in training: special tokens at the start, the end of text behind each."""
        plain = [self.tokenizer(line.text, add_special_tokens=False).input_ids for line in lines]
        starts = self.prompt_ids([Line("", "")])[0]
        return [*starts, *(token for ids in plain for token in [*ids, self.tokenizer.eos_token_id])]

    def _check_context(self, longest: int) -> None:
        context = self.model.config.max_position_embeddings
        if longest > context:
            raise UserError(f"a text of {longest} tokens exceeds the model's context of {context}; shorten it")


def measure_items(
    target: TokenisedModel,
    lines: Sequence[Line],
    ids: Sequence[str],
    *,
    reference: TokenisedModel | None = None,
    unseen: Sequence[Line] = (),
    seen: Sequence[Line] = (),
    kinds: tuple[Sequence[Line], Sequence[str]] | None = None,
) -> Evidence:
    """All that the detectors read, but for what is known of training: `corpus`, `token_counts` and `seen`.

    `ids` name the items. `unseen` and `seen`: lines that the model has not, or has, been trained on, as prefixes; an
    empty list leaves their detectors out. `kinds`: prompts and their labels, recall or reasoning, on which RADAR's
    ensemble is fitted. Raises `UserError` for a reference model with another tokenizer, and for a prefix that holds an
    item.
    """
    for prefix in (unseen, seen):
        _check_disjoint(prefix, lines, ids)
    if reference is not None and reference.text_ids(lines) != target.text_ids(lines):
        raise UserError("the reference model tokenises the items in another way; take one with the same tokenizer")
    states, features = target.states_and_features(lines)
    return Evidence(
        texts=[line.text for line in lines],
        groups=list(ids),
        scores=target.score(lines),
        lowercase=target.lowercased(lines),
        reference=None if reference is None else reference.score(lines),
        after_unseen=target.score(lines, unseen) if unseen else None,
        after_seen=target.score(lines, seen) if seen else None,
        samples=target.sample(lines) if target.settings.samples else None,
        states=states,
        features=features,
        p_recall=None if kinds is None else _recall_probability(target, features, *kinds),
    )


def _recall_probability(
    target: TokenisedModel, features: pd.DataFrame, prompts: Sequence[Line], labels: Sequence[str]
) -> np.ndarray:
    """RADAR as published: the mean probability of an ensemble fitted on prompts of the two kinds."""
    training = target.states_and_features(prompts)[1].assign(label=list(labels))
    probability: np.ndarray = Ensemble.fit(training, FEATURES, target.settings.seed).predict(features)["probability"].to_numpy()
    return probability


def _check_disjoint(prefix: Sequence[Line], lines: Sequence[Line], ids: Sequence[str]) -> None:
    held = {line.text for line in prefix}
    for line, name in zip(lines, ids, strict=True):
        if line.text in held:
            raise UserError(f"item {name} is also a text of the prefix; take it out of one of them")
