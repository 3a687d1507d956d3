"""The check of a config before anything runs.

Each fault is a `UserError` of one line: the file and the key, what is wrong, what to do.

- `config.py`: the check as a whole. Start here.
- `entries.py`: the models and judges that a config may name.
- `names.py`: names of results that clash, and labels that are equal.
- `files.py`: files that a config names.
- `models.py`: models that a study uses.
- `radar.py`, `suspected.py`, `grounding.py`, `claims.py`, `judges.py`, `judge_cards.py`: the
  sections of the config.
"""
