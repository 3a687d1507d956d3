"""Planted ground truth: inputs and models whose right result is known before the method is run."""
