r"""The samples of a log that have a passage in their prompt: the prompt around the passage, the
options, and the accepted answers.

A passage is a field of lm-eval's document, or of the metadata of Inspect's sample, that the prompt
repeats. Worked examples before the question may also repeat it: the last occurrence counts. For
lm-eval's BoolQ:

    before    ""
    passage   "The Nile flows through ..."
    after     "\nQuestion: does the Nile flow through Egypt?\nAnswer:"
    options   " no", " yes"
    accepted  " yes"
"""

import re
from collections.abc import Mapping
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log import lm_eval
from mechaware.core.evaluation_log.choices import right_option
from mechaware.core.evaluation_log.samples import LogItem, is_log, read_items
from mechaware.core.evaluation_log.texts import chat_text, listed_answers, quoted
from mechaware.core.own_folder import missing_file

MIN_ITEMS = 20  # our choice
# Fewer cannot show that answers follow passages: at the 95% level, a sign test over five passages
# is never significant (2 * 0.5**5 = 0.0625), and over six it can be (2 * 0.5**6 = 0.031).
MIN_PASSAGES = 6


class PassageItem(NamedTuple):
    """A sample whose prompt is `before`, `passage` and `after`, one after the other.

    - `options`: the continuations to choose from, each with the space before it; none where the
      model writes its answer.
    - `accepted`: the right option, or the accepted answers.
    - `correct`: the sample's mark in the log, NaN without a mark.
    """

    id: str
    before: str
    passage: str
    after: str
    options: tuple[str, ...]
    accepted: tuple[str, ...]
    correct: float

    def prompt(self, passage: str) -> str:
        """The prompt with another passage, or with none for the empty text."""
        return f"{self.before}{passage}{self.after}"


class PassageLog(NamedTuple):
    """The items of a log that can be used, and a line for each other sample, which says why it
    cannot be used.
    """

    items: list[PassageItem]
    faults: list[str]


class _SplitPrompt(NamedTuple):
    """A prompt before its passage, the passage, and the prompt after it."""

    before: str
    passage: str
    after: str


class _Asked(NamedTuple):
    """The question that a sample asks: `prompt`, `options` and `accepted` as in `PassageItem`, and
    the fields that may hold its passage.
    """

    prompt: str
    options: tuple[str, ...]
    accepted: tuple[str, ...]
    fields: Mapping[str, Any]


def read_passages(path: Path, *, field: str = "", metric: str = "") -> PassageLog:
    """The samples of a log of lm-eval or Inspect that have a passage, in its order.

    Args:
        path: The log.
        field: The field that holds the passage; by default the longest of passage, context,
            support, article, story and body that the prompt repeats.
        metric: As for `mechaware.read_log`.

    Raises:
        UserError: The file is no log, no prompt has a passage, all passages are the same, or there
            are fewer than `MIN_ITEMS` items or `MIN_PASSAGES` passages.
    """
    if not path.is_file():
        raise missing_file(path)
    if not is_log(path):
        raise UserError(
            f"{path}: not read as an evaluation log; give lm-eval's samples_*.jsonl, or a log of Inspect (.eval, .json)"
        )
    from_lm_eval = path.suffix.lower() == ".jsonl"
    faults: list[str] = []
    # The whole prompt is the question, so that no field of the document has to be the question.
    question = lm_eval.PROMPT if from_lm_eval else None
    logged = read_items(path, metric=metric, question=question, faults=faults)

    names = (field,) if field else lm_eval.CONTEXT_FIELDS
    items: list[PassageItem] = []
    known_fields: set[str] = set()
    for item in logged:
        try:
            asked = _asked_by_lm_eval(item) if from_lm_eval else _asked_by_inspect(item)
        except ValueError as error:
            faults.append(f"{path}, sample {item.id}: {error}")
            continue
        known_fields |= set(asked.fields)

        split = _split_prompt(asked, names)
        if split is None:
            faults.append(f"{path}, sample {item.id}: its prompt has no passage")
            continue
        items.append(
            PassageItem(
                id=item.id,
                before=split.before,
                passage=split.passage,
                after=split.after,
                options=asked.options,
                accepted=asked.accepted,
                correct=item.correct,
            )
        )

    _check(path, items, faults, names, known_fields)
    return PassageLog(items, faults)


