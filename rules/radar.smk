"""The RADAR study: features, ensemble, predictions, scores and the summaries behind tables and figures."""

RADAR_MODELS = config["radar"]["models"]
RADAR_TRAIN = config["radar"]["train"]
RADAR_EVALUATE = config["radar"]["evaluate"]
RADAR_SETS = [RADAR_TRAIN, *RADAR_EVALUATE]
REDUCTIONS = ["sum", "mean"]
REPORTED = config["radar"]["attention_entropy_reduction"]
REPORTED_FEATURES = f"results/radar/{{model}}/features/{{prompts}}.{REPORTED}.parquet"
TRAINING_FEATURES = REPORTED_FEATURES.replace("{prompts}", RADAR_TRAIN)
RADAR = Study(
    title="RADAR",
    wildcards={
        "model": RADAR_MODELS,
        "training": [RADAR_TRAIN],
        "evaluated": RADAR_EVALUATE,
        "prompts": RADAR_SETS,
    },
    given={"model_labels": model_labels(RADAR_MODELS)},
    environments={"figures": "figures", "tables": "stats"},
)


wildcard_constraints:
    model="(?!suspected/)[A-Za-z0-9][A-Za-z0-9._-]*",  # results/radar/suspected holds benchmarks
    prompts="[A-Za-z0-9][A-Za-z0-9_-]*",


def radar_results(stem, sets=RADAR_EVALUATE):
    """One file per model of the study and prompt set: results/radar/{model}/{stem} with {prompts} filled in."""
    return expand(f"results/radar/{{model}}/{stem}", model=RADAR_MODELS, prompts=sets)


def of_each_set(stem, sets):
    """One file of a model for each prompt set: results/radar/{model}/{stem} with {prompts} filled in."""
    return expand(f"results/radar/{{model}}/{stem}", prompts=sets, allow_missing=True)


def features_of_each(sets):
    """An input: the features of each prompt set, under the reported reduction of attention entropies."""
    return expand(REPORTED_FEATURES, prompts=sets, allow_missing=True)


def features_under_both(prompts):
    """An input: the features of a prompt set under each reduction."""
    return expand(
        f"results/radar/{{model}}/features/{prompts}.{{reduction}}.parquet",
        reduction=REDUCTIONS,
        allow_missing=True,
    )


def predictions_of(sets):
    """An input: the predictions of each set, held-out ones of the training set, the trained ensemble's of any other."""
    return [
        f"results/radar/{{model}}/{'cross_validation.csv' if name == RADAR_TRAIN else f'predictions/{name}.parquet'}"
        for name in sets
    ]


def seeds_for(draw, sets):
    """A param: the seed of a model's random draw in each prompt set."""
    return lambda wildcards: [
        derive_seed(config["seed"], draw, wildcards.model, name) for name in sets
    ]


rule extract_features:
    input:
        activations="results/activations/{model}/{prompts}",
        prompts=prompts_csv("{prompts}"),
    output:
        sum="results/radar/{model}/features/{prompts}.sum.parquet",
        mean="results/radar/{model}/features/{prompts}.mean.parquet",
        provenance=expand(
            "results/radar/{{model}}/features/{{prompts}}.{reduction}.provenance.json",
            reduction=REDUCTIONS,
        ),
    log:
        "logs/radar/extract_features/{model}/{prompts}.log",
    benchmark:
        "benchmarks/results/radar/extract_features/{model}/{prompts}.tsv"
    conda:
        "../envs/models.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=30,
    params:
        code=code("scripts/radar/extract_features.py"),
        specialised_head_entropy=lookup("radar/specialised_head_entropy", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.extract_features "
        "--activations {input.activations:q} --prompts {input.prompts:q} "
        "--specialised-head-entropy {params.specialised_head_entropy} --sum {output.sum} --mean {output.mean} 2> {log}"


rule train_ensemble:
    input:
        features=TRAINING_FEATURES,
    output:
        ensemble="results/radar/{model}/ensemble.skops",
        provenance="results/radar/{model}/ensemble.provenance.json",
    log:
        "logs/radar/train_ensemble/{model}.log",
    benchmark:
        "benchmarks/results/radar/train_ensemble/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/train_ensemble.py"),
        seed=seed_for("train_ensemble", "{model}"),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.train_ensemble "
        "--features {input.features:q} --seed {params.seed} --out {output.ensemble} 2> {log}"


