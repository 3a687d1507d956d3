"""Was a model trained on a benchmark? A verdict against a control, with its measured error rates."""
