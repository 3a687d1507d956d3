"""Models that the default run lacks: masked ones, whose read block is known, and a ladder of sizes; each as one row."""

RUNGS = {rung["name"]: rung for rung in config["grounding"]["ladder"]["rungs"]}
RUNG = "results/grounding/ladder/{run}"


def rung(key):
    """A param: a size of the rung."""
    return lambda wildcards: RUNGS[wildcards.run][key]


use rule judge_runs as judge_full_runs with:
    input:
        rules=measurements("rules", FULL_RUNS),
        answers=measurements("answers", FULL_RUNS),
        cuts=measurements("cuts", FULL_RUNS),
    output:
        verdict="results/grounding/full/verdict.csv",
        rule_sets="results/grounding/full/rule_sets.csv",
        categories="results/grounding/full/categories.csv",
        block_sets="results/grounding/full/block_sets.csv",
        provenance=expand(
            "results/grounding/full/{table}.provenance.json", table=VERDICTS
        ),
    log:
        "logs/grounding/judge_full_runs.log",
    benchmark:
        "benchmarks/results/grounding/judge_full_runs.tsv"


use rule profile_reading as profile_full_reading with:
    input:
        cuts=measurements("cuts", FULL_RUNS),
        answers=measurements("answers", FULL_RUNS),
        residual_maps=measurements("residual_maps", FULL_RUNS),
    output:
        reading="results/grounding/full/reading.csv",
        behaviour="results/grounding/full/behaviour.csv",
        residual_map="results/grounding/full/residual_map.csv",
        provenance=expand(
            "results/grounding/full/{table}.provenance.json", table=READINGS
        ),
    log:
        "logs/grounding/profile_full_reading.log",
    benchmark:
        "benchmarks/results/grounding/profile_full_reading.tsv"


rule describe_subject:
    input:
        model="results/grounding/models/{run}",
        training_time="benchmarks/results/grounding/train_masked_model/{run}.tsv",
        rules="results/grounding/rules/{run}.parquet",
        answers="results/grounding/answers/{run}.parquet",
        cuts="results/grounding/cuts/{run}.parquet",
    output:
        row="results/grounding/subjects/{run}.csv",
        provenance="results/grounding/subjects/{run}.provenance.json",
    log:
        "logs/grounding/describe_subject/{run}.log",
    benchmark:
        "benchmarks/results/grounding/describe_subject/{run}.tsv"
    wildcard_constraints:
        run=one_of(MASKED_RUNS),
    conda:
        "../envs/models.yaml"
    params:
        code=code("scripts/grounding/describe_subject.py"),
        tables=lookup("grounding/data/tables", within=config),
        fields=lookup("grounding/data/fields", within=config),
        max_columns=lookup("grounding/data/max_columns", within=config),
        tau=lookup("grounding/tau", within=config),
        alpha=lookup("grounding/alpha", within=config),
        verdict_share=lookup("grounding/verdict_share", within=config),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.describe_subject "
        "--model {input.model:q} --training-time {input.training_time:q} "
        "--rules {input.rules:q} --answers {input.answers:q} --cuts {input.cuts:q} --tables {params.tables} "
        "--fields {params.fields} --max-columns {params.max_columns} --tau {params.tau} --alpha {params.alpha} "
        "--verdict-share {params.verdict_share} --confidence-level {params.confidence_level} --out {output.row} 2> {log}"


rule gather_subjects:
    input:
        subjects=expand("results/grounding/subjects/{run}.csv", run=MASKED_RUNS),
    output:
        table="results/grounding/masked.csv",
        provenance="results/grounding/masked.provenance.json",
    log:
        "logs/grounding/gather_subjects.log",
    benchmark:
        "benchmarks/results/grounding/gather_subjects.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/gather_subjects.py"),
    shell:
        f"{ENVIRONMENT} python -m scripts.grounding.gather_subjects "
        "--subjects {input.subjects:q} --out {output.table} 2> {log}"


# The ladder: the steps of one trained model, from the data on, in a folder for each rung.


use rule generate_sql as generate_ladder_sql with:
    output:
        rows=f"{RUNG}/data/{{split}}.jsonl",
        provenance=f"{RUNG}/data/{{split}}.provenance.json",
    log:
        "logs/grounding/generate_ladder_sql/{run}-{split}.log",
    benchmark:
        "benchmarks/results/grounding/generate_ladder_sql/{run}-{split}.tsv"
    wildcard_constraints:
        run=one_of(RUNGS),
        split=one_of(SPLITS),
    params:
        tables=rung("tables"),
        fields=rung("fields"),
        max_columns=rung("max_columns"),


