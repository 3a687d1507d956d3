"""Benchmarks that a user suspects a model of having seen.

The files in results/radar/suspected/{benchmark}, each after those that it is made from; their rules
are in brackets:

    items, model
    -> evidence.parquet    what detectors need to know of each item; notes.txt has sentences for
                           the page (measure_suspected)
    -> scores.csv          each detector's score of each item (score_suspected)
    -> own_scores.csv      the same by the user's own detectors, if any (score_suspected_by_own)
    -> detectors.csv       how well each detector separates items that are known to be seen from
                           others (rank_detectors)

    items, model
    -> orders.csv          the log-likelihoods of the published order and of others, for a benchmark
                           that was published in a random order (measure_order)

    evidence.parquet, scores.csv, own_scores.csv, orders.csv
    -> verdict.json        the verdict with its error rates, its page, and tables of items
                           (reach_verdict)
"""

SUSPECTED = config["radar"]["suspected"]
# The scores by the detectors of the user's own package, if the config names any.
OWN_SCORES = (
    ["results/radar/suspected/{benchmark}/own_scores.csv"] if OWN_DETECTORS else []
)
VERDICT_TEMPLATES = [
    repo("mechaware/instruments/radar/verdicts/templates/seen.html.j2"),
    *VERDICT_PAGE,
]


def suspected_file(key):
    """An input: the file under a benchmark's `key`, or none."""

    def file(wildcards):
        entry = SUSPECTED[wildcards.benchmark]
        return str(Path(entry[key]).expanduser()) if key in entry else []

    return file


def suspected_model_name(benchmark, key):
    """The name of the model under the key `model` or `reference` of a benchmark; None without it.

    For a model with an adapter the default `reference` is the model itself, which is then loaded
    without the adapter.
    """
    entry = SUSPECTED[benchmark]
    if key == "reference" and "adapter" in MODELS[entry["model"]]:
        return entry.get("reference", entry["model"])
    return entry.get(key)


def suspected_model(key):
    """An input: the folder of the model under a benchmark's `key`, or none."""

    def folder(wildcards):
        name = suspected_model_name(wildcards.benchmark, key)
        return [] if name is None else f"results/models/{name}"

    return folder


def suspected_model_settings(key, flag):
    """A param: how the model under a benchmark's `key` is loaded and asked; empty without one."""

    def settings(wildcards):
        name = suspected_model_name(wildcards.benchmark, key)
        return "" if name is None else settings_flags(name, flag)

    return settings


def suspected_setting(key, default):
    """A param: the value of a benchmark's `key`, or the default."""
    return lambda wildcards: SUSPECTED[wildcards.benchmark].get(key, default)


def suspected_model_label(wildcards):
    """A param: the name of the model on the page."""
    return MODELS[SUSPECTED[wildcards.benchmark]["model"]]["label"]


def measured_evidence(wildcards):
    """A param: the optional evidence that the config names or the verdict's detectors need."""
    # Imported here, since the module loads scipy: a dry run without suspected benchmarks need not
    # wait for it.
    from mechaware.instruments.radar.detectors.registry import (
        DETECTORS,
        needed_evidence,
    )

    radar = config["radar"]
    deciding = [
        detector
        for detector in DETECTORS
        if detector.name in radar["verdict_detectors"]
    ]
    return needed_evidence(deciding, radar["optional_evidence"])


def measured_orders(wildcards):
    """An input: orders.csv of a benchmark that was published in a random order; else none."""
    if "random_order" not in SUSPECTED[wildcards.benchmark]:
        return []
    return f"results/radar/suspected/{wildcards.benchmark}/orders.csv"


def error_rates_tables(wildcards):
    """An input: a benchmark's own error rates (`calibration`), or else those of this repository."""
    entry = SUSPECTED[wildcards.benchmark]
    if "calibration" not in entry:
        return [
            repo("config/calibration/detectors.csv"),
            repo("config/calibration/pretrained.csv"),
        ]
    return str(Path(entry["calibration"]).expanduser())


