"""Transformations of CSS as matrices."""

import math
from typing import Any

import numpy as np
from jaxtyping import Float

from mechaware.claims.reading.web.values.lengths import length, split

Matrix = Float[np.ndarray, "4 4"]


def _moved(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Matrix:
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def turned(x: float, y: float, z: float, angle: float) -> Matrix:
    """A turn by an angle in radians around an axis (Rodrigues)."""
    axis = np.array([x, y, z]) / max(math.hypot(x, y, z), 1e-9)
    cross = np.cross(np.eye(3), axis) * -1
    matrix = np.eye(4)
    matrix[:3, :3] += math.sin(angle) * cross + (1 - math.cos(angle)) * (cross @ cross)
    return matrix


def _perspective(distance: float) -> Matrix:
    matrix = np.eye(4)
    matrix[3, 2] = -1 / max(distance, 1.0)
    return matrix


def _flat(a: float, b: float, c: float, d: float, e: float = 0.0, f: float = 0.0) -> Matrix:
    return np.array([[a, c, 0, e], [b, d, 0, f], [0, 0, 1, 0], [0, 0, 0, 1.0]])


TRANSFORMS: dict[str, Any] = {
    "translate": _moved, "translate3d": _moved, "translatex": _moved, "translatey": lambda y: _moved(0, y),
    "translatez": lambda z: _moved(0, 0, z), "scale": lambda x, y=None: np.diag([x, x if y is None else y, 1, 1.0]),
    "scale3d": lambda x, y, z: np.diag([x, y, z, 1.0]), "scalex": lambda x: np.diag([x, 1, 1, 1.0]),
    "scaley": lambda y: np.diag([1, y, 1, 1.0]), "scalez": lambda z: np.diag([1, 1, z, 1.0]), "matrix": _flat,
    "matrix3d": lambda *sixteen: np.array(sixteen).reshape(4, 4).T, "rotate": lambda a: turned(0, 0, 1, a),
    "rotatez": lambda a: turned(0, 0, 1, a), "rotatex": lambda a: turned(1, 0, 0, a), "rotate3d": turned,
    "rotatey": lambda a: turned(0, 1, 0, a), "skewx": lambda a: _flat(1, 0, math.tan(a), 1),
    "skewy": lambda a: _flat(1, math.tan(a), 0, 1), "perspective": _perspective,
    "skew": lambda a, b=0.0: _flat(1, math.tan(b), math.tan(a), 1),
}  # fmt: skip


def transformation(token: Any, em: float, size: tuple[float, float]) -> Matrix | None:
    """The matrix of one transform function on a box of this width and height; None if it is not known."""
    name = token.lower_name
    wholes = [1.0, 1.0] if "scale" in name else [size[1]] if name == "translatey" else [*size]
    values = [length(part, em, [*wholes, 0.0, 0.0][min(i, 2)]) for i, part in enumerate(split(token.arguments))]
    if None in values:
        return None
    try:
        return np.asarray(TRANSFORMS[name](*values), dtype=float)
    except (KeyError, TypeError, ValueError, ArithmeticError):
        return None


def projected(matrix: Matrix) -> tuple[float, float, float]:
    """The smaller way in which a matrix scales a flat box (0 behind the eye), and how far it moves it."""
    if not np.isfinite(matrix).all() or matrix[3, 3] <= 0:
        return 0.0, 0.0, 0.0
    flat = matrix[np.ix_([0, 1, 3], [0, 1, 3])] / matrix[3, 3]
    scales = np.linalg.svd(flat[:2, :2], compute_uv=False)
    return float(scales[-1]), float(flat[0, 2]), float(flat[1, 2])
