"""Judges that are language models."""
