"""G4: what is read is the column that is asked for, whatever word stands there."""

import pandas as pd

from mechaware.grounding.names import SYNONYMS
from mechaware.grounding.rules.effects import block_sets, schema_gap, unasked_gap
from mechaware.grounding.rules.recovery import ROUNDING
from mechaware.grounding.rules.rule import Measurements, Thresholds, Verdicts


def holds(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """Only the asked column counts, and the keys and values of another word that fits bring out that word.

    The exchange of a column that is not asked for moves its own logits by at most `unasked_share` of the gap. Into the
    clean run the blocks of the pair's set (G2) then get the keys and values of another word that the request may mean:
    the third word where the pair has one, else the corrupted word of a synonym category. That word must come out above
    the clean one. A pair without such a word is judged by the first part alone.
    """
    gap, unasked = schema_gap(measured.answers), unasked_gap(measured.answers)
    specific = unasked.abs() <= thresholds.unasked_share * gap.abs() + ROUNDING
    return (specific & brings_out(measured, thresholds.alpha)).loc[measured.pairs]


def brings_out(measured: Measurements, alpha: float) -> pd.Series:
    """Whether another fitting word comes out above the clean one, by pair; False for a pair without a set of blocks."""
    sizes = block_sets(measured.cuts, alpha)["size"].rename("size").reset_index()
    corrupted = measured.cuts[(measured.cuts["kind"] == "top") & (measured.cuts["mode"] == "noise")]
    corrupted = corrupted[corrupted["category"].isin(SYNONYMS)]
    # logit(other word) - logit(clean), of the word that is tried: the third one before the corrupted one.
    tried = pd.concat(
        [
            measured.thirds[["pair", "size", "third_diff"]].rename(columns={"third_diff": "lead"}),
            corrupted[["pair", "size"]].assign(lead=-corrupted["cut_diff"]),
        ]
    ).drop_duplicates(["pair", "size"])
    leads = sizes.merge(tried, on=["pair", "size"], how="left").set_index("pair")
    untried = ~leads.index.isin(tried["pair"])
    return leads["size"].notna() & ((leads["lead"] > ROUNDING) | untried)
