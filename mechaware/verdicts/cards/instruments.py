"""The detectors, rules and judges of a run: each study's tables as the long table of a card."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from mechaware.instruments.claims.rubric.criteria import CRITERIA, RANK, STATUSES
from mechaware.instruments.grounding.rules.registry import (
    BASELINES,
    PREFIX,
    RULE_SETS,
    RULES,
    VARIANTS,
    further_columns,
)
from mechaware.instruments.grounding.shortcuts import corrected
from mechaware.instruments.radar.detectors import logit_lens
from mechaware.instruments.radar.detectors.columns import SHUFFLED, columns_of_detectors
from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.planted.controls.draw import Draw
from mechaware.planted.controls.generator import drawn_control
from mechaware.planted.papers.judged import judged_at
from mechaware.planted.twins.items import VERBATIM
from mechaware.planted.twins.scoring import DETECTOR_LABELS, DETECTOR_SOURCES, read_scores
from mechaware.verdicts.cards.card import CHANCE, Instrument
from mechaware.verdicts.cards.names import BLIND_JUDGE
from mechaware.verdicts.trust.edits import PLACEBOS
from mechaware.verdicts.trust.responses import judged_statuses, repeats, responses
from mechaware.verdicts.trust.trials import RETEST

# In the cards of detectors that are fitted on planted names.
_FITTED = (
    "It is a classifier, fitted on planted names of other seeds and on no docstrings. What the logit lens over "
    "layers adds to likelihoods is the difference between its card and that of the likelihoods, fitted alike."
)


def detectors(
    scores: Sequence[Path],
    own_scores: Sequence[Path] = (),
    own: Sequence[Detector] = (),
    text_scores: Sequence[Path] = (),
    lens_scores: Sequence[Path] = (),
) -> Iterator[Instrument]:
    """Each detector that has scores, and each blind reader of the same texts.

    A unit is an item under a twin. Seeds are groups, since each seed trains models of its own. Kinds of items are
    parts, since memory may move the scores of two kinds in opposite directions; docstrings are a kind.

    Args:
        scores: The scores of planted questions (`score_twins`), a file for each seed.
        own_scores: The scores by the detectors of `own`, a file for each seed; empty without such detectors.
        own: The detectors of the user's own package.
        text_scores: The scores of planted docstrings (`score_texts`), a file for each of their seeds; detectors of
            `own` have none there.
        lens_scores: The scores of the detectors that are fitted on planted names: a file for names, then one for
            docstrings (`_fitted_scores`).
    """
    rows = _item_rows(scores, own_scores, text_scores, lens_scores)
    labels = DETECTOR_LABELS | logit_lens.LABELS
    references = DETECTOR_SOURCES | logit_lens.SOURCES
    for detector in own:
        labels[detector.name] = detector.label
        references[detector.name] = f"{detector.source} (your own)"
    made_by = dict.fromkeys(map(str, scores), "scripts/radar/score_twins.py")
    made_by |= dict.fromkeys(map(str, text_scores), "scripts/radar/measure_text_twins.py")
    own_made_by = dict.fromkeys(map(str, own_scores), "scripts/radar/score_twins_by_own.py")
    lens_made_by: dict[str, str] = {}
    if lens_scores:
        on_names, on_docstrings = lens_scores
        lens_made_by = {
            str(on_names): "scripts/radar/score_logit_lens.py",
            str(on_docstrings): "scripts/radar/score_text_logit_lens.py",
        }
    own_names = {detector.name for detector in own}

    for name in columns_of_detectors(map(str, rows.columns)):
        claims = (
            f"Has a model read an item in training? Source: {references[name]}. Each text was read by one "
            "of two twins and stands on both sides: who reads texts alone is at 0.5 by design."
        )
        sources = made_by
        if name in own_names:
            sources = own_made_by
        elif name in logit_lens.READS:
            claims = f"{claims} {_FITTED}"
            sources = made_by | lens_made_by
        yield Instrument(
            kind="detector",
            name=name,
            label=labels[name],
            claims=claims,
            units="items",
            # A detector that scores only names, or only docstrings, has no score in the other rows.
            rows=rows.assign(score=rows[name]).dropna(subset="score"),
            cut=None,
            sources=sources,
        )


def _item_rows(
    scores: Sequence[Path],
    own_scores: Sequence[Path],
    text_scores: Sequence[Path],
    lens_scores: Sequence[Path],
) -> pd.DataFrame:
    """A row for each item under each twin: the scores of all detectors, and the columns of a card but `score`.

    The arguments are those of `detectors`.
    """
    tables = []
    for path, table in zip(scores, read_scores(scores, own_scores), strict=True):
        tables.append(table.assign(group=path.parent.name))
    for path in text_scores:
        tables.append(pd.read_parquet(path).assign(group=f"docstrings {path.parent.name}"))
    rows = pd.concat(tables, ignore_index=True)
    if lens_scores:
        on_names, on_docstrings = lens_scores
        fitted = _fitted_scores(pd.read_parquet(on_names), pd.read_parquet(on_docstrings))
        rows = rows.merge(fitted, how="left", on=["group", "twin", "id"], validate="one_to_one")

    form = rows["form"].str.replace("_", " ")
    rows = rows.assign(
        unit=rows["group"] + "/" + rows["twin"] + "/" + rows["id"],
        part=rows["kind"],
        condition=form + ", read " + rows["dose"].astype(str) + "x",
        truth=rows["seen"],
        is_altered=rows["form"] != VERBATIM,
    )
    # A card lists conditions in the order of the rows: items that were read verbatim first, the highest dose first.
    return rows.sort_values(["is_altered", "dose"], ascending=[True, False], kind="stable")


def _fitted_scores(on_names: pd.DataFrame, on_docstrings: pd.DataFrame) -> pd.DataFrame:
    """The scores of the classifiers of `logit_lens`, with the truth and without it, by group, twin and id.

    The arguments are tables of `score_logit_lens`. Names are scored by a fit on other seeds. Docstrings, as any text of
    a user's, are scored by a fit on names.
    """
    name_scores = on_names[on_names["fit"] == logit_lens.OTHER_SEEDS]
    docstring_scores = on_docstrings[on_docstrings["fit"] == logit_lens.NAMES]
    tables = [
        name_scores.assign(group="s" + name_scores["seed"].astype(str)),
        docstring_scores.assign(group="docstrings s" + docstring_scores["seed"].astype(str)),
    ]
    columns = ["group", "twin", "id"]
    for name in logit_lens.READS:
        columns += [name, f"{SHUFFLED}_{name}"]
    return pd.concat(tables, ignore_index=True)[columns]


def rules(verdict: Path, truth: Path, verdict_share: float) -> Iterator[Instrument]:
    """Each set of rules and its variants, each rule of the sets and of the user's own package, and the baselines.

    A unit is a drawn control of the half that was held out. Its score is the share of pairs that pass, corrected for
    the best place shortcut. Its verdict is yes if this share is at least `verdict_share`, as in the study. Its truth is
    whether every pair is answered from the requested column.

    Args:
        verdict: The file with the share of passing pairs, a row for each run.
        truth: The file with the truth about each prompt of each control.
        verdict_share: The share of pairs, 0 to 1, that must pass.
    """
    by_prompt = pd.read_parquet(truth)
    planted = by_prompt.groupby("run").agg(held_out=("held_out", "first"), truth=("reads", "all"))
    held_out = planted[planted["held_out"]].reset_index()
    drawn = pd.read_parquet(verdict).merge(held_out, on="run")

    conditions: list[tuple[str, str]] = []
    for run, grounds in zip(drawn["run"], drawn["truth"], strict=True):
        for condition in _mechanism(drawn_control(run), grounds=grounds):
            conditions.append((run, condition))
    rows = pd.DataFrame(conditions, columns=["run", "condition"]).merge(drawn, on="run")
    rows = rows.sort_values(["truth", "condition"], ascending=[False, True])
    rows = rows.assign(unit=rows["run"], group=rows["run"], part="", length=np.nan)

    labels = dict(RULE_SETS)
    for rule in RULES:
        labels[rule.name] = rule.name.upper()
    for name, variant in (VARIANTS | BASELINES).items():
        labels[name] = variant.label
    for name in further_columns(drawn):
        labels[name] = name.removeprefix(PREFIX)
    for name, label in labels.items():
        yield Instrument(
            kind="rule",
            name=name.removeprefix(PREFIX),
            label=label,
            claims="Does a model answer from the requested column in every pair? The score is the share of pairs that "
            f"pass, corrected for the best place shortcut; it says yes from {verdict_share:.0%} on.",
            units="controls",
            rows=rows.assign(score=corrected(rows[name], rows["shortcut"])),
            cut=verdict_share,
            sources={
                str(verdict): "scripts/grounding/judge_runs.py",
                str(truth): "scripts/grounding/measure_controls.py",
            },
        )


def _mechanism(draw: Draw, *, grounds: bool) -> Iterator[str]:
    """The conditions of a control, in words: "reads in 2 blocks", "wrong, with a habit".

    `grounds` is the truth about the control.
    """
    if grounds:
        n_blocks = len(draw.shares)
        yield f"reads in {n_blocks} blocks" if n_blocks > 1 else f"reads in {n_blocks} block"
    else:
        policy = f"lowers {draw.policy}" if draw.lowers else draw.policy
        if draw.gate:
            policy += f" if the {draw.gate} is open, else {draw.otherwise}"
        yield f"wrong: {policy}"

    further_parts = {
        "a relay": draw.relay,
        "redundancy": draw.redundant,
        "a habit": draw.habit,
        "raised columns": draw.raised,
    }
    for name, is_drawn in further_parts.items():
        if is_drawn:
            yield f"reads, with {name}" if grounds else f"wrong, with {name}"


def judges(
    criteria: Path,
    levels: Path,
    papers: Path,
    trials: Sequence[Path],
    labels: Mapping[str, str],
    on_prose: Mapping[str, str],
) -> Iterator[Instrument]:
    """Each judge, by its audited statuses of planted claims and by its responses to edits; then a blind judge.

    A unit is a criterion of a claim, and papers are groups. The blind judge reads no text: it answers YES where most
    other planted papers have YES.

    Args:
        criteria: The summary's table of judged statuses.
        levels: The summary's table of planted statuses.
        papers: The summary's table of papers.
        trials: The trials of judges, one file each, named as the judge.
        labels: By judge, its label; cards are made of these judges, in this order.
        on_prose: By judge, how it does on real prose, in sentences; a judge may be missing.
    """
    statuses = pd.read_parquet(criteria)
    planted = pd.read_parquet(levels)
    read = pd.read_parquet(papers)
    made_by = dict.fromkeys(
        [str(criteria), str(levels), str(papers)], "scripts/claims/summarise_claims.py"
    )
    trials_of = {path.stem: path for path in trials}
    for name, label in labels.items():
        scored = judged_at(statuses, name, "audited")
        scored = scored[scored["status"].isin(STATUSES)]
        papers_read = read.loc[read["judge"] == name, "paper"]
        n_planted = planted["paper"].isin(papers_read).sum()
        missing = [
            f"{n_planted - len(scored)} of {n_planted} planted statuses, of claims that it did not find"
        ]
        parts = [_planted_units(scored, scored["status"] == "YES")]
        sources = dict(made_by)

        if name in trials_of:
            edited, n_stuck = _edited_units(pd.read_parquet(trials_of[name]))
            parts.append(edited)
            sources[str(trials_of[name])] = "scripts/claims/measure_trust.py"
            missing.append(
                f"{n_stuck} edited statuses that could not move, as they were at that end before"
            )
        else:
            missing.append(f"edits (snakemake results/claims/trust/{name} measures them)")
        if name not in on_prose:
            missing.append("real prose (mechaware judge measures it)")

        judge = _judge(name, label, parts, sources, "; ".join(missing))
        yield judge._replace(not_planted=on_prose.get(name, ""))

    yield _judge(
        BLIND_JUDGE,
        "most frequent status (blind)",
        [_planted_units(planted, _usually_yes(planted))],
        made_by,
        "edits",
    )


def _judge(
    name: str, label: str, parts: list[pd.DataFrame], sources: Mapping[str, str], missing: str
) -> Instrument:
    """A judge, by the units of each part; `sources` and `missing` as in `Instrument`."""
    rows = pd.concat(parts, ignore_index=True)
    return Instrument(
        kind="judge",
        name=name,
        label=label,
        claims="Does a paper's text meet a criterion for its claim? The truth is YES; PARTIAL counts as NO. And does a "
        "status move where its evidence was edited, and nowhere else?",
        units="statuses",
        rows=rows.assign(group=rows["paper"], score=rows["score"].astype(float), length=np.nan),
        cut=CHANCE,
        sources=sources,
        missing=missing,
    )


def _planted_units(statuses: pd.DataFrame, says_yes: pd.Series) -> pd.DataFrame:
    """Units of statuses with their truth: a row for each criterion of a claim, in the order of the rubric."""
    index_in_rubric = {code: index for index, code in enumerate(CRITERIA)}
    units = statuses.assign(
        unit=statuses["paper"] + "/" + statuses["claim"].astype(str) + "/" + statuses["criterion"],
        part="planted claims",
        condition=statuses["criterion"],
        truth=statuses["truth"] == "YES",
        score=says_yes,
    )
    return units.sort_values(
        "condition", key=lambda codes: codes.map(index_in_rubric), kind="stable"
    )


def _usually_yes(planted: pd.DataFrame) -> pd.Series:
    """For each planted status, whether YES is the truth in more than half of the other papers' claims.

    Only claims' statuses on the same criterion count.
    """
    is_yes = (planted["truth"] == "YES").astype(float)
    by_criterion = is_yes.groupby(planted["criterion"])
    by_criterion_and_paper = is_yes.groupby([planted["criterion"], planted["paper"]])
    n_yes = by_criterion.transform("sum") - by_criterion_and_paper.transform("sum")
    n_claims = by_criterion.transform("size") - by_criterion_and_paper.transform("size")
    return n_yes / n_claims > CHANCE


def _edited_units(trials: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The units of edits, and how many edited statuses could not move.

    The verdict is whether a status moved, in either direction; the truth that its evidence was edited. A text that is
    judged again without an edit is also a condition.
    """
    judged = judged_statuses(trials)
    moves = pd.concat([responses(judged), repeats(judged)], ignore_index=True)
    cannot_fall = (moves["expected"] < 0) & (moves["before"] == 0)
    cannot_rise = (moves["expected"] > 0) & (moves["before"] == max(RANK.values()))
    is_stuck = cannot_fall | cannot_rise
    moves = moves[~is_stuck]

    is_placebo = moves["edit"].isin(PLACEBOS)
    conditions = moves["edit"].mask(is_placebo, "nothing edited, other words")
    units = moves.assign(
        unit=np.arange(len(moves)).astype(str),
        part="edits",
        condition=conditions.replace(RETEST, "read again"),
        truth=moves["expected"] != 0,
        score=moves["after"] != moves["before"],
    )
    return units, int(is_stuck.sum())
