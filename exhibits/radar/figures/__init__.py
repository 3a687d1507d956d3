"""RADAR's figures, one file each."""
