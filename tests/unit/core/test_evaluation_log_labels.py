"""Answers that are letters: labels of choices that prompt or document show, or complete answers."""

from pathlib import Path
from typing import Any, NamedTuple

import pytest

import mechaware as ma
from mechaware.core.evaluation_log.labels import labelled_choice
from tests.unit.core.evaluation_logs import GENERATION, lm_eval, options, write_lines


def generated(doc_id: int, question: str, *accepted: str) -> dict[str, Any]:
    """A sample of TriviaQA, to generate after one example: no choices in prompt or document."""
    doc = {"question": question, "answer": {"value": accepted[0], "aliases": list(accepted)}}
    prompt = (
        f"Question: Of what is Oslo the capital?\nAnswer: Norway\n\nQuestion: {question}\nAnswer:"
    )
    return lm_eval(doc_id, doc, list(accepted), [(prompt, GENERATION)], metric="exact_match")


def multiple_choice(
    doc_id: int, question: str, texts: list[str], right: int, *, labels: str = "ABCD"
) -> dict[str, Any]:
    """A sample of ARC: the continuations are the texts, and the prompt does not show them.

    `right` is the index of the right text.
    """
    choices = {"text": texts, "label": list(labels[: len(texts)])}
    doc = {"question": question, "choices": choices, "answerKey": labels[right]}
    prompt = f"Question: {question}\nAnswer:"
    return lm_eval(doc_id, doc, right, options(prompt, *(f" {text}" for text in texts)))


def lettered(
    doc_id: int, question: str, shown: list[str], listed: list[str], right: int
) -> dict[str, Any]:
    """A sample of MMLU: the continuations are the letters of the choices that the prompt shows.

    `listed` are the choices in the document, and `right` is the index of the right choice.
    """
    letters = "ABCD"[: len(shown)]
    lines = [f"{letter}. {text}" for letter, text in zip(letters, shown, strict=True)]
    prompt = "\n".join([question, *lines, "Answer:"])
    doc = {"question": question, "choices": listed}
    return lm_eval(doc_id, doc, right, options(prompt, *(f" {letter}" for letter in letters)))


OBJECTS = "Which is a metal?\nOptions:\n(A) tin\n(B) wool"
RIVERS = ["Niger", "Nile", "Congo", "Volta"]


class LetterCase(NamedTuple):
    """Lines of a log, where their questions come from, and the answer of the last line."""

    lines: list[dict[str, Any]]
    question_from: str
    last_answer: str


LETTERS = {
    "a letter that is an answer": LetterCase(
        [
            generated(0, "Capital of Peru?", "Lima"),
            generated(1, "Which vitamin clots blood?", "K", "k"),
        ],
        "question",
        "K",
    ),
    "the first letter, after A: in the prompt": LetterCase(
        [
            lm_eval(
                0,
                {"question": "Which blood group has the antigen A alone?"},
                "A",
                [("Q: Which blood group has the antigen A alone?\nA:", GENERATION)],
            )
        ],
        "question",
        "A",
    ),
    "options that are letters": LetterCase(
        [
            multiple_choice(0, "Which is a planet?", ["Sun", "Mars", "Moon", "Vega"], 1),
            multiple_choice(1, "Which stands for carbon?", ["H", "O", "C", "N"], 2),
        ],
        "question",
        " C",
    ),
    "options that are the first numbers": LetterCase(
        [
            multiple_choice(0, "Which is a planet?", ["Sun", "Mars", "Moon", "Vega"], 1),
            multiple_choice(1, "How many moons has the Earth?", ["1", "2", "3", "4"], 0),
        ],
        "question",
        " 1",
    ),
    "options that are numbers, labelled with numbers": LetterCase(
        [multiple_choice(0, "How many poles has a magnet?", ["1", "2", "3"], 1, labels="123")],
        "question",
        " 2",
    ),
    "continuations that are letters, in no list of the document": LetterCase(
        [
            lm_eval(
                0,
                {"question": "Which is a vowel?"},
                2,
                options("Question: Which is a vowel?\nAnswer:", " B", " C", " E"),
            )
        ],
        "question",
        " E",
    ),
    "a label of choices within the question, to generate": LetterCase(
        [lm_eval(0, {"input": OBJECTS}, "(A)", [(f"Q: {OBJECTS}\nA:", GENERATION)])],
        "input",
        "(A)",
    ),
    "labels of choices within the question": LetterCase(
        [lm_eval(0, {"input": OBJECTS}, 1, options(f"Q: {OBJECTS}\nA:", " (A)", " (B)"))],
        "input",
        " (B)",
    ),
    "choices that are their own labels": LetterCase(
        [
            lettered(0, "Which river flows through Cairo?", RIVERS, RIVERS, 1),
            lettered(1, "Which letter is last?", list("ABCD"), list("ABCD"), 3),
        ],
        "question",
        "D",
    ),
    "a label of choices that the prompt shows in one line": LetterCase(
        [
            lm_eval(
                0,
                {"question": "Which sings?", "opa": "lark", "opb": "eel"},
                "B",
                [("Which sings? A. eel B. lark Answer:", GENERATION)],
            )
        ],
        "arguments",
        "B",
    ),
    "a label of choices that the prompt shows before the question": LetterCase(
        [
            lm_eval(
                0,
                {"question": "Which sings?"},
                "B",
                [("(A) eel (B) lark\nWhich sings?\nAnswer:", GENERATION)],
            )
        ],
        "arguments",
        "B",
    ),
    "a label of choices that the document lists in another order": LetterCase(
        [lettered(0, "Which river flows through Cairo?", RIVERS[::-1], RIVERS, 2)],
        "arguments",
        " C",
    ),
    "choices in another order, and after them their texts in the order of the document": LetterCase(
        [
            lm_eval(
                0,
                {"question": "Which purrs?", "choices": ["ant", "bee", "cat"]},
                "A",
                [("Which purrs?\nA. cat\nB. bee\nC. ant\nThe ant, bee or cat:", GENERATION)],
            )
        ],
        "arguments",
        "A",
    ),
    "choices whose texts in the document begin with their labels": LetterCase(
        [lettered(0, "Which river?", ["Nile", "Po"], ["A. Nile", "B. Po"], 1)],
        "question",
        "B. Po",
    ),
}


