"""Which fields of lm-eval's documents are the question, where the user names none:
those that all prompts repeat.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from mechaware.core.evaluation_log.choices import blank_fillings
from mechaware.core.evaluation_log.labels import (
    is_letter,
    label_of,
    labelled_choice,
    labels_up_to,
    listed_choices,
    look_like_labels,
    shown_choices,
    shows_labels,
    text_after,
)
from mechaware.core.evaluation_log.lm_eval import (
    BLANK,
    BLANK_FIELD,
    CONTEXT_FIELDS,
    PROMPT,
    QUESTION_FIELDS,
    Request,
    Sample,
    choice_labels,
    document_form,
    document_of,
    named_choices,
    read_requests,
    share_continuation,
)
from mechaware.core.evaluation_log.texts import first_accepted


def question_fields(samples: Iterable[Sample]) -> dict[frozenset[str], str]:
    """The fields of the document that are the question, separated by commas, by the form of the
    document.

    The form of a document is the set of its fields' names. For BoolQ, whose documents have the
    fields passage, question and label:

        {frozenset({"passage", "question", "label"}): "passage,question"}

    The question is one of `QUESTION_FIELDS` that every prompt of the form repeats and after which
    the answer makes sense; where the options fill a blank, it is `BLANK_FIELD`. Before it come the
    `CONTEXT_FIELDS` that the prompts repeat: at least one prompt does, and so does every prompt
    whose document has text in the field. Without a field for the question, `PROMPT` takes its
    place. Raises `ValueError` if several of `QUESTION_FIELDS` may be the question.
    """
    # By form: the question fields that all prompts repeat; the context fields that at least one
    # prompt repeats; the context fields that at least one prompt does not repeat.
    questions: dict[frozenset[str], set[str]] = {}
    contexts: dict[frozenset[str], set[str]] = {}
    missed: dict[frozenset[str], set[str]] = {}
    for sample in samples:
        try:
            fields = _usable_fields(sample)
            shown, hidden = _context_fields(sample)
        except (LookupError, TypeError, AttributeError, ValueError):
            # The sample cannot be read here; `sample_texts` decides whether it is refused.
            continue
        form = document_form(sample)
        questions[form] = questions.get(form, fields) & fields
        contexts[form] = contexts.get(form, set()) | shown
        missed[form] = missed.get(form, set()) | hidden

    chosen = {}
    for form, fields in questions.items():
        if len(fields) > 1:
            named = " and ".join(sorted(fields))
            raise ValueError(
                f"each of the documents' fields {named} may be the question; name one as the argument question, "
                f"or '{PROMPT}' for the whole prompt"
            )
        before = [field for field in CONTEXT_FIELDS if field in contexts[form] - missed[form]]
        chosen[form] = ",".join([*before, *fields]) if fields else PROMPT
    return chosen


def _usable_fields(sample: Sample) -> set[str]:
    """The fields of a sample's document that may be its question: the prompt repeats them, up to
    differences in white space, and the answer makes sense after them.

    Where the options are contexts before one continuation, only `BLANK_FIELD` may be the question.
    """
    document = document_of(sample)
    requests = read_requests(sample["arguments"])
    if share_continuation(requests):
        return {BLANK_FIELD} if _fills_blank(document, requests) else set()

    prompt = requests[0].context
    fields = set()
    for field in QUESTION_FIELDS:
        text = document.get(field)
        if not isinstance(text, str) or not text.strip():
            continue
        if _repeats(prompt, text) and _is_complete(sample, requests, text):
            fields.add(field)
    return fields


def _fills_blank(document: Mapping[str, Any], requests: Sequence[Request]) -> bool:
    """Whether each context has the document's sentence up to its blank,
    and an option in place of the blank.
    """
    contexts = [request.context for request in requests]
    fillings = blank_fillings(contexts, document)
    before, blank, _ = str(document.get(BLANK_FIELD, "")).partition(BLANK)
    if not blank or not fillings:
        return False
    pairs = zip(contexts, fillings, strict=True)
    return all(f"{before}{filling}" in context for context, filling in pairs)


def _is_complete(sample: Sample, requests: Sequence[Request], question: str) -> bool:
    """Whether the answer makes sense after this question.

    A label does not, if the question lacks the choice that it names and `sample_texts` cannot put
    the choice in the label's place. Nor does a written answer that names none of the choices that
    the prompt shows.

    Raises `ValueError` if the answer is the label of one choice and the text of another.
    """
    if requests[0].is_generation:
        return _is_complete_generation(sample, requests[0].context, question)
    options = [request.option for request in requests]
    return _are_complete_options(sample, options, requests[0].context, question)


def _are_complete_options(
    sample: Sample, options: Sequence[str], prompt: str, question: str
) -> bool:
    """`_is_complete` for a continuation or several options."""
    if len(options) < 2 or not look_like_labels(options):
        return True
    if named_choices(sample, options, prompt, question):
        return True

    document = document_of(sample)
    texts = [option.strip() for option in options]
    are_choices = texts in listed_choices(document)
    labels = [label_of(option) for option in options]
    return not _name_hidden_choices(labels, document, prompt, question, are_choices=are_choices)


def _is_complete_generation(sample: Sample, prompt: str, question: str) -> bool:
    """`_is_complete` for an answer that the model writes."""
    document = document_of(sample)
    answer = first_accepted(sample["target"])
    choices = shown_choices(document, prompt, question)
    if choices:
        labels = choice_labels(sample, len(choices))
        return labelled_choice(answer, choices, labels, document) is not None
    if not is_letter(answer):
        return True

    is_choice = any(answer.strip() in texts for texts in listed_choices(document))
    labels = labels_up_to(answer)
    return not _name_hidden_choices(labels, document, prompt, question, are_choices=is_choice)


def _name_hidden_choices(
    labels: Sequence[str],
    document: Mapping[str, Any],
    prompt: str,
    question: str,
    *,
    are_choices: bool,
) -> bool:
    """Whether the labels name choices that the question itself lacks.

    The prompt shows such choices after the labels, or the document lists some. `are_choices`:
    whether the document lists as choices the very texts from which `labels` were read; these texts
    are then labels only if the prompt shows them as labels.
    """
    if shows_labels(question, labels, anywhere=True):
        return False
    after_question = text_after(prompt, question)
    if shows_labels(prompt, labels) or shows_labels(after_question, labels, anywhere=True):
        return True
    return bool(listed_choices(document)) and not are_choices


def _context_fields(sample: Sample) -> tuple[set[str], set[str]]:
    """The fields of `CONTEXT_FIELDS` that the prompt repeats, and those that it does not;
    empty ones are neither.
    """
    document = document_of(sample)
    prompt = read_requests(sample["arguments"])[0].context
    shown = set()
    hidden = set()
    for field in CONTEXT_FIELDS:
        text = document.get(field)
        if not isinstance(text, str) or not text.strip():
            continue
        if _repeats(prompt, text):
            shown.add(field)
        else:
            hidden.add(field)
    return shown, hidden


def _repeats(prompt: str, text: str) -> bool:
    """Whether a prompt contains a text, up to differences in white space,
    and not merely within longer words (`cause` in `because`).
    """
    words = " ".join(text.split())
    pieces = " ".join(prompt.split()).split(words)
    for before, after in pairwise(pieces):
        begins_inside = _is_word(before[-1:]) and _is_word(words[0])
        ends_inside = _is_word(after[:1]) and _is_word(words[-1])
        if not begins_inside and not ends_inside:
            return True
    return False


def _is_word(character: str) -> bool:
    """Whether a character is a letter or digit of ASCII. Other scripts are left out,
    since some do not separate words.
    """
    return character.isascii() and character.isalnum()
