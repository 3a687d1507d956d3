"""Committed cases: small inputs made by formulas, on which a procedure's decisions are repeated to tell it from others.

They lie at the boundaries of each decision, so that a step that is left out or moved changes one of them.
"""
