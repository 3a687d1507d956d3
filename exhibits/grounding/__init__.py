"""What the paper shows of schema grounding."""
