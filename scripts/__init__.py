"""The commands of the workflow: one short module per rule."""

import sys
from types import TracebackType


def _say_interrupted(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print one line, and no traceback, for Ctrl-C while a command's modules load;
    `command.run` does so afterwards.
    """
    if issubclass(kind, KeyboardInterrupt):
        sys.stderr.write("error: interrupted; run again to go on\n")
    else:
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _say_interrupted
