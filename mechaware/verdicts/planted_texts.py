"""How near the kinds of text on which a verdict on a benchmark was calibrated are to its texts.

Two kinds are planted, and their rates differ. A reader needs first the rates on the kind that is
most like the reader's own texts: as long as they are, and as varied in difficulty.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, log
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Bool

from mechaware.instruments.radar.evidence.evidence import Evidence, read_evidence
from mechaware.instruments.radar.verdicts.control import CONTROL
from mechaware.models.summaries import TokenScores
from mechaware.planted.twins.items import CONTRADICTED, TWINS
from mechaware.verdicts.error_rates import ErrorRates, nearest_size
from mechaware.verdicts.seen import SeenEvidence, model_size, seen_error_rates
from mechaware.verdicts.seen_calibration import PlantedModel
from mechaware.verdicts.verdict import Verdict


class TextKind(NamedTuple):
    """A kind of text; the fields are columns of a calibration.

    - `text`: its name.
    - `text_length`: the median length of its texts, in characters.
    - `loss_spread`: how far the losses of its texts differ (`loss_spread`); NaN if not measured.
    """

    text: str
    text_length: float
    loss_spread: float


def read_planted_models(
    seeds: Sequence[int], scores: Sequence[Path], evidence: Sequence[Path]
) -> list[PlantedModel]:
    """The twins of each seed, named `s0/A`, `s0/B`, `s1/A` and so on.

    Args:
        seeds: The numbers of the seeds.
        scores: For each seed, the file of `score_twins` or `score_texts`, with the rows of both
            twins.
        evidence: For each seed, the evidence of twin A, then that of twin B. With the seeds 0 and 1
            the files are those of s0/A, s0/B, s1/A, s1/B.
    """
    evidence_files = iter(evidence)
    models = []
    for number, path in zip(seeds, scores, strict=True):
        table = pd.read_parquet(path)
        for twin in TWINS:
            rows = table[table["twin"] == twin].reset_index(drop=True)
            twin_evidence = read_evidence(next(evidence_files))
            models.append(PlantedModel(f"s{number}/{twin}", rows, twin_evidence))
    return models


def loss_spread(scores: Sequence[TokenScores]) -> float:
    """How far the losses of texts differ: sd(l) / mean(l), where l is a text's mean loss per token.

    The standard deviation divides by n - 1; NaN for fewer than two texts.

    It is small for texts of one form and one difficulty. It is relative to the mean because the
    tokens of two models differ in length.
    """
    if len(scores) < 2:
        return np.nan
    losses = np.array([-text.log_probs.mean(dtype=float) for text in scores])
    return float(losses.std(ddof=1) / losses.mean())


def planted_kind(models: Sequence[PlantedModel], text: str) -> TextKind:
    """The kind of text that was planted under the name `text`.

    The length is the median over all items. The spread is the mean over models of the spread of the
    items that the model did not see. Contradicted items do not count for it: their wrong answers
    make them unlike the others.
    """
    lengths = []
    spreads = []
    for model in models:
        lengths += [len(item) for item in model.evidence.texts]

        is_unseen = ~model.rows["seen"] & (model.rows["form"] != CONTRADICTED)
        spreads.append(loss_spread(_chosen(model.evidence.scores, is_unseen.to_numpy(bool))))
    return TextKind(text, median(lengths), float(np.mean(spreads)))


def _chosen(
    scores: Sequence[TokenScores], is_chosen: Bool[np.ndarray, " text"]
) -> list[TokenScores]:
    """The scores of the chosen texts, in their order."""
    return [score for score, chosen in zip(scores, is_chosen, strict=True) if chosen]


def with_rates_of_all_texts(
    verdict: Verdict[SeenEvidence],
    scores: pd.DataFrame,
    evidence: Evidence,
    calibration: pd.DataFrame,
) -> Verdict[SeenEvidence]:
    """The verdict with the error rates on each kind of planted text, the nearest kind first.

    `judge_benchmark` gives only the rates on the kind whose median length is nearest.

    Args:
        verdict: A verdict of `judge_benchmark`. It is returned as it is if it has no procedure, or
            if its procedure was measured on no kind of text.
        scores: As for `judge_benchmark`.
        evidence: As for `judge_benchmark`.
        calibration: As for `judge_benchmark`.
    """
    if verdict.procedure is None:
        return verdict

    unread = evidence.scores
    if CONTROL in scores:
        # Only the control is surely unread; items that were read have lower losses.
        unread = _chosen(evidence.scores, scores[CONTROL].to_numpy(bool))
    own_kind = TextKind("these texts", verdict.evidence.text_length, loss_spread(unread))

    size = model_size(evidence)
    rows = calibration[calibration["procedure"] == verdict.procedure.text]
    if not rows.empty:
        # One kind of text may be planted in models of several sizes.
        rows, _ = nearest_size(rows, size)

    rates = []
    distance: list[str] = []
    for kind in nearest_first(_planted_kinds(rows), own_kind):
        rows_of_kind = rows[rows["text"] == kind.text]
        on_kind = seen_error_rates(verdict.procedure, verdict.evidence, size, rows_of_kind)
        if not on_kind.rates:
            continue

        for rate in on_kind.rates:
            rates.append(rate._replace(case={"text": kind.text, **rate.case}))
        # The sentence on the size of the models is the same for all kinds that were planted in one
        # size.
        for sentence in on_kind.distance:
            if sentence not in distance:
                distance.append(sentence)
        distance += _spread_distance(kind, own_kind)

    if not rates:
        return verdict
    # If the verdict had no rates, `missing` says so, which is no longer true.
    missing = verdict.error_rates.missing if verdict.error_rates.rates else []
    return replace(verdict, error_rates=ErrorRates(rates, missing, distance))


def nearest_first(kinds: Sequence[TextKind], own_kind: TextKind) -> list[TextKind]:
    """The kinds in rising order of their distance from the user's own kind of text.

    The distance is |log of the ratio of lengths| + |log of the ratio of spreads|. If the spread of
    any kind is missing, lengths alone decide. Kinds at one distance keep their order.
    """
    has_spreads = not any(isnan(kind.loss_spread) for kind in (own_kind, *kinds))

    def distance(kind: TextKind) -> float:
        by_length = abs(log(kind.text_length / own_kind.text_length))
        if not has_spreads:
            return by_length
        return by_length + abs(log(kind.loss_spread / own_kind.loss_spread))

    return sorted(kinds, key=distance)


def _planted_kinds(calibration: pd.DataFrame) -> list[TextKind]:
    """The kinds of text of a calibration, each once, in the order of its rows."""
    # A calibration that the user made may lack the spread; it is then NaN.
    columns = calibration.reindex(columns=list(TextKind._fields))
    kinds = columns.drop_duplicates("text").itertuples(index=False, name=None)
    return [TextKind(*kind) for kind in kinds]


def _spread_distance(kind: TextKind, own_kind: TextKind) -> list[str]:
    """A sentence that compares the loss spreads of two kinds; none if either is not known."""
    if isnan(kind.loss_spread) or isnan(own_kind.loss_spread):
        return []
    return [
        f"the losses of {kind.text} have a standard deviation of {kind.loss_spread:.0%} of their "
        f"mean, those of {own_kind.text} of {own_kind.loss_spread:.0%}"
    ]
