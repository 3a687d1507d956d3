"""Tables of features for tests."""

import numpy as np
import pandas as pd

from mechaware.instruments.radar.feature_extraction.features import FEATURES


def noise(n: int, seed: int, paired: bool = False) -> pd.DataFrame:
    """n prompts of each class with random features, equal length and the same words;
    if `paired`, n matched pairs.
    """
    generator = np.random.default_rng(seed)
    table = pd.DataFrame(generator.normal(size=(2 * n, len(FEATURES))), columns=list(FEATURES))
    labels = ["recall", "reasoning"] * n
    ids = [f"x{row}" for row in range(2 * n)]
    if paired:
        ids = [f"p{row // 2}-{label}" for row, label in enumerate(labels)]
    return table.assign(id=ids, label=labels, category="c", n_tokens=10, prompt="same words")
