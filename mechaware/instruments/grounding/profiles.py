"""Where a schema word is read: the share of the gap by layer, by block and by position, over the pairs of a run.

Every table of measurements holds several runs, named in its column `run` (mechaware.instruments.grounding.names).
"""

import pandas as pd

from mechaware.core.frames import Schema
from mechaware.core.seeds import derive_seed
from mechaware.core.stats import bootstrap_mean
from mechaware.instruments.grounding.rules import ROUNDING
from mechaware.instruments.grounding.rules.grounded import cut_shares
from mechaware.instruments.grounding.rules.paper import (
    apply_rules,
    recovered_shares,
    recovery_by_layer,
)

INTERACTION = "interaction"  # 1 minus the sum over single blocks: what blocks carry only together, or more than once
# The columns of text in results/grounding/reading.csv (`cut_profile`).
READING = Schema(text=("run", "mode", "block"))


def recovery_profile(
    patching: pd.DataFrame, *, tau: float, confidence_level: float, resamples: int, seed: int
) -> pd.DataFrame:
    """The mean share of the gap that patching each layer recovers, from 0 to 1, over the pairs that pass R1.

    Long format: run, layer, recovered, low, high (bootstrap over pairs), n; a run without passing pairs has no rows.
    """
    rows = []
    for run, part in patching.groupby("run", sort=False):
        # Only R1 is used, and it does not depend on alpha.
        rules = apply_rules(part, tau=tau, alpha=1.0)
        rules = rules[rules["r1"]]
        passing = pd.Index(rules["pair"])
        if passing.empty:
            continue

        recovery = recovery_by_layer(part).loc[passing]
        shares = recovered_shares(recovery, rules["delta"].abs().to_numpy())
        for layer, values in zip(recovery.columns, shares.T, strict=True):
            draw_seed = derive_seed(seed, str(run), "denoise", str(layer))
            interval = bootstrap_mean(
                values,
                passing,
                resamples=resamples,
                seed=draw_seed,
                confidence_level=confidence_level,
            )
            rows.append((run, layer, values.mean(), *interval, len(passing)))
    return pd.DataFrame(rows, columns=["run", "layer", "recovered", "low", "high", "n"])


def cut_profile(
    cuts: pd.DataFrame, *, tau: float, confidence_level: float, resamples: int, seed: int
) -> pd.DataFrame:
    """The mean share of the gap that the cut of each block moves, over the pairs that pass R1 (|gap| >= `tau` logits).

    Long format: run, mode, block ("1", "2", ..., or `INTERACTION`), share, low, high (bootstrap over pairs), n; a run
    without passing pairs has no rows. Shares of a pair are not capped: they may be negative or above 1. A pair without
    a gap, which passes R1 at `tau` 0, has no share and is left out.
    """
    gap = (cuts["clean_diff"] - cuts["corrupted_diff"]).abs()
    single = cuts[(cuts["kind"] == "single") & (gap >= tau - ROUNDING)]
    single = single.assign(share=cut_shares(single)).dropna(subset="share")
    rows = []
    for (run, mode), part in single.groupby(["run", "mode"], sort=False):
        shares = part.pivot(index="pair", columns="blocks", values="share")
        # Blocks are text in the table, where "10" sorts before "2".
        shares = shares[sorted(shares.columns, key=lambda block: int(str(block)))]
        shares[INTERACTION] = 1 - shares.sum(axis=1)
        for block, values in shares.items():
            draw_seed = derive_seed(seed, str(run), str(mode), str(block))
            interval = bootstrap_mean(
                values.to_numpy(),
                shares.index,
                resamples=resamples,
                seed=draw_seed,
                confidence_level=confidence_level,
            )
            rows.append((run, mode, block, values.mean(), *interval, len(values)))
    return pd.DataFrame(rows, columns=["run", "mode", "block", "share", "low", "high", "n"])


def map_profile(residual_map: pd.DataFrame) -> pd.DataFrame:
    """The median over pairs of the share that denoising recovers, by run, position and layer.

    A median, since the share divides by the pair's gap: a pair with a small gap would dominate a mean.
    """
    medians = residual_map.groupby(["run", "position", "layer"], sort=False)["recovered"].median()
    return medians.reset_index()
