"""Labelled items: a criterion of any rubric, a claim,
passages and the status that a person gave; edits and replies.
"""
