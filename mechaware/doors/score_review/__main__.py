"""Scores a review form that a person has filled in.

    python -m mechaware.doors.score_review FORM [--rubric FILE] [--json FILE]

By the 27 criteria it prints the Claim Validity Score; by a rubric of the user's own, the number of
criteria at each status.

The exit status is 0 if the form was read, also where its score is still open; 1 if the form could
not be read; and 2 if the command was typed wrongly.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from mechaware.doors.terminal import print_answer
from mechaware.instruments.claims.aid.review import score_review
from mechaware.instruments.claims.by_rubric.review import ReviewByRubric, read_review_by_rubric
from mechaware.instruments.claims.rubric.criteria import CRITERIA, DIMENSIONS
from mechaware.instruments.claims.rubric.records import Scores, write_record
from mechaware.instruments.claims.rubric.rubric import Rubric, read_rubric
from mechaware.verdicts.by_rubric.verdict import find_status
from mechaware.verdicts.paper.entry_texts import claim_score, next_steps


def command_line() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m mechaware.doors.score_review",
        description="The Claim Validity Score of a claim by the statuses that you gave in a review "
        "form; by a rubric of yours, the number of criteria at each status.",
    )
    parser.add_argument("form", type=Path, help="a review.md of the reading aid, filled in")
    parser.add_argument(
        "--rubric",
        type=Path,
        metavar="FILE",
        help="the rubric of the form (YAML), if it is one of yours; it has no score",
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="also write all of it to this file, as JSON"
    )
    return parser


def main(argv: Sequence[str]) -> int:
    """Print the score of a form; returns the exit status."""
    arguments = command_line().parse_args(argv)
    return print_answer(lambda: _score(arguments))


def _score(arguments: argparse.Namespace) -> list[str]:
    """The lines to print. Writes the record to the file of `--json`, if there is one.

    Raises `UserError` for a form or a rubric that cannot be read.
    """
    if arguments.rubric is not None:
        rubric = read_rubric(arguments.rubric)
        review = read_review_by_rubric(arguments.form, rubric)
        if arguments.json is not None:
            write_record(review, arguments.json)
        return describe_by_rubric(arguments.form, review, rubric)

    scores = score_review(arguments.form)
    if arguments.json is not None:
        write_record(scores, arguments.json)
    return describe(arguments.form, scores)


def describe_by_rubric(form: Path, review: ReviewByRubric, rubric: Rubric) -> list[str]:
    """The lines on a review by a rubric of the user's own.

    They are: what the statuses show; how many criteria are at each status, with the share at the
    highest; and which criteria have no status, if there are any.
    """
    _finding, reason = find_status(review.standing, rubric)
    counts = [f"{status} {count}" for status, count in review.counts.items()]
    lines = [
        f"{form}: {reason}",
        f"  criteria: {', '.join(counts)} ({review.best:.0%} {rubric.statuses[-1]})",
    ]
    unscored = review.standing.unscored
    if unscored:
        lines.append(f"  without a status: {', '.join(unscored)}")
    return lines


def describe(form: Path, scores: Scores) -> list[str]:
    """The lines on a review by the 27 criteria.

    They are: the score; the score of each dimension; if the claim is about a part, that the paper's
    score is that of its whole mechanism; which criteria have no status, if there are any; and a
    shortest way to the next tier, if there is a higher tier.
    """
    # A form is about one claim.
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
    unscored = [code for code in CRITERIA if claim.criteria[code].status is None]
    if unscored:
        lines.append(f"  without a status: {', '.join(unscored)}")
    if scored.next_tier:
        lines.append(f"  a shortest way to the next tier: {', '.join(next_steps(scored))}")
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
