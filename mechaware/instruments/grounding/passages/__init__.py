"""How much of a benchmark's score follows the passages: the model is asked again with each item's
own passage, with another item's, and without one.

| file | what it does |
|---|---|
| `exchange.py` | which passage each item gets in place of its own |
| `asking.py` | the three prompts of each item as tokens, without a model |
| `answering.py` | the model's answers |
| `decision.py` | what follows from them |

The log is read by `mechaware/core/evaluation_log/passages.py`.
"""
