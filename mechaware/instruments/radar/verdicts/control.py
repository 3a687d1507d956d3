"""Refuses a control that cannot be compared with a benchmark, before any model is run."""

from collections.abc import Iterable, Sequence
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
    significance: float,
) -> None:
    """Raise `UserError` for a control from which no verdict on the benchmark can follow.

    A control is refused if

    - it has items of the benchmark, or a truth;
    - it has fewer items than a test at `significance` needs, corrected for the number of `detectors` (the detector
      `reference` counts only with a reference model);
    - its questions come from other fields of a log;
    - its texts are of another kind (with or without a question) or of another length.
    """
    tests = sum(name != "reference" or has_reference for name in detectors)
    if not tests:
        raise UserError(
            "radar/verdict_detectors: none of these detectors can score the benchmark; add loss, which needs no "
            "reference model, or give the benchmark the key reference"
        )
    for item in benchmark.items:
        if item.id.startswith(f"{CONTROL}/"):
            raise UserError(
                f"{benchmark.path}, {item.place}: id {item.id}: an item's id must not begin with {CONTROL}/, as ids of "
                "the control do in scores.csv; rename it"
            )
    texts = {normalised(line.text) for line in benchmark.lines}
    repeated = [item for item in control.items if normalised(item.line.text) in texts]
    if repeated:
        raise UserError(
            f"{control.path}, {repeated[0].place}: also an item of {benchmark.path}, as are {len(repeated)} of "
            f"{len(control.items)} items; a control holds what the model cannot have seen: remove them"
        )
    if control.has_truth:
        raise UserError(
            f"{control.path}: a column seen; no item of a control may have been seen: remove it"
        )
    _check_question_fields(benchmark, control)
    _check_size(benchmark, control, tests, significance)
    _check_kind(benchmark, control)
    _check_lengths(benchmark, control)


def _check_size(benchmark: Benchmark, control: Benchmark, tests: int, significance: float) -> None:
    """Refuse a control that is too small.

    With n items and m controls the smallest p-value of a test is 1 / C(n + m, n), and Holm's correction multiplies it
    by the number of `tests`.
    """
    n = len(benchmark.items)
    needed = 1
    while comb(n + needed, n) * significance < tests:
        needed += 1
    if len(control.items) < needed:
        raise UserError(
            f"{control.path}: {len(control.items)} items; give {needed} or more: against {n} items of the benchmark "
            f"and with {tests} detectors, no p-value can reach {significance:.3g} with fewer"
        )


def _check_kind(benchmark: Benchmark, control: Benchmark) -> None:
    """Refuse a control in which many more, or many fewer, items have a question, or an answer."""
    for part in ("question", "answer"):
        share = _share_with(part, benchmark)
        control_share = _share_with(part, control)
        if abs(share - control_share) > _LARGEST_SHARE_GAP:
            raise UserError(
                f"{control.path}: {control_share:.0%} of the items have a text in '{part}', {share:.0%} of those of "
                f"{benchmark.path}; give a control of the same kind"
            )


def _share_with(part: str, benchmark: Benchmark) -> float:
    """The share of the items whose `part`, question or answer, is not empty."""
    n = sum(bool(getattr(line, part)) for line in benchmark.lines)
    return n / len(benchmark.items)


def _check_lengths(benchmark: Benchmark, control: Benchmark) -> None:
    """Refuse a control whose texts are longer or shorter than the benchmark's in most pairs; a tie counts half."""
    # With scipy, which a config without a control need not load.
    from mechaware.core.stats import area_under_roc

    lengths = np.array([len(line.text) for line in benchmark.lines], float)
    control_lengths = np.array([len(line.text) for line in control.lines], float)
    longer = area_under_roc(lengths, control_lengths)
    if not 1 - _MOST_LONGER <= longer <= _MOST_LONGER:
        raise UserError(
            f"{control.path}: an item of {benchmark.path} is longer than one of the control in {longer:.0%} of pairs "
            f"(50% if lengths fit, {_MOST_LONGER:.0%} at most and {1 - _MOST_LONGER:.0%} at least); give a control of "
            "the same length"
        )


def _check_question_fields(benchmark: Benchmark, control: Benchmark) -> None:
    """Refuse two logs whose questions are in different fields, such as the question alone and the whole prompt.

    Inspect has its own name for the question, which is compared with no field of lm-eval's documents.
    """
    fields = benchmark.question_from
    control_fields = control.question_from
    if not fields or not control_fields or fields == control_fields:
        return
    both = fields | control_fields
    if INPUT in both and PROMPT not in both:
        return

    raise UserError(
        f"{control.path}: the questions are read from {_in_quotes(control_fields)}, those of {benchmark.path} from "
        f"{_in_quotes(fields)}; read both alike by mechaware.read_log(path, question=...), for instance '{PROMPT}', "
        "the whole prompt, and give the tables as .parquet"
    )


def _in_quotes(fields: Iterable[str]) -> str:
    """The fields for a message: `'goal' and 'question'`."""
    return " and ".join(f"'{field}'" for field in sorted(fields))
