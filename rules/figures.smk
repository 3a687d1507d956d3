"""One rule per figure, named as its file: results/figures/{name}.pdf and .png."""


def figure(name):
    """A figure as the report shows it."""
    return report(
        f"results/figures/{name}.png",
        caption=caption(name),
        category=study_of(name),
        subcategory="Figures",
        labels={"figure": name.replace("_", " ")},
    )


rule radar_architecture:
    input:
        code=code("scripts/radar/radar_architecture.py"),
    output:
        pdf="results/figures/radar_architecture.pdf",
        png=figure("radar_architecture"),
        provenance="results/figures/radar_architecture.provenance.json",
    log:
        "logs/radar/radar_architecture.log",
    benchmark:
        "benchmarks/results/radar/radar_architecture.tsv"
    conda:
        "../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        width=lookup("figures/radar_architecture/width", within=config),
    shell:
        "python -m scripts.radar.radar_architecture "
        "--width {params.width} --out {output.pdf} --png {output.png} 2> {log}"


rule radar_features:
    input:
        discrimination=radar_results("discrimination/{prompts}.csv", sets=RADAR_SETS),
        code=code("scripts/radar/radar_features.py"),
    output:
        pdf="results/figures/radar_features.pdf",
        png=figure("radar_features"),
        provenance="results/figures/radar_features.provenance.json",
    log:
        "logs/radar/radar_features.log",
    benchmark:
        "benchmarks/results/radar/radar_features.tsv"
    conda:
        "../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        top=lookup("figures/radar_features/top", within=config),
        width=lookup("figures/radar_features/width", within=config),
        model_labels=model_labels(RADAR_MODELS),
    shell:
        "python -m scripts.radar.radar_features --discrimination {input.discrimination} --model-labels {params.model_labels:q} "
        "--top {params.top} --width {params.width} --out {output.pdf} --png {output.png} 2> {log}"


rule radar_scores:
    input:
        scores=radar_results("scores/{prompts}.csv"),
        code=code("scripts/radar/radar_scores.py"),
    output:
        pdf="results/figures/radar_scores.pdf",
        png=figure("radar_scores"),
        provenance="results/figures/radar_scores.provenance.json",
    log:
        "logs/radar/radar_scores.log",
    benchmark:
        "benchmarks/results/radar/radar_scores.tsv"
    conda:
        "../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        width=lookup("figures/radar_scores/width", within=config),
        marker_size=lookup("figures/radar_scores/marker_size", within=config),
        model_labels=model_labels(RADAR_MODELS),
    shell:
        "python -m scripts.radar.radar_scores --scores {input.scores} --model-labels {params.model_labels:q} "
        "--width {params.width} --marker-size {params.marker_size} --out {output.pdf} --png {output.png} 2> {log}"


rule radar_redundancy:
    input:
        correlation=radar_results("correlation.csv", sets=[RADAR_TRAIN]),
        redundancy=radar_results("redundancy.csv", sets=[RADAR_TRAIN]),
        code=code("scripts/radar/radar_redundancy.py"),
    output:
        pdf="results/figures/radar_redundancy.pdf",
        png=figure("radar_redundancy"),
        provenance="results/figures/radar_redundancy.provenance.json",
    log:
        "logs/radar/radar_redundancy.log",
    benchmark:
        "benchmarks/results/radar/radar_redundancy.tsv"
    conda:
        "../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        width=lookup("figures/radar_redundancy/width", within=config),
        model_labels=model_labels(RADAR_MODELS),
    shell:
        "python -m scripts.radar.radar_redundancy --correlation {input.correlation} --redundancy {input.redundancy} --model-labels {params.model_labels:q} "
        "--width {params.width} --out {output.pdf} --png {output.png} 2> {log}"


rule radar_length:
    input:
        scores=radar_results("scores/{prompts}.csv"),
        code=code("scripts/radar/radar_length.py"),
    output:
        pdf="results/figures/radar_length.pdf",
        png=figure("radar_length"),
        provenance="results/figures/radar_length.provenance.json",
    log:
        "logs/radar/radar_length.log",
    benchmark:
        "benchmarks/results/radar/radar_length.tsv"
    conda:
        "../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        score=lookup("figures/radar_length/score", within=config),
        width=lookup("figures/radar_length/width", within=config),
        model_labels=model_labels(RADAR_MODELS),
    shell:
        "python -m scripts.radar.radar_length --scores {input.scores} --model-labels {params.model_labels:q} "
        "--score {params.score} --width {params.width} --out {output.pdf} --png {output.png} 2> {log}"


rule grounding_training:
    input:
        history="results/grounding/training.csv",
        code=code("scripts/grounding/grounding_training.py"),
    output:
        pdf="results/figures/grounding_training.pdf",
        png=figure("grounding_training"),
        provenance="results/figures/grounding_training.provenance.json",
    log:
        "logs/grounding/grounding_training.log",
    benchmark:
        "benchmarks/results/grounding/grounding_training.tsv"
    conda:
        "../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        width=lookup("figures/grounding_training/width", within=config),
    shell:
        "python -m scripts.grounding.grounding_training --history {input.history} --width {params.width} "
        "--out {output.pdf} --png {output.png} 2> {log}"


