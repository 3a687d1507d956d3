"""Planted ground truth: models written by hand, so that the right result is known
before a method is run.
"""
