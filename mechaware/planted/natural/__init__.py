"""Planted natural text: docstrings of installed packages, of which each of two twins reads one
half.

The planted questions about names (`mechaware.planted.twins`) all have one form and one difficulty.
Docstrings differ in difficulty, as the texts of a benchmark do.
"""
