"""The exit status of a verdict, for a test in continuous integration: python -m scripts.radar.verdict_status FILE

1: seen. 0: not shown. 2: it cannot be told (confounded, no verdict), or the file cannot be read.
"""

import json
import sys
from pathlib import Path

STATUSES = {"seen": 1, "not shown": 0}
UNTOLD = 2


def main(arguments: list[str]) -> int:
    """Print the verdict of the file and return its exit status. No error may have a status of its own."""
    try:
        (path,) = arguments
        verdict = json.loads(Path(path).read_text(encoding="utf-8"))
        print(f"{verdict['status']}: {verdict['reason']}", flush=True)
        return STATUSES.get(verdict["status"], UNTOLD)
    except Exception as error:  # Python's own status of an error is 1, which means seen
        print(f"error: no verdict.json could be read ({error}); name one file", file=sys.stderr)
        return UNTOLD


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
