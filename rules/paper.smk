"""The paper: the numbers of its text, the PDF and the web page.

Each study has a rule that gathers the numbers of the text (radar_values, grounding_values,
claims_values) from the study's tables and from committed tables of earlier runs. `headlines`
computes from these numbers the outcome of each statement in paper/claims.yaml. `paper` prints the
numbers and the outcomes. `reported` is the target of the run with more seeds.
"""

PAPER_TABLES = [name for study in config["studies"] for name in tables_of(study)]
PAPER_FIGURES = [name for study in config["studies"] for name in figures_of(study)]
PAPER_CAPTIONS = [
    repo(result.caption) for result in RESULTS if result.study in config["studies"]
]
PAPER_SOURCES = [repo("CITATION.cff"), repo("config/prompts/radar_matched.csv")]
for pattern in ("*.bib", "*.typ", "sections/*.typ", "web/*"):
    PAPER_SOURCES += sorted(map(repo, (REPOSITORY / "paper").glob(pattern)))
# The results that the paper prints: values with their provenance records, tables and figures. The
# CSVs in tables/shown have the cells as they are printed.
PAPER_RESULTS = [
    *expand(
        "results/values/{study}{ending}",
        study=[*config["studies"], "headlines"],
        ending=[".json", ".provenance.json"],
    ),
    *expand(
        "results/tables/{folder}{name}.csv",
        name=PAPER_TABLES,
        folder=["", "shown/"],
    ),
    *expand(
        "results/figures/{name}.{ending}", name=PAPER_FIGURES, ending=["pdf", "svg"]
    ),
]
if "grounding" in config["studies"]:
    PAPER_RESULTS.append("results/grounding/pairs.jsonl")  # the text prints a pair
PAPER_DOCUMENT = repo("paper/main.typ")
PAPER_PAGE = repo("paper/page.typ")
PAPER_GUIDE = repo("paper/results.md")
LEDGER = repo("paper/claims.yaml")
# The headlines of the last reported run, as committed.
REPORTED_HEADLINES = repo("docs/measured/headlines.csv")
# Tables of runs that were started by hand; the paper prints them next to the results of this run.
MEASURED_RADAR = [
    repo("docs/measured/radar_matched_800.csv"),
    repo("docs/measured/memorisation_smollm2.csv"),
]
MEASURED_VARIANTS = repo("docs/measured/grounding_variants.csv")
# Error rates of verdicts on benchmarks, measured on pretrained models by runs that were started by
# hand.
PRETRAINED_RATES = repo("config/calibration/pretrained.csv")
# The papers that the source paper judges, and the tiers that each document of its author gives
# them.
REPORTED_PAPERS = repo("config/reported/claims_papers.csv")
REFERENCE_TIERS = repo("config/reported/claims_references.csv")


def settings(*paths):
    """A param: config leaves that the paper prints, as words of a flag: `radar/folds 5 ...`."""
    words = []
    for path in paths:
        words += [path, str(lookup(path, within=config))]
    return words


def table_csvs(*names):
    """The CSVs of the paper's tables with these names."""
    return [f"results/tables/{name}.csv" for name in names]


rule radar_values:
    input:
        tables=[
            *table_csvs(
                "radar_performance",
                "radar_controls",
                "radar_score_means",
                "radar_implied",
                "radar_answers",
                "memorisation_detectors",
                "memorisation_natural",
                "memorisation_inside",
                "memorisation_lens",
                "memorisation_items",
                "memorisation_kinds",
                "memorisation_proxies",
            ),
            *MEASURED_RADAR,
            *radar_results("redundancy.parquet", sets=[RADAR_TRAIN]),
            *radar_results("length_correlation.parquet", sets=[RADAR_TRAIN]),
        ],
        datasets="results/tables/radar_datasets.csv",
        scores=radar_results("scores/{prompts}.parquet"),
        discrimination=radar_results("discrimination.parquet", sets=[RADAR_TRAIN]),
        permutations=radar_results("permutations/{prompts}.parquet", sets=RADAR_SETS),
        rates_of_names="results/radar/memorisation/calibration.csv",
        rates_of_docstrings="results/radar/memorisation/natural/calibration.csv",
        pretrained_rates=PRETRAINED_RATES,
    output:
        **recorded(out="results/values/radar.json"),
    log:
        "logs/radar/radar_values.log",
    benchmark:
        "benchmarks/results/radar/radar_values.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/radar_values.py"),
        contents=contents_of(MEASURED_RADAR, PRETRAINED_RATES),
        score=lookup("figures/radar_length/score", within=config),
        model_labels=model_labels(RADAR_MODELS),
        settings=settings(
            "confidence_level",
            "bootstrap_resamples",
            "radar/attention_entropy_reduction",
            "radar/specialised_head_entropy",
            "radar/folds",
            "radar/permutations",
            "radar/answer_tokens",
            "radar/memorisation/seeds",
            "radar/memorisation/items_per_cell",
            "radar/memorisation/natural/seeds",
            "radar/memorisation/kind_prompts",
            "radar/memorisation/base/n_layers",
            "radar/memorisation/base/d_model",
            "radar/memorisation/least_answered",
        ),
        confidence_level=lookup("confidence_level", within=config),
        bootstrap_resamples=lookup("bootstrap_resamples", within=config),
        seed=seed_for("radar_values"),
    shell:
        f"{STEP} radar.radar_values"
        " --tables {input.tables:q}"
        " --datasets={input.datasets:q}"
        " --scores {input.scores:q}"
        " --discrimination {input.discrimination:q}"
        " --permutations {input.permutations:q}"
        " --rates-of-names={input.rates_of_names:q}"
        " --rates-of-docstrings={input.rates_of_docstrings:q}"
        " --pretrained-rates={input.pretrained_rates:q}"
        " --score={params.score:q}"
        " --model-labels {params.model_labels:q}"
        " --settings {params.settings:q}"
        " --confidence-level={params.confidence_level:q}"
        " --bootstrap-resamples={params.bootstrap_resamples:q}"
        " --seed={params.seed:q}"
        " --out={output.out:q}"
        " 2> {log}"


