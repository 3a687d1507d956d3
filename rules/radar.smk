"""The RADAR study: does a model recall or reason, by features of its activations?

For each model, these rules make the files in results/radar/{model}. The activations are in
results/activations/{model} (models.smk). In the order of the rules:

    extract_features: activations -> features
        The features of each prompt set under each reduction of attention entropy.
    classify_prompts: features -> ensemble, cross_validation, predictions, scores
        The ensemble, fitted on the training set and cross-validated there; its predictions and
        scores of the evaluated sets.
    evaluate_controls: features -> controls, spread
        RADAR and simpler classifiers on the same splits, once and under several seeds (spread).
    permute_labels: features -> permutations
        The accuracy under permuted labels.
    answer_prompts: the model -> answers
        The model's continuations of the prompts, and whether they are right.
    summarise_predictions: cross_validation, predictions, scores, answers
                           -> performance, answer_counts, score_means
    summarise_controls: controls, spread, permutations -> comparison
    summarise_features: features -> discrimination, correlation, redundancy
        Single features, and how redundant they are.
    correlate_length: features -> length_correlation
        The correlation of attention entropy with the length of prompts.
    compare_same_words: features, answers, comparison, performance, answer_counts -> same_words
        RADAR on pairs of prompts with the same words in another order.

Functions that are not defined here come from common.smk and models.smk.
"""

RADAR_MODELS = config["radar"]["models"]
RADAR_TRAIN = config["radar"]["train"]
RADAR_EVALUATE = config["radar"]["evaluate"]
RADAR_SETS = [RADAR_TRAIN, *RADAR_EVALUATE]
REDUCTIONS = ["sum", "mean"]
# The reduction of the attention entropies under which the ensemble is fitted and the paper reports.
CHOSEN_REDUCTION = config["radar"]["attention_entropy_reduction"]
RADAR = Study(
    title="RADAR",
    wildcards={
        "model": RADAR_MODELS,
        "training": [RADAR_TRAIN],
        "evaluated": RADAR_EVALUATE,
        "prompts": RADAR_SETS,
    },
    parameters={"model_labels": model_labels(RADAR_MODELS)},
    environments={"figures": "figures", "tables": "stats"},
    pages=[
        # How often verdicts on memorisation are wrong, measured on planted names (memorisation.smk)
        # and on planted docstrings (docstrings.smk).
        "results/radar/memorisation/calibration.csv",
        "results/radar/memorisation/natural/calibration.csv",
    ],
)


wildcard_constraints:
    # results/radar/suspected holds benchmarks, not a model.
    model="(?!suspected/)[A-Za-z0-9][A-Za-z0-9._-]*",
    # A prompt set's name has no dot: in features/{prompts}.sum.parquet it ends before `.sum`.
    prompts="[A-Za-z0-9][A-Za-z0-9_-]*",


def model_results(stem, sets):
    """A file of each prompt set: results/radar/{model}/{stem}, where {model} stays a wildcard."""
    return expand(f"results/radar/{{model}}/{stem}", prompts=sets, allow_missing=True)


def radar_results(stem, sets=RADAR_EVALUATE):
    """As `model_results`, for each model: results/radar/{model}/{stem}, without wildcards."""
    return expand(f"results/radar/{{model}}/{stem}", model=RADAR_MODELS, prompts=sets)


def seeds_for(draw, sets):
    """A param: the seed of a model's random draw in each prompt set."""

    def seeds(wildcards):
        return [
            derive_seed(config["seed"], draw, wildcards.model, name) for name in sets
        ]

    return seeds


def features_by_reduction(prompts):
    """An input: the features of a prompt set under each reduction."""
    return expand(
        f"results/radar/{{model}}/features/{prompts}.{{reduction}}.parquet",
        reduction=REDUCTIONS,
        allow_missing=True,
    )


