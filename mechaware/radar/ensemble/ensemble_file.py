"""Ensembles as skops files, never pickles.

Apart from the ensemble itself, because importing skops takes longer than most commands that fit an ensemble.
"""

from pathlib import Path

import skops.io

from mechaware.errors import UserError
from mechaware.files import replacing
from mechaware.radar.ensemble.classifier import Ensemble
from mechaware.radar.names import CLASSIFIERS

TRUSTED_TYPES = [
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.tree._tree.Tree",
]


def save_ensemble(ensemble: Ensemble, path: Path) -> None:
    """Write the ensemble as one skops file."""
    with replacing(path) as partial:
        skops.io.dump({"features": ensemble.features, "scaler": ensemble.scaler, **ensemble.classifiers}, partial)


def load_ensemble(path: Path) -> Ensemble:
    """Read what `save_ensemble` wrote; raises `UserError` if the file holds a type that no ensemble has."""
    foreign = set(skops.io.get_untrusted_types(file=path)) - set(TRUSTED_TYPES)
    if foreign:
        raise UserError(f"{path}: holds {', '.join(sorted(foreign))}, which no ensemble needs; train it again")
    stored = skops.io.load(path, trusted=TRUSTED_TYPES)
    return Ensemble(stored["features"], stored["scaler"], {name: stored[name] for name in CLASSIFIERS})
