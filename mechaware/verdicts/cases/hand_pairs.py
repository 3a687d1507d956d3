"""Tables of measurements of pairs, from shares of the logit gap that are chosen by hand."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from mechaware.instruments.grounding.rules import PairMeasurements, Thresholds

N_BLOCKS = 3
_Row = dict[str, object]
_PATCHING_COLUMNS = ["pair", "category", "layer", "clean_diff", "corrupted_diff", "patched_diff"]
_CUTS_COLUMNS = [
    "pair",
    "category",
    "mode",
    "kind",
    "size",
    "blocks",
    "clean_diff",
    "corrupted_diff",
    "cut_diff",
]
_ANSWERS_COLUMNS = [
    "pair",
    "category",
    "place",
    "prompt",
    "wanted",
    "answer",
    "first",
    "most_likely",
    "options_probability",
    "likeliest",
    "diff",
    "unasked_diff",
]
_THIRD_WORD_COLUMNS = ["pair", "size", "third_diff"]
_RESIDUAL_MAP_COLUMNS = ["pair", "position", "layer", "recovered"]
THRESHOLDS = Thresholds(
    tau=0.4, alpha=0.9, null_quantile=0.95, unasked_share=0.5, significance=0.05
)


class HandPair(NamedTuple):
    """The measurements of one pair, as chosen. Six pairs with the default values pass all rules.

    `diff` of a prompt is logit(clean word) - logit(corrupted word). The gap of the pair is
    `clean` - `corrupted`.

    - `category`, `place`: as in the pairs of the study.
    - `clean`, `corrupted`: `diff` of the clean and of the corrupted prompt.
    - `irrelevant`: diff(clean) - diff(prompt with another column type).
    - `unasked`: unasked_diff(clean) - unasked_diff(prompt with another column that is not asked
      for), where `unasked_diff` is logit(old option) - logit(new option).
    - `patched`: the shares of the gap that denoising recovers after blocks 1, 2 and 3.
    - `ranking`: the blocks, best first; the top set of size k has the first k.
    - `recovered`, `removed`: the shares of the gap that the top sets of size 1, 2 and 3 recover
      (denoising) and remove (noising).
    - `third`: logit(third word) - logit(clean word) by the size of the top set, from 1; empty for a
      pair without a third word.
    - `answer`: the answer to every prompt but `other`. "price" is right.
    - `other_answer`: the answer to the prompt `other`.
    - `options_probability`: the probability of all options together, on every prompt; the likeliest
      token is a line feed.
    """

    category: str = "db_synonyms"
    place: int = 2
    clean: float = 2.0
    corrupted: float = -2.0
    irrelevant: float = 0.0
    unasked: float = 0.0
    patched: tuple[float, ...] = (1.0, 0.5, 0.0)
    ranking: tuple[int, ...] = (2, 1, 3)
    recovered: tuple[float, ...] = (1.0, 1.0, 1.0)
    removed: tuple[float, ...] = (1.0, 1.0, 1.0)
    third: tuple[float, ...] = ()
    answer: str = "price"
    other_answer: str = "price"
    options_probability: float = 0.75


def pair_measurements(pairs: Mapping[str, HandPair]) -> PairMeasurements:
    """The tables that the rules read, for pairs by name, in the order of the pairs.

    The map of the residual stream, which no rule reads, is empty.
    """
    patching: list[_Row] = []
    cuts: list[_Row] = []
    answers: list[_Row] = []
    third_word_effects: list[_Row] = []
    for name, pair in pairs.items():
        patching += _patching(name, pair)
        cuts += _cuts(name, pair)
        answers += _answers(name, pair)
        third_word_effects += _third_word_effects(name, pair)
    return PairMeasurements(
        patching=pd.DataFrame(patching, columns=_PATCHING_COLUMNS),
        cuts=pd.DataFrame(cuts, columns=_CUTS_COLUMNS),
        answers=pd.DataFrame(answers, columns=_ANSWERS_COLUMNS),
        third_word_effects=pd.DataFrame(third_word_effects, columns=_THIRD_WORD_COLUMNS),
        residual_map=pd.DataFrame([], columns=_RESIDUAL_MAP_COLUMNS),
    )


def several(**changed: HandPair) -> dict[str, HandPair]:
    """Six pairs that pass all rules, named p0 to p5, and the pairs in `changed`.

    A changed pair named p0 to p5 replaces that pair; the others follow.
    """
    return {f"p{i}": HandPair() for i in range(6)} | changed


def _patching(name: str, pair: HandPair) -> list[_Row]:
    """The pair's rows of `patching`: layer 0, the embeddings, recovers the whole gap."""
    gap = pair.clean - pair.corrupted
    rows: list[_Row] = []
    for layer, share in enumerate((1.0, *pair.patched)):
        rows.append(
            {
                "pair": name,
                "category": pair.category,
                "layer": layer,
                "clean_diff": pair.clean,
                "corrupted_diff": pair.corrupted,
                "patched_diff": pair.corrupted + share * gap,
            }
        )
    return rows


