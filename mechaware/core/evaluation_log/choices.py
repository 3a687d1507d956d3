"""Which of several options a log calls right: its place among them, or an error where two readings differ.

A place is an index, counted from 0. A target may be the place of an option or its text, and logs write numbers as text.
Both readings are made. Where they name different options the document may decide; otherwise the sample is refused.
"""

import re
from collections.abc import Mapping, Sequence
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from mechaware.core.evaluation_log.texts import listed_answers, quoted

_ANSWER_FIELDS = ("answer", "answerKey", "gold", "label", "answer_index")
_CHOICE_FIELDS = ("choices", "options")
_PUNCTUATION = " ()[].:"  # around a label
# How a text shows a label: at the start of a line, in brackets, and, less surely, within a line.
_LABEL_FORMS = (r"^[ \t]*{}[ ]?[.):]", r"[(\[]{}[)\]]")
_LABEL_WITHIN_LINE = r"(?<![^\s,;:]){}[ ]?[.):]"


def right_option(target: Any, options: Sequence[str], document: Mapping[str, Any]) -> int:
    """The place of the option that `target` names, by its place or its text. Equal options count as one.

    Args:
        target: The log's target: a place, a text, or a list of either.
        options: The texts of the options.
        document: The fields of the sample's document.

    Raises:
        ValueError: The target names no option, or several; the document labels several as right, or names another one;
            or place and text name different options, and the document does not decide.
    """
    labelled_right = _labelled_right(document, options)
    if len(labelled_right) > 1:
        raise _several_right(labelled_right)

    answers = [target]
    if not _places_by_text(target, options):  # an option's text may look like a list
        answers = listed_answers(target)
    if not answers:
        raise ValueError("the target is an empty list; correct it")
    if len(answers) == 1:
        return _right_place(answers[0], options, document)

    places = [_right_place(answer, options, {}) for answer in answers]
    right = {options[place].strip() for place in places}
    if len(right) > 1:
        raise _several_right(right)
    return places[0]


def _several_right(texts: set[str]) -> ValueError:
    return ValueError(
        f"{len(texts)} options are right: {quoted(sorted(texts))}; leave the sample out"
    )


def _labelled_right(document: Mapping[str, Any], options: Sequence[str]) -> set[str]:
    """The options that a document labels with 1, if one of its fields labels the options.

    In TruthfulQA `mc2_targets` is {"choices": ["Nile", "Amazon"], "labels": [1, 0]}.
    """
    texts = [option.strip() for option in options]
    for field in document.values():
        if not isinstance(field, Mapping):
            continue
        choices = field.get("choices")
        labels = field.get("labels")
        if not isinstance(choices, list) or not isinstance(labels, list):
            continue
        if [str(choice).strip() for choice in choices] == texts and len(labels) == len(texts):
            return {text for text, label in zip(texts, labels, strict=True) if label == 1}
    return set()


def _right_place(answer: Any, options: Sequence[str], document: Mapping[str, Any]) -> int:
    """The place of the option that one answer names (`right_option`).

    With the options "2", "1" and "0" the answer "1" has two readings: the option "1", whose place is 1, and the place
    1, which is the same option. With "1", "2" and "3" they are two options, and the document decides.
    """
    # The place that each reading gives, by the text of the option there, since equal options count as one.
    readings: dict[str, int] = {}
    if not isinstance(answer, int):
        for place in _places_by_text(answer, options):
            readings[options[place].strip()] = place
    number = place_number(answer)
    if number is not None and number < len(options):
        readings[options[number].strip()] = number

    shown = quoted([str(answer)])
    if not readings:
        if number is not None:
            raise ValueError(
                f"target {number}, but {len(options)} options, counted from 0; correct the target"
            )
        raise ValueError(
            f"target {shown} is none of the options {quoted(options)}; correct the target"
        )

    documented = _place_in_document(document, options)
    if documented is not None:
        text = options[documented].strip()
        if text not in readings:
            raise ValueError(
                f"target {shown} is {quoted(list(readings))}, the document's answer '{text}'; correct one"
            )
        return readings[text]
    if len(readings) == 1:
        (place,) = readings.values()
        return place

    _by_text, by_place = readings.values()  # in the order in which they were read
    if _is_place_in_document(document, options, by_place):
        return by_place
    raise ValueError(
        f"target {shown} is an option and the place of another, {quoted([options[by_place]])}, counted from 0; "
        "write the right option's place as the target, a number without quotes"
    )


def place_number(target: Any) -> int | None:
    """A target as a place, or None: a whole number, or its digits; false and true are 0 and 1."""
    if isinstance(target, bool):
        target = int(target)
    text = str(target).strip()
    return int(text) if text.isascii() and text.isdigit() else None


def _places_by_text(target: Any, options: Sequence[str]) -> list[int]:
    """The places of the options that have the target's text, but for white space around it."""
    text = str(target).strip()
    return [place for place, option in enumerate(options) if option.strip() == text]


