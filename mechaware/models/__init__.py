"""Language models: finding and loading them, and reading their activations."""
