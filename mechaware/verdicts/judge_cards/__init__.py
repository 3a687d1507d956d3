"""The card of a judge on labelled items of any rubric:
how far it agrees with people, and with what reads nothing.
"""
