"""What the claim-validity paper's printed numbers imply,
by what they are about (`claims_implied`).
"""
