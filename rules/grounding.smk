"""The grounding study: data, models, controls and pretrained models, measurements on the pairs, rules and verdict."""

from mechaware.controls.schema_readers import CONTROLS
from mechaware.grounding.names import CONDITIONS, SHOTS
from mechaware.grounding.data.rows import SPLITS

SQL_SOURCE = config["grounding"]["data"]["source"]
SQL_ROWS = [config["grounding"]["data"]["rows"][split] for split in SPLITS]
VOCABULARY = repo("config/sql/vocabulary.yaml")
BASE_MODEL = f"results/models/{config['grounding']['base']}"
TRAINED_RUNS = expand(
    "{condition}-s{number}",
    number=config["grounding"]["seeds"],
    condition=CONDITIONS,
)
PRETRAINED_RUNS = expand(
    "{model}.{shots}", model=config["grounding"]["pretrained"]["models"], shots=SHOTS
)
OWN_RULES = tuple(config["grounding"]["rules"])
DEVICE = config["grounding"]["device"]
# On a CPU these models are so small that jobs of one thread side by side beat jobs of many one after the other; nor do
# the trained weights then depend on the number of cores.
DEVICE_THREADS = {"cpu": 1, "gpu": 8}[DEVICE]
DEVICE_GPUS = {"cpu": 0, "gpu": 1}[DEVICE]
MADE_RUNS = [*TRAINED_RUNS, *CONTROLS]
RUNS = [*MADE_RUNS, *PRETRAINED_RUNS]
# Sets of blocks up to the largest size that any threshold asks for.
MOST_BLOCKS = max(
    config["grounding"]["most_blocks"],
    *config["grounding"]["threshold_grid"]["most_blocks"],
)
# What one step writes, each with a record.
MEASUREMENTS = ["patching", "cuts", "answers", "thirds", "residual_maps"]
VERDICTS = ["verdict", "rule_sets", "categories", "block_sets"]
READINGS = ["reading", "behaviour", "residual_map"]
GROUNDING = Study(
    title="Schema grounding",
    wildcards={"run": RUNS, "trained_run": TRAINED_RUNS, "control": list(CONTROLS)},
    given={},
    environments={"figures": "figures", "tables": "stats"},
)


wildcard_constraints:
    run=one_of(RUNS),


def measured_model(wildcards):
    """The model of a run: one that the study makes, or a pretrained one as it is."""
    if wildcards.run in MADE_RUNS:
        return f"results/grounding/models/{wildcards.run}"
    return f"results/models/{wildcards.run.rpartition('.')[0]}"


def measured_with(made, pretrained):
    """A param: the first value for the models that the study makes, the second for pretrained ones."""
    return lambda wildcards: made if wildcards.run in MADE_RUNS else pretrained


def worked_examples(wildcards):
    """A param: the number of answered requests before each prompt of a run."""
    few = wildcards.run.endswith(".few-shot")
    return config["grounding"]["pretrained"]["examples"] if few else 0


def measurements(kind):
    """The measurements of one kind of all runs."""
    return [f"results/grounding/{kind}/{run}.parquet" for run in RUNS]


def rows_up_to_the_split(wildcards):
    """A param: the sizes of the splits up to the wildcard's, whose rows follow those of the splits before it."""
    return SQL_ROWS[: SPLITS.index(wildcards.split) + 1]


def sql_dataset(wildcards):
    """The dataset: the user's, or the one from the hub."""
    if SQL_SOURCE == "hub":
        return "results/downloads/sql"
    return str(Path(config["grounding"]["data"]["path"]).expanduser())


def sql_dataset_files(wildcards):
    """The files of the user's dataset, so that a changed file reruns what uses it."""
    if SQL_SOURCE == "hub":
        return []
    return sorted(map(str, Path(sql_dataset(wildcards)).rglob("*.*")))


