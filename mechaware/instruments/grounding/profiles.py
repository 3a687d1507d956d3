"""Where a schema word is read: shares of the gap by layer, block and position, over a run's pairs.

The gap of a pair, in logits, is the logit difference of the clean prompt minus that of the
corrupted prompt. A pair passes the rule R1 if |gap| >= `tau`. Denoising puts states, or keys and
values, of the clean run into the corrupted run; noising does the reverse.

Every table of measurements holds several runs, named in its column `run`
(mechaware.instruments.grounding.names).
"""

import pandas as pd

from mechaware.core.frames import Schema
from mechaware.core.seeds import derive_seed
from mechaware.core.stats.intervals import bootstrap_mean
from mechaware.instruments.grounding.rules import ROUNDING
from mechaware.instruments.grounding.rules.grounded import cut_shares
from mechaware.instruments.grounding.rules.paper import (
    apply_rules,
    recovered_shares,
    recovery_by_layer,
)

# In place of a block: 1 minus the sum of the shares of all single blocks. It is 0 unless some
# blocks carry a part of the gap only together, or several blocks carry the same part.
INTERACTION = "interaction"
# The columns of text in results/grounding/reading.csv (`cut_profile`).
READING = Schema(text=("run", "mode", "block"))


def recovery_profile(
    patching: pd.DataFrame, *, tau: float, confidence_level: float, resamples: int, seed: int
) -> pd.DataFrame:
    """The mean share of the gap that patching each layer recovers, over the pairs that pass R1.

    A pair's share is from 0 to 1 (`recovered_shares`).

    Long format: run, layer, recovered (the mean), low, high (bootstrap over pairs) and n (pairs). A
    run without passing pairs has no rows.
    """
    rows = []
    for run, patching_of_run in patching.groupby("run", sort=False):
        # Only R1 is used, and it does not depend on alpha.
        rules = apply_rules(patching_of_run, tau=tau, alpha=1.0)
        passing = rules[rules["r1"]]
        if passing.empty:
            continue

        pairs = pd.Index(passing["pair"])
        recovery = recovery_by_layer(patching_of_run).loc[pairs]
        gap = passing["delta"].abs().to_numpy()
        shares = recovered_shares(recovery, gap)  # pair x layer
        for layer, shares_of_layer in zip(recovery.columns, shares.T, strict=True):
            # Clean states are put into the corrupted run: the mode `denoise` of `cut_profile`.
            draw_seed = derive_seed(seed, str(run), "denoise", str(layer))
            low, high = bootstrap_mean(
                shares_of_layer,
                pairs,
                resamples=resamples,
                seed=draw_seed,
                confidence_level=confidence_level,
            )
            row = {
                "run": run,
                "layer": layer,
                "recovered": shares_of_layer.mean(),
                "low": low,
                "high": high,
                "n": len(pairs),
            }
            rows.append(row)
    return pd.DataFrame(rows, columns=["run", "layer", "recovered", "low", "high", "n"])


def cut_profile(
    cuts: pd.DataFrame, *, tau: float, confidence_level: float, resamples: int, seed: int
) -> pd.DataFrame:
    """The mean share of the gap that cutting each block alone moves, over the pairs that pass R1.

    To cut a block is to exchange the word's keys and values in it, by denoising or by noising. A
    pair without a gap, which passes R1 at `tau` 0, has no share and is left out. A pair's share
    (`cut_shares`) is not capped: it may be negative or above 1.

    Long format: run, mode (`denoise` or `noise`), block ("1", "2", ..., or `INTERACTION`), share
    (the mean), low, high (bootstrap over pairs) and n (pairs). A run without pairs that have a
    share has no rows.
    """
    gap = (cuts["clean_diff"] - cuts["corrupted_diff"]).abs()
    passes_r1 = gap >= tau - ROUNDING
    single = cuts[(cuts["kind"] == "single") & passes_r1]
    single = single.assign(share=cut_shares(single)).dropna(subset="share")
    rows = []
    for (run, mode), part in single.groupby(["run", "mode"], sort=False):
        shares = part.pivot(index="pair", columns="blocks", values="share")  # pair x block
        # Blocks are text in the table, where "10" sorts before "2".
        shares = shares[sorted(shares.columns, key=lambda block: int(str(block)))]
        shares[INTERACTION] = 1 - shares.sum(axis=1)
        for block, shares_of_block in shares.items():
            draw_seed = derive_seed(seed, str(run), str(mode), str(block))
            low, high = bootstrap_mean(
                shares_of_block.to_numpy(),
                shares.index,
                resamples=resamples,
                seed=draw_seed,
                confidence_level=confidence_level,
            )
            row = {
                "run": run,
                "mode": mode,
                "block": block,
                "share": shares_of_block.mean(),
                "low": low,
                "high": high,
                "n": len(shares),
            }
            rows.append(row)
    return pd.DataFrame(rows, columns=["run", "mode", "block", "share", "low", "high", "n"])


def map_profile(residual_map: pd.DataFrame) -> pd.DataFrame:
    """The median over pairs of the share that denoising recovers, by run, position and layer.

    Columns: run, position, layer, recovered. It is a median because a share is divided by the
    pair's gap: a pair with a small gap would dominate a mean. Pairs without a gap have no share and
    do not count; `recovered` is missing if no pair has a share.
    """
    medians = residual_map.groupby(["run", "position", "layer"], sort=False)["recovered"].median()
    return medians.reset_index()
