"""Commands that fetch models and read their activations."""
