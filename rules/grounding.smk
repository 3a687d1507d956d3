"""The grounding study: does a model read the schema in its prompt?

The files in results/grounding, each after those that it is made from; their rules are in brackets:

    data/{split}.jsonl       requests and their SQL (generate_sql, or fetch_sql and import_sql)
    -> models/{run}          trained with the schema or without
                             (initialise_model, generate_stories, train_model)
    -> predictions/{run}     the models' answers to the test requests (decode_sql)

    data/train.jsonl
    -> pairs.jsonl           prompts that differ in one word of the schema (make_pairs)
    -> measured/{run}        trained and pretrained models on the pairs (measure_pairs)
    -> measured/controls     transformers whose mechanism is known, on the pairs (measure_controls)
    -> measured/matched      controls that give the same answers by different mechanisms, on some
                             pairs (measure_matched)
    -> lookups               controls that read the schema or look the request word up, on prompts
                             of the data and of the pairs (measure_lookups)
    -> attribution           the gap between clean and corrupted runs, attributed to attention heads
                             (measure_matched for controls, attribute_trained for trained models)
    -> tables                accuracy (summarise_runs); verdicts by the paper's rules R1 to R3 and
                             by our rules G1 to G5 (judge_runs); where the word is read
                             (localise_reading)

A user's own pairs and logs are measured and judged in one step each, patch_task and
exchange_passages. score_known compares the verdicts on a user's pairs with the mechanisms of the
models, where the user knows them.

Functions and lists that are not defined here come from rules/config_files.smk, common.smk and
models.smk.
"""

from mechaware.planted.controls.generator import drawn_controls
from mechaware.planted.controls.schema_readers import CONTROLS
from mechaware.instruments.grounding.names import BASE, CONDITIONS
from mechaware.instruments.grounding.data.importing import split_files
from mechaware.instruments.grounding.data.rows import SPLITS

SQL_SOURCE = config["grounding"]["data"]["source"]
# The dataset that is imported: the one from the hub, or a file or folder of the user's.
if SQL_SOURCE == "hub":
    SQL_DATASET = "results/downloads/sql"
else:
    SQL_DATASET = str(Path(config["grounding"]["data"]["path"]).expanduser())
# The number of rows of each split.
SQL_ROWS = [config["grounding"]["data"]["rows"][split] for split in SPLITS]
VOCABULARY = repo("config/sql/vocabulary.yaml")
BASE_MODEL = f"results/models/{config['grounding']['base']}"
# A base with random weights first reads stories, unless the config gives no steps for them. A base
# from elsewhere has been pretrained.
READS_STORIES = (
    MODELS[config["grounding"]["base"]]["kind"] == "scratch"
    and config["grounding"]["stories_steps"] > 0
)

# Names of runs: `base-s0`, `schema-s0`, `no_schema-s0`, `smollm2-135m-instruct.zero-shot`; the run
# of a control has the control's name.
BASE_RUNS = []
if READS_STORIES:
    BASE_RUNS = expand(
        "{base}-s{number}", base=BASE, number=config["grounding"]["seeds"]
    )
TRAINED_RUNS = expand(
    "{condition}-s{number}",
    number=config["grounding"]["seeds"],
    condition=CONDITIONS,
)
PRETRAINED_RUNS = expand(
    "{model}.{shots}",
    model=config["grounding"]["pretrained"]["models"],
    shots=config["grounding"]["pretrained"]["shots"],
)
CONTROL_RUNS = [*CONTROLS, *drawn_controls(config["grounding"]["drawn_controls"])]
RUNS = [*TRAINED_RUNS, *BASE_RUNS, *CONTROL_RUNS, *PRETRAINED_RUNS]
# A folder of tables for each model, and one for all controls but the matched ones.
MEASURED = expand(
    "results/grounding/measured/{run}",
    run=[*TRAINED_RUNS, *BASE_RUNS, "controls", *PRETRAINED_RUNS],
)

# Dotted names of rules in the user's own package, judged beside R1 to R3 and G1 to G5.
OWN_RULES = tuple(config["grounding"]["rules"])
# The user's own pairs, by the name of their task.
TASKS = config["grounding"]["pairs"]
# The user's logs of questions with passages, by name.
PASSAGES = config["grounding"]["passages"]
RULES_CALIBRATION = repo("config/calibration/rules.csv")
TASK_TEMPLATES = [
    repo("mechaware/instruments/grounding/tasks/templates/reads.html.j2"),
    *VERDICT_PAGE,
]
PASSAGES_TEMPLATES = [
    repo("mechaware/instruments/grounding/passages/templates/passages.html.j2"),
    *VERDICT_PAGE,
]

