"""The prompts and answers of pairs as tokens, and the tokens in which two prompts differ."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.models.patching.runs import TokenPair
from mechaware.models.tokenisation.chat import Template
from mechaware.models.tokenisation.token_ids import token_ids

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class PromptTokens(NamedTuple):
    """The token ids of a prompt, and of each answer after it.

    An answer has no ids if its beginning merges with the prompt's end into one token.
    """

    ids: list[int]
    answers: dict[str, list[int]]


# The tokens of a pair's prompts, by the prompt's name (of `pairs.PROMPTS`).
PairTokens = Mapping[str, PromptTokens]


def tokenise(
    pair: Pair,
    tokenizer: "PreTrainedTokenizerBase",
    n_embeddings: int,
    template: Template = "none",
) -> PairTokens:
    """The tokens of each prompt of a pair, and of its answers after it.

    The answers are the prompt's options and the pair's `compared_answers`. `n_embeddings` is the
    number of rows in the model's embedding. Raises what `token_ids` raises.
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
    """The tokens of a prompt, and of each answer after it; in a chat an answer begins the reply.

    Raises what `token_ids` raises.
    """
    ids, *ids_with_answers = token_ids(
        tokenizer,
        [text] * (1 + len(answers)),
        n_embeddings,
        template=template,
        answers=["", *answers],
    )
    ids_by_answer = {}
    for answer, with_answer in zip(answers, ids_with_answers, strict=True):
        merges = with_answer[: len(ids)] != ids
        ids_by_answer[answer] = [] if merges else with_answer[len(ids) :]
    return PromptTokens(ids, ids_by_answer)


def compared_answers(pair: Pair) -> list[str]:
    """The answers whose logits are compared: the two of the gap, and the exchanged options."""
    clean = pair.prompts["clean"]
    return [clean.wanted, clean.against, *pair.exchanged]


def exchange(pair: Pair, tokens: PairTokens, *, third: bool = False) -> TokenPair:
    """Two prompts of a pair as tokens, to be patched: the clean and the corrupted one.

    With `third` they are the third and the clean one. The word of a prompt is its part of the
    `differing_span`. Where the span begins with the whole answer of the first prompt, the word has
    at least all tokens of that answer. Tokens that both answers begin with are appended to both
    prompts, so that the first tokens in which the answers differ are compared.
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

    - `before`: the tokens before the difference, which both texts share.
    - `first`, `second`: the tokens of the first and of the second text in which they differ.
    - `after`: the tokens after the difference, which both texts share.
    """

    before: int
    first: int
    second: int
    after: int


def differing_span(first: Sequence[int], second: Sequence[int]) -> Span:
    """The span between the longest shared beginning and, of what is left, the longest shared end.

    The span has at least one token of each of two different texts: where one text only has
    additional tokens, the shared token before them counts to the span, or at the beginning of the
    texts the shared token after them.

        first             second      span
        a b c             a x y c     b           x y
        in New York it    in York it  in New      in
        New York it       York it     New York    York
    """
    before = n_shared(first, second)
    shorter = min(len(first), len(second))
    after = min(n_shared(first[::-1], second[::-1]), shorter - before)
    has_only_additional_tokens = before + after == shorter and len(first) != len(second)
    if has_only_additional_tokens:
        if before:
            before -= 1
        else:
            after -= 1
    return Span(before, len(first) - before - after, len(second) - before - after, after)


def n_shared(first: Sequence[int], second: Sequence[int]) -> int:
    """The length of the longest beginning that both share."""
    count = 0
    for left, right in zip(first, second, strict=False):
        if left != right:
            break
        count += 1
    return count
