"""Committed cases of the verdict on a task: pairs at the boundaries of rules, and whole decisions.

The cases have thresholds of their own, whatever the verdict's are: the thresholds are settings of
the procedure.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mechaware.instruments.grounding.rules import Thresholds
from mechaware.instruments.grounding.rules.registry import RULES
from mechaware.instruments.grounding.tasks.decision import (
    DECIDING,
    SETS,
    SetResult,
    conclude,
    decide,
)
from mechaware.verdicts.cases.hand_pairs import THRESHOLDS, HandPair, pair_measurements
from mechaware.verdicts.procedure import digest

_SHARE = 0.5
_CONFIDENCE_LEVEL = 0.95
# Distances from a threshold, below and above the distance that still meets it (`ROUNDING`, 1e-6).
_WITHIN = 5e-7
_BEYOND = 4e-6
# G3's p-value where four pairs read in the same one of three blocks. Its draws are seeded; counted
# by hand it is 3 / 3^4 = 0.037.
_FOUR_AGREE = 0.039


class _Case(NamedTuple):
    """Pairs, and the thresholds by which rules judge them."""

    pairs: Sequence[HandPair]
    thresholds: Thresholds = THRESHOLDS


class _WholeCase(NamedTuple):
    """Pairs for a whole decision.

    - `missing_prompts`: the prompts whose answers are missing.
    - `answered`: by shortcut, how many of the first pairs it answers rightly.
    """

    pairs: Sequence[HandPair]
    missing_prompts: Sequence[str]
    answered: Mapping[str, int]


def reads_decisions() -> dict[str, str]:
    """By set of rules, the digest of what is decided on the committed cases."""
    passing = {}
    for name, cases in _CASES.items():
        passing[name] = [_passing(name, case) for case in cases()]
    whole = _whole_decisions()
    conclusions = _conclusions()
    digests = {}
    for name, rule_set in SETS.items():
        rule_outcomes = [passing[rule.name] for rule in rule_set.rules if rule.name in passing]
        digests[name] = digest([rule_outcomes, whole[name], conclusions[name]])
    return digests


def _passing(name: str, case: _Case) -> list[bool]:
    """Which pairs of a case pass the rule of this name."""
    rule = next(rule for rule in RULES if rule.name == name)
    passing: list[bool] = rule.passes(
        pair_measurements(_numbered(case.pairs)), case.thresholds
    ).tolist()
    return passing


def _whole_decisions() -> dict[str, list[Any]]:
    """By set of rules: which pairs pass each rule and the set, and what is decided from that.

    The first case has all prompts. In the second, two shortcuts answer some pairs, and the prompts
    of two rules are missing.
    """
    outcomes: dict[str, list[Any]] = {name: [] for name in SETS}
    # The first three patches are left out, which recover most after block 1. Of the others, five
    # recover most after block 1, one of them by a tie, and five after block 2.
    later_pairs = [*_patches()[3:], *[HandPair()] * 2, HandPair(corrupted=2.0)]
    whole_cases = (
        _WholeCase([*_gaps(), *_patches(), *_answers()], missing_prompts=[], answered={}),
        _WholeCase(
            later_pairs,
            missing_prompts=["irrelevant", "other"],
            answered={"first": 3, "last": 2},
        ),
    )
    for case in whole_cases:
        pairs = _numbered(case.pairs)
        tables = pair_measurements(pairs)
        answers = tables.answers[~tables.answers["prompt"].isin(case.missing_prompts)]
        for shortcut, count in case.answered.items():
            # Only clean prompts count for a shortcut.
            is_answered = answers["pair"].isin(list(pairs)[:count])
            is_clean = answers["prompt"] == "clean"
            answers = answers.assign(**{f"shortcut_{shortcut}": is_answered & is_clean})

        decision = decide(
            tables._replace(answers=answers),
            THRESHOLDS,
            verdict_share=_SHARE,
            confidence_level=_CONFIDENCE_LEVEL,
        )
        for result in decision.sets:
            columns = [rule.name for rule in SETS[result.rules].rules]
            columns.append(result.rules)
            passing = [decision.judged[name].tolist() for name in columns]
            outcomes[result.rules].append([passing, *_decided(result, decision.status)])
    return outcomes


def _conclusions() -> dict[str, list[Any]]:
    """By set of rules: what is decided from shares of passing pairs around `_SHARE`.

    With and without shortcuts, and with and without G4 among the asked rules.
    """
    all_rules = [rule.name for rule in RULES]
    all_but_g4 = [name for name in all_rules if name != "g4"]
    passing_of_all = ((5, 11), (6, 12), (6, 13), (6, 8), (6, 6), (0, 6))
    shares_of_shortcuts: tuple[dict[str, float], ...] = (
        {},
        {"first": 0.0},
        {"first": 0.125, "last": 0.25},
        {"first": 0.5},
        {"first": 1.0},
    )
    outcomes: dict[str, list[Any]] = {name: [] for name in SETS}
    for (n_passing, n), shortcuts, asked in product(
        passing_of_all, shares_of_shortcuts, (all_rules, all_but_g4)
    ):
        judged = pd.DataFrame(dict.fromkeys(SETS, np.arange(n) < n_passing))
        status, _, sets = conclude(
            judged, asked, shortcuts, verdict_share=_SHARE, confidence_level=_CONFIDENCE_LEVEL
        )
        for result in sets:
            outcomes[result.rules].append(_decided(result, status))
    return outcomes


def _decided(result: SetResult, status: str) -> list[Any]:
    """The numbers of a set that decide, and the status if it rests on the set."""
    status_by_set = status if result.rules == DECIDING else ""
    return [result.share, result.corrected, result.grounds, status_by_set]


def _gaps() -> list[HandPair]:
    """R1: gaps around tau, of either sign."""
    half = THRESHOLDS.tau / 2
    around = (0.0, -_WITHIN, -_BEYOND, 1.0)
    pairs = [HandPair(clean=half + more, corrupted=-half) for more in around]
    pairs += [HandPair(clean=-half, corrupted=half + more) for more in around]
    pairs.append(HandPair(clean=1.0, corrupted=1.0))
    return pairs


def _patches() -> list[HandPair]:
    """R2, R3: shares around alpha, layers that tie, a patch that moves the wrong way or too far."""
    alpha = THRESHOLDS.alpha
    around = (0.0, -_WITHIN / 4, -_BEYOND)
    pairs = [HandPair(patched=(alpha + more, 0.5, 0.0)) for more in around]
    pairs += [HandPair(patched=(0.2, alpha + more, 0.1)) for more in around]
    pairs += [
        HandPair(patched=(0.99995, 1.0, 0.0)),  # a tie: the earlier layer
        HandPair(patched=(0.9997, 1.0, 0.0)),  # no tie
        HandPair(patched=(0.0, 1.4, 1.2)),
        HandPair(patched=(0.0, 0.0, 0.95)),
        HandPair(patched=(0.0, 0.91, 0.95)),
        HandPair(patched=(-1.0, -0.5, 0.0)),
        HandPair(patched=(0.4, 0.3, 0.2)),
        HandPair(patched=(1.0, 0.0, 0.0), clean=-2.0, corrupted=2.0),
    ]
    return pairs


def _later_layers() -> list[HandPair]:
    """R3: most pairs recover most after block 2, the others after block 3 or block 1."""
    after_second = HandPair(patched=(0.2, 1.0, 0.1))
    return [
        after_second,
        after_second,
        after_second,
        HandPair(patched=(0.0, 0.0, 0.95)),
        HandPair(patched=(0.0, 0.91, 0.95)),
        HandPair(),
    ]


def _irrelevant_effects() -> list[HandPair]:
    """G1: effects 0, 0.1, ..., 1.9 of either sign, and gaps around their 0.95 quantile, 1.805."""
    pairs = []
    for number in range(20):
        sign = -1 if number % 3 else 1
        effect = number / 10 * sign
        more = (0.0, _WITHIN, _BEYOND, -_BEYOND)[number % 4]
        pairs.append(HandPair(clean=1.805 + more, corrupted=0.0, irrelevant=effect))
    return pairs


def _block_sets() -> list[HandPair]:
    """G2: shares around alpha, sets that differ by direction, and a direction without a set."""
    alpha = THRESHOLDS.alpha
    pairs = []
    for more in (0.0, -_WITHIN, -_BEYOND):
        pairs.append(HandPair(recovered=(alpha + more, 0.5, 0.5)))
        pairs.append(HandPair(removed=(alpha + more, 0.5, 0.5)))
        pairs.append(HandPair(recovered=(0.1, alpha + more, 1.0), removed=(0.2, 0.95, 1.0)))
    pairs += [
        HandPair(recovered=(1.0, 1.0, 1.0), removed=(0.1, 0.2, 1.0)),
        HandPair(recovered=(0.1, 0.2, 1.0), removed=(1.0, 1.0, 1.0)),
        HandPair(recovered=(0.1, 0.2, 0.3)),
        HandPair(removed=(0.1, 0.2, 0.3)),
        HandPair(ranking=(3, 1, 2), recovered=(0.1, 1.0, 1.0)),
        HandPair(clean=1.0, corrupted=1.0),
    ]
    return pairs


def _shared_blocks() -> Iterator[_Case]:
    """G3: blocks that many or few pairs share, p at the significance, and sets of all blocks."""
    in_first = HandPair(ranking=(1, 2, 3))
    in_second = HandPair(ranking=(2, 1, 3))
    in_third = HandPair(ranking=(3, 1, 2))
    in_all = HandPair(recovered=(0.1, 0.2, 1.0))
    in_two = HandPair(ranking=(3, 1, 2), recovered=(0.1, 1.0, 1.0))
    for significance in (_FOUR_AGREE, _FOUR_AGREE - 0.001):
        yield _Case([in_second] * 4, THRESHOLDS._replace(significance=significance))
    yield _Case([in_second] * 6 + [in_first, in_third, in_all, in_two])
    yield _Case([in_second] * 12 + [in_first, in_third, in_all])
    yield _Case([in_third] * 8 + [in_first] * 8 + [in_two] * 2)
    # A tie: the earlier block.
    yield _Case([in_third] * 8 + [in_first] * 8, THRESHOLDS._replace(significance=1.0))
    yield _Case([in_all] * 5 + [HandPair(recovered=(0.1, 0.2, 0.3))])


def _asked_columns() -> list[HandPair]:
    """G4: effects of an unasked column around the bound; other words that come out or do not."""
    pairs = []
    for more in (0.0, _WITHIN, _BEYOND):
        # An effect u of the unasked exchange moves each of two words by u / 2, which may be at most
        # half of what the asked word moves. The gap is 4. In synonyms the asked word moves by
        # 4 / 2 = 2, so that u is at most 2; in scrambles by 4 - u / 2, so that u is at most 8 / 3.
        pairs.append(HandPair(unasked=2.0 + 2 * more))
        pairs.append(HandPair(unasked=-2.0 - 2 * more))
        pairs.append(HandPair(category="db_scramble", unasked=8 / 3 + 4 * more))
    pairs += [HandPair(third=(lead, 1.0, 1.0)) for lead in (0.0, _WITHIN, 1e-6, _BEYOND, -1.0, 1.0)]
    pairs += [
        HandPair(category="db_scramble", third=(1.0, 1.0, 1.0)),
        HandPair(category="db_scramble", third=(-1.0, 1.0, 1.0)),
        HandPair(recovered=(0.1, 1.0, 1.0), third=(1.0, -1.0, 1.0)),
        HandPair(recovered=(0.1, 1.0, 1.0), third=(-1.0, 1.0, -1.0)),
        # The corrupted word never comes out above the clean one.
        HandPair(clean=5.0, corrupted=1.0),
        HandPair(recovered=(0.1, 0.2, 0.3), third=(1.0, 1.0, 1.0)),
    ]
    return pairs


def _answers() -> list[HandPair]:
    """G5: right and wrong answers to the prompts with one wanted word, and to the other request."""
    return [
        *[HandPair()] * 3,
        HandPair(answer="pet"),
        HandPair(other_answer="pet"),
        HandPair(answer=""),
        HandPair(category="db_scramble"),
        HandPair(category="db_scramble", answer="pet"),
        HandPair(category="super_scramble", other_answer="pet"),
    ]


def _numbered(pairs: Sequence[HandPair]) -> dict[str, HandPair]:
    """The pairs by name, in their order."""
    return {f"p{number}": pair for number, pair in enumerate(pairs)}


# Cases of single rules. Further cases of R1 to R3, and all cases of G5, are judged in whole
# decisions.
_CASES: dict[str, Callable[[], Iterable[_Case]]] = {
    "r3": lambda: [_Case(_later_layers())],
    "g1": lambda: [_Case(_irrelevant_effects())],
    "g2": lambda: [_Case(_block_sets())],
    "g3": _shared_blocks,
    "g4": lambda: [_Case(_asked_columns())],
}