@pytest.mark.parametrize("case", LETTERS.values(), ids=LETTERS)
def test_a_letter_is_a_label_only_of_choices_that_prompt_or_document_shows(
    tmp_path: Path, case: LetterCase
) -> None:
    """A sample whose answer is a letter does not turn other questions into whole prompts."""
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", *case.lines))
    assert log["question_from"].tolist() == [case.question_from] * len(case.lines)
    assert log["answer"].tolist()[-1] == case.last_answer


PRODUCT = {
    "question": "What is 7 times 8?",
    "options": ["54", "56", "63"],
    "answer": "B",
    "answer_index": 1,
}
PRODUCT_PROMPT = "Question: What is 7 times 8?\nOptions:\nA. 54\nB. 56\nC. 63\nAnswer:"
# The target "B" is the text of choice A and the label of choice B, "O".
OXYGEN = {
    "question": "Which stands for oxygen?",
    "choices": {"text": ["B", "O", "C"], "label": ["A", "B", "C"]},
}
OXYGEN_PROMPT = "Question: Which stands for oxygen?\nA. B\nB. O\nC. C\nAnswer:"


def test_of_a_label_that_is_another_choices_text_the_documents_label_decides(
    tmp_path: Path,
) -> None:
    """The question of another sample in the log stays the document's field."""
    other = lm_eval(7, PRODUCT, "B", [(PRODUCT_PROMPT, GENERATION)])
    labelled = lm_eval(1, OXYGEN | {"answerKey": "B"}, "B", [(OXYGEN_PROMPT, GENERATION)])
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", other, labelled))
    assert log["question_from"].tolist() == ["question", "question"]
    assert log["answer"].tolist() == ["56", "O"]


def test_of_a_label_that_is_another_choices_text_the_documents_index_decides(
    tmp_path: Path,
) -> None:
    indexed = lm_eval(3, OXYGEN | {"answer": 1}, "B", [(OXYGEN_PROMPT, GENERATION)])
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", indexed))
    assert log["answer"].tolist() == ["O"]


def test_a_label_that_is_another_choices_text_is_refused_without_the_documents_answer(
    tmp_path: Path,
) -> None:
    undecided = lm_eval(2, OXYGEN, "B", [(OXYGEN_PROMPT, GENERATION)])
    path = write_lines(tmp_path / "samples.jsonl", undecided)
    with pytest.raises(ma.UserError) as raised:
        ma.read_log(path, question="question")
    assert str(raised.value) == (
        f"{path}, sample 2: target 'B' is a choice and the label of another, 'B', 'O', 'C'; "
        "leave the sample out, or take the whole prompt as question"
    )


def test_an_index_in_the_document_decides_unless_another_field_names_a_third_choice() -> None:
    # "B" is the text of choice 0 and the label of choice 1. "D" names choice 3.
    choices = ["B", "C", "A", "D"]
    labels = ["A", "B", "C", "D"]

    assert labelled_choice("B", choices, labels, {"label": 1}) == 1
    with pytest.raises(ValueError, match="'B' is a choice and the label of another"):
        labelled_choice("B", choices, labels, {"label": 1, "answer": "D"})