rule extract_features:
    input:
        activations="results/activations/{model}/{prompts}",
        prompts=prompts_csv("{prompts}"),
    output:
        **recorded(
            entropy_sum="results/radar/{model}/features/{prompts}.sum.parquet",
            entropy_mean="results/radar/{model}/features/{prompts}.mean.parquet",
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
        contents=contents_of(prompts_csv("{prompts}")),
        specialised_head_entropy=lookup("radar/specialised_head_entropy", within=config),
    shell:
        f"{STEP} radar.extract_features"
        " --activations={input.activations:q}"
        " --prompts={input.prompts:q}"
        " --specialised-head-entropy={params.specialised_head_entropy:q}"
        " --entropy-sum={output.entropy_sum:q}"
        " --entropy-mean={output.entropy_mean:q}"
        " 2> {log}"


rule classify_prompts:
    input:
        training=model_results(
            f"features/{{prompts}}.{CHOSEN_REDUCTION}.parquet", [RADAR_TRAIN]
        ),
        features=model_results(
            f"features/{{prompts}}.{CHOSEN_REDUCTION}.parquet", RADAR_EVALUATE
        ),
        weights=repo("config/radar_scores.csv"),
    output:
        **recorded(
            ensemble="results/radar/{model}/ensemble.skops",
            cross_validation="results/radar/{model}/cross_validation.parquet",
            predictions=model_results("predictions/{prompts}.parquet", RADAR_EVALUATE),
            scores=model_results("scores/{prompts}.parquet", RADAR_EVALUATE),
        ),
    log:
        "logs/radar/classify_prompts/{model}.log",
    benchmark:
        "benchmarks/results/radar/classify_prompts/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/classify_prompts.py"),
        contents=contents_of(repo("config/radar_scores.csv")),
        model="{model}",
        prompt_sets=RADAR_EVALUATE,
        folds=lookup("radar/folds", within=config),
        seed=seed_for("train_ensemble", "{model}"),
        fold_seed=seed_for("cross_validate", "{model}"),
    shell:
        f"{STEP} radar.classify_prompts"
        " --model={params.model:q}"
        " --prompt-sets {params.prompt_sets:q}"
        " --training={input.training:q}"
        " --features {input.features:q}"
        " --weights={input.weights:q}"
        " --folds={params.folds:q}"
        " --seed={params.seed:q}"
        " --fold-seed={params.fold_seed:q}"
        " --ensemble={output.ensemble:q}"
        " --cross-validation={output.cross_validation:q}"
        " --predictions {output.predictions:q}"
        " --scores {output.scores:q}"
        " 2> {log}"


rule evaluate_controls:
    input:
        training=features_by_reduction(RADAR_TRAIN),
        features=features_by_reduction("{prompts}"),
        training_prompts=prompts_csv(RADAR_TRAIN),
        prompts=prompts_csv("{prompts}"),
    output:
        **recorded(
            predictions="results/radar/{model}/controls/{prompts}.parquet",
            spread="results/radar/{model}/spread/{prompts}.parquet",
        ),
    log:
        "logs/radar/evaluate_controls/{model}/{prompts}.log",
    benchmark:
        "benchmarks/results/radar/evaluate_controls/{model}/{prompts}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/evaluate_controls.py"),
        contents=contents_of(prompts_csv(RADAR_TRAIN), prompts_csv("{prompts}")),
        folds=lookup("radar/folds", within=config),
        seed=seed_for("train_ensemble", "{model}"),
        fold_seed=seed_for("cross_validate", "{model}"),
        spread_seeds=lookup("radar/spread_seeds", within=config),
        # Not named after its option: another name than `repeat_seeds` would give another seed.
        spread_seed=seed_for("repeat_seeds", "{model}"),
    shell:
        f"{STEP} radar.evaluate_controls"
        " --training {input.training:q}"
        " --features {input.features:q}"
        " --training-prompts={input.training_prompts:q}"
        " --prompts={input.prompts:q}"
        " --folds={params.folds:q}"
        " --seed={params.seed:q}"
        " --fold-seed={params.fold_seed:q}"
        " --spread-seeds={params.spread_seeds:q}"
        " --spread-seed={params.spread_seed:q}"
        " --predictions={output.predictions:q}"
        " --spread={output.spread:q}"
        " 2> {log}"


