"""Whether the plant took: likelihood, exposure and answers of items by form and dose."""

import numpy as np
import pandas as pd
from jaxtyping import Float

from mechaware.radar.memorisation.items import TWINS, Item
from mechaware.radar.study.memorisation import Draws
from mechaware.stats import bootstrap_mean

CANARY = "canary"


def item_rows(answers: dict[str, pd.DataFrame], items: list[Item], seed: int) -> pd.DataFrame:
    """The answers of both twins of one seed below one another, with what is known of each item.

    `answers` by twin, as `measure_twin` gives them. Adds seed, twin, form, dose and seen.
    """
    known = pd.DataFrame(
        [(item.id, item.form, item.dose, item.half) for item in items], columns=["id", "form", "dose", "half"]
    )
    parts = [answers[twin].merge(known, on="id", how="left").assign(twin=twin, seed=seed) for twin in TWINS]
    rows = pd.concat(parts, ignore_index=True)
    return rows.assign(seen=rows["half"] == rows["twin"])


def items_table(rows: pd.DataFrame, canaries: pd.DataFrame, draws: Draws) -> pd.DataFrame:
    """One row per kind, form and dose, and one for the canaries.

    `n`: items of all seeds. `memorised`: log-likelihood per token, in nats, under the twin that saw the item less that
    under the one that did not, with a bootstrap interval over items (counterfactual memorisation). `memorised_answer`:
    the same of the answer's tokens alone. `gain`: under the twin that saw it less under C. `exposure_seen` and
    `exposure_unseen`: means, in bits. `answered_seen`, `answered_unseen` and `answered_base`: shares. Of a canary,
    `answered` is recitation of its second half.
    """
    table = []
    for (kind, form, dose), part in rows.groupby(["kind", "form", "dose"], sort=False):
        seen, unseen = (side.sort_values(["seed", "id"]) for side in (part[part["seen"]], part[~part["seen"]]))
        memorised = _difference(seen, unseen, "log_likelihood")
        interval = bootstrap_mean(
            memorised,
            [f"{row.seed}/{row.id}" for row in seen.itertuples()],
            resamples=draws.resamples,
            seed=draws.seed,
            level=draws.level,
        )
        table.append(
            {"kind": kind, "form": form, "dose": dose, "n": len(seen)}
            | {"memorised": memorised.mean(), "low": interval.low, "high": interval.high}
            | {"memorised_answer": _difference(seen, unseen, "answer_log_likelihood").mean()}
            | {"gain": (seen["log_likelihood"] - seen["base_log_likelihood"]).mean()}
            | {"exposure_seen": seen["exposure"].mean(), "exposure_unseen": unseen["exposure"].mean()}
            | {"answered_seen": seen["answered"].mean(), "answered_unseen": unseen["answered"].mean()}
            | {"answered_base": seen["base_answered"].mean()}
        )
    own = canaries["half"] == canaries["twin"]
    table.append(
        {"kind": CANARY, "form": "verbatim", "dose": canaries["dose"].iloc[0], "n": int(own.sum())}
        | dict.fromkeys(
            ("memorised", "low", "high", "memorised_answer", "gain", "exposure_seen", "exposure_unseen"), np.nan
        )
        | {
            "answered_seen": canaries.loc[own, "recited"].mean(),
            "answered_unseen": canaries.loc[~own, "recited"].mean(),
            "answered_base": np.nan,
        }
    )
    return pd.DataFrame(table)


def _difference(seen: pd.DataFrame, unseen: pd.DataFrame, column: str) -> Float[np.ndarray, " item"]:
    return np.asarray(seen[column].to_numpy(float) - unseen[column].to_numpy(float), dtype=float)
