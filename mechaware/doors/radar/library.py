"""RADAR's public functions: the steps of the workflow, in memory.

Kattamuri et al. 2025, "RADAR: Mechanistic Pathways for Detecting Data Contamination in LLM
Evaluation". Settings that are not arguments have the values of config/config.yaml.
"""

from collections.abc import Callable, Collection, Iterator, Sequence

import pandas as pd

from mechaware.core.errors import UserError
from mechaware.core.levels import significance_at
from mechaware.core.library import CONFIG
from mechaware.core.seeds import derive_seed
from mechaware.doors.radar.arguments import (
    benchmark_of,
    checked_texts,
    item_table,
    prefix_of,
    token_ids_of,
)
from mechaware.instruments.radar.benchmark import SEEN, Benchmark
from mechaware.instruments.radar.detectors.detector import Detector
from mechaware.instruments.radar.detectors.ranking import rank_detectors
from mechaware.instruments.radar.detectors.registry import (
    DETECTORS,
    check_needs,
    needed_evidence,
)
from mechaware.instruments.radar.ensemble import Ensemble
from mechaware.instruments.radar.evidence.evidence import Evidence
from mechaware.instruments.radar.evidence.measuring import MeasurementSettings
from mechaware.instruments.radar.evidence.reading import TokenisedModel
from mechaware.instruments.radar.evidence.token_counts import count_tokens
from mechaware.instruments.radar.feature_extraction.features import FEATURES, summary_table
from mechaware.instruments.radar.feature_extraction.measurements import Reduction
from mechaware.instruments.radar.order.decision import order_tests
from mechaware.instruments.radar.order.meaning import check_order
from mechaware.instruments.radar.order.measuring import measure_orders
from mechaware.instruments.radar.order.options import Reordered
from mechaware.instruments.radar.prompts import LABELS, read_prompts
from mechaware.instruments.radar.verdicts.accuracy import answer_marks
from mechaware.instruments.radar.verdicts.control import check_control
from mechaware.instruments.radar.verdicts.scoring import score_benchmark
from mechaware.instruments.radar.verdicts.suspected import measure_benchmark
from mechaware.models.activations import Activations, split_prompts, summarise
from mechaware.models.capture import capture
from mechaware.models.opening import LoadedModel
from mechaware.models.summaries import PromptSummary
from mechaware.models.tokenisation.start import StartToken
from mechaware.verdicts.error_rates import read_calibrations
from mechaware.verdicts.planted_texts import with_rates_of_all_texts
from mechaware.verdicts.seen import SeenEvidence, judge_benchmark
from mechaware.verdicts.verdict import Verdict

REDUCTION: Reduction = "sum"
SPECIALISED_HEAD_ENTROPY = 1.5  # nats
OPTIONAL_EVIDENCE: tuple[str, ...] = ()
SAMPLES = 10  # continuations of each item, for CDD
TOKENS_PER_BATCH = 768
RESAMPLES = 5000
CONFIDENCE_LEVEL = 0.95
SEED = 20260
VERDICT_DETECTORS = ("loss", "reference")
# Bounds memory: the activations of all tokens and layers of this many prompts are kept at once.
PROMPTS_AT_ONCE = 64


def prompt_set(name: str) -> pd.DataFrame:
    """A prompt set that comes with the library.

    Args:
        name: radar_train (30 prompts, of the paper's kind), radar_test (100) or radar_matched (120,
            in pairs of equal length).

    Returns:
        A row per prompt: id, prompt, label (recall or reasoning), category, source.

    Raises:
        UserError: There is no set of that name.
    """
    known = sorted(path.stem for path in (CONFIG / "prompts").glob("*.csv"))
    if name not in known:
        raise UserError(f"no prompt set '{name}'; known: {', '.join(known)}")
    table = pd.DataFrame(read_prompts(CONFIG / f"prompts/{name}.csv"))
    return table[["id", "prompt", "label", "category", "source"]]


