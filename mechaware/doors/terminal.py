"""How a command that needs no workflow prints: the lines of its answer,
or the error that the user can correct.
"""

import sys
from collections.abc import Callable, Iterable

from mechaware.core.errors import UserError


def print_answer(answer: Callable[[], Iterable[str]]) -> int:
    """Print the lines of an answer, or a `UserError` as an error;
    returns the exit status, 0 or 1.
    """
    try:
        lines = list(answer())
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0
