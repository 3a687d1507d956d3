"""Where a user comes in: the public functions, the check of a config, logs of evaluations."""