def activations(model: LoadedModel, prompts: Sequence[str] | pd.DataFrame) -> Activations:
    """The residual stream, the entropy of attention and the logit lens of each prompt.

    Each batch of prompts takes one forward pass.

    Args:
        model: What `mechaware.load` returned.
        prompts: Texts, or a table with the column `prompt`. The tokenizer's start tokens are put
            before each text that does not begin with them; the end token that some tokenizers
            append is left out.

    Returns:
        float32 tensors on the CPU. The tokens of all prompts lie one after the other; prompt i has
        `token_counts[i]` tokens.

        - `hidden_states` (token, layer, d_model): the residual stream after each block.
        - `attention_row_entropy` (token, layer, head): the entropy of each query's attention, in
          nats.
        - `confidence` (0 to 1) and `entropy` (nats), both (prompt, layer): of the logit lens after
          each block, at the prompt's last token.

        Memory: 4 bytes x tokens x layers x (d_model + heads).

    Raises:
        UserError: There is no prompt, or a prompt is empty, longer than the model's context, or has
            a token that the model lacks.
    """
    return capture(model.network, token_ids_of(model, prompts), tokens_per_batch=TOKENS_PER_BATCH)


def features(
    model: LoadedModel,
    prompts: Sequence[str] | pd.DataFrame,
    *,
    reduction: Reduction = REDUCTION,
    specialised_head_entropy: float = SPECIALISED_HEAD_ENTROPY,
) -> pd.DataFrame:
    """RADAR's 37 features of each prompt (the paper's appendix D; ours where it prints no formula).

    Args:
        model: What `mechaware.load` returned; at least 2 layers.
        prompts: As for `activations`.
        reduction: How a head's attention entropies are reduced over its queries: `sum` (as printed,
            D.2.1) or `mean`.
        specialised_head_entropy: tau, in nats: a head with less entropy is specialised.

    Returns:
        A row per prompt, with the index of `prompts` if it is a table, and a float64 column per
        feature: 16 surface features, then 21 mechanistic ones. All are finite.

    Raises:
        UserError: There is no prompt, a prompt is empty, longer than the model's context, or has a
            token that the model lacks, or a feature is not finite.
    """
    table = summary_table(
        _summaries(model, token_ids_of(model, prompts)),
        reduction=reduction,
        specialised_head_entropy=specialised_head_entropy,
    )
    index = prompts.index if isinstance(prompts, pd.DataFrame) else table.index
    return table[list(FEATURES)].set_axis(index)


def fit(features: pd.DataFrame, labels: Sequence[str], *, seed: int = SEED) -> Ensemble:
    """RADAR's ensemble (section 2.3), fitted on scaled features.

    Its classifiers are a random forest, gradient boosting, an SVM and a logistic regression.

    Args:
        features: What `features` returned.
        labels: The label of each row, recall or reasoning.
        seed: The seed of the random forest and the gradient boosting. The workflow's is
            `derive_seed(20260, "train_ensemble", model)`.

    Returns:
        The ensemble. Its `predict(features)` gives a row per prompt: `votes` for recall (0 to 4),
        `tie`, `predicted`, `probability` of recall and `confidence` (0 to 1), and each classifier's
        label and probability.

    Raises:
        UserError: There are more or fewer labels than rows, a label is neither recall nor
            reasoning, or one of the two occurs less than twice.
    """
    if len(features) != len(labels):
        raise UserError(
            f"{len(labels)} labels for {len(features)} rows; give one label for each row"
        )
    table = features[list(FEATURES)].assign(label=list(labels))
    unknown = sorted(set(table["label"]) - set(LABELS))
    if unknown:
        raise UserError(f"label {unknown[0]!r}; write {' or '.join(LABELS)}")
    for label in LABELS:
        if (table["label"] == label).sum() < 2:
            raise UserError(f"fewer than 2 prompts with the label {label}; add some")
    return Ensemble.fit(table, FEATURES, seed)