rule cross_validate:
    input:
        features=TRAINING_FEATURES,
    output:
        predictions="results/radar/{model}/cross_validation.csv",
        provenance="results/radar/{model}/cross_validation.provenance.json",
    log:
        "logs/radar/cross_validate/{model}.log",
    benchmark:
        "benchmarks/results/radar/cross_validate/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/cross_validate.py"),
        folds=lookup("radar/folds", within=config),
        seed=seed_for("cross_validate", "{model}"),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.cross_validate "
        "--features {input.features:q} --folds {params.folds} --seed {params.seed} --out {output.predictions} 2> {log}"


rule predict:
    input:
        ensemble="results/radar/{model}/ensemble.skops",
        features=features_of_each(RADAR_EVALUATE),
    output:
        predictions=of_each_set("predictions/{prompts}.parquet", RADAR_EVALUATE),
        provenance=of_each_set("predictions/{prompts}.provenance.json", RADAR_EVALUATE),
    log:
        "logs/radar/predict/{model}.log",
    benchmark:
        "benchmarks/results/radar/predict/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/predict.py"),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.predict "
        "--ensemble {input.ensemble:q} --features {input.features:q} --out {output.predictions} 2> {log}"


rule score_prompts:
    input:
        training=TRAINING_FEATURES,
        features=features_of_each(RADAR_EVALUATE),
        weights=repo("config/radar_scores.csv"),
    output:
        scores=of_each_set("scores/{prompts}.csv", RADAR_EVALUATE),
        provenance=of_each_set("scores/{prompts}.provenance.json", RADAR_EVALUATE),
    log:
        "logs/radar/score_prompts/{model}.log",
    benchmark:
        "benchmarks/results/radar/score_prompts/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/score_prompts.py"),
        prompt_sets=RADAR_EVALUATE,
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.score_prompts "
        "--model {wildcards.model} --prompt-sets {params.prompt_sets} "
        "--training {input.training:q} --features {input.features:q} --weights {input.weights:q} "
        "--out {output.scores} 2> {log}"


rule evaluate_controls:
    input:
        training=features_under_both(RADAR_TRAIN),
        features=features_under_both("{prompts}"),
        training_prompts=prompts_csv(RADAR_TRAIN),
        prompts=prompts_csv("{prompts}"),
    output:
        predictions="results/radar/{model}/controls/{prompts}.csv",
        spread="results/radar/{model}/spread/{prompts}.csv",
        provenance=expand(
            "results/radar/{{model}}/{folder}/{{prompts}}.provenance.json",
            folder=["controls", "spread"],
        ),
    log:
        "logs/radar/evaluate_controls/{model}/{prompts}.log",
    benchmark:
        "benchmarks/results/radar/evaluate_controls/{model}/{prompts}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/evaluate_controls.py"),
        folds=lookup("radar/folds", within=config),
        seed=seed_for("train_ensemble", "{model}"),
        fold_seed=seed_for("cross_validate", "{model}"),
        spread_seeds=lookup("radar/spread_seeds", within=config),
        spread_seed=seed_for("repeat_seeds", "{model}"),  # another name would change the draws
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.evaluate_controls "
        "--training {input.training:q} --features {input.features:q} --training-prompts {input.training_prompts:q} --prompts {input.prompts:q} "
        "--folds {params.folds} --seed {params.seed} --fold-seed {params.fold_seed} "
        "--spread-seeds {params.spread_seeds} --spread-seed {params.spread_seed} "
        "--predictions {output.predictions} --spread {output.spread} 2> {log}"