DEVICE = config["grounding"]["device"]
# One thread on a CPU: the models are so small that parallel jobs beat parallel threads, and the
# trained weights do not depend on the number of cores.
DEVICE_THREADS = {"cpu": 1, "gpu": 8}[DEVICE]
DEVICE_GPUS = {"cpu": 0, "gpu": 1}[DEVICE]

GROUNDING = Study(
    title="Schema grounding",
    wildcards={},
    parameters={},
    environments={"figures": "figures", "tables": "stats"},
)


def is_trained_here(wildcards):
    """Whether a run's model is a base of this study or trained from one; else it is pretrained."""
    return wildcards.run in (*TRAINED_RUNS, *BASE_RUNS)


def pretrained_name(wildcards):
    """The model of a pretrained run: the run `NAME.few-shot` is of the model `NAME`."""
    return wildcards.run.rpartition(".")[0]


def measured_model(wildcards):
    """An input: the model of a run."""
    if is_trained_here(wildcards):
        return f"results/grounding/models/{wildcards.run}"
    return f"results/models/{pretrained_name(wildcards)}"


def measured_settings(wildcards):
    """A param: flags for how a run's model is loaded and asked; the defaults, if trained here."""
    if is_trained_here(wildcards):
        return ""
    return settings_flags(pretrained_name(wildcards))


def pairs_per_category(wildcards):
    """A param: how many pairs of each category are measured, fewer in pretrained models."""
    if is_trained_here(wildcards):
        return config["grounding"]["pairs_per_category"]
    return config["grounding"]["pretrained"]["pairs_per_category"]


def worked_examples(wildcards):
    """A param: the number of answered requests before each prompt of a run."""
    if wildcards.run.endswith(".few-shot"):
        return config["grounding"]["pretrained"]["examples"]
    return 0


def sql_dataset_files(wildcards):
    """An input: the dataset; of a user's folder, only the files that have rows of the split.

    A user's folder is not itself the input: its date changes whenever a file is added to it.
    """
    is_folder_of_user = SQL_SOURCE != "hub" and Path(SQL_DATASET).is_dir()
    if not is_folder_of_user:
        return [SQL_DATASET]
    return [str(path) for path in split_files(Path(SQL_DATASET), wildcards.split)]


def task_table(wildcards):
    """An input: the table of a user's task."""
    return str(Path(TASKS[wildcards.task]["table"]).expanduser())


def task_model(wildcards):
    """An input: the model of a task."""
    return f"results/models/{TASKS[wildcards.task]['model']}"


def task_model_label(wildcards):
    """A param: the name of a task's model on the page."""
    return MODELS[TASKS[wildcards.task]["model"]]["label"]


def task_model_settings(wildcards):
    """A param: how a task's model is loaded and asked."""
    return settings_flags(TASKS[wildcards.task]["model"])


def task_setting(key, default):
    """A param: the value of a task's `key`, or the default."""
    return lambda wildcards: TASKS[wildcards.task].get(key, default)


def passages_log(wildcards):
    """An input: a user's log with passages."""
    return str(Path(PASSAGES[wildcards.logged]["log"]).expanduser())


def passages_model(wildcards):
    """An input: the model of a log with passages."""
    return f"results/models/{PASSAGES[wildcards.logged]['model']}"


def passages_model_label(wildcards):
    """A param: the name of a log's model on the page."""
    return MODELS[PASSAGES[wildcards.logged]["model"]]["label"]


def passages_model_settings(wildcards):
    """A param: how a log's model is loaded and asked."""
    return settings_flags(PASSAGES[wildcards.logged]["model"])


def passages_setting(key, default):
    """A param: the value of a log's `key`, or the default."""
    return lambda wildcards: PASSAGES[wildcards.logged].get(key, default)


def rows_up_to_the_split(wildcards):
    """A param: the sizes of the wildcard's split and of the splits before it.

    The rows of a split follow the rows of the splits before it. So a change of the number of test
    rows changes neither the training rows nor the models that are trained on them.
    """
    return SQL_ROWS[: SPLITS.index(wildcards.split) + 1]


def start_of_training(wildcards):
    """An input: the model that training starts from; for SQL the base after its stories, if any."""
    if wildcards.condition == BASE or not READS_STORIES:
        return BASE_MODEL
    return f"results/grounding/models/{BASE}-s{wildcards.number}"


def training_text(wildcards):
    """An input: the text that a model is trained on, stories for a base, else SQL."""
    name = "stories.txt" if wildcards.condition == BASE else "train.jsonl"
    return f"results/grounding/data/{name}"


def held_out_text(wildcards):
    """An input: the held-out text on which the loss is measured, stories for a base, else SQL."""
    name = "held_out_stories.txt" if wildcards.condition == BASE else "valid.jsonl"
    return f"results/grounding/data/{name}"