def detect(
    model: LoadedModel,
    items: Sequence[tuple[str, str]] | pd.DataFrame,
    *,
    reference: LoadedModel | None = None,
    unseen: Sequence[str] = (),
    seen: Sequence[str] = (),
    corpus: Sequence[str] | None = None,
    optional_evidence: Sequence[str] = OPTIONAL_EVIDENCE,
    start_token: StartToken = "auto",  # noqa: S107
    own: Sequence[Detector] = (),
    name: str = "items",
    seed: int = SEED,
) -> pd.DataFrame:
    """Score each item of a benchmark by the detectors of training data.

    The higher the score, the more likely the model has seen the item.

    The workflow gives the same numbers for these items in a config with this `seed`.
    RADAR's ensemble is fitted on the prompts of `prompt_set("radar_train")` under the same model.

    Args:
        model: What `mechaware.load` returned.
        items: Pairs (question, answer), or a table with the columns question and answer. Optional
            columns: `id` (default: the index); `seen`, the truth, true or false, given for all
            items or none; `choices`, one of which is the answer; `correct`, the mark of the model's
            answer, 0 (wrong) to 1 (right), for the accuracy of `verdict`. The text of a question or
            an answer may be empty, as in a CSV. Read a table by `pd.read_csv(path, dtype=str,
            keep_default_na=False)`: otherwise pandas reads the answer NA as missing, and 007 as 7.
        reference: A model that has not seen the items. It adds three detectors, or one if its
            tokenizer differs from the model's.
        unseen: Texts that the model has not seen. They add a detector, and with `seen` another one.
        seen: Texts that the model has seen and that are not items.
        corpus: Texts that the model was trained on; they add two detectors.
        optional_evidence: Evidence that takes further passes, and adds detectors: `lowercase`,
            `swapped` (PAC), `gradient_norms` (two detectors), `samples` (CDD, which reads
            continuations and takes longer than all others).
        start_token: Whether a start token comes before every text: `auto` (as the tokenizer does),
            `always` or `never`. A text that begins with the start token gets no second one.
        own: Detectors of your own, in addition to ours.
        name: The benchmark's name, in messages.
        seed: The seed of all random draws: continuations, an isolation forest, folds. Scores of two
            benchmarks under one model and seed are comparable.

    Returns:
        A row per item, with the index of `items`: id, seen if the truth is known, and a float
        column for each detector that has its evidence. Detectors that are fitted on the truth are
        cross-fitted: no item scores itself.

    Raises:
        UserError: An item is no pair, empty, repeated, longer than the model's context or has a
            token that the model lacks; an id, question or answer is missing (NaN); two columns have
            one name; the truth is incomplete or has fewer than three items on either side; `seen`
            is given without `unseen`, or one of them holds an item; `start_token` is `always` and
            the tokenizer has no start token; or a detector of `own` needs optional evidence that is
            not measured.
    """
    table = item_table(items, name)
    check_needs(own, optional_evidence)
    if len(seen) and not len(unseen):
        raise UserError("seen without unseen; Con-ReCall needs both: give unseen, or remove seen")
    benchmark = benchmark_of(table, name)
    scores, _ = _score(
        model,
        benchmark,
        optional=optional_evidence,
        reference=reference,
        unseen=unseen,
        seen=seen,
        corpus=corpus,
        start_token=start_token,
        detectors=(*DETECTORS, *own),
        seed=seed,
    )
    return scores.set_axis(table.index)


