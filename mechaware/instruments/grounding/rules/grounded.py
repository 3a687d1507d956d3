"""Our rules G1 to G5, on the gaps between prompts and the set of blocks in which a schema word is read.

The table of cuts has one row per pair, mode (`denoise`, `noise`) and set of blocks: pair, mode, kind, size, blocks
("1 3"), clean_diff, corrupted_diff, cut_diff. Of the kinds, `single` is each block alone, `all` all blocks, and `top`
the first 1, 2, ... blocks of the pair's ranking by c_b + n_b, the shares of the gap that block b alone recovers and
removes.
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

_DRAWS = 999  # with the observed count, a p-value is a multiple of 1 / 1000


def _signed_gap(measurements: PairMeasurements, thresholds: Thresholds) -> Verdicts:
    """G1: the gap exceeds a null quantile: gap_i > Q(|e_1|, ..., |e_n|; `null_quantile`).

    e_j is the effect, in logits, of changing one column type in pair j. A model that prefers the word which is *not* in
    the schema has a negative gap and fails.
    """
    bound = _irrelevant_effect(measurements.answers).abs().quantile(thresholds.null_quantile)
    return (_schema_gap(measurements.answers) > bound + ROUNDING).loc[measurements.pairs]


def _set_of_blocks(measurements: PairMeasurements, thresholds: Thresholds) -> Verdicts:
    """G2: a set of blocks recovers `alpha` of the gap when denoised, and removes it when noised.

    All blocks together do so in every pair with a gap (if its words have equally many tokens), so what tells models
    apart is the size of the set (exhibits/grounding/verdicts.py, `block_set_table`). Where noising needs more blocks
    than denoising, the reading is redundant: some block can replace another.
    """
    return block_sets(measurements.cuts, thresholds.alpha)["size"].notna().loc[measurements.pairs]


def _shared_block(measurements: PairMeasurements, thresholds: Thresholds) -> Verdicts:
    """G3: the pair's set holds the block b* that most pairs' sets hold, if its count is significant.

    Count(b) is the number of pairs whose set holds b, and b* the earliest block with the largest count. Every pair
    fails unless p <= `significance` (`_shared_block_p_value`). A set of all blocks holds b* by construction: such a
    pair is not asked, which counts as a pass, and is left out of the counts.
    """
    sets = block_sets(measurements.cuts, thresholds.alpha)
    n_blocks = int(measurements.cuts["size"].max())
    not_asked = sets["size"] == n_blocks
    asked = sets[~not_asked]

    shared = most_common_block(asked)
    if shared is None or _shared_block_p_value(asked, n_blocks) > thresholds.significance:
        return not_asked.loc[measurements.pairs]

    holds = sets["blocks"].map(lambda blocks: shared in _numbers(blocks))
    return (holds | not_asked).loc[measurements.pairs]


def _shared_block_p_value(sets: pd.DataFrame, n_blocks: int) -> float:
    """The p-value of the most common block's count, against sets of the same sizes drawn from `n_blocks` blocks.

    p = (1 + number of draws with max_b Count(b) at least the observed one) / (1 + `_DRAWS`). The largest count over all
    blocks is compared on both sides, so that choosing the block by its count is accounted for.

    One draw for two pairs with sets of 2 and 1 of 4 blocks:

        permutation of the blocks    in the pair's set    pairs whose set holds the block
        2 0 3 1                      0 1 0 1              1 1 0 1, so the largest count is 1
        0 2 1 3                      1 0 0 0
    """
    counts = _block_counts(sets)
    if counts.empty:
        return 1.0

    sizes = sets["size"].dropna().astype(int).to_numpy()
    # The seed is fixed: the same cuts have the same verdict under every seed of the config.
    uniform = np.random.default_rng(0).random((_DRAWS, len(sizes), n_blocks))
    permutations = uniform.argsort(axis=2)
    in_set = permutations < sizes[:, None]
    largest_counts = in_set.sum(axis=1).max(axis=1)
    n_reaching = (largest_counts >= counts.max()).sum()
    return float((1 + n_reaching) / (1 + _DRAWS))


def _asked_column(measurements: PairMeasurements, thresholds: Thresholds) -> Verdicts:
    """G4: (a) only the asked column has an effect, and (b) another fitting word's keys and values bring out that word.

    (a) A word that is not asked for moves its own logit by at most `unasked_share` of what an asked one moves its own.
    The exchange of an unasked column counts two such words. The gap counts two asked words where the corrupted word
    answers its own prompt (synonyms), else an asked and an unasked one (scrambles): asked = gap / 2, or gap - unasked.
    (b) In the blocks of the pair's set (G2) the clean run gets the keys and values of another word that the request may
    mean: the third word where the pair has one, else the corrupted word if it answers its own prompt. That word's logit
    must then exceed the clean word's. A pair without such a word is judged only by (a).

    (a) is a limit of this rule. Let a word's logit be s if it is listed, plus r if the request may mean it. With s > r
    such a model answers every prompt by the schema, but an unasked word moves its logit by s, as an asked one does, and
    every pair fails. (a) thus refuses what raises all columns alike even where an answer rests on it.
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
    """Whether another fitting word comes out above the clean one, by pair.

    True for a pair without another fitting word, and False for a pair without a set of blocks.
    """
    sizes = block_sets(measurements.cuts, alpha)["size"].reset_index()

    # lead = logit(other word) - logit(clean word), by pair and size of the top set.
    third = measurements.third_word_effects[["pair", "size", "third_diff"]]
    third = third.rename(columns={"third_diff": "lead"})
    noised = measurements.cuts.query("kind == 'top' and mode == 'noise'")
    noised = noised[noised["pair"].isin(_answered_when_corrupted(measurements.answers))]
    corrupted = noised[["pair", "size"]].assign(lead=-noised["cut_diff"])
    # The third word's rows come first: they are kept where a pair has both.
    tried = pd.concat([third, corrupted]).drop_duplicates(["pair", "size"])

    leads = sizes.merge(tried, on=["pair", "size"], how="left").set_index("pair")
    untried = ~leads.index.isin(tried["pair"])
    return leads["size"].notna() & ((leads["lead"] > ROUNDING) | untried)


