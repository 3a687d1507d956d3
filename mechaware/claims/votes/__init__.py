"""From several runs to one audited set of claims."""
