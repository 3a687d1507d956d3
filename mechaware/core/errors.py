"""The exception for a mistake that a user can make and can correct."""


class UserError(Exception):
    """A mistake in a config, a table or a model folder; the message is one line:
    what, where, what to do.
    """


def first_line(error: Exception) -> str:
    """The first line of another library's message, or the type of the error if it has none."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
