"""What is read from each form of a sample in logs of lm-eval, and the messages that logs get which cannot be read."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import mechaware as ma
from tests.unit.core.evaluation_logs import (
    CHAT,
    GENERATION,
    inspect_sample,
    lm_eval,
    older,
    options,
    write_lines,
)

Row = tuple[object, ...]

SHOT = "Question: How many legs have two spiders?\nAnswer: Two spiders have 2 * 8 = 16 legs. #### 16\n\n"
APPLES = {
    "question": "Ada has 5 pears and eats 2. How many are left?",
    "answer": "5 - 2 = 3 are left. #### 3",
}
GSM8K = {
    "doc": APPLES,
    "target": APPLES["answer"],
    "requests": [(f"{SHOT}Question: {APPLES['question']}\nAnswer:", GENERATION)],
    "metric": "exact_match",
}
STRICT = lm_eval(4, **GSM8K, filter_name="strict-match", right=1.0)  # type: ignore[arg-type]
FLEXIBLE = lm_eval(4, **GSM8K, filter_name="flexible-extract", right=0.0)  # type: ignore[arg-type]
PROMPT = f"{SHOT}Question: {APPLES['question']}\nAnswer:"

# ARC: texts as continuations; the target is the place of answerKey among the labels.
ARC_DOC = {
    "id": "Rock_7",
    "question": "Which of these scratches glass?",
    "choices": {"text": ["chalk", "talc", "diamond"], "label": ["A", "B", "C"]},
    "answerKey": "C",
}
ARC = lm_eval(
    2,
    ARC_DOC,
    2,
    options(f"Question: {ARC_DOC['question']}\nAnswer:", " chalk", " talc", " diamond"),
)

# MMLU: letters as continuations, after an example, and the choices in the prompt.
MMLU_DOC = {"question": "Which river flows through Cairo?", "subject": "geography", "answer": 1}
MMLU_DOC["choices"] = ["Niger", "Nile", "Congo", "Volta"]  # type: ignore[assignment]
MMLU_PROMPT = (
    "The following are questions about geography.\n\nWhich sea is the saltiest?\nA. North\nB. Baltic\nC. Dead\nD. Black"
    "\nAnswer: C\n\nWhich river flows through Cairo?\nA. Niger\nB. Nile\nC. Congo\nD. Volta\nAnswer:"
)
MMLU = lm_eval(0, MMLU_DOC, 1, options(MMLU_PROMPT, " A", " B", " C", " D"), right=0.0)
NILE = (
    "0",
    "Which river flows through Cairo?",
    "Nile",
    ["Niger", "Nile", "Congo", "Volta"],
    0.0,
    "question",
)

HELLASWAG_DOC = {
    "ind": 9,
    "activity_label": "Baking bread",
    "ctx": "A man kneads dough. he",
    "endings": ["swims home.", "lets it rise.", "paints it.", "reads it aloud."],
    "label": "1",
    "query": "Baking bread: A man kneads dough. He",
    "choices": ["swims home.", "lets it rise.", "paints it.", "reads it aloud."],
    "gold": 1,
}
HELLASWAG = lm_eval(
    9,
    HELLASWAG_DOC,
    1,
    options(HELLASWAG_DOC["query"], *(f" {text}" for text in HELLASWAG_DOC["choices"])),
)

# Winogrande: a context for each option, one continuation, which is the target; the document has the answer.
CUP = {
    "sentence": "The cup did not fit into the box because the _ was too wide.",
    "option1": "box",
    "option2": "cup",
}
CUP_SHOT = "Bo thanked Ann because Ann had helped.\n\n"
CUP_CONTEXTS = [
    f"{CUP_SHOT}The cup did not fit into the box because the box",
    f"{CUP_SHOT}The cup did not fit into the box because the cup",
]
WINOGRANDE = lm_eval(
    3,
    CUP | {"answer": "2"},
    "was too wide.",
    [(context, " was too wide.") for context in CUP_CONTEXTS],
)
WSC_DOC = {
    "text": "Eva paid Mia since she had won.",
    "pronoun_loc": 19,
    "options": ["Mia", "Eva"],
    "label": 1,
}
WSC = lm_eval(
    5,
    WSC_DOC,
    " had won.",
    [("Eva paid Mia since Mia", "  had won."), ("Eva paid Mia since Eva", "  had won.")],
)

WIKITEXT = lm_eval(
    1, {"page": " = Tin = \n Tin is a metal . "}, "x", [("x", "x")], metric="word_perplexity"
)
WIKITEXT |= {
    "arguments": {"gen_args_0": {"arg_0": "= Tin =\nTin is a metal."}},
    "word_perplexity": [-31.5, 5],
}

BOOLQ_DOC = {"passage": "Zinc is a metal.", "question": "is zinc a gas", "label": 0}
BOOLQ = lm_eval(
    6, BOOLQ_DOC, 0, options("Zinc is a metal.\nQuestion: is zinc a gas?\nAnswer:", " no", " yes")
)
COPA_DOC = {
    "premise": "The ice melted.",
    "choice1": "It was hot.",
    "choice2": "It was dark.",
    "question": "cause",
}
COPA = lm_eval(
    8,
    COPA_DOC,
    " it was hot.",
    options("The ice melted because", "  it was hot.", "  it was dark."),
)
LAMBADA = lm_eval(7, {"text": "It was the year 1984"}, " 1984", [("It was the year", " 1984")])

MMLU_PRO_DOC = {
    "question": "What is 7 times 8?",
    "options": ["54", "56", "63"],
    "answer": "B",
    "answer_index": 1,
}
MMLU_PRO_PROMPT = "Question: What is 7 times 8?\nOptions:\nA. 54\nB. 56\nC. 63\nAnswer:"
MMLU_PRO = lm_eval(2, MMLU_PRO_DOC, "B", [(MMLU_PRO_PROMPT, GENERATION)], metric="exact_match")
BELEBELE_DOC = {
    "question": "Who sang?",
    "mc_answer1": "Ann",
    "mc_answer2": "Bo",
    "correct_answer_num": "2",
}
BELEBELE_PROMPT = "P: Bo sang.\nQ: Who sang?\nA: Ann\nB: Bo\nAnswer:"
BELEBELE = lm_eval(0, BELEBELE_DOC, 1, options(BELEBELE_PROMPT, " A", " B"))

CHATTED = lm_eval(
    0, {"q": "Name a halogen."}, ["Iodine", "Chlorine"], [([json.dumps(CHAT)], GENERATION)]
)

LM_EVAL: dict[str, tuple[list[dict[str, Any]], dict[str, str], list[Row]]] = {
    "gsm8k, the first filter": (
        [STRICT, FLEXIBLE],
        {},
        [("4", APPLES["question"], APPLES["answer"], 1.0, "question")],
    ),
    "gsm8k, a filter by name": (
        [STRICT, FLEXIBLE],
        {"metric": "exact_match,flexible-extract"},
        [("4", APPLES["question"], APPLES["answer"], 0.0, "question")],
    ),
    "gsm8k, the whole prompt": (
        [STRICT],
        {"question": "arguments"},
        [("4", PROMPT, APPLES["answer"], 1.0, "arguments")],
    ),
    "another field of the document": (
        [STRICT],
        {"question": "answer"},
        [("4", APPLES["answer"], APPLES["answer"], 1.0, "answer")],
    ),
    "an older version": (
        [older(STRICT, APPLES["answer"])],
        {},
        [("4", APPLES["question"], APPLES["answer"], 1.0, "question")],
    ),
    "ARC": ([ARC], {}, [("2", "Which of these scratches glass?", " diamond", 1.0, "question")]),
    "ARC, an older version": (
        [older(ARC, 2)],
        {},
        [("2", "Which of these scratches glass?", " diamond", 1.0, "question")],
    ),
    "MMLU": ([MMLU], {}, [NILE]),
    "MMLU, letters in another order": (
        [MMLU | lm_eval(0, MMLU_DOC, 2, options(MMLU_PROMPT, " D", " C", " B", " A"), right=0.0)],
        {},
        [NILE],
    ),
    "MMLU, the whole prompt": (
        [MMLU],
        {"question": "arguments"},
        [("0", MMLU_PROMPT, " B", 0.0, "arguments")],
    ),
    "letters whose choices are in no list": (
        [BELEBELE],
        {},
        [("0", BELEBELE_PROMPT, " B", 1.0, "arguments")],
    ),
    "a letter to generate": (
        [MMLU_PRO],
        {},
        [("2", "What is 7 times 8?", "56", ["54", "56", "63"], 1.0, "question")],
    ),
    "hellaswag": (
        [HELLASWAG],
        {},
        [("9", "Baking bread: A man kneads dough. He", " lets it rise.", 1.0, "query")],
    ),
    "winogrande": (
        [WINOGRANDE],
        {},
        [
            (
                "3",
                "The cup did not fit into the box because the cup",
                " was too wide.",
                1.0,
                "sentence",
            )
        ],
    ),
    "winogrande, the whole prompt": (
        [WINOGRANDE],
        {"question": "arguments"},
        [("3", CUP_CONTEXTS[1], " was too wide.", 1.0, "arguments")],
    ),
    "wsc273": ([WSC], {}, [("5", "Eva paid Mia since Eva", "  had won.", 1.0, "arguments")]),
    "a passage before the question": (
        [BOOLQ],
        {},
        [("6", "Zinc is a metal.\nis zinc a gas", " no", 1.0, "passage,question")],
    ),
    "a field question that is not in the prompt": (
        [COPA],
        {},
        [("8", "The ice melted because", "  it was hot.", 1.0, "arguments")],
    ),
    "one continuation, a number": (
        [LAMBADA],
        {},
        [("7", "It was the year", " 1984", 1.0, "arguments")],
    ),
    "a chat, several accepted answers": (
        [CHATTED],
        {},
        [("0", "Name a noble gas.\nName a halogen.", "Iodine", 1.0, "arguments")],
    ),
    "an answer in brackets": (
        [lm_eval(0, {"problem": "Sort 2, 1."}, "['1', '2'] is it", [("Sort 2, 1.", GENERATION)])],
        {},
        [("0", "Sort 2, 1.", "['1', '2'] is it", 1.0, "problem")],
    ),
}


@pytest.mark.parametrize(("lines", "arguments", "expected"), LM_EVAL.values(), ids=LM_EVAL)
def test_a_sample_of_lm_eval_becomes_a_question_with_its_answer_and_mark(
    tmp_path: Path, lines: list[dict[str, Any]], arguments: dict[str, str], expected: list[Row]
) -> None:
    path = write_lines(tmp_path / "samples_task.jsonl", *lines)
    log = ma.read_log(path, **arguments)  # type: ignore[arg-type]
    assert list(log.itertuples(index=False, name=None)) == expected

    has_choices = len(expected[0]) == 6
    choices = ["choices"] if has_choices else []
    assert list(log) == ["id", "question", "answer", *choices, "correct", "question_from"]


def test_a_whole_text_has_no_question_and_no_mark(tmp_path: Path) -> None:
    log = ma.read_log(write_lines(tmp_path / "samples_wikitext.jsonl", WIKITEXT))
    (row,) = log.itertuples(index=False)
    assert row[:3] == ("1", "", "= Tin =\nTin is a metal.")
    assert math.isnan(row.correct)
    assert row.question_from == ""


def test_a_field_is_the_question_only_where_all_prompts_repeat_it(tmp_path: Path) -> None:
    """The second prompt has other words than its document: one file does not mix questions with whole prompts."""
    other = {"question": "How much is 6 less 1?", "answer": "5"}
    reworded = lm_eval(
        5, other, "5", [("Question: What is 6 - 1?\nAnswer:", GENERATION)], metric="exact_match"
    )
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", STRICT, reworded))
    assert log["question"].tolist() == [PROMPT, "Question: What is 6 - 1?\nAnswer:"]
    assert log["question_from"].tolist() == ["arguments", "arguments"]


def test_a_passage_that_some_documents_lack_is_read_where_it_is(tmp_path: Path) -> None:
    """SciQ: some documents have no support; a story that the prompt leaves out is not part of any question."""
    docs = [
        {
            "support": "Tin melts at 232 degrees.",
            "story": "Bo sang.",
            "question": "When does tin melt?",
        },
        {"support": "", "story": "", "question": "When does zinc melt?"},
    ]
    lines = []
    for place, doc in enumerate(docs):
        prompt = f"{doc['support']}\nQuestion: {doc['question']}\nAnswer:"
        lines.append(lm_eval(place, doc, " at 232", [(prompt, " at 232")]))

    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", *lines))
    assert log["question"].tolist() == [
        "Tin melts at 232 degrees.\nWhen does tin melt?",
        "When does zinc melt?",
    ]
    assert log["question_from"].tolist() == ["support,question"] * 2


@pytest.mark.parametrize(
    ("metrics", "correct"),
    [
        ({"perplexity": -1.5, "acc": 0.0}, 0.0),
        ({"perplexity": -1.5, "f1": 0.25, "exact_match": 1.0}, 1.0),
        ({"bleu": 0.5, "rouge": 0.75}, 0.5),
        ({"perplexity": -1.5, "acc": None}, -1.5),
    ],
)
def test_a_mark_of_the_answer_is_taken_before_a_perplexity(
    tmp_path: Path, metrics: dict[str, float | None], correct: float
) -> None:
    line = LAMBADA | {"metrics": list(metrics)} | metrics
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", line))
    assert log["correct"].tolist() == [correct]


IFEVAL = {"key": 0, "prompt": "Write 0 jokes.", "instruction_id_list": ["length"], "kwargs": [{}]}


@pytest.mark.parametrize(
    ("doc", "answer"),
    [
        (IFEVAL, ""),
        ({"prompt": "Write 0 jokes.", "answer": "0"}, "0"),
        ({"prompt": "Write 0 jokes.", "value": {"number": 0}}, "0"),
        ({"prompt": "Write 0 jokes.", "solution": "It is $5 - 5 = 0$."}, "0"),
    ],
)
def test_a_target_0_that_stands_for_no_answer_is_empty(
    tmp_path: Path, doc: dict[str, Any], answer: str
) -> None:
    line = lm_eval(0, doc, 0, [("Write 0 jokes.", GENERATION)])
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", line))
    assert log["answer"].tolist() == [answer]


def test_samples_of_several_datasets_each_have_their_own_field(tmp_path: Path) -> None:
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", ARC, HELLASWAG))
    assert log["question_from"].tolist() == ["question", "query"]


PERU = lm_eval(0, {"question": "Capital of Peru?"}, "Lima", [("Capital of Peru?", GENERATION)])
BOTH = lm_eval(
    0,
    {"question": "Capital of Peru?", "input": "Peru?"},
    "Lima",
    [("Capital of Peru?", GENERATION)],
)
FAULTS: dict[str, tuple[str, str, dict[str, str], str]] = {
    "no file": ("", "", {}, ": no such file; correct the path"),
    "another file": (
        "log.json",
        '{"results": {}}',
        {},
        ": not read as an evaluation log; give lm-eval's",
    ),
    "a compressed log": (
        "samples.jsonl.gz",
        "",
        {},
        ": a compressed file is not read; decompress it",
    ),
    "no zip": ("log.eval", "{}", {}, ": not read as an evaluation log; give lm-eval's"),
    "a log without samples": (
        "log.json",
        '{"version": 2, "samples": null}',
        {},
        ": no samples in it",
    ),
    "a broken line": ("samples.jsonl", '{"doc_id": 0', {}, "row 1: not JSON"),
    "no prompt": ("samples.jsonl", '{"doc_id": 0, "target": ""}', {}, "row 1: no 'arguments'"),
    "no request": (
        "samples.jsonl",
        json.dumps(PERU | {"arguments": {}}),
        {},
        "sample 0: no request in its arguments",
    ),
    "a request without a text": (
        "samples.jsonl",
        json.dumps(PERU | {"arguments": [[], ["b", " c"]]}),
        {},
        "sample 0: an empty request in its arguments; leave the sample out",
    ),
    "no input": (
        "log.json",
        json.dumps({"samples": [{"id": 4}]}),
        {},
        "sample 4: missing or of another form: 'input'",
    ),
    "another metric": (
        "samples.jsonl",
        json.dumps(PERU),
        {"metric": "f1"},
        "sample 0: no metric 'f1'; it has 'acc'",
    ),
    "a metric in pairs": (
        "samples.jsonl",
        json.dumps(WIKITEXT),
        {"metric": "word_perplexity"},
        "sample 1: metric 'word_perplexity' is no number; the numbers are none",
    ),
    "another filter": (
        "samples.jsonl",
        json.dumps(STRICT),
        {"metric": "exact_match,x"},
        ": no samples with the filter 'x'; its filters are 'strict-match'",
    ),
    "another field": (
        "samples.jsonl",
        json.dumps(PERU),
        {"question": "text"},
        "sample 0: no field 'text' in its document; it has 'question'; 'arguments' is the whole prompt",
    ),
    "two fields": (
        "samples.jsonl",
        json.dumps(BOTH),
        {},
        ": each of the documents' fields input and question may be the question; name one",
    ),
    "a field of a document in Inspect": (
        "log.json",
        json.dumps({"samples": [inspect_sample(1)]}),
        {"question": "question"},
        ": a log of Inspect has no field 'question' of a document; leave question out",
    ),
}


@pytest.mark.parametrize(("name", "text", "arguments", "message"), FAULTS.values(), ids=FAULTS)
def test_what_cannot_be_read_is_one_line(
    tmp_path: Path, name: str, text: str, arguments: dict[str, str], message: str
) -> None:
    path = tmp_path / (name or "nothing.json")
    if name:
        path.write_text(text)
    with pytest.raises(ma.UserError) as raised:
        ma.read_log(path, **arguments)  # type: ignore[arg-type]
    assert str(raised.value).startswith(str(path))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_two_fields_are_read_by_their_names(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "samples.jsonl", BOTH)
    assert ma.read_log(path, question="input")["question"].tolist() == ["Peru?"]
    assert ma.read_log(path, question="arguments")["question"].tolist() == ["Capital of Peru?"]


def test_faulty_samples_are_left_out_where_the_user_says_so(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "samples.jsonl", ARC | {"doc_id": 5, "target": "3"}, ARC)
    fault = "sample 5: target 3, but 3 options, counted from 0; correct the target"
    with pytest.raises(ma.UserError, match=fault):
        ma.read_log(path)

    log = ma.read_log(path, skip_faulty=True)
    assert log["id"].tolist() == ["2"]
    assert log.attrs["skipped"] == [f"{path}, {fault}"]
