"""From several runs to one audited set of claims: matching, minimum vote, audit."""
