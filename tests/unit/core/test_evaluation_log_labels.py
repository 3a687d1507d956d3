"""Answers that are letters: labels of choices that the prompt or the document shows, or answers as they are."""

from pathlib import Path
from typing import Any

import pytest

import mechaware as ma
from mechaware.core.evaluation_log.labels import labelled_choice
from tests.unit.core.evaluation_logs import GENERATION, lm_eval, options, write_lines


def asked(doc_id: int, question: str, *accepted: str) -> dict[str, Any]:
    """A generation after two examples, as TriviaQA has it: no choices in prompt or document."""
    doc = {"question": question, "answer": {"value": accepted[0], "aliases": list(accepted)}}
    prompt = (
        f"Question: Of what is Oslo the capital?\nAnswer: Norway\n\nQuestion: {question}\nAnswer:"
    )
    return lm_eval(doc_id, doc, list(accepted), [(prompt, GENERATION)], metric="exact_match")


def multiple_choice(
    doc_id: int, question: str, texts: list[str], right: int, *, labels: str = "ABCD"
) -> dict[str, Any]:
    """A sample of ARC: the options are the texts, and the prompt does not show them."""
    choices = {"text": texts, "label": list(labels[: len(texts)])}
    doc = {"question": question, "choices": choices, "answerKey": labels[right]}
    prompt = f"Question: {question}\nAnswer:"
    return lm_eval(doc_id, doc, right, options(prompt, *(f" {text}" for text in texts)))


def lettered(
    doc_id: int, question: str, shown: list[str], listed: list[str], right: int
) -> dict[str, Any]:
    """A sample of MMLU whose prompt shows other choices than its document lists, or the same."""
    letters = "ABCD"[: len(shown)]
    lines = [f"{letter}. {text}" for letter, text in zip(letters, shown, strict=True)]
    prompt = "\n".join([question, *lines, "Answer:"])
    doc = {"question": question, "choices": listed}
    return lm_eval(doc_id, doc, right, options(prompt, *(f" {letter}" for letter in letters)))


OBJECTS = "Which is a metal?\nOptions:\n(A) tin\n(B) wool"
RIVERS = ["Niger", "Nile", "Congo", "Volta"]
# The samples, the field of their questions, the last answer.
LETTERS: dict[str, tuple[list[dict[str, Any]], str, str]] = {
    "a letter that is an answer": (
        [asked(0, "Capital of Peru?", "Lima"), asked(1, "Which vitamin clots blood?", "K", "k")],
        "question",
        "K",
    ),
    "the first letter, after A: in the prompt": (
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
    "options that are letters": (
        [
            multiple_choice(0, "Which is a planet?", ["Sun", "Mars", "Moon", "Vega"], 1),
            multiple_choice(1, "Which stands for carbon?", ["H", "O", "C", "N"], 2),
        ],
        "question",
        " C",
    ),
    "options that are the first numbers": (
        [
            multiple_choice(0, "Which is a planet?", ["Sun", "Mars", "Moon", "Vega"], 1),
            multiple_choice(1, "How many moons has the Earth?", ["1", "2", "3", "4"], 0),
        ],
        "question",
        " 1",
    ),
    "options that are numbers, labelled with numbers": (
        [multiple_choice(0, "How many poles has a magnet?", ["1", "2", "3"], 1, labels="123")],
        "question",
        " 2",
    ),
    "options that are letters, in no list": (
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
    "a label of choices within the question, to generate": (
        [lm_eval(0, {"input": OBJECTS}, "(A)", [(f"Q: {OBJECTS}\nA:", GENERATION)])],
        "input",
        "(A)",
    ),
    "labels of choices within the question": (
        [lm_eval(0, {"input": OBJECTS}, 1, options(f"Q: {OBJECTS}\nA:", " (A)", " (B)"))],
        "input",
        " (B)",
    ),
    "choices that are their own labels": (
        [
            lettered(0, "Which river flows through Cairo?", RIVERS, RIVERS, 1),
            lettered(1, "Which letter is last?", list("ABCD"), list("ABCD"), 3),
        ],
        "question",
        "D",
    ),
    "a label of choices that the prompt shows in one line": (
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
    "a label of choices that the prompt shows before the question": (
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
    "a label of choices that the document lists in another order": (
        [lettered(0, "Which river flows through Cairo?", RIVERS[::-1], RIVERS, 2)],
        "arguments",
        " C",
    ),
    "choices in another order, which the prompt then names in the document's": (
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
    "choices with labels of their own": (
        [lettered(0, "Which river?", ["Nile", "Po"], ["A. Nile", "B. Po"], 1)],
        "question",
        "B. Po",
    ),
}


@pytest.mark.parametrize(("lines", "field", "answer"), LETTERS.values(), ids=LETTERS)
def test_a_letter_is_a_label_only_of_choices_that_prompt_or_document_shows(
    tmp_path: Path, lines: list[dict[str, Any]], field: str, answer: str
) -> None:
    """One sample whose answer is a letter does not turn the others' questions into whole prompts."""
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", *lines))
    assert log["question_from"].tolist() == [field] * len(lines)
    assert log["answer"].tolist()[-1] == answer


PRODUCT = {
    "question": "What is 7 times 8?",
    "options": ["54", "56", "63"],
    "answer": "B",
    "answer_index": 1,
}
PRODUCT_PROMPT = "Question: What is 7 times 8?\nOptions:\nA. 54\nB. 56\nC. 63\nAnswer:"
CARBON = {
    "question": "Which stands for carbon?",
    "choices": {"text": ["B", "O", "C"], "label": ["A", "B", "C"]},
}
CARBON_PROMPT = "Question: Which stands for carbon?\nA. B\nB. O\nC. C\nAnswer:"


def test_of_a_letter_that_is_a_label_and_another_choice_the_document_decides(
    tmp_path: Path,
) -> None:
    """The question of another sample in the log stays the document's field."""
    boron = CARBON | {"question": "Which stands for boron?"}
    prompt = CARBON_PROMPT.replace("carbon", "boron")
    other = lm_eval(7, PRODUCT, "B", [(PRODUCT_PROMPT, GENERATION)])
    labelled = lm_eval(1, boron | {"answerKey": "B"}, "B", [(prompt, GENERATION)])
    log = ma.read_log(write_lines(tmp_path / "samples.jsonl", other, labelled))
    assert log["question_from"].tolist() == ["question", "question"]
    assert log["answer"].tolist() == ["56", "O"]

    place = lm_eval(3, boron | {"answer": 1}, "B", [(prompt, GENERATION)])
    log = ma.read_log(write_lines(tmp_path / "place.jsonl", place))
    assert log["answer"].tolist() == ["O"]

    path = write_lines(tmp_path / "open.jsonl", lm_eval(2, boron, "B", [(prompt, GENERATION)]))
    with pytest.raises(ma.UserError) as raised:
        ma.read_log(path, question="question")
    assert str(raised.value) == (
        f"{path}, sample 2: target 'B' is a choice and the label of another, 'B', 'O', 'C'; leave the sample out, or "
        "take the whole prompt as question"
    )


def test_a_number_in_the_document_decides_unless_another_field_names_a_third_choice() -> None:
    # "B" is the label of the second choice and the text of the first.
    choices = ["B", "C", "A", "D"]
    labels = ["A", "B", "C", "D"]

    assert labelled_choice("B", choices, labels, {"label": 1}) == 1
    with pytest.raises(ValueError, match="'B' is a choice and the label of another"):
        labelled_choice("B", choices, labels, {"label": 1, "answer": "D"})
