"""One rule per table, named as its file: results/tables/{name}.csv and .tex."""


def table(name):
    """A table as the report shows it."""
    return report(
        f"results/tables/{name}.csv",
        caption=caption(name),
        category="RADAR",
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
    shell:
        "python -m scripts.radar.radar_performance --performance {input.performance} "
        "--cross-validation {input.cross_validation} --reported {input.reported} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


rule radar_controls:
    input:
        comparison=radar_results("comparison/{prompts}.csv"),
        code=code("scripts/radar/radar_controls.py"),
    output:
        csv=table("radar_controls"),
        tex="results/tables/radar_controls.tex",
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
    shell:
        "python -m scripts.radar.radar_controls --comparison {input.comparison} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


rule radar_datasets:
    input:
        training=prompts_csv(RADAR_TRAIN),
        evaluation=[prompts_csv(name) for name in RADAR_EVALUATE],
        reported=repo("config/reported/radar_datasets.csv"),
        code=code("scripts/radar/radar_datasets.py"),
    output:
        csv=table("radar_datasets"),
        tex="results/tables/radar_datasets.tex",
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
    shell:
        "python -m scripts.radar.radar_score_means --means {input.means} --reported {input.reported} "
        "--out {output.csv} --tex {output.tex} 2> {log}"


rule radar_implied:
    input:
        reported=repo("config/reported/radar_performance.csv"),
        code=code("scripts/radar/radar_implied.py"),
    output:
        csv=table("radar_implied"),
        tex="results/tables/radar_implied.tex",
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


RADAR_TABLES = [
    "radar_performance",
    "radar_controls",
    "radar_datasets",
    "radar_score_means",
    "radar_implied",
]
TABLES = expand("results/tables/{name}.{kind}", name=RADAR_TABLES, kind=["csv", "tex"])
