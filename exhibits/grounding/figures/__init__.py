"""The grounding study's figures, one file each."""
