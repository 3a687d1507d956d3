"""One rule per table, named as its file: results/tables/{name}.csv, and its cells as text: .tex and shown/{name}.csv."""


def table(name):
    """A table as the report shows it."""
    return report(
        f"results/tables/{name}.csv",
        caption=caption(name),
        category=study_of(name),
        subcategory="Tables",
        labels={"table": name.replace("_", " ")},
    )


rule radar_performance:
    input:
        performance=radar_results("performance/{prompts}.csv"),
        cross_validation=radar_results("performance/{prompts}.csv", sets=[RADAR_TRAIN]),
        reported=repo("config/reported/radar_performance.csv"),
        code=code("scripts/radar/radar_performance.py"),
    output:
        csv=table("radar_performance"),
        tex="results/tables/radar_performance.tex",
        shown="results/tables/shown/radar_performance.csv",
        provenance="results/tables/radar_performance.provenance.json",
    log:
        "logs/radar/radar_performance.log",
    benchmark:
        "benchmarks/results/radar/radar_performance.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        model_labels=model_labels(RADAR_MODELS),
    shell:
        "python -m scripts.radar.radar_performance --performance {input.performance} "
        "--cross-validation {input.cross_validation} --reported {input.reported} "
        "--model-labels {params.model_labels:q} --out {output.csv} --tex {output.tex} 2> {log}"


rule radar_controls:
    input:
        comparison=radar_results("comparison/{prompts}.csv"),
        code=code("scripts/radar/radar_controls.py"),
    output:
        csv=table("radar_controls"),
        tex="results/tables/radar_controls.tex",
        shown="results/tables/shown/radar_controls.csv",
        provenance="results/tables/radar_controls.provenance.json",
    log:
        "logs/radar/radar_controls.log",
    benchmark:
        "benchmarks/results/radar/radar_controls.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        model_labels=model_labels(RADAR_MODELS),
    shell:
        "python -m scripts.radar.radar_controls --comparison {input.comparison} "
        "--model-labels {params.model_labels:q} --out {output.csv} --tex {output.tex} 2> {log}"


rule radar_datasets:
    input:
        training=prompts_csv(RADAR_TRAIN),
        evaluation=[prompts_csv(name) for name in RADAR_EVALUATE],
        reported=repo("config/reported/radar_datasets.csv"),
        code=code("scripts/radar/radar_datasets.py"),
    output:
        csv=table("radar_datasets"),
        tex="results/tables/radar_datasets.tex",
        shown="results/tables/shown/radar_datasets.csv",
        provenance="results/tables/radar_datasets.provenance.json",
    log:
        "logs/radar/radar_datasets.log",
    benchmark:
        "benchmarks/results/radar/radar_datasets.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python -m scripts.radar.radar_datasets --training {input.training} --evaluation {input.evaluation} "
        "--reported {input.reported} --out {output.csv} --tex {output.tex} 2> {log}"


rule radar_score_means:
    input:
        means=radar_results("score_means/{prompts}.csv"),
        reported=repo("config/reported/radar_scores.csv"),
        code=code("scripts/radar/radar_score_means.py"),
    output:
        csv=table("radar_score_means"),
        tex="results/tables/radar_score_means.tex",
        shown="results/tables/shown/radar_score_means.csv",
        provenance="results/tables/radar_score_means.provenance.json",
    log:
        "logs/radar/radar_score_means.log",
    benchmark:
        "benchmarks/results/radar/radar_score_means.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        model_labels=model_labels(RADAR_MODELS),
    shell:
        "python -m scripts.radar.radar_score_means --means {input.means} --reported {input.reported} "
        "--model-labels {params.model_labels:q} --out {output.csv} --tex {output.tex} 2> {log}"


rule radar_implied:
    input:
        reported=repo("config/reported/radar_performance.csv"),
        code=code("scripts/radar/radar_implied.py"),
    output:
        csv=table("radar_implied"),
        tex="results/tables/radar_implied.tex",
        shown="results/tables/shown/radar_implied.csv",
        provenance="results/tables/radar_implied.provenance.json",
    log:
        "logs/radar/radar_implied.log",
    benchmark:
        "benchmarks/results/radar/radar_implied.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python -m scripts.radar.radar_implied --reported {input.reported} --out {output.csv} --tex {output.tex} 2> {log}"


