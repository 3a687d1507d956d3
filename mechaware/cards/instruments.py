"""The detectors, rules and judges of a run: each study's tables as the long table of a card."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mechaware.cards.card import Instrument
from mechaware.claims.rubric.criteria import CRITERIA, STATUSES
from mechaware.claims.study.planted import judged_at
from mechaware.claims.trust.edits import PLACEBOS
from mechaware.claims.trust.responses import judged_statuses, responses
from mechaware.controls.generator import Draw, drawn_control
from mechaware.grounding.rules.registry import BASELINES, PREFIX, RULE_SETS, RULES, VARIANTS, further_columns
from mechaware.grounding.shortcuts import corrected
from mechaware.radar.memorisation.items import VERBATIM
from mechaware.radar.memorisation.scoring import DETECTOR_LABELS, DETECTOR_SOURCES, IDENTITY, SHUFFLED


def detectors(scores: Sequence[Path]) -> Iterator[Instrument]:
    """The detectors with a column in `scores`, a file for each seed, and blind readers of the same text.

    A unit is an item under a twin. Seeds are groups, since each trains models of its own, and kinds are parts, since
    memory may move the scores of two kinds in opposite directions.
    """
    rows = pd.concat([pd.read_parquet(path).assign(group=path.parent.name) for path in scores], ignore_index=True)
    rows = rows.assign(
        unit=rows["group"] + "/" + rows["twin"] + "/" + rows["id"],
        part=rows["kind"],
        condition=rows["form"].str.replace("_", " ") + ", read " + rows["dose"].astype(str) + "x",
        truth=rows["seen"],
        other=rows["form"] != VERBATIM,
    ).sort_values(["other", "dose"], ascending=[True, False], kind="stable")
    for name in (name for name in map(str, rows) if f"{SHUFFLED}_{name}" in rows and name not in IDENTITY):
        yield Instrument(
            kind="detector",
            name=name,
            label=DETECTOR_LABELS.get(name, name),
            claims=f"Has a model read an item in training? Source: {DETECTOR_SOURCES.get(name, 'your own')}.",
            units="items",
            rows=rows.assign(score=rows[name]),
            verdicts=False,
            sources=dict.fromkeys(map(str, scores), "scripts/radar/score_twins.py"),
        )


def rules(verdict: Path, truth: Path, verdict_share: float) -> Iterator[Instrument]:
    """Each set of rules, in each reading, each rule of the sets and of the user's own package, and the baselines.

    A unit is a drawn control of the half that was held out. Its verdict is that of the study: the share of pairs that
    pass, beyond the best place shortcut, reaches `verdict_share`. The truth: every pair is answered from the requested
    column.
    """
    planted = pd.read_parquet(truth).groupby("run").agg(held_out=("held_out", "first"), truth=("reads", "all"))
    drawn = pd.read_parquet(verdict).merge(planted[planted["held_out"]].reset_index(), on="run")
    described = [(run, condition) for run in drawn["run"] for condition in _mechanism(drawn_control(run))]
    rows = pd.DataFrame(described, columns=["run", "condition"]).merge(drawn, on="run").sort_values("condition")
    rows = rows.assign(unit=rows["run"], group=rows["run"], part="", length=np.nan)
    labels = RULE_SETS | {rule.name: rule.name.upper() for rule in RULES}
    labels |= {name: variant.label for name, variant in (VARIANTS | BASELINES).items()}
    for name, label in (labels | {name: name.removeprefix(PREFIX) for name in further_columns(drawn)}).items():
        yield Instrument(
            kind="rule",
            name=name.removeprefix(PREFIX),
            label=label,
            claims=f"Does a model answer from the requested column? Yes, if {label} hold in enough pairs.",
            units="controls",
            rows=rows.assign(score=(corrected(rows[name], rows["shortcut"]) >= verdict_share).astype(float)),
            verdicts=True,
            sources={
                str(verdict): "scripts/grounding/judge_runs.py",
                str(truth): "scripts/grounding/measure_controls.py",
            },
        )


def _mechanism(draw: Draw) -> Iterator[str]:
    """What was drawn for a control; those that ground come first, readers in one block before readers in several."""
    if draw.grounded:
        yield f"reads in {len(draw.shares)} block" + ("s" if len(draw.shares) > 1 else "")
    else:
        shut = f" if the {draw.gate} is open, else {draw.otherwise}" if draw.gate else ""
        yield f"wrong: {'lowers ' if draw.lowers else ''}{draw.policy}{shut}"
    beside = {"a relay": draw.relay, "redundancy": draw.redundant, "a habit": draw.habit, "raised columns": draw.raised}
    yield from (f"with {name}" for name, drawn in beside.items() if drawn)


def judges(
    criteria: Path, levels: Path, papers: Path, trials: Sequence[Path], labels: Mapping[str, str]
) -> Iterator[Instrument]:
    """Each judge of `labels`, by its audited statuses of planted claims, and by `trials`, named as judges, of edits.

    The first three are tables of the summary. A unit is a criterion of a claim, and papers are groups. Of a status the
    truth is YES, and PARTIAL counts as NO. Of an edit the truth is that the status should move, and the verdict that it
    moved so, or moved at all where it should stay.
    """
    statuses, planted, read = map(pd.read_parquet, (criteria, levels, papers))
    tried = {path.stem: path for path in trials}
    for name, label in labels.items():
        scored = judged_at(statuses, name, "audited")
        scored = scored[scored["status"].isin(STATUSES)].assign(part="planted claims")
        scored = scored.assign(
            unit=scored["paper"] + "/" + scored["claim"].astype(str) + "/" + scored["criterion"],
            condition=scored["criterion"],
            truth=scored["truth"] == "YES",
            score=scored["status"] == "YES",
        ).sort_values("condition", key=lambda codes: codes.map(list(CRITERIA).index), kind="stable")
        moved = [_responses(pd.read_parquet(tried[name]))] if name in tried else []
        rows = pd.concat([scored, *moved], ignore_index=True)
        n_planted = planted["paper"].isin(read.loc[read["judge"] == name, "paper"]).sum()
        missing = f"{n_planted - len(scored)} of {n_planted} planted statuses, of claims that it did not find"
        yield Instrument(
            kind="judge",
            name=name,
            label=label,
            claims="Does a paper's text meet a criterion for its claim? And does the status follow edited evidence?",
            units="statuses",
            rows=rows.assign(group=rows["paper"], score=rows["score"].astype(float), length=np.nan),
            verdicts=True,
            sources={str(criteria): "scripts/claims/summarise_claims.py"}
            | ({str(tried[name]): "scripts/claims/measure_trust.py"} if moved else {}),
            missing=missing + ("" if moved else f"; edits (snakemake results/claims/trust/{name} measures them)"),
        )


def _responses(trials: pd.DataFrame) -> pd.DataFrame:
    """The responses to edits."""
    moves = responses(judged_statuses(trials))
    step = np.sign(moves["after"] - moves["before"])
    expected = moves["expected"] != 0
    return moves.assign(
        unit=np.arange(len(moves)).astype(str),
        part="edits",
        condition=moves["edit"].where(~moves["edit"].isin(PLACEBOS), ""),  # a placebo moves nothing
        truth=expected,
        score=np.where(expected, step == moves["expected"], step != 0),
    )
