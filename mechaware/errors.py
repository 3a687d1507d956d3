"""The one exception for what a user can cause and can mend."""


class UserError(Exception):
    """A mistake in a config, a table or a model folder; the message is one line: what, where, what to do."""