rule permute_labels:
    input:
        features=REPORTED_FEATURES,
        prompts=prompts_csv("{prompts}"),
    output:
        permutations="results/radar/{model}/permutations/{prompts}.csv",
        provenance="results/radar/{model}/permutations/{prompts}.provenance.json",
    log:
        "logs/radar/permute_labels/{model}/{prompts}.log",
    benchmark:
        "benchmarks/results/radar/permute_labels/{model}/{prompts}.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        runtime=120,
    params:
        code=code("scripts/radar/permute_labels.py"),
        folds=lookup("radar/folds", within=config),
        permutations=lookup("radar/permutations", within=config),
        seed=seed_for("permute_labels", "{model}", "{prompts}"),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.permute_labels "
        "--model {wildcards.model} --prompt-set {wildcards.prompts} --features {input.features:q} --prompts {input.prompts:q} --folds {params.folds} "
        "--permutations {params.permutations} --seed {params.seed} --out {output.permutations} 2> {log}"


rule answer_prompts:
    input:
        model="results/models/{model}",
        prompts=prompts_csv("{prompts}"),
    output:
        answers="results/radar/{model}/answers/{prompts}.csv",
        provenance="results/radar/{model}/answers/{prompts}.provenance.json",
    log:
        "logs/radar/answer_prompts/{model}/{prompts}.log",
    benchmark:
        "benchmarks/results/radar/answer_prompts/{model}/{prompts}.tsv"
    conda:
        "../envs/models.yaml"
    threads: 8
    resources:
        gpu=1,
        mem_mb=memory(4000),
        runtime=60,
    params:
        code=code("scripts/radar/answer_prompts.py"),
        answer_tokens=lookup("radar/answer_tokens", within=config),
        tokens_per_batch=lookup("capture/tokens_per_batch", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.answer_prompts "
        "--model {input.model:q} --prompts {input.prompts:q} --answer-tokens {params.answer_tokens} --tokens-per-batch {params.tokens_per_batch} "
        "--out {output.answers} 2> {log}"


rule summarise_performance:
    input:
        predictions=predictions_of(RADAR_SETS),
    output:
        performance="results/radar/{model}/performance.csv",
        provenance="results/radar/{model}/performance.provenance.json",
    log:
        "logs/radar/summarise_performance/{model}.log",
    benchmark:
        "benchmarks/results/radar/summarise_performance/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_performance.py"),
        prompt_sets=RADAR_SETS,
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seeds=seeds_for("draw_prompts", RADAR_SETS),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.summarise_performance "
        "--model {wildcards.model} --prompt-sets {params.prompt_sets} "
        "--predictions {input.predictions:q} --confidence-level {params.confidence_level} "
        "--bootstrap-resamples {params.bootstrap_resamples} "
        "--seeds {params.seeds} --out {output.performance} 2> {log}"


rule summarise_controls:
    input:
        predictions=of_each_set("controls/{prompts}.csv", RADAR_EVALUATE),
        spread=of_each_set("spread/{prompts}.csv", RADAR_EVALUATE),
        permutations=of_each_set("permutations/{prompts}.csv", RADAR_EVALUATE),
    output:
        comparison="results/radar/{model}/comparison.csv",
        provenance="results/radar/{model}/comparison.provenance.json",
    log:
        "logs/radar/summarise_controls/{model}.log",
    benchmark:
        "benchmarks/results/radar/summarise_controls/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_controls.py"),
        prompt_sets=RADAR_EVALUATE,
        attention_entropy_reduction=lookup(
            "radar/attention_entropy_reduction", within=config
        ),
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seeds=seeds_for("draw_prompts", RADAR_EVALUATE),  # as in summarise_performance, so that equal numbers get equal intervals
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.summarise_controls "
        "--model {wildcards.model} --prompt-sets {params.prompt_sets} "
        "--predictions {input.predictions:q} --spread {input.spread:q} --permutations {input.permutations:q} "
        "--attention-entropy-reduction {params.attention_entropy_reduction} "
        "--confidence-level {params.confidence_level} --bootstrap-resamples {params.bootstrap_resamples} "
        "--seeds {params.seeds} --out {output.comparison} 2> {log}"


