"""The texts of a line in lm-eval's `samples_*.jsonl`, a sample: one function for each form of its requests.

A request has a context and a continuation (or the settings of a generation); `arguments` has one request, or one for
each option. Older versions write requests as lists, newer ones as `{"gen_args_0": {"arg_0": context, "arg_1": ...}}`.
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

COLUMNS = ("doc_id", "target", "arguments")
PROMPT = "arguments"  # the question is the whole prompt
# Fields of a document that hold a question where the prompt repeats them.
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
# Winogrande's sentence, and the blank in it.
BLANK_FIELD = "sentence"
BLANK = "_"

Sample = Mapping[str, Any]


class Request(NamedTuple):
    """What was put to the model. `continuation`: None for a generation and for a whole text, which is the context."""

    context: str
    continuation: str | None
    is_generation: bool = False

    @property
    def option(self) -> str:
        """The continuation, of a request that has one."""
        return self.continuation or ""


def document_form(sample: Sample) -> frozenset[str]:
    """The names of the fields of a sample's document, which its data set determines."""
    return frozenset(document_of(sample))


def document_of(sample: Sample) -> Mapping[str, Any]:
    """The document of a sample, empty if the log has none."""
    document = sample.get("doc")
    return document if isinstance(document, Mapping) else {}


def sample_texts(sample: Sample, field: str) -> ItemTexts:
    """The texts of a sample; `field` of the document is its question, or several, or `PROMPT`, the whole prompt.

    Several fields are separated by commas and joined by line breaks. Raises `ValueError` for a sample without a field,
    and for one without a clear right option. A sample of another form may raise `LookupError`, `TypeError` or
    `AttributeError`.
    """
    requests = read_requests(sample["arguments"])
    first = requests[0]
    if first.is_generation:
        return _generation(sample, first, field)
    if first.continuation is None:
        return ItemTexts("", first.context, "")
    if len(requests) == 1:
        return _with_question(sample, first.context, field, first.option)
    if share_continuation(requests):
        return _filled_blank(sample, requests, field)
    return _choice(sample, requests, field)


def read_requests(arguments: Any) -> list[Request]:
    """What was put to the model for a sample, a request for each option. Raises `ValueError` if there is none."""
    requests = [_read_request(_values(request)) for request in _values(arguments)]
    if not requests:
        raise ValueError("no request in its arguments; leave the sample out")
    return _without_unconditional(requests)


def _values(entries: Any) -> Any:
    """The entries of a list, or the values of `{"gen_args_0": ...}` or `{"arg_0": ...}`."""
    return list(entries.values()) if isinstance(entries, dict) else entries


def _read_request(values: Sequence[Any]) -> Request:
    """The request of a context and a continuation, of a context and settings, or of one text."""
    if not values:
        raise ValueError("an empty request in its arguments; leave the sample out")
    context = chat_text(values[0])
    if len(values) == 1:
        return Request(context, None)
    if isinstance(values[1], str):
        return Request(context, values[1])
    return Request(context, None, is_generation=True)


def _without_unconditional(requests: list[Request]) -> list[Request]:
    """The requests without their second half, if that has the same continuations after no context (acc_mutual_info)."""
    half = len(requests) // 2
    options = requests[:half]
    again = requests[half:]
    repeated = [each.continuation for each in options] == [each.continuation for each in again]
    has_context = any(each.context for each in options)
    again_has_context = any(each.context for each in again)
    if repeated and has_context and not again_has_context:
        return options
    return requests


def share_continuation(requests: Sequence[Request]) -> bool:
    """Whether the options differ only in the context."""
    one_continuation = len({request.continuation for request in requests}) == 1
    return one_continuation and len({request.context for request in requests}) > 1


def _generation(sample: Sample, request: Request, field: str) -> ItemTexts:
    """Prompt and target; where the prompt shows choices, the choice that the target names by label or text."""
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
    """Whether the target of a generation is a 0 in place of an answer, as in IFEval.

    No field of its document but its question and its number has a 0; nor has the document choices.
    """
    document = document_of(sample)
    if str(sample["target"]) != "0" or not document or listed_choices(document):
        return False
    passed_over = (*NUMBER_FIELDS, *QUESTION_FIELDS, *CONTEXT_FIELDS)
    fields = [value for name, value in document.items() if name not in passed_over]
    return not re.search(r"\b0\b", json.dumps(fields))


def _choice(sample: Sample, requests: Sequence[Request], field: str) -> ItemTexts:
    """A continuation for each option; where options are labels, of choices that the prompt shows, those choices."""
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
    # A task may list its letters as B, A.
    shown_place = labels.index(label) if label in labels else place
    return texts._replace(answer=choices[shown_place], choices=tuple(choices))


def _filled_blank(sample: Sample, requests: Sequence[Request], field: str) -> ItemTexts:
    """A context for each option, which fills a blank; the continuation is what follows.

    With `field` the question is the text before the blank and the right option. For winogrande, with the options
    "trophy" and "suitcase", of which the second is right:

        sentence  "The trophy does not fit in the suitcase because the _ is too small."
        question  "The trophy does not fit in the suitcase because the suitcase"
        answer    " is too small."

    A field without a blank is taken as it is, and the right option is the answer.
    """
    document = document_of(sample)
    contexts = [request.context for request in requests]
    ending = requests[0].option
    place = right_filling(sample["target"], contexts, ending, document)
    if field == PROMPT:
        return ItemTexts(contexts[place], ending, PROMPT)

    texts = _with_question(sample, contexts[place], field, ending)
    fillings = blank_fillings(contexts, document)
    if not fillings:
        return texts
    before, blank, _ = texts.question.partition(BLANK)
    if blank:
        return texts._replace(question=f"{before}{fillings[place]}")
    return texts._replace(answer=fillings[place])


def _with_question(sample: Sample, prompt: str, field: str, answer: str) -> ItemTexts:
    """The answer after the question that `field` names (`sample_texts`). Raises `ValueError` for an unknown field."""
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
    question = "\n".join(text for text in texts if text.strip() and not _is_part(text, texts))
    return ItemTexts(question, answer, field)


def _is_part(text: str, texts: Sequence[str]) -> bool:
    """Whether a longer one of the texts has this one in it."""
    return any(text.strip() in other and len(text) < len(other) for other in texts)


def _last_field(sample: Sample, field: str) -> str:
    """The text of the last of several fields, after which a prompt shows the choices."""
    return chat_text(document_of(sample)[field.split(",")[-1]])


def named_choices(sample: Sample, options: Sequence[str], prompt: str, question: str) -> list[str]:
    """The choices that the options name by their labels; none if the options are the choices themselves.

    Choices that are A, B, C, D, as in some samples of MMLU, are both.
    """
    choices = shown_choices(document_of(sample), prompt, question)
    if len(choices) != len(options):
        return []
    texts = [option.strip() for option in options]
    are_labels = texts != choices or texts == choice_labels(sample, len(choices))
    return choices if are_labels else []


def choice_labels(sample: Sample, count: int) -> list[str]:
    """The labels of a document's choices, by default A, B, C, ..."""
    choices = document_of(sample).get("choices")
    labels = choices.get("label") if isinstance(choices, Mapping) else None
    return [str(label) for label in labels] if labels else list(ascii_uppercase[:count])
