"""Measures the items of a suspected benchmark under a model, a few at a time.

All items and prefixes are checked before anything is measured, so that a run of hours does not fail
at its last item.

`measure_benchmark` is the main function, `_readable_items` makes the checks, and `_notes` gives the
messages that come before the measurements.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.lm_eval import PROMPT
from mechaware.core.rows import list_faults
from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.benchmark import ID, Benchmark
from mechaware.instruments.radar.detectors.activations import anomaly_scores
from mechaware.instruments.radar.detectors.registry import DETECTORS
from mechaware.instruments.radar.evidence.evidence import (
    OPTIONAL_FIELDS,
    Evidence,
    join_evidence,
)
from mechaware.instruments.radar.evidence.measuring import (
    MeasurementSettings,
    measure_items,
    recall_probability,
    states_and_features,
)
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.feature_extraction.features import FEATURES
from mechaware.instruments.radar.prefix import TextPrefix
from mechaware.instruments.radar.prompts import Prompt
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.instruments.radar.verdicts.control import in_quotes
from mechaware.instruments.radar.verdicts.scoring import all_items
from mechaware.models.context import context_length
from mechaware.models.families.supported import internals_refusal
from mechaware.models.settings import precision_notes

# Bounds the memory for the activations of all tokens and layers: an item of 19 tokens needs 1.5 MB
# under SmolLM2-135M.
ITEMS_AT_ONCE = 64

# The fields of `Evidence` that are made of states or attention weights.
_INTERNALS = {"states", "features", "p_recall", "anomaly"}


def measure_benchmark(
    target: TokenisedModel,
    benchmark: Benchmark,
    training: Sequence[Prompt],
    settings: MeasurementSettings,
    *,
    optional: Collection[str] = OPTIONAL_FIELDS,
    control: Benchmark | None = None,
    reference: TokenisedModel | None = None,
    unseen: TextPrefix | None = None,
    seen: TextPrefix | None = None,
    report: Callable[[str], object] = print,
) -> Evidence:
    """The evidence of all items, without the fields `corpus`, `token_counts` and `seen`.

    These three fields are not measured: they are what is known of the model's training.

    Args:
        target: The model that is suspected of having seen the items.
        benchmark: The items.
        training: The labelled prompts of a set, on which RADAR's ensemble and the isolation forest
            are fitted, under `target`.
        settings: How the items are measured.
        optional: The fields of `OPTIONAL_FIELDS` to measure; the others are None.
        control: Items to measure after the benchmark's items, with `control/` before their ids.
        reference: A model that has not seen the items; without it the fields that need it are None.
        unseen: A prefix of texts that the model has not been trained on; without it `after_unseen`
            is None.
        seen: A prefix of texts that the model has been trained on; without it `after_seen` is None.
        report: Called with each note on what a user may not expect of the measurements.

    Raises:
        UserError: Before anything is measured, for a text that a model cannot read
            (`_readable_items`); items that may be skipped are left out instead.
    """
    sets = [benchmark] if control is None else [benchmark, control]
    sets = [_readable_items(target, item_set, unseen, seen) for item_set in sets]
    if reference is not None:
        sets = [_readable_items(reference, item_set) for item_set in sets]
    for note in _notes(target, reference, sets):
        report(note)
    items = all_items(*sets)
    fitting_lines = [QuestionAnswer(prompt.prompt, "") for prompt in training]
    # Called for its check: it refuses tokens that the model lacks.
    target.prompt_ids(fitting_lines)

    parts = []
    for start in range(0, len(items), ITEMS_AT_ONCE):
        part = items[start : start + ITEMS_AT_ONCE]
        # A seed for each part: with the same seed all parts would make the same draws.
        part_settings = replace(settings, seed=derive_seed(settings.seed, "items", start))
        measured = measure_items(
            target,
            [item.line for item in part],
            [item.id for item in part],
            part_settings,
            optional=optional,
            reference=reference,
            unseen=() if unseen is None else unseen.lines,
            seen=() if seen is None else seen.lines,
        )
        parts.append(measured)
    evidence = join_evidence(parts)
    if "gradient_norms" in optional and evidence.gradient_norms is None:
        report(
            "the model gives no gradients: its weights do not all lie on the devices, or a "
            "backward pass does not fit them; not measured: "
            f"{_detectors_that_need({'gradient_norms'})}"
        )
    if evidence.features is None:  # the model's internals cannot be read
        return evidence

    context = context_length(target.model.config)
    longest = max(map(len, target.prompt_ids(fitting_lines)))
    if longest > context:
        report(
            f"a prompt on which RADAR is fitted has {longest} tokens, "
            f"and the model's context {context}; not measured: "
            f"{_detectors_that_need({'p_recall', 'anomaly'})}"
        )
        return evidence
    labels = [prompt.label for prompt in training]
    return _with_fitted_scores(
        evidence,
        evidence.features,
        target,
        fitting_lines=fitting_lines,
        labels=labels,
        settings=settings,
    )


def _with_fitted_scores(
    evidence: Evidence,
    features: pd.DataFrame,
    target: TokenisedModel,
    *,
    fitting_lines: Sequence[QuestionAnswer],
    labels: Sequence[str],
    settings: MeasurementSettings,
) -> Evidence:
    """The evidence with the fields `p_recall` and `anomaly`, computed from its `features`.

    The ensemble and the isolation forest are fitted on the prompts `fitting_lines` with `labels`.
    """
    _, fitting_features = states_and_features(target, fitting_lines, settings)
    p_recall = recall_probability(fitting_features, labels, features, settings.seed)
    anomaly = anomaly_scores(
        fitting_features[list(FEATURES)].to_numpy(float),
        features[list(FEATURES)].to_numpy(float),
        derive_seed(settings.seed, "isolation_forest"),
    )
    return evidence._replace(p_recall=p_recall, anomaly=anomaly)


def _detectors_that_need(fields: Collection[str]) -> str:
    """The labels of our detectors that need any of these fields of `Evidence`, for a message."""
    labels = [detector.label for detector in DETECTORS if set(fields) & set(detector.needs)]
    return ", ".join(labels)


def _readable_items(
    model: TokenisedModel, benchmark: Benchmark, *prefixes: TextPrefix | None
) -> Benchmark:
    """The benchmark without the items that the model cannot read.

    Raises `UserError` if there are such items (`_item_faults`) and they must not be skipped, if too
    few items are left (`Benchmark.without`), and for a prefix that does not fit the context
    together with the longest item.
    """
    lines = model.without_start(benchmark.lines)
    lengths = [len(ids) for ids in model.text_ids(lines)]
    faults = _item_faults(model, benchmark, lines, lengths)
    readable = benchmark.without(faults)

    lengths_of_readable = []
    for item, length in zip(benchmark.items, lengths, strict=True):
        if item.id not in faults:
            lengths_of_readable.append(length)
    for prefix in prefixes:
        if prefix is not None:
            _check_prefix(model, prefix, longest_item=max(lengths_of_readable))
    return readable


def _item_faults(
    model: TokenisedModel,
    benchmark: Benchmark,
    lines: Sequence[QuestionAnswer],
    lengths: Sequence[int],
) -> dict[str, str]:
    """What is wrong with the items that the model cannot read, by id.

    `lines` are the items' lines without start tokens, and `lengths` their numbers of tokens. A text
    needs two tokens or more and has to fit the context, as it is and in lower case. A question has
    to fit together with one more token, which continues it.
    """
    context = context_length(model.model.config)
    in_lower_case = [QuestionAnswer(line.question.lower(), line.answer.lower()) for line in lines]
    lengths_in_lower_case = [len(ids) for ids in model.text_ids(in_lower_case)]
    lengths_of_prompts = [len(ids) for ids in model.prompt_ids(lines)]

    faults = {}
    for index, item in enumerate(benchmark.items):
        shortest = min(lengths[index], lengths_in_lower_case[index])
        longest = max(lengths[index], lengths_in_lower_case[index])
        if lines[index].question:
            longest = max(longest, lengths_of_prompts[index] + 1)
        if shortest < 2:
            fault = "one token, which has no context to be scored in; write a longer text"
        elif longest > context:
            fault = _too_long(longest, context, "shorten the item")
        else:
            continue
        faults[item.id] = f"{benchmark.path}, {item.place}: {fault}"
    return faults


def _check_prefix(model: TokenisedModel, prefix: TextPrefix, *, longest_item: int) -> None:
    """Raise `UserError` for a prefix that does not fit with an item of `longest_item` tokens."""
    context = context_length(model.model.config)
    needed = longest_item
    for question, answer in model.lines_with_end(prefix.lines):
        needed += len(question) + len(answer)
    if needed > context:
        fault = _too_long(needed, context, "remove texts from it")
        raise UserError(f"{prefix.path}, with the longest item: {fault}")


def _notes(
    target: TokenisedModel, reference: TokenisedModel | None, sets: Sequence[Benchmark]
) -> Iterator[str]:
    """Notes on what a user may not expect of the measurements.

    `sets` are the benchmark and, if there is one, its control, without the skipped items.
    """
    for item_set in sets:
        path = item_set.path
        if item_set.numbered:
            yield f"{path}: no column '{ID}': an item's id is the number of its row"
        if item_set.question_from:
            fields = in_quotes(item_set.question_from)
            explained = fields.replace(f"'{PROMPT}'", f"'{PROMPT}' (the whole prompt)")
            yield f"{path}: the questions are read from {explained}"
        skipped = item_set.skipped
        if skipped:
            yield f"{path}: {len(skipped)} faulty items skipped:\n{list_faults(skipped)}"

    if target.perhaps_lacks_start:
        yield (
            "the tokenizer puts no start token before a text, but the model's config names one; "
            "if the model was trained with it, write start_token: always"
        )

    refusal = internals_refusal(target.model)
    if refusal is not None:
        yield f"{refusal}; not measured: {_detectors_that_need(_INTERNALS)}"
    yield from precision_notes(target.model)

    lines = []
    for item_set in sets:
        lines += item_set.lines
    if target.template == "chat":
        yield (
            "the questions are messages of a user in the tokenizer's chat template, and the "
            "answers begin the replies; error rates are those of texts without a template"
        )
        shown = sets[0].items[0]
        yield (
            f"the model reads {shown.id}, its scored tokens in brackets, "
            f"as {target.show(shown.line)}"
        )
    if reference is not None and target.scored_ids(lines) != reference.scored_ids(lines):
        left_out = _detectors_that_need({"gains"})
        yield (
            "the reference model reads other tokens: "
            f"it is compared in bits per byte, without {left_out}"
        )


def _too_long(tokens: int, context: int, remedy: str) -> str:
    """The fault of a text of `tokens` tokens, and how to correct it; one way is `remedy`."""
    return (
        f"{tokens} tokens, but the model reads at most {context}; {remedy}, "
        "or choose a model with a longer context"
    )