def steps_of(wildcards):
    """A param: the maximum number of steps of a model's training."""
    if wildcards.condition == BASE:
        return config["grounding"]["stories_steps"]
    return config["grounding"]["training"]["steps"]


def criterion_of(wildcards):
    """A param: the exact match at which training with the schema ends; 0, for never, without it."""
    if wildcards.condition == "schema":
        return config["grounding"]["training"]["criterion"]
    return 0


def trained_as_long_as(wildcards):
    """An input: for `no_schema-s0` the model `schema-s0`, which may have ended early; else none.

    `no_schema-s0` then takes as many steps as `schema-s0` took: the two differ in the schema alone.
    """
    may_end_early = config["grounding"]["training"]["criterion"] > 0
    if wildcards.condition == "no_schema" and may_end_early:
        return [f"results/grounding/models/schema-s{wildcards.number}"]
    return []


# The requests, the models that are trained on them, and the models' answers


rule generate_sql:
    input:
        vocabulary=VOCABULARY,
    output:
        **recorded(out="results/grounding/data/{split}.jsonl"),
    log:
        "logs/grounding/generate_sql/{split}.log",
    benchmark:
        "benchmarks/results/grounding/generate_sql/{split}.tsv"
    wildcard_constraints:
        split=any_regex(SPLITS if SQL_SOURCE == "generated" else ()),
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/grounding/generate_sql.py"),
        contents=contents_of(VOCABULARY),
        split="{split}",
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
        shared_words=lookup("grounding/data/shared_words", within=config),
        seed=seed_for("generate_sql"),
    shell:
        f"{STEP} grounding.generate_sql"
        " --vocabulary={input.vocabulary:q}"
        " --split={params.split:q}"
        " --rows {params.rows:q}"
        " --tables={params.tables:q}"
        " --fields={params.fields:q}"
        " --max-columns={params.max_columns:q}"
        " --table-synonym-probability={params.table_synonym_probability:q}"
        " --field-synonym-probability={params.field_synonym_probability:q}"
        " --shared-words={params.shared_words:q}"
        " --seed={params.seed:q}"
        " --out={output.out:q}"
        " 2> {log}"


rule import_sql:
    input:
        sql_dataset_files,
    output:
        **recorded(out="results/grounding/data/{split}.jsonl"),
    log:
        "logs/grounding/import_sql/{split}.log",
    benchmark:
        "benchmarks/results/grounding/import_sql/{split}.tsv"
    wildcard_constraints:
        split=any_regex(SPLITS if SQL_SOURCE != "generated" else ()),
    conda:
        "../envs/models.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("scripts/grounding/import_sql.py"),
        contents=contents_of(sql_dataset_files),
        dataset=SQL_DATASET,
        split="{split}",
        rows=rows_up_to_the_split,
    shell:
        f"{STEP} grounding.import_sql"
        " --dataset={params.dataset:q}"
        " --split={params.split:q}"
        " --rows {params.rows:q}"
        " --out={output.out:q}"
        " 2> {log}"


rule fetch_sql:
    output:
        **recorded(dataset=directory("results/downloads/sql")),
    log:
        "logs/grounding/fetch_sql.log",
    benchmark:
        "benchmarks/results/grounding/fetch_sql.tsv"
    # The network may fail for a moment. Compute nodes may have none: the job runs where Snakemake
    # does.
    retries: 2
    localrule: True
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/grounding/fetch_sql.py"),
        repo=lookup("grounding/data/repo", within=config),
        revision=lookup("grounding/data/revision", within=config),
    shell:
        f"{STEP} grounding.fetch_sql"
        " --repo={params.repo:q}"
        " --revision={params.revision:q}"
        " --dataset={output.dataset:q}"
        " 2> {log}"


rule initialise_model:
    input:
        training="results/grounding/data/train.jsonl",
        vocabulary=VOCABULARY,
    output:
        **recorded(model=directory("results/models/{model}")),
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
        contents=contents_of(VOCABULARY),
        name="{model}",
        tables=lookup("grounding/data/tables", within=config),
        fields=lookup("grounding/data/fields", within=config),
        n_layers=lookup("{model}/n_layers", within=MODELS),
        d_model=lookup("{model}/d_model", within=MODELS),
        n_heads=lookup("{model}/n_heads", within=MODELS),
        context_length=lookup("{model}/context_length", within=MODELS),
        byte_pairs=lookup("{model}/byte_pairs", within=MODELS, default=0),
        seed=seed_for("initialise_model", "{model}"),
    shell:
        f"{STEP} grounding.initialise_model"
        " --training={input.training:q}"
        " --vocabulary={input.vocabulary:q}"
        " --tables={params.tables:q}"
        " --fields={params.fields:q}"
        " --name={params.name:q}"
        " --n-layers={params.n_layers:q}"
        " --d-model={params.d_model:q}"
        " --n-heads={params.n_heads:q}"
        " --context-length={params.context_length:q}"
        " --byte-pairs={params.byte_pairs:q}"
        " --seed={params.seed:q}"
        " --model={output.model:q}"
        " 2> {log}"


