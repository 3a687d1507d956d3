"""RADAR's tables, one file each."""
