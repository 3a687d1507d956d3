"""The patching table: each pair's logit difference under each intervention at each layer."""

from collections.abc import Sequence

import pandas as pd

from mechaware.grounding.data.pairs import Pair
from mechaware.models.interventions.patch import PairSweep

IDENTITY_TOLERANCE = 1e-3  # share of the larger logit difference; float32 errors over all blocks stay well below


def patching_table(pairs: Sequence[Pair], swept: PairSweep) -> pd.DataFrame:
    """One row per pair and layer: pair, category, place, layer, clean_diff, corrupted_diff, patched_diff.

    The last three are in logits; clean states are put into the corrupted run (denoising). Layer 0 is the embedding,
    where the patched word is the whole difference between the prompts, so that patching there must reproduce the clean
    run. Raises `RuntimeError` otherwise.
    """
    patched = swept.patched_diff["denoise"].double().numpy()
    parts = [
        pd.DataFrame(
            {
                "pair": [pair.id for pair in pairs],
                "category": [pair.category for pair in pairs],
                "place": [pair.place for pair in pairs],
                "layer": layer,
                "clean_diff": swept.clean_diff.double().numpy(),
                "corrupted_diff": swept.corrupted_diff.double().numpy(),
                "patched_diff": patched[:, layer],
            }
        )
        for layer in range(patched.shape[1])
    ]
    table = pd.concat(parts, ignore_index=True)
    _check_identity(table)
    return table


def _check_identity(table: pd.DataFrame) -> None:
    rows = table[table["layer"] == 0]
    size = 1 + rows[["clean_diff", "corrupted_diff"]].abs().max(axis=1)
    off = ((rows["patched_diff"] - rows["clean_diff"]).abs() / size).to_numpy()
    if not (off <= IDENTITY_TOLERANCE).all():  # a missing number fails, too
        pair = rows["pair"].to_numpy()[off.argmax()]
        raise RuntimeError(f"pair {pair}: patching the embedding is off by {off.max():.1e} of its effect")
