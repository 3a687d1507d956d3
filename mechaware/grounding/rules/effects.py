"""What several rules read: gaps between prompts, and the set of blocks in which a schema word is read.

The table of cuts has one row per pair, mode (`denoise`, `noise`) and set of blocks: pair, mode, kind, size, blocks
("1 3"), clean_diff, corrupted_diff, cut_diff. Of the kinds, `single` is each block alone, `all` all blocks, and `top`
the first 1, 2, ... blocks of the pair's ranking by c_b + n_b, the shares of the gap that block b alone recovers and
removes.
"""

import pandas as pd

from mechaware.grounding.rules.recovery import ROUNDING


def cut_shares(cuts: pd.DataFrame) -> pd.Series:
    """The share of the gap that each row recovers (denoising) or removes (noising); missing where there is no gap."""
    gap = cuts["clean_diff"] - cuts["corrupted_diff"]
    recovered = (cuts["cut_diff"] - cuts["corrupted_diff"]) / gap
    removed = (cuts["clean_diff"] - cuts["cut_diff"]) / gap
    shares = recovered.where(cuts["mode"] == "denoise", removed)
    return shares.where(gap.abs() > ROUNDING)


def block_sets(cuts: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """The smallest of each pair's top sets that recovers, and that removes, at least `alpha` of the gap.

    One row per pair, in the order of `cuts`: denoise_size and noise_size (numbers of blocks; missing where no top set
    reaches `alpha`), size (the larger of the two; missing where either is) and blocks (that set, "" where missing).
    """
    top = cuts[cuts["kind"] == "top"]
    reaching = top[cut_shares(top) >= alpha - ROUNDING]
    sizes = reaching.groupby(["pair", "mode"])["size"].min().unstack("mode").reindex(cuts["pair"].unique())
    sizes = sizes.reindex(columns=["denoise", "noise"])
    size = sizes.max(axis=1).where(sizes.notna().all(axis=1))
    blocks = top.drop_duplicates(["pair", "size"]).set_index(["pair", "size"])["blocks"]
    names = [blocks.get((pair, number), "") for pair, number in size.items()]
    return pd.DataFrame(
        {"denoise_size": sizes["denoise"], "noise_size": sizes["noise"], "size": size, "blocks": names}
    ).rename_axis("pair")


def most_common_block(sets: pd.DataFrame) -> int | None:
    """The block that is in the sets of most pairs, the earliest on a tie; None if no pair has a set."""
    counts = block_counts(sets)
    return int(counts.index[counts == counts.max()].min()) if len(counts) else None


def most_common_set(sets: pd.DataFrame) -> str:
    """The set of most pairs, for instance "1 3", that of the earliest blocks on a tie; "" if no pair has a set."""
    counts = sets.loc[sets["blocks"] != "", "blocks"].value_counts()
    return min(counts.index[counts == counts.max()], key=_numbers, default="")


def _numbers(blocks: str) -> list[int]:
    return [int(block) for block in blocks.split()]


def block_counts(sets: pd.DataFrame) -> pd.Series:
    """In how many pairs' sets each block is, by block; blocks in no set are left out."""
    return sets["blocks"].str.split().explode().dropna().astype(int).value_counts()


def schema_gap(answers: pd.DataFrame) -> pd.Series:
    """The gap of each pair, in logits: logit(clean) - logit(corrupted) on the clean prompt minus the corrupted one."""
    return _difference(answers, "corrupted", "diff")


def irrelevant_effect(answers: pd.DataFrame) -> pd.Series:
    """The same difference of logits on the clean prompt minus that with one column's type changed."""
    return _difference(answers, "irrelevant", "diff")


def unasked_gap(answers: pd.DataFrame) -> pd.Series:
    """The gap of a column that is not asked for: logit(it) - logit(its replacement), before and after the exchange."""
    return _difference(answers, "unasked", "unasked_diff")


def _difference(answers: pd.DataFrame, changed: str, column: str) -> pd.Series:
    values = answers.pivot(index="pair", columns="prompt", values=column).loc[answers["pair"].unique()]
    return values["clean"] - values[changed]
