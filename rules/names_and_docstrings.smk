"""Rules that need both planted names (memorisation.smk) and planted docstrings (docstrings.smk).

- The logit lens over layers scores names, names in a pretrained model, and docstrings, fitted on
  the same kind; the last two are also scored by a fit on names of clean bases (score_logit_lens,
  score_text_logit_lens, summarise_logit_lens).
- describe_planted_texts describes both kinds of text for the table of error rates.
- choose_verdict_detector compares the detectors on which a verdict could rest.

docstrings.smk calls the docstrings natural: `NATURAL` is the folder of their results.
"""


def scores_of_fitted_names(wildcards):
    """An input: for a pretrained base, the clean bases' scores on names; for a clean base, none."""
    return NAMES_SCORES if is_pretrained(wildcards) else []


# The logit lens over layers, fitted on planted names: it scores names of other seeds, and names in
# a pretrained model.
rule score_logit_lens:
    input:
        scores=files_of_seeds("scores.parquet"),
        names_scores=scores_of_fitted_names,
    output:
        **recorded(lens_scores=f"{MEMORISATION}/{{base}}lens_scores.parquet"),
    log:
        "logs/radar/{base}score_logit_lens.log",
    benchmark:
        "benchmarks/results/radar/{base}score_logit_lens.tsv"
    wildcard_constraints:
        base=f"(?:{PRETRAINED_BASE})?",
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/score_logit_lens.py"),
        seeds=planted_seeds,
        names_seeds=by_base([], PLANTED_SEEDS),
        seed=seed_by_base("score_logit_lens", "score_logit_lens"),
    shell:
        f"{STEP} radar.score_logit_lens"
        " --seeds {params.seeds:q}"
        " --scores {input.scores:q}"
        " --names-seeds {params.names_seeds:q}"
        " --names-scores {input.names_scores:q}"
        " --seed={params.seed:q}"
        " --lens-scores={output.lens_scores:q}"
        " 2> {log}"


rule score_text_logit_lens:
    input:
        scores=expand(f"{NATURAL}/s{{n}}/scores.parquet", n=NATURAL_SEEDS),
        evidence=NATURAL_EVIDENCE,
        names_scores=NAMES_SCORES,
    output:
        **recorded(lens_scores=f"{NATURAL}/lens_scores.parquet"),
    log:
        "logs/radar/score_text_logit_lens.log",
    benchmark:
        "benchmarks/results/radar/score_text_logit_lens.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/score_text_logit_lens.py"),
        seeds=NATURAL_SEEDS,
        names_seeds=PLANTED_SEEDS,
        seed=seed_for("score_text_logit_lens"),
    shell:
        f"{STEP} radar.score_text_logit_lens"
        " --seeds {params.seeds:q}"
        " --scores {input.scores:q}"
        " --evidence {input.evidence:q}"
        " --names-seeds {params.names_seeds:q}"
        " --names-scores {input.names_scores:q}"
        " --seed={params.seed:q}"
        " --lens-scores={output.lens_scores:q}"
        " 2> {log}"


rule summarise_logit_lens:
    input:
        lens_scores=by_base(
            [
                f"{MEMORISATION}/lens_scores.parquet",
                f"{NATURAL}/lens_scores.parquet",
            ],
            [f"{MEMORISATION}/{{base}}lens_scores.parquet"],
        ),
    output:
        **recorded(lens=f"{MEMORISATION}/{{base}}lens.csv"),
    log:
        "logs/radar/{base}summarise_logit_lens.log",
    benchmark:
        "benchmarks/results/radar/{base}summarise_logit_lens.tsv"
    wildcard_constraints:
        base=f"(?:{PRETRAINED_BASE})?",
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/summarise_logit_lens.py"),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{STEP} radar.summarise_logit_lens"
        " --lens-scores {input.lens_scores:q}"
        " --confidence-level={params.confidence_level:q}"
        " --lens={output.lens:q}"
        " 2> {log}"


