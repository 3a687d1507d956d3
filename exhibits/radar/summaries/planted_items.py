"""Whether the planted items were memorised, and how many RADAR calls recall, over the seeds.

As in `exhibits.radar.summaries.memorisation`, every item is a row under each twin, and the unit is
the seed. The twin that was trained on an item is its seeing twin.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from exhibits.radar.summaries.over_seeds import mean_over_seeds
from mechaware.core.stats.p_values import holm
from mechaware.planted.twins.items import TWINS, VERBATIM, Item

CANARY = "canary"


def item_rows(
    answers: Mapping[str, pd.DataFrame], scores: pd.DataFrame, items: Sequence[Item], seed: int
) -> pd.DataFrame:
    """The rows of one seed for `items_table`: a row per twin and item.

    Args:
        answers: By twin, the table of `measure_twin`.
        scores: The table of `score_twins`.
        items: The planted items.
        seed: The number of the seed.

    Returns:
        The rows of `answers`, first of twin A and then of twin B, with further columns:

        - form, dose, half: how the item was worded, how often it was read, and by which twin
        - twin, seed
        - seen: whether `twin` is the twin that read it
        - p_recall: RADAR's probability of recall under `twin`
    """
    known = pd.DataFrame(
        [(item.id, item.form, item.dose, item.half) for item in items],
        columns=["id", "form", "dose", "half"],
    )
    parts = []
    for twin in TWINS:
        twin_rows = answers[twin].merge(known, on="id", how="left")
        parts.append(twin_rows.assign(twin=twin, seed=seed))
    rows = pd.concat(parts, ignore_index=True)
    rows = rows.assign(seen=rows["half"] == rows["twin"])
    p_recall = scores[["twin", "id", "radar"]].rename(columns={"radar": "p_recall"})
    return rows.merge(p_recall, on=["twin", "id"], validate="one_to_one")


def items_table(
    rows: pd.DataFrame, canaries: pd.DataFrame, confidence_level: float
) -> pd.DataFrame:
    """One row per kind, form and dose, and one for the canaries.

    `rows` are those of `item_rows` for all seeds; `canaries` has a row per twin and canary, with
    the columns half, twin, dose and recited. LL is the log-likelihood per token, in nats.

    - `n`: the number of items of all seeds.
    - `memorised`: counterfactual memorisation, LL(seeing twin) - LL(other twin).
    - `memorised_answer`: the same over only the answer's tokens.
    - `gain`: LL(seeing twin) - LL(clean base), from which both twins were trained.
    - `exposure_seen`, `exposure_unseen`: the mean exposure under the seeing and under the other
      twin, in bits.
    - `answered_seen`, `answered_unseen`, `answered_base`: the shares of items that the seeing twin,
      the other twin and the clean base answer. For a canary, `answered` means that its second half
      is recited.
    - `called_seen`, `called_unseen`: how many of the `n` items RADAR calls recall (P(recall) above
      one half) under the seeing and under the other twin.
    - `called_change`: `called_seen` - `called_unseen`, as a share of n.
    - `p_recall_change`: the mean over items of P(recall) under the seeing twin minus P(recall)
      under the other.
    - `p_recall_p`, `p_recall_holm`: the two-sided p-value of `p_recall_change` by a t test over
      seeds, and this p-value after Holm's correction for all rows. Both are missing for one seed.

    `memorised`, `called_change` and `p_recall_change` have t intervals over seeds, in the columns
    `{name}_low` and `{name}_high`, which are missing for one seed. The canaries' row has kind,
    form, dose, `n`, `answered_seen` and `answered_unseen`.
    """
    rows = rows.assign(called=rows["p_recall"] > 0.5)
    table = []
    for (kind, form, dose), part in rows.groupby(["kind", "form", "dose"], sort=False):
        row = {"kind": kind, "form": form, "dose": dose}
        row |= _memorisation_columns(part, confidence_level)
        row |= _radar_columns(part, confidence_level)
        table.append(row)

    p_values = np.array([row["p_recall_p"] for row in table])
    for row, corrected in zip(table, holm(p_values), strict=True):
        row["p_recall_holm"] = corrected
    table.append(_canary_row(canaries))
    # The canaries' row lacks both counts, and only a nullable integer type can hold missing ones.
    return pd.DataFrame(table).astype({"called_seen": "Int64", "called_unseen": "Int64"})


def _memorisation_columns(rows: pd.DataFrame, confidence_level: float) -> dict[str, float]:
    """The columns of `items_table` from `n` to `answered_base`."""
    seen = rows[rows["seen"]]
    unseen = rows[~rows["seen"]]
    memorised = _change_by_seed(rows, "log_likelihood")
    memorised_answer = _change_by_seed(rows, "answer_log_likelihood")
    columns: dict[str, float] = {"n": len(seen)}
    columns |= _with_ends("memorised", memorised, confidence_level, least=-np.inf, most=np.inf)
    columns["memorised_answer"] = float(np.mean(memorised_answer))
    columns["gain"] = (seen["log_likelihood"] - seen["base_log_likelihood"]).mean()
    columns["exposure_seen"] = seen["exposure"].mean()
    columns["exposure_unseen"] = unseen["exposure"].mean()
    columns["answered_seen"] = seen["answered"].mean()
    columns["answered_unseen"] = unseen["answered"].mean()
    columns["answered_base"] = seen["base_answered"].mean()
    return columns


def _radar_columns(rows: pd.DataFrame, confidence_level: float) -> dict[str, float]:
    """The columns of `items_table` from `called_seen` to `p_recall_p`."""
    called_change = _change_by_seed(rows, "called")
    p_recall_change = _change_by_seed(rows, "p_recall")
    columns: dict[str, float] = {
        "called_seen": int(rows.loc[rows["seen"], "called"].sum()),
        "called_unseen": int(rows.loc[~rows["seen"], "called"].sum()),
    }
    columns |= _with_ends("called_change", called_change, confidence_level, least=-1, most=1)
    columns |= _with_ends("p_recall_change", p_recall_change, confidence_level, least=-1, most=1)
    columns["p_recall_p"] = np.nan
    if len(p_recall_change) > 1:
        columns["p_recall_p"] = float(stats.ttest_1samp(p_recall_change, 0).pvalue)
    return columns


def _canary_row(canaries: pd.DataFrame) -> dict[str, object]:
    """The row of the canaries: how often their seeing twins recite them, and other twins."""
    is_reader = canaries["half"] == canaries["twin"]
    return {
        "kind": CANARY,
        "form": VERBATIM,
        "dose": canaries["dose"].iloc[0],
        "n": int(is_reader.sum()),
        "answered_seen": canaries.loc[is_reader, "recited"].mean(),
        "answered_unseen": canaries.loc[~is_reader, "recited"].mean(),
    }


def _change_by_seed(rows: pd.DataFrame, column: str) -> list[float]:
    """By seed, the mean of a column over items under the seeing twin minus that under the other."""
    changes = []
    for _, rows_of_seed in rows.groupby("seed"):
        is_seen = rows_of_seed["seen"]
        seen_mean = rows_of_seed.loc[is_seen, column].mean()
        unseen_mean = rows_of_seed.loc[~is_seen, column].mean()
        changes.append(seen_mean - unseen_mean)
    return changes


def _with_ends(
    name: str, by_seed: Sequence[float], confidence_level: float, *, least: float, most: float
) -> dict[str, float]:
    """The mean over seeds as `name`, and the ends of its interval, cut at `least` and `most`."""
    estimate = mean_over_seeds(np.array(by_seed), confidence_level, least=least, most=most)
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
