"""The kinds of text on which a verdict on a benchmark was calibrated: how near each is to the texts in question.

Two kinds are planted, and their rates differ. A reader needs first those of the texts that are most like the reader's
own: as long, and as unlike each other in difficulty.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan, log
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import pandas as pd

from mechaware.instruments.radar.evidence.evidence import Evidence, read_evidence
from mechaware.instruments.radar.verdicts.control import CONTROL
from mechaware.models.summaries import TokenScores
from mechaware.planted.twins.items import CONTRADICTED, TWINS
from mechaware.verdicts.error_rates import ErrorRates, nearest_size
from mechaware.verdicts.seen import SeenEvidence, model_size, seen_error_rates
from mechaware.verdicts.seen_calibration import PlantedModel
from mechaware.verdicts.verdict import Verdict


class TextKind(NamedTuple):
    """A kind of text: its name, its median length in characters, and how far its losses differ (`loss_spread`).

    The fields are columns of a calibration; the spread is NaN where it was not measured.
    """

    text: str
    text_length: float
    loss_spread: float


def read_planted_models(
    seeds: Sequence[int], scores: Sequence[Path], evidence: Sequence[Path]
) -> list[PlantedModel]:
    """The twins of each seed.

    `scores`: a file for each seed. `evidence`: for each seed twin A's file, then twin B's.
    """
    files = iter(evidence)
    models = []
    for number, path in zip(seeds, scores, strict=True):
        table = pd.read_parquet(path)
        for twin in TWINS:
            rows = table[table["twin"] == twin].reset_index(drop=True)
            models.append(PlantedModel(f"s{number}/{twin}", rows, read_evidence(next(files))))
    return models


def loss_spread(scores: Sequence[TokenScores]) -> float:
    """The standard deviation over texts of the mean loss a token, as a share of its mean; NaN for fewer than two texts.

    Texts of one form and one difficulty have a small one. A share, because tokens of models differ in length.
    """
    if len(scores) < 2:
        return np.nan
    losses = np.array([-text.log_probs.mean(dtype=float) for text in scores])
    return float(losses.std(ddof=1) / losses.mean())


def planted_kind(models: Sequence[PlantedModel], text: str) -> TextKind:
    """What was planted under the name `text`.

    The length is of all items, the spread of those that a model did not see, the mean over models. There contradicted
    items do not count: their wrong answers make them unlike the others.
    """
    lengths = []
    spreads = []
    for model in models:
        lengths += [len(item) for item in model.evidence.texts]
        is_unseen = ~model.rows["seen"] & (model.rows["form"] != CONTRADICTED)
        by_row = zip(model.evidence.scores, is_unseen, strict=True)
        spreads.append(loss_spread([text for text, unseen in by_row if unseen]))
    return TextKind(text, median(lengths), float(np.mean(spreads)))


def with_rates_of_all_texts(
    verdict: Verdict[SeenEvidence],
    scores: pd.DataFrame,
    evidence: Evidence,
    calibration: pd.DataFrame,
) -> Verdict[SeenEvidence]:
    """The verdict with the error rates on each kind of planted text, those of the nearest kind first.

    The other arguments are those of `judge_benchmark`, which gives only the rates of the kind of the nearest length.
    """
    if verdict.procedure is None:
        return verdict

    unread = evidence.scores
    if CONTROL in scores:
        # Items that were read have lower losses.
        is_control = scores[CONTROL].to_numpy(bool)
        unread = [
            text for text, control in zip(evidence.scores, is_control, strict=True) if control
        ]
    asked = TextKind("these texts", verdict.evidence.text_length, loss_spread(unread))

    size = model_size(evidence)
    measured = calibration[calibration["procedure"] == verdict.procedure.text]
    if not measured.empty:
        # One kind of text may be planted in models of several sizes.
        measured, _ = nearest_size(measured, size)
    rates = []
    distance = []
    for kind in nearest_first(_planted_kinds(measured), asked):
        found = seen_error_rates(
            verdict.procedure,
            verdict.evidence,
            size,
            measured[measured["text"] == kind.text],
        )
        if not found.rates:
            continue
        rates += [rate._replace(case={"text": kind.text, **rate.case}) for rate in found.rates]
        # Kinds that were planted in models of one size have one sentence on it.
        distance += [sentence for sentence in found.distance if sentence not in distance]
        distance += _spread_distance(kind, asked)

    if not rates:
        return verdict
    missing = verdict.error_rates.missing if verdict.error_rates.rates else []
    return replace(verdict, error_rates=ErrorRates(rates, missing, distance))


def nearest_first(kinds: Sequence[TextKind], asked: TextKind) -> list[TextKind]:
    """The kinds by |log of the ratio of lengths| + |log of the ratio of spreads|.

    If a spread is missing, only lengths decide.
    """
    has_spreads = not any(isnan(kind.loss_spread) for kind in (asked, *kinds))

    def distance(kind: TextKind) -> float:
        by_length = abs(log(kind.text_length / asked.text_length))
        if not has_spreads:
            return by_length
        return by_length + abs(log(kind.loss_spread / asked.loss_spread))

    return sorted(kinds, key=distance)


def _planted_kinds(calibration: pd.DataFrame) -> list[TextKind]:
    # A calibration of one's own may lack the spread.
    columns = calibration.reindex(columns=list(TextKind._fields))
    kinds = columns.drop_duplicates("text").itertuples(index=False, name=None)
    return [TextKind(*kind) for kind in kinds]


def _spread_distance(kind: TextKind, asked: TextKind) -> list[str]:
    """How far the losses of the planted and of the user's texts differ, in a sentence; none if one is not known."""
    if isnan(kind.loss_spread) or isnan(asked.loss_spread):
        return []
    return [
        f"the losses of {kind.text} have a standard deviation of {kind.loss_spread:.0%} of their mean, those of "
        f"{asked.text} of {asked.loss_spread:.0%}"
    ]