rule generate_sql:
    input:
        vocabulary=VOCABULARY,
    output:
        rows="results/grounding/data/{split}.jsonl",
        provenance="results/grounding/data/{split}.provenance.json",
    log:
        "logs/grounding/generate_sql/{split}.log",
    benchmark:
        "benchmarks/results/grounding/generate_sql/{split}.tsv"
    wildcard_constraints:
        split=one_of(SPLITS if SQL_SOURCE == "generated" else ()),
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/grounding/generate_sql.py"),
        rows=rows_up_to_the_split,
        tables=lookup("grounding/data/tables", within=config),
        fields=lookup("grounding/data/fields", within=config),
        max_columns=lookup("grounding/data/max_columns", within=config),
        table_synonym_probability=lookup(
            "grounding/data/table_synonym_probability", within=config
        ),
        field_synonym_probability=lookup(
            "grounding/data/field_synonym_probability", within=config
        ),
        seed=seed_for("generate_sql"),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.generate_sql "
        "--vocabulary {input.vocabulary:q} --split {wildcards.split} "
        "--rows {params.rows} --tables {params.tables} --fields {params.fields} --max-columns {params.max_columns} "
        "--table-synonym-probability {params.table_synonym_probability} "
        "--field-synonym-probability {params.field_synonym_probability} "
        "--seed {params.seed} --out {output.rows} 2> {log}"


