"""Planted natural text: docstrings of installed packages, of which two twins each read one half.

Items of the names' plant share one form and one difficulty. Docstrings differ in difficulty, as texts of a benchmark
do.
"""
