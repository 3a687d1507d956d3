"""An ensemble in one file, never pickled. A module of its own: fitting an ensemble does not need skops."""

from pathlib import Path

import skops.io

from mechaware.errors import UserError
from mechaware.files import atomic_write
from mechaware.radar.ensemble import Ensemble

# What scikit-learn's estimators are saved as, beyond the types that skops trusts.
_TRUSTED_TYPES = [
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.tree._tree.Tree",
]


def save_ensemble(ensemble: Ensemble, path: Path) -> None:
    """Write the ensemble as one skops file."""
    with atomic_write(path) as partial:
        skops.io.dump({"features": ensemble.features, "scaler": ensemble.scaler, **ensemble.classifiers}, partial)


def load_ensemble(path: Path) -> Ensemble:
    """Read what `save_ensemble` wrote. Raises `UserError` if the file holds a type that no ensemble has."""
    foreign = set(skops.io.get_untrusted_types(file=path)) - set(_TRUSTED_TYPES)
    if foreign:
        raise UserError(f"{path}: holds {', '.join(sorted(foreign))}, which no ensemble needs; train it again")
    stored = skops.io.load(path, trusted=_TRUSTED_TYPES)
    return Ensemble(stored.pop("features"), stored.pop("scaler"), stored)
