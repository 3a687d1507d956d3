"""Small tables from the verdicts and the patching results of several runs, for tables and figures to read.

A run is a trained model (`schema-s0`, `no_schema-s0`: condition and seed) or a control. `rules` are the tables of
`apply_rules`, and `patching` the patching tables, of all runs together, with a column `run`.
"""

from collections.abc import Iterator, Sequence

import pandas as pd

from mechaware.grounding.names import CATEGORIES, CONTROLS, MODE_LABELS, READING_BLOCK, condition_of
from mechaware.grounding.rules import (
    apply_rules,
    effect_to_move,
    most_common_top_layer,
    recovered_shares,
    recovery_by_layer,
)
from mechaware.seeds import derive_seed
from mechaware.stats import bootstrap_mean, clopper_pearson, paired_permutation

OVERALL = "overall"
VERDICTS = ("r1", "r1_signed", "r2", "r3", "r3_top")


def summarise_rules(rules: pd.DataFrame, *, level: float, resamples: int, seed: int) -> pd.DataFrame:
    """Per run, category and overall: the mean gap with a bootstrap interval, the share of passes with an exact one.

    Long: run, category, quantity (`delta` in logits, or a verdict), value, low, high, passed, n.
    """
    rows: list[tuple[object, ...]] = []
    for run, category, part in _by_category(rules):
        draw = derive_seed(seed, run, category)
        gap = bootstrap_mean(part["delta"].to_numpy(), part["pair"], resamples=resamples, seed=draw, level=level)
        rows.append((run, category, "delta", part["delta"].mean(), *gap, None, len(part)))
        for verdict in VERDICTS:
            passed = int(part[verdict].sum())
            interval = clopper_pearson(passed, len(part), level)
            rows.append((run, category, verdict, passed / len(part), *interval, passed, len(part)))
    table = pd.DataFrame(rows, columns=["run", "category", "quantity", "value", "low", "high", "passed", "n"])
    return table.astype({"passed": "Int64"})


def compare_conditions(
    rules: pd.DataFrame, schema: Sequence[str], no_schema: Sequence[str], *, level: float, resamples: int, seed: int
) -> pd.DataFrame:
    """The paired difference of two conditions, pair by pair, each the mean over its runs `schema` and `no_schema`.

    Long: category, quantity (`delta`, or a verdict), schema, no_schema, difference, low, high (bootstrap over pairs),
    p (two-sided sign flips of the pairs' differences, exact where there are few), n.
    """
    rows = []
    for quantity in ("delta", *VERDICTS):
        values = rules.assign(value=rules[quantity].astype(float)).pivot(index="pair", columns="run", values="value")
        category = rules.drop_duplicates("pair").set_index("pair")["category"].loc[values.index]
        with_schema, without = values[list(schema)].mean(axis=1), values[list(no_schema)].mean(axis=1)
        for name in (*CATEGORIES, OVERALL):
            of = (category == name) | (name == OVERALL)
            difference = (with_schema - without)[of].to_numpy()
            draw = derive_seed(seed, quantity, name)
            interval = bootstrap_mean(difference, values.index[of], resamples=resamples, seed=draw, level=level)
            p = paired_permutation(difference, resamples=resamples, seed=draw)
            means = with_schema[of].mean(), without[of].mean(), difference.mean()
            rows.append((name, quantity, *means, *interval, p, int(of.sum())))
    return pd.DataFrame(
        rows, columns=["category", "quantity", "schema", "no_schema", "difference", "low", "high", "p", "n"]
    )


def runs_trained_with(rules: pd.DataFrame, condition: str) -> list[str]:
    """The runs in `rules` of a training condition, in order of appearance."""
    return [run for run in rules["run"].unique() if condition_of(run) == condition]


def layer_usage(rules: pd.DataFrame, layers: Sequence[int]) -> pd.DataFrame:
    """Which layer is best (L*_i), and which are among the TopLayers, in the pairs that pass R3, and L* of the run.

    Columns: run, layer, best, top (numbers of pairs), passing, most_common (whether the layer is the run's L*).
    """
    rows = []
    for run, part in rules.groupby("run", sort=False):
        passing = part[part["r3"]]
        top = passing["top_layers"].str.split().explode().dropna().astype(int)
        common = most_common_top_layer(part)
        for layer in layers:
            best = int((passing["top_layer"] == layer).sum())
            rows.append((run, layer, best, int((top == layer).sum()), len(passing), layer == common))
    return pd.DataFrame(rows, columns=["run", "layer", "best", "top", "passing", "most_common"])


