"""Does a model read the exchanged word? The rules on a task's pairs, beside behaviour, shortcuts and error rates."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pandas as pd

from mechaware.errors import UserError
from mechaware.frames import Schema, read_csv
from mechaware.grounding.rules import PairMeasurements, Rule, Thresholds
from mechaware.grounding.rules.grounded import block_sets, most_common_block, most_common_set
from mechaware.grounding.rules.registry import FURTHER, GROUNDED, PREFIX, RULE_SETS, RULES, VARIANTS, judge_pairs
from mechaware.grounding.summaries import cut_profile, map_profile, recovery_profile
from mechaware.grounding.tasks.table import TaskPair, shortcut_shares
from mechaware.seeds import derive_seed
from mechaware.stats import clopper_pearson

RATES = Schema(text=("rules", "measure", "wrong"))  # of config/calibration/rules.csv
_SETS = {"paper": RULE_SETS["paper"], "paper_embedding": VARIANTS["paper_embedding"].label}
_SETS["grounded"] = RULE_SETS["grounded"]
_Record = dict[str, Any]


class TaskVerdict(NamedTuple):
    """The verdict on a task and what it rests on; each list is of rows, by column.

    - `status`: by G1 to G5. A model *does not ground* if too few pairs pass those that are asked, and *grounds* if all
      are asked and enough pairs pass. It is *not shown* that it grounds if enough pass, but some rule is not asked.
    - `reason`: the verdict in one sentence. `n`: pairs. `verdict_share`: what is enough, after the correction.
    - `shortcuts`: the share of pairs that each shortcut answers rightly. `best_shortcut`: the largest, s.
    - `rules`: by rule, whether it is asked, and the share of pairs that pass (None if it is not).
    - `sets`: by set of rules, the share of pairs that pass all that are asked, its exact interval low to high, the share
      corrected for the best shortcut (share - s) / (1 - s) (None where s is 1), `grounds` (corrected share of at least
      `verdict_share`, all rules asked), and `rates`: how often the set's uncorrected verdict is right about our controls.
    - `behaviour`: by prompt and group (all, a place, a category), n answers, right (share), low, high, most_likely.
    - `blocks`: by mode and block, the share of the gap that its keys and values recover or remove (`cut_profile`).
      `found_block`, `found_blocks`: the block in most pairs' sets, and the commonest set with its `found_share`.
    - `layers`: by layer, the share that the residual stream at the word recovers (`recovery_profile`). `residual_map`:
      its median over pairs by position and layer. `pairs`: by pair, gap, blocks, and whether each asked rule holds.
    """

    status: Literal["grounds", "does not ground", "not shown"]
    reason: str
    n: int
    verdict_share: float
    thresholds: dict[str, float]
    shortcuts: dict[str, float]
    best_shortcut: float
    rules: list[_Record]
    sets: list[_Record]
    behaviour: list[_Record]
    blocks: list[_Record]
    found_block: int | None
    found_blocks: str
    found_share: float
    layers: list[_Record]
    residual_map: list[_Record]
    pairs: list[_Record]


def judge_task(
    pairs: Sequence[TaskPair],
    measurements: PairMeasurements,
    thresholds: Thresholds,
    calibration: Path,
    *,
    own: Sequence[Rule] = (),
    verdict_share: float,
    level: float,
    resamples: int,
    seed: int,
) -> TaskVerdict:
    """The verdict on the measured `pairs`; `own` are rules beside ours, and `calibration` a table of error rates.

    Raises `UserError` for a `calibration` that has no error rates.
    """
    further = (*FURTHER, *own)
    asked = {rule.name: rule.is_asked(measurements) for rule in (*RULES, *further)}
    judged = judge_pairs(measurements, thresholds, [rule for rule in further if asked[rule.name]])
    columns = {name: name if name in judged else f"{PREFIX}{name}" for name in asked if asked[name]}
    shortcuts = shortcut_shares(pairs)
    best = max(shortcuts.values(), default=0.0)
    judged["grounded"] = judged[[rule.name for rule in GROUNDED if asked[rule.name]]].all(axis=1)
    judged["paper_embedding"] = judged["r3_embedding"]
    rates = _read_rates(calibration)
    lacking = [rule.name.upper() for rule in GROUNDED if not asked[rule.name]]
    sets = [
        {"rules": name, "label": label, "asked": name != "grounded" or not lacking}
        | _corrected(judged[name], best, level)
        | {"rates": _rates(rates, name)}
        for name, label in _SETS.items()
    ]
    for row in sets:
        row["grounds"] = row["asked"] and row["corrected"] is not None and row["corrected"] >= verdict_share
    status, reason = _conclude(sets[-1], shortcuts, lacking, verdict_share)
    draws = {"level": level, "resamples": resamples}
    cuts, patching = (table.assign(run="task") for table in (measurements.cuts, measurements.patching))
    found = block_sets(measurements.cuts, thresholds.alpha)
    common = most_common_set(found)
    by_pair = judged.merge(found[["blocks"]], left_on="pair", right_index=True).rename(columns={"delta": "gap"})
    return TaskVerdict(
        status=status,
        reason=reason,
        n=len(judged),
        verdict_share=verdict_share,
        thresholds=thresholds._asdict(),
        shortcuts=shortcuts,
        best_shortcut=best,
        rules=[
            {"rule": name, "asked": asked[name], "share": float(judged[columns[name]].mean()) if asked[name] else None}
            for name in asked
        ],
        sets=sets,
        behaviour=_behaviour(measurements.answers, level),
        blocks=_rows(cut_profile(cuts, tau=thresholds.tau, seed=derive_seed(seed, "blocks"), **draws)),
        found_block=most_common_block(found),
        found_blocks=common,
        found_share=float((found["blocks"] == common).mean()) if common else 0.0,
        layers=_rows(recovery_profile(patching, tau=thresholds.tau, seed=derive_seed(seed, "layers"), **draws)),
        residual_map=_rows(map_profile(measurements.residual_map.assign(run="task"))),
        pairs=by_pair[["pair", "category", "place", "gap", "blocks", *columns.values()]].to_dict("records"),
    )


def _corrected(passed: pd.Series, best: float, level: float) -> _Record:
    """The share of `passed` with its exact interval, and corrected for a shortcut that passes in `best` of the pairs."""
    share = float(passed.mean())
    interval = clopper_pearson(int(passed.sum()), len(passed), level)
    corrected = (share - best) / (1 - best) if best < 1 else None
    return {"share": share, **interval._asdict(), "corrected": corrected}


def _conclude(
    grounded: Mapping[str, Any], shortcuts: Mapping[str, float], lacking: Sequence[str], least: float
) -> tuple[Literal["grounds", "does not ground", "not shown"], str]:
    """The status and its reason (`TaskVerdict`), from the row of G1 to G5; `lacking` names the rules not asked."""
    named = max(shortcuts, key=lambda name: shortcuts[name], default="")
    shortcut = f"the best shortcut, {named}, answers {shortcuts[named]:.0%}" if named else "no shortcut is given"
    which = f"of G1 to G5 all but {' and '.join(lacking)}, which the table does not ask," if lacking else "G1 to G5"
    passes = f"{which} hold in {grounded['share']:.0%} of the pairs; {shortcut}"
    if grounded["corrected"] is None:
        return "not shown", f"a shortcut ({named}) answers every pair; add pairs that it answers wrongly"
    reason = f"{passes}; corrected for it {grounded['corrected']:.0%}, where {least:.0%} is enough"
    if grounded["corrected"] < least:
        return "does not ground", reason
    return "not shown" if lacking else "grounds", reason


def _behaviour(answers: pd.DataFrame, level: float) -> list[_Record]:
    """The share of right answers by prompt, over all pairs, at each place and in each category."""
    answers = answers.assign(right=answers["answer"] == answers["wanted"], all="")
    rows = []
    for prompt, part in answers[answers["wanted"] != ""].groupby("prompt", sort=False):
        for kind in ("all", "place", "category"):
            for name, group in part.groupby(kind):
                if kind == "all" or name:
                    n, right = len(group), int(group["right"].sum())
                    shares = {"right": right / n, **clopper_pearson(right, n, level)._asdict()}
                    label = {"prompt": prompt, "group": f"{kind} {name}".strip(), "n": n}
                    rows.append(label | shares | {"most_likely": float(group["most_likely"].mean())})
    return rows


def _rows(profile: pd.DataFrame) -> list[_Record]:
    """The rows of a profile of one run, missing numbers as None."""
    table = profile.drop(columns="run").astype(object)
    records: list[_Record] = table.where(table.notna(), None).to_dict("records")
    return records


def _read_rates(path: Path) -> pd.DataFrame:
    """The error rates of sets of rules, as the table grounding_rule_sets has them. Raises `UserError` for another."""
    header = path.read_text(encoding="utf-8").partition("\n")[0].split(",")
    if missing := {"rules", "measure", "right", "n", "low", "high"} - set(header):
        raise UserError(f"{path}: no column {min(missing)}; name a grounding_rule_sets.csv that a run made")
    return read_csv(path, RATES)


def _rates(rates: pd.DataFrame, rules: str) -> _Record:
    """Sensitivity and specificity of a set of rules, each as right of n with its interval."""
    own = rates[rates["rules"] == rules].set_index("measure")
    return {str(measure): row[["right", "n", "value", "low", "high"]].to_dict() for measure, row in own.iterrows()}
