"""The columns of the grounding study's tables whose cells the paper's text can print.

`VALUE_TABLES` declares the columns of each table, by the name of its file without suffix;
`write_values` reads the files by these declarations. `Quantity` and `ValueTable` explain the
fields. A table is a CSV in results/tables/, unless a comment names another folder.
"""

from exhibits.reanalysis.implied import IMPLIED
from exhibits.report.values import Quantity, ValueTable, estimate, without_interval
from mechaware.instruments.grounding.rules.grounded import GROUNDED
from mechaware.instruments.grounding.rules.registry import (
    BASELINES,
    PREFIX,
    RULE_SETS,
    RULES,
    VARIANTS,
)

_RULE_NAMES = [rule.name for rule in RULES]
_VARIANTS_AND_BASELINES = [*VARIANTS, *BASELINES]

# Columns of `grounding_verdict`: for each set of rules, variant and baseline the share of passing
# pairs corrected for the best shortcut, and the verdict.
_CORRECTED = [f"{name}_corrected" for name in (*RULE_SETS, *_VARIANTS_AND_BASELINES)]
_VERDICTS = [f"{name}_verdict" for name in (*RULE_SETS, *_VARIANTS_AND_BASELINES)]
# The share of pairs that pass all of G1 to G5 but one rule.
_GROUNDED_BUT = [f"grounded_but_{rule.name}" for rule in GROUNDED]
# The share of passing pairs among those whose wanted column is first in its schema, or is not.
# These shares are declared without an n.
_SHARES_BY_PLACE = [f"{name}_{place}" for name in RULE_SETS for place in ("first", "elsewhere")]

VALUE_TABLES = {
    "grounding_accuracy": ValueTable(
        keys=("trained_with", "evaluated_with", "metric"),
        quantities=(Quantity("value", low="low", high="high", reported="reported"),),
        place="place",
        left_out=("lowest", "highest", "seeds"),
    ),
    "grounding_rules": ValueTable(
        keys=("category", "quantity"),
        quantities=(
            Quantity("schema", reported="reported_schema"),
            Quantity("no_schema", reported="reported_no_schema"),
            Quantity("difference", low="low", high="high", reported="reported_difference"),
            Quantity("p"),
        ),
        place="place",
        left_out=("lowest", "highest", "seeds"),
    ),
    "grounding_contrast": ValueTable(
        keys=("models", "quantity"),
        quantities=(
            *without_interval("schema", "no_schema", "smallest", n="seeds"),
            Quantity("difference", low="low", high="high", n="seeds"),
            *without_interval("lowest", "highest", n="seeds"),
        ),
    ),
    "grounding_models": ValueTable(
        keys=("run",),
        quantities=(
            Quantity("exact_match", low="low", high="high"),
            *without_interval("steps", "met_criterion", "held_out_exact_match", n=None),
            *without_interval(
                "r1", "r1_if_normal", "r2", "r3", "r3_embedding", "grounded", n="pairs"
            ),
        ),
        left_out=("condition", "seed"),
    ),
    "grounding_verdict": ValueTable(
        keys=("run",),
        quantities=(
            estimate("right_first", n="right_first_n"),
            estimate("right_elsewhere", n="right_elsewhere_n"),
            *without_interval("group", "prefers_absent", "shortcut"),
            *without_interval(*_RULE_NAMES, *_GROUNDED_BUT),
            *(estimate(name) for name in RULE_SETS),
            *without_interval(*_SHARES_BY_PLACE, n=None),
            *without_interval(*_VARIANTS_AND_BASELINES, *_CORRECTED, *_VERDICTS),
            *without_interval("known_blocks", "found_block", "found_blocks"),
        ),
        prefix=PREFIX,
    ),
    "grounding_categories": ValueTable(
        keys=("model", "category"),
        quantities=(
            # Ranges over seeds.
            Quantity("absent", low="absent_lowest", high="absent_highest"),
            Quantity("grounded", low="grounded_lowest", high="grounded_highest"),
            *without_interval("delta", "right", *_RULE_NAMES, "paper", *_VARIANTS_AND_BASELINES),
        ),
        left_out=("seeds",),
        prefix=PREFIX,
    ),
    "grounding_rule_sets": ValueTable(
        keys=("rules", "measure"),
        quantities=(
            Quantity("value", low="low", high="high"),
            *without_interval("right", "wrong"),
        ),
    ),
    "grounding_drawn": ValueTable(
        keys=("rules", "half"),
        quantities=(
            Quantity("auroc", low="low", high="high", n=None),
            estimate("lead", n=None),
            estimate("sensitivity", n="sensitivity_n"),
            estimate("specificity", n="specificity_n"),
            *without_interval("grounded", "others", "auroc_by_share", "pairs_right", n=None),
        ),
    ),
    "grounding_localisation": ValueTable(
        keys=("part", "instrument"),
        quantities=(estimate("precision"), estimate("recall"), estimate("exact")),
    ),
    "grounding_lookups": ValueTable(
        keys=("control",),
        quantities=(
            estimate("differs"),
            estimate("two_differ"),
            estimate("prompts_needed"),
            estimate("moves", n="n_pairs"),
            estimate("pairs_needed", n="n_pairs"),
            *without_interval("right", "fixed", "fixed_differs", "by_score"),
            *without_interval("read", n=None),
        ),
    ),
    "grounding_implied": IMPLIED,
    # results/grounding/
    "reading": ValueTable(
        keys=("run", "mode", "block"),
        quantities=(Quantity("share", low="low", high="high"),),
    ),
    # docs/measured/
    "grounding_variants": ValueTable(
        keys=("variant", "run"),
        quantities=(
            *without_interval("steps", "held_out_exact_match", "own_adjectives"),
            *without_interval("written", "written_database", "written_other", "absent_written"),
            *without_interval("shortcut", "answer", "r1_other", *_RULE_NAMES),
            *without_interval("paper", "paper_embedding", "paper_both", "grounded"),
            *without_interval("found_blocks", "date", "device", "commit", "command"),
        ),
    ),
}
