"""The judge that follows written rules."""
