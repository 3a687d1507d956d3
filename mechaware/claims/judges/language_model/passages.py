"""Finds the passages of a paper that concern a claim, for models whose context is too short for a whole paper."""

import re
from collections.abc import Sequence

WORDS = 30  # of a passage, unless one sentence is longer


def split_sentences(text: str) -> list[str]:
    """The sentences, each on one line."""
    return re.split(r"(?<=[.!?])\s+", " ".join(text.split()))


def split_passages(text: str) -> list[str]:
    """Runs of whole sentences of at most about `WORDS` words, each on one line, in the paper's order."""
    passages: list[str] = []
    words = 0
    for sentence in split_sentences(text):
        length = len(sentence.split())
        if passages and words + length <= WORDS:
            passages[-1] += f" {sentence}"
            words += length
        elif sentence:
            passages.append(sentence)
            words = length
    return passages


class PassageIndex:
    """The passages of one paper, ranked by BM25."""

    def __init__(self, passages: Sequence[str]) -> None:
        import bm25s

        self.passages = passages
        self._ranking = bm25s.BM25()
        if self.passages:
            self._ranking.index(_tokens(self.passages), show_progress=False)

    def best(self, query: str, number: int, *, without: str | None = None) -> list[str]:
        """The `number` passages that rank highest for the words of `query`, in the paper's order (all if fewer).

        Of equal ranks the earlier passage wins. Passages that contain `without` are skipped: a claim is no evidence
        for itself.
        """
        if not self.passages:
            return []
        scores = self._ranking.get_scores(_tokens([query])[0])
        others = [index for index, passage in enumerate(self.passages) if without is None or without not in passage]
        ranked = sorted(others, key=lambda index: (-scores[index], index))
        return [self.passages[index] for index in sorted(ranked[:number])]


def _tokens(texts: Sequence[str]) -> list[list[str]]:
    return [re.findall(r"\w+(?:[.\-]\w+)*", text.lower()) for text in texts]