rule generate_stories:
    input:
        vocabulary=VOCABULARY,
    output:
        **recorded(
            stories="results/grounding/data/stories.txt",
            held_out_stories="results/grounding/data/held_out_stories.txt",
        ),
    log:
        "logs/grounding/generate_stories.log",
    benchmark:
        "benchmarks/results/grounding/generate_stories.tsv"
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/grounding/generate_stories.py"),
        contents=contents_of(VOCABULARY),
        tables=lookup("grounding/data/tables", within=config),
        fields=lookup("grounding/data/fields", within=config),
        steps=lookup("grounding/stories_steps", within=config),
        batch_size=lookup("grounding/training/batch_size", within=config),
        held_out=lookup("grounding/data/rows/valid", within=config),
        seed=seed_for("generate_stories"),
    shell:
        f"{STEP} grounding.generate_stories"
        " --vocabulary={input.vocabulary:q}"
        " --tables={params.tables:q}"
        " --fields={params.fields:q}"
        " --steps={params.steps:q}"
        " --batch-size={params.batch_size:q}"
        " --held-out={params.held_out:q}"
        " --seed={params.seed:q}"
        " --stories={output.stories:q}"
        " --held-out-stories={output.held_out_stories:q}"
        " 2> {log}"


rule train_model:
    input:
        base=start_of_training,
        training=training_text,
        held_out=held_out_text,
        as_long_as=trained_as_long_as,
    output:
        **recorded(model=directory("results/grounding/models/{condition}-s{number}")),
    log:
        "logs/grounding/train_model/{condition}-s{number}.log",
    benchmark:
        "benchmarks/results/grounding/train_model/{condition}-s{number}.tsv"
    wildcard_constraints:
        condition=any_regex([BASE, *CONDITIONS]),
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
        steps=steps_of,
        criterion=criterion_of,
        batch_size=lookup("grounding/training/batch_size", within=config),
        learning_rate=lookup("grounding/training/learning_rate", within=config),
        warmup_steps=lookup("grounding/training/warmup_steps", within=config),
        weight_decay=lookup("grounding/training/weight_decay", within=config),
        evaluate_every=lookup("grounding/training/evaluate_every", within=config),
        # The base and both conditions share a seed: the two conditions differ in the context alone.
        seed=seed_for("train_model", "s{number}"),
        checkpoints="results/grounding/checkpoints/{condition}-s{number}",
    shell:
        f"{STEP} grounding.train_model"
        " --base={input.base:q}"
        " --training={input.training:q}"
        " --held-out={input.held_out:q}"
        " --as-long-as {input.as_long_as:q}"
        " --condition={params.condition:q}"
        " --steps={params.steps:q}"
        " --batch-size={params.batch_size:q}"
        " --learning-rate={params.learning_rate:q}"
        " --warmup-steps={params.warmup_steps:q}"
        " --weight-decay={params.weight_decay:q}"
        " --evaluate-every={params.evaluate_every:q}"
        " --seed={params.seed:q}"
        " --criterion={params.criterion:q}"
        " --device={params.device:q}"
        " --checkpoints={params.checkpoints:q}"
        " --model={output.model:q}"
        " 2> {log}"


rule decode_sql:
    input:
        model="results/grounding/models/{trained_run}",
        test="results/grounding/data/test.jsonl",
    output:
        **recorded(predictions="results/grounding/predictions/{trained_run}.parquet"),
    log:
        "logs/grounding/decode_sql/{trained_run}.log",
    benchmark:
        "benchmarks/results/grounding/decode_sql/{trained_run}.tsv"
    wildcard_constraints:
        trained_run=any_regex(TRAINED_RUNS),
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
        f"{STEP} grounding.decode_sql"
        " --model={input.model:q}"
        " --test={input.test:q}"
        " --batch-size={params.batch_size:q}"
        " --device={params.device:q}"
        " --predictions={output.predictions:q}"
        " 2> {log}"


# The pairs, and what is measured on them


