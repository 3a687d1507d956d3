"""Measurements of pairs by formulas: pairs whose gap is recovered, removed and moved in given shares."""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from mechaware.instruments.grounding.rules import PairMeasurements, Thresholds

N_BLOCKS = 3
THRESHOLDS = Thresholds(
    tau=0.4, alpha=0.9, null_quantile=0.95, unasked_share=0.5, significance=0.05
)


class HandPair(NamedTuple):
    """What is measured of one pair; as it is, in a run of several such pairs, all rules hold.

    `clean`, `corrupted`: logit(clean) - logit(corrupted) on the two prompts. `irrelevant` and `unasked`: the effects of
    another column type and of another column that is not asked for. `patched`: the shares of the gap that denoising
    recovers after blocks 1, 2 and 3. `ranking`: the blocks of the top sets; `recovered`, `removed`: their shares by the
    size of the set, 1 to 3. `third`: logit(third) - logit(clean) by size, for a pair with a third word.
    `answer` to all prompts but the other one, `other_answer` to that one; "price" is right.
    `options_probability`: of the options of every prompt; the likeliest token is a line feed.
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


def measured(pairs: Mapping[str, HandPair]) -> PairMeasurements:
    """The tables of the pairs, in their order."""
    tables = [
        pd.DataFrame(
            [row for name, pair in pairs.items() for row in rows(name, pair)], columns=columns
        )
        for rows, columns in (
            (
                _patching,
                ["pair", "category", "layer", "clean_diff", "corrupted_diff", "patched_diff"],
            ),
            (
                _cuts,
                [
                    "pair",
                    "category",
                    "mode",
                    "kind",
                    "size",
                    "blocks",
                    "clean_diff",
                    "corrupted_diff",
                    "cut_diff",
                ],
            ),
            (
                _answers,
                [
                    *(
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
                    ),
                    *("diff", "unasked_diff"),
                ],
            ),
            (_third_word_effects, ["pair", "size", "third_diff"]),
            (_no_map, ["pair", "position", "layer", "recovered"]),
        )
    ]
    return PairMeasurements(*tables)


def several(**changed: HandPair) -> dict[str, HandPair]:
    """Six pairs of which all rules hold, followed by the changed ones."""
    return {f"p{i}": HandPair() for i in range(6)} | changed


def _patching(name: str, pair: HandPair) -> list[tuple[object, ...]]:
    gap = pair.clean - pair.corrupted
    return [
        (name, pair.category, layer, pair.clean, pair.corrupted, pair.corrupted + share * gap)
        for layer, share in enumerate((1.0, *pair.patched))
    ]


def _cuts(name: str, pair: HandPair) -> list[tuple[object, ...]]:
    gap = pair.clean - pair.corrupted
    rows: list[tuple[object, ...]] = []
    for mode, shares in (("denoise", pair.recovered), ("noise", pair.removed)):
        # Of the single blocks the first of the ranking has the share of the top set of one block, the others none.
        sets: list[tuple[str, tuple[int, ...], float]] = [
            ("single", (block,), shares[0] * (block == pair.ranking[0]))
            for block in range(1, N_BLOCKS + 1)
        ]
        sets.append(("all", tuple(range(1, N_BLOCKS + 1)), 1.0))
        sets += [
            ("top", tuple(sorted(pair.ranking[:size])), shares[size - 1])
            for size in range(1, N_BLOCKS + 1)
        ]
        for kind, blocks, share in sets:
            diff = pair.corrupted + share * gap if mode == "denoise" else pair.clean - share * gap
            written = " ".join(map(str, blocks))
            rows.append(
                (
                    name,
                    pair.category,
                    mode,
                    kind,
                    len(blocks),
                    written,
                    pair.clean,
                    pair.corrupted,
                    diff,
                )
            )
    return rows


def _answers(name: str, pair: HandPair) -> list[tuple[object, ...]]:
    diffs = {
        "clean": (pair.clean, 0.3),
        "corrupted": (pair.corrupted, 9.0),
        "unasked": (-9.0, 0.3 - pair.unasked),
        "irrelevant": (pair.clean - pair.irrelevant, 9.0),
        "other": (9.0, 9.0),
    }
    wanted = dict.fromkeys(diffs, "price") | (
        {} if pair.category.endswith("synonyms") else {"corrupted": ""}
    )
    answer = dict.fromkeys(diffs, pair.answer) | {"other": pair.other_answer}
    return [
        (
            name,
            pair.category,
            pair.place,
            prompt,
            wanted[prompt],
            answer[prompt],
            "pet",
            False,
            pair.options_probability,
            "\n",
            *values,
        )
        for prompt, values in diffs.items()
    ]


def _third_word_effects(name: str, pair: HandPair) -> list[tuple[object, ...]]:
    return [(name, size, diff) for size, diff in enumerate(pair.third, start=1)]


def _no_map(_name: str, _pair: HandPair) -> list[tuple[object, ...]]:
    return []
