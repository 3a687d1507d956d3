"""The numbers of the claims study."""
