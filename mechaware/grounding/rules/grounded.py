"""Our rules G1 to G5, and what they read: gaps between prompts, and the set of blocks in which a schema word is read.

The table of cuts has one row per pair, mode (`denoise`, `noise`) and set of blocks: pair, mode, kind, size, blocks
("1 3"), clean_diff, corrupted_diff, cut_diff. Of the kinds, `single` is each block alone, `all` all blocks, and `top`
the first 1, 2, ... blocks of the pair's ranking by c_b + n_b, the shares of the gap that block b alone recovers and
removes.
"""

import numpy as np
import pandas as pd

from mechaware.grounding.names import SYNONYMS
from mechaware.grounding.rules import ROUNDING, Measurements, Thresholds, Verdicts

_DRAWS = 999


def signed_gap(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """G1: the gap exceeds the `null_quantile` of the sizes of the effects of an exchanged column type on the pairs.

    A model that prefers the word which is *not* in the schema has a negative gap and fails.
    """
    bound = _irrelevant_effect(measured.answers).abs().quantile(thresholds.null_quantile)
    return (_schema_gap(measured.answers) > bound + ROUNDING).loc[measured.pairs]


def few_blocks(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """G2: at most `most_blocks` blocks recover `alpha` of the gap when denoised, and remove it when noised.

    Where noising needs more blocks than denoising the reading is redundant: some block can replace another.
    """
    return (block_sets(measured.cuts, thresholds.alpha)["size"] <= thresholds.most_blocks).loc[measured.pairs]


def shared_block(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """G3: the block that is in most pairs' sets is in this pair's, shared by so many pairs at `significance`."""
    sets = block_sets(measured.cuts, thresholds.alpha)
    shared, n_blocks = most_common_block(sets), int(measured.cuts["size"].max())
    if shared is None or _shared_block_p_value(sets, n_blocks) > thresholds.significance:
        return pd.Series(False, index=measured.pairs)
    return sets["blocks"].map(lambda blocks: str(shared) in blocks.split()).loc[measured.pairs]


def _shared_block_p_value(sets: pd.DataFrame, n_blocks: int) -> float:
    """The p-value of the most common block's count, against sets of the same sizes drawn from `n_blocks` blocks.

    The largest count over all blocks is compared with the largest count of each of `_DRAWS` draws, so that choosing the
    block by its count is accounted for.
    """
    counts = _block_counts(sets)
    if counts.empty:
        return 1.0
    sizes = sets["size"].dropna().astype(int).to_numpy()
    ranks = np.random.default_rng(0).random((_DRAWS, len(sizes), n_blocks)).argsort(axis=2)
    drawn = (ranks < sizes[:, None]).sum(axis=1).max(axis=1)
    return float((1 + (drawn >= counts.max()).sum()) / (1 + _DRAWS))


def asked_column(measured: Measurements, thresholds: Thresholds) -> Verdicts:
    """G4: only the asked column counts, and the keys and values of another word that fits bring out that word.

    The exchange of a column that is not asked for moves its own logits by at most `unasked_share` of the gap. Into the
    clean run the blocks of the pair's set (G2) then get the keys and values of another word that the request may mean:
    the third word where the pair has one, else the corrupted word of a synonym category. That word must come out above
    the clean one. A pair without such a word is judged by the first part alone.
    """
    gap, unasked = _schema_gap(measured.answers), _unasked_gap(measured.answers)
    specific = unasked.abs() <= thresholds.unasked_share * gap.abs() + ROUNDING
    return (specific & _brings_out(measured, thresholds.alpha)).loc[measured.pairs]


def _brings_out(measured: Measurements, alpha: float) -> pd.Series:
    """Whether another fitting word comes out above the clean one, by pair; False for a pair without a set of blocks."""
    sizes = block_sets(measured.cuts, alpha)["size"].rename("size").reset_index()
    corrupted = measured.cuts[(measured.cuts["kind"] == "top") & (measured.cuts["mode"] == "noise")]
    corrupted = corrupted[corrupted["category"].isin(SYNONYMS)]
    # logit(other word) - logit(clean), of the word that is tried: the third one before the corrupted one.
    tried = pd.concat(
        [
            measured.third_word_effects[["pair", "size", "third_diff"]].rename(columns={"third_diff": "lead"}),
            corrupted[["pair", "size"]].assign(lead=-corrupted["cut_diff"]),
        ]
    ).drop_duplicates(["pair", "size"])
    leads = sizes.merge(tried, on=["pair", "size"], how="left").set_index("pair")
    untried = ~leads.index.isin(tried["pair"])
    return leads["size"].notna() & ((leads["lead"] > ROUNDING) | untried)


def right_answers(measured: Measurements, thresholds: Thresholds) -> Verdicts:  # noqa: ARG001 - no threshold
    """G5: the answer is the wanted column in the clean prompt, the third one and, of synonyms, the corrupted one.

    These are the prompts whose schema has one word that the request may mean. A model whose habit outweighs the schema
    fails, however exactly its gap can be traced.
    """
    asked = measured.answers[measured.answers["prompt"].isin(["clean", "third", "corrupted"])]
    asked = asked[asked["wanted"] != ""]
    right: pd.Series = (asked["answer"] == asked["wanted"]).groupby(asked["pair"]).all()
    return right.loc[measured.pairs]


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
    counts = _block_counts(sets)
    return int(counts.index[counts == counts.max()].min()) if len(counts) else None


def most_common_set(sets: pd.DataFrame) -> str:
    """The set of most pairs, for instance "1 3", that of the earliest blocks on a tie; "" if no pair has a set."""
    counts = sets.loc[sets["blocks"] != "", "blocks"].value_counts()
    return min(counts.index[counts == counts.max()], key=_numbers, default="")


def _numbers(blocks: str) -> list[int]:
    return [int(block) for block in blocks.split()]


def _block_counts(sets: pd.DataFrame) -> pd.Series:
    """In how many pairs' sets each block is, by block; blocks in no set are left out."""
    return sets["blocks"].str.split().explode().dropna().astype(int).value_counts()


def _schema_gap(answers: pd.DataFrame) -> pd.Series:
    """The gap of each pair, in logits: logit(clean) - logit(corrupted) on the clean prompt minus the corrupted one."""
    return _difference(answers, "corrupted", "diff")


def _irrelevant_effect(answers: pd.DataFrame) -> pd.Series:
    """The same difference of logits on the clean prompt minus that with one column's type changed."""
    return _difference(answers, "irrelevant", "diff")


def _unasked_gap(answers: pd.DataFrame) -> pd.Series:
    """The gap of a column that is not asked for: logit(it) - logit(its replacement), before and after the exchange."""
    return _difference(answers, "unasked", "unasked_diff")


def _difference(answers: pd.DataFrame, changed: str, column: str) -> pd.Series:
    values = answers.pivot(index="pair", columns="prompt", values=column).loc[answers["pair"].unique()]
    return values["clean"] - values[changed]
