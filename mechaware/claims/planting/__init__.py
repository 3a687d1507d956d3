"""Papers written to a known status on every criterion."""
