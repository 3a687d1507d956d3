"""Committed cases of the verdict on a benchmark: scores and texts at each decision's boundaries.

The cases have the significance level 0.05, whatever level the verdict has: the level itself is a
setting of the procedure. The file has two parts:

    _cases, _scores_with_lead, _texts, ...   benchmarks, each decided by its scores and texts
    _detector_scores, _evidence, ...         evidence by formulas, scored by the detectors
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mechaware.instruments.radar.detectors.registry import DETECTORS
from mechaware.instruments.radar.evidence.evidence import Evidence, Samples
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.verdicts.conformal import item_tests
from mechaware.instruments.radar.verdicts.decision import decide
from mechaware.models.summaries import TokenScores
from mechaware.verdicts.procedure import digest

_SIGNIFICANCE = 0.05
_SEED = 11
_WORDS = ("river", "stone", "cloud", "lamps", "grass", "wheel", "sugar", "paper", "clock")
_ROWS = 8  # rows of the evidence that the detectors score
_VOCABULARY = 40


class _Case(NamedTuple):
    """A benchmark and its control.

    - `scores`: by detector, the score of each row, first the items and then the control.
    - `texts`: the text of each row.
    - `n_items`: the number of rows that are items; the others are the control.
    - `n_tokens`: the number of tokens of each text; None: as many as it has words.
    """

    scores: dict[str, list[float]]
    texts: list[str]
    n_items: int
    n_tokens: list[int] | None = None


def seen_decisions(detectors: Sequence[str]) -> str:
    """The digest of what is decided on the committed cases, and of how these detectors score them.

    A detector that learns from the truth, or that is not in `DETECTORS`, has no scores here.
    """
    outcomes = [_outcome(case) for case in _cases()]
    return digest([outcomes, _detector_scores(detectors)])


def _outcome(case: _Case) -> list[Any]:
    """The status of a case, its tests, and the p-values of its items."""
    scores = pd.DataFrame(case.scores)
    is_item = np.arange(len(scores)) < case.n_items
    counts = case.n_tokens or [len(text.split()) for text in case.texts]
    # Only the number of tokens decides; the four numbers of each token (`TokenScores`) are zero.
    tokens = [TokenScores(np.arange(count), *np.zeros((4, count))) for count in counts]
    decision = decide(scores, case.texts, tokens, is_item, significance=_SIGNIFICANCE, seed=_SEED)

    # Items are tested by the first detector alone.
    first = scores.iloc[:, 0].to_numpy(float)
    rows = [(str(row), "") for row in range(case.n_items)]
    items = item_tests(rows, first[is_item], first[~is_item])
    return [
        decision.status,
        [(test.detector, test.auroc, test.p, test.p_adjusted) for test in decision.detectors],
        [(test.row, test.auroc, test.p) for test in decision.blind],
        [(test.id, test.p, test.p_adjusted) for test in items],
    ]


def _cases() -> Iterator[_Case]:
    """All cases. In the comments, "3 against 2" means 3 items and 2 rows of the control."""
    # 3 against 3 without a tie: the largest AUROC has p = 1/20, exactly the level. With one pair in
    # the wrong order (2.5 and 3), p is above the level.
    yield _Case({"a": [4, 5, 6, 1, 2, 3]}, _texts(3, 3), 3)
    yield _Case({"a": [4, 5, 2.5, 1, 2, 3]}, _texts(3, 3), 3)

    # 4 against 3: p = 1/35, above the level when corrected for two detectors.
    separated: list[float] = [4, 5, 6, 7, 1, 2, 3]
    mixed: list[float] = [1, 5, 3, 7, 4, 2, 6]
    yield _Case({"a": separated}, _texts(4, 3), 4)
    yield _Case({"a": separated, "b": mixed}, _texts(4, 3), 4)
    # Twice the smaller p is more than 1.
    yield _Case({"a": mixed, "b": mixed}, _texts(4, 3), 4)
    # 4 against 4: p = 1/70, below the level when corrected for three.
    yield _Case(
        {
            "a": [3, 8, 2, 7, 5, 1, 6, 4],
            "b": [5, 6, 7, 8, 1, 2, 3, 4],
            "c": [8, 7, 6, 4, 5, 1, 2, 3],
        },
        _texts(4, 4),
        4,
    )
    # Equal p-values: the second is corrected by a smaller factor, but to no less than the first.
    yield _Case(
        {"a": [5, 6, 7, 8, 1, 2, 3, 4], "b": [5, 6, 7, 8, 1, 2, 3, 4], "c": [*separated, 9]},
        _texts(4, 4),
        4,
    )

    # Ties: the exact distribution, which assumes that there are none, would give another p.
    yield _Case({"a": [2, 2, 3, 3, 3, 1, 1, 2, 2, 1]}, _texts(5, 5), 5)
    # Beyond 40,000 pairs the normal approximation serves; the number itself is a setting.
    yield _Case({"a": _scores_with_lead(201, 200, 15)}, _texts(201, 200), 201)

    # The bound of the blind rows. A significant blind row confounds the verdict if its AUROC is 0.1
    # or more from 0.5 or, where a detector with the AUROC A is significant, min(0.1, (A - 0.5) / 2)
    # or more. With n longer items among 60, the blind AUROC is 0.5 + n / 120.

    # No detector is significant: 12 longer items reach the bound of 0.6, 11 do not.
    undecided = {"a": _scores_with_lead(60, 60, 0)}
    for n_longer in (11, 12):
        yield _Case(undecided, _texts(60, 60, spaced=n_longer), 60)
        yield _Case(undecided, _texts(60, 60, split=n_longer), 60)
        n_tokens = [5] * n_longer + [4] * (120 - n_longer)
        yield _Case(undecided, _texts(60, 60), 60, n_tokens)
        # The control has the longer texts.
        yield _Case(undecided, list(reversed(_texts(60, 60, spaced=n_longer))), 60)

    # A detector with an AUROC of 0.65: 9 longer items reach the bound of 0.575, 8 do not.
    clear_lead = {"a": _scores_with_lead(60, 60, 18)}
    for n_longer in (8, 9):
        yield _Case(clear_lead, _texts(60, 60, spaced=n_longer), 60)
    # With an AUROC of 0.8 the bound is 0.6 again, and not 0.65.
    for n_longer in (11, 12):
        yield _Case({"a": _scores_with_lead(60, 60, 36)}, _texts(60, 60, spaced=n_longer), 60)

    # Two detectors with the same corrected p: the bound follows from the larger AUROC.
    yield _Case(
        {"a": _scores_with_lead(60, 60, 18), "b": _scores_with_lead(60, 60, 19)},
        _texts(60, 60, spaced=9),
        60,
    )
    # A blind row whose p is exactly the level.
    yield _Case({"a": _scores_with_lead(14, 14, 9)}, _texts(14, 14, spaced=5), 14)
    # A single item: the bag of words has no other item to compare it with.
    yield _Case({"a": [5, 1, 2, 3, 4]}, _texts(1, 4), 1)

    # Items with other words than the control, at the same lengths: 8 of 30 items, which may be
    # chance, or all 30.
    common = _WORDS[:6]
    rare = _WORDS[6:]
    for n_rare in (8, 30):
        texts = _texts(n_rare, 0, words=rare)
        texts += _texts(30 - n_rare, 0, words=common)
        texts += _texts(0, 30, words=common)
        yield _Case({"a": _scores_with_lead(30, 30, 9)}, texts, 30)
    # In small sets the blind row may be beyond its bound without being significant: it is
    # significant if 5 or 6 of 12 items are longer, not if 3 or 4 are.
    for n_longer in (3, 4, 5, 6):
        yield _Case({"a": _scores_with_lead(12, 12, 8)}, _texts(12, 12, spaced=n_longer), 12)


def _scores_with_lead(n_items: int, n_control: int, n_above: int) -> list[float]:
    """Scores without a tie, first of the items and then of the control.

    The first `n_above` items score above all of the control. The others score between its two
    middle rows (`n_control` is even): taken alone they have an AUROC of 1/2. So the AUROC of all
    items is 1/2 + n_above / (2 n_items). For 4 items, 2 rows of the control and 1 item above, the
    scores are 2, 0.5625, 0.625, 0.6875 and 0, 1.
    """
    middle = n_control // 2 - 0.5
    scores: list[float] = []
    for row in range(n_items):
        if row < n_above:
            scores.append(n_control + row)
        else:
            scores.append(middle + row / (4 * n_items))
    return [*scores, *range(n_control)]


def _texts(
    n_items: int, n_control: int, *, spaced: int = 0, split: int = 0, words: Sequence[str] = _WORDS
) -> list[str]:
    """Texts of which items and control have the same words.

    The first `spaced` items are two characters longer by spaces, with as many words. The first
    `split` items have two more words, as split at spaces, at the same length: the two spaces at the
    end of the text are moved to either side of the hyphen.
    """
    items = []
    for row in range(n_items):
        items.append(_text(row, words, is_spaced=row < spaced, is_split=row < split))
    control = [_text(row, words) for row in range(n_control)]
    return items + control


def _text(
    row: int, words: Sequence[str], *, is_spaced: bool = False, is_split: bool = False
) -> str:
    """The text of a row, such as "Is river-stone here?  ".

    Spaced, it is "Is   river-stone here?  "; split, it is "Is river - stone here?".
    """
    first_word = words[row * 2 % len(words)]
    second_word = words[(row * 5 + 1) % len(words)]
    space = "   " if is_spaced else " "
    if is_split:
        return f"Is{space}{first_word} - {second_word} here?"
    return f"Is{space}{first_word}-{second_word} here?  "


def _detector_scores(detectors: Sequence[str]) -> dict[str, list[float]]:
    """By detector, its scores on `_evidence`, then on `_evidence_of_other_tokens`.

    A detector has no scores on evidence that lacks what the detector needs.
    """
    scored: dict[str, list[float]] = {}
    for evidence in (_evidence(), _evidence_of_other_tokens()):
        for detector in DETECTORS:
            has_needs = all(getattr(evidence, need) is not None for need in detector.needs)
            if detector.name in detectors and has_needs:
                scores = np.asarray(detector.score(evidence, _SEED), dtype=float)
                scored.setdefault(detector.name, []).extend(scores.tolist())
    return scored


def _evidence_of_other_tokens() -> Evidence:
    """The evidence of `_evidence`, but the reference model has another tokenizer.

    Its losses are then compared in bits per byte, so the evidence has no gains for each token.
    """
    evidence = _evidence()
    n_tokens = [len(scores.ids) + 2 for scores in evidence.scores]
    return evidence._replace(reference=_scores_of_rows(n_tokens, 1.7), gains=None)


def _evidence() -> Evidence:
    """Evidence by formulas, of every kind but the truth."""
    texts = []
    for row, text in enumerate(_texts(_ROWS, 0, spaced=3)):
        texts.append(f"{text} {_WORDS[row]} {_WORDS[row]}")

    n_tokens = [5 + row for row in range(_ROWS)]
    n_tokens_in_lower_case = [count + 1 for count in n_tokens]
    scores = _scores_of_rows(n_tokens, 1.0)
    reference = _scores_of_rows(n_tokens, 1.7)
    gains = []
    for ours, theirs in zip(scores, reference, strict=True):
        gains.append(ours.log_probs - theirs.log_probs)
    swapped = []
    for row, count in enumerate(n_tokens):
        swapped.append([_token_scores(row, count, 2.0 + order).log_probs for order in range(3)])
    features = {name: _wave(_ROWS, step) for step, name in enumerate(FEATURES, start=1)}
    return Evidence(
        texts=texts,
        groups=[str(row) for row in range(_ROWS)],
        scores=scores,
        lowercase=_scores_of_rows(n_tokens_in_lower_case, 1.3),
        swapped=swapped,
        reference=reference,
        gains=gains,
        gradient_norms=4 + _wave(_ROWS, 2.0),
        after_unseen=_scores_of_rows(n_tokens, 1.2),
        after_seen=_scores_of_rows(n_tokens, 0.8),
        samples=[_samples(row) for row in range(_ROWS)],
        states=np.zeros((_ROWS, 2, 4)),
        features=pd.DataFrame(features),
        p_recall=_wave(_ROWS, 3.0) / 4,
        anomaly=_wave(_ROWS, 5.0) / 4,
        token_counts=np.arange(_VOCABULARY) % 7,
        corpus=[texts[::2]] * _ROWS,
    )


def _scores_of_rows(n_tokens: Sequence[int], step: float) -> list[TokenScores]:
    """The scores of each row's tokens (`_token_scores`)."""
    return [_token_scores(row, count, step) for row, count in enumerate(n_tokens)]


def _token_scores(row: int, count: int, step: float) -> TokenScores:
    """Log-probabilities of `count` tokens, of which every third is the most likely one."""
    ids = (np.arange(count) * (row + 2)) % _VOCABULARY
    log_probs = -0.1 - _wave(count, step + row / 3)
    best = np.where(np.arange(count) % 3 == 0, log_probs, log_probs / 2)
    return TokenScores(
        ids=ids,
        log_probs=log_probs,
        means=-1.0 - _wave(count, step + 1),
        deviations=0.2 + _wave(count, step + 2),
        best=best,
    )


def _samples(row: int) -> Samples:
    """A continuation of 40 tokens, and others that differ from it in 0, 1, 2, ... of them."""
    greedy = np.arange(40)
    drawn = [np.where(greedy < changed, greedy + 50, greedy) for changed in range(row + 1)]
    return Samples(greedy, drawn)


def _wave(count: int, step: float) -> np.ndarray:
    """`count` numbers from 0 to 4: (0.37 step k^2 + 0.61 k) mod 4 for k = 1, 2, ..., count.

    They are rounded to four decimals.
    """
    k = np.arange(1, count + 1)
    return np.asarray(np.round((step * 0.37 * k**2 + 0.61 * k) % 4, 4), dtype=float)
