"""A line of text in two parts."""

from typing import NamedTuple


class Line(NamedTuple):
    """A line of text in two parts; `question` is empty in a statement. The parts are tokenised apart."""

    question: str
    answer: str

    @property
    def text(self) -> str:
        """The whole line."""
        return self.question + self.answer
