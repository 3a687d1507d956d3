"""Committed cases for the verdict on a paper, on both sides of its decisions.

They are a PDF, statuses, votes, audits, texts and replies.

- `decisions.py`: the digest of all of them. Start here.
- `pages.py`, `rubric.py`, `votes.py`, `audits.py`, `support.py`: what all judges share.
- `by_rules.py`, `by_models.py`: what the lexical rules, and language models, make of `texts.py`.
- `records.py`: the claims and runs of the cases.

The cases have settings of their own. The verdict's settings are recorded with its procedure, not
here.
"""
