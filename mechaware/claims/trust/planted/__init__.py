"""The planted papers of the trust study: their plans, and their edits."""
