"""`read_log` reads question, answer and mark from the samples of every form of lm-eval's tasks."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import mechaware as ma
from tests.unit.core.evaluation_logs import (
    CHAT,
    GENERATION,
    Item,
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


def test_samples_of_several_datasets_each_have_their_own_field(tmp_path: Path) -> None:
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", ARC, HELLASWAG))
    assert log["question_from"].tolist() == ["question", "query"]


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
