"""The outcome of a verdict as an exit status, for continuous integration: python -m mechaware.verdicts FILE

0: not shown. 3: shown, such as seen. 4: cannot tell. 1 and 2 have their usual meaning: the file could not be
read, and the command was typed wrongly.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

EXITS = {"not shown": 0, "shown": 3, "cannot tell": 4}
_UNREADABLE = 1  # argparse ends with 2 where the command was typed wrongly


def command_line() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m mechaware.verdicts",
        description="Print a verdict. Exit status: 0 not shown, 3 shown, 4 it cannot be told.",
    )
    parser.add_argument("file", type=Path, help="a verdict.json")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Print the verdict of a verdict.json and return its exit status."""
    path: Path = command_line().parse_args(arguments).file
    try:
        verdict = json.loads(path.read_text(encoding="utf-8"))
        line = f"{verdict['status']}: {verdict['reason']}"
        status = EXITS[verdict["outcome"]]
    except (OSError, ValueError, LookupError, TypeError) as error:
        fault = f"no {error}" if isinstance(error, KeyError) else error
        print(f"error: {path}: no verdict ({fault}); name a verdict.json", file=sys.stderr)
        return _UNREADABLE
    print(line, flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
