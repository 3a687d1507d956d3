"""The check of a task's pairs by a tokenizer, without a model."""