def _check(
    path: Path,
    items: list[PassageItem],
    faults: list[str],
    names: tuple[str, ...],
    known_fields: set[str],
) -> None:
    """Raise `UserError` for a log without passages, or with too few items or passages."""
    if not items and known_fields:
        fields = quoted(sorted(known_fields))
        raise UserError(
            f"{path}: no prompt repeats a field {' or '.join(names)}; the samples have {fields}: name the one that "
            "holds the passage (field), or take a log whose questions are about passages"
        )
    if not items:
        raise UserError(faults[0] if faults else f"{path}: no samples with a document")
    passages = {item.passage for item in items}
    if len(passages) == 1:
        raise UserError(
            f"{path}: all {len(items)} items have the same passage, so that none can be exchanged; take a log with "
            "several passages"
        )
    if len(items) < MIN_ITEMS or len(passages) < MIN_PASSAGES:
        raise UserError(
            f"{path}: {len(items)} items with {len(passages)} passages; at least {MIN_ITEMS} items with "
            f"{MIN_PASSAGES} passages are needed"
        )


def _asked_by_lm_eval(item: LogItem) -> _Asked:
    """The question of a line of lm-eval.

    Raises `ValueError` for a generation without an accepted answer, for any other line without
    several options after one prompt, and for options of which none or several are right.
    """
    sample = item.sample
    document = lm_eval.document_of(sample)
    requests = lm_eval.read_requests(sample["arguments"])
    prompt = requests[0].context
    if requests[0].is_generation:
        return _Asked(prompt, (), _accepted(sample["target"]), document)
    if len(requests) == 1:
        raise ValueError("it has one continuation, so that there is nothing to choose from")
    if len({request.context for request in requests}) > 1:
        raise ValueError("its options are in the prompt, not after it")
    options = tuple(request.option for request in requests)
    right = right_option(sample["target"], options, document)
    return _Asked(prompt, options, (options[right],), document)


def _asked_by_inspect(item: LogItem) -> _Asked:
    """The question of a sample of Inspect. Choices are shown after the input, and the options are
    their letters, as in Inspect's `multiple_choice`.

    Raises `ValueError` for a sample without an accepted answer, or whose answer is not a choice.
    """
    sample = item.sample
    prompt = chat_text(sample["input"])
    metadata = sample.get("metadata") or {}
    choices = item.texts.choices
    if not choices:
        return _Asked(prompt, (), _accepted(sample["target"]), metadata)
    if item.texts.answer not in choices:
        raise ValueError("its target names no choice")
    letters = ascii_uppercase[: len(choices)]
    lines = [f"{letter}. {choice}" for letter, choice in zip(letters, choices, strict=True)]
    shown = "\n".join([prompt, *lines, "Answer:"])
    options = tuple(f" {letter}" for letter in letters)
    return _Asked(shown, options, (options[choices.index(item.texts.answer)],), metadata)


def _accepted(target: Any) -> tuple[str, ...]:
    """The accepted answers in a target. Raises `ValueError` if there is none, as for a question
    that its passage does not answer.
    """
    answers = tuple(str(answer) for answer in listed_answers(target) if str(answer).strip())
    if not answers:
        raise ValueError("it has no accepted answer")
    return answers


def _split_prompt(asked: _Asked, names: tuple[str, ...]) -> _SplitPrompt | None:
    """The prompt around its passage; None without a passage.

    The passage is the longest of the fields `names` that the prompt repeats. White space in the
    prompt may differ from the field's. The last occurrence counts.
    """
    texts = [asked.fields.get(name) for name in names]
    filled = [text for text in texts if isinstance(text, str) and text.strip()]
    for text in sorted(filled, key=len, reverse=True):
        pattern = r"\s+".join(re.escape(word) for word in text.split())
        matches = list(re.finditer(pattern, asked.prompt))
        if matches:
            start, end = matches[-1].span()
            return _SplitPrompt(
                before=asked.prompt[:start],
                passage=asked.prompt[start:end],
                after=asked.prompt[end:],
            )
    return None