rule fetch_sql:
    output:
        dataset=directory("results/downloads/sql"),
        provenance="results/downloads/sql.provenance.json",
    log:
        "logs/grounding/fetch_sql.log",
    benchmark:
        "benchmarks/results/grounding/fetch_sql.tsv"
    retries: 2
    localrule: True
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/grounding/fetch_sql.py"),
        repo=lookup("grounding/data/repo", within=config),
        revision=lookup("grounding/data/revision", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.fetch_sql "
        "--repo {params.repo} --revision {params.revision} --out {output.dataset} 2> {log}"


rule import_sql:
    input:
        dataset=sql_dataset,
        files=sql_dataset_files,
    output:
        rows="results/grounding/data/{split}.jsonl",
        provenance="results/grounding/data/{split}.provenance.json",
    log:
        "logs/grounding/import_sql/{split}.log",
    benchmark:
        "benchmarks/results/grounding/import_sql/{split}.tsv"
    wildcard_constraints:
        split=one_of(SPLITS if SQL_SOURCE != "generated" else ()),
    conda:
        "../envs/models.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("scripts/grounding/import_sql.py"),
        rows=rows_up_to_the_split,
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.import_sql "
        "--dataset {input.dataset:q} --split {wildcards.split} --rows {params.rows} --out {output.rows} 2> {log}"


rule initialise_model:
    input:
        training="results/grounding/data/train.jsonl",
        vocabulary=VOCABULARY,
    output:
        model=directory("results/models/{model}"),
        provenance="results/models/{model}.provenance.json",
    log:
        "logs/grounding/initialise_model/{model}.log",
    benchmark:
        "benchmarks/results/grounding/initialise_model/{model}.tsv"
    wildcard_constraints:
        model=models_of("scratch"),
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/grounding/initialise_model.py"),
        name="{model}",
        tables=lookup("grounding/data/tables", within=config),
        fields=lookup("grounding/data/fields", within=config),
        n_layers=lookup("{model}/n_layers", within=MODELS),
        d_model=lookup("{model}/d_model", within=MODELS),
        n_heads=lookup("{model}/n_heads", within=MODELS),
        context_length=lookup("{model}/context_length", within=MODELS),
        seed=seed_for("initialise_model", "{model}"),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.initialise_model "
        "--training {input.training:q} --vocabulary {input.vocabulary:q} --tables {params.tables} --fields {params.fields} --name {params.name} "
        "--n-layers {params.n_layers} --d-model {params.d_model} --n-heads {params.n_heads} "
        "--context-length {params.context_length} --seed {params.seed} --out {output.model} 2> {log}"


rule train_model:
    input:
        base=BASE_MODEL,
        training="results/grounding/data/train.jsonl",
        held_out="results/grounding/data/valid.jsonl",
    output:
        model=directory("results/grounding/models/{condition}-s{number}"),
        provenance="results/grounding/models/{condition}-s{number}.provenance.json",
    log:
        "logs/grounding/train_model/{condition}-s{number}.log",
    benchmark:
        "benchmarks/results/grounding/train_model/{condition}-s{number}.tsv"
    wildcard_constraints:
        condition=one_of(CONDITIONS),
        number=r"\d+",
    conda:
        "../envs/models.yaml"
    threads: DEVICE_THREADS
    resources:
        gpu=DEVICE_GPUS,
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=code("scripts/grounding/train_model.py"),
        device=DEVICE,
        condition="{condition}",
        steps=lookup("grounding/training/steps", within=config),
        batch_size=lookup("grounding/training/batch_size", within=config),
        learning_rate=lookup("grounding/training/learning_rate", within=config),
        warmup_steps=lookup("grounding/training/warmup_steps", within=config),
        weight_decay=lookup("grounding/training/weight_decay", within=config),
        evaluate_every=lookup("grounding/training/evaluate_every", within=config),
        # One seed for both conditions: they differ in the context alone.
        seed=seed_for("train_model", "s{number}"),
        checkpoints="results/grounding/checkpoints/{condition}-s{number}",
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.train_model "
        "--base {input.base:q} --training {input.training:q} "
        "--held-out {input.held_out:q} --condition {params.condition} --steps {params.steps} "
        "--batch-size {params.batch_size} --learning-rate {params.learning_rate} "
        "--warmup-steps {params.warmup_steps} --weight-decay {params.weight_decay} "
        "--evaluate-every {params.evaluate_every} --seed {params.seed} "
        "--device {params.device} --checkpoints {params.checkpoints} --out {output.model} 2> {log}"


rule decode_sql:
    input:
        model="results/grounding/models/{trained_run}",
        test="results/grounding/data/test.jsonl",
    output:
        predictions="results/grounding/predictions/{trained_run}.csv",
        provenance="results/grounding/predictions/{trained_run}.provenance.json",
    log:
        "logs/grounding/decode_sql/{trained_run}.log",
    benchmark:
        "benchmarks/results/grounding/decode_sql/{trained_run}.tsv"
    wildcard_constraints:
        trained_run=one_of(TRAINED_RUNS),
    conda:
        "../envs/models.yaml"
    threads: DEVICE_THREADS
    resources:
        gpu=DEVICE_GPUS,
        mem_mb=memory(3000),
        runtime=60,
    params:
        code=code("scripts/grounding/decode_sql.py"),
        device=DEVICE,
        batch_size=lookup("grounding/decoding_batch_size", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.decode_sql "
        "--model {input.model:q} --test {input.test:q} --batch-size {params.batch_size} --device {params.device} --out {output.predictions} 2> {log}"


rule score_sql:
    input:
        predictions=expand("results/grounding/predictions/{run}.csv", run=TRAINED_RUNS),
    output:
        accuracy="results/grounding/accuracy.csv",
        provenance="results/grounding/accuracy.provenance.json",
    log:
        "logs/grounding/score_sql.log",
    benchmark:
        "benchmarks/results/grounding/score_sql.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/score_sql.py"),
        runs=TRAINED_RUNS,
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.score_sql "
        "--predictions {input.predictions:q} --trained-runs {params.runs} "
        "--confidence-level {params.confidence_level} --out {output.accuracy} 2> {log}"


rule make_pairs:
    input:
        training="results/grounding/data/train.jsonl",
        base=BASE_MODEL,
    output:
        pairs="results/grounding/pairs.jsonl",
        provenance="results/grounding/pairs.provenance.json",
    log:
        "logs/grounding/make_pairs.log",
    benchmark:
        "benchmarks/results/grounding/make_pairs.tsv"
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/grounding/make_pairs.py"),
        pairs_per_category=lookup("grounding/pairs_per_category", within=config),
        seed=seed_for("make_pairs"),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.make_pairs "
        "--training {input.training:q} --base {input.base:q} "
        "--pairs-per-category {params.pairs_per_category} --seed {params.seed} --out {output.pairs} 2> {log}"


rule build_controls:
    input:
        pairs="results/grounding/pairs.jsonl",
    output:
        models=directory(expand("results/grounding/models/{control}", control=CONTROLS)),
        provenance=expand(
            "results/grounding/models/{control}.provenance.json", control=CONTROLS
        ),
    log:
        "logs/grounding/build_controls.log",
    benchmark:
        "benchmarks/results/grounding/build_controls.tsv"
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/grounding/build_controls.py"),
        controls=list(CONTROLS),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.build_controls "
        "--pairs {input.pairs:q} --controls {params.controls} --out {output.models} 2> {log}"


rule measure_pairs:
    input:
        model=measured_model,
        pairs="results/grounding/pairs.jsonl",
        training="results/grounding/data/train.jsonl",
    output:
        patching="results/grounding/patching/{run}.parquet",
        cuts="results/grounding/cuts/{run}.parquet",
        answers="results/grounding/answers/{run}.parquet",
        thirds="results/grounding/thirds/{run}.parquet",
        residual_map="results/grounding/residual_maps/{run}.parquet",
        provenance=expand(
            "results/grounding/{kind}/{{run}}.provenance.json", kind=MEASUREMENTS
        ),
    log:
        "logs/grounding/measure_pairs/{run}.log",
    benchmark:
        "benchmarks/results/grounding/measure_pairs/{run}.tsv"
    conda:
        "../envs/models.yaml"
    threads: DEVICE_THREADS
    resources:
        gpu=DEVICE_GPUS,
        mem_mb=memory(4000),
        runtime=60,
    params:
        code=code("scripts/grounding/measure_pairs.py"),
        device=DEVICE,
        examples=worked_examples,
        examples_seed=seed_for("worked_examples"),
        per_category=measured_with(
            config["grounding"]["pairs_per_category"],
            config["grounding"]["pretrained"]["pairs_per_category"],
        ),
        mapped_per_category=lookup("grounding/mapped_per_category", within=config),
        most_blocks=MOST_BLOCKS,
        tokens_per_batch=lookup("grounding/tokens_per_batch", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.measure_pairs "
        "--model {input.model:q} --pairs {input.pairs:q} --training {input.training:q} --measured-run {wildcards.run} --examples {params.examples} "
        "--examples-seed {params.examples_seed} --per-category {params.per_category} "
        "--most-blocks {params.most_blocks} --mapped-per-category {params.mapped_per_category} --tokens-per-batch {params.tokens_per_batch} "
        "--device {params.device} --patching {output.patching} --cuts {output.cuts} --answers {output.answers} --thirds {output.thirds} "
        "--residual-map {output.residual_map} 2> {log}"


rule apply_rules:
    input:
        patching="results/grounding/patching/{run}.parquet",
        cuts="results/grounding/cuts/{run}.parquet",
        answers="results/grounding/answers/{run}.parquet",
        thirds="results/grounding/thirds/{run}.parquet",
    output:
        rules="results/grounding/rules/{run}.parquet",
        provenance="results/grounding/rules/{run}.provenance.json",
    log:
        "logs/grounding/apply_rules/{run}.log",
    benchmark:
        "benchmarks/results/grounding/apply_rules/{run}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/apply_rules.py", own=OWN_RULES),
        rules=OWN_RULES,
        tau=lookup("grounding/tau", within=config),
        alpha=lookup("grounding/alpha", within=config),
        null_quantile=lookup("grounding/null_quantile", within=config),
        most_blocks=lookup("grounding/most_blocks", within=config),
        unasked_share=lookup("grounding/unasked_share", within=config),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.apply_rules "
        "--patching {input.patching:q} --cuts {input.cuts:q} --answers {input.answers:q} --thirds {input.thirds:q} --judged-run {wildcards.run} "
        "--tau {params.tau} --alpha {params.alpha} --null-quantile {params.null_quantile} "
        "--most-blocks {params.most_blocks} --unasked-share {params.unasked_share} "
        "--confidence-level {params.confidence_level} --rules {params.rules} --out {output.rules} 2> {log}"


rule summarise_training:
    input:
        models=expand("results/grounding/models/{run}", run=TRAINED_RUNS),
    output:
        table="results/grounding/training.csv",
        provenance="results/grounding/training.provenance.json",
    log:
        "logs/grounding/summarise_training.log",
    benchmark:
        "benchmarks/results/grounding/summarise_training.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/summarise_training.py"),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.summarise_training "
        "--models {input.models:q} --out {output.table} 2> {log}"


