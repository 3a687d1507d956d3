"""Committed cases: small inputs, made by formulas, on which the code decides, to tell one version
of it from another.

The cases lie at the boundaries of decisions: a step that is left out or moved changes the decision
on at least one. The digest of all decisions is part of a procedure
(`mechaware.verdicts.procedure`).
"""
