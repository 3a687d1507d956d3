"""Does a model read the exchanged word? The rules on a task's pairs, beside behaviour, shortcuts and error rates."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd

from mechaware.frames import Schema, read_csv
from mechaware.grounding.rules import PairMeasurements, Rule, Thresholds
from mechaware.grounding.rules.grounded import GROUNDED, block_sets, most_common_block, most_common_set
from mechaware.grounding.rules.registry import FURTHER, PREFIX, RULE_SETS, RULES, VARIANTS, judge_pairs
from mechaware.grounding.shortcuts import corrected, shortcut_shares
from mechaware.grounding.summaries import cut_profile, map_profile
from mechaware.stats import clopper_pearson

RATES = Schema(text=("rules", "half"))  # of config/calibration/rules.csv
_SETS = {
    "paper": RULE_SETS["paper"],
    "paper_embedding": VARIANTS["paper_embedding"].label,
    "grounded": RULE_SETS["grounded"],
}
_Status = Literal["grounds", "does not ground", "not shown"]
_Record = dict[str, Any]


class TaskVerdict(NamedTuple):
    """The verdict on a task and what it rests on; a list has a record for each row.

    - `status`, by G1 to G5: *does not ground* if too few pairs pass those that are asked, *grounds* if enough pass and
      all are asked, else *not shown*. `reason`: in one sentence. `n`: pairs. `verdict_share`: what is enough.
    - `shortcuts`: the share of clean prompts that each shortcut answers rightly; s is the largest.
    - `rules`: the share of pairs that pass each rule, None if it is not asked.
    - `sets`: by set of rules, `share` of pairs that pass all that are asked, its exact interval low to high,
      `corrected` share (share - s) / (1 - s), None where s is 1, `grounds` (None if a rule is not asked), and `rates`:
      how often this verdict is right about models of known mechanism that were held out (sensitivity of n models
      that ground, specificity of n others, each with its interval), and `auroc` by share of passing pairs.
    - `behaviour`: by prompt and group (all, a place, a category), n answers, right (share), low, high, most_likely.
    - `blocks`: by mode and block, the share of the gap that the word's keys and values carry (`cut_profile`);
      `residual_map`: the share that clean states restore, by position and layer (`map_profile`).
    - `found_block`: in most pairs' sets (None without any). `found_blocks`: the commonest set ("" without any).
    - `pairs`: by pair, gap, blocks, and whether it passes each asked rule.
    - `note`: what may be wrong with how the answers are written (`spacing.spacing_note`); "" for nothing.
    """

    status: _Status
    reason: str
    n: int
    verdict_share: float
    thresholds: dict[str, float]
    shortcuts: dict[str, float]
    rules: dict[str, float | None]
    sets: list[_Record]
    behaviour: list[_Record]
    blocks: list[_Record]
    residual_map: list[_Record]
    found_block: int | None
    found_blocks: str
    pairs: list[_Record]
    note: str


def judge_task(
    measurements: PairMeasurements,
    thresholds: Thresholds,
    calibration: Path,
    *,
    own: Sequence[Rule] = (),
    note: str = "",
    verdict_share: float,
    level: float,
    resamples: int,
    seed: int,
) -> TaskVerdict:
    """The verdict on measured pairs; `own` are rules beside ours, `calibration` is a grounding_drawn.csv.

    `note` is what `spacing_note` says of the pairs.
    """
    rules = (*RULES, *FURTHER, *own)
    asked = [rule.name for rule in rules if rule.is_asked(measurements)]
    further = [rule for rule in rules[len(RULES) :] if rule.name in asked]
    judged = judge_pairs(measurements, thresholds, further)
    judged = judged.rename(columns={f"{PREFIX}{rule.name}": rule.name for rule in further})
    judged["grounded"] = judged[[rule.name for rule in GROUNDED if rule.name in asked]].all(axis=1)
    judged["paper_embedding"] = judged["r3_embedding"]
    lacking = [rule.name.upper() for rule in GROUNDED if rule.name not in asked]
    shortcuts = {str(name): float(share) for name, share in shortcut_shares(measurements.answers).items()}
    rates = read_csv(calibration, RATES).query("half == 'held_out'").set_index("rules")
    sets = []
    for name, label in _SETS.items():
        passing = _corrected(judged[name], max(shortcuts.values(), default=0.0), level)
        enough = passing["corrected"] is not None and passing["corrected"] >= verdict_share
        grounds = None if name == "grounded" and lacking else enough
        sets.append(
            {
                "rules": name,
                "label": label,
                **passing,
                "grounds": grounds,
                "rates": _error_rates(rates.loc[name].to_dict()),
            }
        )
    status, reason = _conclude(sets[-1], shortcuts, lacking, verdict_share)
    cuts, mapped = (table.assign(run="task") for table in (measurements.cuts, measurements.residual_map))
    profile = cut_profile(cuts, tau=thresholds.tau, level=level, resamples=resamples, seed=seed)
    found = block_sets(measurements.cuts, thresholds.alpha)
    by_pair = judged.merge(found[["blocks"]], left_on="pair", right_index=True).rename(columns={"delta": "gap"})
    return TaskVerdict(
        status=status,
        reason=reason,
        n=len(judged),
        verdict_share=verdict_share,
        thresholds=thresholds._asdict(),
        shortcuts=shortcuts,
        rules={rule.name: float(judged[rule.name].mean()) if rule.name in asked else None for rule in rules},
        sets=sets,
        behaviour=_behaviour(measurements.answers, level),
        blocks=_records(profile.drop(columns="run")),
        residual_map=_records(map_profile(mapped).drop(columns="run")),
        found_block=most_common_block(found),
        found_blocks=most_common_set(found),
        pairs=_records(by_pair[["pair", "category", "place", "gap", "blocks", *asked]]),
        note=note,
    )


def _corrected(passed: pd.Series, shortcut: float, level: float) -> _Record:
    """The share of `passed` with its exact interval, and corrected for a shortcut that passes a share of the pairs."""
    share = float(passed.mean())
    beyond = corrected(share, shortcut) if shortcut < 1 else None
    interval = clopper_pearson(int(passed.sum()), len(passed), level)
    return {"share": share, **interval._asdict(), "corrected": beyond}


def _error_rates(drawn: Mapping[Any, Any]) -> _Record:
    """What a row of grounding_drawn says of a set of rules: value, low, high and n of each measure."""
    columns = {
        "sensitivity": ("sensitivity", "sensitivity_low", "sensitivity_high", ["grounded"]),
        "specificity": ("specificity", "specificity_low", "specificity_high", ["others"]),
        "auroc": ("auroc", "low", "high", ["grounded", "others"]),
    }
    return {
        measure: dict(zip(("value", "low", "high"), (float(drawn[name]) for name in names), strict=True))
        | {"n": float(sum(drawn[name] for name in counts))}
        for measure, (*names, counts) in columns.items()
    }


def _conclude(
    grounded: _Record, shortcuts: dict[str, float], lacking: Sequence[str], least: float
) -> tuple[_Status, str]:
    """Status and reason (`TaskVerdict`) from the record of G1 to G5; `lacking` names those that are not asked."""
    which = f"G1 to G5, but for {' and '.join(lacking)} (not asked)," if lacking else "G1 to G5"
    reason = f"{which} hold in {grounded['share']:.0%} of the pairs"
    if shortcuts:
        best = max(shortcuts, key=lambda name: shortcuts[name])
        if grounded["corrected"] is None:
            return "not shown", f"a shortcut ({best}) answers every pair; add pairs that it answers wrongly"
        reason += f", and the best shortcut ({best}) answers {shortcuts[best]:.0%}"
    reason += f"; {least:.0%} is enough, counted beyond the shortcut" if shortcuts else f"; {least:.0%} is enough"
    if grounded["corrected"] < least:
        return "does not ground", reason
    return "not shown" if lacking else "grounds", reason


def _behaviour(answers: pd.DataFrame, level: float) -> list[_Record]:
    """The share of right answers by prompt, over all pairs, at each place and in each category."""
    answers = answers[answers["wanted"] != ""]
    answers = answers.assign(right=answers["answer"] == answers["wanted"], all=" ")
    rows = []
    for kind in ("all", "place", "category"):
        for (prompt, name), part in answers[answers[kind] != ""].groupby(["prompt", kind], sort=False):
            right = int(part["right"].sum())
            interval = clopper_pearson(right, len(part), level)
            shares = {
                "right": right / len(part),
                **interval._asdict(),
                "most_likely": float(part["most_likely"].mean()),
            }
            rows.append({"prompt": prompt, "group": f"{kind} {name}".strip(), "n": len(part), **shares})
    return rows


def _records(table: pd.DataFrame) -> list[_Record]:
    """The rows of a table, missing numbers as None."""
    rows = table.astype(object).where(table.notna(), None).itertuples(index=False, name=None)
    return [dict(zip(map(str, table), row, strict=True)) for row in rows]
