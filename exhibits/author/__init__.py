"""How the author of Claim Validity Scores judges published papers, read from two public repositories of his.

`extraction.py` reads the statuses and verdicts, `agreement.py` compares two dates of them. No sentence of the
repositories is kept: a status and a verdict are facts, and each has its file and commit in `config/reported/`.
"""
