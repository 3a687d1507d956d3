"""The classifiers that vote, how they are trained and tested, and what they have to beat."""
