"""What a black box shows after a question: how sure a model is of the next token, and how likely a
known answer is.

Like `summaries.py` it needs no torch, so that classifiers can read the scores without it.
"""

from typing import NamedTuple


class AnswerScores(NamedTuple):
    """A known answer y under one model, and the model's distribution p of the next token after the
    question.

    - `confidence`: max p, from 0 to 1.
    - `entropy`: the entropy of p, in nats.
    - `log_prob`: log p(y | question), the sum over the answer's tokens, in nats.
    - `log_rank`: ln(1 + n) with n the number of tokens that are likelier than the answer's first
      token; 0 for the likeliest token, and for one that ties with it.
    """

    confidence: float
    entropy: float
    log_prob: float
    log_rank: float
