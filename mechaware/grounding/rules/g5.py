"""G5: the model answers the column that is asked for, and another one where the schema has another."""

import pandas as pd

from mechaware.grounding.rules.rule import Measurements, Thresholds, Verdicts


def holds(measured: Measurements, thresholds: Thresholds) -> Verdicts:  # noqa: ARG001 - no threshold
    """The answer is the wanted column in the clean prompt, in the third one and, of synonyms, in the corrupted one.

    These are the prompts whose schema has one word that the request may mean. A model whose habit outweighs the schema
    fails, however exactly its gap can be traced.
    """
    asked = measured.answers[measured.answers["prompt"].isin(["clean", "third", "corrupted"])]
    asked = asked[asked["wanted"] != ""]
    right: pd.Series = (asked["answer"] == asked["wanted"]).groupby(asked["pair"]).all()
    return right.loc[measured.pairs]
