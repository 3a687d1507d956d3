"""Commands of the grounding study, one per rule."""
