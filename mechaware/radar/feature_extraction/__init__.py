"""RADAR's features, their redundancy, and the scores made of them."""
