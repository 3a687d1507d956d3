"""How a model reads lines: the scores of their tokens, its answers, and what it would write itself."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Int

from mechaware.errors import UserError
from mechaware.models.lines import tokenise_lines
from mechaware.models.score_tokens import score_tokens
from mechaware.models.token_scores import TokenScores
from mechaware.radar.evidence.evidence import Samples
from mechaware.radar.prompts import QuestionAnswer

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

Continuation = Int[np.ndarray, " token"]


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
        """Every token of the lines but the first of each; with a prefix, the same tokens behind its texts.

        The lines of the prefix are separated as in training, by the end of text, and the line itself then does not
        begin with a second start token. Raises `UserError` for a text that does not fit the model's context.
        """
        texts = self.text_ids(lines)
        first = [1] * len(texts)
        if prefix:
            before = self._joined(prefix)
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
        return self._continue(prompts, tokens, None, 1.0)

    def sample(
        self, prompts: Sequence[Sequence[int]], *, samples: int, tokens: int, temperature: float, seed: int
    ) -> list[Samples]:
        """The greedy continuation of each prompt, and `samples` drawn ones, each of at most `tokens` tokens."""
        greedy = self.continue_greedily(prompts, tokens)
        generator = torch.Generator(self.model.device).manual_seed(seed)
        drawn = [self._continue(prompts, tokens, generator, temperature) for _ in range(samples)]
        return [Samples(own, [draw[row] for draw in drawn]) for row, own in enumerate(greedy)]

    @torch.inference_mode()
    def _continue(
        self,
        prompts: Sequence[Sequence[int]],
        tokens: int,
        generator: torch.Generator | None,
        temperature: float,
    ) -> list[Continuation]:
        self._check_context(max(map(len, prompts)) + tokens)
        continued: dict[int, Continuation] = {}
        for rows in self._equal_lengths(prompts, tokens):
            new = torch.tensor([list(prompts[row]) for row in rows], device=self.model.device)
            past, made = None, []
            for _ in range(tokens):
                output = self.model(input_ids=new, past_key_values=past, use_cache=True)
                past, logits = output.past_key_values, output.logits[:, -1]
                if generator is None:
                    new = logits.argmax(-1, keepdim=True)
                else:
                    new = torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator)
                made.append(new)
            continued |= dict(zip(rows, torch.cat(made, 1).cpu().numpy(), strict=True))
        return [self._cut(continued[row]) for row in range(len(prompts))]

    def _cut(self, tokens: Continuation) -> Int[np.ndarray, " kept"]:
        """The tokens before the end of text; what a model writes behind it is another text."""
        ends = np.flatnonzero(tokens == self.tokenizer.eos_token_id)
        return tokens[: ends[0]] if len(ends) else tokens

    def _equal_lengths(self, prompts: Sequence[Sequence[int]], tokens: int) -> Iterator[list[int]]:
        """Batches of prompts of one length, which need no padding while each grows by `tokens` tokens."""
        for length in sorted({len(ids) for ids in prompts}):
            rows = [row for row, ids in enumerate(prompts) if len(ids) == length]
            size = max(1, self.tokens_per_batch // (length + tokens))
            yield from (rows[first : first + size] for first in range(0, len(rows), size))

    def _joined(self, lines: Sequence[QuestionAnswer]) -> list[int]:
        """Lines one behind the other as in training: special tokens at the start, the end of text behind each."""
        tokenised = tokenise_lines(self.tokenizer, [line.question for line in lines], [line.answer for line in lines])
        starts = self.prompt_ids([QuestionAnswer("", "")])[0]
        return [*starts, *(token for question, answer in tokenised for token in [*question, *answer])]

    def _check_context(self, longest: int) -> None:
        context = self.model.config.max_position_embeddings
        if longest > context:
            raise UserError(f"a text of {longest} tokens exceeds the model's context of {context}; shorten it")
