"""Checks a task's pairs with a model's tokenizer, without loading its weights.

    python -m mechaware.doors.check_pairs TABLE FOLDER

Exit status 0: every pair can be measured. 1: some pairs cannot be measured, or a file cannot be
read; each fault has a line on stderr. 2: the command was typed wrongly.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mechaware.doors.terminal import print_answer
from mechaware.instruments.grounding.tasks.reading import model_limits, read_task
from mechaware.models.registry import load_tokenizer


def command_line() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m mechaware.doors.check_pairs",
        description="Check a task's pairs without loading a model's weights.",
    )
    parser.add_argument("table", type=Path, help="the pairs: a CSV, JSON lines or Parquet")
    parser.add_argument("model", type=Path, help="a folder with the model's config and tokenizer")
    parser.add_argument(
        "--options", default="", help="answers of every prompt that names none, separated by |"
    )
    parser.add_argument(
        "--template", choices=("none", "chat"), default="none", help="as in config/models.yaml"
    )
    return parser


def main(argv: Sequence[str]) -> int:
    """Print how many pairs can be measured, or every fault; returns the exit status."""
    arguments = command_line().parse_args(argv)
    return print_answer(lambda: _check(arguments))


def _check(arguments: argparse.Namespace) -> list[str]:
    """The lines to print if all pairs can be measured.

    Raises `UserError`, with a line for each fault.
    """
    options = [option for option in arguments.options.split("|") if option]
    limits = model_limits(arguments.model, arguments.template)
    tokenizer = load_tokenizer(arguments.model)
    task = read_task(arguments.table, tokenizer, limits, options=options)
    return [f"{arguments.table}: all {len(task.pairs)} pairs can be measured"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
