"""Runs that agree, differ or fail, and the claims that a vote over them keeps.

A whole is a claim about the whole mechanism, a part is a claim about components of it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from mechaware.instruments.claims.rubric.criteria import Status
from mechaware.instruments.claims.rubric.records import Fault, Run
from mechaware.instruments.claims.votes.voting import vote
from mechaware.verdicts.cases.supported.records import (
    LEAST_SIMILARITY,
    described,
    make_claim,
    make_run,
)

_WHOLE = "The circuit of heads 9.9 and 9.6 copies the indirect object to the end"
_PART = "Head 9.9 copies the indirect object"
_UNLIKE = "A sparse algorithm solves pronoun agreement"


def vote_outcomes() -> list[Any]:
    """What a vote makes of each list of runs.

    The kept claims by the minimum and by the median (`described`); then, by the minimum: the index
    of each kept claim in every scored run, the statements of the dropped claims, and whether the
    vote has no fault.
    """
    outcomes = []
    for runs in _all_runs():
        by_minimum = vote(runs, least_similarity=LEAST_SIMILARITY, rule="minimum")
        by_median = vote(runs, least_similarity=LEAST_SIMILARITY, rule="median")
        outcomes.append(
            [
                described(by_minimum.claims),
                described(by_median.claims),
                [claim.runs for claim in by_minimum.claims],
                [claim.statement for claim in by_minimum.dropped],
                by_minimum.fault is None,
            ]
        )
    return outcomes


def _all_runs() -> Iterator[list[Run]]:
    """The runs of each vote."""
    yield from _votes_on_one_claim()
    yield from _claims_of_some_runs()
    yield from _wholes_in_other_words()
    yield from _parts_in_other_words()
    yield from _claims_without_a_level()
    yield from _claims_that_may_count_for_the_paper()


def _votes_on_one_claim() -> Iterator[list[Run]]:
    """One whole that all runs state, at statuses that differ or that some runs lack."""
    all_votes: Sequence[Sequence[Status | None]] = (
        ("YES", "PARTIAL", "NO"),
        ("YES", "YES", "PARTIAL"),
        ("NO", "YES", "YES"),
        ("YES", None, "PARTIAL"),
        ("YES", None, None),
        ("YES", None),
    )
    for votes in all_votes:
        yield [make_run(number, make_claim(_WHOLE, status)) for number, status in enumerate(votes)]


def _claims_of_some_runs() -> Iterator[list[Run]]:
    """A part in one and in two of three runs, and in one of two; then runs with faults."""
    whole = make_claim(_WHOLE)
    part = make_claim(_PART, system=False)
    yield [make_run(0, whole, part), make_run(1, whole), make_run(2, whole)]
    yield [make_run(0, whole, part), make_run(1, whole, part), make_run(2, whole)]
    yield [make_run(0, whole, part), make_run(1, whole)]

    # Only one run is without a fault; then none is.
    fault = Fault(kind="cut", message="the reply was cut")
    yield [
        make_run(0, make_claim(_WHOLE, "PARTIAL")),
        make_run(1, fault=fault),
        make_run(2, fault=fault),
    ]
    yield [make_run(0, fault=fault), make_run(1, fault=fault)]


def _wholes_in_other_words() -> Iterator[list[Run]]:
    """A whole; one run of three, then one of two, has a whole that may be the same claim."""
    whole = make_claim(_WHOLE)
    others = (
        # The same in other words.
        "Heads 9.9 and 9.6 form a circuit that copies the name of the indirect object",
        # Few words in common.
        _UNLIKE,
        # A denial.
        "The circuit of heads 9.9 and 9.6 does not copy the indirect object to the end",
        # The opposite effect.
        "The circuit of heads 9.9 and 9.6 suppresses the indirect object at the end",
    )
    for statement in others:
        other = make_claim(statement, "PARTIAL")
        yield [make_run(0, whole), make_run(1, other), make_run(2, whole)]
        yield [make_run(0, whole), make_run(1, other)]


def _parts_in_other_words() -> Iterator[list[Run]]:
    """A part; one run of three has a part with other words, other components, or both."""
    part = make_claim(_PART, components=["9.9 (Name Mover)"], system=False)
    others = (
        ("Head 9.9 moves the name to the last position", ["9.9"]),
        ("Head 9.9 detects duplicate tokens", ["9.9"]),
        (_PART, ["8.1"]),
        # Components by role, several, and by layer.
        ("The name mover copies the indirect object", ["name mover"]),
        ("Heads 9.9 and 9.6 copy the indirect object", ["9.9", "9.6"]),
        (
            "Heads 9.9, 9.6, 10.0 and 10.7 copy the subject and the object",
            ["9.9", "9.6", "10.0", "10.7"],
        ),
        ("MLP 8 maps the object to the answer", ["MLP 8"]),
        # `part` alone has "indirect"; the other claim alone has "verb".
        ("Head 9.9 copies the object of a verb", ["9.9"]),
        # The other claim alone has "active" and "verb".
        ("Head 9.9 copies the object of an active verb", ["9.9"]),
    )
    for statement, components in others:
        other = make_claim(statement, "PARTIAL", components, system=False)
        yield [make_run(0, part), make_run(1, other), make_run(2, part)]


def _claims_without_a_level() -> Iterator[list[Run]]:
    """Claims of which the judge does not say whether they are wholes or parts.

    A claim is a whole by its words, by the number of its components, or because it has the most.
    """
    components_of_the_largest = ["2.1", "2.2", "2.3", "2.4", "2.5", "2.6"]
    largest = make_claim("Heads read six digits", "PARTIAL", components_of_the_largest, system=None)
    others: Sequence[tuple[str, Sequence[str]]] = (
        ("The mechanism adds ages", []),
        ("Heads add ages", ["1.1", "1.2", "1.3", "1.4", "1.5"]),
        ("Heads add ages", ["1.1", "1.2", "1.3", "1.4"]),
        ("Neurons add ages", ["1.1"]),
    )
    for statement, components in others:
        other = make_claim(statement, components=components, system=None)
        yield [make_run(0, other, largest), make_run(1, other, largest)]


def _claims_that_may_count_for_the_paper() -> Iterator[list[Run]]:
    """Several claims, of which one may count for the paper."""
    # Only parts: the part with the most components counts, unless a claim was left out.
    parts = [
        make_claim(_PART, components=["9.9"], system=False),
        make_claim("Heads 2.1 and 2.2 read ages", "PARTIAL", ["2.1", "2.2"], system=False),
    ]
    yield [make_run(0, *parts), make_run(1, *parts)]
    yield [make_run(0, *parts, left_out=1), make_run(1, *parts)]

    # Of several wholes the one with the highest score counts, the first in a tie: the last two of
    # these three have the same score.
    run = make_run(0, make_claim(_WHOLE, "PARTIAL"), make_claim(_UNLIKE), make_claim(_PART))
    yield [run, run]

    # A whole without a status on one criterion, which leaves its score open.
    without_c1 = make_claim(_WHOLE, "PARTIAL", changed={"C1": None, "I1": "YES"})
    run = make_run(0, without_c1)
    yield [run, run]
