"""Where the schema word is read: the share of the gap that leaves it through the keys and values of each block."""

import pandas as pd

from mechaware.grounding.rules.effects import cut_shares
from mechaware.grounding.rules.recovery import ROUNDING
from mechaware.seeds import derive_seed
from mechaware.stats import bootstrap_mean

INTERACTION = "interaction"  # 1 minus the sum over the single blocks


def single_block_shares(cuts: pd.DataFrame, tau: float) -> pd.DataFrame:
    """The rows of single blocks with their `share` of the gap, of the pairs with a gap that pass R1 at `tau`."""
    single = cuts[(cuts["kind"] == "single") & ((cuts["clean_diff"] - cuts["corrupted_diff"]).abs() >= tau - ROUNDING)]
    return single.assign(share=cut_shares(single)).dropna(subset="share")


def cut_profile(cuts: pd.DataFrame, *, tau: float, level: float, resamples: int, seed: int) -> pd.DataFrame:
    """The mean share by run, mode and block, over the pairs that pass R1 (|gap| >= `tau`, in logits).

    Long format: run, mode, block ("1", "2", ..., or `INTERACTION`), share, low, high (bootstrap over pairs), n; a run
    without passing pairs has no rows. Shares of a pair are not capped: they may be negative or above 1. A pair without
    a gap, which passes R1 at `tau` 0, has no share and is left out.
    """
    single = single_block_shares(cuts, tau)
    rows = []
    for (run, mode), part in single.groupby(["run", "mode"], sort=False):
        shares = part.pivot(index="pair", columns="blocks", values="share")
        shares = shares[sorted(shares.columns, key=lambda block: int(str(block)))]
        shares[INTERACTION] = 1 - shares.sum(axis=1)
        for block, values in shares.items():
            draw = derive_seed(seed, str(run), str(mode), str(block))
            interval = bootstrap_mean(values.to_numpy(), shares.index, resamples=resamples, seed=draw, level=level)
            rows.append((run, mode, block, values.mean(), *interval, len(values)))
    return pd.DataFrame(rows, columns=["run", "mode", "block", "share", "low", "high", "n"])


def map_profile(residual_map: pd.DataFrame) -> pd.DataFrame:
    """The median over pairs of the share that denoising recovers, by run, position and layer."""
    medians = residual_map.groupby(["run", "position", "layer"], sort=False)["recovered"].median()
    return medians.reset_index()
