"""Reads the question, answer and choices of a sample: a line of lm-eval's `samples_*.jsonl`.

A request has a context and a continuation, or a context and the settings of a generation. The
sample's field `arguments` has one request, or one for each option. Older versions of lm-eval write
requests as lists, newer ones as `{"gen_args_0": {"arg_0": context, "arg_1": ...}}`.

`sample_texts` reads each form of requests by its own function:

    a generation                                 _generation
    one text without a continuation              sample_texts itself
    one continuation                             _with_question
    options that are continuations               _choice
    options that are contexts, as in winogrande  _filled_blank

A place is the index of an option or choice, counted from 0.
"""

import json
import re
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import Any, NamedTuple

from mechaware.core.evaluation_log.choices import blank_fillings, right_filling, right_option
from mechaware.core.evaluation_log.labels import (
    label_of,
    labelled_choice,
    listed_choices,
    shown_choices,
)
from mechaware.core.evaluation_log.texts import ItemTexts, chat_text, first_accepted, quoted

# Fields that every sample must have; a line without one of them is not lm-eval's.
COLUMNS = ("doc_id", "target", "arguments")
PROMPT = "arguments"  # in place of a document's field: the question is the whole prompt
# Fields of a document that hold its question if the prompt repeats their text.
QUESTION_FIELDS = (
    "question",
    "Question",
    "query",
    "question_stem",
    "goal",
    "problem",
    "input",
    "prompt",
)
# Fields of a document that hold what a question is about.
CONTEXT_FIELDS = (
    "passage",
    "context",
    "support",
    "article",
    "story",
    "body",
)
# Fields that number the documents.
NUMBER_FIELDS = ("id", "idx", "ind", "index", "key", "doc_id")
# The field with winogrande's sentence, and the blank in the sentence.
BLANK_FIELD = "sentence"
BLANK = "_"

Sample = Mapping[str, Any]


class Request(NamedTuple):
    """A context and the continuation whose likelihood under it was measured.

    `continuation` is None for a generation, and for a whole text that is scored; the text is then
    the context.
    """

    context: str
    continuation: str | None
    is_generation: bool = False

    @property
    def option(self) -> str:
        """The continuation; "" for a request without one."""
        return self.continuation or ""


def document_form(sample: Sample) -> frozenset[str]:
    """The names of the fields of a sample's document, which its data set determines."""
    return frozenset(document_of(sample))


def document_of(sample: Sample) -> Mapping[str, Any]:
    """The document of a sample, empty if the log has none."""
    document = sample.get("doc")
    return document if isinstance(document, Mapping) else {}


def sample_texts(sample: Sample, field: str) -> ItemTexts:
    """The question, answer and choices of a sample.

    `field` names where the question is: a field of the sample's document; several fields, separated
    by commas, whose texts are joined by line breaks; or `PROMPT`, the whole prompt.

    Raises `ValueError` for a sample without such a field, and for a sample without a clear right
    option. A sample of another form may raise `LookupError`, `TypeError` or `AttributeError`.
    """
    requests = read_requests(sample["arguments"])
    first = requests[0]
    if first.is_generation:
        return _generation(sample, first, field)
    if first.continuation is None:
        return ItemTexts(question="", answer=first.context, question_from="")
    if len(requests) == 1:
        return _with_question(sample, first.context, field, first.option)
    if share_continuation(requests):
        return _filled_blank(sample, requests, field)
    return _choice(sample, requests, field)


def read_requests(arguments: Any) -> list[Request]:
    """The requests of a sample, one for each option. Raises `ValueError` if there is none."""
    requests = [_read_request(_values(request)) for request in _values(arguments)]
    if not requests:
        raise ValueError("no request in its arguments; leave the sample out")
    return _without_unconditional(requests)


def _values(entries: Any) -> Any:
    """The entries of a list, or the values of `{"gen_args_0": ...}` or `{"arg_0": ...}`."""
    return list(entries.values()) if isinstance(entries, dict) else entries


def _read_request(values: Sequence[Any]) -> Request:
    """The request with these values: a context and a continuation or settings, or a single text."""
    if not values:
        raise ValueError("an empty request in its arguments; leave the sample out")
    context = chat_text(values[0])
    if len(values) == 1:
        return Request(context, None)
    if isinstance(values[1], str):
        return Request(context, values[1])
    return Request(context, None, is_generation=True)


def _without_unconditional(requests: list[Request]) -> list[Request]:
    """The requests without those that the metric acc_mutual_info adds.

    It adds a second half with the same continuations, each after an empty context. If the first
    half has no context either, nothing is left out.
    """
    half = len(requests) // 2
    first = requests[:half]
    second = requests[half:]
    first_continuations = [request.continuation for request in first]
    second_continuations = [request.continuation for request in second]
    first_has_context = any(request.context for request in first)
    second_has_context = any(request.context for request in second)
    is_added = first_continuations == second_continuations and not second_has_context
    if is_added and first_has_context:
        return first
    return requests


def share_continuation(requests: Sequence[Request]) -> bool:
    """Whether the options differ only in the context."""
    contexts = {request.context for request in requests}
    continuations = {request.continuation for request in requests}
    return len(continuations) == 1 and len(contexts) > 1


