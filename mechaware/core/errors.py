"""The exception for a mistake that a user can make and can correct."""


class UserError(Exception):
    """A mistake in a config, a table or a model folder; the message is one line: what, where, what to do."""


def first_line(error: Exception) -> str:
    """The first line of what another library says of an error, or the error's kind if it says nothing."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
