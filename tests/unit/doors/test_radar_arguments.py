"""Which prompts, items and labels RADAR's public functions read, and which ones they refuse.

Rows in messages count from 0, as in pandas.
"""

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mechaware as ma
from mechaware.doors.radar.arguments import benchmark_of
from mechaware.instruments.radar.benchmark import read_benchmark
from mechaware.instruments.radar.detectors.sequences import PEAKEDNESS
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.models.opening import LoadedModel
from tests.tiny_models import make_tiny_model
from tests.unit.core.evaluation_logs import inspect_sample, write_inspect


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LoadedModel:
    """A random model of two blocks that reads at most 64 tokens, one a byte."""
    folder = tmp_path_factory.mktemp("tiny") / "model"
    return ma.load(make_tiny_model("llama", folder, n_layers=2))


@pytest.mark.parametrize(
    ("prompts", "message"),
    [
        (["ok", "a" * 65], "prompts, text 1: 65 tokens, but the model reads at most 64; shorten"),
        (["ok", ""], "prompts, text 1: empty or no text; fill it in"),
        ([], "prompts: no text; give one or more"),
        ("The capital", "prompts: one text; put it in a list"),
        (pd.DataFrame({"text": ["a"]}), "prompts: no column 'prompt'; name the column"),
    ],
)
def test_prompts_that_cannot_be_read_are_refused(
    model: LoadedModel, prompts: object, message: str
) -> None:
    with pytest.raises(ma.UserError, match=message):
        ma.radar.features(model, prompts)


@pytest.mark.parametrize(
    ("items", "arguments", "message"),
    [
        (pd.DataFrame({"question": ["Who?"]}), {}, "items: no column 'answer'"),
        ([("Who?", "Ann"), ("Who?", "Ann")], {}, "items, row 1: the same text as row 0"),
        (
            pd.DataFrame({"question": ["a", "b"], "answer": ["c", "d"], "seen": [True, None]}),
            {},
            "items, row 1: no seen",
        ),
        ([], {}, "items: no items; add some"),
        (
            pd.DataFrame([["Who?", "Ann", "Bo"]], columns=["question", "answer", "answer"]),
            {},
            "items: two columns 'answer'; rename or drop one of them",
        ),
        (
            pd.DataFrame([["a", "Who?", "Bo", "a"]], columns=["id", "question", "answer", "id"]),
            {"name": "quiz"},
            "quiz: two columns 'id'; rename or drop one of them",
        ),
        ([("Who?", "Ann")], {"unseen": "Known text"}, "unseen: one text; put it in a list"),
        ([("Who?", "Ann")], {"unseen": [" "]}, "unseen, text 0: empty or no text"),
        ([("Who?", "Ann")], {"seen": ["Known text"]}, "seen without unseen; Con-ReCall needs both"),
        ([("Who?", "Ann")], {"corpus": []}, "corpus: no text; give one or more"),
    ],
)
def test_items_that_cannot_be_scored_are_refused(
    model: LoadedModel, items: object, arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(ma.UserError, match=message):
        ma.radar.detect(model, items, **arguments)


def test_a_detector_of_ones_own_is_refused_without_its_evidence(model: LoadedModel) -> None:
    own = PEAKEDNESS._replace(name="own")
    items = [("Who is b?", "Ann"), ("Who is c?", "Ann")]
    with pytest.raises(ma.UserError, match="optional_evidence: the detector own needs samples"):
        ma.radar.detect(model, items, own=[own])


def test_pairs_are_items_whose_ids_are_their_positions(model: LoadedModel) -> None:
    pairs = [("Who wrote it?", "Ann"), ("", "A text alone")]
    table = pd.DataFrame(
        {"question": ["Who wrote it?", ""], "answer": ["Ann", "A text alone"]}, index=[0, 1]
    )

    scores = ma.radar.detect(model, pairs)

    assert list(scores["id"]) == ["0", "1"]
    pd.testing.assert_frame_equal(ma.radar.detect(model, table), scores)
    assert np.isfinite(scores.drop(columns="id").to_numpy(float)).all()


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (
            [("Who?", "Ann"), ("Where?", "There", 1)],
            "{argument}, row 1: no pair (question, answer); give further columns in a table",
        ),
        (
            [("Who?",)],
            "{argument}, row 0: no pair (question, answer); give further columns in a table",
        ),
        ([5], "{argument}, row 0: no pair (question, answer); give further columns in a table"),
        (
            [("Who?", "Ann"), "ab"],
            "{argument}, row 1: a text; "
            "give a pair (question, answer), ('', text) without a question",
        ),
        ("ab", "{argument}: one text; give a list of pairs (question, answer)"),
    ],
)
def test_items_and_a_control_that_are_no_pairs_are_refused(
    model: LoadedModel, items: object, message: str
) -> None:
    """`unwrap` removes the check of argument types, which only tests have."""
    detect = inspect.unwrap(ma.radar.detect)
    verdict = inspect.unwrap(ma.radar.verdict)
    with pytest.raises(ma.UserError) as refused:
        detect(model, items)
    assert str(refused.value) == message.format(argument="items")

    with pytest.raises(ma.UserError) as refused:
        verdict(model, [("Who?", "Ann")], items)
    assert str(refused.value) == message.format(argument="control")


# What follows the name of the rows and the column with missing cells.
MISSING_HINT = (
    "pandas reads the texts NA, None and null as missing: "
    "read the file with pd.read_csv(..., keep_default_na=False), "
    "or write '' where there is no text"
)
# By default pandas reads the answers None, NA and the empty one as missing, in the rows 1 to 3.
QUIZ = """id,question,answer
peru,What ends NAM?,NAM
none,Who was it?,None
chad,What ends DNA?,NA
empty,A text alone,
"""


