"""What a judge did with the edits: shares, intervals, and whether to trust it."""
