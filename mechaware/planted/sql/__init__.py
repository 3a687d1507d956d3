"""Generated SQL, stories before it, the models trained on both, and the names of all runs."""