rule grounding_sensitivity:
    input:
        rules=expand("results/grounding/rules/{run}.parquet", run=TRAINED_RUNS),
        summary="results/grounding/summary.csv",
        code=code("scripts/grounding/grounding_sensitivity.py"),
    output:
        pdf="results/figures/grounding_sensitivity.pdf",
        png=figure("grounding_sensitivity"),
        provenance="results/figures/grounding_sensitivity.provenance.json",
    log:
        "logs/grounding/grounding_sensitivity.log",
    benchmark:
        "benchmarks/results/grounding/grounding_sensitivity.tsv"
    conda:
        "../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        tau=lookup("grounding/tau", within=config),
        width=lookup("figures/grounding_sensitivity/width", within=config),
    shell:
        "python -m scripts.grounding.grounding_sensitivity --rules {input.rules} --summary {input.summary} --tau {params.tau} --width {params.width} "
        "--out {output.pdf} --png {output.png} 2> {log}"


rule grounding_recovery:
    input:
        recovery="results/grounding/recovery.csv",
        code=code("scripts/grounding/grounding_recovery.py"),
    output:
        pdf="results/figures/grounding_recovery.pdf",
        png=figure("grounding_recovery"),
        provenance="results/figures/grounding_recovery.provenance.json",
    log:
        "logs/grounding/grounding_recovery.log",
    benchmark:
        "benchmarks/results/grounding/grounding_recovery.tsv"
    conda:
        "../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        width=lookup("figures/grounding_recovery/width", within=config),
    shell:
        "python -m scripts.grounding.grounding_recovery --recovery {input.recovery} --width {params.width} "
        "--out {output.pdf} --png {output.png} 2> {log}"


rule grounding_layers:
    input:
        layers="results/grounding/layers.csv",
        code=code("scripts/grounding/grounding_layers.py"),
    output:
        pdf="results/figures/grounding_layers.pdf",
        png=figure("grounding_layers"),
        provenance="results/figures/grounding_layers.provenance.json",
    log:
        "logs/grounding/grounding_layers.log",
    benchmark:
        "benchmarks/results/grounding/grounding_layers.tsv"
    conda:
        "../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        width=lookup("figures/grounding_layers/width", within=config),
    shell:
        "python -m scripts.grounding.grounding_layers --layers {input.layers} --width {params.width} "
        "--out {output.pdf} --png {output.png} 2> {log}"


rule draw_grounding_thresholds:
    input:
        thresholds="results/grounding/thresholds.csv",
        code=code("scripts/grounding/draw_grounding_thresholds.py"),
    output:
        pdf="results/figures/grounding_thresholds.pdf",
        png=figure("grounding_thresholds"),
        provenance="results/figures/grounding_thresholds.provenance.json",
    log:
        "logs/grounding/draw_grounding_thresholds.log",
    benchmark:
        "benchmarks/results/grounding/draw_grounding_thresholds.tsv"
    conda:
        "../envs/figures.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        tau=lookup("grounding/tau", within=config),
        alpha=lookup("grounding/alpha", within=config),
        width=lookup("figures/grounding_thresholds/width", within=config),
    shell:
        "python -m scripts.grounding.draw_grounding_thresholds --thresholds {input.thresholds} --tau {params.tau} --alpha {params.alpha} --width {params.width} "
        "--out {output.pdf} --png {output.png} 2> {log}"


rule claims_architecture:
    input:
        code=code("scripts/claims/claims_architecture.py"),
    output:
        pdf="results/figures/claims_architecture.pdf",
        png=figure("claims_architecture"),
        provenance="results/figures/claims_architecture.provenance.json",
    log:
        "logs/claims/claims_architecture.log",
    benchmark:
        "benchmarks/results/claims/claims_architecture.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        runs=lookup("claims/runs", within=config),
        judge_labels=judge_labels(CLAIMS_JUDGES),
        width=lookup("figures/claims_architecture/width", within=config),
    shell:
        "python -m scripts.claims.claims_architecture --runs {params.runs} --judge-labels {params.judge_labels:q} "
        "--width {params.width} --out {output.pdf} --png {output.png} 2> {log}"


rule claims_tiers:
    input:
        reported=repo("config/reported/claims_main.csv"),
        papers=f"{SUMMARY}/papers.csv",
        code=code("scripts/claims/claims_tiers.py"),
    output:
        pdf="results/figures/claims_tiers.pdf",
        png=figure("claims_tiers"),
        provenance="results/figures/claims_tiers.provenance.json",
    log:
        "logs/claims/claims_tiers.log",
    benchmark:
        "benchmarks/results/claims/claims_tiers.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        judge_labels=judge_labels(CLAIMS_JUDGES),
        width=lookup("figures/claims_tiers/width", within=config),
    shell:
        "python -m scripts.claims.claims_tiers --reported {input.reported} --papers {input.papers} "
        "--judge-labels {params.judge_labels:q} "
        "--width {params.width} --out {output.pdf} --png {output.png} 2> {log}"


