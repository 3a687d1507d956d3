"""The samples of lm-eval's logs: what is read from each form, and the messages for faulty logs."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import mechaware as ma
from tests.unit.core.evaluation_logs import (
    CHAT,
    GENERATION,
    Item,
    inspect_sample,
    items_of,
    lm_eval,
    older,
    options,
    write_lines,
)


class LogCase(NamedTuple):
    """Lines of a log, the items that `read_log` reads from them, and its arguments."""

    lines: Sequence[dict[str, Any]]
    items: list[Item]
    metric: str = ""
    question: str | None = None


def check_case(case: LogCase, path: Path) -> None:
    """Write the lines of a case to `path` and compare what is read."""
    write_lines(path, *case.lines)
    log = ma.read_log(path, metric=case.metric, question=case.question)
    assert items_of(log) == case.items

    choices = ["choices"] if case.items[0].choices else []
    assert list(log) == ["id", "question", "answer", *choices, "correct", "question_from"]


# GSM8K: an answer to generate, after one example, which two filters read from the response.
SHOT = (
    "Question: How many legs have two spiders?\n"
    "Answer: Two spiders have 2 * 8 = 16 legs. #### 16\n\n"
)
PEARS = "Ada has 5 pears and eats 2. How many are left?"
PEARS_LEFT = "5 - 2 = 3 are left. #### 3"
PEARS_PROMPT = f"{SHOT}Question: {PEARS}\nAnswer:"


def gsm8k(filter_name: str, right: float) -> dict[str, Any]:
    """The line of one filter."""
    return lm_eval(
        4,
        {"question": PEARS, "answer": PEARS_LEFT},
        PEARS_LEFT,
        [(PEARS_PROMPT, GENERATION)],
        metric="exact_match",
        filter_name=filter_name,
        right=right,
    )


STRICT = gsm8k("strict-match", right=1.0)
FLEXIBLE = gsm8k("flexible-extract", right=0.0)
GENERATED = {
    "the first of two filters": LogCase(
        [STRICT, FLEXIBLE],
        [Item("4", PEARS, PEARS_LEFT, 1.0, "question")],
    ),
    "a filter by its name": LogCase(
        [STRICT, FLEXIBLE],
        [Item("4", PEARS, PEARS_LEFT, 0.0, "question")],
        metric="exact_match,flexible-extract",
    ),
    "the whole prompt": LogCase(
        [STRICT],
        [Item("4", PEARS_PROMPT, PEARS_LEFT, 1.0, "arguments")],
        question="arguments",
    ),
    "another field of the document": LogCase(
        [STRICT],
        [Item("4", PEARS_LEFT, PEARS_LEFT, 1.0, "answer")],
        question="answer",
    ),
    "an older version of lm-eval": LogCase(
        [older(STRICT, PEARS_LEFT)],
        [Item("4", PEARS, PEARS_LEFT, 1.0, "question")],
    ),
    "a chat, several accepted answers": LogCase(
        [
            lm_eval(
                0,
                {"q": "Name a halogen."},
                ["Iodine", "Chlorine"],
                [([json.dumps(CHAT)], GENERATION)],
            )
        ],
        [Item("0", "Name a noble gas.\nName a halogen.", "Iodine", 1.0, "arguments")],
    ),
    "a text that begins like a list": LogCase(
        [lm_eval(0, {"problem": "Sort 2, 1."}, "['1', '2'] is it", [("Sort 2, 1.", GENERATION)])],
        [Item("0", "Sort 2, 1.", "['1', '2'] is it", 1.0, "problem")],
    ),
}


@pytest.mark.parametrize("case", GENERATED.values(), ids=GENERATED)
def test_a_generated_answer_has_the_mark_of_its_filter_and_the_question_of_its_field(
    tmp_path: Path, case: LogCase
) -> None:
    check_case(case, tmp_path / "samples_task.jsonl")


# ARC: the continuations are texts; the target is the index of answerKey among the labels.
ARC = lm_eval(
    2,
    {
        "id": "Rock_7",
        "question": "Which of these scratches glass?",
        "choices": {"text": ["chalk", "talc", "diamond"], "label": ["A", "B", "C"]},
        "answerKey": "C",
    },
    2,
    options(
        "Question: Which of these scratches glass?\nAnswer:",
        " chalk",
        " talc",
        " diamond",
    ),
)
HELLASWAG_ENDINGS = ["swims home.", "lets it rise.", "paints it.", "reads it aloud."]
HELLASWAG = lm_eval(
    9,
    {
        "ind": 9,
        "activity_label": "Baking bread",
        "ctx": "A man kneads dough. he",
        "endings": HELLASWAG_ENDINGS,
        "label": "1",
        "query": "Baking bread: A man kneads dough. He",
        "choices": HELLASWAG_ENDINGS,
        "gold": 1,
    },
    1,
    options(
        "Baking bread: A man kneads dough. He",
        *(f" {ending}" for ending in HELLASWAG_ENDINGS),
    ),
)
BOOLQ = lm_eval(
    6,
    {"passage": "Zinc is a metal.", "question": "is zinc a gas", "label": 0},
    0,
    options("Zinc is a metal.\nQuestion: is zinc a gas?\nAnswer:", " no", " yes"),
)
# COPA: the field question is the kind of the question, which no prompt has.
COPA = lm_eval(
    8,
    {
        "premise": "The ice melted.",
        "choice1": "It was hot.",
        "choice2": "It was dark.",
        "question": "cause",
    },
    " it was hot.",
    options("The ice melted because", "  it was hot.", "  it was dark."),
)
# LAMBADA: one continuation. Its digits are a text, not the place of an option.
LAMBADA = lm_eval(7, {"text": "It was the year 1984"}, " 1984", [("It was the year", " 1984")])
TEXTS = {
    "ARC": LogCase(
        [ARC],
        [Item("2", "Which of these scratches glass?", " diamond", 1.0, "question")],
    ),
    "ARC, an older version of lm-eval": LogCase(
        [older(ARC, 2)],
        [Item("2", "Which of these scratches glass?", " diamond", 1.0, "question")],
    ),
    "hellaswag": LogCase(
        [HELLASWAG],
        [Item("9", "Baking bread: A man kneads dough. He", " lets it rise.", 1.0, "query")],
    ),
    "a passage before the question": LogCase(
        [BOOLQ],
        [Item("6", "Zinc is a metal.\nis zinc a gas", " no", 1.0, "passage,question")],
    ),
    "a field question that is not in the prompt": LogCase(
        [COPA],
        [Item("8", "The ice melted because", "  it was hot.", 1.0, "arguments")],
    ),
    "one continuation, a number": LogCase(
        [LAMBADA],
        [Item("7", "It was the year", " 1984", 1.0, "arguments")],
    ),
}


@pytest.mark.parametrize("case", TEXTS.values(), ids=TEXTS)
def test_the_answer_is_the_text_of_the_right_continuation(tmp_path: Path, case: LogCase) -> None:
    check_case(case, tmp_path / "samples_task.jsonl")


# MMLU: the continuations are letters, and the prompt shows the choices, after one example.
RIVERS = ["Niger", "Nile", "Congo", "Volta"]
MMLU_DOC = {
    "question": "Which river flows through Cairo?",
    "subject": "geography",
    "answer": 1,
    "choices": RIVERS,
}
MMLU_PROMPT = (
    "The following are questions about geography.\n\n"
    "Which sea is the saltiest?\nA. North\nB. Baltic\nC. Dead\nD. Black\nAnswer: C\n\n"
    "Which river flows through Cairo?\nA. Niger\nB. Nile\nC. Congo\nD. Volta\nAnswer:"
)
MMLU = lm_eval(0, MMLU_DOC, 1, options(MMLU_PROMPT, " A", " B", " C", " D"), right=0.0)
MMLU_FROM_D_TO_A = lm_eval(0, MMLU_DOC, 2, options(MMLU_PROMPT, " D", " C", " B", " A"), right=0.0)
NILE = Item("0", "Which river flows through Cairo?", "Nile", 0.0, "question", choices=RIVERS)

# MMLU-Pro: the letter is generated.
MMLU_PRO = lm_eval(
    2,
    {
        "question": "What is 7 times 8?",
        "options": ["54", "56", "63"],
        "answer": "B",
        "answer_index": 1,
    },
    "B",
    [("Question: What is 7 times 8?\nOptions:\nA. 54\nB. 56\nC. 63\nAnswer:", GENERATION)],
    metric="exact_match",
)
# Belebele: each choice has a field of its own, so no list has the choices that the letters label.
BELEBELE_PROMPT = "P: Bo sang.\nQ: Who sang?\nA: Ann\nB: Bo\nAnswer:"
BELEBELE = lm_eval(
    0,
    {"question": "Who sang?", "mc_answer1": "Ann", "mc_answer2": "Bo", "correct_answer_num": "2"},
    1,
    options(BELEBELE_PROMPT, " A", " B"),
)
LETTERS = {
    "MMLU": LogCase([MMLU], [NILE]),
    "MMLU, letters in another order": LogCase([MMLU_FROM_D_TO_A], [NILE]),
    "MMLU, the whole prompt": LogCase(
        [MMLU],
        [Item("0", MMLU_PROMPT, " B", 0.0, "arguments")],
        question="arguments",
    ),
    "a letter to generate": LogCase(
        [MMLU_PRO],
        [Item("2", "What is 7 times 8?", "56", 1.0, "question", choices=["54", "56", "63"])],
    ),
    "letters whose choices are in no list": LogCase(
        [BELEBELE],
        [Item("0", BELEBELE_PROMPT, " B", 1.0, "arguments")],
    ),
}


@pytest.mark.parametrize("case", LETTERS.values(), ids=LETTERS)
def test_a_letter_becomes_its_choice_or_stays_with_the_whole_prompt(
    tmp_path: Path, case: LogCase
) -> None:
    check_case(case, tmp_path / "samples_task.jsonl")


# Winogrande and WSC: a context for each option and one continuation, which is the target; the
# document has the right option.
CUP_SHOT = "Bo thanked Ann because Ann had helped.\n\n"
CUP_CONTEXTS = [
    f"{CUP_SHOT}The cup did not fit into the box because the box",
    f"{CUP_SHOT}The cup did not fit into the box because the cup",
]
WINOGRANDE = lm_eval(
    3,
    {
        "sentence": "The cup did not fit into the box because the _ was too wide.",
        "option1": "box",
        "option2": "cup",
        "answer": "2",
    },
    "was too wide.",
    [(context, " was too wide.") for context in CUP_CONTEXTS],
)
WSC = lm_eval(
    5,
    {
        "text": "Eva paid Mia since she had won.",
        "pronoun_loc": 19,
        "options": ["Mia", "Eva"],
        "label": 1,
    },
    " had won.",
    [("Eva paid Mia since Mia", "  had won."), ("Eva paid Mia since Eva", "  had won.")],
)
FILLED_BLANKS = {
    "winogrande, without the example": LogCase(
        [WINOGRANDE],
        [
            Item(
                "3",
                "The cup did not fit into the box because the cup",
                " was too wide.",
                1.0,
                "sentence",
            )
        ],
    ),
    "winogrande, the whole prompt": LogCase(
        [WINOGRANDE],
        [Item("3", CUP_CONTEXTS[1], " was too wide.", 1.0, "arguments")],
        question="arguments",
    ),
    "wsc273": LogCase(
        [WSC],
        [Item("5", "Eva paid Mia since Eva", "  had won.", 1.0, "arguments")],
    ),
}


@pytest.mark.parametrize("case", FILLED_BLANKS.values(), ids=FILLED_BLANKS)
def test_the_question_of_a_blank_is_the_context_with_the_right_option(
    tmp_path: Path, case: LogCase
) -> None:
    check_case(case, tmp_path / "samples_task.jsonl")


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


def test_a_field_is_the_question_only_where_all_prompts_repeat_it(tmp_path: Path) -> None:
    """The second prompt words its document anew: one log does not mix fields with whole prompts."""
    reworded_prompt = "Question: What is 6 - 1?\nAnswer:"
    reworded = lm_eval(
        5,
        {"question": "How much is 6 less 1?", "answer": "5"},
        "5",
        [(reworded_prompt, GENERATION)],
        metric="exact_match",
    )
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", STRICT, reworded))
    assert log["question"].tolist() == [PEARS_PROMPT, reworded_prompt]
    assert log["question_from"].tolist() == ["arguments", "arguments"]


def test_a_passage_precedes_the_question_where_the_document_has_one_that_the_prompt_repeats(
    tmp_path: Path,
) -> None:
    """In SciQ some documents have an empty support. The prompts leave out the story."""
    docs = [
        {
            "support": "Tin melts at 232 degrees.",
            "story": "Bo sang.",
            "question": "When does tin melt?",
        },
        {"support": "", "story": "", "question": "When does zinc melt?"},
    ]
    lines = []
    for doc_id, doc in enumerate(docs):
        prompt = f"{doc['support']}\nQuestion: {doc['question']}\nAnswer:"
        lines.append(lm_eval(doc_id, doc, " at 232", [(prompt, " at 232")]))

    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", *lines))
    assert log["question"].tolist() == [
        "Tin melts at 232 degrees.\nWhen does tin melt?",
        "When does zinc melt?",
    ]
    assert log["question_from"].tolist() == ["support,question"] * 2


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
    line = LAMBADA | {"metrics": list(metrics)} | metrics
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", line))
    assert log["correct"].tolist() == [correct]


IFEVAL = {"key": 0, "prompt": "Write 0 jokes.", "instruction_id_list": ["length"], "kwargs": [{}]}


@pytest.mark.parametrize(
    ("doc", "answer"),
    [
        pytest.param(IFEVAL, "", id="no 0 but the number and the prompt"),
        pytest.param({"prompt": "Write 0 jokes.", "answer": "0"}, "0", id="the answer"),
        pytest.param({"prompt": "Write 0 jokes.", "value": {"number": 0}}, "0", id="nested"),
        pytest.param(
            {"prompt": "Write 0 jokes.", "solution": "It is $5 - 5 = 0$."}, "0", id="in a solution"
        ),
    ],
)
def test_a_target_0_is_an_answer_only_if_the_document_has_a_0_besides_its_number_and_prompt(
    tmp_path: Path, doc: dict[str, Any], answer: str
) -> None:
    """Tasks without answers, such as IFEval, have the target 0."""
    line = lm_eval(0, doc, 0, [("Write 0 jokes.", GENERATION)])
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", line))
    assert log["answer"].tolist() == [answer]


def test_samples_of_several_datasets_each_have_their_own_field(tmp_path: Path) -> None:
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", ARC, HELLASWAG))
    assert log["question_from"].tolist() == ["question", "query"]


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
        json.dumps(WIKITEXT),
        "sample 1: metric 'word_perplexity' is no number; the numbers are none",
        metric="word_perplexity",
    ),
    "a filter that no sample has": Fault(
        "samples.jsonl",
        json.dumps(STRICT),
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
    path = write_lines(tmp_path / "samples.jsonl", ARC | {"doc_id": 5, "target": "3"}, ARC)
    fault = "sample 5: target 3, but 3 options, counted from 0; correct the target"
    with pytest.raises(ma.UserError, match=fault):
        ma.read_log(path)

    log = ma.read_log(path, skip_faulty=True)
    assert log["id"].tolist() == ["2"]
    assert log.attrs["skipped"] == [f"{path}, {fault}"]
