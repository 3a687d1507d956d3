"""Evaluation logs of lm-eval and Inspect: their samples as items for the detectors, each with its mark."""

import ast
import json
from contextlib import suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import pandas as pd

from mechaware.errors import UserError
from mechaware.rows import read_rows

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # Inspect's correct, partial, incorrect, no answer


def read_log(path: str | Path, *, metric: str = "", question: str | None = None) -> pd.DataFrame:
    """The samples of an evaluation log, as `mechaware.radar.detect` and `verdict` take items.

    Args:
        path: lm-eval's `samples_*.jsonl`, or a log of Inspect (.eval or .json).
        metric: What counts as correct; default: the first number. lm-eval: `acc`, or with a filter
            `exact_match,strict-match` (default: the first filter). Inspect: a scorer, or `scorer/key`.
        question: lm-eval: the field of its `doc` to read in place of the prompt, which holds the few-shot examples.

    Returns:
        A row per sample: id; question, the prompt or the user's messages; answer, the continuation or target that is
        right, the first of several; choices, if Inspect's samples have some; correct, the mean over epochs (missing
        without a score). `log.merge(scores, on="id")` puts what `detect` returned beside it.

    Raises:
        UserError: The file is no such log, or a sample lacks its texts, the field `question` or the metric.
    """
    name, _, chosen = metric.partition(",")
    samples, rows = _read_samples(Path(path)), []
    for sample in samples:
        chosen = chosen or sample.get("filter", "")  # lm-eval writes a line for each filter of a sample
        if sample.get("filter", "") != chosen:
            continue
        label = str(sample.get("doc_id", sample.get("id")))
        try:
            texts, values = _lm_eval_sample(sample, question) if "doc_id" in sample else _inspect_sample(sample)
            graded = [_GRADES.get(str(value), value) for key, value in values if name in ("", key)]
            correct = [float(value) for value in graded if isinstance(value, int | float)]
            if values and not correct:
                raise LookupError(name or "a metric that is a number")
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise UserError(f"{path}, sample {label}: missing or of another form: {error}") from None
        rows.append({"id": label, **texts, "correct": correct[0] if values else float("nan")})
    if not rows:
        raise UserError(f"{path}: no samples with the filter '{chosen}'; write one that the file has")
    table = pd.DataFrame(rows)
    mean = table.groupby("id")["correct"].transform("mean")
    return table.assign(correct=mean).drop_duplicates("id", ignore_index=True)


def _read_samples(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".jsonl":
        return [dict(row) for _, row in read_rows(path, ("doc_id", "target", "arguments"), "samples")]
    with suppress(OSError, LookupError, TypeError, ValueError, BadZipFile, NotImplementedError):
        if path.suffix != ".eval":
            return list(json.loads(path.read_bytes())["samples"])
        with ZipFile(path) as archive:  # Python lacks the compression of some
            return [json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("samples/")]
    remedy = "give lm-eval's samples_*.jsonl, or Inspect's log after `inspect log convert --to json`"
    raise UserError(f"{path}: not read; {remedy}")


def _lm_eval_sample(sample: dict[str, Any], field: str | None) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    """Prompt and answer: of several requests, one for each choice, those of the choice that is the target."""
    target, requests = sample["target"], sample["arguments"]
    # Lists, or in newer versions mappings: gen_args_0, gen_args_1, ... of arg_0, arg_1, ...
    requests = list(requests.values()) if isinstance(requests, dict) else requests
    requests = [list(each.values()) if isinstance(each, dict) else each for each in requests]
    prompt, answer = "", _text(requests[0][0])  # the likelihood of a whole text
    if len(requests[0]) > 1 and isinstance(requests[0][1], str):
        continuations = [request[1].strip() for request in requests]
        place = int(target) if str(target).isdigit() else continuations.index(target.strip())
        prompt, answer = _text(requests[place][0]), requests[place][1]
    elif len(requests[0]) > 1:  # the settings of a generation
        prompt, answer = answer, _first(target)
    metrics = sample.get("metrics", [key for key in sample if key not in ("doc_id", "target")])
    texts = {"question": prompt if field is None else _text(sample["doc"][field]), "answer": answer}
    return texts, [(key, sample[key]) for key in metrics]


def _inspect_sample(sample: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    texts = {"question": _text(sample["input"]), "answer": _first(sample["target"])}
    choices = {"choices": sample["choices"]} if sample.get("choices") else {}
    scores = [(name, score["value"]) for name, score in (sample.get("scores") or {}).items()]
    keyed = [
        (f"{name}/{key}", each) for name, value in scores if isinstance(value, dict) for key, each in value.items()
    ]
    return texts | choices, scores + keyed


def _text(content: Any) -> str:
    """A text, or those of a chat by the user; lm-eval writes a chat as JSON."""
    if isinstance(content, str):
        return _text(json.loads(content)) if content.startswith('[{"role"') else content
    if isinstance(content, list):
        return "\n".join(filter(None, map(_text, content)))
    return _text(content.get("content", content.get("text", ""))) if content.get("role", "user") == "user" else ""


def _first(target: Any) -> str:
    """The first of several accepted answers; newer lm-eval writes a list as Python prints it."""
    if isinstance(target, str) and target.startswith(("['", '["')):
        target = ast.literal_eval(target)
    return str(target[0] if isinstance(target, list) else target)
