"""The pairs that a model can read, and why it cannot read others."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

from mechaware.core.errors import UserError
from mechaware.core.rows import list_faults
from mechaware.instruments.grounding.data.pairs import Pair, location_of
from mechaware.instruments.grounding.tokens import (
    PairTokens,
    compared_answers,
    differing_span,
    tokenise,
)
from mechaware.models.tokenisation.chat import Template

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def tokenise_pairs(
    pairs: Sequence[Pair],
    tokenizer: "PreTrainedTokenizerBase",
    path: Path,
    context: int,
    n_embeddings: int,
    template: Template = "none",
    *,
    whole_answers: bool = False,
    equal_lengths: bool = True,
) -> list[PairTokens]:
    """The tokens of each pair.

    Args:
        pairs: The pairs.
        tokenizer: Of the model.
        path: What messages call the table of the pairs.
        context: The most tokens that the model reads.
        n_embeddings: The number of tokens that the model knows.
        template: The text around each prompt.
        whole_answers: Whether answers count by all of their tokens: then they may begin alike, unless one is the
            beginning of another, and must fit the context after the prompt.
        equal_lengths: Whether the clean, the corrupted and the third prompt of a pair must have equally many tokens.

    Raises:
        UserError: What `token_ids` raises; else all faults together, a line each: a corrupted or third prompt that
            differs from the clean prompt in its last token, or in nothing; a prompt longer than the context; two
            answers with the same first token; an answer that merges with the prompt's end.
    """
    read = [tokenise(pair, tokenizer, n_embeddings, template) for pair in pairs]
    faults = []
    for pair, tokens in zip(pairs, read, strict=True):
        faults += token_faults(
            pair, tokens, path, context, whole_answers=whole_answers, equal_lengths=equal_lengths
        )
    if faults:
        raise UserError(list_faults(faults))
    return read


def usable_pairs(
    pairs: Sequence[Pair],
    tokenizer: "PreTrainedTokenizerBase",
    context: int,
    n_embeddings: int,
    template: Template = "none",
) -> list[Pair]:
    """The pairs that can be measured with `tokenizer`, in ascending order of their longest word's number of tokens.

    The tokenizer must know the request word and the answers, and the unasked prompt must have as many tokens as the
    clean one.
    """
    usable = []
    for pair in pairs:
        tokens = tokenise(pair, tokenizer, n_embeddings, template)
        faults: list[str] = []
        for name in tokens:
            faults += _faults_of(name, tokens, context)
        as_long = len(tokens["unasked"].ids) == len(tokens["clean"].ids)

        texts = [pair.prompts["clean"].request, *compared_answers(pair)]
        if "third" in pair.prompts:
            texts.append(pair.prompts["third"].wanted)
        words = [word_tokens(tokenizer, text.strip()) for text in texts]
        if as_long and all(words) and not faults:
            n_tokens = max(len(ids) for ids in words)
            usable.append((n_tokens, pair))

    # Short words first: of each category the first pairs are measured.
    usable.sort(key=lambda entry: entry[0])
    return [pair for _, pair in usable]


def word_tokens(tokenizer: "PreTrainedTokenizerBase", word: str) -> tuple[int, ...]:
    """The tokens of `word` after a space, which is part of the first; none if `tokenizer` does not know one of them."""
    ids = tokenizer(f" {word}", add_special_tokens=False).input_ids
    return () if tokenizer.unk_token_id in ids else tuple(ids)


def token_faults(
    pair: Pair,
    tokens: PairTokens,
    path: Path,
    context: int,
    *,
    whole_answers: bool,
    equal_lengths: bool,
) -> list[str]:
    """Why a pair cannot be measured, a line for each fault (`tokenise_pairs`); empty for one that can."""
    faults = []
    for name in tokens:
        for fault in _faults_of(
            name, tokens, context, whole_answers=whole_answers, equal_lengths=equal_lengths
        ):
            faults.append(f"{location_of(pair, name, path)}: {fault}")
    return faults


def _faults_of(
    name: str,
    tokens: PairTokens,
    context: int,
    *,
    whole_answers: bool = False,
    equal_lengths: bool = True,
) -> Iterator[str]:
    """Why a prompt of a pair cannot be measured."""
    ids, answers = tokens[name]
    n_after = 0
    if whole_answers:
        # Every token of a whole answer but the last is read after the prompt.
        n_after = max(len(answer_ids) for answer_ids in answers.values()) - 1
    if len(ids) + n_after > context:
        with_answer = " with its longest answer" if n_after else ""
        yield f"{len(ids) + n_after} tokens{with_answer}, but the model reads at most {context}; shorten the text"

    if name in ("corrupted", "third"):
        yield from _exchange_faults(tokens["clean"].ids, ids, equal_lengths=equal_lengths)

    for answer, answer_ids in answers.items():
        if not answer_ids:
            yield f"'{answer}' is no token of its own after the text; move the space between them to the other"

    if whole_answers:
        yield from _contained_answers(answers)
    else:
        yield from _answers_alike(answers)


def _exchange_faults(
    clean: Sequence[int], changed: Sequence[int], *, equal_lengths: bool
) -> Iterator[str]:
    """Why the tokens of a clean prompt and of one with another word cannot be compared."""
    if equal_lengths and len(changed) != len(clean):
        yield f"{len(changed)} tokens, but its clean prompt has {len(clean)}; exchange words of equal length"
    elif changed[-1] != clean[-1]:
        yield "differs from its clean prompt in the last token, where the answer is read; end both alike"
    elif changed == clean:
        yield "the tokens of its clean prompt; exchange words that the model's tokenizer knows"
    elif differing_span(clean, changed).after == 0:
        yield "its clean prompt with one token more or less next to the last one; write more text after it"


def _answers_alike(answers: Mapping[str, list[int]]) -> Iterator[str]:
    """A fault if two answers have the same first token, by which answers count; it names the first two that do."""
    first_tokens = {answer: ids[0] for answer, ids in answers.items() if ids}
    counts = Counter(first_tokens.values())
    alike = [answer for answer, token in first_tokens.items() if counts[token] > 1]
    if alike:
        yield f"answers '{alike[0]}' and '{alike[1]}' begin with the same token; exchange one of them"


def _contained_answers(answers: Mapping[str, list[int]]) -> Iterator[str]:
    """A fault for each answer that is the beginning of another one: none of its tokens tells the two apart."""
    for (shorter, start), (longer, ids) in permutations(answers.items(), 2):
        if start and ids[: len(start)] == start:
            yield f"the tokens of '{shorter}' are the beginning of '{longer}'; exchange one of them"
