"""The outcome of a verdict as an exit status, for continuous integration: python -m mechaware.verdicts FILE

0: not shown. 3: shown, such as seen. 4: it cannot be told. 1 and 2 keep their meaning: the file could not be read, and
the command was typed wrongly.
"""

import json
import sys
from pathlib import Path

EXITS = {"not shown": 0, "shown": 3, "cannot tell": 4}
_UNREADABLE, _WRONG_USE = 1, 2


def main(arguments: list[str]) -> int:
    """Print the verdict of a verdict.json and return its exit status."""
    if len(arguments) != 1:
        print("usage: python -m mechaware.verdicts FILE (a verdict.json)", file=sys.stderr)
        return _WRONG_USE

    path = Path(arguments[0])
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
