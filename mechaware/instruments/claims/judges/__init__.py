"""Judges: language models, from any provider or embedded,
and lexical rules, behind one interface.
"""
