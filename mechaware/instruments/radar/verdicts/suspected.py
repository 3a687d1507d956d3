"""A suspected benchmark under a model: its items measured, a few at a time.

All texts are checked before anything is measured: a run of hours must not end at its last item.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.evaluation_log.lm_eval import PROMPT
from mechaware.core.rows import list_faults
from mechaware.core.seeds import derive_seed
from mechaware.instruments.radar.benchmark import ID, Benchmark, TextPrefix
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
from mechaware.instruments.radar.prompts import Prompt
from mechaware.instruments.radar.question_answer import QuestionAnswer
from mechaware.instruments.radar.verdicts.scoring import all_items
from mechaware.models.context import context_length
from mechaware.models.families.supported import internals_refusal
from mechaware.models.settings import precision_notes

# Bounds the activations in memory, of all tokens and layers: 1.5 MB for an item of 19 tokens under
# SmolLM2-135M.
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
    """The evidence of all items, except what is known of the training: `corpus`, `token_counts` and `seen`.

    The items of `control` follow those of the benchmark, with `control/` before their ids. RADAR's
    ensemble and the isolation forest are fitted on `training`, the prompts of a set, under the same
    model. `unseen` and `seen` are put before the items. Without a prefix, or without the reference,
    the fields that need it are None; of `OPTIONAL_FIELDS` only those in `optional` are measured.
    Raises `UserError`, before anything is measured, for a text that a model cannot read
    (`_check_context`); items that may be skipped are left out instead. `report` is called with each
    note on what a user may not expect of the measurements.
    """
    sets = [benchmark] if control is None else [benchmark, control]
    sets = [_check_context(target, item_set, unseen, seen) for item_set in sets]
    if reference is not None:
        sets = [_check_context(reference, item_set) for item_set in sets]
    for note in _notes(target, reference, sets):
        report(note)
    items = all_items(*sets)
    fitting_lines = [QuestionAnswer(prompt.prompt, "") for prompt in training]
    target.prompt_ids(fitting_lines)  # refuses tokens that the model lacks

    parts = []
    for start in range(0, len(items), ITEMS_AT_ONCE):
        part = items[start : start + ITEMS_AT_ONCE]
        # With the same seed all parts would make the same draws.
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
            "the model gives no gradients: its weights do not all lie on the devices, or a backward pass does not fit "
            f"them; not measured: {_detectors_that_need({'gradient_norms'})}"
        )
    if evidence.features is None:  # the model gives no states
        return evidence

    context = context_length(target.model.config)
    longest = max(map(len, target.prompt_ids(fitting_lines)))
    if longest > context:
        report(
            f"a prompt on which RADAR is fitted has {longest} tokens, and the model's context {context}; not measured: "
            f"{_detectors_that_need({'p_recall', 'anomaly'})}"
        )
        return evidence
    labels = [prompt.label for prompt in training]
    return _with_fitted_scores(evidence, evidence.features, target, fitting_lines, labels, settings)


def _with_fitted_scores(
    evidence: Evidence,
    features: pd.DataFrame,
    target: TokenisedModel,
    fitting_lines: Sequence[QuestionAnswer],
    labels: Sequence[str],
    settings: MeasurementSettings,
) -> Evidence:
    """The evidence with `p_recall` and `anomaly` of its `features`, by models fitted on the prompts `fitting_lines`."""
    _, fitting_features = states_and_features(target, fitting_lines, settings)
    p_recall = recall_probability(fitting_features, labels, features, settings.seed)
    anomaly = anomaly_scores(
        fitting_features[list(FEATURES)].to_numpy(float),
        features[list(FEATURES)].to_numpy(float),
        derive_seed(settings.seed, "isolation_forest"),
    )
    return evidence._replace(p_recall=p_recall, anomaly=anomaly)


def _detectors_that_need(fields: Collection[str]) -> str:
    """The labels of our detectors that need one of these fields of `Evidence`, for a message."""
    labels = [detector.label for detector in DETECTORS if set(fields) & set(detector.needs)]
    return ", ".join(labels)


def _check_context(
    model: TokenisedModel, benchmark: Benchmark, *prefixes: TextPrefix | None
) -> Benchmark:
    """The items that the model can read: texts of two tokens or more that fit its context.

    The texts are read as they are and in lower case, and questions with a token that continues
    them. Raises `UserError` for items that cannot be read and must not be skipped, and for a prefix
    that does not fit with the longest item.
    """
    context = context_length(model.model.config)
    lines = model.without_start(benchmark.lines)
    in_lower_case = [QuestionAnswer(line.question.lower(), line.answer.lower()) for line in lines]
    lengths = [len(ids) for ids in model.text_ids(lines)]
    lengths_in_lower_case = [len(ids) for ids in model.text_ids(in_lower_case)]
    lengths_of_prompts = [len(ids) for ids in model.prompt_ids(lines)]

    faults = {}
    for index, item in enumerate(benchmark.items):
        shortest = min(lengths[index], lengths_in_lower_case[index])
        longest = max(lengths[index], lengths_in_lower_case[index])
        if lines[index].question:
            longest = max(longest, lengths_of_prompts[index] + 1)
        place = f"{benchmark.path}, {item.place}"
        if shortest < 2:
            remedy = "one token, which has no context to be scored in; write a longer text"
            faults[item.id] = f"{place}: {remedy}"
        elif longest > context:
            faults[item.id] = f"{place}: {_too_long(longest, context, 'shorten the item')}"
    readable = benchmark.without(faults)

    pairs = zip(benchmark.items, lengths, strict=True)
    longest_item = max(length for item, length in pairs if item.id not in faults)
    for prefix in prefixes:
        if prefix is None:
            continue
        needed = longest_item
        for question, answer in model.lines_with_end(prefix.lines):
            needed += len(question) + len(answer)
        if needed > context:
            remedy = _too_long(needed, context, "remove texts from it")
            raise UserError(f"{prefix.path}, with the longest item: {remedy}")
    return readable


def _notes(
    target: TokenisedModel, reference: TokenisedModel | None, sets: Sequence[Benchmark]
) -> Iterator[str]:
    """What a user may not expect of the measurements of a benchmark and its control."""
    for item_set in sets:
        path = item_set.path
        if item_set.numbered:
            yield f"{path}: no column '{ID}': an item's id is the number of its row"
        if item_set.question_from:
            fields = " and ".join(f"'{field}'" for field in sorted(item_set.question_from))
            explained = fields.replace(f"'{PROMPT}'", f"'{PROMPT}' (the whole prompt)")
            yield f"{path}: the questions are read from {explained}"
        if item_set.skipped:
            skipped = item_set.skipped
            yield f"{path}: {len(skipped)} faulty items skipped:\n{list_faults(skipped)}"

    if target.perhaps_lacks_start:
        yield (
            "the tokenizer puts no start token before a text, but the model's config names one; if the model was "
            "trained with it, write start_token: always"
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
            "the questions are messages of a user in the tokenizer's chat template, and the answers begin the replies; "
            "error rates are those of texts without a template"
        )
        shown = sets[0].items[0]
        yield f"the model reads {shown.id}, its scored tokens in brackets, as {target.show(shown.line)}"
    if reference is not None and target.scored_ids(lines) != reference.scored_ids(lines):
        left_out = _detectors_that_need({"gains"})
        yield f"the reference model reads other tokens: it is compared in bits per byte, without {left_out}"


def _too_long(tokens: int, context: int, remedy: str) -> str:
    """The fault of a text of so many tokens, and its remedies."""
    return f"{tokens} tokens, but the model reads at most {context}; {remedy}, or choose a model with a longer context"
