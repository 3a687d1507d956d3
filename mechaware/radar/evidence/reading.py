"""A model reads lines: the scores of their tokens, its answers, and its own continuations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from mechaware.errors import UserError
from mechaware.models.capture import score_tokens
from mechaware.models.decoding import Continuation, continue_tokens
from mechaware.models.summaries import TokenScores
from mechaware.models.training import tokenise_lines
from mechaware.radar.evidence.evidence import Samples
from mechaware.radar.prompts import QuestionAnswer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class TokenisedModel:
    """A model and its tokenizer, reading lines in passes of at most `tokens_per_batch` tokens, padding included."""

    def __init__(self, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", tokens_per_batch: int) -> None:
        self.model, self.tokenizer, self.tokens_per_batch = model, tokenizer, tokens_per_batch

    def prompt_ids(self, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
        """The questions as RADAR reads them: the tokenizer's own special tokens, then the text."""
        return [self.tokenizer(line.question or line.answer, verbose=False).input_ids for line in lines]

    def answer_ids(self, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
        """The answers that follow the questions; empty for a line without a question, which is all prompt."""
        return [
            self.tokenizer(line.answer, add_special_tokens=False).input_ids if line.question else [] for line in lines
        ]

    def text_ids(self, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
        """Whole lines."""
        return [
            [*prompt, *answer] for prompt, answer in zip(self.prompt_ids(lines), self.answer_ids(lines), strict=True)
        ]

    def score(self, lines: Sequence[QuestionAnswer], prefix: Sequence[QuestionAnswer] = ()) -> list[TokenScores]:
        """Scores of all tokens of each line but its first; with a prefix, of the same tokens behind the prefix.

        As in training, the end of text separates the lines of the prefix; the scored line then gets no start token of
        its own. Raises `UserError` for a text that does not fit the model's context.
        """
        texts = self.text_ids(lines)
        first = [1] * len(texts)
        if prefix:
            before = self._join_as_in_training(prefix)
            starts = len(self.prompt_ids([QuestionAnswer("", "")])[0])  # special tokens at the start of every text
            # Without a start token a text's first token is context, behind a prefix as without one.
            first = [len(before) + (0 if starts else 1)] * len(texts)
            texts = [[*before, *ids[starts:]] for ids in texts]
        self._check_context(max(map(len, texts)))
        return score_tokens(self.model, texts, first, tokens_per_batch=self.tokens_per_batch)

    def lowercased(self, lines: Sequence[QuestionAnswer]) -> list[TokenScores]:
        """The tokens of the lines in lower case."""
        return self.score([QuestionAnswer(line.question.lower(), line.answer.lower()) for line in lines])

    def answered(self, lines: Sequence[QuestionAnswer], scores: Sequence[TokenScores]) -> list[bool]:
        """Whether every token of the answer is the likeliest one, given the question and the answer before it.

        The lines have questions; `scores` are theirs, with no prefix.
        """
        lengths = map(len, self.answer_ids(lines))
        return [
            bool((text.log_probs[-length:] >= text.best[-length:]).all())
            for text, length in zip(scores, lengths, strict=True)
        ]

    def continue_greedily(self, prompts: Sequence[Sequence[int]], tokens: int) -> list[Continuation]:
        """The likeliest next `tokens` tokens of each prompt, or fewer where the text ends."""
        return self._continue(prompts, tokens)

    def sample(
        self, prompts: Sequence[Sequence[int]], *, samples: int, tokens: int, temperature: float, seed: int
    ) -> list[Samples]:
        """The greedy continuation of each prompt, and `samples` drawn ones, each of at most `tokens` tokens."""
        greedy = self.continue_greedily(prompts, tokens)
        # A GPU draws other numbers than a CPU for the same seed.
        generator = torch.Generator(self.model.device).manual_seed(seed)
        drawn = [self._continue(prompts, tokens, generator=generator, temperature=temperature) for _ in range(samples)]
        return [
            Samples(continuation, [continuations[row] for continuations in drawn])
            for row, continuation in enumerate(greedy)
        ]

    def _continue(self, prompts: Sequence[Sequence[int]], tokens: int, **drawing: Any) -> list[Continuation]:
        self._check_context(max(map(len, prompts)) + tokens)
        return continue_tokens(
            self.model,
            prompts,
            tokens,
            end=self.tokenizer.eos_token_id,
            tokens_per_batch=self.tokens_per_batch,
            **drawing,
        )

    def _join_as_in_training(self, lines: Sequence[QuestionAnswer]) -> list[int]:
        """The token ids of lines in sequence, as in training: special tokens first, the end of text after each line."""
        tokenised = tokenise_lines(self.tokenizer, [line.question for line in lines], [line.answer for line in lines])
        starts = self.prompt_ids([QuestionAnswer("", "")])[0]
        return [*starts, *(token for question, answer in tokenised for token in [*question, *answer])]

    def _check_context(self, longest: int) -> None:
        context = self.model.config.max_position_embeddings
        if longest > context:
            raise UserError(f"a text of {longest} tokens exceeds the model's context of {context}; shorten it")