rule grounding_accuracy:
    input:
        accuracy=expand("results/grounding/accuracy/{run}.csv", run=TRAINED_RUNS),
        reported=repo("config/reported/grounding_accuracy.csv"),
        code=code("scripts/grounding/grounding_accuracy.py"),
    output:
        csv=table("grounding_accuracy"),
        tex="results/tables/grounding_accuracy.tex",
        shown="results/tables/shown/grounding_accuracy.csv",
        provenance="results/tables/grounding_accuracy.provenance.json",
    log:
        "logs/grounding/grounding_accuracy.log",
    benchmark:
        "benchmarks/results/grounding/grounding_accuracy.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python -m scripts.grounding.grounding_accuracy --accuracy {input.accuracy} --reported {input.reported} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


rule grounding_rules:
    input:
        comparison="results/grounding/comparison.csv",
        reported=repo("config/reported/grounding_rules.csv"),
        code=code("scripts/grounding/grounding_rules.py"),
    output:
        csv=table("grounding_rules"),
        tex="results/tables/grounding_rules.tex",
        shown="results/tables/shown/grounding_rules.csv",
        provenance="results/tables/grounding_rules.provenance.json",
    log:
        "logs/grounding/grounding_rules.log",
    benchmark:
        "benchmarks/results/grounding/grounding_rules.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python -m scripts.grounding.grounding_rules --comparison {input.comparison} --reported {input.reported} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


rule grounding_thresholds:
    input:
        thresholds="results/grounding/thresholds.csv",
        code=code("scripts/grounding/grounding_thresholds.py"),
    output:
        csv=table("grounding_thresholds"),
        tex="results/tables/grounding_thresholds.tex",
        shown="results/tables/shown/grounding_thresholds.csv",
        provenance="results/tables/grounding_thresholds.provenance.json",
    log:
        "logs/grounding/grounding_thresholds.log",
    benchmark:
        "benchmarks/results/grounding/grounding_thresholds.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python -m scripts.grounding.grounding_thresholds --thresholds {input.thresholds} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


rule grounding_triangulation:
    input:
        triangulation="results/grounding/triangulation.csv",
        code=code("scripts/grounding/grounding_triangulation.py"),
    output:
        csv=table("grounding_triangulation"),
        tex="results/tables/grounding_triangulation.tex",
        shown="results/tables/shown/grounding_triangulation.csv",
        provenance="results/tables/grounding_triangulation.provenance.json",
    log:
        "logs/grounding/grounding_triangulation.log",
    benchmark:
        "benchmarks/results/grounding/grounding_triangulation.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python -m scripts.grounding.grounding_triangulation --triangulation {input.triangulation} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


rule grounding_controls:
    input:
        rules=expand("results/grounding/rules/{run}.parquet", run=CONTROLS),
        summary="results/grounding/summary.csv",
        code=code("scripts/grounding/grounding_controls.py"),
    output:
        csv=table("grounding_controls"),
        tex="results/tables/grounding_controls.tex",
        shown="results/tables/shown/grounding_controls.csv",
        provenance="results/tables/grounding_controls.provenance.json",
    log:
        "logs/grounding/grounding_controls.log",
    benchmark:
        "benchmarks/results/grounding/grounding_controls.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python -m scripts.grounding.grounding_controls --rules {input.rules} --summary {input.summary} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


rule grounding_implied:
    input:
        reported=repo("config/reported/grounding_rules.csv"),
        reported_accuracy=repo("config/reported/grounding_accuracy.csv"),
        code=code("scripts/grounding/grounding_implied.py"),
    output:
        csv=table("grounding_implied"),
        tex="results/tables/grounding_implied.tex",
        shown="results/tables/shown/grounding_implied.csv",
        provenance="results/tables/grounding_implied.provenance.json",
    log:
        "logs/grounding/grounding_implied.log",
    benchmark:
        "benchmarks/results/grounding/grounding_implied.tsv"
    conda:
        "../envs/stats.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python -m scripts.grounding.grounding_implied --reported {input.reported} --reported-accuracy {input.reported_accuracy} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