rule claims_dimensions:
    input:
        claims=f"{SUMMARY}/claims.csv",
        truth=f"{SUMMARY}/truth.csv",
        code=code("scripts/claims/claims_dimensions.py"),
    output:
        pdf="results/figures/claims_dimensions.pdf",
        png=figure("claims_dimensions"),
        provenance="results/figures/claims_dimensions.provenance.json",
    log:
        "logs/claims/claims_dimensions.log",
    benchmark:
        "benchmarks/results/claims/claims_dimensions.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        judge_labels=judge_labels(CLAIMS_JUDGES),
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("claims_dimensions"),
        width=lookup("figures/claims_dimensions/width", within=config),
    shell:
        "python -m scripts.claims.claims_dimensions --claims {input.claims} --truth {input.truth} "
        "--judge-labels {params.judge_labels:q} --confidence-level {params.confidence_level} "
        "--bootstrap-resamples {params.bootstrap_resamples} --seed {params.seed} "
        "--width {params.width} --out {output.pdf} --png {output.png} 2> {log}"


rule claims_variance:
    input:
        reported=repo("config/reported/claims_main.csv"),
        single_run=repo("config/reported/claims_single_run.csv"),
        papers=f"{SUMMARY}/papers.csv",
        code=code("scripts/claims/claims_variance.py"),
    output:
        pdf="results/figures/claims_variance.pdf",
        png=figure("claims_variance"),
        provenance="results/figures/claims_variance.provenance.json",
    log:
        "logs/claims/claims_variance.log",
    benchmark:
        "benchmarks/results/claims/claims_variance.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        judge_labels=judge_labels(CLAIMS_JUDGES),
        width=lookup("figures/claims_variance/width", within=config),
    shell:
        "python -m scripts.claims.claims_variance --reported {input.reported} "
        "--single-run {input.single_run} --papers {input.papers} --judge-labels {params.judge_labels:q} "
        "--width {params.width} --out {output.pdf} --png {output.png} 2> {log}"


rule claims_confusion:
    input:
        reported=repo("config/reported/claims_main.csv"),
        papers=f"{SUMMARY}/papers.csv",
        code=code("scripts/claims/claims_confusion.py"),
    output:
        pdf="results/figures/claims_confusion.pdf",
        png=figure("claims_confusion"),
        provenance="results/figures/claims_confusion.provenance.json",
    log:
        "logs/claims/claims_confusion.log",
    benchmark:
        "benchmarks/results/claims/claims_confusion.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        judge_labels=judge_labels(CLAIMS_JUDGES),
        width=lookup("figures/claims_confusion/width", within=config),
    shell:
        "python -m scripts.claims.claims_confusion --reported {input.reported} --papers {input.papers} "
        "--judge-labels {params.judge_labels:q} "
        "--width {params.width} --out {output.pdf} --png {output.png} 2> {log}"


rule claims_planted_bias:
    input:
        criteria=f"{SUMMARY}/criteria.csv",
        code=code("scripts/claims/claims_planted_bias.py"),
    output:
        pdf="results/figures/claims_planted_bias.pdf",
        png=figure("claims_planted_bias"),
        provenance="results/figures/claims_planted_bias.provenance.json",
    log:
        "logs/claims/claims_planted_bias.log",
    benchmark:
        "benchmarks/results/claims/claims_planted_bias.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        judge_labels=judge_labels(CLAIMS_JUDGES),
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("claims_planted_bias"),
        width=lookup("figures/claims_planted_bias/width", within=config),
    shell:
        "python -m scripts.claims.claims_planted_bias --criteria {input.criteria} "
        "--judge-labels {params.judge_labels:q} --confidence-level {params.confidence_level} "
        "--bootstrap-resamples {params.bootstrap_resamples} --seed {params.seed} "
        "--width {params.width} --out {output.pdf} --png {output.png} 2> {log}"


RADAR_FIGURES = [
    "radar_architecture",
    "radar_features",
    "radar_scores",
    "radar_redundancy",
    "radar_length",
]
GROUNDING_FIGURES = [
    "grounding_training",
    "grounding_sensitivity",
    "grounding_recovery",
    "grounding_layers",
    "grounding_thresholds",
]
CLAIMS_FIGURES = [
    "claims_architecture",
    "claims_tiers",
    "claims_dimensions",
    "claims_variance",
    "claims_confusion",
    "claims_planted_bias",
]


def figures(names):
    """The files of figures."""
    return expand("results/figures/{name}.{kind}", name=names, kind=["pdf", "png"])