def recovery_profile(patching: pd.DataFrame, *, tau: float, level: float, resamples: int, seed: int) -> pd.DataFrame:
    """The mean share of its effect (`effect_to_move`) that each layer recovers, from 0 to 1, over pairs that pass R1.

    Long: run, mode, layer, recovered, low, high (bootstrap over pairs), n; empty for a run in which none passes.
    """
    rows = []
    for run, part in patching.groupby("run", sort=False):
        pairs = part.drop_duplicates("pair").set_index("pair")
        passing = pairs.index[apply_rules(part, tau=tau, alpha=1.0)["r1"]]
        for mode in MODE_LABELS if len(passing) else ():
            recovery = recovery_by_layer(part, mode).loc[passing]
            shares = recovered_shares(recovery, effect_to_move(pairs.loc[passing], mode).abs().to_numpy())
            for layer, values in zip(recovery.columns, shares.T, strict=True):
                draw = derive_seed(seed, str(run), mode, str(layer))
                interval = bootstrap_mean(values, passing, resamples=resamples, seed=draw, level=level)
                rows.append((run, mode, layer, values.mean(), *interval, len(passing)))
    return pd.DataFrame(rows, columns=["run", "mode", "layer", "recovered", "low", "high", "n"])


def threshold_grid(patching: pd.DataFrame, taus: Sequence[float], alphas: Sequence[float]) -> pd.DataFrame:
    """The number of pairs that pass each rule at each pair of thresholds: run, tau, alpha, r1, r2, r3, n."""
    rows = []
    for run, part in patching.groupby("run", sort=False):
        for tau in taus:
            for alpha in alphas:
                rules = apply_rules(part, tau=tau, alpha=alpha)
                rows.append((run, tau, alpha, *rules[["r1", "r2", "r3"]].sum(), len(rules)))
    return pd.DataFrame(rows, columns=["run", "tau", "alpha", "r1", "r2", "r3", "n"])


def triangulate(patching: pd.DataFrame, *, tau: float, alpha: float) -> pd.DataFrame:
    """Do other interventions say what denoising says? One row per run and mode.

    Columns: run, mode, r2, r3 (pairs that pass under this mode), most_common (its L*), same_r2, same_r3 (pairs with
    denoising's verdict), in_top (pairs whose denoising L*_i is among the mode's TopLayers), both (pairs that pass R2
    under denoising, of which in_top are counted), n.
    """
    rows = []
    for run, part in patching.groupby("run", sort=False):
        reference = apply_rules(part, tau=tau, alpha=alpha).set_index("pair")
        for mode in MODE_LABELS:
            rules = apply_rules(part, tau=tau, alpha=alpha, mode=mode).set_index("pair").loc[reference.index]
            passing = reference["r2"].to_numpy()
            in_top = [
                str(best) in top.split()
                for best, top in zip(reference.loc[passing, "top_layer"], rules.loc[passing, "top_layers"], strict=True)
            ]
            agreement = [int((rules[verdict] == reference[verdict]).sum()) for verdict in ("r2", "r3")]
            passes = rules[["r2", "r3"]].sum()
            common = most_common_top_layer(rules)
            rows.append((run, mode, *passes, common, *agreement, sum(in_top), int(passing.sum()), len(rules)))
    columns = ["run", "mode", "r2", "r3", "most_common", "same_r2", "same_r3", "in_top", "both", "n"]
    return pd.DataFrame(rows, columns=columns).astype({"most_common": "Int64"})


def judge_controls(rules: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """What the rules say of the controls beside what is known of them: one row per control and rule R1 to R3.

    Columns: run, rule, expected and found (share of pairs that pass), low, high, expected_layers (those whose state at
    the schema word still carries the answer), found_layer (L*), clean_right (share of clean prompts where the clean
    word is preferred), follows_schema (share of corrupted prompts where the corrupted word is), n.
    """
    rows = []
    for run in CONTROLS:
        part = rules[rules["run"] == run]
        of = summary[(summary["run"] == run) & (summary["category"] == OVERALL)].set_index("quantity")
        reads = run in READING_BLOCK
        layers = " ".join(map(str, range(1, READING_BLOCK[run]))) if reads else ""
        answers = (part["clean_diff"] > 0).mean(), (part["corrupted_diff"] < 0).mean()
        for rule in ("r1", "r2", "r3"):
            found = of.loc[rule, ["value", "low", "high"]]
            rows.append((run, rule, float(reads), *found, layers, most_common_top_layer(part), *answers, len(part)))
    columns = ["run", "rule", "expected", "found", "low", "high", "expected_layers", "found_layer"]
    table = pd.DataFrame(rows, columns=[*columns, "clean_right", "follows_schema", "n"])
    return table.astype({"found_layer": "Int64"})


def _by_category(rules: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    for run, part in rules.groupby("run", sort=False):
        for category in CATEGORIES:
            yield str(run), category, part[part["category"] == category]
        yield str(run), OVERALL, part