def verdict(
    model: LoadedModel,
    items: Sequence[tuple[str, str]] | pd.DataFrame,
    control: Sequence[tuple[str, str]] | pd.DataFrame | None = None,
    *,
    random_order: Sequence[Reordered] = (),
    reference: LoadedModel | None = None,
    detectors: Sequence[str] = VERDICT_DETECTORS,
    start_token: StartToken = "auto",  # noqa: S107
    own: Sequence[Detector] = (),
    name: str = "items",
    seed: int = SEED,
) -> Verdict[SeenEvidence]:
    """Was the model trained on the items?

    Decided at level 0.05 against a control that the model cannot have seen. Without a control the
    test is whether the model finds a published random order likelier than other orders.

    The workflow gives the same verdict on a benchmark called `name` in a config with this `seed`.

    Args:
        model: What `mechaware.load` returned.
        items: As for `detect`.
        control: Items of the same kind, length and source as `items` that the model cannot have
            seen.
        random_order: What was published in an order that was drawn at random: `items`, the rows, or
            `options`, the choices of each item. The verdict rests on it if there is no control.
        reference: A model that has not seen the items.
        detectors: The detectors that decide, chosen before any score is known; the first one scores
            the items. A detector without its evidence, such as `reference` without a reference, is
            left out.
        start_token: As for `detect`.
        own: Detectors of your own, in addition to ours, which `detectors` may name.
        name: The benchmark's name, in messages; the seeds of its tests derive from it.
        seed: The seed of all random draws.

    Returns:
        `status`: seen, not shown or confounded (the texts alone distinguish items from control).
        `reason`: why, in a sentence.

        `error_rates`: how often verdicts by the same procedure were wrong on models that were
        trained on known items, or why there are no rates.

        `evidence` holds the tables. `detectors` and `blind`: AUROC and p of each detector and of
        the texts alone. `items`: id, text, score, p (conformal) and p_adjusted (for the number of
        items), the likeliest seen first. `share`: the share of the items that were seen, with its
        interval. `left_out`: if the items were seen, the ids of the likeliest; their number is the
        upper end of the interval of `share` times the number of items, rounded up. `accuracy`, if
        `items` or `control` has a column `correct`: on all items, without those left out, and on
        the control. `orders`: the tests of the random orders.

        `notes`: how the model read the texts, such as in half precision or by a chat template. They
        are also printed.

        `record()` gives all of it as a dictionary.

    Raises:
        UserError: As `detect`; or the control has the truth or an item of the benchmark, has too
            few items, or differs from the benchmark in the kind or length of its items; or there is
            neither a control nor a random order; or an order carries meaning.
    """
    if control is None and not random_order:
        raise UserError(
            "no verdict can follow without a control or a random_order; give one of them, "
            "or call detect for scores"
        )

    benchmark = benchmark_of(item_table(items, name), name)
    significance = significance_at(CONFIDENCE_LEVEL)
    control_items = None
    if control is not None:
        control_items = benchmark_of(item_table(control, "control"), "control")
        check_control(
            benchmark,
            control_items,
            detectors=detectors,
            has_reference=reference is not None,
            significance=significance,
        )
    check_order(benchmark, random_order)

    seed_of_verdict = derive_seed(seed, "reach_verdict", name)
    orders = []
    if random_order:
        order_likelihoods = measure_orders(
            _tokenised(model, start_token),
            benchmark,
            random_order,
            derive_seed(seed, "measure_order", name),
        )
        orders = order_tests(order_likelihoods, derive_seed(seed_of_verdict, "order"))

    # Only what these detectors need is measured, since the verdict shows no others.
    deciding = [detector for detector in (*DETECTORS, *own) if detector.name in detectors]
    notes: list[str] = []
    scores, evidence = _score(
        model,
        benchmark,
        control=control_items,
        optional=needed_evidence(deciding),
        reference=reference,
        start_token=start_token,
        detectors=deciding,
        seed=seed,
        report=notes.append,
    )
    for note in notes:
        print(note)

    rate_tables = [
        CONFIG / "calibration/detectors.csv",
        CONFIG / "calibration/pretrained.csv",
        CONFIG / "calibration/order.csv",
    ]
    calibration = read_calibrations(rate_tables)
    judged = judge_benchmark(
        scores,
        evidence,
        detectors,
        calibration,
        significance=significance,
        seed=seed_of_verdict,
        # One note a line, as the workflow reads them from notes.txt.
        notes="\n".join(notes).splitlines(),
        marks=answer_marks(benchmark, control_items),
        orders=orders,
    )
    return with_rates_of_all_texts(judged, scores, evidence, calibration)


