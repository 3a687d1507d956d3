"""From a text to the token ids that a model reads:
start tokens, the text's own tokens, and their embeddings.
"""
