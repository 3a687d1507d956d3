"""Lines of lm-eval and samples of Inspect in their current form, with texts of our own."""

import hashlib
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

import pandas as pd
from pyarrow import compress

GENERATION = {"until": ["\n\n"], "do_sample": False, "temperature": 0.0}
# Messages of a chat, with one example.
CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Name a noble gas."},
    {"role": "assistant", "content": "Neon"},
    {"role": "user", "content": "Name a halogen."},
]


class Item(NamedTuple):
    """A row of the table that `mechaware.read_log` returns; missing values are None."""

    id: str
    question: str
    answer: str
    correct: float | None
    question_from: str
    choices: list[str] | None = None


def items_of(log: pd.DataFrame) -> list[Item]:
    """The rows of a table that `mechaware.read_log` returned."""
    with_none = log.astype(object).where(log.notna(), None)
    items = []
    for row in with_none.to_dict("records"):
        items.append(Item(**{str(column): value for column, value in row.items()}))
    return items


def lm_eval(
    doc_id: int,
    doc: dict[str, Any],
    target: object,
    requests: Sequence[tuple[object, object]],
    *,
    right: float = 1.0,
    metric: str = "acc",
    filter_name: str = "none",
) -> dict[str, Any]:
    """A line of lm-eval's `samples_*.jsonl`.

    Args:
        doc_id: The number of the document in its task.
        doc: The document.
        target: The right answer, which the line holds as text.
        requests: Each a context with a continuation, or a context with the settings of a
            generation.
        right: The value of the metric.
        metric: The metric's name, a field of the line.
        filter_name: The name of the filter by which lm-eval reads responses.
    """
    arguments = {}
    for number, (context, continuation_or_settings) in enumerate(requests):
        arguments[f"gen_args_{number}"] = {"arg_0": context, "arg_1": continuation_or_settings}

    responses: list[list[Any]] = [["some text"]]
    is_generation = isinstance(requests[0][1], dict)
    if not is_generation:
        responses = [[["-3.25", "False"]] for _ in requests]
    return {
        "doc_id": doc_id,
        "doc": doc,
        "target": str(target),
        "arguments": arguments,
        "resps": responses,
        "filtered_resps": [response[0] for response in responses],
        "filter": filter_name,
        "metrics": [metric],
        "doc_hash": _digest(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": _digest(str(requests[0][0])),
        "target_hash": _digest(str(target)),
        metric: right,
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def older(line: dict[str, Any], target: object) -> dict[str, Any]:
    """The line as versions before 0.4.3 wrote it.

    The requests are lists, the target keeps its type, and there are no hashes, no filter and no
    list of metrics.
    """
    requests = [list(request.values()) for request in line["arguments"].values()]
    kept = ("doc_id", "doc", "resps", "filtered_resps", *line["metrics"])
    return {"target": target, "arguments": requests} | {key: line[key] for key in kept}


def options(context: str, *continuations: str) -> list[tuple[object, object]]:
    """Requests with one context and several continuations."""
    return [(context, continuation) for continuation in continuations]


def write_lines(path: Path, *lines: dict[str, Any]) -> Path:
    """Write the lines of lm-eval as JSON; returns `path`."""
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def inspect_sample(name: object, **fields: object) -> dict[str, object]:
    """A sample of Inspect whose id is `name`, with `fields` in place of the fields below."""
    return {
        "id": name,
        "epoch": 1,
        "input": "Capital of Peru?",
        "target": "Lima",
        "choices": None,
    } | fields


def scored(value: object, scorer: str = "match") -> dict[str, object]:
    """The field `scores` of a sample with one score."""
    return {scorer: {"value": value, "answer": "Lima"}}


def write_inspect(path: Path, *samples: dict[str, object], zstandard: bool = False) -> Path:
    """Write a log: as JSON, or with the suffix .eval as a zip; returns `path`.

    With `zstandard`, Zstandard compresses each sample in the zip.
    """
    header = {"version": 2, "status": "success", "eval": {"task": "capitals"}}
    if path.suffix == ".json":
        path.write_text(json.dumps(header | {"samples": samples}))
        return path
    with ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr("summaries.json", "[]")
        for number, sample in enumerate(samples):
            name = f"samples/{sample['id']}_{number}_epoch_{sample['epoch']}.json"
            content = json.dumps(sample).encode()
            if zstandard:
                _add_by_zstandard(archive, name, content)
            else:
                archive.writestr(name, content)
    return path


def _add_by_zstandard(archive: ZipFile, name: str, content: bytes) -> None:
    """Add a file that Zstandard compresses, which `zipfile` does itself only from Python 3.14 on.

    The compressed bytes are stored as they are; then the file's entry in the archive's directory
    gets Zstandard's number, and the size and the checksum of `content`, which is not compressed.
    """
    archive.writestr(name, compress(content, codec="zstd", asbytes=True))
    entry = archive.getinfo(name)
    entry.compress_type = 93  # Zstandard's number in the zip format
    entry.file_size = len(content)
    entry.CRC = zlib.crc32(content)
