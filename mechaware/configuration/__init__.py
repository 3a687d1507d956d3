"""The config: read, checked before anything runs, and the names in it of a user's own package."""
