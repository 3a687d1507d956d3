"""Tables of features for tests."""

import numpy as np
import pandas as pd

from mechaware.instruments.radar.feature_extraction.features import FEATURES


def noise(n: int, seed: int, paired: bool = False) -> pd.DataFrame:
    """2n prompts with random features, equal length and the same words."""
    generator = np.random.default_rng(seed)
    table = pd.DataFrame(generator.normal(size=(2 * n, len(FEATURES))), columns=list(FEATURES))
    label = ["recall", "reasoning"] * n
    ids = [f"p{i // 2}-{label[i]}" if paired else f"x{i}" for i in range(2 * n)]
    return table.assign(id=ids, label=label, category="c", n_tokens=10, prompt="same words")
