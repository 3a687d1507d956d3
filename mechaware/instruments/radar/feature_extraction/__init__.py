"""RADAR's features, and the scores made of them."""