rule permute_labels:
    input:
        features=f"results/radar/{{model}}/features/{{prompts}}.{CHOSEN_REDUCTION}.parquet",
        prompts=prompts_csv("{prompts}"),
    output:
        **recorded(out="results/radar/{model}/permutations/{prompts}.parquet"),
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
        contents=contents_of(prompts_csv("{prompts}")),
        model="{model}",
        prompt_set="{prompts}",
        folds=lookup("radar/folds", within=config),
        permutations=lookup("radar/permutations", within=config),
        seed=seed_for("permute_labels", "{model}", "{prompts}"),
    shell:
        f"{STEP} radar.permute_labels"
        " --model={params.model:q}"
        " --prompt-set={params.prompt_set:q}"
        " --features={input.features:q}"
        " --prompts={input.prompts:q}"
        " --folds={params.folds:q}"
        " --permutations={params.permutations:q}"
        " --seed={params.seed:q}"
        " --out={output.out:q}"
        " 2> {log}"


rule answer_prompts:
    input:
        model="results/models/{model}",
        prompts=prompts_csv("{prompts}"),
    output:
        **recorded(
            answers="results/radar/{model}/answers/{prompts}.parquet",
        ),
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
        contents=contents_of(prompts_csv("{prompts}")),
        answer_tokens=lookup("radar/answer_tokens", within=config),
        tokens_per_batch=lookup("capture/tokens_per_batch", within=config),
        settings=model_settings,
    shell:
        f"{STEP} radar.answer_prompts"
        " --model={input.model:q}"
        " --prompts={input.prompts:q}"
        " --answer-tokens={params.answer_tokens:q}"
        " --tokens-per-batch={params.tokens_per_batch:q}"
        " {params.settings}"
        " --answers={output.answers:q}"
        " 2> {log}"


rule summarise_predictions:
    input:
        cross_validation="results/radar/{model}/cross_validation.parquet",
        predictions=model_results("predictions/{prompts}.parquet", RADAR_EVALUATE),
        scores=model_results("scores/{prompts}.parquet", RADAR_EVALUATE),
        answers=model_results("answers/{prompts}.parquet", RADAR_SETS),
    output:
        **recorded(
            performance="results/radar/{model}/performance.parquet",
            answer_counts="results/radar/{model}/answer_counts.parquet",
            score_means="results/radar/{model}/score_means.parquet",
        ),
    log:
        "logs/radar/summarise_predictions/{model}.log",
    benchmark:
        "benchmarks/results/radar/summarise_predictions/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_predictions.py"),
        model="{model}",
        prompt_sets=RADAR_SETS,
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seeds=seeds_for("draw_prompts", RADAR_SETS),
        score_seeds=seeds_for("summarise_scores", RADAR_EVALUATE),
    shell:
        f"{STEP} radar.summarise_predictions"
        " --model={params.model:q}"
        " --prompt-sets {params.prompt_sets:q}"
        " --cross-validation={input.cross_validation:q}"
        " --predictions {input.predictions:q}"
        " --scores {input.scores:q}"
        " --answers {input.answers:q}"
        " --confidence-level={params.confidence_level:q}"
        " --bootstrap-resamples={params.bootstrap_resamples:q}"
        " --seeds {params.seeds:q}"
        " --score-seeds {params.score_seeds:q}"
        " --performance={output.performance:q}"
        " --answer-counts={output.answer_counts:q}"
        " --score-means={output.score_means:q}"
        " 2> {log}"


rule summarise_controls:
    input:
        controls=model_results("controls/{prompts}.parquet", RADAR_EVALUATE),
        spread=model_results("spread/{prompts}.parquet", RADAR_EVALUATE),
        permuted=model_results("permutations/{prompts}.parquet", RADAR_EVALUATE),
    output:
        **recorded(
            comparison="results/radar/{model}/comparison.parquet",
        ),
    log:
        "logs/radar/summarise_controls/{model}.log",
    benchmark:
        "benchmarks/results/radar/summarise_controls/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_controls.py"),
        model="{model}",
        prompt_sets=RADAR_EVALUATE,
        attention_entropy_reduction=CHOSEN_REDUCTION,
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seeds=seeds_for("draw_prompts", RADAR_EVALUATE),
    shell:
        f"{STEP} radar.summarise_controls"
        " --model={params.model:q}"
        " --prompt-sets {params.prompt_sets:q}"
        " --controls {input.controls:q}"
        " --spread {input.spread:q}"
        " --permuted {input.permuted:q}"
        " --attention-entropy-reduction={params.attention_entropy_reduction:q}"
        " --confidence-level={params.confidence_level:q}"
        " --bootstrap-resamples={params.bootstrap_resamples:q}"
        " --seeds {params.seeds:q}"
        " --comparison={output.comparison:q}"
        " 2> {log}"