def test_answers_that_pandas_reads_as_missing_are_refused(
    model: LoadedModel, tmp_path: Path
) -> None:
    (tmp_path / "quiz.csv").write_text(QUIZ)

    with pytest.raises(ma.UserError) as refused:
        ma.radar.detect(model, pd.read_csv(tmp_path / "quiz.csv"), name="quiz")

    assert str(refused.value) == f"quiz, rows 1, 2, 3: answer is missing; {MISSING_HINT}"


def test_answers_that_pandas_reads_as_text_are_those_of_the_workflow(tmp_path: Path) -> None:
    (tmp_path / "quiz.csv").write_text(QUIZ)

    in_table = benchmark_of(pd.read_csv(tmp_path / "quiz.csv", keep_default_na=False), "quiz")
    in_file = read_benchmark(tmp_path / "quiz.csv")

    # A space separates an answer from its question; the last item has no answer.
    assert [item.line.answer for item in in_file.items] == [" NAM", " None", " NA", ""]
    assert [item.line for item in in_table.items] == [item.line for item in in_file.items]


@pytest.mark.parametrize(
    ("cells", "location"),
    [
        ({"answer": [None, "c", "d"]}, "items, row 0: answer is missing"),
        ({"answer": ["b", np.nan, "d"]}, "items, row 1: answer is missing"),
        ({"answer": pd.array([1, 2, None], dtype="Int64")}, "items, row 2: answer is missing"),
        ({"question": ["b", None, "d"]}, "items, row 1: question is missing"),
        ({"id": ["b", "c", None]}, "items, row 2: id is missing"),
    ],
)
def test_a_missing_text_of_an_item_or_a_control_is_refused(
    model: LoadedModel, cells: dict[str, Any], location: str
) -> None:
    table = pd.DataFrame(
        {"question": ["Who?", "Where?", "When?"], "answer": ["Ann", "Here", "Now"], **cells}
    )
    with pytest.raises(ma.UserError) as refused:
        ma.radar.detect(model, table)
    assert str(refused.value) == f"{location}; {MISSING_HINT}"

    with pytest.raises(ma.UserError) as refused:
        ma.radar.verdict(model, [("Who?", "Ann")], table)
    in_control = location.replace("items", "control")
    assert str(refused.value) == f"{in_control}; {MISSING_HINT}"


def test_of_many_missing_texts_five_are_named_and_all_counted(model: LoadedModel) -> None:
    table = pd.DataFrame(
        {"question": [f"Question {n}?" for n in range(9)], "answer": ["Ann", *[np.nan] * 8]}
    )
    with pytest.raises(
        ma.UserError, match=r"^items, rows 1, 2, 3, 4, 5 and 3 more: answer is missing; pandas"
    ):
        ma.radar.detect(model, table)


def test_a_missing_prompt_of_a_table_is_refused_with_its_likely_cause(model: LoadedModel) -> None:
    table = pd.DataFrame({"prompt": ["Rome is", None]}, index=[7, 8])
    for measure in (ma.radar.features, ma.radar.activations):
        with pytest.raises(ma.UserError) as refused:
            measure(model, table)
        assert str(refused.value) == f"prompts, row 1: prompt is missing; {MISSING_HINT}"


def test_choices_and_a_truth_may_be_missing() -> None:
    table = pd.DataFrame(
        {"question": ["Who?", "Where?"], "answer": ["Ann", "Here"], "seen": [None, None]}
    )
    table["choices"] = [["Ann", "Bob"], np.nan]

    assert [item.line.text for item in benchmark_of(table, "items").items] == [
        "Who?\nA. Ann\nB. Bob\nAnswer: A",
        "Where? Here",
    ]


def test_a_log_that_was_read_has_the_items_of_its_file(tmp_path: Path) -> None:
    """The table of `read_log` has the items of the log as the workflow reads it.

    One item has choices, the other has none.
    """
    samples = [
        inspect_sample("a", target="B", choices=["Quito", "Lima"]),
        inspect_sample("b", input="Capital of Chad?", target="N'Djamena", scores=None),
    ]
    path = write_inspect(tmp_path / "log.eval", *samples)
    lines = benchmark_of(ma.read_log(path), "log").lines

    assert [line.text for line in lines] == [
        "Capital of Peru?\nA. Quito\nB. Lima\nAnswer: B",
        "Capital of Chad? N'Djamena",
    ]
    assert lines == read_benchmark(path).lines


def test_scores_without_the_truth_cannot_be_ranked(model: LoadedModel) -> None:
    scores = ma.radar.detect(model, [("Who wrote it?", "Ann"), ("", "A text alone")])

    with pytest.raises(ma.UserError, match="no column 'seen'"):
        ma.radar.rank(scores)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["guess"] * 20, "label 'guess'; write recall or reasoning"),
        (["recall"] * 19, "19 labels for 20 rows; give one label for each row"),
        (["recall"] * 19 + ["reasoning"], "fewer than 2 prompts with the label reasoning"),
    ],
)
def test_labels_that_no_ensemble_can_be_fitted_to_are_refused(
    labels: list[str], message: str
) -> None:
    table = pd.DataFrame(np.zeros((20, len(FEATURES))), columns=list(FEATURES))

    with pytest.raises(ma.UserError, match=message):
        ma.radar.fit(table, labels)
