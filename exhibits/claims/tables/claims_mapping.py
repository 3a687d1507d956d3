"""The 27 criteria beside the author's rubric of August 2026, and how often the statuses agree."""

from typing import Annotated

import pandas as pd

from exhibits.author.agreement import NEAR, NONE, SAME, pair_statuses
from exhibits.claims import schemas
from exhibits.claims.tables.cells import count_text
from exhibits.report.tables import Table
from mechaware.instruments.claims.rubric.criteria import CRITERIA

READS = {
    "statuses": "config/reported/claims_statuses.csv",
    "words": "config/reported/claims_words.csv",
    "mapping": "config/reported/claims_mapping.csv",
    "audited": "config/reported/claims_audited.csv",
}
# The cells of the column Counterpart.
RELATIONS = {SAME: "the same", NEAR: "near", NONE: "none"}


def fill(
    *,
    statuses: Annotated[pd.DataFrame, schemas.REPORTED_STATUSES],
    words: Annotated[pd.DataFrame, schemas.REPORTED_WORDS],
    mapping: Annotated[pd.DataFrame, schemas.REPORTED_MAPPING],
    audited: Annotated[pd.DataFrame, schemas.REPORTED_AUDITED],
) -> Table:
    """A row for each of the 27 criteria of May: its counterpart of August, and their agreement.

    `exact` counts the claims that have the same status at both dates, and `n` the claims to which
    both rubrics apply. Both are missing for a criterion without a counterpart.
    """
    pairs = pair_statuses(statuses, words, mapping, audited)
    is_same = pairs["may"] == pairs["august"]
    by_criterion = is_same.groupby(pairs["criterion"])
    numbers = mapping.assign(
        name=mapping["criterion"].map(CRITERIA),
        exact=mapping["criterion"].map(by_criterion.sum()).astype("Int64"),
        n=mapping["criterion"].map(by_criterion.size()).astype("Int64"),
    )
    shown = pd.DataFrame(
        {
            "May 2026": numbers["criterion"] + " " + numbers["name"],
            "Counterpart": numbers["relation"].map(RELATIONS),
            "August 2026": (numbers["counterpart"] + " " + numbers["counterpart_name"]).str.strip(),
            "What differs": numbers["why"],
            "Same status": list(map(count_text, numbers["exact"], numbers["n"])),
        }
    )
    return Table(numbers, shown)
