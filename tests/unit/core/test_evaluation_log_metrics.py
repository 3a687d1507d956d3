"""The mark of a sample is the metric that marks its answer, if the log has one."""

import math
from pathlib import Path

import pytest

import mechaware as ma
from tests.unit.core.evaluation_logs import lm_eval, write_lines


@pytest.mark.parametrize(
    ("metrics", "correct"),
    [
        pytest.param({"perplexity": -1.5, "acc": 0.0}, 0.0, id="acc"),
        pytest.param(
            {"perplexity": -1.5, "f1": 0.25, "exact_match": 1.0}, 1.0, id="exact_match before f1"
        ),
        pytest.param({"bleu": 0.5, "rouge": 0.75}, 0.5, id="the first of unknown metrics"),
        pytest.param({"perplexity": -1.5, "acc": None}, -1.5, id="the first number"),
    ],
)
def test_a_metric_that_marks_the_answer_counts_before_a_perplexity(
    tmp_path: Path, metrics: dict[str, float | None], correct: float
) -> None:
    sample = lm_eval(7, {"text": "It was the year 1984"}, " 1984", [("It was the year", " 1984")])
    line = sample | {"metrics": list(metrics)} | metrics

    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", line))

    assert log["correct"].tolist() == [correct]


# The only argument is the text, and the metric is a pair: a log-likelihood and its weight.
WIKITEXT = lm_eval(
    1, {"page": " = Tin = \n Tin is a metal . "}, "", [("", "")], metric="word_perplexity"
) | {
    "arguments": {"gen_args_0": {"arg_0": "= Tin =\nTin is a metal."}},
    "word_perplexity": [-31.5, 5],
}


def test_a_whole_text_has_no_question_and_no_mark(tmp_path: Path) -> None:
    log = ma.read_log(write_lines(tmp_path / "samples_wikitext.jsonl", WIKITEXT))

    (row,) = log.itertuples(index=False)
    assert row[:3] == ("1", "", "= Tin =\nTin is a metal.")
    assert math.isnan(row.correct)
    assert row.question_from == ""
