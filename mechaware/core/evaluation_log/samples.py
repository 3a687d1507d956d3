"""A log as items, without pandas: its samples, each with an id of its own,
and the mean of its marks over epochs.
"""

import json
import math
import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log import inspect_ai, lm_eval
from mechaware.core.evaluation_log.question_fields import question_fields
from mechaware.core.evaluation_log.texts import ItemTexts, quoted
from mechaware.core.rows import read_rows

# The mark of each of Inspect's grades: correct, partial, incorrect, no answer.
_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
# Keys of which at least one is within the first `_HEAD` bytes of Inspect's log in JSON.
_INSPECT_KEYS = (b'"samples"', b'"eval"', b'"status"')
_HEAD = 4096  # bytes
_COMPRESSED = (".gz", ".zst", ".xz", ".bz2")
_ZSTANDARD = 93  # the method of compression (APPNOTE.TXT 4.4.5)
# The header before a file in a zip. Its last two numbers are the lengths of what follows: the
# file's name, and further fields (APPNOTE.TXT 4.3.7).
_LOCAL_HEADER = struct.Struct("<4s22xHH")
# Metrics that mark an answer, in order of preference. Without any of them the first number counts;
# some tasks list a perplexity before these.
_MARKS = ("acc", "exact_match", "acc_norm", "em", "f1")
_TASK_FIELDS = ("task", "task_name")  # which a user may add to lm-eval's lines
_HASH_DIGITS = 8  # of a document's hash, in an id
# The fields of a line of lm-eval that are no metrics; older versions do not list the metrics.
_NO_METRICS = {
    *lm_eval.COLUMNS,
    *_TASK_FIELDS,
    "doc",
    "resps",
    "filtered_resps",
    "filter",
    "metrics",
}

Sample = Mapping[str, Any]


class LogItem(NamedTuple):
    """A sample of a log, over its epochs.

    - `correct`: the mean over the epochs that have a score, NaN if none has.
    - `row`: its first line, or its number in Inspect's log, from 1.
    - `sample`: its first epoch as the log has it.
    """

    id: str
    texts: ItemTexts
    correct: float
    row: int
    sample: Sample


class _Epoch(NamedTuple):
    """One epoch of a sample; in lm-eval's logs, one epoch under one filter.

    - `row`: as in `LogItem`.
    - `values`: by metric or scorer.
    - `identity`: its texts, in lm-eval's logs also its document; equal in all epochs of a sample.
    """

    id: str
    row: int
    texts: ItemTexts
    values: dict[str, Any]
    filter: str
    identity: tuple[Any, ...]
    sample: Sample


def is_log(path: Path) -> bool:
    """Whether a file is a log by its form: Inspect's suffix and first keys, or lm-eval's fields in
    its first line.

    JSON lines with the columns id, question and answer are items, even with further columns.
    """
    suffix = path.suffix.lower()
    if suffix == ".eval":
        return True
    if suffix not in (".json", ".jsonl") or not path.is_file():
        return False
    with path.open("rb") as stream:
        if suffix == ".json":
            head = stream.read(_HEAD)
            return head.lstrip().startswith(b"{") and any(key in head for key in _INSPECT_KEYS)
        first = next((line for line in stream if line.strip()), b"")
    try:
        row = json.loads(first)
    except (ValueError, RecursionError):
        return False
    if not isinstance(row, dict):
        return False
    return row.keys() >= set(lm_eval.COLUMNS) and not row.keys() >= {"id", "question", "answer"}