rule grounding_values:
    input:
        tables=[
            *table_csvs(
                "grounding_accuracy",
                "grounding_rules",
                "grounding_contrast",
                "grounding_models",
                "grounding_verdict",
                "grounding_categories",
                "grounding_rule_sets",
                "grounding_drawn",
                "grounding_localisation",
                "grounding_lookups",
                "grounding_implied",
            ),
            "results/grounding/reading.csv",
        ],
        variants=MEASURED_VARIANTS,
        vocabulary=VOCABULARY,
        test="results/grounding/data/test.jsonl",
    output:
        **recorded(out="results/values/grounding.json"),
    log:
        "logs/grounding/grounding_values.log",
    benchmark:
        "benchmarks/results/grounding/grounding_values.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/grounding/grounding_values.py"),
        contents=contents_of(MEASURED_VARIANTS, VOCABULARY),
        runs=RUNS,
        categories=lookup("grounding/categories", within=config),
        base_label=MODELS[config["grounding"]["base"]]["label"],
        base_kind=MODELS[config["grounding"]["base"]]["kind"],
        settings=settings(
            "confidence_level",
            "bootstrap_resamples",
            "grounding/data/source",
            "grounding/data/rows/train",
            "grounding/data/tables",
            "grounding/data/fields",
            "grounding/data/max_columns",
            "grounding/data/table_synonym_probability",
            "grounding/data/field_synonym_probability",
            "grounding/data/shared_words",
            "grounding/stories_steps",
            "grounding/training/steps",
            "grounding/training/criterion",
            "grounding/pairs_per_category",
            "grounding/tau",
            "grounding/alpha",
            "grounding/null_quantile",
            "grounding/unasked_share",
            "grounding/verdict_share",
            "grounding/pretrained/examples",
        ),
    shell:
        f"{STEP} grounding.grounding_values"
        " --tables {input.tables:q}"
        " --variants={input.variants:q}"
        " --vocabulary={input.vocabulary:q}"
        " --test={input.test:q}"
        " --runs {params.runs:q}"
        " --categories {params.categories:q}"
        " --base-label={params.base_label:q}"
        " --base-kind={params.base_kind:q}"
        " --settings {params.settings:q}"
        " --out={output.out:q}"
        " 2> {log}"


rule claims_values:
    input:
        tables=table_csvs(
            "claims_planted",
            "claims_boundaries",
            "claims_trust",
            "claims_implied",
            "claims_vote",
            "claims_author",
            "claims_lists",
        ),
        single_run="results/tables/claims_single_run.csv",
        reported_papers=REPORTED_PAPERS,
        references=REFERENCE_TIERS,
        phrases=PHRASES,
    output:
        **recorded(out="results/values/claims.json"),
    log:
        "logs/claims/claims_values.log",
    benchmark:
        "benchmarks/results/claims/claims_values.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/claims_values.py"),
        contents=contents_of(REPORTED_PAPERS, REFERENCE_TIERS, PHRASES),
        judge_labels=JUDGE_LABELS,
        judge_kinds=values_by_name(JUDGES, CLAIMS_JUDGES, "kind"),
        most_claims=values_by_name(JUDGES, CLAIMS_JUDGES, "max_claims"),
        temperatures=values_by_name(JUDGES, CLAIMS_JUDGES, "temperature"),
        settings=settings(
            "confidence_level",
            "bootstrap_resamples",
            "claims/runs",
            "claims/vote",
            "claims/claims_found",
            "claims/papers",
            "claims/planted_papers",
            "claims/embedded_planted_papers",
            "claims/leak_audit",
            "claims/devils_advocate",
            "claims/boundary_shift",
            "claims/trust/papers",
            "claims/trust/least_sensitivity",
            "claims/trust/least_locality",
            "claims/trust/least_right",
        ),
        # The seed of measure_trust: the text prints one of the edits that it makes.
        seed=seed_for("trust"),
    shell:
        f"{STEP} claims.claims_values"
        " --tables {input.tables:q}"
        " --single-run={input.single_run:q}"
        " --reported-papers={input.reported_papers:q}"
        " --references={input.references:q}"
        " --judge-labels {params.judge_labels:q}"
        " --judge-kinds {params.judge_kinds:q}"
        " --most-claims {params.most_claims:q}"
        " --temperatures {params.temperatures:q}"
        " --settings {params.settings:q}"
        " --seed={params.seed:q}"
        " --out={output.out:q}"
        " 2> {log}"