rule make_pairs:
    input:
        training="results/grounding/data/train.jsonl",
        # Its tokenizer decides which words have equally many tokens.
        base=BASE_MODEL,
    output:
        **recorded(pairs="results/grounding/pairs.jsonl"),
    log:
        "logs/grounding/make_pairs.log",
    benchmark:
        "benchmarks/results/grounding/make_pairs.tsv"
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/grounding/make_pairs.py"),
        categories=lookup("grounding/categories", within=config),
        pairs_per_category=lookup("grounding/pairs_per_category", within=config),
        seed=seed_for("make_pairs"),
    shell:
        f"{STEP} grounding.make_pairs"
        " --training={input.training:q}"
        " --base={input.base:q}"
        " --categories {params.categories:q}"
        " --pairs-per-category={params.pairs_per_category:q}"
        " --seed={params.seed:q}"
        " --pairs={output.pairs:q}"
        " 2> {log}"


rule measure_controls:
    input:
        pairs="results/grounding/pairs.jsonl",
    output:
        **recorded(
            measured=directory("results/grounding/measured/controls"),
            truth="results/grounding/truth.parquet",
        ),
    log:
        "logs/grounding/measure_controls.log",
    benchmark:
        "benchmarks/results/grounding/measure_controls.tsv"
    conda:
        "../envs/models.yaml"
    threads: DEVICE_THREADS
    resources:
        gpu=DEVICE_GPUS,
        mem_mb=memory(4000),
        runtime=60,
    params:
        code=code("scripts/grounding/measure_controls.py"),
        device=DEVICE,
        controls=CONTROL_RUNS,
        mapped_per_category=lookup("grounding/mapped_per_category", within=config),
        tokens_per_batch=lookup("grounding/tokens_per_batch", within=config),
    shell:
        f"{STEP} grounding.measure_controls"
        " --pairs={input.pairs:q}"
        " --controls {params.controls:q}"
        " --mapped-per-category={params.mapped_per_category:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " --device={params.device:q}"
        " --measured={output.measured:q}"
        " --truth={output.truth:q}"
        " 2> {log}"


rule measure_matched:
    input:
        pairs="results/grounding/pairs.jsonl",
    output:
        **recorded(
            measured=directory("results/grounding/measured/matched"),
            attribution="results/grounding/attribution.parquet",
        ),
    log:
        "logs/grounding/measure_matched.log",
    benchmark:
        "benchmarks/results/grounding/measure_matched.tsv"
    conda:
        "../envs/models.yaml"
    threads: DEVICE_THREADS
    resources:
        gpu=DEVICE_GPUS,
        mem_mb=memory(4000),
        runtime=60,
    params:
        code=code("scripts/grounding/measure_matched.py"),
        device=DEVICE,
        per_category=lookup("grounding/matched_pairs_per_category", within=config),
        tokens_per_batch=lookup("grounding/tokens_per_batch", within=config),
    shell:
        f"{STEP} grounding.measure_matched"
        " --pairs={input.pairs:q}"
        " --per-category={params.per_category:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " --device={params.device:q}"
        " --measured={output.measured:q}"
        " --attribution={output.attribution:q}"
        " 2> {log}"


rule measure_lookups:
    input:
        training="results/grounding/data/train.jsonl",
        pairs="results/grounding/pairs.jsonl",
    output:
        **recorded(answers="results/grounding/lookups.parquet"),
    log:
        "logs/grounding/measure_lookups.log",
    benchmark:
        "benchmarks/results/grounding/measure_lookups.tsv"
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/grounding/measure_lookups.py"),
        tokens_per_batch=lookup("grounding/tokens_per_batch", within=config),
    shell:
        f"{STEP} grounding.measure_lookups"
        " --training={input.training:q}"
        " --pairs={input.pairs:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " --answers={output.answers:q}"
        " 2> {log}"


rule measure_pairs:
    input:
        model=measured_model,
        pairs="results/grounding/pairs.jsonl",
        training="results/grounding/data/train.jsonl",
    output:
        **recorded(measured=directory("results/grounding/measured/{run}")),
    log:
        "logs/grounding/measure_pairs/{run}.log",
    benchmark:
        "benchmarks/results/grounding/measure_pairs/{run}.tsv"
    wildcard_constraints:
        run=any_regex([*TRAINED_RUNS, *BASE_RUNS, *PRETRAINED_RUNS]),
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
        per_category=pairs_per_category,
        mapped_per_category=lookup("grounding/mapped_per_category", within=config),
        tokens_per_batch=lookup("grounding/tokens_per_batch", within=config),
        settings=measured_settings,
    shell:
        f"{STEP} grounding.measure_pairs"
        " --model={input.model:q}"
        " --pairs={input.pairs:q}"
        " --training={input.training:q}"
        " --examples={params.examples:q}"
        " --examples-seed={params.examples_seed:q}"
        " --per-category={params.per_category:q}"
        " --mapped-per-category={params.mapped_per_category:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " --device={params.device:q}"
        " {params.settings}"
        " --measured={output.measured:q}"
        " 2> {log}"


