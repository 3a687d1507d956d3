"""Choices that a log names by labels: whether a prompt shows them, as "(A) Nile", and which one an answer names.

An answer "B" is complete only together with the choices that A, B and C label. They are read from the sample's
document, and count as shown where the prompt has them after the question, each after its label.
"""

import re
from collections.abc import Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from mechaware.core.evaluation_log.choices import numbers_in_document, place_in_document
from mechaware.core.evaluation_log.texts import quoted

_CHOICE_FIELDS = ("choices", "options")
_PUNCTUATION = " ()[].:"  # around a label
# How a text shows a label: at the start of a line, in brackets, and, less surely, within a line.
_LABEL_FORMS = (r"^[ \t]*{}[ ]?[.):]", r"[(\[]{}[)\]]")
_LABEL_WITHIN_LINE = r"(?<![^\s,;:]){}[ ]?[.):]"


def listed_choices(document: Mapping[str, Any]) -> list[list[str]]:
    """The lists of two choices or more that a document has, without white space around the texts."""
    listed: list[list[str]] = []
    for field in _CHOICE_FIELDS:
        choices = document.get(field)
        if isinstance(choices, Mapping):
            choices = choices.get("text")
        if isinstance(choices, list) and len(choices) >= 2:
            listed.append([str(choice).strip() for choice in choices])
    return listed


def shown_choices(document: Mapping[str, Any], prompt: str, question: str) -> list[str]:
    """The document's choices, if the prompt shows each after its label, in their order, after the question.

    Empty if it does not, or if two fields with different choices fit.
    """
    shown: list[list[str]] = []
    for texts in listed_choices(document):
        if _in_order(prompt, question, texts, document) and texts not in shown:
            shown.append(texts)
    return shown[0] if len(shown) == 1 else []


def _in_order(
    prompt: str, question: str, texts: Sequence[str], document: Mapping[str, Any]
) -> bool:
    """Whether the texts follow the question, each after its label.

    Labels are those of the document, or A, B, C, or a, b, c, or 1, 2, 3.
    """
    after_question = text_after(prompt, question)
    numbers = [str(number) for number in range(1, len(texts) + 1)]
    series: list[Sequence[str]] = [ascii_uppercase, ascii_lowercase, numbers]
    choices = document.get("choices")
    if isinstance(choices, Mapping) and choices.get("label"):
        series.append([str(label) for label in choices["label"]])
    return any(_follow_labels(after_question, texts, labels) for labels in series)


def text_after(prompt: str, question: str) -> str:
    """The prompt after the last occurrence of the question; all of it if the question is not there."""
    asked = question.strip()
    return prompt.rpartition(asked)[2] if asked else prompt


def _follow_labels(shown: str, texts: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether `shown` has the texts in their order, each after its label."""
    end = 0  # where the previous text ends in `shown`
    for label, text in zip(labels, texts, strict=False):
        # The label, and one to five characters such as ". " or ") ".
        before = rf"(?<![A-Za-z0-9]){re.escape(label)}[\W_]{{1,5}}?"
        # Some documents have the label within the text: "(A) Nile".
        if re.match(rf"[(\[]?{re.escape(label)}[).:\]]", text):
            before = ""
        match = re.compile(f"{before}{re.escape(text)}").search(shown, end)
        if match is None:
            return False
        end = match.end()
    return True


def shows_labels(text: str, labels: Sequence[str], *, anywhere: bool = False) -> bool:
    """Whether a text shows all of these labels in one form, as `A.` at the start of lines or as `(A)`.

    `anywhere`: also `A.` within a line, which may be a person's initial in a longer text.
    """
    forms = list(_LABEL_FORMS)
    if anywhere:
        forms.append(_LABEL_WITHIN_LINE)
    for form in forms:
        patterns = [form.format(re.escape(label)) for label in labels]
        if all(re.search(pattern, text, re.MULTILINE) for pattern in patterns):
            return True
    return False


def labels_up_to(answer: str) -> list[str]:
    """The labels from A up to the letter that an answer is, at least two: C gives A, B, C, and a gives a, b."""
    label = label_of(answer)
    letters = ascii_uppercase if label.isupper() else ascii_lowercase
    return list(letters[: max(2, letters.index(label) + 1)])


def label_of(option: str) -> str:
    """A label without brackets, full stop or colon around it."""
    return option.strip(_PUNCTUATION)


def look_like_labels(options: Sequence[str]) -> bool:
    """Whether options are single letters, or 1, 2, 3, ...: the texts that they label are then in the prompt."""
    labels = [label_of(option) for option in options]
    letters = all(len(label) == 1 and label.isalpha() for label in labels)
    return letters or labels == [str(number) for number in range(1, len(labels) + 1)]


def is_letter(answer: str) -> bool:
    """Whether an answer is a letter from A to Z, perhaps in brackets."""
    label = label_of(answer)
    return len(label) == 1 and label.isascii() and label.isalpha()


def labelled_choice(
    answer: str, choices: Sequence[str], labels: Sequence[str], document: Mapping[str, Any]
) -> int | None:
    """The place of a choice that an answer names by label or by text; None if it names none.

    Raises `ValueError` if it is a label and the text of another choice, and the document's own answer is neither.
    """
    label = label_of(answer)
    by_label = {place for place, each in enumerate(labels) if each == label}
    by_text = {place for place, choice in enumerate(choices) if choice == answer.strip()}
    places = by_label | by_text
    if not places:
        return None
    if len(places) == 1:
        return places.pop()

    documented = place_in_document(document, choices)
    if documented in places:
        return documented
    named_by_number = places & numbers_in_document(document)
    if documented is None and len(named_by_number) == 1:
        return named_by_number.pop()
    raise ValueError(
        f"target {quoted([answer])} is a choice and the label of another, {quoted(list(choices))}; leave the sample "
        "out, or take the whole prompt as question"
    )