use rule initialise_model as initialise_ladder_model with:
    input:
        training=f"{RUNG}/data/train.jsonl",
        vocabulary=VOCABULARY,
    output:
        model=directory(f"{RUNG}/base"),
        provenance=f"{RUNG}/base.provenance.json",
    log:
        "logs/grounding/initialise_ladder_model/{run}.log",
    benchmark:
        "benchmarks/results/grounding/initialise_ladder_model/{run}.tsv"
    wildcard_constraints:
        run=one_of(RUNGS),
    params:
        name="{run}",
        tables=rung("tables"),
        fields=rung("fields"),
        n_layers=rung("n_layers"),
        d_model=rung("d_model"),
        n_heads=rung("n_heads"),
        context_length=lookup("grounding/ladder/context_length", within=config),
        seed=seed_for("initialise_model", "{run}"),


use rule train_model as train_ladder_model with:
    input:
        base=f"{RUNG}/base",
        training=f"{RUNG}/data/train.jsonl",
        held_out=f"{RUNG}/data/valid.jsonl",
    output:
        model=directory(f"{RUNG}/model"),
        provenance=f"{RUNG}/model.provenance.json",
    log:
        "logs/grounding/train_ladder_model/{run}.log",
    benchmark:
        "benchmarks/results/grounding/train_ladder_model/{run}.tsv"
    wildcard_constraints:
        run=one_of(RUNGS),
    params:
        condition="schema",
        steps=rung("steps"),
        learning_rate=rung("learning_rate"),
        evaluate_every=lookup("grounding/ladder/evaluate_every", within=config),
        seed=seed_for("train_model", "{run}"),
        checkpoints="results/grounding/checkpoints/ladder-{run}",


use rule make_pairs as make_ladder_pairs with:
    input:
        training=f"{RUNG}/data/train.jsonl",
        base=f"{RUNG}/base",
    output:
        pairs=f"{RUNG}/pairs.jsonl",
        provenance=f"{RUNG}/pairs.provenance.json",
    log:
        "logs/grounding/make_ladder_pairs/{run}.log",
    benchmark:
        "benchmarks/results/grounding/make_ladder_pairs/{run}.tsv"
    wildcard_constraints:
        run=one_of(RUNGS),


use rule measure_pairs as measure_ladder_pairs with:
    input:
        model=f"{RUNG}/model",
        pairs=f"{RUNG}/pairs.jsonl",
        training=f"{RUNG}/data/train.jsonl",
    output:
        patching=f"{RUNG}/patching.parquet",
        cuts=f"{RUNG}/cuts.parquet",
        answers=f"{RUNG}/answers.parquet",
        thirds=f"{RUNG}/thirds.parquet",
        residual_map=f"{RUNG}/residual_map.parquet",
        provenance=expand(
            f"{RUNG}/{{kind}}.provenance.json",
            kind=["patching", "cuts", "answers", "thirds", "residual_map"],
            allow_missing=True,
        ),
    log:
        "logs/grounding/measure_ladder_pairs/{run}.log",
    benchmark:
        "benchmarks/results/grounding/measure_ladder_pairs/{run}.tsv"
    wildcard_constraints:
        run=one_of(RUNGS),
    params:
        examples=0,
        per_category=lookup("grounding/pairs_per_category", within=config),
        modes=["denoise"],


use rule apply_rules as apply_ladder_rules with:
    input:
        patching=f"{RUNG}/patching.parquet",
        cuts=f"{RUNG}/cuts.parquet",
        answers=f"{RUNG}/answers.parquet",
        thirds=f"{RUNG}/thirds.parquet",
    output:
        rules=f"{RUNG}/rules.parquet",
        provenance=f"{RUNG}/rules.provenance.json",
    log:
        "logs/grounding/apply_ladder_rules/{run}.log",
    benchmark:
        "benchmarks/results/grounding/apply_ladder_rules/{run}.tsv"
    wildcard_constraints:
        run=one_of(RUNGS),


use rule describe_subject as describe_rung with:
    input:
        model=f"{RUNG}/model",
        training_time="benchmarks/results/grounding/train_ladder_model/{run}.tsv",
        rules=f"{RUNG}/rules.parquet",
        answers=f"{RUNG}/answers.parquet",
        cuts=f"{RUNG}/cuts.parquet",
    output:
        row=f"{RUNG}/subject.csv",
        provenance=f"{RUNG}/subject.provenance.json",
    log:
        "logs/grounding/describe_rung/{run}.log",
    benchmark:
        "benchmarks/results/grounding/describe_rung/{run}.tsv"
    wildcard_constraints:
        run=one_of(RUNGS),
    params:
        tables=rung("tables"),
        fields=rung("fields"),
        max_columns=rung("max_columns"),


use rule gather_subjects as gather_ladder with:
    input:
        subjects=expand(f"{RUNG}/subject.csv", run=RUNGS),
    output:
        table="results/grounding/ladder.csv",
        provenance="results/grounding/ladder.provenance.json",
    log:
        "logs/grounding/gather_ladder.log",
    benchmark:
        "benchmarks/results/grounding/gather_ladder.tsv"
