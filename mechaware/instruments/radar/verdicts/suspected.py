"""A suspected benchmark under a model: its items measured, a few at a time.

All texts are checked before anything is measured: a run of hours must not end at its last item.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace

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

ITEMS_AT_ONCE = 64  # their activations of all tokens and layers are in memory: 1.5 MB for 19 tokens of SmolLM2-135M

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

    The items of `control` follow those of the benchmark, with `control/` before their ids. RADAR's ensemble and the
    isolation forest are fitted on `training`, the prompts of a set, under the same model. `unseen` and `seen` are put
    before the items; a prefix that is None leaves its detectors out, and so does a missing reference. Of
    `OPTIONAL_FIELDS` those in `optional` are measured. Raises `UserError`, before anything is measured, for a text that
    a model cannot read (`_check_context`); items that may be skipped are left out instead. `report` is called with each
    thing about the measurements that a user may not expect.
    """
    sets = [benchmark] if control is None else [benchmark, control]
    sets = [_check_context(target, each, unseen, seen) for each in sets]
    if reference is not None:
        sets = [_check_context(reference, each) for each in sets]
    for note in _notes(target, reference, sets):
        report(note)
    items = all_items(*sets)
    fitting_lines = [QuestionAnswer(prompt.prompt, "") for prompt in training]
    target.prompt_ids(fitting_lines)  # refuses tokens that the model lacks

    parts = []
    for start in range(0, len(items), ITEMS_AT_ONCE):
        part = items[start : start + ITEMS_AT_ONCE]
        # Under one seed each part would draw the same.
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
        unread = [each.label for each in DETECTORS if "gradient_norms" in each.needs]
        report(
            "the model gives no gradients: its weights do not all lie on the devices, or a backward pass does not fit "
            f"them; not measured: {', '.join(unread)}"
        )
    if evidence.features is None:  # the model gives no states
        return evidence

    context = context_length(target.model.config)
    longest = max(map(len, target.prompt_ids(fitting_lines)))
    if longest > context:
        fitted = {"p_recall", "anomaly"}
        unread = [each.label for each in DETECTORS if fitted & set(each.needs)]
        report(
            f"a prompt on which RADAR is fitted has {longest} tokens, and the model's context {context}; not measured: "
            f"{', '.join(unread)}"
        )
        return evidence

    labels = [prompt.label for prompt in training]
    _, known = states_and_features(target, fitting_lines, settings)
    p_recall = recall_probability(known, labels, evidence.features, settings.seed)
    anomaly = anomaly_scores(
        known[list(FEATURES)].to_numpy(float),
        evidence.features[list(FEATURES)].to_numpy(float),
        derive_seed(settings.seed, "isolation_forest"),
    )
    return evidence._replace(p_recall=p_recall, anomaly=anomaly)


def _check_context(
    model: TokenisedModel, benchmark: Benchmark, *prefixes: TextPrefix | None
) -> Benchmark:
    """The items that the model can read: texts of two tokens or more that fit its context.

    The texts are read as they are and in lower case, and questions with a token that continues them. Raises `UserError`
    for items that cannot be read and must not be skipped, and for a prefix that does not fit with the longest item.
    """
    context = context_length(model.model.config)
    lines = model.without_start(benchmark.lines)
    in_lower_case = [QuestionAnswer(line.question.lower(), line.answer.lower()) for line in lines]
    lengths = [len(ids) for ids in model.text_ids(lines)]
    lengths_in_lower_case = [len(ids) for ids in model.text_ids(in_lower_case)]
    lengths_of_prompts = [len(ids) for ids in model.prompt_ids(lines)]

    faults = {}
    for at, item in enumerate(benchmark.items):
        shortest = min(lengths[at], lengths_in_lower_case[at])
        longest = max(lengths[at], lengths_in_lower_case[at])
        if lines[at].question:
            longest = max(longest, lengths_of_prompts[at] + 1)
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
    for each in sets:
        if each.numbered:
            yield f"{each.path}: no column '{ID}': an item's id is the number of its row"
        if each.question_from:
            fields = " and ".join(f"'{field}'" for field in sorted(each.question_from))
            explained = fields.replace(f"'{PROMPT}'", f"'{PROMPT}' (the whole prompt)")
            yield f"{each.path}: the questions are read from {explained}"
        if each.skipped:
            yield f"{each.path}: {len(each.skipped)} faulty items skipped:\n{list_faults(each.skipped)}"

    if target.perhaps_lacks_start:
        yield (
            "the tokenizer puts no start token before a text, but the model's config names one; if the model was "
            "trained with it, write start_token: always"
        )

    refusal = internals_refusal(target.model)
    if refusal is not None:
        unread = [detector.label for detector in DETECTORS if _INTERNALS & set(detector.needs)]
        yield f"{refusal}; not measured: {', '.join(unread)}"
    yield from precision_notes(target.model)

    lines = []
    for each in sets:
        lines += each.lines
    if target.template == "chat":
        yield (
            "the questions are messages of a user in the tokenizer's chat template, and the answers begin the replies; "
            "error rates are those of texts without a template"
        )
        shown = sets[0].items[0]
        yield f"the model reads {shown.id}, its scored tokens in brackets, as {target.show(shown.line)}"
    if reference is not None and target.scored_ids(lines) != reference.scored_ids(lines):
        left_out = ", ".join(detector.label for detector in DETECTORS if "gains" in detector.needs)
        yield f"the reference model reads other tokens: it is compared in bits per byte, without {left_out}"


def _too_long(tokens: int, context: int, remedy: str) -> str:
    return f"{tokens} tokens, but the model reads at most {context}; {remedy}, or choose a model with a longer context"