rule compare_conditions:
    input:
        rules=expand("results/grounding/rules/{run}.parquet", run=TRAINED_RUNS),
    output:
        table="results/grounding/comparison.csv",
        provenance="results/grounding/comparison.provenance.json",
    log:
        "logs/grounding/compare_conditions.log",
    benchmark:
        "benchmarks/results/grounding/compare_conditions.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/compare_conditions.py"),
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("compare_conditions"),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.compare_conditions "
        "--rules {input.rules:q} --confidence-level {params.confidence_level} --bootstrap-resamples {params.bootstrap_resamples} --seed {params.seed} "
        "--out {output.table} 2> {log}"


rule judge_runs:
    input:
        rules=measurements("rules"),
        answers=measurements("answers"),
        cuts=measurements("cuts"),
    output:
        verdict="results/grounding/verdict.csv",
        rule_sets="results/grounding/rule_sets.csv",
        categories="results/grounding/categories.csv",
        block_sets="results/grounding/block_sets.csv",
        provenance=expand("results/grounding/{table}.provenance.json", table=VERDICTS),
    log:
        "logs/grounding/judge_runs.log",
    benchmark:
        "benchmarks/results/grounding/judge_runs.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/judge_runs.py"),
        alpha=lookup("grounding/alpha", within=config),
        verdict_share=lookup("grounding/verdict_share", within=config),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.judge_runs "
        "--rules {input.rules:q} --answers {input.answers:q} --cuts {input.cuts:q} "
        "--alpha {params.alpha} --verdict-share {params.verdict_share} --confidence-level {params.confidence_level} "
        "--out {output.verdict} --rule-sets {output.rule_sets} --categories {output.categories} "
        "--block-sets {output.block_sets} 2> {log}"


