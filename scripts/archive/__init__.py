"""Commands that catalogue the results."""
