"""Can a judge be trusted? Its responses to counterfactual edits, to the removal of its quotes, and what follows."""

PASSAGES = [
    repo(path)
    for path in sorted(
        (REPOSITORY / config["claims"]["trust"]["passages"]).glob("*.yaml")
    )
]


def trust_edits(wildcards):
    """A param: how many edits of one claim a judge is asked about; None for all edits of all claims."""
    embedded = kind_of(wildcards.judge).local_model
    return config["claims"]["trust"]["embedded_edits"] if embedded else "None"


def runs_of(path):
    """A param: the runs at a path of the config; one of a rule judge, which repeats itself."""
    runs = lookup(path, within=config)
    return lambda wildcards: 1 if kind_of(wildcards.judge).by_rules else runs


def trust_cost(wildcards):
    """An input: the estimate for a judge that costs money, printed before the first call."""
    paid = kind_of(wildcards.judge).over_network
    return f"results/claims/trust_cost/{wildcards.judge}.json" if paid else []


rule estimate_trust:
    input:
        prompts=JUDGE_PROMPTS,
        passages=PASSAGES,
        phrases=repo("mechaware/claims/planting/phrases.yaml"),
    output:
        **recorded(out="results/claims/trust_cost/{judge}.json"),
    log:
        "logs/claims/estimate_trust/{judge}.log",
    benchmark:
        "benchmarks/results/claims/estimate_trust/{judge}.tsv"
    wildcard_constraints:
        judge=any_regex(OFFLINE_JUDGES),
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/estimate_trust.py"),
        settings=judge_flags,
        papers=lookup("claims/trust/papers", within=config),
        edits=trust_edits,
        runs=runs_of("claims/trust/runs"),
        scored_runs=runs_of("claims/runs"),
        leak_audit=lookup("claims/leak_audit", within=config),
        devils_advocate=lookup("claims/devils_advocate", within=config),
        seed=seed_for("trust"),
    shell:
        command("scripts/claims/estimate_trust.py", settings="{params.settings}")


rule measure_trust:
    input:
        cost=trust_cost,
        prompts=JUDGE_PROMPTS,
        weights=judge_weights,
        passages=PASSAGES,
        phrases=repo("mechaware/claims/planting/phrases.yaml"),
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
        settings=judge_flags,
        papers=lookup("claims/trust/papers", within=config),
        edits=trust_edits,
        runs=runs_of("claims/trust/runs"),
        scored_runs=runs_of("claims/runs"),
        leak_audit=lookup("claims/leak_audit", within=config),
        devils_advocate=lookup("claims/devils_advocate", within=config),
        least_sensitivity=lookup("claims/trust/least_sensitivity", within=config),
        least_locality=lookup("claims/trust/least_locality", within=config),
        least_right=lookup("claims/trust/least_right", within=config),
        confidence_level=lookup("confidence_level", within=config),
        seed=seed_for("trust"),
        responses=lookup("claims/responses", within=config),
    shell:
        command("scripts/claims/measure_trust.py", settings="{params.settings}")


rule measure_trust_controls:
    input:
        phrases=repo("mechaware/claims/planting/phrases.yaml"),
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
        papers=lookup("claims/trust/papers", within=config),
        seed=seed_for("trust"),
    shell:
        command("scripts/claims/measure_trust_controls.py")


rule remove_evidence:
    input:
        text="results/claims/papers/{paper}/text.txt",
        flags="results/claims/papers/{paper}/flags.json",
        scores="results/claims/judgements/{judge}/{paper}/scores.json",
        prompts=JUDGE_PROMPTS,
        weights=judge_weights,
    output:
        **recorded(out="results/claims/removal/{judge}/{paper}.csv"),
    log:
        "logs/claims/remove_evidence/{judge}/{paper}.log",
    benchmark:
        "benchmarks/results/claims/remove_evidence/{judge}/{paper}.tsv"
    wildcard_constraints:
        judge=any_regex(OFFLINE_JUDGES),
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=60,
    params:
        code=code("scripts/claims/remove_evidence.py", own=own_kind),
        settings=judge_flags,
        seed=seed_for("remove_evidence", "{paper}"),
        responses=lookup("claims/responses", within=config),
    shell:
        command("scripts/claims/remove_evidence.py", settings="{params.settings}")


rule summarise_removal:
    input:
        removals=lambda wildcards: [
            f"results/claims/removal/{wildcards.judge}/{paper}.csv"
            for paper in papers_of(wildcards.judge)
        ],
    output:
        **recorded(out="results/claims/removal/{judge}.csv"),
    log:
        "logs/claims/summarise_removal/{judge}.log",
    benchmark:
        "benchmarks/results/claims/summarise_removal/{judge}.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/summarise_removal.py"),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        command("scripts/claims/summarise_removal.py")


rule bound_scores:
    input:
        trials="results/claims/trials/{judge}.parquet",
        scores=by_the_judge_and_own("scores.json"),
    output:
        **recorded(out="results/claims/score_intervals/{judge}.csv"),
    log:
        "logs/claims/bound_scores/{judge}.log",
    benchmark:
        "benchmarks/results/claims/bound_scores/{judge}.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/bound_scores.py"),
        draws=lookup("bootstrap_resamples", within=config),
        confidence_level=lookup("confidence_level", within=config),
        seed=seed_for("bound_scores"),
    shell:
        command("scripts/claims/bound_scores.py")