rule attribute_trained:
    input:
        models=expand("results/grounding/models/{run}", run=TRAINED_RUNS),
        pairs="results/grounding/pairs.jsonl",
    output:
        **recorded(attribution="results/grounding/attribution_trained.parquet"),
    log:
        "logs/grounding/attribute_trained.log",
    benchmark:
        "benchmarks/results/grounding/attribute_trained.tsv"
    conda:
        "../envs/models.yaml"
    threads: DEVICE_THREADS
    resources:
        gpu=DEVICE_GPUS,
        mem_mb=memory(4000),
        runtime=60,
    params:
        code=code("scripts/grounding/attribute_trained.py"),
        device=DEVICE,
        per_category=lookup("grounding/matched_pairs_per_category", within=config),
        tokens_per_batch=lookup("grounding/tokens_per_batch", within=config),
    shell:
        f"{STEP} grounding.attribute_trained"
        " --models {input.models:q}"
        " --pairs={input.pairs:q}"
        " --per-category={params.per_category:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " --device={params.device:q}"
        " --attribution={output.attribution:q}"
        " 2> {log}"


# The tables


# These tables depend on no threshold of R1 to R3 or G1 to G5. A rule apart from judge_runs makes
# them, so that an edited threshold does not make them again.
rule summarise_runs:
    input:
        measured=MEASURED,
        models=expand("results/grounding/models/{run}", run=TRAINED_RUNS),
        predictions=expand(
            "results/grounding/predictions/{run}.parquet", run=TRAINED_RUNS
        ),
    output:
        **recorded(
            accuracy="results/grounding/accuracy.parquet",
            trained="results/grounding/trained.parquet",
            behaviour="results/grounding/behaviour.parquet",
            shortcuts="results/grounding/shortcuts.parquet",
            residual_map="results/grounding/residual_map.parquet",
        ),
    log:
        "logs/grounding/summarise_runs.log",
    benchmark:
        "benchmarks/results/grounding/summarise_runs.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/summarise_runs.py"),
        criterion=lookup("grounding/training/criterion", within=config),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{STEP} grounding.summarise_runs"
        " --measured {input.measured:q}"
        " --models {input.models:q}"
        " --predictions {input.predictions:q}"
        " --criterion={params.criterion:q}"
        " --confidence-level={params.confidence_level:q}"
        " --accuracy={output.accuracy:q}"
        " --trained={output.trained:q}"
        " --behaviour={output.behaviour:q}"
        " --shortcuts={output.shortcuts:q}"
        " --residual-map={output.residual_map:q}"
        " 2> {log}"


rule judge_runs:
    input:
        measured=MEASURED,
        truth="results/grounding/truth.parquet",
    output:
        **recorded(
            rules="results/grounding/rules.parquet",
            comparison="results/grounding/comparison.parquet",
            verdict="results/grounding/verdict.parquet",
            rule_sets="results/grounding/rule_sets.parquet",
            drawn="results/grounding/drawn.parquet",
            calibration="results/grounding/calibration.csv",
            categories="results/grounding/categories.parquet",
            block_sets="results/grounding/block_sets.parquet",
            recovery="results/grounding/recovery.parquet",
            # A CSV, whose numbers are rounded: grounding_values copies them into the paper's text.
            reading="results/grounding/reading.csv",
            grid="results/grounding/grid.parquet",
        ),
    log:
        "logs/grounding/judge_runs.log",
    benchmark:
        "benchmarks/results/grounding/judge_runs.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/judge_runs.py", own=OWN_RULES),
        own_rules=OWN_RULES,
        tau=lookup("grounding/tau", within=config),
        alpha=lookup("grounding/alpha", within=config),
        null_quantile=lookup("grounding/null_quantile", within=config),
        unasked_share=lookup("grounding/unasked_share", within=config),
        verdict_share=lookup("grounding/verdict_share", within=config),
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        taus=lookup("grounding/threshold_grid/tau", within=config),
        alphas=lookup("grounding/threshold_grid/alpha", within=config),
        grounded_alphas=lookup("grounding/threshold_grid/grounded_alpha", within=config),
        unasked_shares=lookup("grounding/threshold_grid/unasked_share", within=config),
        null_quantiles=lookup("grounding/threshold_grid/null_quantile", within=config),
        significances=lookup("grounding/threshold_grid/significance", within=config),
        comparison_seed=seed_for("compare_conditions"),
        recovery_seed=seed_for("profile_recovery"),
        reading_seed=seed_for("profile_reading"),
        drawn_seed=seed_for("score_drawn"),
    shell:
        f"{STEP} grounding.judge_runs"
        " --measured {input.measured:q}"
        " --truth={input.truth:q}"
        " --own-rules {params.own_rules:q}"
        " --tau={params.tau:q}"
        " --alpha={params.alpha:q}"
        " --null-quantile={params.null_quantile:q}"
        " --unasked-share={params.unasked_share:q}"
        " --verdict-share={params.verdict_share:q}"
        " --confidence-level={params.confidence_level:q}"
        " --bootstrap-resamples={params.bootstrap_resamples:q}"
        " --taus {params.taus:q}"
        " --alphas {params.alphas:q}"
        " --grounded-alphas {params.grounded_alphas:q}"
        " --unasked-shares {params.unasked_shares:q}"
        " --null-quantiles {params.null_quantiles:q}"
        " --significances {params.significances:q}"
        " --comparison-seed={params.comparison_seed:q}"
        " --recovery-seed={params.recovery_seed:q}"
        " --reading-seed={params.reading_seed:q}"
        " --drawn-seed={params.drawn_seed:q}"
        " --rules={output.rules:q}"
        " --comparison={output.comparison:q}"
        " --verdict={output.verdict:q}"
        " --rule-sets={output.rule_sets:q}"
        " --drawn={output.drawn:q}"
        " --calibration={output.calibration:q}"
        " --categories={output.categories:q}"
        " --block-sets={output.block_sets:q}"
        " --recovery={output.recovery:q}"
        " --reading={output.reading:q}"
        " --grid={output.grid:q}"
        " 2> {log}"


