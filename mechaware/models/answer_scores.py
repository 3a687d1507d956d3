"""What a black box shows behind a question: how sure a model is of the next token, and what it gives a known answer.

Without torch, as `summaries.py`: classifiers read these without it.
"""

from typing import NamedTuple


class AnswerScores(NamedTuple):
    """A known answer y under one model, and the model's distribution p of the next token behind the question.

    `confidence`: max p, from 0 to 1. `entropy`: that of p, in nats. `log_prob`: log p(y | question), the sum over the
    answer's tokens, in nats. `log_rank`: the logarithm of 1 + the number of tokens that p gives more than the answer's
    first token; 0 for the likeliest token, and for one that ties with it.
    """

    confidence: float
    entropy: float
    log_prob: float
    log_rank: float