rule profile_reading:
    input:
        cuts=measurements("cuts"),
        answers=measurements("answers"),
        residual_maps=measurements("residual_maps"),
    output:
        reading="results/grounding/reading.csv",
        behaviour="results/grounding/behaviour.csv",
        residual_map="results/grounding/residual_map.csv",
        provenance=expand("results/grounding/{table}.provenance.json", table=READINGS),
    log:
        "logs/grounding/profile_reading.log",
    benchmark:
        "benchmarks/results/grounding/profile_reading.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/profile_reading.py"),
        tau=lookup("grounding/tau", within=config),
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("profile_reading"),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.profile_reading "
        "--cuts {input.cuts:q} --answers {input.answers:q} "
        "--residual-maps {input.residual_maps:q} --tau {params.tau} --confidence-level {params.confidence_level} "
        "--bootstrap-resamples {params.bootstrap_resamples} --seed {params.seed} --out {output.reading} "
        "--behaviour {output.behaviour} --residual-map {output.residual_map} 2> {log}"


rule profile_recovery:
    input:
        patching=expand("results/grounding/patching/{run}.parquet", run=RUNS),
    output:
        table="results/grounding/recovery.csv",
        provenance="results/grounding/recovery.provenance.json",
    log:
        "logs/grounding/profile_recovery.log",
    benchmark:
        "benchmarks/results/grounding/profile_recovery.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/profile_recovery.py"),
        tau=lookup("grounding/tau", within=config),
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("profile_recovery"),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.profile_recovery "
        "--patching {input.patching:q} --tau {params.tau} --confidence-level {params.confidence_level} --bootstrap-resamples {params.bootstrap_resamples} --seed {params.seed} "
        "--out {output.table} 2> {log}"


rule sweep_thresholds:
    input:
        patching=measurements("patching"),
        cuts=measurements("cuts"),
        answers=measurements("answers"),
        thirds=measurements("thirds"),
    output:
        table="results/grounding/thresholds.csv",
        grounded="results/grounding/grounded_thresholds.csv",
        provenance=expand(
            "results/grounding/{table}.provenance.json",
            table=["thresholds", "grounded_thresholds"],
        ),
    log:
        "logs/grounding/sweep_thresholds.log",
    benchmark:
        "benchmarks/results/grounding/sweep_thresholds.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/sweep_thresholds.py"),
        runs=RUNS,
        taus=lookup("grounding/threshold_grid/tau", within=config),
        alphas=lookup("grounding/threshold_grid/alpha", within=config),
        alpha=lookup("grounding/alpha", within=config),
        null_quantile=lookup("grounding/null_quantile", within=config),
        most_blocks=lookup("grounding/most_blocks", within=config),
        unasked_share=lookup("grounding/unasked_share", within=config),
        confidence_level=lookup("confidence_level", within=config),
        grounded_alphas=lookup("grounding/threshold_grid/grounded_alpha", within=config),
        numbers_of_blocks=lookup("grounding/threshold_grid/most_blocks", within=config),
        unasked_shares=lookup("grounding/threshold_grid/unasked_share", within=config),
        null_quantiles=lookup("grounding/threshold_grid/null_quantile", within=config),
        significances=lookup("grounding/threshold_grid/significance", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.sweep_thresholds "
        "--runs {params.runs} --patching {input.patching:q} "
        "--cuts {input.cuts:q} --answers {input.answers:q} --thirds {input.thirds:q} --taus {params.taus} "
        "--alphas {params.alphas} --alpha {params.alpha} --null-quantile {params.null_quantile} "
        "--most-blocks {params.most_blocks} --unasked-share {params.unasked_share} "
        "--confidence-level {params.confidence_level} --grounded-alphas {params.grounded_alphas} "
        "--numbers-of-blocks {params.numbers_of_blocks} --unasked-shares {params.unasked_shares} "
        "--null-quantiles {params.null_quantiles} --significances {params.significances} "
        "--out {output.table} --grounded {output.grounded} 2> {log}"
