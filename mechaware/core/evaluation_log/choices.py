"""Which of several options a log calls right: its place among them, or an error where two readings
differ.

A place is an index, counted from 0. A target may be the place of an option or its text, and logs
write numbers as text. Both readings are made. Where they name different options the document may
decide; otherwise the sample is refused.
"""

from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any

from mechaware.core.evaluation_log.texts import listed_answers, quoted

_ANSWER_FIELDS = ("answer", "answerKey", "gold", "label", "answer_index")


def right_option(target: Any, options: Sequence[str], document: Mapping[str, Any]) -> int:
    """The place of the option that `target` names, by its place or its text. Equal options count as
    one.

    Args:
        target: The log's target: a place, a text, or a list of either.
        options: The texts of the options.
        document: The fields of the sample's document.

    Raises:
        ValueError: The target names no option, or several; the document labels several options as
            right, or names an option that the target does not; or place and text name different
            options, and the document does not decide.
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

    With the options "2", "1" and "0" the answer "1" has two readings: the option "1", whose place
    is 1, and the place 1, which is the same option. With "1", "2" and "3" they are two options, and
    the document decides.
    """
    # Text of an option -> the place that a reading of the answer gives for it. Equal options count
    # as one.
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

    documented = place_in_document(document, options)
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


def place_in_document(document: Mapping[str, Any], options: Sequence[str]) -> int | None:
    """The place of the option that the document's own answer names beyond doubt, or None.

    The answer is a label or letter of the document's choices, if their texts are the options. Or it
    is an option's text, but no number that is the place of another option. None if the document's
    fields name different options.
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


def numbers_in_document(document: Mapping[str, Any]) -> set[int]:
    """The document's own answers that are numbers; false and true count as 0 and 1."""
    answers = [document.get(field) for field in _ANSWER_FIELDS]
    return {answer for answer in answers if isinstance(answer, int)}


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
    """The place of the right one of contexts that differ in how a blank is filled and have the same
    `ending`.

    In winogrande and wsc273 the target is the ending; the document has the options and which one is
    right. Other tasks may give the place as target. Raises `ValueError` if neither determines it,
    or if they differ.
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
    """The document's options, if the contexts differ only in the option that fills the blank; else
    none.

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
    """The place that a document with options gives: `answer` numbers option1, option2;
    `label` counts from 0.
    """
    numbered = [str(number) for number in range(1, count + 1)]
    if "option1" in document:
        answer = str(document.get("answer")).strip()
        return numbered.index(answer) if answer in numbered else None
    label = place_number(document.get("label"))
    return label if label is not None and label < count else None
