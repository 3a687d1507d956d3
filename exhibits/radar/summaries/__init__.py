"""The numbers of the RADAR study."""
