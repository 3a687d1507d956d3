"""The pairs that a model can read, and why it cannot read others.

`tokenise_pairs` refuses pairs that cannot be read; `usable_pairs` leaves them out.
"""

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
        tokenizer: The model's tokenizer.
        path: What messages call the table of the pairs.
        context: The most tokens that the model reads.
        n_embeddings: The number of tokens that the model knows.
        template: The text around each prompt.
        whole_answers: Whether an answer counts by all of its tokens, or by its first. By the first,
            no two answers may have the same first token. By all, no answer may be the beginning of
            another, and each must fit the context after the prompt.
        equal_lengths: Whether the clean, the corrupted and the third prompt of a pair must have
            equally many tokens.

    Raises:
        UserError: What `token_ids` raises; else all faults together, a line each. Besides what
            `whole_answers` and `equal_lengths` ask for: a corrupted or third prompt that differs
            from the clean prompt in its last token, or in nothing; a prompt longer than the
            context; an answer that merges with the prompt's end.
    """
    tokens_by_pair = [tokenise(pair, tokenizer, n_embeddings, template) for pair in pairs]
    faults = []
    for pair, tokens in zip(pairs, tokens_by_pair, strict=True):
        faults += token_faults(
            pair, tokens, path, context, whole_answers=whole_answers, equal_lengths=equal_lengths
        )
    if faults:
        raise UserError(list_faults(faults))
    return tokens_by_pair


def usable_pairs(
    pairs: Sequence[Pair],
    tokenizer: "PreTrainedTokenizerBase",
    context: int,
    n_embeddings: int,
    template: Template = "none",
) -> list[Pair]:
    """The study's pairs that can be measured with `tokenizer`.

    They have no faults (`tokenise_pairs`, by first tokens and with equal lengths), the tokenizer
    knows their words (the request word, the compared answers and the third word), and the unasked
    prompt has as many tokens as the clean one.

    The pairs are in ascending order of the number of tokens of their longest word, then as given.
    """
    usable = []
    for pair in pairs:
        tokens = tokenise(pair, tokenizer, n_embeddings, template)
        faults: list[str] = []
        for name in tokens:
            faults += _prompt_faults(name, tokens, context, whole_answers=False, equal_lengths=True)
        as_long = len(tokens["unasked"].ids) == len(tokens["clean"].ids)

        texts = [pair.prompts["clean"].request, *compared_answers(pair)]
        if "third" in pair.prompts:
            texts.append(pair.prompts["third"].wanted)
        words = [word_tokens(tokenizer, text.strip()) for text in texts]
        if as_long and all(words) and not faults:
            n_tokens = max(len(ids) for ids in words)
            usable.append((n_tokens, pair))

    # Short words first: callers measure the first pairs of each category.
    usable.sort(key=lambda entry: entry[0])
    return [pair for _, pair in usable]


def word_tokens(tokenizer: "PreTrainedTokenizerBase", word: str) -> tuple[int, ...]:
    """The tokens of `word` with the space before it; none if one of them is the unknown token."""
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
    """Why a pair cannot be measured (`tokenise_pairs`), a line for each fault; empty if it can."""
    faults = []
    for name in tokens:
        reasons = _prompt_faults(
            name, tokens, context, whole_answers=whole_answers, equal_lengths=equal_lengths
        )
        faults += [f"{location_of(pair, name, path)}: {reason}" for reason in reasons]
    return faults


def _prompt_faults(
    name: str,
    tokens: PairTokens,
    context: int,
    *,
    whole_answers: bool,
    equal_lengths: bool,
) -> Iterator[str]:
    """Why the prompt `name` of a pair cannot be measured (`tokenise_pairs`)."""
    ids, answers = tokens[name]
    n_after = 0
    if whole_answers:
        # Every token of a whole answer but the last is read after the prompt.
        n_after = max(len(answer_ids) for answer_ids in answers.values()) - 1
    n_read = len(ids) + n_after
    if n_read > context:
        with_answer = " with its longest answer" if n_after else ""
        remedy = "shorten the text"
        yield f"{n_read} tokens{with_answer}, but the model reads at most {context}; {remedy}"

    if name in ("corrupted", "third"):
        yield from _exchange_faults(tokens["clean"].ids, ids, equal_lengths=equal_lengths)

    for answer, answer_ids in answers.items():
        if not answer_ids:
            remedy = "move the space between them to the other"
            yield f"'{answer}' is no token of its own after the text; {remedy}"

    if whole_answers:
        yield from _contained_answers(answers)
    else:
        yield from _answers_alike(answers)


def _exchange_faults(
    clean: Sequence[int], changed: Sequence[int], *, equal_lengths: bool
) -> Iterator[str]:
    """Why the clean prompt and a corrupted or third one (`changed`) cannot be compared.

    Both are token ids. At most one fault.
    """
    if equal_lengths and len(changed) != len(clean):
        remedy = "exchange words of equal length"
        yield f"{len(changed)} tokens, but its clean prompt has {len(clean)}; {remedy}"
    elif changed[-1] != clean[-1]:
        remedy = "end both alike"
        yield f"differs from its clean prompt in the last token, where the answer is read; {remedy}"
    elif changed == clean:
        remedy = "exchange words that the model's tokenizer knows"
        yield f"the tokens of its clean prompt; {remedy}"
    elif differing_span(clean, changed).after == 0:
        # The last token, which both share, is then part of the differing word: `in it it`, `in it`.
        remedy = "write more text after it"
        yield f"its clean prompt with one token more or less next to the last one; {remedy}"


def _answers_alike(answers: Mapping[str, list[int]]) -> Iterator[str]:
    """A fault if two answers have the same first token; it names the first two that do."""
    first_tokens = {answer: ids[0] for answer, ids in answers.items() if ids}
    counts = Counter(first_tokens.values())
    alike = [answer for answer, token in first_tokens.items() if counts[token] > 1]
    if alike:
        first, second = alike[:2]
        yield f"answers '{first}' and '{second}' begin with the same token; exchange one of them"


def _contained_answers(answers: Mapping[str, list[int]]) -> Iterator[str]:
    """A fault for each answer that is the beginning of another: none of its tokens differs."""
    for (shorter, start), (longer, ids) in permutations(answers.items(), 2):
        if start and ids[: len(start)] == start:
            yield f"the tokens of '{shorter}' are the beginning of '{longer}'; exchange one of them"
