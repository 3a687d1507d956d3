"""The grounding study where the schema is needed: a word may mean two fields, a schema holds one.

Rules of grounding.smk are used again on other data, with results in a folder of their own. A param
that is not named here keeps its value. The vocabulary is the same, so models start from the same
bases, with the same tokens. `grounding/schema_needed` gives the seeds; by default there are none.
"""

NEEDED = "results/grounding/schema_needed"
NEEDED_RUNS = expand(
    "{condition}-s{number}",
    number=config["grounding"]["schema_needed"],
    condition=CONDITIONS,
)


def needed_as_long_as(wildcards):
    """An input: as `trained_as_long_as`, but a model that is trained on these data."""
    models = trained_as_long_as(wildcards)
    return [model.replace("results/grounding", NEEDED) for model in models]


use rule generate_sql as generate_needed_sql with:
    output:
        **recorded(out=f"{NEEDED}/data/{{split}}.jsonl"),
    log:
        "logs/grounding/generate_needed_sql/{split}.log",
    benchmark:
        "benchmarks/results/grounding/generate_needed_sql/{split}.tsv"
    wildcard_constraints:
        split=any_regex(SPLITS),
    params:
        field_synonym_probability=1,
        shared_words=True,


use rule make_pairs as make_needed_pairs with:
    input:
        training=f"{NEEDED}/data/train.jsonl",
        base=BASE_MODEL,
    output:
        **recorded(pairs=f"{NEEDED}/pairs.jsonl"),
    log:
        "logs/grounding/make_needed_pairs.log",
    benchmark:
        "benchmarks/results/grounding/make_needed_pairs.tsv"


use rule train_model as train_needed_model with:
    input:
        base=(
            f"results/grounding/models/{BASE}-s{{number}}"
            if READS_STORIES
            else BASE_MODEL
        ),
        training=f"{NEEDED}/data/train.jsonl",
        held_out=f"{NEEDED}/data/valid.jsonl",
        as_long_as=needed_as_long_as,
    output:
        **recorded(model=directory(f"{NEEDED}/models/{{condition}}-s{{number}}")),
    log:
        "logs/grounding/train_needed_model/{condition}-s{number}.log",
    benchmark:
        "benchmarks/results/grounding/train_needed_model/{condition}-s{number}.tsv"
    wildcard_constraints:
        condition=any_regex(CONDITIONS),
        number=r"\d+",
    params:
        checkpoints=f"{NEEDED}/checkpoints/{{condition}}-s{{number}}",


use rule decode_sql as decode_needed_sql with:
    input:
        model=f"{NEEDED}/models/{{trained_run}}",
        test=f"{NEEDED}/data/test.jsonl",
    output:
        **recorded(predictions=f"{NEEDED}/predictions/{{trained_run}}.parquet"),
    log:
        "logs/grounding/decode_needed_sql/{trained_run}.log",
    benchmark:
        "benchmarks/results/grounding/decode_needed_sql/{trained_run}.tsv"
    wildcard_constraints:
        trained_run=any_regex(NEEDED_RUNS),


use rule measure_pairs as measure_needed_pairs with:
    input:
        model=f"{NEEDED}/models/{{run}}",
        pairs=f"{NEEDED}/pairs.jsonl",
        training=f"{NEEDED}/data/train.jsonl",
    output:
        **recorded(measured=directory(f"{NEEDED}/measured/{{run}}")),
    log:
        "logs/grounding/measure_needed_pairs/{run}.log",
    benchmark:
        "benchmarks/results/grounding/measure_needed_pairs/{run}.tsv"
    wildcard_constraints:
        run=any_regex(NEEDED_RUNS),
    # The values that measure_pairs has for models that this workflow trains.
    params:
        examples=0,
        per_category=lookup("grounding/pairs_per_category", within=config),
        settings="",


rule contrast_needed:
    input:
        measured=expand(f"{NEEDED}/measured/{{run}}", run=NEEDED_RUNS),
        models=expand(f"{NEEDED}/models/{{run}}", run=NEEDED_RUNS),
        predictions=expand(f"{NEEDED}/predictions/{{run}}.parquet", run=NEEDED_RUNS),
    output:
        **recorded(contrast=f"{NEEDED}/contrast.parquet"),
    log:
        "logs/grounding/contrast_needed.log",
    benchmark:
        "benchmarks/results/grounding/contrast_needed.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/contrast_needed.py"),
        tau=lookup("grounding/tau", within=config),
        alpha=lookup("grounding/alpha", within=config),
        null_quantile=lookup("grounding/null_quantile", within=config),
        unasked_share=lookup("grounding/unasked_share", within=config),
        criterion=lookup("grounding/training/criterion", within=config),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{STEP} grounding.contrast_needed"
        " --measured {input.measured:q}"
        " --models {input.models:q}"
        " --predictions {input.predictions:q}"
        " --tau={params.tau:q}"
        " --alpha={params.alpha:q}"
        " --null-quantile={params.null_quantile:q}"
        " --unasked-share={params.unasked_share:q}"
        " --criterion={params.criterion:q}"
        " --confidence-level={params.confidence_level:q}"
        " --contrast={output.contrast:q}"
        " 2> {log}"
