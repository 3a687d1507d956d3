"""Judges whose trust is known beforehand, to stand beside those that are measured."""