rule headlines:
    input:
        values=expand("results/values/{study}.json", study=config["studies"]),
        ledger=LEDGER,
        reported=REPORTED_HEADLINES,
    output:
        **recorded(out="results/values/headlines.json"),
    log:
        "logs/paper/headlines.log",
    benchmark:
        "benchmarks/results/paper/headlines.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/paper/headlines.py"),
        contents=contents_of(LEDGER, REPORTED_HEADLINES),
        studies=lookup("studies", within=config),
    shell:
        f"{STEP} paper.headlines"
        " --values {input.values:q}"
        " --ledger={input.ledger:q}"
        " --reported={input.reported:q}"
        " --studies {params.studies:q}"
        " --out={output.out:q}"
        " 2> {log}"


# The target of the reported run (`--configfile config/reported.yaml`). `make reported` copies its
# headlines to docs/measured and its error rates to config/calibration.
rule reported:
    input:
        headlines="results/values/headlines.json",
        # The error rates on planted names and on docstrings, which become one table.
        detectors=[
            "results/radar/memorisation/calibration.csv",
            "results/radar/memorisation/natural/calibration.csv",
        ],
        kinds="results/radar/memorisation/planted_texts.csv",
        rules="results/grounding/calibration.csv",
        judges="results/claims/calibration.csv",
    output:
        **recorded(
            out="results/reported/headlines.csv",
            out_detectors="results/reported/detectors.csv",
            out_rules="results/reported/rules.csv",
            out_judges="results/reported/judges.csv",
        ),
    log:
        "logs/paper/reported.log",
    benchmark:
        "benchmarks/results/paper/reported.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/paper/reported.py"),
        planted_seeds=len(PLANTED_SEEDS),
        grounding_seeds=len(config["grounding"]["seeds"]),
    shell:
        f"{STEP} paper.reported"
        " --headlines={input.headlines:q}"
        " --detectors {input.detectors:q}"
        " --kinds={input.kinds:q}"
        " --rules={input.rules:q}"
        " --judges={input.judges:q}"
        " --planted-seeds={params.planted_seeds:q}"
        " --grounding-seeds={params.grounding_seeds:q}"
        " --out={output.out:q}"
        " --out-detectors={output.out_detectors:q}"
        " --out-rules={output.out_rules:q}"
        " --out-judges={output.out_judges:q}"
        " 2> {log}"


rule paper:
    input:
        document=PAPER_DOCUMENT,
        page=PAPER_PAGE,
        guide=PAPER_GUIDE,
        sources=[*PAPER_SOURCES, *PAPER_CAPTIONS],
        results=PAPER_RESULTS,
    output:
        **recorded(
            out=report(
                "results/paper/paper.pdf",
                caption=caption("paper/captions/paper.rst"),
                category="Paper",
                labels={"document": "paper"},
            ),
            out_page="results/paper/index.html",
            out_guide="results/README.md",
        ),
    log:
        "logs/paper/paper.log",
    benchmark:
        "benchmarks/results/paper/paper.tsv"
    conda:
        "../envs/paper.yaml"
    params:
        code=code("scripts/paper/paper.py"),
        contents=contents_of(
            PAPER_DOCUMENT, PAPER_PAGE, PAPER_GUIDE, PAPER_SOURCES, PAPER_CAPTIONS
        ),
        studies=lookup("studies", within=config),
    shell:
        f"{STEP} paper.paper"
        " --document={input.document:q}"
        " --page={input.page:q}"
        " --guide={input.guide:q}"
        " --sources {input.sources:q}"
        " --results {input.results:q}"
        " --studies {params.studies:q}"
        " --out={output.out:q}"
        " --out-page={output.out_page:q}"
        " --out-guide={output.out_guide:q}"
        " 2> {log}"
