"""A model reads lines: their tokens with scores, its answers, and its own continuations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float

from mechaware.core.errors import UserError
from mechaware.instruments.radar.evidence.evidence import Samples
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.context import context_length
from mechaware.models.decoding import Continuation, continue_tokens
from mechaware.models.gradients import gradient_norms
from mechaware.models.summaries import TokenScores
from mechaware.models.token_scores import score_tokens
from mechaware.models.tokenisation.chat import AskedPrompt, Template, ask
from mechaware.models.tokenisation.start import StartToken, start_ids, without_start
from mechaware.models.tokenisation.token_ids import encode_with_ends, ids_without_start
from mechaware.models.tokenisation.vocabulary import embedding_rows

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


_TokenisedLine = tuple[list[int], list[int]]  # question, answer


class _AskedLine(NamedTuple):
    """The tokens of a line as a model is asked it, without the start tokens.

    - `question`: the question with what the chat template, if there is one, writes before and after it.
    - `answer`: the answer.
    - `own`: where the question's own tokens are in `question`.
    - `opening`: the start tokens, if the template writes them before every message (as SmolLM2's does), so that a chat
      after a prefix has them as well; otherwise empty.
    """

    question: list[int]
    answer: list[int]
    own: slice
    opening: Sequence[int] = ()


def tokenise_lines(
    tokenizer: "PreTrainedTokenizerBase",
    lines: Sequence[QuestionAnswer],
    n_embeddings: int,
    start: Sequence[int],
) -> list[_TokenisedLine]:
    """The tokens of questions and answers as a model is trained on them; the end of text follows each answer.

    A model reads the tokens after the start tokens `start`, which are left out. Raises what `token_ids` raises for a
    model with `n_embeddings` rows in its embedding.
    """
    end = end_ids(tokenizer)
    bare = lines_without_start(tokenizer, lines, start)
    tokenised = _tokenise_bare(tokenizer, bare, n_embeddings)
    return [(question, answer + end) for question, answer in tokenised]


def end_ids(tokenizer: "PreTrainedTokenizerBase") -> list[int]:
    """The id of the end of text; empty for a tokenizer without an end of text."""
    return [] if tokenizer.eos_token_id is None else [tokenizer.eos_token_id]


def lines_without_start(
    tokenizer: "PreTrainedTokenizerBase", lines: Sequence[QuestionAnswer], start: Sequence[int]
) -> list[QuestionAnswer]:
    """The lines without the tokens `start` with which their texts may begin (`without_start`).

    A question of start tokens alone becomes empty, and its line a statement.
    """
    bare = []
    for line in lines:
        if line.question:
            bare.append(line._replace(question=without_start(line.question, tokenizer, start)))
        else:
            bare.append(line._replace(answer=without_start(line.answer, tokenizer, start)))
    return bare


def _tokenise_bare(
    tokenizer: "PreTrainedTokenizerBase", lines: Sequence[QuestionAnswer], n_embeddings: int
) -> list[_TokenisedLine]:
    """The tokens of each line's question and answer, from the line tokenised as one text without special tokens.

    Question and answer tokenised apart may differ from the text that a model reads: SentencePiece begins each with a
    space, and a space at the end of a question is part of the answer's first token. A token on the boundary belongs to
    the answer, unless it is the first token of the text: that is never predicted, so it counts as the question's.
    """
    encoded = encode_with_ends(tokenizer, [line.text for line in lines], n_embeddings)
    tokenised = []
    for line, (ids, ends) in zip(lines, encoded, strict=True):
        n_question = 0
        if line.question:
            # The ends of tokens, because some tokenizers leave out the space with which a token starts.
            n_question = max(1, sum(end <= len(line.question) for end in ends))
        tokenised.append((ids[:n_question], ids[n_question:]))
    return tokenised


class TokenisedModel:
    """A model and its tokenizer, reading lines in passes of at most `tokens_per_batch` tokens, padding included.

    A line is tokenised as one text, after the tokens that `start_ids` gives for `start`; a line that begins with them
    is read as the line without them. With the `template` chat the question is a user's message in the tokenizer's chat
    template, and the answer begins the reply; a line without a question is such a message, without a reply. What the
    template writes is context: only the tokens of question and answer are scored.

    `perhaps_lacks_start`: the tokenizer puts no start token before a text, but the model's config names one. Raises
    `UserError` for a start token that the tokenizer or the model lacks. Every method that reads lines raises
    `UserError` for a token that the model lacks, and for a tokenizer without the template.
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
        # A model that was trained with a start token misjudges the first tokens of texts without one. A chat template
        # writes the start tokens of its chats.
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
        behind_start = [self._with_start(ids) for ids in texts]
        first = max(1, len(self._start))
        scores = score_tokens(
            self.model, behind_start, [first] * len(texts), tokens_per_batch=self.tokens_per_batch
        )
        return np.array([text.log_probs.sum() for text in scores])

    def without_start(self, lines: Sequence[QuestionAnswer]) -> list[QuestionAnswer]:
        """The lines without the start tokens with which their texts may begin; a model reads the same tokens."""
        return lines_without_start(self.tokenizer, lines, self._start)

    def prompt_ids(self, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
        """The start and the questions' tokens, which RADAR reads; a line without a question is all prompt."""
        return [self._start + (asked.question or asked.answer) for asked in self._tokenise(lines)]

    def answer_ids(self, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
        """The answers that follow the questions; empty for a line without a question, which is all prompt."""
        answers: list[list[int]] = []
        for asked in self._tokenise(lines):
            answers.append(asked.answer if asked.question else [])
        return answers

    def text_ids(self, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
        """The start and the tokens of the whole lines, and of the template around the questions."""
        return [self._start + asked.question + asked.answer for asked in self._tokenise(lines)]

    def scored_ids(self, lines: Sequence[QuestionAnswer]) -> list[list[int]]:
        """The tokens that `score` scores without a prefix."""
        scored = []
        for ids, positions in self._scored_positions(lines):
            scored.append([ids[position] for position in positions])
        return scored

    def gradient_norms(self, lines: Sequence[QuestionAnswer]) -> Float[np.ndarray, " line"] | None:
        """The norm of the gradient of each line's mean loss over the tokens that `score` scores without a prefix.

        None for a model without gradients (`models.gradients`).
        """
        texts = []
        scored = []
        for ids, positions in self._scored_positions(lines):
            texts.append(ids)
            scored.append(positions)
        return gradient_norms(self.model, texts, scored)

    def lines_with_end(self, lines: Sequence[QuestionAnswer]) -> list[_TokenisedLine]:
        """The tokens of questions and answers; the end of text follows each answer.

        They are without the start tokens, except those that a chat template writes before every message.
        """
        end = end_ids(self.tokenizer)
        tokenised = []
        for asked in self._tokenise(lines):
            tokenised.append(([*asked.opening, *asked.question], asked.answer + end))
        return tokenised

    def show(self, line: QuestionAnswer) -> str:
        """The text that the model reads for a line, token by token; scored tokens are in brackets."""
        (asked,) = self._tokenise([line])
        ids = self._start + asked.question + asked.answer
        own = set(self._own_positions(asked, len(self._start)))
        shown = []
        for position, token in enumerate(ids):
            piece = repr(self.tokenizer.decode([token]))
            shown.append(f"[{piece}]" if position in own and position >= 1 else piece)
        return " ".join(shown)

    def _tokenise(self, lines: Sequence[QuestionAnswer]) -> list[_AskedLine]:
        """The tokens of the lines, by parts."""
        bare = self.without_start(lines)
        if self.template == "none":
            asked_lines = []
            for question, answer in _tokenise_bare(self.tokenizer, bare, self._n_embeddings):
                asked_lines.append(_AskedLine(question, answer, slice(0, len(question))))
            return asked_lines

        # A line without a question is all prompt.
        messages = [line.question or line.answer for line in bare]
        prompts = ask(self.tokenizer, messages, self.template)
        texts = []
        for line, prompt in zip(bare, prompts, strict=True):
            reply = prompt.reply(line.answer) if line.question else ""
            texts.append(prompt.text + reply)
        encoded = encode_with_ends(self.tokenizer, texts, self._n_embeddings)

        asked_lines = []
        for prompt, (ids, ends) in zip(prompts, encoded, strict=True):
            asked_lines.append(self._split_chat(prompt, ids, ends))
        return asked_lines

    def _split_chat(self, prompt: AskedPrompt, ids: list[int], ends: Sequence[int]) -> _AskedLine:
        """The parts of a chat with the tokens `ids`; token i ends before the character `ends[i]` of the text.

        A token on a boundary belongs to what follows the boundary, except at the end of the question's own text. With a
        start token <s>, which the template writes:

            tokens    <s>   user:  Where  is it?  bot:  Here   .
            ends      3     8      14     21      26    31     32
            question        [user:  Where  is it?  bot:]
            own                    [Where  is it?]
            answer                                      [Here  .]
        """
        # The start tokens that the template wrote.
        n_start = len(ids) - len(ids_without_start(ids, self._start))
        end_of_question = sum(end <= len(prompt.text) for end in ends)

        n_before_own = sum(end <= len(prompt.before) for end in ends)
        own_text_end = len(prompt.before) + len(prompt.prompt)
        n_inside_own = sum(end < own_text_end for end in ends)
        first_own = max(n_before_own, n_start)
        # The question's last own token is the one that reaches the end of its text.
        end_of_own = min(n_inside_own + 1, end_of_question)

        start_text = str(self.tokenizer.decode(self._start))
        opens_every_message = start_text != "" and start_text in prompt.after
        return _AskedLine(
            question=ids[n_start:end_of_question],
            answer=ids[end_of_question:],
            own=slice(first_own - n_start, end_of_own - n_start),
            opening=ids[:n_start] if opens_every_message else [],
        )

    def _with_start(self, ids: Sequence[int]) -> list[int]:
        """The start tokens and a text; a chat template may have written them at the text's beginning already."""
        is_written = self.template != "none" and list(ids[: self.n_start]) == self._start
        if is_written:
            return list(ids)
        return [*self._start, *ids]

    def _scored_positions(
        self, lines: Sequence[QuestionAnswer]
    ) -> list[tuple[list[int], list[int]]]:
        """The start and the tokens of each line, and the positions of the tokens that are scored."""
        read = []
        for asked in self._tokenise(lines):
            ids = [*self._start, *asked.question, *asked.answer]
            own = self._own_positions(asked, len(self._start))
            read.append((ids, [position for position in own if position >= 1]))
        return read

    def _own_positions(self, asked: _AskedLine, n_before: int) -> list[int]:
        """Where the tokens of question and answer lie in a text in which `n_before` tokens precede the line's.

        Of a question of five tokens, of which `own` is 1 to 3, and an answer of two, after one start token:

            start  template  Where  is  it  template  Here  .
            0      1         2      3   4   5         6     7    own positions: 2, 3, 4, 6, 7
        """
        n_question = len(asked.question)
        positions = range(n_before, n_before + n_question + len(asked.answer))
        of_question = positions[:n_question][asked.own]
        of_answer = positions[n_question:]
        return [*of_question, *of_answer]

    def score(
        self,
        lines: Sequence[QuestionAnswer],
        prefix: Sequence[QuestionAnswer] = (),
        *,
        cut: bool = False,
    ) -> list[TokenScores]:
        """Scores of all tokens of each line but its first; with a prefix, of the same tokens after the prefix.

        A start token counts as the first token, and so does what a template writes before the line. As in training, the
        end of text separates the lines of the prefix, and a line after a prefix gets a start token only from a chat
        template. A text that does not fit the model's context is cut at its end if `cut`, or else raises `UserError`.
        """
        prefix_ids: list[int] = []
        for question, answer in self.lines_with_end(prefix):
            prefix_ids += [*question, *answer]
        before = self._with_start(prefix_ids)

        asked_lines = self._tokenise(lines)
        openings = [asked.opening if prefix else () for asked in asked_lines]
        texts = []
        for opening, asked in zip(openings, asked_lines, strict=True):
            texts.append([*before, *opening, *asked.question, *asked.answer])
        if cut:
            context = context_length(self.model.config)
            texts = [ids[:context] for ids in texts]
        self._check_context(max(len(ids) for ids in texts))

        first = len(before)
        if not self._start:
            first += 1  # a text's first token is context, after a prefix as without one
        scores = score_tokens(
            self.model, texts, [first] * len(texts), tokens_per_batch=self.tokens_per_batch
        )
        if self.template == "none":
            return scores

        kept = []
        for text, opening, asked in zip(scores, openings, asked_lines, strict=True):
            n_before = len(before) + len(opening)
            own = np.array(self._own_positions(asked, n_before)) - first
            # Without a token that is context (below 0), and without tokens that were cut.
            own = own[(own >= 0) & (own < len(text.ids))]
            kept.append(TokenScores(*(field[own] for field in text)))
        return kept

    def lowercased(self, lines: Sequence[QuestionAnswer]) -> list[TokenScores]:
        """The tokens of the lines in lower case."""
        lowercased = []
        # Without the start token, which would be other tokens in lower case.
        for line in self.without_start(lines):
            lowercased.append(QuestionAnswer(line.question.lower(), line.answer.lower()))
        return self.score(lowercased)

    def answered(
        self, lines: Sequence[QuestionAnswer], scores: Sequence[TokenScores]
    ) -> list[bool]:
        """Whether every token of the answer is the likeliest one, given the question and the answer before it.

        The lines have questions; `scores` are the scores of the lines without a prefix.
        """
        are_answered = []
        for text, answer in zip(scores, self.answer_ids(lines), strict=True):
            n = len(answer)
            is_likeliest = text.log_probs[-n:] >= text.best[-n:]
            are_answered.append(bool(is_likeliest.all()))
        return are_answered

    def continue_greedily(
        self, prompts: Sequence[Sequence[int]], tokens: int
    ) -> list[Continuation]:
        """The likeliest next `tokens` tokens of each prompt, or fewer where the text or the context ends."""
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
        """The greedy continuation of each prompt, and `samples` drawn ones, each of at most `tokens` tokens.

        Continuations are drawn in batches, from one generator, so for the same seed the draws depend on
        `tokens_per_batch` and on the device.
        """
        greedy = self.continue_greedily(prompts, tokens)
        generator = torch.Generator(self.model.device).manual_seed(seed)
        repeated = []
        for prompt in prompts:
            repeated += [prompt] * samples
        drawn = self._continue(repeated, tokens, generator=generator, temperature=temperature)

        by_prompt = []
        for row, continuation in enumerate(greedy):
            start = samples * row
            by_prompt.append(Samples(continuation, drawn[start : start + samples]))
        return by_prompt

    def _continue(
        self, prompts: Sequence[Sequence[int]], tokens: int, **drawing: Any
    ) -> list[Continuation]:
        """Continuations up to the end of text; `drawing` are the options of a random draw (`continue_tokens`)."""
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
        context = context_length(self.model.config)
        if longest > context:
            raise UserError(
                f"a text of {longest} tokens exceeds the model's context of {context}; shorten it"
            )
