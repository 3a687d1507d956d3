"""The words that open the gate of a control.

A control with a gate reads one column while the gate is open, and another or none while it is shut
(`draw.Draw`). Whether it is open in a prompt depends on the prompt's request word, on its table, or
on a word of its request.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import TypeVar

from mechaware.planted.controls.prompt_tokens import PromptTokens

Word = TypeVar("Word", int, str)  # a word as its token id or as text


def gate_words(
    gate: str, share: float, prompts: Sequence[PromptTokens], request_words: Collection[int]
) -> list[int]:
    """The words that open a gate of the kind `gate`; none without a gate.

    Args:
        gate: For `table`, a `share` of the tables open the gate. For `request`, a share of the
            request words do. For `word`, one word does, which occurs only in requests and is no
            request word: the word that occurs in a share of the requests nearest to `share`, on a
            tie the one with the lowest token id. "" is no gate.
        share: From 0 to 1.
        prompts: All prompts.
        request_words: The words that may name a column.

    Raises:
        ValueError: For `word`, no word occurs only in requests.
    """
    if not gate:
        return []

    if gate == "table":
        return spread_over(sorted({prompt.table for prompt in prompts}), share)

    words_of_requests = [set(prompt.request) for prompt in prompts]
    if gate == "request":
        present = set[int]().union(*words_of_requests) & set(request_words)
        return spread_over(sorted(present), share)

    counts = Counter[int]()
    for words in words_of_requests:
        counts.update(words)
    elsewhere = set[int]().union(*(prompt.after_request for prompt in prompts))
    candidates = sorted(counts.keys() - elsewhere - set(request_words))
    nearest = min(candidates, key=lambda word: abs(counts[word] / len(prompts) - share))
    return [nearest]


def is_open(gate: str, prompt: PromptTokens, words: frozenset[int]) -> bool:
    """Whether one of `words`, which open a gate of the kind `gate`, opens it in a prompt."""
    openers = [prompt.table] if gate == "table" else prompt.request
    return not words.isdisjoint(openers)


def spread_over(words: Sequence[Word], share: float) -> list[Word]:
    """A `share` of the words, evenly spread: of four words and 0.5, the first and the third.

    A word is taken if its multiple index * share has just reached or passed a whole number, so that
    the multiple modulo 1 is below the share: the multiples 0, 0.5, 1, 1.5 are 0, 0.5, 0, 0.5
    modulo 1.
    """
    return [word for index, word in enumerate(words) if index * share % 1 < share]
