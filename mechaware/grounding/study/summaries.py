"""Small tables from the verdicts and the patching results of several runs; figures and tables read these.

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
    """By run and category, and overall: the mean gap with a bootstrap interval, pass rates with exact intervals.

    Long format: run, category, quantity (`delta` in logits, or a verdict as a share), value, low, high, passed (number
    of pairs; missing for `delta`), n (pairs). The bootstrap draws pairs.
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

    Long format: category, quantity (`delta` in logits, or a verdict as a share), schema, no_schema, difference, low,
    high (bootstrap over pairs), p (two-sided, by sign flips of the pairs' differences; exact where all flips are at
    most `resamples`), n (pairs).
    """
    rows = []
    for quantity in ("delta", *VERDICTS):
        values = rules.assign(value=rules[quantity].astype(float)).pivot(index="pair", columns="run", values="value")
        category = rules.drop_duplicates("pair").set_index("pair")["category"].loc[values.index]
        with_schema, without = values[list(schema)].mean(axis=1), values[list(no_schema)].mean(axis=1)
        for name in (*CATEGORIES, OVERALL):
            members = (category == name) | (name == OVERALL)
            difference = (with_schema - without)[members].to_numpy()
            draw = derive_seed(seed, quantity, name)
            interval = bootstrap_mean(difference, values.index[members], resamples=resamples, seed=draw, level=level)
            p = paired_permutation(difference, resamples=resamples, seed=draw)
            means = with_schema[members].mean(), without[members].mean(), difference.mean()
            rows.append((name, quantity, *means, *interval, p, int(members.sum())))
    return pd.DataFrame(
        rows, columns=["category", "quantity", "schema", "no_schema", "difference", "low", "high", "p", "n"]
    )


def runs_trained_with(rules: pd.DataFrame, condition: str) -> list[str]:
    """The runs in `rules` of a training condition, in order of appearance."""
    return [run for run in rules["run"].unique() if condition_of(run) == condition]


def layer_usage(rules: pd.DataFrame, layers: Sequence[int]) -> pd.DataFrame:
    """How often each layer is L*_i, and how often it is among the TopLayers, over the pairs that pass R3.

    Columns: run, layer, best and top (numbers of pairs), passing (pairs that pass R3), most_common (whether the layer
    is L* of the run).
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

    Long format: run, mode, layer, recovered, low, high (bootstrap over pairs), n; a run without passing pairs has no
    rows.
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
    """Agreement of each intervention's verdicts with those of denoising: one row per run and mode.

    Columns, all numbers of pairs but most_common: run, mode, r2 and r3 (passing under this mode), most_common (its L*;
    missing if nothing recovers), same_r2 and same_r3 (with denoising's verdict), both (passing R2 under denoising),
    in_top (those of `both` whose L*_i under denoising is among the TopLayers of this mode), n.
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
    """The rules' verdicts on the controls beside the known mechanism: one row per control and rule R1 to R3.

    Columns: run, rule, expected and found (share of pairs that pass), low, high, expected_layers (after which the
    answer is still to be read from the schema word), found_layer (L*; missing if nothing recovers), clean_right (share
    of clean prompts where the clean word is preferred), follows_schema (share of corrupted prompts where the corrupted
    word is preferred), n.
    """
    rows = []
    for run in CONTROLS:
        part = rules[rules["run"] == run]
        overall = summary[(summary["run"] == run) & (summary["category"] == OVERALL)].set_index("quantity")
        reads = run in READING_BLOCK
        layers = " ".join(map(str, range(1, READING_BLOCK[run]))) if reads else ""
        answers = (part["clean_diff"] > 0).mean(), (part["corrupted_diff"] < 0).mean()
        for rule in ("r1", "r2", "r3"):
            found = overall.loc[rule, ["value", "low", "high"]]
            rows.append((run, rule, float(reads), *found, layers, most_common_top_layer(part), *answers, len(part)))
    columns = ["run", "rule", "expected", "found", "low", "high", "expected_layers", "found_layer"]
    table = pd.DataFrame(rows, columns=[*columns, "clean_right", "follows_schema", "n"])
    return table.astype({"found_layer": "Int64"})


def _by_category(rules: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    for run, part in rules.groupby("run", sort=False):
        for category in CATEGORIES:
            yield str(run), category, part[part["category"] == category]
        yield str(run), OVERALL, part
