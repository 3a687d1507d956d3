"""A model reads lines: their tokens with scores, its answers, and its own continuations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from jaxtyping import Float

from mechaware.core.errors import UserError
from mechaware.instruments.radar.evidence.evidence import Samples
from mechaware.instruments.radar.evidence.line_tokens import (
    LineTokens,
    QuestionAnswerIds,
    end_ids,
    lines_without_start,
    tokens_as_read,
)
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.context import context_length
from mechaware.models.decoding import Continuation, continue_tokens
from mechaware.models.gradients import gradient_norms
from mechaware.models.summaries import TokenScores
from mechaware.models.token_scores import score_tokens
from mechaware.models.tokenisation.chat import Template
from mechaware.models.tokenisation.start import StartToken, start_ids
from mechaware.models.tokenisation.vocabulary import embedding_rows

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


class TokenisedModel:
    """A model and its tokenizer, which read lines.

    A pass has at most `tokens_per_batch` tokens, padding included. A line is tokenised as one text,
    after the tokens that `start_ids` gives for `start`; a line that begins with them is read as the
    line without them. With the `template` chat the question is a user's message in the tokenizer's
    chat template, and the answer begins the reply; a line without a question is such a message,
    without a reply. What the template writes is context: only the tokens of question and answer are
    scored.

    `perhaps_lacks_start`: the tokenizer decides (`start` auto, no template) and puts no start token
    before a text, but the model's config names one.

    Raises `UserError` for a start token that the tokenizer or the model lacks. Every method that
    reads lines raises `UserError` for a slow tokenizer, for a token that the model lacks, and for a
    tokenizer without the template.
    """

    def __init__(
        self,
        model: "PreTrainedModel",
        tokenizer: "PreTrainedTokenizerBase",
        tokens_per_batch: int,
        start: StartToken = "auto",
        *,
        template: Template = "none",
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.tokens_per_batch = tokens_per_batch
        self.template = template
        self._n_embeddings = embedding_rows(model)
        self._start = start_ids(tokenizer, self._n_embeddings, start)
        # A model that was trained with a start token misjudges the first tokens of texts without
        # one. A chat template writes the start tokens of its chats.
        is_left_to_tokenizer = template == "none" and start == "auto"
        has_start_token = tokenizer.bos_token_id is not None
        is_named_by_model = has_start_token and model.config.bos_token_id == tokenizer.bos_token_id
        self.perhaps_lacks_start = is_left_to_tokenizer and not self._start and is_named_by_model

    @property
    def n_start(self) -> int:
        """How many start tokens come before every text."""
        return len(self._start)

    def log_likelihoods(self, texts: Sequence[Sequence[int]]) -> Float[np.ndarray, " text"]:
        """The log-likelihood in nats of each text of token ids, after the start tokens.

        Without a start token a text's first token is context.
        """
        texts_with_start = [self._with_start(ids) for ids in texts]
        first_scored = max(1, self.n_start)
        scores = self._score_from(first_scored, texts_with_start)
        return np.array([text_scores.log_probs.sum() for text_scores in scores])

    def without_start(self, lines: Sequence[QuestionAnswer]) -> list[QuestionAnswer]:
        """The lines without the start tokens with which their texts may begin.

        The model reads the same tokens for them.
        """
        return lines_without_start(self.tokenizer, lines, self._start)

    def prompt_ids(self, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
        """The start tokens and the questions' tokens, which RADAR reads.

        A line without a question is all prompt.
        """
        prompts = []
        for tokens in self._tokenise(lines):
            prompts.append(self._start + (tokens.question or tokens.answer))
        return prompts

    def answer_ids(self, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
        """The tokens of the answers that follow questions; empty for a line without a question."""
        answers: list[list[int]] = []
        for tokens in self._tokenise(lines):
            answers.append(tokens.answer if tokens.question else [])
        return answers

    def text_ids(self, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
        """The start tokens and the tokens of the whole lines, with the template around them."""
        return [self._start + tokens.ids for tokens in self._tokenise(lines)]

    def scored_ids(self, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
        """The tokens of each line that `score` scores without a prefix."""
        scored_ids = []
        for ids, positions in self._scored_positions(lines):
            scored_ids.append([ids[position] for position in positions])
        return scored_ids

    def gradient_norms(self, lines: Sequence[QuestionAnswer]) -> Float[np.ndarray, " line"] | None:
        """The norm of the gradient of each line's mean loss.

        The mean is over the tokens that `score` scores without a prefix. None for a model without
        gradients (`models.gradients`).
        """
        texts = []
        positions_of_texts = []
        for ids, positions in self._scored_positions(lines):
            texts.append(ids)
            positions_of_texts.append(positions)
        return gradient_norms(self.model, texts, positions_of_texts)

    def lines_with_end(self, lines: Sequence[QuestionAnswer]) -> list[QuestionAnswerIds]:
        """The tokens of questions and answers; the end of text follows each answer.

        They are without the start tokens, except those that a chat template writes before every
        message.
        """
        end = end_ids(self.tokenizer)
        tokenised = []
        for tokens in self._tokenise(lines):
            tokenised.append(([*tokens.opening, *tokens.question], tokens.answer + end))
        return tokenised

    def show(self, line: QuestionAnswer) -> str:
        """The tokens that the model reads for a line, as text; scored tokens are in brackets."""
        ((ids, scored),) = self._scored_positions([line])
        shown = []
        for position, token in enumerate(ids):
            piece = repr(self.tokenizer.decode([token]))
            shown.append(f"[{piece}]" if position in scored else piece)
        return " ".join(shown)

    def _tokenise(self, lines: Sequence[QuestionAnswer]) -> list[LineTokens]:
        return tokens_as_read(self.tokenizer, lines, self._n_embeddings, self._start, self.template)

    def _with_start(self, ids: Sequence[int]) -> list[int]:
        """The start tokens and a text.

        A chat template may have written them at the text's beginning already.
        """
        is_written = self.template != "none" and list(ids[: self.n_start]) == self._start
        if is_written:
            return list(ids)
        return [*self._start, *ids]

    def _scored_positions(
        self, lines: Sequence[QuestionAnswer]
    ) -> list[tuple[list[int], list[int]]]:
        """The tokens of each text, with the start tokens, and the positions that are scored.

        The first token of a text has no context, so it is not scored.
        """
        texts = []
        for tokens in self._tokenise(lines):
            own_positions = tokens.own_positions(self.n_start)
            scored = [position for position in own_positions if position >= 1]
            texts.append((self._start + tokens.ids, scored))
        return texts

    def score(
        self,
        lines: Sequence[QuestionAnswer],
        prefix: Sequence[QuestionAnswer] = (),
        *,
        cut: bool = False,
    ) -> list[TokenScores]:
        """Scores of all tokens of each line but its first.

        A start token counts as the first token, and so does what a template writes before the line.
        With a prefix, the same tokens are scored after the prefix. As in training, the end of text
        separates the lines of the prefix, and a line after a prefix gets a start token only from a
        chat template. A text that does not fit the model's context is cut at its end if `cut`, or
        else raises `UserError`.
        """
        prefix_ids: list[int] = []
        for question, answer in self.lines_with_end(prefix):
            prefix_ids += [*question, *answer]
        before = self._with_start(prefix_ids)

        tokens_of_lines = self._tokenise(lines)
        openings = [tokens.opening if prefix else () for tokens in tokens_of_lines]
        texts = []
        for opening, tokens in zip(openings, tokens_of_lines, strict=True):
            texts.append([*before, *opening, *tokens.ids])
        if cut:
            context = context_length(self.model.config)
            texts = [ids[:context] for ids in texts]
        self._check_context(max(len(ids) for ids in texts))

        first_scored = len(before)
        if not self._start:
            first_scored += 1  # a line's first token is context, after a prefix as without one
        scores = self._score_from(first_scored, texts)
        if self.template == "none":
            return scores

        # In a chat, only the line's own tokens are kept.
        own_scores = []
        for text_scores, opening, tokens in zip(scores, openings, tokens_of_lines, strict=True):
            n_before = len(before) + len(opening)
            own = np.array(tokens.own_positions(n_before)) - first_scored
            # Without a token that is context (below 0), and without tokens that were cut.
            own = own[(own >= 0) & (own < len(text_scores.ids))]
            own_scores.append(TokenScores._make(values[own] for values in text_scores))
        return own_scores

    def _score_from(self, first_scored: int, texts: Sequence[Sequence[int]]) -> list[TokenScores]:
        """Scores of the tokens of each text from position `first_scored` on."""
        return score_tokens(
            self.model,
            texts,
            [first_scored] * len(texts),
            tokens_per_batch=self.tokens_per_batch,
        )

    def lowercased(self, lines: Sequence[QuestionAnswer]) -> list[TokenScores]:
        """The scores of the lines in lower case."""
        lowercased = []
        # The start token is removed first: in lower case its text would be other tokens.
        for line in self.without_start(lines):
            lowercased.append(QuestionAnswer(line.question.lower(), line.answer.lower()))
        return self.score(lowercased)

    def answered(
        self, lines: Sequence[QuestionAnswer], scores: Sequence[TokenScores]
    ) -> list[bool]:
        """Whether each token of a line's answer is the likeliest one after the tokens before it.

        A token that ties for the likeliest counts as likeliest. Every line has a question and an
        answer; `scores` are the scores of the lines without a prefix.
        """
        are_answered = []
        for text_scores, answer in zip(scores, self.answer_ids(lines), strict=True):
            n_answer = len(answer)
            is_likeliest = text_scores.log_probs[-n_answer:] >= text_scores.best[-n_answer:]
            are_answered.append(bool(is_likeliest.all()))
        return are_answered

    def continue_greedily(
        self, prompts: Sequence[Sequence[int]], tokens: int
    ) -> list[Continuation]:
        """The likeliest next `tokens` tokens of each prompt.

        They are fewer where the text or the model's context ends.
        """
        return self._continue(prompts, tokens)

    def sample(
        self,
        prompts: Sequence[Sequence[int]],
        *,
        samples: int,
        tokens: int,
        temperature: float,
        seed: int,
    ) -> list[Samples]:
        """The greedy continuation of each prompt, and `samples` drawn ones.

        Each has at most `tokens` tokens. Continuations are drawn in batches, from one generator, so
        for the same seed the draws depend on `tokens_per_batch` and on the device.
        """
        greedy = self.continue_greedily(prompts, tokens)
        generator = torch.Generator(self.model.device).manual_seed(seed)
        # For two prompts and three samples: [a a a b b b].
        repeated = []
        for prompt in prompts:
            repeated += [prompt] * samples
        drawn = self._continue(repeated, tokens, generator=generator, temperature=temperature)

        by_prompt = []
        for number, continuation in enumerate(greedy):
            first = number * samples
            by_prompt.append(Samples(continuation, drawn[first : first + samples]))
        return by_prompt

    def _continue(
        self, prompts: Sequence[Sequence[int]], tokens: int, **drawing: Any
    ) -> list[Continuation]:
        """Continuations up to the end of text.

        `drawing`: for a random draw, the `generator` and the `temperature` of `continue_tokens`.
        """
        self._check_context(max(map(len, prompts)) + 1)
        return continue_tokens(
            self.model,
            prompts,
            tokens,
            end=self.tokenizer.eos_token_id,
            tokens_per_batch=self.tokens_per_batch,
            **drawing,
        )

    def _check_context(self, longest: int) -> None:
        """Raise `UserError` if a text of `longest` tokens exceeds the model's context."""
        context = context_length(self.model.config)
        if longest > context:
            raise UserError(
                f"a text of {longest} tokens exceeds the model's context of {context}; shorten it"
            )