rule localise_reading:
    input:
        measured=[*MEASURED, "results/grounding/measured/matched"],
        attribution=[
            "results/grounding/attribution.parquet",
            "results/grounding/attribution_trained.parquet",
        ],
    output:
        **recorded(
            places="results/grounding/places.parquet",
            localisation="results/grounding/localisation.parquet",
        ),
    log:
        "logs/grounding/localise_reading.log",
    benchmark:
        "benchmarks/results/grounding/localise_reading.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/localise_reading.py"),
        tau=lookup("grounding/tau", within=config),
        alpha=lookup("grounding/alpha", within=config),
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("score_places"),
    shell:
        f"{STEP} grounding.localise_reading"
        " --measured {input.measured:q}"
        " --attribution {input.attribution:q}"
        " --tau={params.tau:q}"
        " --alpha={params.alpha:q}"
        " --confidence-level={params.confidence_level:q}"
        " --bootstrap-resamples={params.bootstrap_resamples:q}"
        " --seed={params.seed:q}"
        " --places={output.places:q}"
        " --localisation={output.localisation:q}"
        " 2> {log}"


# A user's own pairs and logs


rule patch_task:
    input:
        table=task_table,
        model=task_model,
        calibration=RULES_CALIBRATION,
        templates=TASK_TEMPLATES,
    output:
        **recorded(
            verdict="results/grounding/pairs/{task}/verdict.json",
            page="results/grounding/pairs/{task}/index.html",
            lines="results/grounding/pairs/{task}/summary.txt",
        ),
    log:
        "logs/grounding/patch_task/{task}.log",
    benchmark:
        "benchmarks/results/grounding/patch_task/{task}.tsv"
    wildcard_constraints:
        task=any_regex(TASKS),
    conda:
        "../envs/models.yaml"
    threads: 8
    resources:
        gpu=1,
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=code("scripts/grounding/patch_task.py", own=OWN_RULES),
        contents=contents_of(task_table, RULES_CALIBRATION, TASK_TEMPLATES),
        name="{task}",
        label=task_model_label,
        options=task_setting("options", []),
        skip_faulty=task_setting("skip_faulty", False),
        own_rules=OWN_RULES,
        tau=lookup("grounding/tau", within=config),
        alpha=lookup("grounding/alpha", within=config),
        null_quantile=lookup("grounding/null_quantile", within=config),
        unasked_share=lookup("grounding/unasked_share", within=config),
        verdict_share=lookup("grounding/verdict_share", within=config),
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        tokens_per_batch=lookup("grounding/tokens_per_batch", within=config),
        settings=task_model_settings,
        seed=seed_for("patch_task", "{task}"),
    shell:
        f"{STEP} grounding.patch_task"
        " --name={params.name:q}"
        " --label={params.label:q}"
        " --table={input.table:q}"
        " --model={input.model:q}"
        " --calibration={input.calibration:q}"
        " --options {params.options:q}"
        " --skip-faulty={params.skip_faulty:q}"
        " --own-rules {params.own_rules:q}"
        " --tau={params.tau:q}"
        " --alpha={params.alpha:q}"
        " --null-quantile={params.null_quantile:q}"
        " --unasked-share={params.unasked_share:q}"
        " --verdict-share={params.verdict_share:q}"
        " --confidence-level={params.confidence_level:q}"
        " --bootstrap-resamples={params.bootstrap_resamples:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " {params.settings}"
        " --seed={params.seed:q}"
        " --verdict={output.verdict:q}"
        " --page={output.page:q}"
        " --lines={output.lines:q}"
        " 2> {log}"


