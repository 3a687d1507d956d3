"""The bar for a judge on the author's audits: rules that read nothing or only count words, with papers held out."""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from exhibits.author.agreement import count_pairs, exact, kappa, kappa_within, measure

MEASURES = {"exact": exact, "kappa": kappa, "kappa_within": kappa_within}
# From items with labels, those of other papers, to a label for each of the items of one paper.
Rule = Callable[[pd.DataFrame, pd.DataFrame], list[str]]


def commonest(known: pd.DataFrame, asked: pd.DataFrame) -> list[str]:
    """One label for all: the commonest, the first in the alphabet of those that are equally common."""
    return [known["label"].mode()[0]] * len(asked)


def commonest_of_criterion(known: pd.DataFrame, asked: pd.DataFrame) -> list[str]:
    """The commonest label of the item's criterion; of a criterion that no other paper has, that of all."""
    by_criterion = known.groupby("criterion")["label"].agg(lambda labels: labels.mode()[0])
    others = known["label"].mode()[0]
    return [by_criterion.get(criterion, others) for criterion in asked["criterion"]]


def by_length(known: pd.DataFrame, asked: pd.DataFrame) -> list[str]:
    """By the words and the quotations of the text: a tree with two leaves for each label."""
    tree = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0)
    tree.fit(_lengths(known), known["label"])
    return list(tree.predict(_lengths(asked)))


def by_words(known: pd.DataFrame, asked: pd.DataFrame) -> list[str]:
    """By the words of the text: logistic regression on TF-IDF weights."""
    model = make_pipeline(TfidfVectorizer(sublinear_tf=True), LogisticRegression(max_iter=1000))
    model.fit(known["text"], known["label"])
    return list(model.predict(asked["text"]))


RULES: Mapping[str, Rule] = {
    "one label for all": commonest,
    "length": by_length,
    "bag of words": by_words,
    "each criterion's commonest label": commonest_of_criterion,
}


def held_out(rule: Rule, items: pd.DataFrame) -> pd.Series:
    """The label that a rule gives to each item, learned from the items of all other papers (`group`)."""
    given = pd.Series("", index=items.index)
    for paper in items["group"].unique():
        asked = items["group"] == paper
        given[asked] = np.array(rule(items[~asked], items[asked]), dtype=object)
    return given


def bars(items: pd.DataFrame, *, resamples: int, seed: int, level: float) -> pd.DataFrame:
    """A row for each rule: the share of labels that it gets right, its kappas, and their intervals over papers."""
    rows = []
    for name, rule in RULES.items():
        pairs = pd.DataFrame(
            {
                "claim": items["group"],
                "criterion": items["criterion"],
                "may": held_out(rule, items),
                "august": items["label"],
            }
        )
        counts = count_pairs(pairs)
        measured = measure(counts, MEASURES, resamples=resamples, seed=seed, level=level)
        rows.append({"rule": name, "n": len(items), "papers": len(counts)} | measured)
    return pd.DataFrame(rows)


def _lengths(items: pd.DataFrame) -> np.ndarray:
    words = [len(text.split()) for text in items["text"]]
    quotations = [text.count("\n") + 1 for text in items["text"]]
    return np.column_stack([words, quotations])
