"""A row of the tables that say what a paper's printed numbers imply."""

from typing import NamedTuple


class Implied(NamedTuple):
    """A printed number, what it implies, by which argument or test (`how`), and its place in the source paper."""

    quantity: str
    printed: str
    implied: str
    how: str
    place: str