def _right_answers(measurements: PairMeasurements, thresholds: Thresholds) -> Verdicts:  # noqa: ARG001 - no threshold
    """G5: the answer is the wanted one in the clean, third, corrupted and other prompt, where a pair has them.

    In these prompts the schema has one word that the request may mean. A model whose habit outweighs the schema fails.
    So does a model that answers by the schema alone: the other prompt has the same schema and asks for another column.
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
        explanation="the word moves the answers' logit difference the right way, by more than {null_quantile:.0%} of "
        "irrelevant changes do",
    ),
    Rule(
        "g2",
        _set_of_blocks,
        ("alpha",),
        explanation="in some set of blocks the word's keys and values restore {alpha:.0%} of the move, and take as "
        "much away",
    ),
    Rule(
        "g3",
        _shared_block,
        ("alpha", "significance"),
        explanation="the pair's set has the block that most pairs' sets have, in more pairs than chance gives",
    ),
    Rule(
        "g4",
        _asked_column,
        ("alpha", "unasked_share"),
        prompts=("unasked",),
        explanation="an option that is not asked for moves its logit by at most {unasked_share:.0%} of what the asked "
        "one does, and another word's keys and values bring out that word",
    ),
    Rule(
        "g5",
        _right_answers,
        (),
        prompts=("other",),
        explanation="every prompt with one right answer gets it, also the request for another option",
    ),
)


def cut_shares(cuts: pd.DataFrame) -> pd.Series:
    """The share of the gap that each row recovers (denoising) or removes (noising); missing where there is no gap."""
    gap = cuts["clean_diff"] - cuts["corrupted_diff"]
    recovered = (cuts["cut_diff"] - cuts["corrupted_diff"]) / gap
    removed = (cuts["clean_diff"] - cuts["cut_diff"]) / gap
    # Dividing by no gap gives infinities or NaN, which the last line makes missing.
    shares = recovered.where(cuts["mode"] == "denoise", removed)
    return shares.where(gap.abs() > ROUNDING)


def block_sets(cuts: pd.DataFrame, alpha: float) -> pd.DataFrame:
    """The smallest top set of each pair that both recovers and removes at least `alpha` of the gap.

    One row per pair, in the order of `cuts`: denoise_size and noise_size (numbers of blocks; missing where no top set
    reaches `alpha`), size (the larger of the two; missing where either is) and blocks (that set, "" where missing).

    With `alpha` 0.8, the rows of one pair

        size  blocks   share recovered  share removed
        1     3        0.9              0.4
        2     1 3      1.0              0.9

    give denoise_size 1, noise_size 2, size 2 and blocks "1 3".
    """
    top = cuts[cuts["kind"] == "top"]
    reaching = top[cut_shares(top) >= alpha - ROUNDING]
    smallest = reaching.groupby(["pair", "mode"])["size"].min().unstack("mode")
    by_mode = smallest.reindex(cuts["pair"].unique()).reindex(columns=["denoise", "noise"])
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
    """The block that is in the sets of most pairs, the earliest on a tie; None if no pair has a set."""
    counts = _block_counts(sets)
    if counts.empty:
        return None
    return int(counts.index[counts == counts.max()].min())


def most_common_set(sets: pd.DataFrame) -> str:
    """The commonest set, for instance "1 3"; on a tie, the set of the earliest blocks; "" if no pair has a set."""
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
    """The gap of each pair, in logits: logit(clean) - logit(corrupted) on the clean prompt minus the corrupted one."""
    return _difference(answers, "corrupted", "diff")


def _irrelevant_effect(answers: pd.DataFrame) -> pd.Series:
    """logit(clean) - logit(corrupted) on the clean prompt minus that on the prompt with one column's type changed."""
    return _difference(answers, "irrelevant", "diff")


def _unasked_gap(answers: pd.DataFrame) -> pd.Series:
    """The gap of an unasked column: logit(column) - logit(its replacement) on the clean prompt minus the exchanged."""
    return _difference(answers, "unasked", "unasked_diff")


def _difference(answers: pd.DataFrame, changed: str, column: str) -> pd.Series:
    """`column` of the clean prompt minus `column` of the prompt `changed`, by pair in the order of `answers`."""
    values = answers.pivot(index="pair", columns="prompt", values=column)
    values = values.loc[answers["pair"].unique()]
    return values["clean"] - values[changed]