def read_items(
    path: Path, *, metric: str = "", question: str | None = None, faults: list[str] | None = None
) -> list[LogItem]:
    """The samples of a log, in its order; arguments and errors as of `mechaware.read_log`.

    A sample that cannot be read is left out and described in `faults`, if `faults` is given;
    otherwise `UserError` is raised.
    """
    metric, _, chosen_filter = metric.partition(",")
    if path.suffix.lower() in _COMPRESSED:
        raise UserError(f"{path}: a compressed file is not read; decompress it")
    if path.suffix.lower() == ".jsonl":
        all_epochs = _lm_eval_epochs(path, question, faults)
    else:
        all_epochs = _inspect_epochs(path, question, faults)

    by_id: dict[str, list[_Epoch]] = {}
    for epoch in all_epochs:
        by_id.setdefault(epoch.id, []).append(epoch)

    items: list[LogItem] = []
    for name, epochs in by_id.items():
        _check_same_texts(epochs, path)
        wanted_filter = chosen_filter or epochs[0].filter
        counted = [epoch for epoch in epochs if epoch.filter == wanted_filter]
        if not counted:
            continue

        try:
            marks = [_mark(epoch.values, metric) for epoch in counted]
        except ValueError as error:
            _add_fault(f"{path}, sample {name}: {error}", faults)
            continue
        first = counted[0]
        items.append(LogItem(name, first.texts, _mean(marks), first.row, first.sample))

    if not items and not faults:
        if not by_id:
            raise UserError(f"{path}: no samples in it")
        filters = {epoch.filter for epoch in chain(*by_id.values())}
        raise UserError(
            f"{path}: no samples with the filter '{chosen_filter}'; its filters are {quoted(sorted(filters))}"
        )
    return items


def _lm_eval_epochs(path: Path, question: str | None, faults: list[str] | None) -> Iterator[_Epoch]:
    rows = read_rows(path, lm_eval.COLUMNS, "samples", faults)
    samples = [sample for _, sample in rows]
    field_by_form = {} if question is not None else _fields_by_form(samples, path)
    for (row, sample), name in zip(rows, _lm_eval_ids(samples), strict=True):
        field = question
        if field is None:
            field = field_by_form.get(lm_eval.document_form(sample), lm_eval.PROMPT)
        try:
            texts = lm_eval.sample_texts(sample, field)
            values = {key: sample[key] for key in _lm_eval_metrics(sample)}
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            _add_fault(f"{path}, sample {name}: {_reason(error)}", faults)
            continue

        document = sample.get("doc_hash") or json.dumps(sample.get("doc"), sort_keys=True)
        identity = (document, texts)
        yield _Epoch(
            id=name,
            row=row,
            texts=texts,
            values=values,
            filter=sample.get("filter", ""),
            identity=identity,
            sample=sample,
        )


def _inspect_epochs(path: Path, question: str | None, faults: list[str] | None) -> Iterator[_Epoch]:
    if question not in (None, inspect_ai.INPUT):
        raise UserError(
            f"{path}: a log of Inspect has no field '{question}' of a document; leave question out"
        )
    for row, sample in enumerate(_inspect_samples(path), start=1):
        name = str(sample.get("id", row))
        try:
            texts = inspect_ai.sample_texts(sample)
            values = inspect_ai.sample_values(sample)
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            _add_fault(f"{path}, sample {name}: {_reason(error)}", faults)
            continue
        yield _Epoch(
            id=name,
            row=row,
            texts=texts,
            values=values,
            filter="",
            identity=(texts,),
            sample=sample,
        )


def _inspect_samples(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        raise UserError(f"{path}: no such file; correct the path")
    try:
        samples = _decoded_samples(path)
    except (OSError, LookupError, TypeError, ValueError, BadZipFile, NotImplementedError):
        remedy = (
            "give lm-eval's samples_*.jsonl, or Inspect's log after `inspect log convert --to json`"
        )
        raise UserError(f"{path}: not read as an evaluation log; {remedy}") from None
    return list(samples or [])


def _decoded_samples(path: Path) -> Any:
    """The samples as a log has them. Raises `NotImplementedError` for a
    compression that is not read.
    """
    if path.suffix.lower() != ".eval":
        return json.loads(path.read_bytes())["samples"]
    with ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("samples/")]
        return [json.loads(_read_member(path, archive, name)) for name in names]