rule exchange_passages:
    input:
        samples=passages_log,
        model=passages_model,
        templates=PASSAGES_TEMPLATES,
    output:
        **recorded(
            verdict="results/grounding/passages/{logged}/verdict.json",
            page="results/grounding/passages/{logged}/index.html",
            lines="results/grounding/passages/{logged}/summary.txt",
            by_item="results/grounding/passages/{logged}/items.csv",
        ),
    log:
        "logs/grounding/exchange_passages/{logged}.log",
    benchmark:
        "benchmarks/results/grounding/exchange_passages/{logged}.tsv"
    wildcard_constraints:
        logged=any_regex(PASSAGES),
    conda:
        "../envs/models.yaml"
    threads: 8
    resources:
        gpu=1,
        mem_mb=memory(4000),
        runtime=240,
    params:
        code=code("scripts/grounding/exchange_passages.py"),
        contents=contents_of(passages_log, PASSAGES_TEMPLATES),
        name="{logged}",
        label=passages_model_label,
        field=passages_setting("field", ""),
        metric=passages_setting("metric", ""),
        confidence_level=lookup("confidence_level", within=config),
        settings=passages_model_settings,
        seed=seed_for("exchange_passages", "{logged}"),
    shell:
        f"{STEP} grounding.exchange_passages"
        " --name={params.name:q}"
        " --label={params.label:q}"
        " --samples={input.samples:q}"
        " --model={input.model:q}"
        " --field={params.field:q}"
        " --metric={params.metric:q}"
        " --confidence-level={params.confidence_level:q}"
        " {params.settings}"
        " --seed={params.seed:q}"
        " --verdict={output.verdict:q}"
        " --page={output.page:q}"
        " --lines={output.lines:q}"
        " --by-item={output.by_item:q}"
        " 2> {log}"


# The results of `snakemake passages`, and the files of the lines that it prints at its end.
PASSAGES_RESULTS = expand(
    "results/grounding/passages/{logged}/{file}",
    logged=PASSAGES,
    file=["verdict.json", "index.html", "items.csv"],
)
PASSAGES_LINES = expand(
    "results/grounding/passages/{logged}/summary.txt", logged=PASSAGES
)

# The tasks whose model's mechanism the user knows: their entry has a key `reads`.
KNOWN_TASKS = [name for name, task in TASKS.items() if "reads" in task]


def known_blocks(wildcards):
    """A param: for each of `KNOWN_TASKS` the blocks known to read, such as `1 3`, or `unknown`."""
    blocks_of_tasks = []
    for name in KNOWN_TASKS:
        blocks = TASKS[name].get("read_blocks", ["unknown"])
        blocks_of_tasks.append(" ".join(map(str, blocks)))
    return blocks_of_tasks


rule score_known:
    input:
        verdicts=expand("results/grounding/pairs/{task}/verdict.json", task=KNOWN_TASKS),
    output:
        **recorded(
            controls="results/grounding/known/controls.csv",
            rates="results/grounding/known/rates.csv",
            lines="results/grounding/known/summary.txt",
        ),
    log:
        "logs/grounding/score_known.log",
    benchmark:
        "benchmarks/results/grounding/score_known.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/score_known.py"),
        names=KNOWN_TASKS,
        reads=[TASKS[name]["reads"] for name in KNOWN_TASKS],
        blocks=known_blocks,
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{STEP} grounding.score_known"
        " --verdicts {input.verdicts:q}"
        " --names {params.names:q}"
        " --reads {params.reads:q}"
        " --blocks {params.blocks:q}"
        " --confidence-level={params.confidence_level:q}"
        " --controls={output.controls:q}"
        " --rates={output.rates:q}"
        " --lines={output.lines:q}"
        " 2> {log}"


# The results of `snakemake pairs`, and the files of the lines that it prints at its end.
TASK_RESULTS = expand(
    "results/grounding/pairs/{task}/{file}",
    task=TASKS,
    file=["verdict.json", "index.html"],
)
TASK_LINES = expand("results/grounding/pairs/{task}/summary.txt", task=TASKS)
if KNOWN_TASKS:
    TASK_RESULTS += [rules.score_known.output.controls, rules.score_known.output.rates]
    TASK_LINES.append(rules.score_known.output.lines)
