"""Scores a review form that a person has filled in: python -m mechaware.doors.score_review FORM

0: the form was read; its score may be open. 1: it could not be read. 2: the command was typed wrongly.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mechaware.doors.terminal import print_answer
from mechaware.instruments.claims.aid.review import score_review
from mechaware.instruments.claims.rubric.criteria import CRITERIA, DIMENSIONS
from mechaware.instruments.claims.rubric.records import Scores, write_record
from mechaware.verdicts.paper.html_page import claim_score, next_steps


def command_line() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m mechaware.doors.score_review",
        description="The Claim Validity Score of a claim by the statuses that you gave in a review form.",
    )
    parser.add_argument("form", type=Path, help="a review.md of the reading aid, filled in")
    parser.add_argument("--json", type=Path, help="write all scores to this file, too")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Print the score of a form; returns the exit status."""
    given = command_line().parse_args(arguments)
    return print_answer(lambda: _score(given))


def _score(given: argparse.Namespace) -> list[str]:
    scores = score_review(given.form)
    if given.json is not None:
        write_record(scores, given.json)
    return describe(given.form, scores)


def describe(form: Path, scores: Scores) -> list[str]:
    """The score, the dimensions, what has no status, and what would lift the claim, each on a line."""
    (claim,) = scores.claims
    (scored,) = scores.scored
    dimensions = []
    for dimension in DIMENSIONS:
        score = scored.dimensions[dimension.code]
        dimensions.append(f"{dimension.name} {'open' if score is None else score}")
    lines = [f"{form}: {claim_score(scored)}", f"  dimensions, 0 to 3: {', '.join(dimensions)}"]
    if not claim.system:
        lines.append(
            "  the claim is about a part: the score of the paper is that of its whole mechanism"
        )
    if unscored := [code for code in CRITERIA if claim.criteria[code].status is None]:
        lines.append(f"  without a status: {', '.join(unscored)}")
    if scored.next_tier:
        lines.append(f"  a shortest way to the next tier: {', '.join(next_steps(scored))}")
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
