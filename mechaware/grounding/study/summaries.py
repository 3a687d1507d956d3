"""Small tables from the verdicts and the patching results of several runs; figures and tables read these.

`rules` are the tables of verdicts, and `patching` the patching tables, of all runs together, with a column `run`
(mechaware.grounding.names says what a run is).
"""

import pandas as pd

from mechaware.grounding.names import CATEGORIES, CONDITIONS, condition_of
from mechaware.grounding.rules.recovery import apply_rules, recovered_shares, recovery_by_layer
from mechaware.seeds import derive_seed
from mechaware.stats import bootstrap_mean, crossed_interval, paired_permutation

OVERALL = "overall"
VERDICTS = ("r1", "r1_signed", "r2", "r3", "r3_top", "r3_embedding", "grounded")


def compare_conditions(rules: pd.DataFrame, *, level: float, resamples: int, seed: int) -> pd.DataFrame:
    """The difference of the two conditions, pair by pair and seed by seed, its mean over both.

    Long format: category, quantity (`delta` in logits, or a verdict as a share), schema, no_schema, difference, low,
    high (`crossed_interval` over pairs and seeds), lowest, highest (of the seeds), p (two-sided, by sign flips of the
    pairs' differences, each the mean over the seeds: a statement about these models, not about another seed; exact
    where all flips are at most `resamples`), seeds, n (pairs).
    """
    trained = rules.assign(condition=rules["run"].map(condition_of), seed=rules["run"].str.rsplit("-s", n=1).str[-1])
    category = trained.drop_duplicates("pair").set_index("pair")["category"]
    rows = []
    for quantity in ("delta", *VERDICTS):
        values = trained.assign(value=trained[quantity].astype(float))
        schema, no_schema = (
            values[values["condition"] == condition].pivot(index="pair", columns="seed", values="value")
            for condition in CONDITIONS
        )
        for name in (*CATEGORIES, OVERALL):
            pairs = category.index[(category == name) | (name == OVERALL)]
            means = [float(part.loc[pairs].to_numpy().mean()) for part in (schema, no_schema)]
            difference = (schema.loc[pairs] - no_schema.loc[pairs]).to_numpy()
            draw = derive_seed(seed, quantity, name)
            low, high = crossed_interval(difference, level=level)
            interval = (low, high) if quantity == "delta" else (max(low, -1.0), min(high, 1.0))  # of shares
            p = paired_permutation(difference.mean(axis=1), resamples=resamples, seed=draw)
            by_seed = difference.mean(axis=0)
            spread = means[0] - means[1], *interval, by_seed.min(), by_seed.max(), p, len(by_seed), len(pairs)
            rows.append((name, quantity, *means, *spread))
    columns = ["category", "quantity", "schema", "no_schema", "difference", "low", "high", "lowest", "highest", "p"]
    return pd.DataFrame(rows, columns=[*columns, "seeds", "n"])


def recovery_profile(patching: pd.DataFrame, *, tau: float, level: float, resamples: int, seed: int) -> pd.DataFrame:
    """The mean share of the gap that patching each layer recovers, from 0 to 1, over the pairs that pass R1.

    Long format: run, layer, recovered, low, high (bootstrap over pairs), n; a run without passing pairs has no rows.
    """
    rows = []
    for run, part in patching.groupby("run", sort=False):
        rules = apply_rules(part, tau=tau, alpha=1.0)
        passing, gap = pd.Index(rules.loc[rules["r1"], "pair"]), rules.loc[rules["r1"], "delta"].abs().to_numpy()
        if passing.empty:
            continue
        recovery = recovery_by_layer(part).loc[passing]
        for layer, values in zip(recovery.columns, recovered_shares(recovery, gap).T, strict=True):
            draw = derive_seed(seed, str(run), "denoise", str(layer))
            interval = bootstrap_mean(values, passing, resamples=resamples, seed=draw, level=level)
            rows.append((run, layer, values.mean(), *interval, len(passing)))
    return pd.DataFrame(rows, columns=["run", "layer", "recovered", "low", "high", "n"])
