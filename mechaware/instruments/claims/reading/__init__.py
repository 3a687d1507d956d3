"""From a document to the text that a reader sees."""
