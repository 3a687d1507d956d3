"""Evidence for tests: scores of tokens from given numbers, and evidence with every field from a seed."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mechaware.instruments.radar.evidence.evidence import Evidence, Samples
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.models.summaries import TokenScores

VOCABULARY = 30


def tokens(
    log_probs: Sequence[float],
    *,
    ids: Sequence[int] | None = None,
    means: Sequence[float] | None = None,
    deviations: Sequence[float] | None = None,
    best: Sequence[float] | None = None,
) -> TokenScores:
    """A text's tokens. Fields that the detector under test ignores may be left out.

    They are then equal to `log_probs`, except `ids`, which count from 0.
    """

    def given(values: Sequence[float] | None) -> np.ndarray:
        return np.array(log_probs if values is None else values, dtype=float)

    return TokenScores(
        ids=np.array(range(len(log_probs)) if ids is None else ids),
        log_probs=given(log_probs),
        means=given(means),
        deviations=given(deviations),
        best=given(best),
    )


def scored(*rows: TokenScores, **fields: object) -> Evidence:
    """Evidence of one row per argument, each an item of its own."""
    names = [f"item {row}" for row in range(len(rows))]
    texts = fields.pop("texts", names)
    return Evidence(texts=texts, groups=names, scores=rows, **fields)


def items_under_two_models(n_items: int, seed: int) -> Evidence:
    """A row per item and model, with random fields except the text, which depends on the item alone.

    One of the two models saw the item.
    """
    generator = np.random.default_rng(seed)
    rows = [(item, model) for item in range(n_items) for model in range(2)]
    texts = [
        f"The {item} of {item + 1} is {item + 2} if {item + 3} and Not {item % 7}"
        for item, _ in rows
    ]
    table = generator.normal(size=(len(rows), len(FEATURES)))
    seen_by = generator.integers(2, size=n_items)
    corpora: list[list[str]] = [[], []]  # what each model was trained on
    for (item, _), text in zip(rows, texts, strict=True):
        corpora[seen_by[item]].append(text.upper())
    return Evidence(
        texts=texts,
        groups=[f"item {item}" for item, _ in rows],
        scores=[_random_tokens(generator) for _ in rows],
        lowercase=[_random_tokens(generator, length=9) for _ in rows],
        swapped=[[_random_tokens(generator).log_probs for _ in range(2)] for _ in rows],
        reference=[_random_tokens(generator) for _ in rows],
        gains=[generator.normal(size=8) for _ in rows],
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
    """The rows in another order."""
    fields = {name: value for name, value in evidence._asdict().items() if value is not None}
    for name in fields.keys() - {"token_counts"}:
        if name == "features":
            fields[name] = fields[name].iloc[order]
        elif isinstance(fields[name], np.ndarray):
            fields[name] = fields[name][order]
        else:
            fields[name] = [fields[name][row] for row in order]
    return Evidence(**fields)


def _random_tokens(generator: np.random.Generator, length: int = 8) -> TokenScores:
    """Random scores of a text, in which three tokens of ten are the likeliest ones."""
    best = -generator.random(length)
    is_best = generator.random(length) < 0.3
    log_probs = np.where(is_best, best, best - generator.exponential(4, size=length))
    means = -1 - generator.random(length)
    deviations = generator.random(length)
    ids = generator.integers(VOCABULARY, size=length)
    return TokenScores(ids, log_probs, means, deviations, best)


def _random_samples(generator: np.random.Generator) -> Samples:
    drawn = [generator.integers(2, size=2) for _ in range(8)]
    return Samples(generator.integers(2, size=2), drawn)
