"""Signatures are checked while the tests run, wherever the tests do not look themselves."""

import numpy as np
import pytest
from beartype.roar import BeartypeCallHintViolation
from jaxtyping import TypeCheckError

from mechaware.core.seeds import derive_seed
from mechaware.core.stats.roc import area_under_roc


def test_a_type_that_a_signature_does_not_name_is_refused() -> None:
    with pytest.raises(BeartypeCallHintViolation, match="seed"):
        derive_seed("not a number")


def test_a_shape_that_a_signature_does_not_name_is_refused() -> None:
    with pytest.raises(TypeCheckError, match="positive"):
        area_under_roc(np.zeros((2, 2)), np.zeros(2))
