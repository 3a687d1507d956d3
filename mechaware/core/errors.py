"""The exception for a mistake that a user can make and can correct."""


class UserError(Exception):
    """A mistake in a config, a table or a model folder; the message is one line: what, where, what to do."""
