"""A call of a language model: the store of replies, the provider and the way to it,
the embedded model's server.
"""
