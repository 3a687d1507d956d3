"""A benchmark that a user suspects a model of having seen: its items under the model, scored by every detector.

`benchmark.py` reads what the user wrote, `measuring.py` measures the items, `scoring.py` scores them, and `ranking.py`
compares the detectors where the truth is known.
"""
