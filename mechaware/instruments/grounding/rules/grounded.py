"""Our rules G1 to G5, on gaps between prompts and on the blocks in which a schema word is read.

The tests of the rules come first, each with what it alone needs, then `GROUNDED`, the list of the
rules. What several of them read follows: the shares of cuts, the sets of blocks, and the gaps.

The table of cuts has one row per pair, mode (`denoise`, `noise`) and set of blocks: pair, mode,
kind, size, blocks ("1 3"), clean_diff, corrupted_diff, cut_diff. The kinds of sets:

- `single`: each block alone;
- `all`: all blocks;
- `top`: the first 1, 2, 3, 4, 8, ... blocks of the pair's ranking by c_b + n_b, where c_b is the
  share of the gap that block b alone recovers when denoised, and n_b the share that it removes when
  noised (`measuring`).
"""

import numpy as np
import pandas as pd

from mechaware.instruments.grounding.rules import (
    ROUNDING,
    PairMeasurements,
    Rule,
    Thresholds,
    Verdicts,
)

# How often random sets are drawn in G3. With the observed count a p-value is a multiple of
# 1 / 1000.
_DRAWS = 999


def _signed_gap(measurements: PairMeasurements, thresholds: Thresholds) -> Verdicts:
    """G1: the gap exceeds a null quantile: gap_i > Q(|e_1|, ..., |e_n|; `null_quantile`).

    e_j is the effect, in logits, of an irrelevant change in pair j, the type of one column. A model
    that prefers the word which is *not* in the schema has a negative gap and fails.
    """
    effects = _irrelevant_effect(measurements.answers)
    bound = effects.abs().quantile(thresholds.null_quantile)
    return (_schema_gap(measurements.answers) > bound + ROUNDING).loc[measurements.pairs]


def _set_of_blocks(measurements: PairMeasurements, thresholds: Thresholds) -> Verdicts:
    """G2: a set of blocks recovers `alpha` of the gap when denoised, and removes it when noised.

    If its words have equally many tokens, all blocks together do so in every pair with a gap.
    Models therefore differ in the size of the set (exhibits/grounding/verdicts.py,
    `block_set_table`). If noising needs more blocks than denoising, the reading is redundant: one
    block can replace another.
    """
    return block_sets(measurements.cuts, thresholds.alpha)["size"].notna().loc[measurements.pairs]


def _shared_block(measurements: PairMeasurements, thresholds: Thresholds) -> Verdicts:
    """G3: the pair's set has the block b* that most pairs' sets have, if its count is significant.

    Count(b) is the number of pairs whose set has b, and b* the earliest block with the largest
    count. Its count is significant if p <= `significance` (`_shared_block_p_value`). A set of all
    blocks has b* by construction: such a pair is not asked, which counts as a pass whatever p is,
    and its set is left out of the counts.
    """
    sets = block_sets(measurements.cuts, thresholds.alpha)
    n_blocks = int(measurements.cuts["size"].max())
    not_asked = sets["size"] == n_blocks
    asked = sets[~not_asked]

    shared_block = most_common_block(asked)
    if shared_block is None or _shared_block_p_value(asked, n_blocks) > thresholds.significance:
        return not_asked.loc[measurements.pairs]

    has_shared_block = sets["blocks"].map(lambda blocks: shared_block in _numbers(blocks))
    return (has_shared_block | not_asked).loc[measurements.pairs]


def _shared_block_p_value(sets: pd.DataFrame, n_blocks: int) -> float:
    """The p-value of the largest count of a block, against random sets of the same sizes.

    p = (1 + number of draws with max_b Count(b) at least the observed one) / (1 + `_DRAWS`)

    A draw has a random set of the same size, out of `n_blocks` blocks, for every pair with a set.
    The largest count over all blocks is compared on both sides, so that choosing the block by its
    count is accounted for. p is 1 if no pair has a set.

    Blocks get random ranks from 0; a random set of k blocks has those with a rank below k. One draw
    for two pairs with sets of 2 and 1 of 4 blocks:

        ranks of the blocks    block is in the pair's set
        2 0 3 1                0 1 0 1
        0 2 1 3                1 0 0 0
                       Count:  1 1 0 1, so the largest count is 1
    """
    counts = _block_counts(sets)
    if counts.empty:
        return 1.0

    sizes = sets["size"].dropna().astype(int).to_numpy()
    # The seed is fixed: the same cuts have the same verdict under every seed of the config.
    uniform = np.random.default_rng(0).random((_DRAWS, len(sizes), n_blocks))
    ranks = uniform.argsort(axis=2)  # draw x pair x block; each row is a random permutation
    in_set = ranks < sizes[:, None]
    largest_counts = in_set.sum(axis=1).max(axis=1)
    n_reaching = (largest_counts >= counts.max()).sum()
    return float((1 + n_reaching) / (1 + _DRAWS))