rule summarise_features:
    input:
        features=model_results(
            f"features/{{prompts}}.{CHOSEN_REDUCTION}.parquet", RADAR_SETS
        ),
    output:
        **recorded(
            discrimination="results/radar/{model}/discrimination.parquet",
            correlation="results/radar/{model}/correlation.parquet",
            redundancy="results/radar/{model}/redundancy.parquet",
        ),
    log:
        "logs/radar/summarise_features/{model}.log",
    benchmark:
        "benchmarks/results/radar/summarise_features/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_features.py"),
        model="{model}",
        prompt_sets=RADAR_SETS,
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seeds=seeds_for("draw_prompts", RADAR_SETS),
    shell:
        f"{STEP} radar.summarise_features"
        " --model={params.model:q}"
        " --prompt-sets {params.prompt_sets:q}"
        " --features {input.features:q}"
        " --confidence-level={params.confidence_level:q}"
        " --bootstrap-resamples={params.bootstrap_resamples:q}"
        " --seeds {params.seeds:q}"
        " --discrimination={output.discrimination:q}"
        " --correlation={output.correlation:q}"
        " --redundancy={output.redundancy:q}"
        " 2> {log}"


rule correlate_length:
    input:
        entropy_sum=model_results("features/{prompts}.sum.parquet", RADAR_SETS),
        entropy_mean=model_results("features/{prompts}.mean.parquet", RADAR_SETS),
    output:
        **recorded(
            length_correlation="results/radar/{model}/length_correlation.parquet",
        ),
    log:
        "logs/radar/correlate_length/{model}.log",
    benchmark:
        "benchmarks/results/radar/correlate_length/{model}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/correlate_length.py"),
        model="{model}",
        prompt_sets=RADAR_SETS,
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("correlate_length", "{model}"),
    shell:
        f"{STEP} radar.correlate_length"
        " --model={params.model:q}"
        " --prompt-sets {params.prompt_sets:q}"
        " --entropy-sum {input.entropy_sum:q}"
        " --entropy-mean {input.entropy_mean:q}"
        " --confidence-level={params.confidence_level:q}"
        " --bootstrap-resamples={params.bootstrap_resamples:q}"
        " --seed={params.seed:q}"
        " --length-correlation={output.length_correlation:q}"
        " 2> {log}"


# RADAR on pairs of prompts with the same words in another order; `make matched` copies the table to
# docs/measured.
rule compare_same_words:
    input:
        prompts=prompts_csv("{prompts}"),
        features=f"results/radar/{{model}}/features/{{prompts}}.{CHOSEN_REDUCTION}.parquet",
        answers="results/radar/{model}/answers/{prompts}.parquet",
        comparison="results/radar/{model}/comparison.parquet",
        performance="results/radar/{model}/performance.parquet",
        answer_counts="results/radar/{model}/answer_counts.parquet",
    output:
        **recorded(
            out="results/radar/{model}/same_words/{prompts}.csv",
        ),
    log:
        "logs/radar/compare_same_words/{model}/{prompts}.log",
    benchmark:
        "benchmarks/results/radar/compare_same_words/{model}/{prompts}.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/compare_same_words.py"),
        contents=contents_of(prompts_csv("{prompts}")),
        attention_entropy_reduction=CHOSEN_REDUCTION,
        folds=lookup("radar/folds", within=config),
        spread_seeds=lookup("radar/spread_seeds", within=config),
        permutations=lookup("radar/permutations", within=config),
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("compare_same_words", "{model}", "{prompts}"),
    shell:
        f"{STEP} radar.compare_same_words"
        " --prompts={input.prompts:q}"
        " --features={input.features:q}"
        " --answers={input.answers:q}"
        " --comparison={input.comparison:q}"
        " --performance={input.performance:q}"
        " --answer-counts={input.answer_counts:q}"
        " --attention-entropy-reduction={params.attention_entropy_reduction:q}"
        " --folds={params.folds:q}"
        " --spread-seeds={params.spread_seeds:q}"
        " --permutations={params.permutations:q}"
        " --confidence-level={params.confidence_level:q}"
        " --bootstrap-resamples={params.bootstrap_resamples:q}"
        " --seed={params.seed:q}"
        " --out={output.out:q}"
        " 2> {log}"
