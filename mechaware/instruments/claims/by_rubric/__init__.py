"""A paper by any rubric: the passages that a judge is shown,
its statuses in independent runs, and their vote.
"""