def _asked_column(measurements: PairMeasurements, thresholds: Thresholds) -> Verdicts:
    """G4: (a) only the asked column has an effect, and (b) another fitting word is brought out.

    (a) Exchanging a word moves its own logit. A word that is not asked for may move its logit by at
    most a share of what an asked word moves its own:

        |unasked| <= `unasked_share` * |asked|
        unasked = (effect of exchanging an unasked column) / 2, since two such words are exchanged
        asked = gap / 2        if the corrupted word answers its own prompt (synonyms): the gap
                               counts two asked words
              = gap - unasked  otherwise (scrambles): it counts an asked and an unasked word

    (b) In the blocks of the pair's set (G2), the clean run gets the keys and values of another word
    that the request may mean: the third word where the pair has one, else the corrupted word if it
    answers its own prompt. That word's logit must then exceed the clean word's. A pair without such
    a word is judged only by (a), and a pair without a set fails.

    The limit of this rule is (a). Let a word's logit be s if it is listed, plus r if the request
    may mean it, with s > r. Such a model answers every prompt by the schema. But an unasked word
    moves its logit by s, as an asked one does, and every pair fails. So (a) refuses a model that
    raises all columns alike, even where its answers rest on that.
    """
    gap = _schema_gap(measurements.answers)
    unasked = _unasked_gap(measurements.answers) / 2
    is_synonym = gap.index.isin(_answered_when_corrupted(measurements.answers))
    asked = (gap / 2).where(is_synonym, gap - unasked)
    specific = unasked.abs() <= thresholds.unasked_share * asked.abs() + ROUNDING
    return (specific & _brings_out(measurements, thresholds.alpha)).loc[measurements.pairs]


def _answered_when_corrupted(answers: pd.DataFrame) -> pd.Series:
    """The pairs whose corrupted word is a right answer to its own prompt."""
    corrupted = answers[answers["prompt"] == "corrupted"]
    return corrupted.loc[corrupted["wanted"] != "", "pair"]


def _brings_out(measurements: PairMeasurements, alpha: float) -> pd.Series:
    """Whether another fitting word comes out above the clean word, by pair.

    False for a pair without a set of blocks; else True for a pair without another fitting word.
    """
    sizes = block_sets(measurements.cuts, alpha)["size"].reset_index()

    # lead = logit(other word) - logit(clean word), by pair and size of the top set.
    third = measurements.third_word_effects[["pair", "size", "third_diff"]]
    third = third.rename(columns={"third_diff": "lead"})
    noised = measurements.cuts.query("kind == 'top' and mode == 'noise'")
    noised = noised[noised["pair"].isin(_answered_when_corrupted(measurements.answers))]
    corrupted = noised[["pair", "size"]].assign(lead=-noised["cut_diff"])
    # The rows of third words come first: they are kept where a pair has both words.
    all_leads = pd.concat([third, corrupted]).drop_duplicates(["pair", "size"])

    leads = sizes.merge(all_leads, on=["pair", "size"], how="left").set_index("pair")
    has_set = leads["size"].notna()
    has_other_word = leads.index.isin(all_leads["pair"])
    return has_set & ((leads["lead"] > ROUNDING) | ~has_other_word)


def _right_answers(
    measurements: PairMeasurements,
    thresholds: Thresholds,  # noqa: ARG001 - the rule has no threshold
) -> Verdicts:
    """G5: every clean, third, corrupted and other prompt that wants an answer gets it.

    In these prompts the schema has one word that the request may mean. A model whose habit
    outweighs the schema fails. So does a model that answers by the schema alone: the other prompt
    has the same schema as the clean one and asks for another column.
    """
    answers = measurements.answers
    one_answer = answers[answers["prompt"].isin(["clean", "third", "corrupted", "other"])]
    one_answer = one_answer[one_answer["wanted"] != ""]
    is_right = one_answer["answer"] == one_answer["wanted"]
    all_right: pd.Series = is_right.groupby(one_answer["pair"]).all()
    return all_right.loc[measurements.pairs]


GROUNDED = (
    Rule(
        "g1",
        _signed_gap,
        ("null_quantile",),
        prompts=("irrelevant",),
        explanation="the word moves the answers' logit difference the right way, by more than "
        "{null_quantile:.0%} of irrelevant changes do",
    ),
    Rule(
        "g2",
        _set_of_blocks,
        ("alpha",),
        explanation="in some set of blocks the word's keys and values restore {alpha:.0%} of the "
        "move, and take as much away",
    ),
    Rule(
        "g3",
        _shared_block,
        ("alpha", "significance"),
        explanation="the pair's set has the block that most pairs' sets have, in more pairs than "
        "chance gives",
    ),
    Rule(
        "g4",
        _asked_column,
        ("alpha", "unasked_share"),
        prompts=("unasked",),
        explanation="an option that is not asked for moves its logit by at most "
        "{unasked_share:.0%} of what the asked one does, and another word's keys and values bring "
        "out that word",
    ),
    Rule(
        "g5",
        _right_answers,
        (),
        prompts=("other",),
        explanation="every prompt with one right answer gets it, also the request for another "
        "option",
    ),
)


