"""Evidence for tests: from given log-probabilities, or with random numbers in its fields."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mechaware.instruments.radar.evidence.evidence import Evidence, Samples
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.models.summaries import TokenScores

VOCABULARY = 30  # tokens
N_TOKENS = 8  # of a text whose scores are random; a lowercased text has one more


def tokens(
    log_probs: Sequence[float],
    *,
    ids: Sequence[int] | None = None,
    means: Sequence[float] | None = None,
    deviations: Sequence[float] | None = None,
    best: Sequence[float] | None = None,
) -> TokenScores:
    """The scores of a text's tokens.

    A test leaves out the fields that its detector ignores. `ids` then count from 0, and the other
    fields equal `log_probs`.
    """

    def or_log_probs(values: Sequence[float] | None) -> np.ndarray:
        return np.array(log_probs if values is None else values, dtype=float)

    return TokenScores(
        ids=np.array(range(len(log_probs)) if ids is None else ids),
        log_probs=np.array(log_probs, dtype=float),
        means=or_log_probs(means),
        deviations=or_log_probs(deviations),
        best=or_log_probs(best),
    )


def scored(*rows: TokenScores, **fields: object) -> Evidence:
    """Evidence with these scores: one row per argument, and each row an item of its own.

    `fields` are other fields of `Evidence`. If `texts` is not among them, each text is the name of
    its item.
    """
    names = [f"item {row}" for row in range(len(rows))]
    texts = fields.pop("texts", names)
    return Evidence(texts=texts, groups=names, scores=rows, **fields)


def items_under_two_models(n_items: int, seed: int) -> Evidence:
    """A row per item and model, with all fields but `anomaly`; measured numbers are random.

    A text depends on its item alone, and one of the two models saw the item. The rows of 2 items
    are (item 0, model 0), (item 0, model 1), (item 1, model 0) and (item 1, model 1).
    """
    generator = np.random.default_rng(seed)
    rows = [(item, model) for item in range(n_items) for model in range(2)]
    groups = []
    texts = []
    for item, _ in rows:
        groups.append(f"item {item}")
        # Enough words for 8-grams.
        texts.append(f"The {item} of {item + 1} is {item + 2} if {item + 3} and Not {item % 7}")

    table = generator.normal(size=(len(rows), len(FEATURES)))
    seen_by = generator.integers(2, size=n_items)  # the model that saw each item
    # What each model was trained on. Upper case makes no difference to the overlap of 8-grams.
    corpora: list[list[str]] = [[], []]
    for (item, _), text in zip(rows, texts, strict=True):
        corpora[seen_by[item]].append(text.upper())
    return Evidence(
        texts=texts,
        groups=groups,
        scores=[_random_tokens(generator) for _ in rows],
        lowercase=[_random_tokens(generator, length=N_TOKENS + 1) for _ in rows],
        swapped=[[_random_tokens(generator).log_probs for _ in range(2)] for _ in rows],
        reference=[_random_tokens(generator) for _ in rows],
        gains=[generator.normal(size=N_TOKENS) for _ in rows],
        after_unseen=[_random_tokens(generator) for _ in rows],
        after_seen=[_random_tokens(generator) for _ in rows],
        samples=[_random_samples(generator) for _ in rows],
        states=generator.normal(size=(len(rows), 3, 5)),
        features=pd.DataFrame(table, columns=list(FEATURES)),
        p_recall=generator.random(len(rows)),
        token_counts=generator.integers(1, 1000, size=VOCABULARY),
        corpus=[corpora[model] for _, model in rows],
        seen=np.array([model == seen_by[item] for item, model in rows]),
        gradient_norms=generator.exponential(size=len(rows)),
    )


def rearranged(evidence: Evidence, order: Sequence[int]) -> Evidence:
    """The rows whose indices are `order`, in that order: all rows or a part of them."""
    fields = {name: value for name, value in evidence._asdict().items() if value is not None}
    for name, values in fields.items():
        if name == "token_counts":  # a property of the vocabulary, not of a row
            continue
        if name == "features":
            fields[name] = values.iloc[order]
        elif isinstance(values, np.ndarray):
            fields[name] = values[order]
        else:
            fields[name] = [values[row] for row in order]
    return Evidence(**fields)


def _random_tokens(generator: np.random.Generator, length: int = N_TOKENS) -> TokenScores:
    """Random scores of a text; each token is the model's likeliest with probability 0.3."""
    best = -generator.random(length)
    is_best = generator.random(length) < 0.3
    log_probs = np.where(is_best, best, best - generator.exponential(4, size=length))
    means = -1 - generator.random(length)
    deviations = generator.random(length)
    ids = generator.integers(VOCABULARY, size=length)
    return TokenScores(ids, log_probs, means, deviations, best)


def _random_samples(generator: np.random.Generator) -> Samples:
    """A greedy and 8 drawn continuations of 2 tokens, all 0 or 1, so that some of them agree."""
    drawn = [generator.integers(2, size=2) for _ in range(8)]
    greedy = generator.integers(2, size=2)
    return Samples(greedy, drawn)
