"""List the calibration cards of all kinds."""

from pathlib import Path

from mechaware.cards.page import write_index
from scripts.command import Output, run


def main(*, cards: list[Path], index: Output) -> None:
    """Write the page that links to the cards in the folders `cards`."""
    write_index(cards, index)


if __name__ == "__main__":
    run(main)
