"""The grounding study's tables, one file each."""
