"""The outcome of a verdict as an exit status, for continuous integration.

    python -m mechaware.verdicts FILE

| status | meaning |
|---|---|
| 0 | not shown |
| 1 | the file is not a verdict, or could not be read |
| 2 | the command line is wrong |
| 3 | shown, such as seen |
| 4 | cannot tell |
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

EXITS = {"not shown": 0, "shown": 3, "cannot tell": 4}
_UNREADABLE = 1


def command_line() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m mechaware.verdicts",
        description="Print a verdict. Exit status: 0 not shown, 3 shown, 4 it cannot be told.",
    )
    parser.add_argument("file", type=Path, help="a verdict.json")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Print the verdict of a verdict.json and return its exit status.

    argparse ends the process with status 2 if the arguments are wrong.
    """
    path: Path = command_line().parse_args(arguments).file
    try:
        verdict = json.loads(path.read_text(encoding="utf-8"))
        line = f"{verdict['status']}: {verdict['reason']}"
        status = EXITS[verdict["outcome"]]
    except (OSError, ValueError, LookupError, TypeError) as error:
        # The message of a KeyError is only the missing key.
        fault = f"no {error}" if isinstance(error, KeyError) else error
        print(f"error: {path}: no verdict ({fault}); name a verdict.json", file=sys.stderr)
        return _UNREADABLE
    print(line, flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