def rank(
    scores: pd.DataFrame, *, own: Sequence[Detector] = (), name: str = "items", seed: int = SEED
) -> pd.DataFrame:
    """How well each detector separates seen from unseen items.

    Args:
        scores: What `detect` returned for items with the truth.
        own: The detectors of your own that `detect` was given.
        name: The benchmark's name; the random draw derives from it.
        seed: The seed of the bootstrap over items.

    Returns:
        A row per detector, the best first.

        - `auroc`: the area under the ROC curve, 0 to 1.
        - `low`, `high`: the interval of `auroc`; all intervals hold at once with 95% confidence.
        - `p_adjusted`: p of the hypothesis that the scores are unrelated to the truth, corrected
          for taking the best detector; missing for detectors that learn from the truth.
        - `tpr_at_5_percent`: the share of seen items above a threshold that at most 5% of the
          unseen items pass.
        - `n_seen`, `n_unseen`: the numbers of items.

    Raises:
        UserError: The scores lack the truth.
    """
    if SEEN not in scores or scores[SEEN].nunique() < 2:
        raise UserError(f"no column '{SEEN}' of true and false; give the items' truth to `detect`")
    return rank_detectors(
        scores,
        (*DETECTORS, *own),
        resamples=RESAMPLES,
        seed=derive_seed(seed, "rank_detectors", name),
        confidence_level=CONFIDENCE_LEVEL,
    )


def _score(
    model: LoadedModel,
    benchmark: Benchmark,
    *,
    control: Benchmark | None = None,
    optional: Collection[str],
    reference: LoadedModel | None,
    unseen: Sequence[str] = (),
    seen: Sequence[str] = (),
    corpus: Sequence[str] | None = None,
    start_token: StartToken,
    detectors: Sequence[Detector],
    seed: int,
    report: Callable[[str], object] = print,
) -> tuple[pd.DataFrame, Evidence]:
    """A row of scores for each item of the benchmark, then of the control, and their evidence.

    `optional` names the optional fields of the evidence that are measured; the other ones are None.
    `detectors` are those that score, `control` is the control of `verdict`, and `report` is called
    with each note on how texts were read. The other arguments are as for `detect`.
    """
    token_counts = None
    if corpus is not None:
        corpus = checked_texts(corpus, "corpus")
        token_counts = count_tokens(corpus, model.tokenizer)
    settings = MeasurementSettings(
        reduction=REDUCTION,
        specialised_head_entropy=SPECIALISED_HEAD_ENTROPY,
        samples=SAMPLES,
        seed=derive_seed(seed, "measure_suspected"),
    )
    evidence = measure_benchmark(
        _tokenised(model, start_token),
        benchmark,
        read_prompts(CONFIG / "prompts/radar_train.csv"),
        settings,
        optional=optional,
        control=control,
        reference=None if reference is None else _tokenised(reference, start_token),
        unseen=prefix_of(unseen, "unseen", benchmark),
        seen=prefix_of(seen, "seen", benchmark),
        report=report,
    )
    scores = score_benchmark(
        evidence,
        benchmark,
        tuple(detectors),
        control=control,
        corpus=corpus,
        token_counts=token_counts,
        seed=derive_seed(seed, "score_suspected"),
    )
    return scores, evidence


def _summaries(model: LoadedModel, ids: Sequence[list[int]]) -> Iterator[PromptSummary]:
    """The summary of each prompt from which features are computed; captures a few prompts at once.

    Only the activations of `PROMPTS_AT_ONCE` prompts are in memory at any time.
    """
    for start in range(0, len(ids), PROMPTS_AT_ONCE):
        some_ids = ids[start : start + PROMPTS_AT_ONCE]
        captured = capture(model.network, some_ids, tokens_per_batch=TOKENS_PER_BATCH)
        for prompt in split_prompts(captured):
            yield summarise(prompt)


def _tokenised(model: LoadedModel, start_token: StartToken) -> TokenisedModel:
    return TokenisedModel(
        model.network, model.tokenizer, TOKENS_PER_BATCH, start_token, template=model.template
    )
