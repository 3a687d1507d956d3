"""Generated SQL, stories before it, the models that are trained on both, and the names of all runs."""
