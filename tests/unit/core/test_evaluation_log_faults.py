"""A log that cannot be read is refused in one line, which names the file and what to correct."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest

import mechaware as ma
from tests.unit.core.evaluation_logs import (
    GENERATION,
    inspect_sample,
    lm_eval,
    options,
    write_lines,
)

PERU = lm_eval(0, {"question": "Capital of Peru?"}, "Lima", [("Capital of Peru?", GENERATION)])
TWO_QUESTION_FIELDS = lm_eval(
    0,
    {"question": "Capital of Peru?", "input": "Peru?"},
    "Lima",
    [("Capital of Peru?", GENERATION)],
)


class Fault(NamedTuple):
    """A log that cannot be read, and a part of the message.

    - `name`, `text`: the log's file; without text there is no file.
    - `metric`, `question`: the arguments of `read_log`.
    """

    name: str
    text: str | None
    message: str
    metric: str = ""
    question: str | None = None


FAULTS = {
    "no file": Fault("log.json", None, ": no such file; correct the path"),
    "JSON that is no log": Fault(
        "log.json",
        '{"results": {}}',
        ": not read as an evaluation log; give lm-eval's",
    ),
    "a compressed log": Fault(
        "samples.jsonl.gz",
        "",
        ": a compressed file is not read; decompress it",
    ),
    "a log of Inspect that is no zip": Fault(
        "log.eval",
        "{}",
        ": not read as an evaluation log; give lm-eval's",
    ),
    "a log without samples": Fault(
        "log.json",
        '{"version": 2, "samples": null}',
        ": no samples in it",
    ),
    "a broken line": Fault("samples.jsonl", '{"doc_id": 0', "row 1: not JSON"),
    "no prompt": Fault(
        "samples.jsonl",
        '{"doc_id": 0, "target": ""}',
        "row 1: no 'arguments'",
    ),
    "no request": Fault(
        "samples.jsonl",
        json.dumps(PERU | {"arguments": {}}),
        "sample 0: no request in its arguments",
    ),
    "a request without a text": Fault(
        "samples.jsonl",
        json.dumps(PERU | {"arguments": [[], ["b", " c"]]}),
        "sample 0: an empty request in its arguments; leave the sample out",
    ),
    "no input": Fault(
        "log.json",
        json.dumps({"samples": [{"id": 4}]}),
        "sample 4: missing or of another form: 'input'",
    ),
    "a metric that no sample has": Fault(
        "samples.jsonl",
        json.dumps(PERU),
        "sample 0: no metric 'f1'; it has 'acc'",
        metric="f1",
    ),
    "a metric that is a pair of numbers": Fault(
        "samples.jsonl",
        json.dumps(
            PERU | {"doc_id": 1, "metrics": ["word_perplexity"], "word_perplexity": [-31.5, 5]}
        ),
        "sample 1: metric 'word_perplexity' is no number; the numbers are none",
        metric="word_perplexity",
    ),
    "a filter that no sample has": Fault(
        "samples.jsonl",
        json.dumps(
            PERU | {"filter": "strict-match", "metrics": ["exact_match"], "exact_match": 1.0}
        ),
        ": no samples with the filter 'x'; its filters are 'strict-match'",
        metric="exact_match,x",
    ),
    "a field that no document has": Fault(
        "samples.jsonl",
        json.dumps(PERU),
        (
            "sample 0: no field 'text' in its document; it has 'question'; "
            "'arguments' is the whole prompt"
        ),
        question="text",
    ),
    "two fields that may be the question": Fault(
        "samples.jsonl",
        json.dumps(TWO_QUESTION_FIELDS),
        ": each of the documents' fields input and question may be the question; name one",
    ),
    "a field of a document in Inspect": Fault(
        "log.json",
        json.dumps({"samples": [inspect_sample(1)]}),
        ": a log of Inspect has no field 'question' of a document; leave question out",
        question="question",
    ),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_faulty_log_is_refused_in_one_line_that_begins_with_its_path(
    tmp_path: Path, fault: Fault
) -> None:
    path = tmp_path / fault.name
    if fault.text is not None:
        path.write_text(fault.text)
    with pytest.raises(ma.UserError) as raised:
        ma.read_log(path, metric=fault.metric, question=fault.question)
    assert str(raised.value).startswith(str(path))
    assert fault.message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_of_two_fields_that_may_be_the_question_the_user_names_one(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "samples.jsonl", TWO_QUESTION_FIELDS)
    assert ma.read_log(path, question="input")["question"].tolist() == ["Peru?"]
    assert ma.read_log(path, question="arguments")["question"].tolist() == ["Capital of Peru?"]


def test_faulty_samples_are_left_out_where_the_user_asks_for_it(tmp_path: Path) -> None:
    sample = lm_eval(
        2,
        {"question": "Which of these scratches glass?"},
        2,
        options("Which of these scratches glass?", " chalk", " talc", " diamond"),
    )
    path = write_lines(tmp_path / "samples.jsonl", sample | {"doc_id": 5, "target": "3"}, sample)
    fault = "sample 5: target 3, but 3 options, counted from 0; correct the target"
    with pytest.raises(ma.UserError, match=fault):
        ma.read_log(path)

    log = ma.read_log(path, skip_faulty=True)

    assert log["id"].tolist() == ["2"]
    assert log.attrs["skipped"] == [f"{path}, {fault}"]
