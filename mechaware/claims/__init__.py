"""Claim Validity Scores: how strong is a paper's evidence for the mechanism that it claims?"""
