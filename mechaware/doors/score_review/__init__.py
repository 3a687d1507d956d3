"""A door without a model: the Claim Validity Score of a paper that a person has judged."""
