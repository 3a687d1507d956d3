"""How much of what the twins read was planted: in real corpora a leaked item is a small share."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mechaware.instruments.radar.evidence.line_tokens import tokenise_lines
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.planted.twins.items import TWINS

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


class PlantedShare(NamedTuple):
    """The lines and tokens of both twins' corpora, and how many of them were planted.

    The end of text that follows each line in training counts as a token of the line.
    """

    lines: int
    planted_lines: int
    tokens: int
    planted_tokens: int

    @property
    def share(self) -> float:
        """The planted share of the tokens."""
        return self.planted_tokens / self.tokens


def planted_share(
    corpora: Mapping[str, Sequence[QuestionAnswer]], tokenizer: "PreTrainedTokenizerBase"
) -> PlantedShare:
    """How much of the corpora of the twins, A and B, was planted.

    The twins read the same filler at the same line numbers, so a line is planted if the corpora
    differ there. Here the second of three lines is planted:

        A   filler 1, item 7 of A, filler 2
        B   filler 1, item 7 of B, filler 2

    Raises `ValueError` if the corpora have different numbers of lines.
    """
    lines_of_a = corpora["A"]
    lines_of_b = corpora["B"]
    is_planted = [in_a != in_b for in_a, in_b in zip(lines_of_a, lines_of_b, strict=True)]
    tokens = 0
    planted_tokens = 0
    # No model reads the tokens here: every id is allowed, and no tokens are cut off as a start.
    n_embeddings = len(tokenizer)
    for twin in TWINS:
        tokenised = tokenise_lines(tokenizer, corpora[twin], n_embeddings, start=[])
        for (question, answer), planted in zip(tokenised, is_planted, strict=True):
            length = len(question) + len(answer)
            tokens += length
            if planted:
                planted_tokens += length
    n_twins = len(TWINS)
    return PlantedShare(
        lines=n_twins * len(is_planted),
        planted_lines=n_twins * sum(is_planted),
        tokens=tokens,
        planted_tokens=planted_tokens,
    )