rule summarise_features:
    input:
        features=features_of_each(RADAR_SETS),
    output:
        discrimination="results/radar/{model}/discrimination.csv",
        provenance="results/radar/{model}/discrimination.provenance.json",
    log:
        "logs/radar/summarise_features/{model}.log",
    benchmark:
        "benchmarks/results/radar/summarise_features/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_features.py"),
        prompt_sets=RADAR_SETS,
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seeds=seeds_for("draw_prompts", RADAR_SETS),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.summarise_features "
        "--model {wildcards.model} --prompt-sets {params.prompt_sets} --features {input.features:q} --confidence-level {params.confidence_level} "
        "--bootstrap-resamples {params.bootstrap_resamples} --seeds {params.seeds} --out {output.discrimination} 2> {log}"


rule summarise_answers:
    input:
        answers=of_each_set("answers/{prompts}.csv", RADAR_SETS),
        predictions=predictions_of(RADAR_SETS),
    output:
        counts="results/radar/{model}/answer_counts.csv",
        provenance="results/radar/{model}/answer_counts.provenance.json",
    log:
        "logs/radar/summarise_answers/{model}.log",
    benchmark:
        "benchmarks/results/radar/summarise_answers/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_answers.py"),
        prompt_sets=RADAR_SETS,
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.summarise_answers "
        "--model {wildcards.model} --prompt-sets {params.prompt_sets} "
        "--answers {input.answers:q} --predictions {input.predictions:q} --confidence-level {params.confidence_level} "
        "--out {output.counts} 2> {log}"


rule summarise_scores:
    input:
        scores=of_each_set("scores/{prompts}.csv", RADAR_EVALUATE),
    output:
        means="results/radar/{model}/score_means.csv",
        provenance="results/radar/{model}/score_means.provenance.json",
    log:
        "logs/radar/summarise_scores/{model}.log",
    benchmark:
        "benchmarks/results/radar/summarise_scores/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_scores.py"),
        prompt_sets=RADAR_EVALUATE,
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seeds=seeds_for("summarise_scores", RADAR_EVALUATE),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.summarise_scores "
        "--model {wildcards.model} --prompt-sets {params.prompt_sets} --scores {input.scores:q} "
        "--confidence-level {params.confidence_level} --bootstrap-resamples {params.bootstrap_resamples} "
        "--seeds {params.seeds} --out {output.means} 2> {log}"


rule correlate_features:
    input:
        features=features_of_each(RADAR_SETS),
    output:
        correlation="results/radar/{model}/correlation.csv",
        provenance="results/radar/{model}/correlation.provenance.json",
    log:
        "logs/radar/correlate_features/{model}.log",
    benchmark:
        "benchmarks/results/radar/correlate_features/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/correlate_features.py"),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.correlate_features "
        "--model {wildcards.model} --features {input.features:q} --out {output.correlation} 2> {log}"


rule count_redundancy:
    input:
        features=features_of_each(RADAR_SETS),
    output:
        redundancy="results/radar/{model}/redundancy.csv",
        provenance="results/radar/{model}/redundancy.provenance.json",
    log:
        "logs/radar/count_redundancy/{model}.log",
    benchmark:
        "benchmarks/results/radar/count_redundancy/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/count_redundancy.py"),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.count_redundancy "
        "--model {wildcards.model} --features {input.features:q} --out {output.redundancy} 2> {log}"


rule correlate_length:
    input:
        sum=expand(
            "results/radar/{{model}}/features/{prompts}.sum.parquet",
            prompts=RADAR_SETS,
        ),
        mean=expand(
            "results/radar/{{model}}/features/{prompts}.mean.parquet",
            prompts=RADAR_SETS,
        ),
    output:
        correlation="results/radar/{model}/length_correlation.csv",
        provenance="results/radar/{model}/length_correlation.provenance.json",
    log:
        "logs/radar/correlate_length/{model}.log",
    benchmark:
        "benchmarks/results/radar/correlate_length/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/correlate_length.py"),
        prompt_sets=RADAR_SETS,
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("correlate_length", "{model}"),
    shell:
        f"{ENVIRONMENT} python -m scripts.radar.correlate_length "
        "--model {wildcards.model} --prompt-sets {params.prompt_sets} "
        "--sum {input.sum:q} --mean {input.mean:q} --confidence-level {params.confidence_level} "
        "--bootstrap-resamples {params.bootstrap_resamples} --seed {params.seed} --out {output.correlation} 2> {log}"