class _BlockSet(NamedTuple):
    """A set of blocks, and its share of the gap.

    - `kind`: "single", "all" or "top".
    - `blocks`: the blocks, from 1, in rising order.
    - `share`: the share of the gap that exchanging the blocks' keys and values recovers or removes.
    """

    kind: str
    blocks: tuple[int, ...]
    share: float


def _block_sets(pair: HandPair, shares: tuple[float, ...]) -> list[_BlockSet]:
    """All sets of a pair; `shares` has the share of the top set of each size, from 1.

    Of the single blocks the first in the ranking has the share of the top set of one block, and the
    others have 0. With the ranking 2, 1, 3 and the shares 0.5, 0.8, 1.0 the sets are

        single  1      0.0
        single  2      0.5
        single  3      0.0
        all     1 2 3  1.0
        top     2      0.5
        top     1 2    0.8
        top     1 2 3  1.0
    """
    all_blocks = tuple(range(1, N_BLOCKS + 1))
    sets = []
    for block in all_blocks:
        share = shares[0] if block == pair.ranking[0] else 0.0
        sets.append(_BlockSet("single", (block,), share))
    sets.append(_BlockSet("all", all_blocks, 1.0))
    for size in range(1, N_BLOCKS + 1):
        top = tuple(sorted(pair.ranking[:size]))
        sets.append(_BlockSet("top", top, shares[size - 1]))
    return sets


def _cuts(name: str, pair: HandPair) -> list[_Row]:
    """The pair's rows of `cuts`: each set of blocks, in denoising and in noising."""
    gap = pair.clean - pair.corrupted
    rows: list[_Row] = []
    for mode, shares in (("denoise", pair.recovered), ("noise", pair.removed)):
        for kind, blocks, share in _block_sets(pair, shares):
            # Denoising starts from the corrupted prompt, noising from the clean one.
            moved = share * gap
            cut_diff = pair.corrupted + moved if mode == "denoise" else pair.clean - moved
            rows.append(
                {
                    "pair": name,
                    "category": pair.category,
                    "mode": mode,
                    "kind": kind,
                    "size": len(blocks),
                    "blocks": " ".join(map(str, blocks)),
                    "clean_diff": pair.clean,
                    "corrupted_diff": pair.corrupted,
                    "cut_diff": cut_diff,
                }
            )
    return rows


def _answers(name: str, pair: HandPair) -> list[_Row]:
    """The pair's rows of `answers`, one for each prompt.

    9.0 and -9.0 are differences that no rule reads. No rule reads `first` and `most_likely` either.
    """
    diff = {
        "clean": pair.clean,
        "corrupted": pair.corrupted,
        "unasked": -9.0,
        "irrelevant": pair.clean - pair.irrelevant,
        "other": 9.0,
    }

    # Rules read only clean - unasked: the value on the clean prompt is arbitrary.
    unasked_diff = dict.fromkeys(diff, 9.0)
    unasked_diff["clean"] = 0.3
    unasked_diff["unasked"] = 0.3 - pair.unasked

    wanted = dict.fromkeys(diff, "price")
    # Only in a pair of synonyms is the corrupted word a right answer to its own prompt.
    if not pair.category.endswith("synonyms"):
        wanted["corrupted"] = ""

    answer = dict.fromkeys(diff, pair.answer)
    answer["other"] = pair.other_answer

    rows: list[_Row] = []
    for prompt in diff:
        rows.append(
            {
                "pair": name,
                "category": pair.category,
                "place": pair.place,
                "prompt": prompt,
                "wanted": wanted[prompt],
                "answer": answer[prompt],
                "first": "pet",
                "most_likely": False,
                "options_probability": pair.options_probability,
                "likeliest": "\n",
                "diff": diff[prompt],
                "unasked_diff": unasked_diff[prompt],
            }
        )
    return rows


def _third_word_effects(name: str, pair: HandPair) -> list[_Row]:
    """The pair's rows of `third_word_effects`, one for each size of the top set."""
    rows: list[_Row] = []
    for size, diff in enumerate(pair.third, start=1):
        rows.append({"pair": name, "size": size, "third_diff": diff})
    return rows
