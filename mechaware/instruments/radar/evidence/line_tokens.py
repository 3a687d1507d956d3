"""The tokens of a line, split into question and answer, with or without a chat template."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.models.tokenisation.chat import AskedPrompt, Template, ask
from mechaware.models.tokenisation.start import without_start
from mechaware.models.tokenisation.token_ids import encode_with_ends, ids_without_start

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


QuestionAnswerIds = tuple[list[int], list[int]]  # the tokens of a question, and of its answer


class LineTokens(NamedTuple):
    """The tokens of a line as a model reads it, without the start tokens before the text.

    - `question`: the question with what the chat template, if there is one, writes before and after
      it.
    - `answer`: the answer.
    - `own_question`: where the question's own tokens are in `question`.
    - `opening`: the start tokens, if the template writes them before every message (as SmolLM2's
      does), so that a chat after a prefix has them as well; otherwise empty.
    """

    question: list[int]
    answer: list[int]
    own_question: slice
    opening: Sequence[int] = ()

    @property
    def ids(self) -> list[int]:
        """The tokens of the question, with the template around it, and of the answer."""
        return self.question + self.answer

    def own_positions(self, n_before: int) -> list[int]:
        """The positions of the line's own tokens in a text, in which `n_before` tokens precede it.

        A line's own tokens are the tokens of its question and of its answer, without the template.
        For instance, one start token precedes a question of five tokens, whose `own_question` is
        slice(1, 4), and an answer of two tokens:

            start  template  Where  is  it  template  Here  .
            0      1         2      3   4   5         6     7    own positions: 2, 3, 4, 6, 7
        """
        n_question = len(self.question)
        positions = range(n_before, n_before + len(self.ids))
        of_question = positions[:n_question][self.own_question]
        of_answer = positions[n_question:]
        return [*of_question, *of_answer]


def tokenise_lines(
    tokenizer: "PreTrainedTokenizerBase",
    lines: Sequence[QuestionAnswer],
    n_embeddings: int,
    start: Sequence[int],
) -> list[QuestionAnswerIds]:
    """The tokens of questions and answers as a model is trained on them, without a chat template.

    The end of text follows each answer. A model reads the tokens after the start tokens `start`,
    which are left out. Raises `UserError` for a slow tokenizer, for a text that it cannot read, and
    for a token that a model with `n_embeddings` rows in its embedding lacks.
    """
    end = end_ids(tokenizer)
    lines = lines_without_start(tokenizer, lines, start)
    tokenised = _tokenise_without_start(tokenizer, lines, n_embeddings)
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
    stripped = []
    for line in lines:
        if line.question:
            question = without_start(line.question, tokenizer, start)
            stripped.append(line._replace(question=question))
        else:
            stripped.append(line._replace(answer=without_start(line.answer, tokenizer, start)))
    return stripped


def tokens_as_read(
    tokenizer: "PreTrainedTokenizerBase",
    lines: Sequence[QuestionAnswer],
    n_embeddings: int,
    start: Sequence[int],
    template: Template,
) -> list[LineTokens]:
    """The tokens of each line inside the chat template, or without one for the `template` none.

    In a chat a line without a question is a user's message, without a reply. The start tokens
    `start` are left out. Raises `UserError` as `tokenise_lines` does, and for a tokenizer without
    the template.
    """
    lines = lines_without_start(tokenizer, lines, start)
    tokens_of_lines = []
    if template == "none":
        for question, answer in _tokenise_without_start(tokenizer, lines, n_embeddings):
            tokens_of_lines.append(LineTokens(question, answer, slice(0, len(question))))
        return tokens_of_lines

    messages = [line.question or line.answer for line in lines]
    prompts = ask(tokenizer, messages, template)
    texts = []
    for line, prompt in zip(lines, prompts, strict=True):
        reply = prompt.reply(line.answer) if line.question else ""
        texts.append(prompt.text + reply)
    encoded = encode_with_ends(tokenizer, texts, n_embeddings)

    for prompt, (ids, ends) in zip(prompts, encoded, strict=True):
        tokens_of_lines.append(_split_chat(tokenizer, prompt, ids, ends, start))
    return tokens_of_lines


def _tokenise_without_start(
    tokenizer: "PreTrainedTokenizerBase", lines: Sequence[QuestionAnswer], n_embeddings: int
) -> list[QuestionAnswerIds]:
    """The tokens of each line's question and answer, from the line tokenised as one text.

    No special tokens are added. Question and answer tokenised apart may differ from the text that a
    model reads: SentencePiece begins each with a space, and a space at the end of a question is
    part of the answer's first token. A token on the boundary belongs to the answer, unless it is
    the first token of the text: that token is never predicted, so it counts as the question's.
    """
    encoded = encode_with_ends(tokenizer, [line.text for line in lines], n_embeddings)
    tokenised = []
    for line, (ids, ends) in zip(lines, encoded, strict=True):
        n_question = 0
        if line.question:
            # The ends of tokens, because some tokenizers leave out the space with which a token
            # starts.
            n_question = max(1, sum(end <= len(line.question) for end in ends))
        tokenised.append((ids[:n_question], ids[n_question:]))
    return tokenised


def _split_chat(
    tokenizer: "PreTrainedTokenizerBase",
    prompt: AskedPrompt,
    ids: list[int],
    ends: Sequence[int],
    start: Sequence[int],
) -> LineTokens:
    """The parts of a chat with the tokens `ids`; token i ends before the character `ends[i]`.

    A token on a boundary belongs to what follows the boundary, except at the end of the question's
    own text. With a start token <s>, which the template writes:

        tokens        <s>   user:  Where  is it?  bot:  Here   .
        ends          3     8      14     21      26    31     32
        question            [user:  Where  is it?  bot:]
        own_question               [Where  is it?]
        answer                                          [Here  .]
    """
    # The start tokens that the template wrote.
    n_start = len(ids) - len(ids_without_start(ids, start))
    end_of_question = sum(end <= len(prompt.text) for end in ends)

    n_before_own = sum(end <= len(prompt.before) for end in ends)
    own_text_end = len(prompt.before) + len(prompt.prompt)
    n_inside_own = sum(end < own_text_end for end in ends)
    first_own = max(n_before_own, n_start)
    # The question's last own token is the one that reaches the end of its text.
    end_of_own = min(n_inside_own + 1, end_of_question)

    start_text = str(tokenizer.decode(list(start)))
    opens_every_message = start_text != "" and start_text in prompt.after
    return LineTokens(
        question=ids[n_start:end_of_question],
        answer=ids[end_of_question:],
        own_question=slice(first_own - n_start, end_of_own - n_start),
        opening=ids[:n_start] if opens_every_message else [],
    )
