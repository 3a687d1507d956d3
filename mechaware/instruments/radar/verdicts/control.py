"""Refuses a control that cannot be compared with a benchmark, before any model is run."""

from collections.abc import Sequence
from math import comb

import numpy as np

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.inspect_ai import INPUT
from mechaware.core.evaluation_log.lm_eval import PROMPT
from mechaware.instruments.radar.benchmark import Benchmark
from mechaware.instruments.radar.prompts import normalised

CONTROL = "control"  # the column of a table of scores that marks the control's rows
# Share of pairs in which the text of one side is longer; half of the pairs if lengths fit.
_MOST_LONGER = 0.8
_LARGEST_SHARE_GAP = 0.5  # between the shares of items that have a question


def check_control(
    benchmark: Benchmark,
    control: Benchmark,
    *,
    detectors: Sequence[str],
    has_reference: bool,
    level: float,
) -> None:
    """Raise `UserError`, with the number, for a control from which no verdict on the benchmark can follow.

    It has items of the benchmark or a truth, fewer items than a verdict at `level` by those of `detectors` needs that
    have their evidence, questions from other fields of a log, texts of another kind (with or without a question), or of
    another length.
    """
    tests = sum(name != "reference" or has_reference for name in detectors)
    if not tests:
        raise UserError(
            "radar/verdict_detectors: none has its evidence; give a reference, or name loss"
        )
    if taken := next((item for item in benchmark.items if item.id.startswith(f"{CONTROL}/")), None):
        raise UserError(
            f"{benchmark.path}, {taken.place}: id {taken.id} has the form of a control's; rename it"
        )
    texts = {normalised(line.text) for line in benchmark.lines}
    repeated = [item for item in control.items if normalised(item.line.text) in texts]
    if repeated:
        raise UserError(
            f"{control.path}, {repeated[0].place}: also an item of {benchmark.path}, as are {len(repeated)} of "
            f"{len(control.items)} items; a control holds what the model cannot have seen: take them out"
        )
    if control.has_truth:
        raise UserError(
            f"{control.path}: a column seen; no item of a control may have been seen: take it out"
        )
    _check_question_fields(benchmark, control)
    n, m = len(benchmark.items), len(control.items)
    needed = next(
        size for size in range(1, round(tests / level) + 1) if comb(n + size, n) * level >= tests
    )
    if m < needed:
        raise UserError(
            f"{control.path}: {m} items; give {needed} or more: beside {n} items of the benchmark and with {tests} "
            f"detectors, no p-value can reach {level:.3g} with fewer"
        )
    for part in ("question", "answer"):
        shares = [
            sum(bool(getattr(line, part)) for line in side.lines) / len(side.items)
            for side in (benchmark, control)
        ]
        if abs(shares[0] - shares[1]) > _LARGEST_SHARE_GAP:
            raise UserError(
                f"{control.path}: {shares[1]:.0%} of the items have a text in '{part}', {shares[0]:.0%} of those of "
                f"{benchmark.path}; give a control of the same kind"
            )
    # A tie counts half.
    # With scipy, which a config without a control need not load.
    from mechaware.core.stats import (
        area_under_roc,
    )

    longer = area_under_roc(
        *(np.array([len(line.text) for line in side.lines], float) for side in (benchmark, control))
    )
    if not 1 - _MOST_LONGER <= longer <= _MOST_LONGER:
        raise UserError(
            f"{control.path}: an item of {benchmark.path} is longer than one of the control in {longer:.0%} of pairs "
            f"(50% if lengths fit, {_MOST_LONGER:.0%} at most and {1 - _MOST_LONGER:.0%} at least); give a control of "
            "the same length"
        )


def _check_question_fields(benchmark: Benchmark, control: Benchmark) -> None:
    """Refuse two logs of which one has the question alone and the other more, such as the whole prompt.

    Inspect has its own name for the question, which is compared with no field of lm-eval's documents.
    """
    fields, others = benchmark.question_from, control.question_from
    both = fields | others
    if not fields or not others or fields == others or (INPUT in both and PROMPT not in both):
        return
    named, named_other = (
        " and ".join(f"'{each}'" for each in sorted(side)) for side in (fields, others)
    )
    raise UserError(
        f"{control.path}: the questions are read from {named_other}, those of {benchmark.path} from {named}; read both "
        f"alike by mechaware.read_log(path, question=...), for instance '{PROMPT}', the whole prompt, and give the "
        "tables as .parquet"
    )
