"""Committed cases of the verdict on a paper: a PDF, statuses, votes, audits, texts and replies around its decisions.

- `decisions.py`: the digest of all of them. Start here.
- `pages.py`, `rubric.py`, `votes.py`, `audits.py`, `support.py`: what all judges share.
- `by_rules.py`, `by_models.py`: what the lexical rules, and language models, make of `texts.py`.
- `records.py`: the claims and runs of the cases.

The cases have settings of their own, whatever the verdict's are: those are settings of the procedure.
"""
