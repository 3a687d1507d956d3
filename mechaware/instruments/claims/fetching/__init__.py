"""From an entry of config/papers.csv to a document on disk."""
