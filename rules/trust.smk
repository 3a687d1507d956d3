"""Can a judge be trusted? Its responses to counterfactual edits, to the removal of its quotes, and what follows."""

PASSAGES = [
    repo(path)
    for path in sorted(
        (REPOSITORY / config["claims"]["trust"]["passages"]).glob("*.yaml")
    )
]


def trust_flags(wildcards):
    """A param: how much of the trust study a judge is asked; one run of a rule judge, which repeats itself."""
    trust, kind = config["claims"]["trust"], kind_of(wildcards.judge)
    flags = [f"--papers {trust['papers']}"]
    flags += [f"--edits {trust['embedded_edits']}"] if kind.local_model else []
    flags += (
        ["--runs 1", "--scored-runs 1"]
        if kind.by_rules
        else [f"--runs {trust['runs']}", f"--scored-runs {config['claims']['runs']}"]
    )
    return " ".join(flags)


rule estimate_trust:
    input:
        prompts=JUDGE_PROMPTS,
        passages=PASSAGES,
        phrases=repo("mechaware/claims/planting/phrases.yaml"),
    output:
        cost="results/claims/trust_cost/{judge}.json",
        provenance="results/claims/trust_cost/{judge}.provenance.json",
    log:
        "logs/claims/estimate_trust/{judge}.log",
    benchmark:
        "benchmarks/results/claims/estimate_trust/{judge}.tsv"
    wildcard_constraints:
        judge=one_of(OFFLINE_JUDGES),
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/estimate_trust.py"),
        settings=judge_flags,
        trust=trust_flags,
        leak_audit=lookup("claims/leak_audit", within=config),
        devils_advocate=lookup("claims/devils_advocate", within=config),
        seed=seed_for("trust"),
    shell:
        f"{ENVIRONMENT} python -m scripts.claims.estimate_trust "
        "--prompts {input.prompts:q} --passages {input.passages:q} {params.settings} {params.trust} --leak-audit {params.leak_audit} "
        "--devils-advocate {params.devils_advocate} --seed {params.seed} --out {output.cost} 2> {log}"


rule measure_trust:
    input:
        cost="results/claims/trust_cost/{judge}.json",  # printed before the first call
        prompts=JUDGE_PROMPTS,
        weights=judge_weights,
        passages=PASSAGES,
        phrases=repo("mechaware/claims/planting/phrases.yaml"),
    output:
        trials="results/claims/trials/{judge}.csv",
        provenance="results/claims/trials/{judge}.provenance.json",
    log:
        "logs/claims/measure_trust/{judge}.log",
    benchmark:
        "benchmarks/results/claims/measure_trust/{judge}.tsv"
    wildcard_constraints:
        judge=one_of(OFFLINE_JUDGES),
    conda:
        "../envs/claims.yaml"
    resources:
        mem_mb=memory(2000),
        runtime=240,
    params:
        code=code("scripts/claims/measure_trust.py", own=own_kind),
        settings=judge_flags,
        trust=trust_flags,
        leak_audit=lookup("claims/leak_audit", within=config),
        devils_advocate=lookup("claims/devils_advocate", within=config),
        seed=seed_for("trust"),
        responses=lookup("claims/responses", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.claims.measure_trust "
        "--prompts {input.prompts:q} --weights {input.weights:q} "
        "--passages {input.passages:q} {params.settings} {params.trust} --leak-audit {params.leak_audit} "
        "--devils-advocate {params.devils_advocate} --seed {params.seed} "
        "--responses {params.responses:q} --out {output.trials} 2> {log}"


rule measure_trust_controls:
    input:
        phrases=repo("mechaware/claims/planting/phrases.yaml"),
    output:
        trials="results/claims/trials/controls.csv",
        provenance="results/claims/trials/controls.provenance.json",
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
        f"{ENVIRONMENT} python -m scripts.claims.measure_trust_controls "
        "--papers {params.papers} --seed {params.seed} --out {output.trials} 2> {log}"


rule report_trust:
    input:
        trials="results/claims/trials/{judge}.csv",
    output:
        report=directory("results/claims/trust/{judge}"),
        provenance="results/claims/trust/{judge}.provenance.json",
    log:
        "logs/claims/report_trust/{judge}.log",
    benchmark:
        "benchmarks/results/claims/report_trust/{judge}.tsv"
    conda:
        "../envs/claims.yaml"
    params:
        code=code("scripts/claims/report_trust.py"),
        least_sensitivity=lookup("claims/trust/least_sensitivity", within=config),
        least_locality=lookup("claims/trust/least_locality", within=config),
        least_right=lookup("claims/trust/least_right", within=config),
        confidence_level=lookup("confidence_level", within=config),
    shell:
        f"{ENVIRONMENT} python -m scripts.claims.report_trust "
        "--trials {input.trials:q} --least-sensitivity {params.least_sensitivity} "
        "--least-locality {params.least_locality} --least-right {params.least_right} "
        "--confidence-level {params.confidence_level} --out {output.report} 2> {log}"


rule remove_evidence:
    input:
        text="results/claims/papers/{paper}/text.txt",
        flags="results/claims/papers/{paper}/flags.json",
        scores="results/claims/judgements/{judge}/{paper}/scores.json",
        prompts=JUDGE_PROMPTS,
        weights=judge_weights,
    output:
        removal="results/claims/removal/{judge}/{paper}.csv",
        provenance="results/claims/removal/{judge}/{paper}.provenance.json",
    log:
        "logs/claims/remove_evidence/{judge}/{paper}.log",
    benchmark:
        "benchmarks/results/claims/remove_evidence/{judge}/{paper}.tsv"
    wildcard_constraints:
        judge=one_of(OFFLINE_JUDGES),
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
        f"{ENVIRONMENT} python -m scripts.claims.remove_evidence "
        "--text {input.text:q} --flags {input.flags:q} --scores {input.scores:q} "
        "--prompts {input.prompts:q} --weights {input.weights:q} {params.settings} --seed {params.seed} "
        "--responses {params.responses:q} --out {output.removal} 2> {log}"


rule summarise_removal:
    input:
        removals=lambda wildcards: [
            f"results/claims/removal/{wildcards.judge}/{paper}.csv"
            for paper in papers_of(wildcards.judge)
        ],
    output:
        summary="results/claims/removal/{judge}.csv",
        provenance="results/claims/removal/{judge}.provenance.json",
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
        f"{ENVIRONMENT} python -m scripts.claims.summarise_removal "
        "--removals {input.removals:q} --confidence-level {params.confidence_level} --out {output.summary} 2> {log}"


rule bound_scores:
    input:
        trials="results/claims/trials/{judge}.csv",
        scores=by_the_judge_and_own("scores.json"),
    output:
        scores="results/claims/score_intervals/{judge}.csv",
        provenance="results/claims/score_intervals/{judge}.provenance.json",
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
        f"{ENVIRONMENT} python -m scripts.claims.bound_scores "
        "--trials {input.trials:q} --scores {input.scores:q} --draws {params.draws} "
        "--confidence-level {params.confidence_level} --seed {params.seed} --out {output.scores} 2> {log}"
