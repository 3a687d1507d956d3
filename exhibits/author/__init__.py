"""How the author of Claim Validity Scores judges published papers, read from two public
repositories of his.

`extraction.py` reads the statuses and verdicts, and `agreement.py` compares the statuses of two
dates. `items.py` makes labelled items of the audits, `bars.py` measures how many labels are right
by rules that read nothing or only count words, and `prose_judges.py` how many by a judge. No
sentence of the repositories is kept: a status and a verdict are facts, and each has its file and
commit in `config/reported/`.
"""
