"""The 37 features, their redundancy, and the scores made of them."""
