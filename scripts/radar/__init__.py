"""Commands of the RADAR study."""