def _read_member(path: Path, archive: ZipFile, name: str) -> bytes:
    """A file of a zip, also if Zstandard compressed it, as Inspect does;
    `zipfile` reads that from Python 3.14 on.
    """
    member = archive.getinfo(name)
    if member.compress_type != _ZSTANDARD:
        return archive.read(name)

    from pyarrow import decompress

    with path.open("rb") as file:
        file.seek(member.header_offset)
        header = file.read(_LOCAL_HEADER.size)
        *_, name_length, extra_length = _LOCAL_HEADER.unpack(header)
        file.seek(name_length + extra_length, os.SEEK_CUR)
        compressed = file.read(member.compress_size)

    content: bytes = decompress(compressed, member.file_size, codec="zstd", asbytes=True)
    if zlib.crc32(content) != member.CRC:
        raise BadZipFile(f"{name}: damaged")
    return content


def _fields_by_form(samples: Sequence[Sample], path: Path) -> dict[frozenset[str], str]:
    """`question_fields`, whose error names the file. Raises `UserError`."""
    try:
        return question_fields(samples)
    except ValueError as error:
        raise UserError(f"{path}: {error}") from None


def _lm_eval_ids(samples: Sequence[Sample]) -> list[str]:
    """An id for each line: `doc_id`, or in a file of several tasks what distinguishes their
    documents.

    That is `task/doc_id` if the lines name several tasks, and `doc_id-` with the start of
    `doc_hash` if a `doc_id` has several hashes.
    """
    tasks = [_task(sample) for sample in samples]
    numbers = [str(sample["doc_id"]) for sample in samples]
    if len(set(tasks)) > 1:
        ids = []
        for task, number in zip(tasks, numbers, strict=True):
            ids.append(f"{task}/{number}" if task else number)
        return ids

    hashes = [sample.get("doc_hash") for sample in samples]
    documents = list(zip(numbers, map(str, hashes), strict=True))
    if all(hashes) and len(set(documents)) > len(set(numbers)):
        return [f"{number}-{document_hash[:_HASH_DIGITS]}" for number, document_hash in documents]
    return numbers


def _task(sample: Sample) -> str:
    """The task that a sample names, "" if it names none."""
    for field in _TASK_FIELDS:
        if sample.get(field):
            return str(sample[field])
    return ""


def _lm_eval_metrics(sample: Sample) -> list[str]:
    """The names of a sample's metrics."""
    if "metrics" in sample:
        return list(sample["metrics"])
    return [key for key in sample if key not in _NO_METRICS]


def _check_same_texts(epochs: Sequence[_Epoch], path: Path) -> None:
    """Refuse an id that two documents have, or one document with two texts."""
    first = epochs[0]
    other = next((epoch for epoch in epochs if epoch.identity != first.identity), None)
    if other is None:
        return
    if path.suffix.lower() == ".jsonl":
        raise UserError(
            f"{path}, sample {first.id}: lines {first.row} and {other.row} have different documents or texts; keep one "
            "task and one evaluation in a file, or add a field 'task' to each line"
        )
    raise UserError(
        f"{path}, sample {first.id}: the samples {first.row} and {other.row} of the log have this id and different "
        "texts; give each an id of its own"
    )


def _mark(values: Mapping[str, Any], metric: str) -> float:
    """The value of a metric; NaN if there are no scores, or none is a number.

    Without a metric it is the first of `_MARKS` that is a number, or else the first number.
    """
    marks = {name: _GRADES.get(str(value), value) for name, value in values.items()}
    numbers = {name: float(mark) for name, mark in marks.items() if isinstance(mark, int | float)}
    if not metric or not values:
        for name in _MARKS:
            if name in numbers:
                return numbers[name]
        return next(iter(numbers.values()), math.nan)
    if metric not in values:
        raise ValueError(f"no metric '{metric}'; it has {quoted(list(values))}")
    if metric not in numbers:
        raise ValueError(
            f"metric '{metric}' is no number; the numbers are {quoted(list(numbers)) or 'none'}"
        )
    return numbers[metric]


def _mean(marks: Iterable[float]) -> float:
    """The mean of the marks that are not missing; NaN if all are."""
    known = [mark for mark in marks if not math.isnan(mark)]
    return sum(known) / len(known) if known else math.nan


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, ValueError) else f"missing or of another form: {error}"


def _add_fault(fault: str, faults: list[str] | None) -> None:
    """Add a fault to those of the file, once, or raise it if they are not collected."""
    if faults is None:
        raise UserError(fault)
    if fault not in faults:
        faults.append(fault)