def cut_shares(cuts: pd.DataFrame) -> pd.Series:
    """The share of the gap that each row recovers (denoising) or removes (noising), not capped.

        recovered = (cut - corrupted) / (clean - corrupted)
        removed = (clean - cut) / (clean - corrupted)

    Missing where there is no gap.
    """
    gap = cuts["clean_diff"] - cuts["corrupted_diff"]
    recovered = (cuts["cut_diff"] - cuts["corrupted_diff"]) / gap
    removed = (cuts["clean_diff"] - cuts["cut_diff"]) / gap
    # Dividing by no gap gives infinities or NaN, which the last line makes missing.
    shares = recovered.where(cuts["mode"] == "denoise", removed)
    return shares.where(gap.abs() > ROUNDING)


def block_sets(cuts: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """The smallest top set of each pair that both recovers and removes at least `alpha` of the gap.

    One row per pair, in the order of `cuts`. Columns: denoise_size and noise_size (the blocks of
    the smallest top set that recovers `alpha`, and of the smallest that removes it; missing where
    none does), size (the larger of the two; missing where either is) and blocks (the top set of
    that size; "" where missing).

    With `alpha` 0.8, the rows of one pair

        size  blocks   share recovered  share removed
        1     3        0.9              0.4
        2     1 3      1.0              0.9

    give denoise_size 1, noise_size 2, size 2 and blocks "1 3".
    """
    top = cuts[cuts["kind"] == "top"]
    reaching = top[cut_shares(top) >= alpha - ROUNDING]
    smallest = reaching.groupby(["pair", "mode"])["size"].min().unstack("mode")
    # A pair or a mode without a set has no row or column there.
    by_mode = smallest.reindex(index=cuts["pair"].unique(), columns=["denoise", "noise"])
    size = by_mode.max(axis=1).where(by_mode.notna().all(axis=1))

    blocks_of = top.drop_duplicates(["pair", "size"]).set_index(["pair", "size"])["blocks"]
    sets = pd.DataFrame(
        {
            "denoise_size": by_mode["denoise"],
            "noise_size": by_mode["noise"],
            "size": size,
            "blocks": [blocks_of.get(pair_and_size, "") for pair_and_size in size.items()],
        }
    )
    return sets.rename_axis("pair")


def most_common_block(sets: pd.DataFrame) -> int | None:
    """The block in most pairs' sets, the earliest on a tie; None if no pair has a set."""
    counts = _block_counts(sets)
    if counts.empty:
        return None
    return int(counts.index[counts == counts.max()].min())


def most_common_set(sets: pd.DataFrame) -> str:
    """The commonest set, for instance "1 3"; "" if no pair has a set.

    On a tie it is the first of the sets in the order of their numbers: "1 3" before "2".
    """
    counts = sets.loc[sets["blocks"] != "", "blocks"].value_counts()
    commonest = counts.index[counts == counts.max()]
    return min(commonest, key=_numbers, default="")


def _numbers(blocks: str) -> list[int]:
    """The blocks of a set: "1 10" -> [1, 10]. As texts, "10" would be before "2"."""
    return [int(block) for block in blocks.split()]


def _block_counts(sets: pd.DataFrame) -> pd.Series:
    """In how many pairs' sets each block is, by block; blocks in no set are left out."""
    return sets["blocks"].str.split().explode().dropna().astype(int).value_counts()


def _schema_gap(answers: pd.DataFrame) -> pd.Series:
    """The gap of each pair, in logits.

    logit(clean word) - logit(corrupted word) on the clean prompt, minus that on the corrupted one.
    """
    return _difference(answers, "corrupted", "diff")


def _irrelevant_effect(answers: pd.DataFrame) -> pd.Series:
    """The effect of an irrelevant change in each pair, the type of one column, in logits.

    logit(clean word) - logit(corrupted word) on the clean prompt, minus that on the changed one.
    """
    return _difference(answers, "irrelevant", "diff")


def _unasked_gap(answers: pd.DataFrame) -> pd.Series:
    """The effect of exchanging an unasked column in each pair, in logits.

    logit(column) - logit(its replacement) on the clean prompt, minus that on the exchanged one.
    """
    return _difference(answers, "unasked", "unasked_diff")


def _difference(answers: pd.DataFrame, changed: str, column: str) -> pd.Series:
    """`column` of the clean prompt minus that of the prompt `changed`, by pair.

    The pairs are in the order of `answers`.
    """
    values = answers.pivot(index="pair", columns="prompt", values=column)
    values = values.loc[answers["pair"].unique()]
    return values["clean"] - values[changed]
