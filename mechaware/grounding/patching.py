"""The patching table: each pair's logit difference under each intervention at each layer."""

from collections.abc import Sequence

import pandas as pd

from mechaware.grounding.data.pairs import Pair
from mechaware.models.interventions.patch import PairSweep

IDENTITY_TOLERANCE = 1e-3  # share of the larger logit difference; float32 errors over all blocks stay well below


def patching_table(pairs: Sequence[Pair], swept: PairSweep) -> pd.DataFrame:
    """One row per mode, pair and layer: pair, category, place, mode, layer, clean_diff, corrupted_diff, patched_diff.

    The last three are in logits. Layer 0 is the embedding, where the patched word is the whole difference between the
    prompts: denoising there must reproduce the clean run, and noising the corrupted one. Raises `RuntimeError`
    otherwise.
    """
    parts = []
    for mode, patched in swept.patched_diff.items():
        for layer in range(patched.shape[1]):
            parts.append(
                pd.DataFrame(
                    {
                        "pair": [pair.id for pair in pairs],
                        "category": [pair.category for pair in pairs],
                        "place": [pair.place for pair in pairs],
                        "mode": mode,
                        "layer": layer,
                        "clean_diff": swept.clean_diff.double().numpy(),
                        "corrupted_diff": swept.corrupted_diff.double().numpy(),
                        "patched_diff": patched[:, layer].double().numpy(),
                    }
                )
            )
    table = pd.concat(parts, ignore_index=True)
    _check_identity(table)
    return table


def _check_identity(table: pd.DataFrame) -> None:
    embedding = table[table["layer"] == 0]
    for mode, expected in (("denoise", "clean_diff"), ("noise", "corrupted_diff")):
        rows = embedding[embedding["mode"] == mode]
        size = 1 + rows[["clean_diff", "corrupted_diff"]].abs().max(axis=1)
        off = ((rows["patched_diff"] - rows[expected]).abs() / size).to_numpy()
        if not (off <= IDENTITY_TOLERANCE).all():  # a missing number fails, too
            pair = rows["pair"].to_numpy()[off.argmax()]
            raise RuntimeError(f"pair {pair}: patching the embedding ({mode}) is off by {off.max():.1e} of its effect")
