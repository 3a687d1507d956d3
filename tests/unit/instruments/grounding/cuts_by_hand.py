"""Cuts of single blocks in a few pairs, written by hand."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

# For the bootstrap of the shares of these cuts.
DRAWS: dict[str, Any] = {"resamples": 2000, "seed": 7}


def single_cuts(
    run: str,
    pair: str,
    *,
    clean: float,
    corrupted: float,
    cut_diffs: Mapping[str, Sequence[float]],
) -> pd.DataFrame:
    """The rows of a pair in a table of cuts.

    `clean`, `corrupted` and `cut_diffs` are logit differences, the last by mode, of the cuts of
    block 1 alone, block 2 alone, ... The cuts of all blocks together and of a top set have the
    difference 77, which no profile may count.
    """
    rows = []
    for mode, diffs in cut_diffs.items():
        cuts = [("single", str(block), diff) for block, diff in enumerate(diffs, start=1)]
        every_block = " ".join(str(block) for block in range(1, len(diffs) + 1))
        cuts.append(("all", every_block, 77.0))
        cuts.append(("top", "1", 77.0))
        for kind, blocks, diff in cuts:
            rows.append((run, pair, mode, kind, blocks, clean, corrupted, diff))
    columns = ["run", "pair", "mode", "kind", "blocks", "clean_diff", "corrupted_diff", "cut_diff"]
    return pd.DataFrame(rows, columns=columns)


# Two blocks in each pair. The gap is clean - corrupted. Denoising starts from the corrupted
# difference and recovers cut - corrupted; noising starts from the clean one and removes
# clean - cut.
CUTS = pd.concat(
    [
        # Gap 4. Recovered: 1 and 3, together 4. Removed: 3 and -1, together 2.
        single_cuts(
            "a",
            "up",
            clean=2.0,
            corrupted=-2.0,
            cut_diffs={"denoise": (-1.0, 1.0), "noise": (-1.0, 3.0)},
        ),
        # Gap -2. Recovered: -1.5 and -2.5, together twice the gap. Removed: 0 and -2, together -2.
        single_cuts(
            "a",
            "down",
            clean=-1.0,
            corrupted=1.0,
            cut_diffs={"denoise": (-0.5, -1.5), "noise": (-1.0, 1.0)},
        ),
        # A gap of 0.3 fails R1 at tau 0.4.
        single_cuts(
            "a",
            "small",
            clean=0.3,
            corrupted=0.0,
            cut_diffs={"denoise": (9.0, 9.0), "noise": (9.0, 9.0)},
        ),
        single_cuts(
            "b",
            "small",
            clean=0.3,
            corrupted=0.0,
            cut_diffs={"denoise": (9.0, 9.0), "noise": (9.0, 9.0)},
        ),
    ],
    ignore_index=True,
)
