"""The author's audits as labelled items: a criterion, the claim, quotations from the paper, and the
author's status.

The quotations are other authors' words, so no item is committed: they are read from a local folder
of the repository, or fetched at its pinned commit, and each file is checked against its SHA-256
(`config/reported/claims_files.csv`).
"""

from collections.abc import Callable, Iterable

import pandas as pd
import yaml

from exhibits.author.agreement import NOT_APPLICABLE
from exhibits.author.extraction import AUDITS, AUGUST, QUOTATIONS, ListedFile, audit_statuses
from mechaware.core.rows import one_line
from mechaware.instruments.claims.items.labelled import COLUMNS


def audit_items(
    files: Iterable[ListedFile], words: pd.DataFrame, read: Callable[[ListedFile], str]
) -> pd.DataFrame:
    """An item for each criterion of an audit that has quotations and applies to the claim.

    Args:
        files: The listed files (config/reported/claims_files.csv).
        words: By date (`audit`) and word, the status that the author's word stands for
            (config/reported/claims_words.csv).
        read: Gives a file's text.

    Returns:
        The columns `COLUMNS`: `group` is the paper, `text` has a quotation a line, `label` is YES,
            PARTIAL or NO.
    """
    listed = {(file.kind, file.claim): file for file in files}
    status_of_word = words[words["audit"] == AUGUST].set_index("word")["status"]
    rows = []
    for (kind, claim), file in listed.items():
        if kind != QUOTATIONS:
            continue
        record = yaml.safe_load(read(file))
        statuses = audit_statuses(read(listed[AUDITS, claim]))
        # The files call their criteria `claims`.
        for code, entry in record["claims"].items():
            quotations = [one_line(quote["exact"]) for quote in entry.get("quotes", [])]
            label = status_of_word[statuses[code]]
            if not quotations or label == NOT_APPLICABLE:
                continue
            item = {
                "id": f"{claim}-{code}",
                "group": record["source"]["citation"],
                "criterion": code,
                "claim": f"{record['title']}. {one_line(record['description'])}",
                "text": "\n".join(quotations),
                "label": label,
            }
            rows.append(item)
    return pd.DataFrame(rows, columns=list(COLUMNS))


def by_counterpart(items: pd.DataFrame, mapping: pd.DataFrame) -> pd.DataFrame:
    """The items whose criterion has a counterpart among the 27 of May, under the code of May.

    The other items are left out.

    Args:
        items: The items of `audit_items`, under the audits' own codes.
        mapping: A row for each of the 27 criteria of May: its code in `criterion`, and the code of
            its counterpart in the audits of August in `counterpart`, "" for none
            (config/reported/claims_mapping.csv).
    """
    mapped = mapping[mapping["counterpart"] != ""]
    codes = mapped.set_index("counterpart")["criterion"]
    known = items[items["criterion"].isin(codes.index)]
    return known.assign(criterion=known["criterion"].map(codes)).reset_index(drop=True)


def draw_items(items: pd.DataFrame, number: int, seed: int) -> pd.DataFrame:
    """`number` of the items, drawn at random without replacement and kept in their order; all, if
    there are no more.

    For a judge that takes too long for all items. Its results hold for this draw: print `number`
    and `seed` with them.
    """
    drawn = items.sample(n=min(number, len(items)), random_state=seed)
    return drawn.sort_index().reset_index(drop=True)
