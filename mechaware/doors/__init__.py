"""Where a user comes in: the command `mechaware`, the public functions, the check of a config."""