rule measure_suspected:
    input:
        questions=suspected_file("items"),
        control=suspected_file("control"),
        model=suspected_model("model"),
        reference=suspected_model("reference"),
        unseen=suspected_file("unseen"),
        seen=suspected_file("seen"),
        prompts=prompts_csv(RADAR_TRAIN),
    output:
        **recorded(
            evidence="results/radar/suspected/{benchmark}/evidence.parquet",
            notes="results/radar/suspected/{benchmark}/notes.txt",
        ),
    log:
        "logs/radar/measure_suspected/{benchmark}.log",
    benchmark:
        "benchmarks/results/radar/measure_suspected/{benchmark}.tsv"
    wildcard_constraints:
        benchmark=any_regex(SUSPECTED),
    conda:
        "../envs/models.yaml"
    threads: 8
    resources:
        gpu=1,
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=code("scripts/radar/measure_suspected.py"),
        contents=contents_of(
            suspected_file("items"),
            suspected_file("control"),
            suspected_model("model"),
            suspected_model("reference"),
            suspected_file("unseen"),
            suspected_file("seen"),
            prompts_csv(RADAR_TRAIN),
        ),
        attention_entropy_reduction=lookup(
            "radar/attention_entropy_reduction", within=config
        ),
        specialised_head_entropy=lookup("radar/specialised_head_entropy", within=config),
        optional_evidence=measured_evidence,
        detector_samples=lookup("radar/detector_samples", within=config),
        tokens_per_batch=lookup("capture/tokens_per_batch", within=config),
        start_token=suspected_setting("start_token", "auto"),
        skip_faulty=suspected_setting("skip_faulty", False),
        settings=suspected_model_settings("model", "settings"),
        reference_settings=suspected_model_settings("reference", "reference-settings"),
        # The same for all benchmarks, so that their scores can be compared.
        seed=seed_for("measure_suspected"),
    shell:
        f"{STEP} radar.measure_suspected"
        " --questions={input.questions:q}"
        " --control {input.control:q}"
        " --model={input.model:q}"
        " --reference {input.reference:q}"
        " --unseen {input.unseen:q}"
        " --seen {input.seen:q}"
        " --prompts={input.prompts:q}"
        " --attention-entropy-reduction={params.attention_entropy_reduction:q}"
        " --specialised-head-entropy={params.specialised_head_entropy:q}"
        " --optional-evidence {params.optional_evidence:q}"
        " --detector-samples={params.detector_samples:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " --start-token={params.start_token:q}"
        " --skip-faulty={params.skip_faulty:q}"
        " {params.settings}"
        " {params.reference_settings}"
        " --seed={params.seed:q}"
        " --evidence={output.evidence:q}"
        " --notes={output.notes:q}"
        " 2> {log}"


rule measure_order:
    input:
        questions=suspected_file("items"),
        model=suspected_model("model"),
    output:
        **recorded(
            orders="results/radar/suspected/{benchmark}/orders.csv",
        ),
    log:
        "logs/radar/measure_order/{benchmark}.log",
    benchmark:
        "benchmarks/results/radar/measure_order/{benchmark}.tsv"
    wildcard_constraints:
        benchmark=any_regex(SUSPECTED),
    conda:
        "../envs/models.yaml"
    threads: 8
    resources:
        gpu=1,
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=code("scripts/radar/measure_order.py"),
        contents=contents_of(suspected_file("items"), suspected_model("model")),
        tokens_per_batch=lookup("capture/tokens_per_batch", within=config),
        start_token=suspected_setting("start_token", "auto"),
        skip_faulty=suspected_setting("skip_faulty", False),
        random_order=suspected_setting("random_order", []),
        settings=suspected_model_settings("model", "settings"),
        seed=seed_for("measure_order", "{benchmark}"),
    shell:
        f"{STEP} radar.measure_order"
        " --questions={input.questions:q}"
        " --model={input.model:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " --start-token={params.start_token:q}"
        " --skip-faulty={params.skip_faulty:q}"
        " --random-order {params.random_order:q}"
        " {params.settings}"
        " --seed={params.seed:q}"
        " --orders={output.orders:q}"
        " 2> {log}"


rule score_suspected:
    input:
        questions=suspected_file("items"),
        control=suspected_file("control"),
        evidence="results/radar/suspected/{benchmark}/evidence.parquet",
        model=suspected_model("model"),
        corpus=suspected_file("corpus"),
    output:
        **recorded(
            scores="results/radar/suspected/{benchmark}/scores.csv",
        ),
    log:
        "logs/radar/score_suspected/{benchmark}.log",
    benchmark:
        "benchmarks/results/radar/score_suspected/{benchmark}.tsv"
    wildcard_constraints:
        benchmark=any_regex(SUSPECTED),
    conda:
        "../envs/models.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        code=code("scripts/radar/score_suspected.py"),
        contents=contents_of(
            suspected_file("items"),
            suspected_file("control"),
            suspected_file("corpus"),
        ),
        seed=seed_for("score_suspected"),
    shell:
        f"{STEP} radar.score_suspected"
        " --questions={input.questions:q}"
        " --control {input.control:q}"
        " --evidence={input.evidence:q}"
        " --model={input.model:q}"
        " --corpus {input.corpus:q}"
        " --seed={params.seed:q}"
        " --scores={output.scores:q}"
        " 2> {log}"


# The detectors of the user's own package have a job of their own, so that a new detector does not
# compute the scores of ours again.
rule score_suspected_by_own:
    input:
        questions=suspected_file("items"),
        control=suspected_file("control"),
        evidence="results/radar/suspected/{benchmark}/evidence.parquet",
        model=suspected_model("model"),
        corpus=suspected_file("corpus"),
    output:
        **recorded(
            own_scores="results/radar/suspected/{benchmark}/own_scores.csv",
        ),
    log:
        "logs/radar/score_suspected_by_own/{benchmark}.log",
    benchmark:
        "benchmarks/results/radar/score_suspected_by_own/{benchmark}.tsv"
    wildcard_constraints:
        benchmark=any_regex(SUSPECTED),
    conda:
        "../envs/models.yaml"
    resources:
        mem_mb=memory(4000),
        runtime=60,
    params:
        code=code("scripts/radar/score_suspected_by_own.py", own=OWN_DETECTORS),
        contents=contents_of(
            suspected_file("items"),
            suspected_file("control"),
            suspected_file("corpus"),
        ),
        own_detectors=OWN_DETECTORS,
        optional_evidence=measured_evidence,
        # As in `score_suspected`: a detector gives the same scores in either job.
        seed=seed_for("score_suspected"),
    shell:
        f"{STEP} radar.score_suspected_by_own"
        " --questions={input.questions:q}"
        " --control {input.control:q}"
        " --evidence={input.evidence:q}"
        " --model={input.model:q}"
        " --corpus {input.corpus:q}"
        " --own-detectors {params.own_detectors:q}"
        " --optional-evidence {params.optional_evidence:q}"
        " --seed={params.seed:q}"
        " --own-scores={output.own_scores:q}"
        " 2> {log}"


