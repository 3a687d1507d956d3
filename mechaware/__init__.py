"""mechaware: mechanism-aware evaluation of language models, the library behind the workflow."""
