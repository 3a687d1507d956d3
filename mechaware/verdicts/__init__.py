"""Verdicts, how often they are wrong, and the pages and cards that show both."""
