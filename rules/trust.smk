"""Can a judge be trusted? How its statuses respond to counterfactual edits of planted papers.

Judges are compared with controls, such as PARTIAL throughout, whose trust is known beforehand.
"""


def trust_edits(wildcards):
    """A param: how many edits of the first claim of the first paper an embedded judge reads.

    For any other judge it is the text `None`: it reads all edits of all claims.
    """
    embedded = kind_of(wildcards.judge).local_model
    return config["claims"]["trust"]["embedded_edits"] if embedded else "None"


rule measure_trust:
    input:
        prompts=JUDGE_PROMPTS,
        weights=judge_weights,
        phrases=PHRASES,
    output:
        **recorded(
            trials="results/claims/trials/{judge}.parquet",
            report=directory("results/claims/trust/{judge}"),
        ),
    log:
        "logs/claims/measure_trust/{judge}.log",
    benchmark:
        "benchmarks/results/claims/measure_trust/{judge}.tsv"
    wildcard_constraints:
        judge=any_regex(OFFLINE_JUDGES),
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=240,
    params:
        code=code("scripts/claims/measure_trust.py", own=own_kind),
        contents=contents_of(JUDGE_PROMPTS, PHRASES),
        settings=judge_flags,
        papers=lookup("claims/trust/papers", within=config),
        edits=trust_edits,
        least_sensitivity=lookup("claims/trust/least_sensitivity", within=config),
        least_locality=lookup("claims/trust/least_locality", within=config),
        least_right=lookup("claims/trust/least_right", within=config),
        confidence_level=lookup("confidence_level", within=config),
        seed=seed_for("trust"),
        responses=lookup("claims/responses", within=config),
    shell:
        f"{STEP} claims.measure_trust"
        " --prompts {input.prompts:q}"
        " --weights {input.weights:q}"
        " {params.settings}"
        " --papers={params.papers:q}"
        " --edits={params.edits:q}"
        " --least-sensitivity={params.least_sensitivity:q}"
        " --least-locality={params.least_locality:q}"
        " --least-right={params.least_right:q}"
        " --confidence-level={params.confidence_level:q}"
        " --seed={params.seed:q}"
        " --responses={params.responses:q}"
        " --trials={output.trials:q}"
        " --report={output.report:q}"
        " 2> {log}"


rule measure_trust_controls:
    input:
        phrases=PHRASES,
    output:
        **recorded(trials="results/claims/trials/controls.parquet"),
    log:
        "logs/claims/measure_trust_controls.log",
    benchmark:
        "benchmarks/results/claims/measure_trust_controls.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/measure_trust_controls.py"),
        contents=contents_of(PHRASES),
        papers=lookup("claims/trust/papers", within=config),
        seed=seed_for("trust"),
    shell:
        f"{STEP} claims.measure_trust_controls"
        " --papers={params.papers:q}"
        " --seed={params.seed:q}"
        " --trials={output.trials:q}"
        " 2> {log}"
