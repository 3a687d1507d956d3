"""One command per rule of the claims study."""
