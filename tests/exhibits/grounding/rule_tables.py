"""Rules of pairs by run, and the verdicts on the runs that follow from them."""

from collections.abc import Mapping

import pandas as pd

from exhibits.grounding.verdicts import (
    verdict_table,
)
from mechaware.verdicts.cases.hand_pairs import HandPair, pair_measurements

NAMES = ("r1", "r2", "r3", "g1", "g2", "g3", "g4", "g5", "paper", "grounded")
UNREAD = HandPair(removed=(0.0, 0.0, 0.0))


def judged(run: str, passes: Mapping[str, str]) -> pd.DataFrame:
    """The rules of a run: by pair, which hold."""
    rows = [
        (run, pair, *(name in names.split() for name in NAMES)) for pair, names in passes.items()
    ]
    table = pd.DataFrame(rows, columns=["run", "pair", *NAMES])
    # The gap of pair d is negative; the commonest of all TopLayers is one of pair c alone.
    table = table.assign(
        r1_signed=table["r1"] & (table["pair"] != "d"), delta=1 - 2.0 * (table["pair"] == "d")
    )
    category = table["pair"].map(lambda pair: "db_synonyms" if pair in "ab" else "db_scramble")
    # The embedding recovers everything, so that R1 alone is left where it counts as a layer.
    table = table.assign(r3_top=table["pair"] == "c", r3_embedding=table["r1"], category=category)
    return table.assign(r3_signed=table["r1_signed"] & table["r3"], r3_both=table["r1_signed"])


def answered(run: str, answers: Mapping[str, tuple[int, str]]) -> pd.DataFrame:
    """The answers of a run to prompts that ask for `price`: by pair, its place in the schema and the answer."""
    rows = []
    for pair, (place, _) in answers.items():
        # Where the column is not the first, the two words tie in the corrupted prompt.
        diff = 9.0 if place == 1 else 5e-4
        rows.append((run, pair, "corrupted", place, "", "price", diff))
    for pair, (place, answer) in answers.items():
        rows.append((run, pair, "clean", place, "price", answer, 9.0))
    return pd.DataFrame(
        rows, columns=["run", "pair", "prompt", "place", "wanted", "answer", "diff"]
    )


def cut(run: str, pairs: Mapping[str, HandPair]) -> pd.DataFrame:
    return pair_measurements(pairs).cuts.assign(run=run)


RULE_TABLE = pd.concat(
    [
        judged(
            "grounded_2",
            {
                "a": "r1 r2 r3 paper g1 g2 g3 g4 grounded",
                "b": "r1 r2 g1",
                "c": "r1 g1 g2 g3 g4 grounded",
                "d": "r1 r2 r3 paper g1 g4",
            },
        ),
        judged("schema-s0", {"a": "r1 r2 r3 paper", "b": "", "c": "g1"}),
        judged("first_column", {"a": "r1"}),
    ],
    ignore_index=True,
)


ANSWERS = pd.concat(
    [
        # In another order than the rules.
        answered(
            "grounded_2", {"d": (3, "price"), "b": (1, "pet"), "a": (1, "price"), "c": (2, "price")}
        ),
        answered("schema-s0", {"a": (2, "pet"), "b": (2, "price"), "c": (3, "pet")}),
        answered("first_column", {"a": (1, "price")}),
    ],
    ignore_index=True,
)


CUTS = pd.concat(
    [
        # Blocks 2, 2 and 3, 3, and none: a tie of 2 and 3.
        cut(
            "grounded_2",
            {
                "a": HandPair(ranking=(2, 1, 3)),
                "b": HandPair(ranking=(3, 2, 1), removed=(0.0, 1.0, 1.0)),
                "c": HandPair(ranking=(3, 1, 2)),
                "d": UNREAD,
            },
        ),
        cut(
            "schema-s0",
            {"a": HandPair(ranking=(3, 1, 2)), "b": UNREAD, "c": HandPair(ranking=(3, 1, 2))},
        ),
        cut("first_column", {"a": UNREAD}),
    ],
    ignore_index=True,
)


def verdicts(
    confidence_level: float = 0.95, verdict_share: float = 0.5, rules: pd.DataFrame = RULE_TABLE
) -> pd.DataFrame:
    table = verdict_table(
        rules,
        ANSWERS,
        CUTS,
        alpha=0.9,
        verdict_share=verdict_share,
        confidence_level=confidence_level,
    )
    return table.set_index("run")
