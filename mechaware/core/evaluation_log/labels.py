"""Finds the choices that a prompt labels, as in "(A) Nile", and the choice that an answer names.

An answer "B" is complete only together with the choices that A, B and C label. The choices are read
from the sample's document. They count as shown if the prompt has them after the question, each
after its label. A place is the index of a choice, counted from 0.
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
    """The choices in each of a document's fields for them, without white space around a text.

    A field with fewer than two choices is left out.
    """
    listed: list[list[str]] = []
    for field in _CHOICE_FIELDS:
        choices = document.get(field)
        if isinstance(choices, Mapping):
            choices = choices.get("text")
        if isinstance(choices, list) and len(choices) >= 2:
            listed.append([str(choice).strip() for choice in choices])
    return listed


def shown_choices(document: Mapping[str, Any], prompt: str, question: str) -> list[str]:
    """The document's choices, if the prompt shows them in their order, each after its label.

    Empty if the prompt does not show them after the question, or if it shows different choices from
    two fields of the document.
    """
    shown: list[list[str]] = []
    for choices in listed_choices(document):
        if _are_labelled(prompt, question, choices, document) and choices not in shown:
            shown.append(choices)
    return shown[0] if len(shown) == 1 else []


def _are_labelled(
    prompt: str, question: str, choices: Sequence[str], document: Mapping[str, Any]
) -> bool:
    """Whether the choices follow the question in their order, each after its label.

    The labels are A, B, C, or a, b, c, or 1, 2, 3, or those of the document.
    """
    after_question = text_after(prompt, question)
    numbers = [str(number) for number in range(1, len(choices) + 1)]
    possible_labels: list[Sequence[str]] = [ascii_uppercase, ascii_lowercase, numbers]
    field = document.get("choices")
    if isinstance(field, Mapping) and field.get("label"):
        possible_labels.append([str(label) for label in field["label"]])
    return any(_follow_labels(after_question, choices, labels) for labels in possible_labels)


def text_after(prompt: str, question: str) -> str:
    """The prompt after the last occurrence of the question; the whole prompt without one."""
    question = question.strip()
    return prompt.rpartition(question)[2] if question else prompt


def _follow_labels(text: str, choices: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether `text` has the choices in their order, each after its label.

    Labels beyond the number of choices, or choices beyond the number of labels, are ignored.
    """
    end = 0  # where the previous choice ends in `text`
    for label, choice in zip(labels, choices, strict=False):
        # The label, and one to five characters such as ". " or ") ".
        before = rf"(?<![A-Za-z0-9]){re.escape(label)}[\W_]{{1,5}}?"
        # Some documents have the label within the choice: "(A) Nile".
        if re.match(rf"[(\[]?{re.escape(label)}[).:\]]", choice):
            before = ""
        match = re.compile(f"{before}{re.escape(choice)}").search(text, end)
        if match is None:
            return False
        end = match.end()
    return True


def shows_labels(text: str, labels: Sequence[str], *, anywhere: bool = False) -> bool:
    """Whether a text shows all of these labels in one form: `A.` at the start of lines, or `(A)`.

    With `anywhere`, `A.` within a line also counts; in a longer text it may be the initial
    of a name.
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
    """The labels from A to the letter in an answer, at least two.

    C gives A, B, C, and a gives a, b.
    """
    label = label_of(answer)
    letters = ascii_uppercase if label.isupper() else ascii_lowercase
    return list(letters[: max(2, letters.index(label) + 1)])


def label_of(option: str) -> str:
    """A label without brackets, full stop or colon around it."""
    return option.strip(_PUNCTUATION)


def look_like_labels(options: Sequence[str]) -> bool:
    """Whether options are all single letters, or 1, 2, 3, ...

    The prompt then has the texts that they label.
    """
    labels = [label_of(option) for option in options]
    are_letters = all(len(label) == 1 and label.isalpha() for label in labels)
    numbers = [str(number) for number in range(1, len(labels) + 1)]
    return are_letters or labels == numbers


def is_letter(answer: str) -> bool:
    """Whether an answer is a letter from A to Z, perhaps in brackets."""
    label = label_of(answer)
    return len(label) == 1 and label.isascii() and label.isalpha()


def labelled_choice(
    answer: str, choices: Sequence[str], labels: Sequence[str], document: Mapping[str, Any]
) -> int | None:
    """The place of the choice that an answer names by label or by text; None if it names none.

    If the answer is the label of one choice and the text of another, the document's own answer
    decides. Raises `ValueError` if it does not.
    """
    answer_text = answer.strip()
    answer_label = label_of(answer)
    by_text = {place for place, choice in enumerate(choices) if choice == answer_text}
    by_label = {place for place, label in enumerate(labels) if label == answer_label}
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
        f"target {quoted([answer])} is a choice and the label of another, "
        f"{quoted(list(choices))}; leave the sample out, or take the whole prompt as question"
    )
