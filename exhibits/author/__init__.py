"""How the author of Claim Validity Scores judges published papers, read from two public repositories of his.

`extraction.py` reads the statuses and verdicts, and `agreement.py` compares two dates of them. `items.py` makes items
of the audits, with labels, and `bars.py` measures how many of these rules that read nothing get right. No sentence of
the repositories is kept: a status and a verdict are facts, and each has its file and commit in `config/reported/`.
"""