rule claims_criteria:
    input:
        reported=repo("config/reported/claims_criteria.csv"),
        code=code("scripts/claims/claims_criteria.py"),
    output:
        csv=table("claims_criteria"),
        tex="results/tables/claims_criteria.tex",
        shown="results/tables/shown/claims_criteria.csv",
        provenance="results/tables/claims_criteria.provenance.json",
    log:
        "logs/claims/claims_criteria.log",
    benchmark:
        "benchmarks/results/claims/claims_criteria.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python -m scripts.claims.claims_criteria --reported {input.reported} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


rule claims_papers:
    input:
        summary=summary_tables("papers", "truth", "levels"),
        reported=repo("config/reported/claims_papers.csv"),
        code=code("scripts/claims/claims_papers.py"),
    output:
        csv=table("claims_papers"),
        tex="results/tables/claims_papers.tex",
        shown="results/tables/shown/claims_papers.csv",
        provenance="results/tables/claims_papers.provenance.json",
    log:
        "logs/claims/claims_papers.log",
    benchmark:
        "benchmarks/results/claims/claims_papers.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        summary=SUMMARY,
    shell:
        "python -m scripts.claims.claims_papers --summary {params.summary} --reported {input.reported} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


rule claims_main:
    input:
        summary=summary_tables("papers"),
        reported=repo("config/reported/claims_main.csv"),
        reported_papers=repo("config/reported/claims_papers.csv"),
        code=code("scripts/claims/claims_main.py"),
    output:
        csv=table("claims_main"),
        tex="results/tables/claims_main.tex",
        shown="results/tables/shown/claims_main.csv",
        provenance="results/tables/claims_main.provenance.json",
    log:
        "logs/claims/claims_main.log",
    benchmark:
        "benchmarks/results/claims/claims_main.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        summary=SUMMARY,
        judge_labels=judge_labels(CLAIMS_JUDGES),
    shell:
        "python -m scripts.claims.claims_main --summary {params.summary} --reported {input.reported} "
        "--reported-papers {input.reported_papers} --judge-labels {params.judge_labels:q} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


rule claims_single_run:
    input:
        summary=summary_tables("papers", "spread"),
        reported=repo("config/reported/claims_single_run.csv"),
        reported_main=repo("config/reported/claims_main.csv"),
        reported_papers=repo("config/reported/claims_papers.csv"),
        code=code("scripts/claims/claims_single_run.py"),
    output:
        csv=table("claims_single_run"),
        tex="results/tables/claims_single_run.tex",
        shown="results/tables/shown/claims_single_run.csv",
        provenance="results/tables/claims_single_run.provenance.json",
    log:
        "logs/claims/claims_single_run.log",
    benchmark:
        "benchmarks/results/claims/claims_single_run.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        summary=SUMMARY,
        judge_labels=judge_labels(CLAIMS_JUDGES),
    shell:
        "python -m scripts.claims.claims_single_run --summary {params.summary} --reported {input.reported} "
        "--reported-main {input.reported_main} --reported-papers {input.reported_papers} "
        "--judge-labels {params.judge_labels:q} --out {output.csv} --tex {output.tex} 2> {log}"


rule claims_per_paper:
    input:
        summary=summary_tables("papers", "claims"),
        reported=repo("config/reported/claims_per_paper.csv"),
        reported_claims=repo("config/reported/claims_claims.csv"),
        reported_papers=repo("config/reported/claims_papers.csv"),
        code=code("scripts/claims/claims_per_paper.py"),
    output:
        csv=table("claims_per_paper"),
        tex="results/tables/claims_per_paper.tex",
        shown="results/tables/shown/claims_per_paper.csv",
        provenance="results/tables/claims_per_paper.provenance.json",
    log:
        "logs/claims/claims_per_paper.log",
    benchmark:
        "benchmarks/results/claims/claims_per_paper.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        summary=SUMMARY,
        judge_labels=judge_labels(CLAIMS_JUDGES),
    shell:
        "python -m scripts.claims.claims_per_paper --summary {params.summary} --reported {input.reported} "
        "--reported-claims {input.reported_claims} --reported-papers {input.reported_papers} "
        "--judge-labels {params.judge_labels:q} --out {output.csv} --tex {output.tex} 2> {log}"


