"""All detectors, in the order of tables, and their scores side by side."""

from collections.abc import Collection, Iterable, Sequence

import numpy as np
import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.own_package import load_named
from mechaware.instruments.radar.detectors import (
    activations,
    gradients,
    likelihood,
    logit_lens,
    ranks,
    sequences,
)
from mechaware.instruments.radar.detectors.columns import (
    BLIND,
    FEATURE,
    IDENTITY,
    KIND_READERS,
    QUESTION_LOSS,
    SHUFFLED,
)
from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.instruments.radar.evidence.evidence import OPTIONAL_FIELDS, Evidence

DETECTORS: tuple[Detector, ...] = (
    likelihood.LOSS,
    likelihood.ZLIB,
    likelihood.LOWERCASE,
    likelihood.MIN_K,
    likelihood.MIN_K_PLUS_PLUS,
    likelihood.SURPRISE,
    likelihood.SLOPE,
    likelihood.REPETITION,
    likelihood.ORDER,
    likelihood.REFERENCE,
    likelihood.WINDOW_COMPARISON,
    likelihood.ERROR_ZONE,
    likelihood.RELATIVE,
    likelihood.CONTRASTED,
    sequences.PEAKEDNESS,
    likelihood.DIVERGENCE,
    gradients.GRADIENT_NORM,
    ranks.LIKELIHOOD_RANKS,
    ranks.MIN_K_PLUS_PLUS_WITH_GRADIENT,
    activations.RADAR,
    *activations.SIGNATURES,
    activations.ISOLATION,
    activations.RADAR_REFITTED,
    sequences.OVERLAP,
)

# Names that no detector may have: they are columns of planted items, of suspected benchmarks, of
# classifiers, or of a card's table.
_OTHER_COLUMNS = {
    *IDENTITY,
    QUESTION_LOSS,
    *BLIND,
    *KIND_READERS,
    *logit_lens.READS,
    "control",
    "unit",
    "group",
    "part",
    "condition",
    "truth",
    "other",
    "score",
}


def all_detectors(own: Sequence[str]) -> tuple[Detector, ...]:
    """`DETECTORS`, then the user's own detectors with these dotted names (`load_detectors`)."""
    return (*DETECTORS, *load_detectors(own))


def load_detectors(own: Sequence[str]) -> tuple[Detector, ...]:
    """The detectors of the user's own package that have these dotted names.

    Raises `UserError` for a dotted name that cannot be imported or is no `Detector`, and for a
    detector whose name is that of another detector or column, or begins with `shuffled_` or
    `feature_`, as groups of columns do.
    """
    taken = _OTHER_COLUMNS | {detector.name for detector in DETECTORS}
    detectors = load_named(own, Detector, taken)
    for detector in detectors:
        if detector.name.startswith((f"{SHUFFLED}_", FEATURE)):
            raise UserError(
                f"detector '{detector.name}': its name begins with {SHUFFLED}_ or {FEATURE}; "
                "rename it"
            )
    return detectors


def needed_evidence(detectors: Iterable[Detector], named: Collection[str] = ()) -> list[str]:
    """The fields that a detector needs or that are `named`, in the order of `OPTIONAL_FIELDS`.

    Fields that are not in `OPTIONAL_FIELDS` are left out.
    """
    needs = set(named)
    for detector in detectors:
        needs.update(detector.needs)
    return [field for field in OPTIONAL_FIELDS if field in needs]


def check_needs(detectors: Iterable[Detector], optional: Collection[str]) -> None:
    """Raise `UserError` for a detector that needs an optional field which is not measured.

    `optional`: those of `OPTIONAL_FIELDS` that are measured.
    """
    for detector in detectors:
        for need in detector.needs:
            if need in OPTIONAL_FIELDS and need not in optional:
                raise UserError(
                    f"radar/optional_evidence: the detector {detector.name} needs {need}; "
                    f"add {need} there, or remove the detector"
                )


def score_items(
    evidence: Evidence, detectors: tuple[Detector, ...] = DETECTORS, *, seed: int
) -> pd.DataFrame:
    """The scores of every row of the evidence, with a column for each detector, in their order.

    A detector has no column if a field that it needs was not measured. Raises `UserError`, with the
    detector's name, if a detector does not return one finite number per row.
    """
    # Imported here: figures name the detectors, and their environment has no tqdm.
    from tqdm import tqdm

    columns = {}
    for detector in tqdm(detectors, unit="detector"):
        if any(getattr(evidence, need) is None for need in detector.needs):
            continue
        scores = np.asarray(detector.score(evidence, seed))
        if scores.shape != (len(evidence.texts),):
            raise UserError(
                f"detector {detector.name}: scores of shape {scores.shape}; return one for each row"
            )
        if not np.isfinite(scores).all():
            row = int(np.argmin(np.isfinite(scores)))
            raise UserError(
                f"detector {detector.name}: row {row} has no finite score; return a number for it"
            )
        columns[detector.name] = scores
    return pd.DataFrame(columns, index=range(len(evidence.texts)))


def join_own_scores(scores: pd.DataFrame, own: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """`scores` of a suspected benchmark, then the columns of the user's own detectors.

    `own` is empty, or it holds one table: the scores of the same items by the own detectors, with
    the items in any order.
    """
    for table in own:
        shared = [name for name in table if name in scores]
        scores = scores.merge(table, how="left", on=shared, validate="one_to_one")
    return scores