# For the reported run, whose table of error rates has both kinds of text.
rule describe_planted_texts:
    input:
        names_scores=NAMES_SCORES,
        names_evidence=expand(
            f"{MEMORISATION}/s{{n}}/evidence/{{twin}}.parquet",
            n=PLANTED_SEEDS,
            twin=TWINS,
        ),
        docstrings_scores=expand(f"{NATURAL}/s{{n}}/scores.parquet", n=NATURAL_SEEDS),
        docstrings_evidence=NATURAL_EVIDENCE,
    output:
        **recorded(kinds=f"{MEMORISATION}/planted_texts.csv"),
    log:
        "logs/radar/describe_planted_texts.log",
    benchmark:
        "benchmarks/results/radar/describe_planted_texts.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/describe_planted_texts.py"),
        names_seeds=PLANTED_SEEDS,
        docstrings=DOCSTRINGS,
        docstrings_seeds=NATURAL_SEEDS,
    shell:
        f"{STEP} radar.describe_planted_texts"
        " --names-seeds {params.names_seeds:q}"
        " --names-scores {input.names_scores:q}"
        " --names-evidence {input.names_evidence:q}"
        " --docstrings={params.docstrings:q}"
        " --docstrings-seeds {params.docstrings_seeds:q}"
        " --docstrings-scores {input.docstrings_scores:q}"
        " --docstrings-evidence {input.docstrings_evidence:q}"
        " --kinds={output.kinds:q}"
        " 2> {log}"


# On which detectors a verdict should rest, measured with seeds that no reported number uses. It is
# no part of the default run: `make verdict-detector` copies the table to docs/measured. The choice,
# `radar/verdict_detectors`, is edited by hand, together with the error rates that belong to it.
DEVELOPMENT_SEEDS = config["radar"]["memorisation"]["development_seeds"]


rule choose_verdict_detector:
    input:
        names_scores=expand(
            f"{MEMORISATION}/s{{n}}/scores.parquet", n=DEVELOPMENT_SEEDS
        ),
        names_evidence=expand(
            f"{MEMORISATION}/s{{n}}/evidence/{{twin}}.parquet",
            n=DEVELOPMENT_SEEDS,
            twin=TWINS,
        ),
        docstrings_scores=expand(
            f"{NATURAL}/s{{n}}/scores.parquet", n=DEVELOPMENT_SEEDS
        ),
        docstrings_evidence=expand(
            f"{NATURAL}/s{{n}}/evidence/{{twin}}.parquet",
            n=DEVELOPMENT_SEEDS,
            twin=TWINS,
        ),
    output:
        **recorded(candidates=f"{MEMORISATION}/verdict_detectors.csv"),
    log:
        "logs/radar/choose_verdict_detector.log",
    benchmark:
        "benchmarks/results/radar/choose_verdict_detector.tsv"
    conda:
        "../envs/stats.yaml"
    params:
        code=code("scripts/radar/choose_verdict_detector.py"),
        seeds=DEVELOPMENT_SEEDS,
        docstrings=DOCSTRINGS,
        draws=lookup("radar/memorisation/calibration_draws", within=config),
        confidence_level=lookup("confidence_level", within=config),
        seed=seed_for("choose_verdict_detector"),
    shell:
        f"{STEP} radar.choose_verdict_detector"
        " --seeds {params.seeds:q}"
        " --names-scores {input.names_scores:q}"
        " --names-evidence {input.names_evidence:q}"
        " --docstrings={params.docstrings:q}"
        " --docstrings-scores {input.docstrings_scores:q}"
        " --docstrings-evidence {input.docstrings_evidence:q}"
        " --draws={params.draws:q}"
        " --confidence-level={params.confidence_level:q}"
        " --seed={params.seed:q}"
        " --candidates={output.candidates:q}"
        " 2> {log}"
