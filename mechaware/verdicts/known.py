"""Scores verdicts on models whose mechanism is known: are they right, and on the right blocks?

A control is a model and a task of the user's for which the answer is known beforehand: whether the
model reads the exchanged word, and in which blocks.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.stats.intervals import clopper_pearson
from mechaware.instruments.grounding.tasks.decision import SETS

# For each measure, whether the controls that it counts read the exchanged word.
_MEASURES = {"sensitivity": True, "specificity": False}


class KnownScores(NamedTuple):
    """Verdicts compared with what is known.

    - `controls`: a row for each control. Columns: control, reads and status; for each set of rules,
      {set}, the share of pairs that pass, and {set}_right, whether the verdict by the set is right.
      {set}_right is missing where a rule of the set is not asked; both are missing where the model
      does not answer with the options. Then the columns about blocks: known_blocks ("1 3"; empty
      where they are not known); found_blocks, the commonest set of blocks whose keys and values
      carry the gap between the prompts; precision and recall of the found blocks, 0 to 1; exact,
      whether the found blocks are the known ones. Precision, recall and exact are missing where the
      blocks are not known.
    - `rates`: a row for each set of rules and measure. Sensitivity is the share of right verdicts
      on the controls that read the word, specificity the share of right verdicts on the others.
      Columns: rules; measure; right, the number of right verdicts; n, the number of the measure's
      controls that have a verdict by the set; value, which is right / n; low and high, its exact
      interval. Value, low and high are missing if n is 0. The interval takes the controls as
      independent draws; for several controls of one design it is too narrow.
    """

    controls: pd.DataFrame
    rates: pd.DataFrame

    @property
    def lines(self) -> list[str]:
        """The rates and the blocks in words, a line each."""
        lines = []
        for rules, rule_rates in self.rates.groupby("rules", sort=False):
            rates = rule_rates.set_index("measure").to_dict("index")
            readers = _counted(rates["sensitivity"], "that read")
            others = _counted(rates["specificity"], "that do not")
            lines.append(f"{SETS[str(rules)].label}: right about {readers}, and about {others}")

        located = self.controls[self.controls["known_blocks"] != ""]
        if len(located):
            lines.append(
                f"blocks: exactly those that are known in {int(located['exact'].sum())} of "
                f"{len(located)} controls, precision {located['precision'].mean():.0%}, "
                f"recall {located['recall'].mean():.0%}"
            )
        return lines


def score_known(
    verdicts: Mapping[str, Mapping[str, Any]],
    reads: Mapping[str, bool],
    blocks: Mapping[str, Sequence[int]] | None = None,
    *,
    confidence_level: float = 0.95,
) -> KnownScores:
    """How often verdicts on a user's controls are right, and how well they name the blocks.

    Args:
        verdicts: By control, the record of the verdict of `mechaware.patch` (`Verdict.record()`, or
            `verdict.json`).
        reads: By control, whether it answers by the exchanged word, in every pair.
        blocks: By control, the blocks, from 1, in which the word's keys and values affect the
            answer; leave a control out if its blocks are not known. Give the blocks of a copier of
            the first column as well: it does not read what is asked for, but these blocks affect
            its answer.
        confidence_level: The confidence level of the intervals.

    Returns:
        The tables, and their summary in words (`KnownScores`). As in the study, a model grounds by
        a set of rules if the share of pairs that pass, corrected for the best shortcut, is at least
        one half (`grounding/verdict_share`).

    Raises:
        UserError: A control is in only one of `verdicts` and `reads`, or its verdict is on another
            question.
    """
    if lacking := sorted(verdicts.keys() ^ reads.keys()):
        raise UserError(
            f"control '{lacking[0]}': it needs both a verdict and whether it reads; "
            "add the missing one"
        )
    known_blocks = blocks or {}
    rows = []
    for name, reads_word in reads.items():
        row = _verdict_columns(name, verdicts[name], reads=reads_word)
        found_blocks = verdicts[name]["evidence"]["found_blocks"]
        row |= _block_columns(known_blocks.get(name, ()), found_blocks)
        rows.append(row)
    controls = pd.DataFrame(rows)

    rates = []
    for rules in SETS:
        for measure, reads_word in _MEASURES.items():
            right = controls.loc[controls["reads"] == reads_word, f"{rules}_right"].dropna()
            rates.append({"rules": rules, "measure": measure} | _rate(right, confidence_level))
    return KnownScores(controls, pd.DataFrame(rates))


def _verdict_columns(name: str, verdict: Mapping[str, Any], *, reads: bool) -> dict[str, object]:
    """The columns of `controls` before the columns about blocks.

    Raises `UserError` if the verdict is on another question.
    """
    if verdict["question"] != "reads":
        raise UserError(
            f"control '{name}': a verdict on the question '{verdict['question']}'; "
            "give one of mechaware.patch"
        )
    row: dict[str, object] = {"control": name, "reads": reads, "status": verdict["status"]}

    # `sets` is empty if the model does not answer with the options: then no rule is asked.
    results = {result["rules"]: result for result in verdict["evidence"]["sets"]}
    for rules in SETS:
        result = results.get(rules, {"share": None, "grounds": None})
        grounds = result["grounds"]
        row[rules] = result["share"]
        row[f"{rules}_right"] = None if grounds is None else grounds == reads
    return row


def _block_columns(known: Sequence[int], found_blocks: str) -> dict[str, object]:
    """The columns of `controls` about blocks; nothing is scored where none are known."""
    row: dict[str, object] = {
        "known_blocks": " ".join(map(str, known)),
        "found_blocks": found_blocks,
        "precision": None,
        "recall": None,
        "exact": None,
    }
    if not known:
        return row

    attributed = {int(block) for block in found_blocks.split()}
    n_shared = len(attributed.intersection(known))
    row["precision"] = n_shared / len(attributed) if attributed else 0.0
    row["recall"] = n_shared / len(set(known))
    row["exact"] = attributed == set(known)
    return row


def _rate(right: pd.Series, confidence_level: float) -> dict[str, float | int | None]:
    """The share of verdicts that are right, with its exact interval."""
    n = len(right)
    n_right = int(right.sum())
    if n == 0:
        return {"right": 0, "n": 0, "value": None, "low": None, "high": None}
    interval = clopper_pearson(n_right, n, confidence_level)
    return {"right": n_right, "n": n, "value": n_right / n, **interval._asdict()}


def _counted(rate: Mapping[Any, Any], which: str) -> str:
    """A rate in words: `3 of 4 that read (19 to 99%)`."""
    counted = f"{rate['right']} of {rate['n']} {which}"
    if rate["n"] == 0:
        return counted
    return f"{counted} ({100 * rate['low']:.0f} to {100 * rate['high']:.0f}%)"
