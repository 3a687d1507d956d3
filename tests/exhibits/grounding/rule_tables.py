"""Hand-written tables of three runs, and the table of verdicts that is made of them.

`RULE_TABLE` has the rules that each pair passes, `ANSWERS` the answers to its prompts, and `CUTS`
the shares of the gap that sets of blocks recover or remove.

In every pair the request asks for `price`. Whether a pair passes the sets `paper` and `grounded` is
chosen freely, as for the rules: it need not follow from the pair's R1 to R3 and G1 to G5.

    run           pair  place of price  answer when clean  rules and sets that the pair passes
    grounded_2    a     1               price              r1 r2 r3 paper, g1 g2 g3 g4 grounded
                  b     1               pet                r1 r2, g1
                  c     2               price              r1, g1 g2 g3 g4 grounded
                  d     3               price              r1 r2 r3 paper, g1 g4
    schema-s0     a     2               pet                r1 r2 r3 paper
                  b     2               price              nothing
                  c     3               pet                g1
    first_column  a     1               price              r1
"""

from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from exhibits.grounding.verdicts import verdict_table
from mechaware.verdicts.cases.hand_pairs import HandPair, pair_measurements

NAMES = ("r1", "r2", "r3", "g1", "g2", "g3", "g4", "g5", "paper", "grounded")
# A pair that has no set of blocks: noising any set removes nothing of the gap.
UNREAD = HandPair(removed=(0.0, 0.0, 0.0))


class CleanAnswer(NamedTuple):
    """The place of `price` in the schema, from 1, and the answer to the clean prompt."""

    place: int
    answer: str


def rules_of_run(run: str, held: Mapping[str, str]) -> pd.DataFrame:
    """The verdicts of one run, as `judge_runs` makes them: a row per pair.

    The columns after those of `NAMES` follow from the pair's name and from R1 and R3. A cell below
    that names a rule means that the column is true where the rule holds:

        pair  category     delta  r1_signed  r3_both  r3_signed  r3_embedding  r3_top
        a, b  db_synonyms  +1     r1         r1       r1 and r3  r1            no
        c     db_scramble  +1     r1         r1       r1 and r3  r1            yes
        d     db_scramble  -1     no         no       no         r1            no

    Args:
        run: The name of the run.
        held: By pair, the names of all rules and sets that the pair passes, such as "r1 r2".
    """
    rows = []
    for pair, names in held.items():
        holds = {name: name in names.split() for name in NAMES}
        is_positive = pair != "d"
        signed = holds["r1"] and is_positive
        details = {
            "category": "db_synonyms" if pair in ("a", "b") else "db_scramble",
            "delta": 1.0 if is_positive else -1.0,
            "r1_signed": signed,
            "r3_signed": signed and holds["r3"],
            "r3_embedding": holds["r1"],
            "r3_both": signed,
            "r3_top": pair == "c",
        }
        rows.append({"run": run, "pair": pair} | holds | details)
    return pd.DataFrame(rows)


def answers_of_run(run: str, answers: Mapping[str, CleanAnswer]) -> pd.DataFrame:
    """The answers of one run: a row per pair for its corrupted prompt, then one per pair for its
    clean prompt.

    The schema of the corrupted prompt lacks `price`. In pairs whose clean schema lists `price`
    first, the model prefers `price` even there, by 9 logits. In the other pairs it prefers neither
    word: 5e-4 logits is a tie (`TIE`).
    """
    rows = []
    for pair, (place, _) in answers.items():
        diff = 9.0 if place == 1 else 5e-4
        rows.append((run, pair, "corrupted", place, "", "price", diff))
    for pair, (place, answer) in answers.items():
        rows.append((run, pair, "clean", place, "price", answer, 9.0))
    return pd.DataFrame(
        rows, columns=["run", "pair", "prompt", "place", "wanted", "answer", "diff"]
    )


def cuts_of_run(run: str, pairs: Mapping[str, HandPair]) -> pd.DataFrame:
    """The table of cuts of one run, made from the pairs' hand-written shares."""
    return pair_measurements(pairs).cuts.assign(run=run)


RULE_TABLE = pd.concat(
    [
        rules_of_run(
            "grounded_2",
            {
                "a": "r1 r2 r3 paper g1 g2 g3 g4 grounded",
                "b": "r1 r2 g1",
                "c": "r1 g1 g2 g3 g4 grounded",
                "d": "r1 r2 r3 paper g1 g4",
            },
        ),
        rules_of_run("schema-s0", {"a": "r1 r2 r3 paper", "b": "", "c": "g1"}),
        rules_of_run("first_column", {"a": "r1"}),
    ],
    ignore_index=True,
)


ANSWERS = pd.concat(
    [
        # The pairs are in another order than in RULE_TABLE.
        answers_of_run(
            "grounded_2",
            {
                "d": CleanAnswer(3, "price"),
                "b": CleanAnswer(1, "pet"),
                "a": CleanAnswer(1, "price"),
                "c": CleanAnswer(2, "price"),
            },
        ),
        answers_of_run(
            "schema-s0",
            {
                "a": CleanAnswer(2, "pet"),
                "b": CleanAnswer(2, "price"),
                "c": CleanAnswer(3, "pet"),
            },
        ),
        answers_of_run("first_column", {"a": CleanAnswer(1, "price")}),
    ],
    ignore_index=True,
)


CUTS = pd.concat(
    [
        # The sets of blocks are {2} for a, {2, 3} for b, {3} for c, and none for d. Blocks 2 and 3
        # tie: each is in two sets.
        cuts_of_run(
            "grounded_2",
            {
                "a": HandPair(ranking=(2, 1, 3)),
                "b": HandPair(ranking=(3, 2, 1), removed=(0.0, 1.0, 1.0)),
                "c": HandPair(ranking=(3, 1, 2)),
                "d": UNREAD,
            },
        ),
        cuts_of_run(
            "schema-s0",
            {"a": HandPair(ranking=(3, 1, 2)), "b": UNREAD, "c": HandPair(ranking=(3, 1, 2))},
        ),
        cuts_of_run("first_column", {"a": UNREAD}),
    ],
    ignore_index=True,
)


def verdicts(
    confidence_level: float = 0.95, verdict_share: float = 0.5, rules: pd.DataFrame = RULE_TABLE
) -> pd.DataFrame:
    """`verdict_table` of the three runs, by run; `rules` may replace `RULE_TABLE`."""
    table = verdict_table(
        rules,
        ANSWERS,
        CUTS,
        alpha=0.9,
        verdict_share=verdict_share,
        confidence_level=confidence_level,
    )
    return table.set_index("run")