def _generation(sample: Sample, request: Request, field: str) -> ItemTexts:
    """The texts of a generation: the answer is the target.

    If the prompt shows choices, the answer is the choice that the target names by label or text.
    """
    answer = "" if _is_placeholder(sample) else first_accepted(sample["target"])
    texts = _with_question(sample, request.context, field, answer)
    if field == PROMPT:
        return texts
    document = document_of(sample)
    choices = shown_choices(document, request.context, _last_field(sample, field))
    place = labelled_choice(answer, choices, choice_labels(sample, len(choices)), document)
    if place is None:
        return texts
    return texts._replace(answer=choices[place], choices=tuple(choices))


def _is_placeholder(sample: Sample) -> bool:
    """Whether a generation has no answer: its target 0 is a placeholder, as in IFEval.

    It is a placeholder if the document has no choices, and if no field has a 0 in it, apart from
    the fields with the document's question, context and number.
    """
    document = document_of(sample)
    if str(sample["target"]) != "0" or not document or listed_choices(document):
        return False
    ignored = (*NUMBER_FIELDS, *QUESTION_FIELDS, *CONTEXT_FIELDS)
    answer_fields = [value for name, value in document.items() if name not in ignored]
    return not re.search(r"\b0\b", json.dumps(answer_fields))


def _choice(sample: Sample, requests: Sequence[Request], field: str) -> ItemTexts:
    """The texts of a sample whose options are continuations: the answer is the right option.

    If the options are labels of choices that the prompt shows, the answer is the right choice.
    """
    options = [request.option for request in requests]
    place = right_option(sample["target"], options, document_of(sample))
    texts = _with_question(sample, requests[place].context, field, options[place])
    if field == PROMPT:
        return texts

    choices = named_choices(sample, options, requests[place].context, _last_field(sample, field))
    if not choices:
        return texts

    labels = choice_labels(sample, len(choices))
    label = label_of(options[place]).upper()
    # The order of the options may differ from that of the choices: a task may list B before A.
    choice_place = labels.index(label) if label in labels else place
    return texts._replace(answer=choices[choice_place], choices=tuple(choices))


def _filled_blank(sample: Sample, requests: Sequence[Request], field: str) -> ItemTexts:
    """The texts of a sample whose options fill a blank in the context, before one continuation.

    The question is the text of `field` before the blank, and the right option. For winogrande, with
    the options "trophy" and "suitcase", of which the second is right:

        sentence  "The trophy does not fit in the suitcase because the _ is too small."
        question  "The trophy does not fit in the suitcase because the suitcase"
        answer    " is too small."

    If `field` has no blank, its text is the question, and the right option is the answer. If the
    options are unknown (`blank_fillings` finds none), the text of `field` is the question, and the
    continuation is the answer.
    """
    document = document_of(sample)
    contexts = [request.context for request in requests]
    ending = requests[0].option
    place = right_filling(sample["target"], contexts, ending, document)
    texts = _with_question(sample, contexts[place], field, ending)
    if field == PROMPT:
        return texts

    fillings = blank_fillings(contexts, document)
    if not fillings:
        return texts
    before, blank, _ = texts.question.partition(BLANK)
    if blank:
        return texts._replace(question=f"{before}{fillings[place]}")
    return texts._replace(answer=fillings[place])


def _with_question(sample: Sample, prompt: str, field: str, answer: str) -> ItemTexts:
    """The texts of the question that `field` names, as in `sample_texts`, and the given answer.

    A text that is part of a longer text among the fields is left out. Raises `ValueError` for a
    field that the document lacks.
    """
    if field == PROMPT:
        return ItemTexts(prompt, answer, PROMPT)
    document = document_of(sample)
    texts = []
    for name in field.split(","):
        if name not in document:
            known = f"it has {quoted(sorted(document))}" if document else "the log has none"
            raise ValueError(
                f"no field '{name}' in its document; {known}; '{PROMPT}' is the whole prompt"
            )
        texts.append(chat_text(document[name]))
    parts = [text for text in texts if text.strip() and not _is_in_longer(text, texts)]
    return ItemTexts("\n".join(parts), answer, field)


def _is_in_longer(text: str, texts: Sequence[str]) -> bool:
    """Whether a longer one of `texts` contains `text`, but for white space around it."""
    return any(text.strip() in other and len(text) < len(other) for other in texts)


def _last_field(sample: Sample, field: str) -> str:
    """The text of the last of the fields in `field`; a prompt shows the choices after it."""
    return chat_text(document_of(sample)[field.split(",")[-1]])


def named_choices(sample: Sample, options: Sequence[str], prompt: str, question: str) -> list[str]:
    """The choices that a prompt shows after the question, if the options are their labels.

    Empty if the prompt does not show one choice for each option, or if the options are the choices
    themselves. Options that are labels and choices at once count as labels, as in the samples of
    MMLU whose choices are A, B, C and D. Options that are neither labels nor choices also count as
    labels.
    """
    choices = shown_choices(document_of(sample), prompt, question)
    if len(choices) != len(options):
        return []
    option_texts = [option.strip() for option in options]
    are_choices = option_texts == choices
    are_labels = option_texts == choice_labels(sample, len(choices))
    return [] if are_choices and not are_labels else choices


def choice_labels(sample: Sample, count: int) -> list[str]:
    """The labels of a document's choices, by default A, B, C, ..."""
    choices = document_of(sample).get("choices")
    labels = choices.get("label") if isinstance(choices, Mapping) else None
    return [str(label) for label in labels] if labels else list(ascii_uppercase[:count])
