"""The verdict on a task: does a model read the exchanged word? With its error rates."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

import pandas as pd

from mechaware.core.stats.intervals import clopper_pearson
from mechaware.instruments.grounding.data.pairs import Pair
from mechaware.instruments.grounding.profiles import cut_profile, map_profile
from mechaware.instruments.grounding.rules import Rule, Thresholds
from mechaware.instruments.grounding.rules.grounded import (
    block_sets,
    most_common_block,
    most_common_set,
)
from mechaware.instruments.grounding.rules.registry import FURTHER, RULES
from mechaware.instruments.grounding.tasks.behaviour import (
    MIN_PROBABILITY,
    SwapRate,
    options_probability,
    other_answers,
    predicted_shares,
    swap_rate,
)
from mechaware.instruments.grounding.tasks.decision import (
    DECIDING,
    SETS,
    Decision,
    SetResult,
    Status,
    decide,
    decline,
)
from mechaware.instruments.grounding.tasks.page import TEMPLATES, page_values
from mechaware.instruments.grounding.tasks.self_test import SelfTest, self_test
from mechaware.instruments.grounding.tasks.tables import ComponentTables, TaskMeasurements
from mechaware.verdicts.cases.reads import reads_decisions
from mechaware.verdicts.error_rates import (
    CalibrationRows,
    ErrorRates,
    ModelSize,
    Rate,
    find_error_rates,
)
from mechaware.verdicts.page import Door
from mechaware.verdicts.procedure import Procedure, make_procedure
from mechaware.verdicts.verdict import Outcome, Verdict

PLANTED_TEXT = "requests for SQL"  # the kind of text of the pairs on which the rates were measured
# The half of the drawn controls on which no rule was developed.
_HALF = "held_out"
_OUTCOMES: dict[Status, Outcome] = {
    "grounds": "shown",
    "does not ground": "not shown",
    "not shown": "not shown",
    "cannot tell": "cannot tell",
}
_NOT_ASKED = "no rule was asked, so there is no verdict whose rates could be shown"
DOOR = Door(
    question="Does {model} read the exchanged word in {name}?",
    template=TEMPLATES / "reads.html.j2",
    values=lambda verdict: page_values(
        verdict.evidence.blocks,
        verdict.evidence.residual_map,
        verdict.evidence.answers,
        verdict.evidence.components,
    ),
    planted=(
        "On models whose weights are drawn and written by hand for SQL prompts, and which were "
        "held out when the rules were developed. Sensitivity: models that read the word and are "
        "found to. Specificity: others that are not. AUROC: by the share of pairs that pass."
    ),
    nearby_files="verdict.json has all of it, and the verdict of every rule on every pair.",
)
_ANSWER_COLUMNS = ["pair", "prompt", "wanted", "answer", "options_probability", "likeliest"]
_Record = dict[str, Any]


class ReadsEvidence(NamedTuple):
    """What a verdict on a task rests on; a list has a record for each row.

    - `verdict_share`: the share of pairs, 0 to 1, that must pass.
    - `thresholds`: the thresholds of the rules, by name.
    - `text_length`: the median length of the clean prompts, in characters.
    - `swap`: how often the answer follows the exchanged word (`SwapRate`); None if no corrupted
      prompt wants an answer.
    - `options_probability`: the probability of all options together, a mean over the clean prompts.
    - `answers`: by pair and prompt, wanted ("" without one), answer ("" for a tie),
      options_probability, and likeliest, the text of the likeliest token of all.
    - `predicted`: by predictor, the share of answers (`predicted_shares`).
    - `shortcuts`: the share of clean prompts that each shortcut answers rightly.
    - `rules`: the share of pairs that pass each rule, None if it is not asked.
    - `explanations`: by rule, what a pair that passes it shows.
    - `sets`: the pairs that pass each set of rules (`SetResult`). The status rests on G1 to G5.
    - `behaviour`: by prompt and group (all, a place, a category), n answers, right (share), low,
      high, most_likely.
    - `blocks`: by mode and block, the share of the gap that the word's keys and values carry
      (`cut_profile`).
    - `residual_map`: the share of the gap that clean states restore, by position and layer
      (`map_profile`).
    - `components`: what heads and MLPs do (`ComponentTables`): n, gap, correlation, and scores, a
      record for each; None if no pair has words of equal length, or the model's blocks are not
      known in parts.
    - `faithfulness`: what the set of the strongest components recovers alone, and what is left
      without it, by the size of the set and compared with random sets.
    - `self_test`: how exact patching is on this model (`SelfTest`).
    - `found_block`: the block that most pairs' sets hold; None if no pair has a set.
    - `found_blocks`: the commonest set, such as "1 3"; "" if no pair has a set.
    - `pairs`: by pair, gap, blocks, and whether it passes each asked rule.
    """

    verdict_share: float
    thresholds: dict[str, float]
    text_length: float
    swap: SwapRate | None
    options_probability: float
    answers: list[_Record]
    predicted: list[_Record]
    shortcuts: dict[str, float]
    rules: dict[str, float | None]
    explanations: dict[str, str]
    sets: list[SetResult]
    behaviour: list[_Record]
    blocks: list[_Record]
    residual_map: list[_Record]
    components: _Record | None
    faithfulness: list[_Record]
    self_test: SelfTest
    found_block: int | None
    found_blocks: str
    pairs: list[_Record]

    def record(self) -> dict[str, Any]:
        """The tables as JSON holds them."""
        return self._asdict() | {
            "swap": None if self.swap is None else self.swap._asdict(),
            "sets": [result._asdict() for result in self.sets],
            "self_test": self.self_test._asdict(),
        }


def judge_task(
    task: TaskMeasurements,
    thresholds: Thresholds,
    calibration: pd.DataFrame,
    *,
    size: ModelSize,
    text_length: float,
    own: Sequence[Rule] = (),
    verdict_share: float,
    confidence_level: float,
    resamples: int,
    seed: int,
    notes: Sequence[str] = (),
) -> Verdict[ReadsEvidence]:
    """The verdict on a task: whether the model reads the exchanged word.

    Where the options together have a probability below `MIN_PROBABILITY` in the clean prompts, no
    rule is asked, and the status is *cannot tell*. This bound is not part of the procedure whose
    error rates are measured, since it makes no model *ground*.

    Args:
        task: The measurements of the task's pairs.
        thresholds: The thresholds of the rules.
        calibration: The error rates, from `read_calibration`.
        size: The size of the model.
        text_length: The median length of the clean prompts, in characters (`median_length`).
        own: The user's own rules, which are shown and decide nothing.
        verdict_share: The share of pairs, 0 to 1, that must pass.
        confidence_level: The level of the intervals, such as 0.95.
        resamples: The number of bootstrap samples for the intervals of the blocks' profile.
        seed: The seed of these samples.
        notes: What a reader must know about how the pairs were read, in sentences.
    """
    measurements = task.tables
    swap = swap_rate(measurements.answers, confidence_level)
    if options_probability(measurements.answers) < MIN_PROBABILITY:
        decision = decline(measurements, thresholds, other_answers(measurements.answers))
        reason = decision.reason
        procedure = None
        error_rates = ErrorRates([], [_NOT_ASKED], [])
    else:
        decision = decide(
            measurements,
            thresholds,
            own=own,
            verdict_share=verdict_share,
            confidence_level=confidence_level,
        )
        reason = f"{swap.sentence}; {decision.reason}" if swap else decision.reason
        procedures = reads_procedures(thresholds, verdict_share, decision.asked)
        procedure = procedures[DECIDING]
        error_rates = reads_error_rates(procedures, calibration, size, text_length)

    evidence = _evidence(
        task,
        decision,
        swap,
        thresholds,
        text_length=text_length,
        own=own,
        verdict_share=verdict_share,
        confidence_level=confidence_level,
        resamples=resamples,
        seed=seed,
    )
    return Verdict(
        question="reads",
        status=decision.status,
        outcome=_OUTCOMES[decision.status],
        reason=reason,
        level=confidence_level,
        n=len(decision.judged),
        evidence=evidence,
        procedure=procedure,
        error_rates=error_rates,
        notes=notes,
    )


def median_length(pairs: Sequence[Pair]) -> float:
    """The median length of the clean prompts, in characters."""
    return float(median(len(pair.prompts["clean"].text) for pair in pairs))


def reads_procedures(
    thresholds: Thresholds, verdict_share: float, asked: Sequence[str]
) -> dict[str, Procedure]:
    """By set of rules, the procedure of a verdict by the pairs that pass the set.

    `asked` are the names of the rules that were asked.
    """
    decisions = reads_decisions()
    procedures = {}
    for name, rule_set in SETS.items():
        settings: dict[str, object] = {"rules": name, "verdict_share": verdict_share}
        for threshold in rule_set.thresholds:
            settings[threshold] = getattr(thresholds, threshold)
        asked_of_set = [rule.name for rule in rule_set.rules if rule.name in asked]
        procedures[name] = make_procedure("grounding", settings, asked_of_set, decisions[name])
    return procedures


def with_procedures(
    drawn: pd.DataFrame, truth: pd.DataFrame, thresholds: Thresholds, verdict_share: float
) -> pd.DataFrame:
    """The rates of `score_drawn` as a calibration.

    Adds the procedure, the size of the controls and the kind of text.

    Args:
        drawn: A row for each set of rules and half of the drawn controls (`developed`, `held_out`
            or `all`).
        truth: A row for each pair of each drawn control. Columns: held_out; d_model and n_layers,
            the width and the number of blocks of the control; text_length, the length of the pair's
            clean prompt, in characters.
        thresholds: The thresholds of the rules.
        verdict_share: The share of pairs, 0 to 1, that must pass.

    Returns:
        The rows of `drawn` with the columns of a calibration. Sizes and lengths are medians over
        the half. `procedure` is empty for rules on which no verdict rests.
    """
    procedures = reads_procedures(thresholds, verdict_share, [rule.name for rule in RULES])
    held_out_values = {"developed": [False], "held_out": [True], "all": [False, True]}
    planted = []
    for half in drawn["half"]:
        half_rows = truth[truth["held_out"].isin(held_out_values[half])]
        medians = half_rows[["n_layers", "d_model", "text_length"]].median()
        planted.append(
            {
                "n_layers": int(medians["n_layers"]),
                "d_model": int(medians["d_model"]),
                "text": PLANTED_TEXT,
                "text_length": medians["text_length"],
            }
        )
    columns = pd.DataFrame(planted, index=drawn.index)

    procedure_of_row = []
    for name in drawn["rules"]:
        procedure_of_row.append(procedures[name].text if name in procedures else "")
    return drawn.join(columns).assign(procedure=procedure_of_row)


def reads_error_rates(
    procedures: Mapping[str, Procedure],
    calibration: pd.DataFrame,
    size: ModelSize,
    text_length: float,
) -> ErrorRates:
    """How often each set of rules was right about drawn controls that were held out."""
    held_out = calibration[calibration["half"] == _HALF]
    rates: list[Rate] = []
    missing: list[str] = []
    distance: list[str] = []
    for name, procedure in procedures.items():
        calibrated = find_error_rates(procedure, held_out, size=size, text_length=text_length)
        if calibrated.missing:
            missing.append(f"{SETS[name].label}: {calibrated.missing}")
        rates += _rates(SETS[name].label, calibrated)
        distance += calibrated.distance

    # Sets that were measured on the same controls have the same distance: keep it once.
    return ErrorRates(rates, missing, list(dict.fromkeys(distance)))


def _rates(label: str, calibrated: CalibrationRows) -> list[Rate]:
    """Sensitivity, specificity and AUROC of a set of rules; empty if they were not measured."""
    rates = []
    case: dict[str, str | int | float] = {"rules": label}
    for row in calibrated.rows.to_dict("records"):
        n_grounded = int(row["grounded"])
        n_others = int(row["others"])
        for measure, n in (("sensitivity", n_grounded), ("specificity", n_others)):
            rate = Rate(
                measure=measure,
                value=float(row[measure]),
                low=float(row[f"{measure}_low"]),
                high=float(row[f"{measure}_high"]),
                n=n,
                case=case,
            )
            rates.append(rate)

        # The interval of the area has no prefix in the calibration.
        area = Rate(
            measure="AUROC",
            value=float(row["auroc"]),
            low=float(row["low"]),
            high=float(row["high"]),
            n=n_grounded + n_others,
            case=case,
        )
        rates.append(area)
    return rates


def _evidence(
    task: TaskMeasurements,
    decision: Decision,
    swap: SwapRate | None,
    thresholds: Thresholds,
    *,
    text_length: float,
    own: Sequence[Rule],
    verdict_share: float,
    confidence_level: float,
    resamples: int,
    seed: int,
) -> ReadsEvidence:
    """The decision, the behaviour, and where the word is read."""
    measurements = task.tables
    judged = decision.judged
    asked = decision.asked
    answers = measurements.answers

    # The profiles expect tables of several runs; here the task is the only one.
    cuts = measurements.cuts.assign(run="task")
    residual_map = measurements.residual_map.assign(run="task")
    profile = cut_profile(
        cuts, tau=thresholds.tau, confidence_level=confidence_level, resamples=resamples, seed=seed
    )
    sets_by_pair = block_sets(measurements.cuts, thresholds.alpha)
    by_pair = judged.merge(sets_by_pair[["blocks"]], left_on="pair", right_index=True)
    by_pair = by_pair.rename(columns={"delta": "gap"})

    shares: dict[str, float | None] = {}
    explanations = {}
    for rule in (*RULES, *FURTHER, *own):
        shares[rule.name] = float(judged[rule.name].mean()) if rule.name in asked else None
        explanations[rule.name] = rule.explanation.format(**thresholds._asdict())
    return ReadsEvidence(
        verdict_share=verdict_share,
        thresholds=thresholds._asdict(),
        text_length=text_length,
        swap=swap,
        options_probability=options_probability(answers),
        answers=_records(answers[_ANSWER_COLUMNS]),
        predicted=_records(predicted_shares(answers)),
        shortcuts=decision.shortcuts,
        rules=shares,
        explanations=explanations,
        sets=decision.sets,
        behaviour=_behaviour(answers, confidence_level),
        blocks=_records(profile.drop(columns="run")),
        residual_map=_records(map_profile(residual_map).drop(columns="run")),
        components=_components(task.components),
        faithfulness=_records(task.components.faithfulness) if task.components else [],
        self_test=self_test(measurements, task.unequal),
        found_block=most_common_block(sets_by_pair),
        found_blocks=most_common_set(sets_by_pair),
        pairs=_records(by_pair[["pair", "category", "place", "gap", "blocks", *asked]]),
    )


def _components(tables: ComponentTables | None) -> _Record | None:
    """Attribution and patching of heads and MLPs, without faithfulness."""
    if tables is None:
        return None
    return {
        "n": tables.n,
        "gap": tables.gap,
        "correlation": tables.correlation,
        "scores": _records(tables.scores),
    }


def _behaviour(answers: pd.DataFrame, confidence_level: float) -> list[_Record]:
    """The share of right answers by prompt, over all pairs, at each place and in each category.

    Prompts that want no answer do not count.
    """
    answers = answers[answers["wanted"] != ""]
    # The column `all` puts all pairs in one group. Its value is blank, so that the group's label is
    # `all`.
    answers = answers.assign(right=answers["answer"] == answers["wanted"], all=" ")
    rows: list[_Record] = []
    for kind in ("all", "place", "category"):
        # Pairs may have no place or no category.
        named = answers[answers[kind] != ""]
        for (prompt, name), part in named.groupby(["prompt", kind], sort=False):
            n_right = int(part["right"].sum())
            interval = clopper_pearson(n_right, len(part), confidence_level)
            rows.append(
                {
                    "prompt": prompt,
                    "group": f"{kind} {name}".strip(),
                    "n": len(part),
                    "right": n_right / len(part),
                    "low": interval.low,
                    "high": interval.high,
                    "most_likely": float(part["most_likely"].mean()),
                }
            )
    return rows


def _records(table: pd.DataFrame) -> list[_Record]:
    """The rows of a table, missing numbers as None."""
    rows = table.astype(object).where(table.notna(), None).itertuples(index=False, name=None)
    return [dict(zip(map(str, table), row, strict=True)) for row in rows]
