"""The numbers of the grounding study."""
