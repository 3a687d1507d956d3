"""What the paper shows of Claim Validity Scores."""
