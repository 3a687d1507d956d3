"""Refuses a control that cannot be compared with a benchmark, before any model is run."""

from collections.abc import Iterable, Sequence
from math import comb

import numpy as np

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.inspect_ai import INPUT
from mechaware.core.evaluation_log.lm_eval import PROMPT
from mechaware.instruments.radar.benchmark import Benchmark
from mechaware.instruments.radar.prompts import normalised

# The column of a table of scores that marks the control's rows. Their ids begin with `control/`.
CONTROL = "control"
# Of the pairs of an item and a control, the largest share in which the item's text, or in which the
# control's, may be the longer one. Where lengths are alike, either share is a half.
_MOST_LONGER = 0.8
# The largest difference between the share of items with a question and the share of controls with
# one; answers are compared likewise.
_LARGEST_SHARE_GAP = 0.5


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

    - it has items of the benchmark;
    - it has a truth, that is, values in the column `seen`;
    - its questions come from fields of a log that are not the benchmark's;
    - it has fewer items than a test at `significance` needs, corrected for the number of
      `detectors` (the detector `reference` counts only with a reference model);
    - its texts are of another kind (with or without a question, or an answer);
    - its texts are of another length.

    A list of detectors none of which can score the benchmark is also refused, and so is a benchmark
    with ids that begin like the control's in the table of scores.
    """
    tests = _count_tests(detectors, has_reference=has_reference)
    _check_ids(benchmark)
    _check_disjoint(benchmark, control)
    if control.has_truth:
        raise UserError(
            f"{control.path}: a column seen; no item of a control may have been seen: remove it"
        )
    _check_question_fields(benchmark, control)
    _check_size(benchmark, control, tests, significance)
    _check_kind(benchmark, control)
    _check_lengths(benchmark, control)


def _count_tests(detectors: Sequence[str], *, has_reference: bool) -> int:
    """The number of detectors that can score the benchmark; none is an error."""
    tests = sum(name != "reference" or has_reference for name in detectors)
    if not tests:
        raise UserError(
            "radar/verdict_detectors: none of these detectors can score the benchmark; add loss, "
            "which needs no reference model, or give the benchmark the key reference"
        )
    return tests


def _check_ids(benchmark: Benchmark) -> None:
    """Refuse an item whose id would look like the id of a control in the table of scores."""
    for item in benchmark.items:
        if item.id.startswith(f"{CONTROL}/"):
            raise UserError(
                f"{benchmark.path}, {item.place}: id {item.id}: an item's id must not begin with "
                f"{CONTROL}/, as ids of the control do in scores.csv; rename it"
            )


def _check_disjoint(benchmark: Benchmark, control: Benchmark) -> None:
    """Refuse a control that has a text of the benchmark, compared as `normalised` texts."""
    texts = {normalised(line.text) for line in benchmark.lines}
    repeated = [item for item in control.items if normalised(item.line.text) in texts]
    if repeated:
        raise UserError(
            f"{control.path}, {repeated[0].place}: also an item of {benchmark.path}, as are "
            f"{len(repeated)} of {len(control.items)} items; a control holds what the model cannot "
            "have seen: remove them"
        )


def _check_question_fields(benchmark: Benchmark, control: Benchmark) -> None:
    """Refuse two logs whose questions are in different fields.

    For example, one log has the question alone, the other the whole prompt. A table has no fields,
    and is accepted together with every log.
    """
    fields = benchmark.question_from
    control_fields = control.question_from
    if not fields or not control_fields or fields == control_fields:
        return
    # Inspect names every question `INPUT`, so that the name cannot be compared with those of fields
    # of lm-eval's documents. Together with lm-eval's whole prompt, `PROMPT`, it is refused.
    both = fields | control_fields
    if INPUT in both and PROMPT not in both:
        return

    raise UserError(
        f"{control.path}: the questions are read from {in_quotes(control_fields)}, those of "
        f"{benchmark.path} from {in_quotes(fields)}; read both alike by "
        f"mechaware.read_log(path, question=...), for instance '{PROMPT}', the whole prompt, and "
        "give the tables as .parquet"
    )


def in_quotes(fields: Iterable[str]) -> str:
    """The fields for a message: `'goal' and 'question'`."""
    return " and ".join(f"'{field}'" for field in sorted(fields))


def _check_size(benchmark: Benchmark, control: Benchmark, tests: int, significance: float) -> None:
    """Refuse a control that is too small.

    With n items and m controls a test's p-value is at least 1 / C(n + m, n). Holm's correction
    multiplies the smallest p-value by the number of `tests`.
    """
    n = len(benchmark.items)
    needed = 1
    while comb(n + needed, n) * significance < tests:
        needed += 1
    if len(control.items) < needed:
        raise UserError(
            f"{control.path}: {len(control.items)} items; give {needed} or more: against {n} items "
            f"of the benchmark and with {tests} detectors, no p-value can reach {significance:.3g} "
            "with fewer"
        )


def _check_kind(benchmark: Benchmark, control: Benchmark) -> None:
    """Refuse a control whose share of items with a question, or an answer, differs much."""
    for part in ("question", "answer"):
        share = _share_with(part, benchmark)
        control_share = _share_with(part, control)
        if abs(share - control_share) > _LARGEST_SHARE_GAP:
            raise UserError(
                f"{control.path}: {control_share:.0%} of the items have a text in '{part}', "
                f"{share:.0%} of those of {benchmark.path}; give a control of the same kind"
            )


def _share_with(part: str, benchmark: Benchmark) -> float:
    """The share of the items whose `part`, question or answer, is not empty."""
    n_with = sum(bool(getattr(line, part)) for line in benchmark.lines)
    return n_with / len(benchmark.items)


def _check_lengths(benchmark: Benchmark, control: Benchmark) -> None:
    """Refuse a control whose texts are longer, or shorter, than the benchmark's in most pairs.

    A pair is an item and a control; a tie counts half.
    """
    # Imported here because it loads scipy, which a config without a control does not need.
    from mechaware.core.stats.roc import area_under_roc

    lengths = np.array([len(line.text) for line in benchmark.lines], float)
    control_lengths = np.array([len(line.text) for line in control.lines], float)
    # The area under the ROC curve is the share of pairs in which the item is longer.
    longer = area_under_roc(lengths, control_lengths)
    if not 1 - _MOST_LONGER <= longer <= _MOST_LONGER:
        raise UserError(
            f"{control.path}: an item of {benchmark.path} is longer than one of the control in "
            f"{longer:.0%} of pairs (50% if lengths fit, {_MOST_LONGER:.0%} at most and "
            f"{1 - _MOST_LONGER:.0%} at least); give a control of the same length"
        )
