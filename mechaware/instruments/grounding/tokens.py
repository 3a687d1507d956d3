"""The prompts and answers of pairs as tokens, and the tokens in which the prompts of a pair differ."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.models.patching.runs import TokenPair
from mechaware.models.tokenisation.chat import Template
from mechaware.models.tokenisation.token_ids import token_ids

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class PromptTokens(NamedTuple):
    """The token ids of a prompt, and of each answer after it; none for an answer that merges with the prompt's end."""

    ids: list[int]
    answers: dict[str, list[int]]


PairTokens = Mapping[str, PromptTokens]  # by the prompt's name


def tokenise(
    pair: Pair,
    tokenizer: "PreTrainedTokenizerBase",
    n_embeddings: int,
    template: Template = "none",
) -> PairTokens:
    """The tokens of each prompt with its answers: its options, and the pair's answers whose logits are compared.

    Raises what `token_ids` raises for a model with `n_embeddings` rows in its embedding.
    """
    tokens = {}
    for name, prompt in pair.prompts.items():
        answers = list(dict.fromkeys([*prompt.options, *compared_answers(pair)]))
        tokens[name] = tokenise_prompt(prompt.text, answers, tokenizer, n_embeddings, template)
    return tokens


def tokenise_prompt(
    text: str,
    answers: Sequence[str],
    tokenizer: "PreTrainedTokenizerBase",
    n_embeddings: int,
    template: Template = "none",
) -> PromptTokens:
    """The tokens of a prompt and of each answer, which follows the prompt, or in a chat begins the reply.

    Raises what `tokenise` raises.
    """
    ids, *longer = token_ids(
        tokenizer,
        [text] * (1 + len(answers)),
        n_embeddings,
        template=template,
        answers=["", *answers],
    )
    ids_by_answer = {}
    for answer, tokens in zip(answers, longer, strict=True):
        merges = tokens[: len(ids)] != ids
        ids_by_answer[answer] = [] if merges else tokens[len(ids) :]
    return PromptTokens(ids, ids_by_answer)


def compared_answers(pair: Pair) -> list[str]:
    """The answers of a pair whose logits are compared: the two answers of the gap, and the exchanged options."""
    clean = pair.prompts["clean"]
    return [clean.wanted, clean.against, *pair.exchanged]


def exchange(pair: Pair, tokens: PairTokens, *, third: bool = False) -> TokenPair:
    """The clean and the corrupted prompt of a pair, or with `third` the third and the clean prompt, to be patched.

    The word is the first prompt's `differing_span`; where the span begins with the first prompt's answer, all of the
    answer. Tokens that both answers begin with are appended to both prompts, so that the answers' first differing
    tokens are compared.
    """
    clean = pair.prompts["clean"]
    if third:
        first = tokens["third"]
        second = tokens["clean"]
        answer = pair.prompts["third"].wanted
        other_answer = clean.wanted
    else:
        first = tokens["clean"]
        second = tokens["corrupted"]
        answer = clean.wanted
        other_answer = clean.against

    correct = first.answers[answer]
    incorrect = first.answers[other_answer]
    span = differing_span(first.ids, second.ids)
    n_tokens = span.first
    if first.ids[span.before : span.before + len(correct)] == correct:
        n_tokens = max(n_tokens, len(correct))

    shared = correct[: n_shared(correct, incorrect)]
    return TokenPair(
        clean=first.ids + shared,
        corrupted=second.ids + shared,
        position=span.before,
        correct=correct[len(shared)],
        incorrect=incorrect[len(shared)],
        n_tokens=n_tokens,
    )


class Span(NamedTuple):
    """Where two texts differ, in numbers of tokens.

    - `before`: shared at the beginning.
    - `first`, `second`: of each text, in between.
    - `after`: shared at the end.
    """

    before: int
    first: int
    second: int
    after: int


def differing_span(first: Sequence[int], second: Sequence[int]) -> Span:
    """The span between the longest shared beginning and, of what is left, the longest shared end.

    `a b c` and `a x y c` differ in `b` and `x y`. The span has at least one token of each of two different texts: where
    one text only has more tokens, a shared token next to them is counted to it, the one before them if there is one.
    `in New York it` and `in York it` differ in `in New` and `in`; `New York it` and `York it` in `New York` and `York`.
    """
    before = n_shared(first, second)
    shorter = min(len(first), len(second))
    after = min(n_shared(first[::-1], second[::-1]), shorter - before)
    if before + after == shorter and len(first) != len(second):
        if before:
            before -= 1
        else:
            after -= 1
    return Span(before, len(first) - before - after, len(second) - before - after, after)


def n_shared(first: Sequence[int], second: Sequence[int]) -> int:
    """The number of tokens with which both begin."""
    count = 0
    for left, right in zip(first, second, strict=False):
        if left != right:
            break
        count += 1
    return count