rule rank_detectors:
    input:
        scores="results/radar/suspected/{benchmark}/scores.csv",
        own_scores=OWN_SCORES,
    output:
        **recorded(
            detectors="results/radar/suspected/{benchmark}/detectors.csv",
        ),
    log:
        "logs/radar/rank_detectors/{benchmark}.log",
    benchmark:
        "benchmarks/results/radar/rank_detectors/{benchmark}.tsv"
    wildcard_constraints:
        benchmark=any_regex(SUSPECTED),
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/rank_detectors.py", own=OWN_DETECTORS),
        own_detectors=OWN_DETECTORS,
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("rank_detectors", "{benchmark}"),
    shell:
        f"{STEP} radar.rank_detectors"
        " --scores={input.scores:q}"
        " --own-scores {input.own_scores:q}"
        " --own-detectors {params.own_detectors:q}"
        " --confidence-level={params.confidence_level:q}"
        " --bootstrap-resamples={params.bootstrap_resamples:q}"
        " --seed={params.seed:q}"
        " --detectors={output.detectors:q}"
        " 2> {log}"


rule reach_verdict:
    input:
        questions=suspected_file("items"),
        control=suspected_file("control"),
        scores="results/radar/suspected/{benchmark}/scores.csv",
        own_scores=OWN_SCORES,
        evidence="results/radar/suspected/{benchmark}/evidence.parquet",
        orders=measured_orders,
        notes="results/radar/suspected/{benchmark}/notes.txt",
        calibration=error_rates_tables,
        order_calibration=repo("config/calibration/order.csv"),
        templates=VERDICT_TEMPLATES,
    output:
        **recorded(
            verdict="results/radar/suspected/{benchmark}/verdict.json",
            page="results/radar/suspected/{benchmark}/index.html",
            lines="results/radar/suspected/{benchmark}/summary.txt",
            decisions="results/radar/suspected/{benchmark}/items.csv",
            clean="results/radar/suspected/{benchmark}/clean.csv",
        ),
    log:
        "logs/radar/reach_verdict/{benchmark}.log",
    benchmark:
        "benchmarks/results/radar/reach_verdict/{benchmark}.tsv"
    wildcard_constraints:
        benchmark=any_regex(SUSPECTED),
    conda:
        "../envs/stats.yaml"
    resources:
        mem_mb=memory(4000),
    params:
        code=code("scripts/radar/reach_verdict.py"),
        contents=contents_of(
            suspected_file("items"),
            suspected_file("control"),
            error_rates_tables,
            repo("config/calibration/order.csv"),
            VERDICT_TEMPLATES,
        ),
        name="{benchmark}",
        label=suspected_model_label,
        verdict_detectors=lookup("radar/verdict_detectors", within=config),
        confidence_level=lookup("confidence_level", within=config),
        seed=seed_for("reach_verdict", "{benchmark}"),
    shell:
        f"{STEP} radar.reach_verdict"
        " --name={params.name:q}"
        " --label={params.label:q}"
        " --questions={input.questions:q}"
        " --control {input.control:q}"
        " --scores={input.scores:q}"
        " --own-scores {input.own_scores:q}"
        " --evidence={input.evidence:q}"
        " --orders {input.orders:q}"
        " --notes={input.notes:q}"
        " --calibration {input.calibration:q}"
        " --order-calibration={input.order_calibration:q}"
        " --verdict-detectors {params.verdict_detectors:q}"
        " --confidence-level={params.confidence_level:q}"
        " --seed={params.seed:q}"
        " --verdict={output.verdict:q}"
        " --page={output.page:q}"
        " --lines={output.lines:q}"
        " --decisions={output.decisions:q}"
        " --clean={output.clean:q}"
        " 2> {log}"


# The results of `snakemake suspected`, and the files of the lines that it prints at its end.
SUSPECTED_FILES = [
    "scores.csv",
    "verdict.json",
    "index.html",
    "detectors.csv",
    "items.csv",
    "clean.csv",
]
if OWN_DETECTORS:
    SUSPECTED_FILES.append("own_scores.csv")
SUSPECTED_RESULTS = expand(
    "results/radar/suspected/{name}/{file}", name=SUSPECTED, file=SUSPECTED_FILES
)
SUSPECTED_LINES = expand("results/radar/suspected/{name}/summary.txt", name=SUSPECTED)