def _place_in_document(document: Mapping[str, Any], options: Sequence[str]) -> int | None:
    """The place of the option that the document's own answer names beyond doubt, or None.

    The answer is a label or letter of the document's choices, if their texts are the options. Or it is an option's
    text, but no number that is the place of another option. None if the document's fields name different options.
    """
    texts = [option.strip() for option in options]
    choices = document.get("choices")
    labels = list(ascii_uppercase)
    if isinstance(choices, Mapping):
        labels = [str(label) for label in choices.get("label", [])]
        choices = choices.get("text")
    are_options = isinstance(choices, list) and [str(choice).strip() for choice in choices] == texts

    named = set()
    for field in _ANSWER_FIELDS:
        value = document.get(field)
        if not isinstance(value, str):
            continue
        answer = value.strip()
        # The field answerKey, ARC's, holds a label even where a text equals it.
        may_be_label = answer not in texts or field == "answerKey"
        if are_options and may_be_label and answer in labels[: len(texts)]:
            named.add(texts[labels.index(answer)])
        elif answer in texts and _names_no_other_place(answer, texts):
            named.add(answer)
    if len(named) != 1:
        return None
    return texts.index(named.pop())


def _names_no_other_place(text: str, texts: Sequence[str]) -> bool:
    """Whether an option's text is no number, or one that is the place of no other option."""
    place = place_number(text)
    return place is None or place >= len(texts) or texts[place] == text


def _is_place_in_document(document: Mapping[str, Any], options: Sequence[str], place: int) -> bool:
    """Whether a document's answer is this place, as a number, or the text of the option there."""
    for field in _ANSWER_FIELDS:
        answer = document.get(field)
        if isinstance(answer, int) and answer == place:  # lm-eval reads a number as a place
            return True
        if isinstance(answer, str) and answer.strip() == options[place].strip():
            return True
    return False


def right_filling(
    target: Any, contexts: Sequence[str], ending: str, document: Mapping[str, Any]
) -> int:
    """The place of the right one of contexts that differ in how a blank is filled and have the same `ending`.

    In winogrande and wsc273 the target is the ending; the document has the options and which one is right. Other tasks
    may give the place as target. Raises `ValueError` if neither determines it, or if they differ.
    """
    fillings = blank_fillings(contexts, document)
    place = None  # by the document
    if fillings:
        place = _right_filling_of(document, len(contexts))

    number = place_number(target)
    is_ending = not isinstance(target, int) and target.strip() == ending.strip()
    if number is not None and not is_ending:
        if number >= len(contexts):
            raise ValueError(
                f"target {number}, but {len(contexts)} options, counted from 0; correct the target"
            )
        if place not in (None, number):
            named = quoted([fillings[number], fillings[place]])
            raise ValueError(
                f"target {number}, counted from 0, and the document's answer differ: {named}; correct one"
            )
        return number

    if place is None:
        raise ValueError(
            "all options have one continuation, and neither target nor document (option1, option2 and answer, or "
            "options and label) tells which context is right; write its place, counted from 0, as target"
        )
    return place


def blank_fillings(contexts: Sequence[str], document: Mapping[str, Any]) -> list[str]:
    """The document's options, if the contexts differ only in the option that fills the blank; else none.

    In winogrande, with the options "trophy" and "suitcase":

        contexts  "It does not fit because the trophy", "It does not fit because the suitcase"
        fillings  "trophy", "suitcase"
    """
    numbered = [document.get(f"option{number}") for number in range(1, len(contexts) + 1)]
    options = document.get("options") if None in numbered else numbered
    if not isinstance(options, list) or len(options) != len(contexts):
        return []

    fillings = [str(option) for option in options]
    before, _, after = contexts[0].rpartition(fillings[0])
    filled = [f"{before}{filling}{after}" for filling in fillings]
    return fillings if filled == list(contexts) else []


def _right_filling_of(document: Mapping[str, Any], count: int) -> int | None:
    """The place that a document with options gives: `answer` numbers option1, option2; `label` counts from 0."""
    numbered = [str(number) for number in range(1, count + 1)]
    if "option1" in document:
        answer = str(document.get("answer")).strip()
        return numbered.index(answer) if answer in numbered else None
    label = place_number(document.get("label"))
    return label if label is not None and label < count else None


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

    documented = _place_in_document(document, choices)
    if documented in places:
        return documented
    values = [document.get(field) for field in _ANSWER_FIELDS]
    numbers = {value for value in values if isinstance(value, int)}
    named_by_number = places & numbers
    if documented is None and len(named_by_number) == 1:
        return named_by_number.pop()
    raise ValueError(
        f"target {quoted([answer])} is a choice and the label of another, {quoted(list(choices))}; leave the sample "
        "out, or take the whole prompt as question"
    )
