"""Names of cards that no user's instrument may have."""

BLIND_JUDGE = "base_rate"  # a judge that reads no text
