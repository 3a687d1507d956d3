"""The quotes of a judge's evidence: where they stand in the paper, and whether they say there what they say alone."""
