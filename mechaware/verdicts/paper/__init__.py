"""Pages for a reader."""