rule claims_judges:
    input:
        summary=summary_tables("papers", "usage"),
        reported=repo("config/reported/claims_judges.csv"),
        code=code("scripts/claims/claims_judges.py"),
    output:
        csv=table("claims_judges"),
        tex="results/tables/claims_judges.tex",
        shown="results/tables/shown/claims_judges.csv",
        provenance="results/tables/claims_judges.provenance.json",
    log:
        "logs/claims/claims_judges.log",
    benchmark:
        "benchmarks/results/claims/claims_judges.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        summary=SUMMARY,
        judge_labels=judge_labels(CLAIMS_JUDGES),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        "python -m scripts.claims.claims_judges --summary {params.summary} --reported {input.reported} "
        "--judge-labels {params.judge_labels:q} --confidence-level {params.confidence_level} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


rule claims_planted:
    input:
        summary=summary_tables(
            "papers", "runs", "claims", "criteria", "truth", "levels"
        ),
        code=code("scripts/claims/claims_planted.py"),
    output:
        csv=table("claims_planted"),
        tex="results/tables/claims_planted.tex",
        shown="results/tables/shown/claims_planted.csv",
        provenance="results/tables/claims_planted.provenance.json",
    log:
        "logs/claims/claims_planted.log",
    benchmark:
        "benchmarks/results/claims/claims_planted.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        summary=SUMMARY,
        judge_labels=judge_labels(CLAIMS_JUDGES),
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("claims_planted"),
    shell:
        "python -m scripts.claims.claims_planted --summary {params.summary} --judge-labels {params.judge_labels:q} "
        "--confidence-level {params.confidence_level} --bootstrap-resamples {params.bootstrap_resamples} "
        "--seed {params.seed} --out {output.csv} --tex {output.tex} 2> {log}"


rule claims_boundaries:
    input:
        summary=summary_tables("papers"),
        reported=repo("config/reported/claims_main.csv"),
        code=code("scripts/claims/claims_boundaries.py"),
    output:
        csv=table("claims_boundaries"),
        tex="results/tables/claims_boundaries.tex",
        shown="results/tables/shown/claims_boundaries.csv",
        provenance="results/tables/claims_boundaries.provenance.json",
    log:
        "logs/claims/claims_boundaries.log",
    benchmark:
        "benchmarks/results/claims/claims_boundaries.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        summary=SUMMARY,
        judge_labels=judge_labels(CLAIMS_JUDGES),
        boundary_shift=lookup("claims/boundary_shift", within=config),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        "python -m scripts.claims.claims_boundaries --summary {params.summary} --reported {input.reported} "
        "--judge-labels {params.judge_labels:q} --boundary-shift {params.boundary_shift} "
        "--confidence-level {params.confidence_level} --out {output.csv} --tex {output.tex} 2> {log}"


rule claims_implied:
    input:
        reported=[
            repo(f"config/reported/claims_{name}.csv") for name in PRINTED_BY_CLAIMS
        ],
        code=code("scripts/claims/claims_implied.py"),
    output:
        csv=table("claims_implied"),
        tex="results/tables/claims_implied.tex",
        shown="results/tables/shown/claims_implied.csv",
        provenance="results/tables/claims_implied.provenance.json",
    log:
        "logs/claims/claims_implied.log",
    benchmark:
        "benchmarks/results/claims/claims_implied.tsv"
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "python -m scripts.claims.claims_implied --reported {input.reported} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


RADAR_TABLES = [
    "radar_performance",
    "radar_controls",
    "radar_datasets",
    "radar_score_means",
    "radar_implied",
]
GROUNDING_TABLES = [
    "grounding_accuracy",
    "grounding_rules",
    "grounding_thresholds",
    "grounding_triangulation",
    "grounding_controls",
    "grounding_implied",
]
CLAIMS_TABLES = [
    "claims_criteria",
    "claims_papers",
    "claims_main",
    "claims_single_run",
    "claims_per_paper",
    "claims_judges",
    "claims_planted",
    "claims_boundaries",
    "claims_implied",
]


def tables(names):
    """The files of tables."""
    return expand("results/tables/{name}.{kind}", name=names, kind=["csv", "tex"])
