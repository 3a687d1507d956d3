"""The claims study's tables whose cells are values for the paper's text, and their columns.

`VALUE_TABLES` is keyed by the name of a table's file. The module that makes a table describes its
columns: `exhibits.claims.tables`, and `exhibits.reanalysis` for `claims_implied`. The number of
items behind a quantity is in the column `n`, unless `n` names another column; a quantity with
`n=None` has no such number.
"""

from exhibits.author.agreement import MEASURES
from exhibits.reanalysis.implied import IMPLIED
from exhibits.report.values import Quantity, ValueTable, estimate, without_interval
from mechaware.planted.papers.judged import RATES
from mechaware.planted.papers.vote_errors import Errors

VALUE_TABLES = {
    "claims_planted": ValueTable(
        keys=("judge", "stage", "criterion"),
        quantities=(
            estimate("exact"),
            estimate("bias"),
            estimate("over_no"),
            estimate("informedness"),
            *(estimate(rate, n=f"{rate}_n") for rate in RATES),
            *without_interval("unscored", "over_no_detectable", "always_no", "always_yes"),
            # The counts behind the rates `wrong_yes` and `false_leak`.
            *without_interval("wrong", "wrong_partial", n="wrong_yes_n"),
            *without_interval("leaked", n="false_leak_n"),
            *without_interval("planted_claims", "papers"),
            *without_interval("found_claims", n="planted_claims"),
            *without_interval("found_papers", n="papers"),
            *without_interval("tier_exact", "tier_up", "tier_down", "tier_always_no", n="tier_n"),
        ),
    ),
    "claims_boundaries": ValueTable(
        keys=("source", "labels", "boundary", "moved_to"),
        quantities=(
            estimate("exact"),
            estimate("within_one"),
            *without_interval("changed", "kappa", "kappa_linear", "kappa_quadratic"),
            *without_interval("up", "down", "p", "commonest"),
        ),
    ),
    "claims_trust": ValueTable(
        keys=("judge",),
        quantities=(
            estimate("moved", n="moved_n"),
            estimate("stayed", n="stayed_n"),
            estimate("hard", n="hard_n"),
            Quantity("trusted", n="tested"),
            *without_interval("papers", "could", "tested", "right", n=None),
        ),
    ),
    "claims_vote": ValueTable(
        keys=("errors", "after", "claims", "vote"),
        quantities=(estimate("exact"), *without_interval("too_low", "too_high")),
        # The numbers that `errors` and `after` give in words.
        left_out=(*Errors._fields, "pass", "finds", "harms"),
    ),
    "claims_author": ValueTable(
        keys=("pairs",),
        quantities=(
            *(estimate(measure) for measure in MEASURES),
            *without_interval("claims", n=None),
        ),
    ),
    "claims_lists": ValueTable(
        keys=("first", "second"),
        quantities=(
            estimate("exact"),
            estimate("within_one"),
            *without_interval("higher", "lower"),
        ),
    ),
    "claims_implied": IMPLIED,
}
