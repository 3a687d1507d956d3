"""What a model answers to a task's prompts: whether the options are its answers, whether these
follow the exchanged word, and what share of them each shortcut predicts.

`answers` is the table of `answer_table` (grounding/answers.py), with a row per prompt.
"""

from typing import NamedTuple

import pandas as pd

from mechaware.core.stats.intervals import clopper_pearson
from mechaware.instruments.grounding.shortcuts import CHOICE

# The least `options_probability` at which the options count as the model's answers. Below it, all
# other texts together are likelier than all options, and a change among the options is not a change
# of the model's answer.
MIN_PROBABILITY = 0.5


class SwapRate(NamedTuple):
    """How often the answer follows the exchanged word.

    - `n`: the pairs whose corrupted prompt has a wanted answer.
    - `followed`: the number of these pairs in which the clean and the corrupted prompt are both
      answered, each with its own wanted answer.
    - `share`: followed / n, with the exact interval `low` to `high`.
    """

    n: int
    followed: int
    share: float
    low: float
    high: float

    @property
    def sentence(self) -> str:
        """The rate as a part of a sentence."""
        return (
            f"the answer follows the exchanged word in {self.followed} of {self.n} pairs "
            f"({self.share:.0%}, {self.low:.0%} to {self.high:.0%})"
        )


def swap_rate(answers: pd.DataFrame, confidence_level: float) -> SwapRate | None:
    """The swap rate of a table of answers, with an interval of `confidence_level`.

    None if no corrupted prompt has a wanted answer.
    """
    right = answers.assign(right=answers["answer"] == answers["wanted"])
    corrupted = right[(right["prompt"] == "corrupted") & (right["wanted"] != "")]
    if corrupted.empty:
        return None
    clean = right[right["prompt"] == "clean"].set_index("pair")["right"]
    followed = corrupted.set_index("pair")["right"] & clean.loc[corrupted["pair"]]
    n = len(followed)
    n_followed = int(followed.sum())
    low, high = clopper_pearson(n_followed, n, confidence_level)
    return SwapRate(n, n_followed, n_followed / n, low, high)


def options_probability(answers: pd.DataFrame) -> float:
    """The mean over the clean prompts of the probability that their options hold together."""
    return float(answers.loc[answers["prompt"] == "clean", "options_probability"].mean())


def other_answers(answers: pd.DataFrame) -> str:
    """Why answers are not the model's, and what it says instead, as a part of a sentence."""
    clean = answers[answers["prompt"] == "clean"]
    token = clean["likeliest"].mode()[0]
    count = int((clean["likeliest"] == token).sum())
    return (
        f"these answers are not the model's: in the clean prompts the options hold {options_probability(answers):.0%} "
        f"of the probability on average, at least {MIN_PROBABILITY:.0%} is required; the model's likeliest token is "
        f"{token!r} in {count} of {len(clean)}; write options that the model says, or ask it in the form that it "
        "expects (in its entry under models: template: chat for one that follows instructions)"
    )


def predicted_shares(answers: pd.DataFrame) -> pd.DataFrame:
    """The share of answers that the right answer, one constant and each shortcut predict.

    Columns: predictor, n (the prompts, clean, corrupted and others, for which it predicts an
    answer) and predicted (the share, 0 to 1). The constant is the commonest answer; of equally
    common answers, the first in the alphabet. A tie of two options is no answer: it stays in n, and
    no predictor predicts it.
    """
    predictions = {"the right answer": answers["wanted"]}
    commonest_answers = answers.loc[answers["answer"] != "", "answer"].mode()
    if len(commonest_answers):
        commonest = str(commonest_answers[0])
        predictions[f"always '{commonest.strip()}'"] = pd.Series(commonest, index=answers.index)
    for column in map(str, answers.filter(regex=f"^{CHOICE}")):
        predictions[column.removeprefix(CHOICE)] = answers[column].fillna("")

    rows = []
    for predictor, choices in predictions.items():
        predicting = choices != ""
        if predicting.any():
            share = float((choices == answers["answer"])[predicting].mean())
            rows.append((predictor, int(predicting.sum()), share))
    return pd.DataFrame(rows, columns=["predictor", "n", "predicted"])
