"""All detectors, in the order of tables, and their scores side by side."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mechaware.errors import UserError
from mechaware.own_package import load_named
from mechaware.radar.detectors.detector import Detector
from mechaware.radar.detectors.frequency import DIVERGENCE
from mechaware.radar.detectors.learned import MEAN_DIFFERENCE, PROBE, PROBE_LAST, PROBE_MIDDLE, RADAR_REFITTED
from mechaware.radar.detectors.likelihood import LOSS, LOWERCASE, MIN_K, MIN_K_PLUS_PLUS, ZLIB
from mechaware.radar.detectors.overlap import OVERLAP
from mechaware.radar.detectors.prefix import CONTRASTED, RELATIVE
from mechaware.radar.detectors.radar import ISOLATION, RADAR, SIGNATURES
from mechaware.radar.detectors.reference import ERROR_ZONE, REFERENCE, WINDOW_COMPARISON
from mechaware.radar.detectors.sampling import PEAKEDNESS
from mechaware.radar.evidence.evidence import Evidence

DETECTORS: tuple[Detector, ...] = (
    *(LOSS, ZLIB, LOWERCASE, MIN_K, MIN_K_PLUS_PLUS),
    *(REFERENCE, WINDOW_COMPARISON, ERROR_ZONE),
    *(RELATIVE, CONTRASTED, PEAKEDNESS, DIVERGENCE),
    *(RADAR, *SIGNATURES, ISOLATION, RADAR_REFITTED),
    *(MEAN_DIFFERENCE, PROBE, PROBE_MIDDLE, PROBE_LAST),
    OVERLAP,
)


def all_detectors(own: Sequence[str]) -> tuple[Detector, ...]:
    """`DETECTORS`, and the detectors of the user's own package that have these dotted names.

    Raises `UserError` for a name that cannot be imported, names no `Detector`, or names one whose name is taken.
    """
    return (*DETECTORS, *load_named(own, Detector, {"id", "seen", *(detector.name for detector in DETECTORS)}))


def score_items(evidence: Evidence, detectors: tuple[Detector, ...] = DETECTORS, *, seed: int) -> pd.DataFrame:
    """The scores of every row of the evidence: a column per detector whose needs were measured, in the list's order.

    Raises `UserError`, with the detector's name, if it does not return one finite number per row.
    """
    from tqdm import tqdm  # here: figures name the detectors, and their environment has no tqdm

    columns = {}
    for detector in tqdm(detectors, unit="detector"):
        if any(getattr(evidence, need) is None for need in detector.needs):
            continue
        scores = np.asarray(detector.score(evidence, seed))
        if scores.shape != (len(evidence.texts),):
            raise UserError(f"detector {detector.name}: scores of shape {scores.shape}; return one for each row")
        if not np.isfinite(scores).all():
            row = int(np.argmin(np.isfinite(scores)))
            raise UserError(f"detector {detector.name}: row {row} has no finite score; return a number for it")
        columns[detector.name] = scores
    return pd.DataFrame(columns, index=range(len(evidence.texts)))
